"""The model behind `MatrixPosterior`: the state of its chains, its prior, and the units that chains count in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.structures.matrices import pack
from askwise.types import Floats, Ints, Structures

RELATIVE_ROUNDING = 1e-15  # of the largest value: smaller differences are rounding
MAX_NUMBERS_PER_CALL = 10_000_000  # of rows, columns and answers in all chains: .1 to .2 s
MIN_ENTRY_SCALE = 1e-100  # the square of its inverse is still a number


@dataclass(frozen=True)
class FactorChains:
    """The state of C chains, which `sweep_chains` moves. See there for the model."""

    level: Floats  # (C,)
    rows: Floats  # (C, N, D): offset, then factors
    columns: Floats  # (C, M, D)
    row_slopes: Floats  # (C, F, D)
    column_slopes: Floats  # (C, F, D)
    tightness: Floats  # (C, 1 + D): precision of row offsets, of column offsets, of each factor
    precision: Floats  # (C,): of the noise

    def structures(self, center: float = 0.0, scale: float = 1.0) -> Structures:
        """(C,): one structure a chain, whose numbers count from `center` in units of `scale`."""
        matrices = self.rows[:, :, 1:] @ self.columns[:, :, 1:].transpose(0, 2, 1)
        matrices += self.rows[:, :, :1] + self.level[:, None, None]
        matrices += self.columns[:, None, :, 0]
        matrices *= scale
        matrices += center
        return pack(matrices, self.precision / scale**2)

    def entry(self, row: int, column: int) -> Floats:
        """(C,): one entry of the matrix of each chain."""
        left, right = self.rows[:, row], self.columns[:, column]
        return self.level + left[:, 0] + right[:, 0] + np.einsum("cd,cd->c", left[:, 1:], right[:, 1:])


@dataclass(frozen=True)
class FactorModel:
    """The prior and the features, which are fixed, and the units that chains count in."""

    prior: Floats  # (8,), as `sweep_chains` takes it
    row_features: Floats  # (N, F)
    row_root: Floats  # (F, F)
    column_features: Floats
    column_root: Floats
    center: float = 0.0
    scale: float = 1.0
    least_scale: float = 0.0  # that is learned from values

    def standardised(self, values: Floats | float) -> Any:
        """Values as chains count them: from the center, in units of the scale."""
        return (values - self.center) / self.scale

    def rescaled(self, values: Floats) -> FactorModel:
        """The same model in units that suit these values."""
        center, scale = center_and_scale(values)
        return replace(self, center=center, scale=max(scale, self.least_scale))

    def draw(self, count: int, rank: int, rng: Generator) -> FactorChains:
        """So many chains, drawn from the prior."""
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
        return FactorChains(level, rows, columns, row_slopes, column_slopes, tightness, noise)

    def advanced(
        self, chains: FactorChains, answered: Ints, values: Floats, trust: Floats, sweeps: int, rng: Generator
    ) -> FactorChains:
        """The chains after more `sweeps`, given entries `answered` (T, 2), their `values` (T,) and `trust` (T,)."""
        from askwise._runtime.compiled import portions  # loads numba
        from askwise.posteriors.matrices.gibbs import make_side, sweep_chains
        from askwise.posteriors.matrices.precisions import gamma_shapes, sweep_scratch

        last = [np.moveaxis(part, 0, -1).copy() for part in vars(chains).values()]  # chains as the last axis
        level, rows, columns, row_slopes, column_slopes, tightness, precision = last
        observed = self.standardised(values), trust
        row = make_side(rows, row_slopes, self.row_features, self.row_root, answered, *observed)
        column = make_side(columns, column_slopes, self.column_features, self.column_root, answered[:, ::-1], *observed)
        work = (len(values) + len(self.row_features) + len(self.column_features)) * rows[0].size
        shapes, scratch = gamma_shapes(row, column, self.prior)[:, None], sweep_scratch(row, column)
        for some in portions(sweeps, work, MAX_NUMBERS_PER_CALL):
            gammas = rng.standard_gamma(shapes, (some.stop - some.start, len(shapes), len(level)))
            sweep_chains(row, column, self.prior, level, tightness, precision, gammas, scratch, rng)
        # in one piece, as a checkpoint brings them back: products of other layouts differ in their last bits
        return FactorChains(*(np.ascontiguousarray(np.moveaxis(part, -1, 0)) for part in last))


def center_and_scale(values: Sequence[float] | Floats) -> tuple[float, float]:
    """The center and scale of entries, from some of them; 0 and 1 if there are none.

    >>> center_and_scale([1.0, 3.0]), center_and_scale([8.0]), center_and_scale([])
    ((2.0, 1.0), (8.0, 4.0), (0.0, 1.0))
    """
    largest = float(np.abs(values).max(initial=0.0))
    if largest < MIN_ENTRY_SCALE:
        return 0.0, 1.0
    share = np.asarray(values) / largest  # whose squares are numbers
    center, scale = float(share.mean()), float(share.std())
    if scale <= RELATIVE_ROUNDING:
        scale = abs(center) / 2
    return largest * center, max(largest * scale, MIN_ENTRY_SCALE)


def gamma_priors(center: float, scale: float, rank: int) -> Floats:
    """(8,): the prior as `sweep_chains` takes it.

    Shape 1.5 is wide (a factor of five in the standard deviation is not unusual) and still keeps away from 0. The rates
    put a typical entry at `scale` from `center`. Offsets and the product of factors share the variance equally; noise
    has a thirtieth of it. Where a row or column was seen once or twice, factors look like noise, and a guess of much
    noise would take long to correct.

    >>> gamma_priors(0.0, 1.0, rank=1).round(2).tolist()
    [0.0, 1.0, 1.5, 0.5, 1.5, 0.87, 1.5, 0.05]
    """
    shape, share = 1.5, scale**2 / 3
    factors = np.sqrt(share / max(rank, 1))  # one over the precision: a product of two factors has its square
    return np.array([center, scale**-2.0, shape, shape * share, shape, shape * factors, shape, shape * scale**2 / 30])
