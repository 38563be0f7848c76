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
            parts.append(solve_triangular(lower, kernel.T, lower=True).T)
        return np.hstack(parts)

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


def _squares(left: Floats, right: Floats) -> Floats:
    """(N, P), (M, P) -> (N, M): squared distances."""
    sizes = np.square(left).sum(axis=1)[:, None] + np.square(right).sum(axis=1)
    return np.maximum(sizes - 2 * left @ right.T, 0.0)
