"""Features of any row in which smooth scores are linear: its kernels with landmarks (Nystrom).

A table too long for its whole covariance, rows that were never seen and pools use them. Landmarks are rows of the
table. Scores are weights times features: those of the linear part, an intercept, and a block for each kernel length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from scipy.linalg import solve_triangular

from askwise.errors import DataError
from askwise.posteriors.scores.kernels import LEVEL, Shape, pivoted_factor
from askwise.types import Floats, Ints

MAX_LANDMARKS = 300
ROWS_PER_BLOCK = 4096  # scored together: what is computed of them stays in the cache


@dataclass(frozen=True)
class LandmarkMap:
    """A map from rows (N, P) to features (N, D).

    >>> rows = np.array([[0.0], [1.0], [4.0]])
    >>> found = LandmarkMap.of(rows, [1.0], np.random.default_rng(0))
    >>> found.features(rows).shape, found.features(np.array([[2.0]])).shape
    ((3, 5), (1, 5))
    """

    center: Floats  # (P,)
    scale: float
    landmarks: Floats  # (M, P), scaled
    median: float  # squared distance between different rows
    lengths: tuple[float, ...]
    factors: tuple[Floats, ...]  # (M, M') of the landmarks' covariance, for each length
    pivots: tuple[Ints, ...]

    @staticmethod
    def of(rows: Floats, lengths: Sequence[float], rng: Generator, limit: int = MAX_LANDMARKS) -> LandmarkMap:
        """The map of a table: its rows are the landmarks, or `limit` random ones of more."""
        center = rows.mean(axis=0)
        size = float(np.square(rows - center).sum(axis=1).mean())
        if not size > 0:
            raise DataError("all rows have the same features, so nothing tells them apart; add others")
        scaled = (rows - center) / np.sqrt(size)
        chosen = np.unique(scaled, axis=0)
        if len(chosen) > limit:
            chosen = chosen[np.sort(rng.choice(len(chosen), limit, replace=False))]
        squares = _squares(chosen, chosen)
        apart = squares[squares > 1e-12]
        median = float(np.median(apart)) if apart.size else 1.0
        factors, pivots = [], []
        for length in lengths:
            found = pivoted_factor(np.exp(-squares / (2 * length**2 * median)))
            order = np.argsort((found != 0).sum(axis=1), kind="stable")[: found.shape[1]]
            factors.append(found[order])
            pivots.append(order)
        return LandmarkMap(center, float(np.sqrt(size)), chosen, median, tuple(lengths), tuple(factors), tuple(pivots))

    @property
    def dimension(self) -> int:
        """How many features a row gets."""
        return len(self.center) + 1 + sum(found.shape[1] for found in self.factors)

    def features(self, rows: Floats) -> Floats:
        """(N, P) -> (N, D)"""
        scaled = (rows - self.center) / self.scale
        squares = _squares(scaled, self.landmarks)
        parts = [scaled, np.ones((len(scaled), 1))]
        for length, lower, pivots in zip(self.lengths, self.factors, self.pivots, strict=True):
            kernel = np.exp(-squares[:, pivots] / (2 * length**2 * self.median))
            parts.append(solve_triangular(lower, kernel.T, lower=True, check_finite=False).T)
        return np.hstack(parts)

    def scorer(self, weights: Floats) -> LandmarkScorer:
        """A quick function from many rows to their scores for few weights (S, D)."""
        return LandmarkScorer.of(self, weights)

    def factor(self, shape: Shape) -> Floats:
        """(D, D'): a factor of the prior covariance of the weights of a shape."""
        linear = len(self.center)
        variances = np.zeros(self.dimension)
        variances[:linear], variances[linear] = shape.linear, LEVEL
        start = linear + 1
        for length, found in zip(self.lengths, self.factors, strict=True):
            variances[start : start + found.shape[1]] = shape.smooth if shape.length == length else 0.0
            start += found.shape[1]
        used = np.flatnonzero(variances)
        whole = np.zeros((self.dimension, len(used)))
        whole[used, np.arange(len(used))] = np.sqrt(variances[used])
        return whole


@dataclass(frozen=True)
class LandmarkScorer:
    """Scores of many rows for few weights of landmark features, in 32 bits, without the features themselves.

    The triangular factors are folded into the weights, and kernels of weight 0 are left out. The kernel of a shorter
    length is a power of that of the longest.

    >>> rows = np.array([[0.0], [1.0], [4.0]])
    >>> known = LandmarkMap.of(rows, [1.0, 0.5], np.random.default_rng(0))
    >>> weights = np.random.default_rng(1).standard_normal((2, known.dimension))
    >>> quick = LandmarkScorer.of(known, weights)(np.column_stack([rows, np.ones(3)]))
    >>> bool(np.allclose(quick, weights @ known.features(rows).T, atol=1e-5))
    True
    """

    linear: Floats  # (S, P + 1), for rows with a one behind them
    exponents: Floats  # (M, P + 2): of the kernel of the longest length, for rows with a one and half their square
    kernels: tuple[tuple[float, Floats], ...]  # the power of that kernel, (S, M)
    center: Floats  # (P,)
    scale: float

    @staticmethod
    def of(known: LandmarkMap, weights: Floats) -> LandmarkScorer:
        """For weights (S, D)."""
        count, real = len(known.center), np.float32
        width = known.lengths[0] ** 2 * known.median if known.lengths else 1.0
        sizes = np.square(known.landmarks).sum(axis=1) / 2
        exponents = np.column_stack([known.landmarks, -sizes, -np.ones(len(sizes))]) / width
        kernels, start = [], count + 1
        for length, lower, pivots in zip(known.lengths, known.factors, known.pivots, strict=True):
            part, start = weights[:, start : start + len(lower)], start + len(lower)
            if part.any():
                folded = np.zeros((len(weights), len(sizes)))
                folded[:, pivots] = solve_triangular(lower, part.T, lower=True, trans=1).T
                kernels.append(((known.lengths[0] / length) ** 2, folded.astype(real)))
        linear = np.array(weights[:, : count + 1], real)
        return LandmarkScorer(linear, exponents.astype(real), tuple(kernels), known.center.astype(real), known.scale)

    def __call__(self, rows: Floats) -> Floats:
        """(A, P + 1) -> (S, A); a row ends with a one."""
        found = np.empty((len(self.linear), len(rows)), np.float32)
        for start in range(0, len(rows), ROWS_PER_BLOCK):
            part = slice(start, start + ROWS_PER_BLOCK)
            block = np.ones((len(self.center) + 2, len(rows[part])), np.float32)
            np.divide(rows[part, :-1].T - self.center[:, None], np.float32(self.scale), out=block[:-2])
            np.einsum("pa,pa->a", block[:-2], block[:-2], out=block[-1])
            block[-1] /= 2
            scores = np.matmul(self.linear, block[:-1])
            if self.kernels:
                exponents = self.exponents @ block
                np.minimum(exponents, 0.0, out=exponents)
                nearest, power = np.exp(exponents, out=exponents), 1.0
                for wanted, weights in self.kernels:
                    nearest, power = _raised(nearest, wanted / power), wanted
                    scores += weights @ nearest
            found[:, part] = scores
        return found


def _raised(values: Floats, power: float) -> Floats:
    """The values to that power; to 4 by squaring, which is much faster.

    >>> _raised(np.array([2.0]), 4.0).tolist(), _raised(np.array([2.0]), 3.0).tolist()
    ([16.0], [8.0])
    """
    if power == 4:
        values *= values
        values *= values
        return values
    return values if power == 1 else values**power


def _squares(left: Floats, right: Floats) -> Floats:
    """(N, P), (M, P) -> (N, M): squared distances."""
    sizes = np.square(left).sum(axis=1)[:, None] + np.square(right).sum(axis=1)
    return np.maximum(sizes - 2 * left @ right.T, 0.0)
