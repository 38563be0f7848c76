"""Gibbs sweeps of a Bayesian matrix factorisation, compiled: imported only when a chain moves.

y_ij = level + a_i + b_j + u_i . v_j + noise. A row carries (a_i, u_i), a column (b_j, v_j), D = 1 + rank numbers each.
Prior, every line given the precisions: rows_d ~ N(row_features @ row_slopes_d, 1 / t_d), slopes_d ~ N(0, 1 / t_d), and
the same for columns. `tightness` holds t of the row offsets, of the column offsets, and of each factor, which rows and
columns share. All precisions and the noise precision have Gamma priors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numba
import numpy as np
from numpy.random import Generator

from askwise.types import Floats, Ints


def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """numba.njit with a type that mypy can follow."""
    return cast(Callable[..., Any], numba.njit(cache=True, error_model="numpy")(function))


class Side(NamedTuple):
    """The rows of one chain, or its columns."""

    own: Any  # (N, D): offset, then factors
    slopes: Any  # (F, D)
    means: Any  # (N, D): what the features explain
    features: Any  # (N, F)
    root: Any  # (F, F): Cholesky factor of X'X + I


@_compiled
def sweep_chains(
    sweeps: int,
    answered: Ints,  # (T, 2)
    values: Floats,  # (T,)
    prior: Floats,  # (8,): level mean and precision, then Gamma shape and rate of offsets, factors and noise
    row_features: Floats,  # (N, F)
    row_root: Floats,  # (F, F): Cholesky factor of X'X + I
    column_features: Floats,
    column_root: Floats,
    level: Floats,  # (C,), changed in place like everything below
    rows: Floats,  # (C, N, D)
    columns: Floats,  # (C, M, D)
    row_slopes: Floats,  # (C, F, D)
    column_slopes: Floats,
    tightness: Floats,  # (C, 1 + D)
    precision: Floats,  # (C,)
    rng: Generator,
) -> None:
    """Moves every chain by so many sweeps, one chain after another so that its numbers stay in the cache."""
    for c in range(len(level)):
        t = tightness[c]
        row = Side(rows[c], row_slopes[c], np.zeros(rows[c].shape), row_features, row_root)
        column = Side(columns[c], column_slopes[c], np.zeros(columns[c].shape), column_features, column_root)
        _explain(row)
        _explain(column)
        for _ in range(sweeps):
            _sweep_side(answered, values, level[c], precision[c], row, column, t, 0, rng)
            _sweep_side(answered, values, level[c], precision[c], column, row, t, 1, rng)
            level[c] = _level(answered, values, precision[c], row.own, column.own, prior, rng)
            level[c] = _shift(level[c], row, t[0], prior, rng)
            level[c] = _shift(level[c], column, t[1], prior, rng)
            _slopes(row, t, 0, rng)
            _slopes(column, t, 1, rng)
            _tightness(row, column, t, prior, rng)
            _rescale(answered, values, level[c], precision[c], row, column, t, prior, rng)
            wrong = 0.0
            for k in range(len(values)):
                wrong += (values[k] - level[c] - _entry(row.own[answered[k, 0]], column.own[answered[k, 1]])) ** 2
            precision[c] = rng.standard_gamma(prior[6] + len(values) / 2) / (prior[7] + wrong / 2)


@_compiled
def _entry(row: Floats, column: Floats) -> float:
    """a + b + u . v"""
    total = row[0] + column[0]
    for d in range(1, len(row)):
        total += row[d] * column[d]
    return total


@_compiled
def _sweep_side(
    answered: Ints,
    values: Floats,
    level: float,
    precision: float,
    mine: Side,
    other: Side,
    tightness: Floats,
    side: int,
    rng: Generator,
) -> None:
    """Draws all rows given the columns (side 0), or all columns given the rows (side 1): independent Gaussians."""
    theirs, (size, width) = other.own, mine.own.shape
    normal, pull, tilt = np.zeros((size, width, width)), np.zeros((size, width)), np.ones(width)
    for k in range(len(values)):
        i, j = answered[k, side], answered[k, 1 - side]
        left = (values[k] - level - theirs[j, 0]) * precision
        for d in range(width):
            tilt[d] = theirs[j, d] if d else 1.0
            pull[i, d] += left * tilt[d]
            for e in range(d + 1):
                normal[i, d, e] += precision * tilt[d] * tilt[e]
    for i in range(size):
        for d in range(width):
            own_tightness = tightness[side] if d == 0 else tightness[1 + d]
            normal[i, d, d] += own_tightness
            pull[i, d] += own_tightness * mine.means[i, d]
        _draw(normal[i], pull[i], mine.own[i], rng)


@_compiled
def _draw(normal: Floats, pull: Floats, out: Floats, rng: Generator) -> None:
    """out ~ N(normal^-1 pull, normal^-1), by a Cholesky factor of the lower triangle, which is overwritten."""
    width = len(pull)
    for d in range(width):
        for e in range(d + 1):
            left = normal[d, e]
            for f in range(e):
                left -= normal[d, f] * normal[e, f]
            normal[d, e] = np.sqrt(left) if d == e else left / normal[e, e]
    _solve(normal, pull, out, 1.0, rng)


@_compiled
def _solve(root: Floats, pull: Floats, out: Floats, spread: float, rng: Generator) -> None:
    """out ~ N(Q^-1 pull, spread^2 Q^-1), Q = root root'."""
    width = len(pull)
    for d in range(width):
        left = pull[d]
        for f in range(d):
            left -= root[d, f] * out[f]
        out[d] = left / root[d, d]
    for d in range(width):
        out[d] += spread * rng.standard_normal()
    for d in range(width - 1, -1, -1):
        left = out[d]
        for f in range(d + 1, width):
            left -= root[f, d] * out[f]
        out[d] = left / root[d, d]


