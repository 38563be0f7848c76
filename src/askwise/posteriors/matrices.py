"""Beliefs about a matrix of low rank with row and column offsets, of which some entries were seen with noise.

Bayesian factorisation by Gibbs sampling: many chains, each one draw, moved on after every answer. Noise and the sizes
of offsets and factors are learned. Features of rows or columns, if there are any, are regressors of the offsets and
factors: what they do not explain stays free, so that features which say nothing do little harm.

Chains count entries from a center in units of a scale, both judged by the data: grams or tons, they do the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.errors import AnswerError, DataError
from askwise.options import LARGEST_SEED, number, numbers, whole_number
from askwise.structures.matrices import LARGEST_NUMBER, Matrices, gaussian, pack
from askwise.types import Answer, Floats, Ints, Sample, Structures

SWEEPS = 4  # after an answer that was to be expected
SURPRISED = 40  # after one that was not, and after each of the first few
FEW = 10  # answers, from which on the scale of the entries is no longer judged anew
LARGEST_RANK = 100  # factors; a matrix that people can judge has a few
SURPRISE = 2.5  # standard deviations of the prediction
FAR = 1000.0  # scales from the center, beyond which an answer shows that the scale was misjudged
FINEST = 1e-15  # of the largest value: what values differ by below this is rounding
NUMBERS_A_CALL = 10_000_000  # of rows, columns and answers in all chains that a call moves: .1 to .2 s
SMALLEST = 1e-100  # scale: the square of one over it is still a number
SETTLE = 400  # sweeps from the prior to the entries known at the start
THIN = 24  # sweeps between two draws of one chain, where more draws than chains are wanted: see `sample`


@dataclass(frozen=True)
class Chains:
    """The state of C chains: what `sweep_chains` moves. See there for the model."""

    level: Floats  # (C,)
    rows: Floats  # (C, N, D): offset, then factors
    columns: Floats  # (C, M, D)
    row_slopes: Floats  # (C, F, D)
    column_slopes: Floats  # (C, F, D)
    tightness: Floats  # (C, 1 + D): precision of row offsets, of column offsets, of each factor
    precision: Floats  # (C,): of the noise

    def structures(self, center: float = 0.0, scale: float = 1.0) -> Structures:
        """One a chain, whose numbers count from `center` in units of `scale`."""
        matrices = self.rows[:, :, 1:] @ self.columns[:, :, 1:].transpose(0, 2, 1)
        matrices += self.rows[:, :, :1] + self.level[:, None, None]
        matrices += self.columns[:, None, :, 0]
        matrices *= scale
        matrices += center
        return pack(matrices, self.precision / scale**2)

    def entry(self, row: int, column: int) -> Floats:
        """(C,)"""
        left, right = self.rows[:, row], self.columns[:, column]
        return self.level + left[:, 0] + right[:, 0] + np.einsum("cd,cd->c", left[:, 1:], right[:, 1:])


@dataclass(frozen=True)
class Model:
    """The prior and the features, which do not change, and the units that chains count in."""

    prior: Floats  # (8,), as `sweep_chains` takes it
    row_features: Floats  # (N, F)
    row_root: Floats  # (F, F)
    column_features: Floats
    column_root: Floats
    center: float = 0.0
    scale: float = 1.0

    def counted(self, values: Floats | float) -> Any:
        """Values as chains count them."""
        return (values - self.center) / self.scale

    def judged(self, values: Floats) -> Model:
        """The same in units that suit these values."""
        center, scale = known_scale(values)
        return replace(self, center=center, scale=scale)

    def draw(self, count: int, rank: int, rng: Generator) -> Chains:
        """Chains that start in the prior itself."""
        mean, precision, shape, rate, factor_shape, factor_rate, noise_shape, noise_rate = self.prior
        offsets = rng.standard_gamma(shape, (count, 2)) / rate
        factors = rng.standard_gamma(factor_shape, (count, rank)) / factor_rate
        sides = []
        for side, features in enumerate((self.row_features, self.column_features)):
            spread = np.concatenate([offsets[:, side : side + 1], factors], axis=1)[:, None, :] ** -0.5
            slopes = spread * rng.standard_normal((count, features.shape[1], 1 + rank))
            free = spread * rng.standard_normal((count, len(features), 1 + rank))
            sides.append((features @ slopes + free, slopes))
        level = mean + rng.standard_normal(count) * precision**-0.5
        noise = rng.standard_gamma(noise_shape, count) / noise_rate
        (rows, row_slopes), (columns, column_slopes) = sides
        tightness = np.concatenate([offsets, factors], axis=1)
        return Chains(level, rows, columns, row_slopes, column_slopes, tightness, noise)

    def moved(
        self, chains: Chains, answered: Ints, values: Floats, trust: Floats, sweeps: int, rng: Generator
    ) -> Chains:
        """New chains, so many sweeps on."""
        from askwise.compiled import portions  # brings numba, which takes half a second to load
        from askwise.posteriors.matrix_moves import make_side, sweep_chains

        last = [np.moveaxis(part, 0, -1).copy() for part in vars(chains).values()]  # chains as the last axis
        level, rows, columns, row_slopes, column_slopes, tightness, precision = last
        told = self.counted(values), trust
        row = make_side(rows, row_slopes, self.row_features, self.row_root, answered, *told)
        column = make_side(columns, column_slopes, self.column_features, self.column_root, answered[:, ::-1], *told)
        work = (len(values) + len(self.row_features) + len(self.column_features)) * rows[0].size
        for some in portions(sweeps, work, NUMBERS_A_CALL):
            sweep_chains(some.stop - some.start, row, column, self.prior, level, tightness, precision, rng)
        # in one piece, as a checkpoint brings them back: products of other layouts differ in their last bits
        return Chains(*(np.ascontiguousarray(np.moveaxis(part, -1, 0)) for part in last))


@dataclass(frozen=True)
class MatrixPosterior:
    """Beliefs about an N x M matrix: its entries, and how noisy answers about them are.

    >>> posterior = MatrixPosterior.prior(Matrices((3, 4)), rank=1, chains=200)
    >>> rng = np.random.default_rng(0)
    >>> draws = posterior.update(Answer((0, 2), 5.0), rng).sample(200, rng)
    >>> draws.structures["matrix"].shape, bool(draws.structures["matrix"][:, 0, 2].mean() > 0.5)
    ((200, 3, 4), True)
    """

    loss = gaussian
    beta = 1.0

    family: Matrices
    model: Model
    chains: Chains
    answered: Ints  # (T, 2)
    values: Floats  # (T,)
    trust: Floats  # (T,): how far each is trusted, its precision as a share of that of the noise
    judged: bool = False  # True: center and scale of the prior are judged by the answers as they come

    @staticmethod
    def prior(
        family: Matrices,
        rank: int = 3,
        chains: int = 64,
        *,
        center: float | None = None,
        scale: float | None = None,
        row_features: Any = None,
        column_features: Any = None,
        known: Sequence[tuple[int, int, float]] = (),
        seed: int = 0,
    ) -> MatrixPosterior:
        """Beliefs before any answer, or from the entries `known` from elsewhere, (row, column, value) each.

        `center` and `scale` are where entries lie and how far they spread, roughly: the prior allows several times as
        much. Left out, they are judged by the entries known, or by the answers as they come where fewer than ten are.
        Features are (N, F) and (M, F) tables of numbers, which are standardised here.
        """
        rank = whole_number("rank", rank, at_least=0, at_most=LARGEST_RANK)
        chains = whole_number("chains", chains, at_least=2)
        seed = whole_number("seed", seed, at_least=0, at_most=LARGEST_SEED)
        told = [_checked(family, Answer((i, j), y)) for i, j, y in known]
        answered = np.array([place for place, _ in told], dtype=np.int64).reshape(-1, 2)
        values: Floats = np.array([value for _, value in told])
        judged = (center is None or scale is None) and len(told) < FEW
        middle, spread = known_scale(values)
        if center is not None:
            middle = number("center", center, at_least=-LARGEST_NUMBER, at_most=LARGEST_NUMBER)
        if scale is not None:
            spread = number("scale", scale, at_least=SMALLEST, at_most=LARGEST_NUMBER)
        row_side = _features("row", row_features, family.shape[0])
        column_side = _features("column", column_features, family.shape[1])
        model = Model(_gammas(0.0, 1.0, rank), *row_side, *column_side, middle, spread)
        if np.abs(model.counted(values)).max(initial=0.0) > FAR:
            model = model.judged(values)
        rng = np.random.default_rng([seed, 0x3A7])
        state = model.draw(chains, rank, rng)
        if told:
            state = model.moved(state, answered, values, np.ones(len(values)), SETTLE, rng)
        return MatrixPosterior(family, model, state, answered, values, np.ones(len(values)), judged)

    def update(self, answer: Answer, rng: Generator) -> MatrixPosterior:
        """The beliefs after one more answer: chains moved on, further if the answer is a surprise."""
        (row, column), value = _checked(self.family, answer)
        answered = np.concatenate([self.answered, [[row, column]]])
        values, trust = np.append(self.values, value), np.append(self.trust, 1.0)
        guess, counted = self.chains.entry(row, column), self.model.counted(value)
        spread = np.sqrt(guess.var() + (1 / self.chains.precision).mean())
        expected = len(values) >= FEW and abs(counted - guess.mean()) <= SURPRISE * spread
        rejudged = (self.judged and len(values) <= FEW) or abs(counted) > FAR
        model = self.model.judged(values) if rejudged else self.model
        state = model.moved(self.chains, answered, values, trust, SWEEPS if expected else SURPRISED, rng)
        return replace(self, model=model, chains=state, answered=answered, values=values, trust=trust)

    def reweighed(self, answers: Sequence[Answer], strengths: Floats, rng: Generator) -> MatrixPosterior:
        """The same answers, trusted as far as `strengths` (T,) say; entries known from elsewhere count in full."""
        trust = np.append(np.ones(len(self.values) - len(answers)), strengths)
        state = self.model.moved(self.chains, self.answered, self.values, trust, SWEEPS, rng)
        return replace(self, chains=state, trust=trust)

    def sample(self, count: int, rng: Generator) -> Sample:
        """`count` draws: one a chain as they stand; or, where more are wanted, chains run on, in random order.

        Of one chain, the distances of two draws 24 sweeps apart to an estimate were correlated by less than .1 in all
        cases measured. Mixed, two draws of the same chain are compared no more often than any two.
        """
        chains, size, units = self.chains, len(self.chains.level), (self.model.center, self.model.scale)
        if count <= size:
            chosen = np.sort(rng.choice(size, count, replace=False)) if count < size else np.arange(size)
            return Sample(chains.structures(*units)[chosen], np.full(count, 1 / count), exact=False, chains=chosen)
        parts = []
        for _ in range(0, count, size):
            chains = self.model.moved(chains, self.answered, self.values, self.trust, THIN, rng)
            parts.append(chains.structures(*units))
        chosen = rng.permutation(len(parts) * size)[:count]
        return Sample(np.concatenate(parts)[chosen], np.full(count, 1 / count), exact=False, chains=chosen % size)

    def diagnostics(self) -> Mapping[str, float]:
        """What was learned beside the matrix: noise, and the spread of offsets and of the factors' product."""
        tightness, unit = self.chains.tightness, self.model.scale
        return {
            "answers": float(len(self.values)),
            "chains": float(len(tightness)),
            "noise": unit * float((self.chains.precision**-0.5).mean()),
            "row_spread": unit * float((tightness[:, 0] ** -0.5).mean()),
            "column_spread": unit * float((tightness[:, 1] ** -0.5).mean()),
            "factor_spread": unit * float(np.sqrt((tightness[:, 2:] ** -2.0).sum(axis=1)).mean()),
        }


