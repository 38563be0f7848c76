"""The best additive approximation of scores: a curve for each column of a table, by least squares. Pure mathematics.

Axes: `S` draws, `N` rows, `M` points of a curve, `K` terms of one column, `T` terms of all columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from askwise.types import Floats, Ints

MAX_KNOTS = 5
ROWS_PER_TERM = 3  # short tables get fewer knots, so that curves do not follow single rows
RIDGE = 1e-3  # relative to the variance of a column: shares the effect between columns that go together
BEND_RIDGE = 10.0  # times the ridge: where a straight line does as well, it is preferred
NOT_STRAIGHT = 0.1  # of the range of a curve, from which on it bends
MIN_FREE_ROWS = 2  # beyond the terms, to tell how much they explain


@dataclass(frozen=True, eq=False)
class AdditiveTerms:
    """The terms of one column: `basis` (N, K) with mean 0 over the rows, and their values at its points (K, M)."""

    basis: Floats
    at_points: Floats
    ridge: Floats  # (K,) relative to `RIDGE`
    away_from_straight: Floats | None = None  # (M, M): what is left of a curve without its straight line


@dataclass(frozen=True, eq=False)
class AdditiveCurves:
    """Curves for each draw and column [(S, M), ...], with mean 0 over the rows, and sums of squares (S,)."""

    curves: list[Floats]
    explained_squares: Floats
    total_squares: Floats


def knots_for(rows: int, columns: int) -> int:
    """How many knots each curve gets.

    >>> knots_for(500, 20), knots_for(93, 20), knots_for(12, 2)
    (5, 2, 3)
    """
    return int(np.clip(1 + rows // (ROWS_PER_TERM * max(columns, 1)), 2, MAX_KNOTS))


def knot_rows(values: Floats, count: int) -> Ints:
    """Rows whose values (N,) are knots, in rising order: all distinct values if there are few, else quantiles.

    >>> knot_rows(np.array([5.0, 1.0, 5.0, 3.0]), 5).tolist()
    [1, 3, 0]
    """
    _, first = np.unique(values, return_index=True)
    if len(first) <= count:
        return first
    order = np.argsort(values, kind="stable")
    chosen = order[np.rint(np.linspace(0, len(values) - 1, count)).astype(int)]
    _, kept = np.unique(values[chosen], return_index=True)
    return chosen[kept]


def numeric_terms(values: Floats, knots: Floats) -> AdditiveTerms:
    """A piecewise linear curve of values (N,) with these knots (M,), which are some of the values, both ends among
    them: a straight line, and bends that are orthogonal to it.

    >>> numeric_terms(np.array([0.0, 1.0, 2.0]), np.array([0.0, 2.0])).basis.ravel().round(2).tolist()
    [-1.22, 0.0, 1.22]
    """
    rows, count = len(values), len(knots)
    mean, length = values.mean(), values.std()
    line, line_at = ((each - mean) / length for each in (values, knots))
    hats = np.stack([np.interp(values, knots, unit) for unit in np.eye(count)], axis=1)
    inner, inner_at = hats[:, 1:-1], np.eye(count)[:, 1:-1]
    offset, slope = inner.mean(axis=0), line @ inner / rows
    bends, bends_at = (
        both - offset - straight[:, None] * slope for both, straight in ((inner, line), (inner_at, line_at))
    )
    if count > 2:
        _, upper = np.linalg.qr(bends / np.sqrt(rows))
        bends, bends_at = (np.linalg.solve(upper.T, each.T).T for each in (bends, bends_at))
    weights = hats.sum(axis=0) / rows  # of each knot, as many rows as are near
    plane = np.stack([np.ones(count), line_at], axis=1)
    fit = np.linalg.solve(plane.T @ (weights[:, None] * plane), plane.T * weights)
    return AdditiveTerms(
        np.hstack([line[:, None], bends]),
        np.hstack([line_at[:, None], bends_at]).T,
        np.append(1.0, np.full(count - 2, BEND_RIDGE)),
        np.eye(count) - plane @ fit,
    )


def level_terms(codes: Ints, count: int) -> AdditiveTerms:
    """An effect for each of `count` levels; `codes` (N,) says which level a row has.

    >>> np.abs(level_terms(np.array([0, 1, 1, 0]), 2).basis).round(2).tolist()
    [[1.0], [1.0], [1.0], [1.0]]
    """
    shares = np.bincount(codes, minlength=count) / len(codes)
    length = np.sqrt(max(1.0 - float(shares @ shares), 1e-12))
    square, _ = np.linalg.qr(np.hstack([np.ones((count, 1)), np.eye(count)[:, 1:]]))
    contrasts = square[:, 1:]  # orthogonal to a constant
    units = (np.eye(count) - shares) @ contrasts / length
    return AdditiveTerms(units[codes], units.T, np.ones(count - 1))


class AdditiveFit:
    """Least squares with a small ridge, prepared once for the rows of a table and then applied to any scores.

    >>> values = np.array([0.0, 1.0, 2.0, 4.0])
    >>> fit = AdditiveFit([numeric_terms(values, values[[0, 3]])], ridge=0.0)
    >>> fit.apply(3.0 * values[None]).curves[0].round(6).tolist()
    [[-5.25, 6.75]]
    """

    def __init__(self, terms: Sequence[AdditiveTerms], ridge: float = RIDGE):
        self.terms = tuple(terms)
        self.basis: Floats = np.hstack([each.basis for each in terms])
        rows = len(self.basis)
        self._gram = self.basis.T @ self.basis
        penalty = np.maximum(ridge * np.concatenate([each.ridge for each in terms]), 1e-12) * rows
        self._inverse = np.linalg.inv(self._gram + np.diag(penalty))
        self.degrees = float(np.sum(self._inverse * self._gram))  # of freedom that the curves have
        self.free_rows = rows - 1 - self.degrees

    def apply(self, scores: Floats) -> AdditiveCurves:
        """The curves that come closest to scores (S, N)."""
        centred = scores - scores.mean(axis=1, keepdims=True)
        projected = centred @ self.basis  # (S, T)
        weights = projected @ self._inverse
        fitted = 2 * np.sum(weights * projected, axis=1) - np.sum((weights @ self._gram) * weights, axis=1)
        ends = np.cumsum([each.basis.shape[1] for each in self.terms])[:-1]
        parts = np.split(weights, ends, axis=1)
        # stored point by point, since NumPy is slow along a short last axis
        curves = [(each.at_points.T @ part.T).T for part, each in zip(parts, self.terms, strict=True)]
        return AdditiveCurves(curves, fitted, np.einsum("sn,sn->s", centred, centred))

    def explained(self, explained_squares: Floats, total_squares: Floats) -> Floats | None:
        """(S,): the share of the variation that the curves explain, adjusted for what as many curves would explain of
        noise; None if the table has too few rows to tell."""
        if self.free_rows < MIN_FREE_ROWS:
            return None
        left = 1 - explained_squares / np.maximum(total_squares, 1e-300)
        return np.clip(1 - left * (len(self.basis) - 1) / self.free_rows, 0.0, 1.0)


def bend_chance(curves: Floats, weights: Floats, away_from_straight: Floats) -> float:
    """The chance that curves (S, M) bend: that they lie more than a tenth of their range away from a straight line, at
    the point and on the side where they do so most on average. (Anywhere, even noise around a line would.)

    >>> away = numeric_terms(np.arange(3.0), np.arange(3.0)).away_from_straight
    >>> bend_chance(np.array([[0.0, 1.0, 2.0], [0.0, 1.0, 0.0]]), np.array([0.25, 0.75]), away)
    0.75
    """
    away = curves @ away_from_straight.T  # (S, M)
    mean = weights @ away
    place = int(np.abs(mean).argmax())
    bent = np.sign(mean[place]) * away[:, place] > NOT_STRAIGHT * np.ptp(curves, axis=1)
    return min(1.0, float(weights @ bent))