@_compiled
def _level(
    answered: Ints, values: Floats, precision: float, rows: Floats, columns: Floats, prior: Floats, rng: Generator
) -> float:
    pull = prior[0] * prior[1]
    for k in range(len(values)):
        pull += precision * (values[k] - _entry(rows[answered[k, 0]], columns[answered[k, 1]]))
    total = prior[1] + precision * len(values)
    return pull / total + rng.standard_normal() / np.sqrt(total)


@_compiled
def _shift(level: float, side: Side, tightness: float, prior: Floats, rng: Generator) -> float:
    """Moves a constant between the level and all offsets of one side, which changes no entry; returns the new level.

    Without it the level creeps: given the offsets it is known to within noise / sqrt(T).
    """
    total = prior[1] + tightness * len(side.own)
    pull = prior[1] * (prior[0] - level)
    for i in range(len(side.own)):
        pull += tightness * (side.own[i, 0] - side.means[i, 0])
    step = pull / total + rng.standard_normal() / np.sqrt(total)
    for i in range(len(side.own)):
        side.own[i, 0] -= step
    return level + step


@_compiled
def _explain(side: Side) -> None:
    """means = features @ slopes, in loops: few features, and nothing to link against."""
    for i in range(len(side.means)):
        for d in range(side.means.shape[1]):
            side.means[i, d] = 0.0
            for f in range(len(side.slopes)):
                side.means[i, d] += side.features[i, f] * side.slopes[f, d]


@_compiled
def _slopes(side: Side, tightness: Floats, place: int, rng: Generator) -> None:
    """Regression of offsets and factors on features: slopes_d ~ N((X'X + I)^-1 X' own_d, (X'X + I)^-1 / t_d)."""
    count, width = side.slopes.shape
    if count == 0:
        return
    pull, drawn = np.empty(count), np.empty(count)
    for d in range(width):
        pull[:] = 0.0
        for i in range(len(side.own)):
            for f in range(count):
                pull[f] += side.features[i, f] * side.own[i, d]
        _solve(side.root, pull, drawn, 1 / np.sqrt(tightness[place] if d == 0 else tightness[1 + d]), rng)
        side.slopes[:, d] = drawn
    _explain(side)


