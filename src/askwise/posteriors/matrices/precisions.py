"""The precisions of offsets and factors: the steps of `gibbs` that draw them, compiled.

The chains are the last axis of every array.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from askwise._runtime.compiled import machine_code
from askwise.types import Floats

MAX_STEPS_OUT = 30  # of one log unit each: a factor of e^30 in a precision is more than any posterior spans
# of the slice, by a quarter or more on average: from 61 units to less than a rounding of log t in about 140. Only where
# the density is not a number is nothing found, and the precision stays
MAX_SHRINKS = 200
compiled = machine_code(vectors=True, error_model="numpy", _nrt=False)


class Side(NamedTuple):
    """The rows of all chains, or their columns, with the answers about them in their order."""

    own: Any  # (N, D, C): offset, then factors
    slopes: Any  # (F, D, C)
    means: Any  # (N, D, C): what the features explain
    features: Any  # (N, F)
    root: Any  # (F, F, C): Cholesky factor of X'X + I, the same for all chains, with one over its diagonal
    begin: Any  # (N + 1,): where the answers about each row begin
    other: Any  # (T,): the columns they are about
    values: Any  # (T,): the answers
    trust: Any  # (T,): how many times the noise's precision each of them has


class SweepScratch(NamedTuple):
    """Scratch space of a sweep."""

    residuals: Any  # (T, C)
    part: Any  # (T, C)
    normal: Any  # (D, D, C)
    pull: Any  # (D, C)
    slopes: Any  # (2, F, C)
    lines: Any  # (4, C)


def sweep_scratch(row: Side, column: Side) -> SweepScratch:
    """Space for sweeps of these two sides."""
    answers, features = len(row.values), max(len(row.slopes), len(column.slopes))
    _, width, chains = row.own.shape
    residuals, part = np.empty((2, answers, chains))
    pull, slopes, lines = np.empty((width, chains)), np.empty((2, features, chains)), np.empty((4, chains))
    return SweepScratch(residuals, part, np.empty((width, width, chains)), pull, slopes, lines)


def gamma_shapes(row: Side, column: Side, prior: Floats) -> Floats:
    """(2 + D,): the shapes of the Gamma conditionals of the precisions, of the noise last."""
    rows, columns = ((len(side.own) + len(side.slopes)) / 2 for side in (row, column))
    factors = [prior[4] + rows + columns] * (row.own.shape[1] - 1)
    return np.array([prior[2] + rows, prior[2] + columns, *factors, prior[6] + len(row.values) / 2])


@compiled
def _add_squares(side: Side, d: int, rate: Floats) -> None:
    """Half the sum of squares behind a precision: of what features do not explain, and of the slopes."""
    for i in range(len(side.own)):
        for c in range(len(rate)):
            rate[c] += (side.own[i, d, c] - side.means[i, d, c]) ** 2 / 2
    for f in range(len(side.slopes)):
        for c in range(len(rate)):
            rate[c] += side.slopes[f, d, c] ** 2 / 2


@compiled
def draw_precisions(
    row: Side, column: Side, tightness: Floats, prior: Floats, gammas: Floats, scratch: SweepScratch
) -> None:
    """Draws the precisions given what they govern, from their Gamma conditionals; `gammas` have their shapes."""
    rate = scratch.lines[0]
    for s in range(len(tightness)):
        for c in range(len(rate)):
            rate[c] = prior[3] if s < 2 else prior[5]
        if s != 1:
            _add_squares(row, max(s - 1, 0), rate)
        if s != 0:
            _add_squares(column, max(s - 1, 0), rate)
        for c in range(len(rate)):
            tightness[s, c] = gammas[s, c] / rate[c]


@compiled
def rescale_precision(
    row: Side,
    column: Side,
    precision: Floats,
    tight: Floats,
    s: int,
    prior: Floats,
    scratch: SweepScratch,
    rng: Generator,
) -> None:
    """Draws precision s with its offsets or factors scaled along (interweaving).

    Given what it governs, a precision moves by sqrt(2 / (N + M)) at a time, however little the answers say. Scaled
    along, it is held by the answers alone. The two kinds of step together are fast in both cases.
    """
    d, chains = max(s - 1, 0), len(tight)
    power = 0.5 if s < 2 else 1.0  # an offset grows like t^-1/2, a product of two factors like 1 / t
    shape, rate = (prior[2], prior[3]) if s < 2 else (prior[4], prior[5])
    residuals, part, own, cross = scratch.residuals, scratch.part, scratch.lines[0], scratch.lines[1]
    for c in range(chains):
        own[c], cross[c] = 0.0, 0.0
    for i in range(len(row.own)):
        for k in range(row.begin[i], row.begin[i + 1]):
            mine, theirs = row.own[i, d], column.own[row.other[k], d]
            for c in range(chains):
                part[k, c] = mine[c] if s == 0 else theirs[c] if s == 1 else mine[c] * theirs[c]
                own[c] += row.trust[k] * part[k, c] * part[k, c]
                cross[c] += row.trust[k] * part[k, c] * (residuals[k, c] + part[k, c])
    scale, grown = scratch.lines[2], scratch.lines[3]
    for c in range(chains):
        before = np.log(tight[c])
        after = _slice_sample(before, precision[c] * own[c], precision[c] * cross[c], power, shape, rate, rng)
        tight[c] = np.exp(after)
        scale[c] = np.exp((before - after) / 2)
        grown[c] = scale[c] if s < 2 else scale[c] ** 2
    for k in range(len(residuals)):
        for c in range(chains):
            residuals[k, c] -= (grown[c] - 1) * part[k, c]
    if s != 1:
        _scale(row, d, scale)
    if s != 0:
        _scale(column, d, scale)


@compiled
def _scale(side: Side, d: int, scale: Floats) -> None:
    for i in range(len(side.own)):
        for c in range(len(scale)):
            side.own[i, d, c] *= scale[c]
            side.means[i, d, c] *= scale[c]
    for f in range(len(side.slopes)):
        for c in range(len(scale)):
            side.slopes[f, d, c] *= scale[c]


@compiled
def _slice_sample(
    before: float, own: float, cross: float, power: float, shape: float, rate: float, rng: Generator
) -> float:
    """One slice step (Neal 2003, stepping out) on x = log t with parts scaled by r = e^{power (before - x)}."""
    bar = _log_density(before, before, own, cross, power, shape, rate) + np.log(1 - rng.random())
    low = before - rng.random()
    high = low + 1.0
    for _ in range(MAX_STEPS_OUT):
        if _log_density(low, before, own, cross, power, shape, rate) < bar:
            break
        low -= 1.0
    for _ in range(MAX_STEPS_OUT):
        if _log_density(high, before, own, cross, power, shape, rate) < bar:
            break
        high += 1.0
    for _ in range(MAX_SHRINKS):
        after = low + rng.random() * (high - low)
        if _log_density(after, before, own, cross, power, shape, rate) >= bar:
            return after
        if after < before:
            low = after
        else:
            high = after
    return before


@compiled
def _log_density(x: float, before: float, own: float, cross: float, power: float, shape: float, rate: float) -> float:
    grown = np.exp(power * (before - x))
    return shape * x - rate * np.exp(x) - 0.5 * own * grown * grown + cross * grown
