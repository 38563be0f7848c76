"""Beliefs about a matrix of low rank with row and column offsets, of which some entries were seen with noise.

Bayesian factorisation by Gibbs sampling: many chains, one draw each, that move on after every answer. Noise and the
sizes of offsets and factors are learned. Features of rows or columns, if there are any, are regressors of the offsets
and factors. What they do not explain stays free, so features that say nothing do little harm.

Chains count entries from a center in units of a scale, both learned from the data: grams or tons make no difference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.errors import AnswerError, DataError
from askwise.options import LARGEST_SEED, number, numbers, whole_number
from askwise.posteriors.matrices.model import (
    MIN_ENTRY_SCALE,
    RELATIVE_ROUNDING,
    FactorChains,
    FactorModel,
    center_and_scale,
    gamma_priors,
)
from askwise.structures.matrices import MAX_ENTRY, Matrices, gaussian
from askwise.types import Answer, Floats, Ints, Sample

SWEEPS_PER_ANSWER = 4  # if the answer was expected
SURPRISE_SWEEPS = 40  # after an unexpected answer, and after each of the first few
MIN_ANSWERS_FOR_SCALE = 10  # until then, each answer updates the scale of the entries
MAX_RANK = 100  # factors; a matrix that people know has a few
SURPRISE_DEVIATIONS = 2.5  # of the prediction, beyond which an answer is unexpected
MAX_STANDARDISED = 1000.0  # scales from the center: an answer beyond shows that the scale was wrong
SETTLING_SWEEPS = 400  # from the prior to the entries known at the start
THINNING_SWEEPS = 24  # between two draws of one chain: see `sample`


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

    family: Matrices  # whose matrices are possible
    model: FactorModel  # the model of factors and noise
    chains: FactorChains  # where the chains stand
    answered: Ints  # (T, 2)
    values: Floats  # (T,)
    trust: Floats  # (T,): the precision of each answer, as a share of that of the noise
    learns_scale: bool = False  # True: the first answers set the center and scale of the prior

    @staticmethod
    def prior(
        family: Matrices,
        rank: int = 3,
        chains: int = 64,
        *,
        center: float | None = None,
        scale: float | None = None,
        least_scale: float = 0.0,
        row_features: Any = None,
        column_features: Any = None,
        known: Sequence[tuple[int, int, float]] = (),
        seed: int = 0,
    ) -> MatrixPosterior:
        """Beliefs before any answer, or from the entries `known` from elsewhere, (row, column, value) each.

        The model has `rank` factors and `chains` chains, which start from `seed`. `center` and `scale` are roughly
        where entries lie and how far they spread; the prior allows several times as much. Left out, the entries known
        set them or, if fewer than ten are known, the first answers. The scale is then at least `least_scale`: a first
        answer that happens to be near 0 says little about the others. `row_features` (N, F) and `column_features`
        (M, F) are tables of numbers, which are standardised here.

        :param family: Whose matrices are possible.
        :param rank: How many factors the model has.
        :param chains: How many chains hold the beliefs.
        :param center: Roughly where entries lie; by default learned from those known or from the first answers.
        :param scale: Roughly how far entries spread; by default learned in the same way.
        :param least_scale: The least scale that is learned so.
        :param row_features: A table of numbers about the rows, `(N, F)`.
        :param column_features: A table of numbers about the columns, `(M, F)`.
        :param known: Entries known from elsewhere: (row, column, value) each.
        :param seed: Where the chains start.
        """
        rank = whole_number("rank", rank, at_least=0, at_most=MAX_RANK)
        chains = whole_number("chains", chains, at_least=2)
        seed = whole_number("seed", seed, at_least=0, at_most=LARGEST_SEED)
        observed = [_checked(family, Answer((i, j), y)) for i, j, y in known]
        answered = np.array([place for place, _ in observed], dtype=np.int64).reshape(-1, 2)
        values: Floats = np.array([value for _, value in observed])
        learns_scale = (center is None or scale is None) and len(observed) < MIN_ANSWERS_FOR_SCALE
        middle, spread = center_and_scale(values)
        if center is not None:
            middle = number("center", center, at_least=-MAX_ENTRY, at_most=MAX_ENTRY)
        if scale is not None:
            spread = number("scale", scale, at_least=MIN_ENTRY_SCALE, at_most=MAX_ENTRY)
        else:
            spread = max(spread, least_scale)
        row_side = _features("row", row_features, family.shape[0])
        column_side = _features("column", column_features, family.shape[1])
        units = middle, spread, least_scale
        model = FactorModel(gamma_priors(0.0, 1.0, rank), *row_side, *column_side, *units)
        if np.abs(model.standardised(values)).max(initial=0.0) > MAX_STANDARDISED:
            model = model.rescaled(values)
        rng = np.random.default_rng([seed, 0x3A7])
        state = model.draw(chains, rank, rng)
        if observed:
            state = model.advanced(state, answered, values, np.ones(len(values)), SETTLING_SWEEPS, rng)
        return MatrixPosterior(family, model, state, answered, values, np.ones(len(values)), learns_scale)

    def update(self, answer: Answer, rng: Generator) -> MatrixPosterior:
        """The beliefs after one more answer: chains move on, further after a surprise."""
        return self.update_all([answer], rng)

    def update_all(self, answers: Sequence[Answer], rng: Generator) -> MatrixPosterior:
        """The beliefs after more answers, which the chains meet together: for less than one by one."""
        told = [_checked(self.family, answer) for answer in answers]
        if not told:
            return self
        places, fresh = np.array([place for place, _ in told]), np.array([value for _, value in told])
        answered, values = np.concatenate([self.answered, places]), np.append(self.values, fresh)
        trust, standardised = np.append(self.trust, np.ones(len(told))), self.model.standardised(fresh)
        guesses = [self.chains.entry(row, column) for row, column in places]
        noise = (1 / self.chains.precision).mean()
        expected = len(values) >= MIN_ANSWERS_FOR_SCALE and all(
            abs(value - guess.mean()) <= SURPRISE_DEVIATIONS * np.sqrt(guess.var() + noise)
            for value, guess in zip(standardised, guesses, strict=True)
        )
        rescales = (self.learns_scale and len(self.values) < MIN_ANSWERS_FOR_SCALE) or (
            np.abs(standardised).max() > MAX_STANDARDISED
        )
        model = self.model.rescaled(values) if rescales else self.model
        sweeps = min(SWEEPS_PER_ANSWER * len(told), SURPRISE_SWEEPS) if expected else SURPRISE_SWEEPS
        state = model.advanced(self.chains, answered, values, trust, sweeps, rng)
        return replace(self, model=model, chains=state, answered=answered, values=values, trust=trust)

    def reweighed(self, answers: Sequence[Answer], strengths: Floats, rng: Generator) -> MatrixPosterior:
        """The same answers, each trusted by its strength (T,); entries known from elsewhere count in full."""
        trust = np.append(np.ones(len(self.values) - len(answers)), strengths)
        state = self.model.advanced(self.chains, self.answered, self.values, trust, SWEEPS_PER_ANSWER, rng)
        return replace(self, chains=state, trust=trust)

    def sample(self, count: int, rng: Generator) -> Sample:
        """`count` draws: one a chain, as it is; or, if more are wanted, of chains that continue, in random order.

        Two draws of one chain, 24 sweeps apart, had distances to an estimate that were correlated by less than .1 in
        all cases measured. In random order, two draws of one chain are compared no more often than any two.
        """
        chains, size, units = self.chains, len(self.chains.level), (self.model.center, self.model.scale)
        if count <= size:
            chosen = np.sort(rng.choice(size, count, replace=False)) if count < size else np.arange(size)
            return Sample(chains.structures(*units)[chosen], np.full(count, 1 / count), exact=False, chains=chosen)
        parts = []
        for _ in range(0, count, size):
            chains = self.model.advanced(chains, self.answered, self.values, self.trust, THINNING_SWEEPS, rng)
            parts.append(chains.structures(*units))
        chosen = rng.permutation(len(parts) * size)[:count]
        return Sample(np.concatenate(parts)[chosen], np.full(count, 1 / count), exact=False, chains=chosen % size)

    def diagnostics(self) -> Mapping[str, float]:
        """What was learned with the matrix: noise, and the spread of offsets and of the factors' product."""
        tightness, unit = self.chains.tightness, self.model.scale
        return {
            "answers": float(len(self.values)),
            "chains": float(len(tightness)),
            "noise": unit * float((self.chains.precision**-0.5).mean()),
            "row_spread": unit * float((tightness[:, 0] ** -0.5).mean()),
            "column_spread": unit * float((tightness[:, 1] ** -0.5).mean()),
            "factor_spread": unit * float(np.sqrt((tightness[:, 2:] ** -2.0).sum(axis=1)).mean()),
        }