@_compiled
def _left_over(side: Side, d: int) -> float:
    """The sum of squares behind a precision: of what features do not explain, and of the slopes."""
    total = 0.0
    for i in range(len(side.own)):
        total += (side.own[i, d] - side.means[i, d]) ** 2
    for f in range(len(side.slopes)):
        total += side.slopes[f, d] ** 2
    return total


@_compiled
def _tightness(row: Side, column: Side, tightness: Floats, prior: Floats, rng: Generator) -> None:
    """Precisions given what they govern: Gamma."""
    for s in range(len(tightness)):
        shape, rate = (prior[2], prior[3]) if s < 2 else (prior[4], prior[5])
        if s != 1:
            shape += (len(row.own) + len(row.slopes)) / 2
            rate += _left_over(row, max(s - 1, 0)) / 2
        if s != 0:
            shape += (len(column.own) + len(column.slopes)) / 2
            rate += _left_over(column, max(s - 1, 0)) / 2
        tightness[s] = rng.standard_gamma(shape) / rate


@_compiled
def _scale(side: Side, d: int, scale: float) -> None:
    side.own[:, d] *= scale
    side.slopes[:, d] *= scale
    side.means[:, d] *= scale


@_compiled
def _rescale(
    answered: Ints,
    values: Floats,
    level: float,
    precision: float,
    row: Side,
    column: Side,
    tightness: Floats,
    prior: Floats,
    rng: Generator,
) -> None:
    """The same precisions with offsets or factors scaled along (interweaving).

    Given what it governs a precision moves by sqrt(2 / (N + M)) at a time, however little the answers say; scaled along
    it is held by the answers alone, and the two kinds of step together are fast in both cases.
    """
    for s in range(len(tightness)):
        d = max(s - 1, 0)
        power = 0.5 if s < 2 else 1.0  # an offset grows like t^-1/2, a product of two factors like 1 / t
        own = cross = 0.0
        for k in range(len(values)):
            i, j = answered[k, 0], answered[k, 1]
            part = row.own[i, 0] if s == 0 else column.own[j, 0] if s == 1 else row.own[i, d] * column.own[j, d]
            own += part * part
            cross += part * (values[k] - level - _entry(row.own[i], column.own[j]) + part)
        shape, rate = (prior[2], prior[3]) if s < 2 else (prior[4], prior[5])
        before = np.log(tightness[s])
        after = _slice(before, precision * own, precision * cross, power, shape, rate, rng)
        tightness[s] = np.exp(after)
        scale = np.exp((before - after) / 2)
        if s != 1:
            _scale(row, d, scale)
        if s != 0:
            _scale(column, d, scale)


@_compiled
def _slice(before: float, own: float, cross: float, power: float, shape: float, rate: float, rng: Generator) -> float:
    """One slice step (Neal 2003, stepping out) on x = log t with parts scaled by r = e^{power (before - x)}."""
    bar = _log_density(before, before, own, cross, power, shape, rate) + np.log(1 - rng.random())
    low = before - rng.random()
    high = low + 1.0
    for _ in range(30):
        if _log_density(low, before, own, cross, power, shape, rate) < bar:
            break
        low -= 1.0
    for _ in range(30):
        if _log_density(high, before, own, cross, power, shape, rate) < bar:
            break
        high += 1.0
    while True:
        after = low + rng.random() * (high - low)
        if _log_density(after, before, own, cross, power, shape, rate) >= bar:
            return after
        if after < before:
            low = after
        else:
            high = after


@_compiled
def _log_density(x: float, before: float, own: float, cross: float, power: float, shape: float, rate: float) -> float:
    grown = np.exp(power * (before - x))
    return shape * x - rate * np.exp(x) - 0.5 * own * grown * grown + cross * grown