def known_scale(values: Sequence[float] | Floats) -> tuple[float, float]:
    """Where entries lie and how far they spread, judged by some; 0 and 1 where there are none.

    >>> known_scale([1.0, 3.0]), known_scale([8.0]), known_scale([])
    ((2.0, 1.0), (8.0, 4.0), (0.0, 1.0))
    """
    largest = float(np.abs(values).max(initial=0.0))
    if largest < SMALLEST:
        return 0.0, 1.0
    share = np.asarray(values) / largest  # whose squares are numbers
    center, scale = float(share.mean()), float(share.std())
    if scale <= FINEST:
        scale = abs(center) / 2
    return largest * center, max(largest * scale, SMALLEST)


def _gammas(center: float, scale: float, rank: int) -> Floats:
    """Shape 1.5 is wide (a factor of five in the standard deviation is nothing unusual) and still keeps away from 0.

    The rates put a typical entry at `scale` from `center`: offsets and the product of factors share the variance
    equally, and noise has a thirtieth of it: where a row or column has been seen once or twice, what the factors do is
    not to be told from noise, and a guess of much noise would not be corrected for long.
    """
    shape, share = 1.5, scale**2 / 3
    factors = np.sqrt(share / max(rank, 1))  # one over the precision: a product of two factors has its square
    return np.array([center, scale**-2.0, shape, shape * share, shape, shape * factors, shape, shape * scale**2 / 30])