def _features(kind: str, features: Any, count: int) -> tuple[Floats, Floats]:
    """Standardised features (N, F) and the Cholesky factor of X'X + I; no features are F = 0."""
    expected = f"a table of numbers, one row for each {kind}"
    found: Floats = np.zeros((count, 0)) if features is None else numbers(f"{kind}_features", features, expected)
    if found.ndim != 2 or len(found) != count or not np.isfinite(found).all():
        raise DataError(f"{kind} features must be finite numbers, {count} rows of them; got shape {found.shape}")
    largest = np.abs(found).max(axis=0, initial=0.0)
    found = found / np.where(largest > 0, largest, 1.0)  # so that sums and squares are numbers
    found -= found.mean(axis=0)
    spread = found.std(axis=0)
    found = np.where(spread > RELATIVE_ROUNDING, found, 0.0) / np.where(spread > RELATIVE_ROUNDING, spread, 1.0)
    return found, np.linalg.cholesky(found.T @ found + np.eye(found.shape[1]))


def _checked(family: Matrices, answer: Answer) -> tuple[tuple[int, int], float]:
    row, column = (int(place) for place in answer.atom)
    if not (0 <= row < family.shape[0] and 0 <= column < family.shape[1]):
        raise AnswerError(f"there is no entry ({row}, {column}) in a matrix of shape {family.shape}")
    if isinstance(answer.response, str) or not abs(answer.response) <= MAX_ENTRY:
        limits = f"an entry is a finite number from -{MAX_ENTRY:g} to {MAX_ENTRY:g}"
        raise AnswerError(f"{limits}, got {answer.response!r}")
    return (row, column), float(answer.response)