def _features(kind: str, features: Any, count: int) -> tuple[Floats, Floats]:
    """Standardised features (N, F) and the Cholesky factor of X'X + I; no features are F = 0."""
    expected = f"a table of numbers, one row for each {kind}"
    found: Floats = np.zeros((count, 0)) if features is None else numbers(f"{kind}_features", features, expected)
    if found.ndim != 2 or len(found) != count or not np.isfinite(found).all():
        raise DataError(f"{kind} features must be finite numbers, {count} rows of them; got shape {found.shape}")
    largest = np.abs(found).max(axis=0, initial=0.0)
    found = found / np.where(largest > 0, largest, 1.0)  # whose sums and squares are numbers
    found -= found.mean(axis=0)
    spread = found.std(axis=0)
    found = np.where(spread > FINEST, found, 0.0) / np.where(spread > FINEST, spread, 1.0)
    return found, np.linalg.cholesky(found.T @ found + np.eye(found.shape[1]))


def _checked(family: Matrices, answer: Answer) -> tuple[tuple[int, int], float]:
    row, column = (int(place) for place in answer.atom)
    if not (0 <= row < family.shape[0] and 0 <= column < family.shape[1]):
        raise AnswerError(f"there is no entry ({row}, {column}) in a matrix of shape {family.shape}")
    if isinstance(answer.response, str) or not abs(answer.response) <= LARGEST_NUMBER:
        limits = f"an entry is a finite number from -{LARGEST_NUMBER:g} to {LARGEST_NUMBER:g}"
        raise AnswerError(f"{limits}, got {answer.response!r}")
    return (row, column), float(answer.response)
