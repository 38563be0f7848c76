"""Gibbs sweeps of a Bayesian matrix factorisation, compiled. Loaded when the first chain moves.

y_ij = level + a_i + b_j + u_i . v_j + noise, more of it for an answer trusted less. A row carries (a_i, u_i), a
column (b_j, v_j), D = 1 + rank numbers each. The prior, given the precisions t: rows_d ~ N(row_features @ row_slopes_d,
1 / t_d), slopes_d ~ N(0, 1 / t_d), and the same for columns. `tightness` holds t of the row offsets, of the column
offsets, and of each factor, which rows and columns share. All precisions, also of the noise, have Gamma priors.

Chains are the last axis here. They meet the same answers, so the processor's vector instructions do the innermost loops
for several chains at a time.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from askwise.posteriors.matrices.precisions import Side, SweepScratch, compiled, draw_precisions, rescale_precision
from askwise.types import Floats, Ints


def make_side(
    own: Floats, slopes: Floats, features: Floats, root: Floats, answered: Ints, values: Floats, trust: Floats
) -> Side:
    """One side with the answers about it, of which `answered` has its own places first."""
    order = np.argsort(answered[:, 0], kind="stable")
    begin = np.searchsorted(answered[order, 0], np.arange(len(own) + 1))
    inverted = root - np.diag(np.diagonal(root) - 1 / np.diagonal(root))
    roots = np.repeat(inverted[:, :, None], own.shape[2], axis=2)
    means = np.einsum("nf,fdc->ndc", features, slopes)
    return Side(own, slopes, means, features, roots, begin, answered[order, 1], values[order], trust[order])


@compiled
def sweep_chains(
    row: Side,
    column: Side,
    prior: Floats,  # (8,): level mean and precision, then Gamma shape and rate of offsets, factors and noise
    level: Floats,  # (C,), changed in place like everything below, and like the sides
    tightness: Floats,  # (1 + D, C)
    precision: Floats,  # (C,): of the noise
    gammas: Floats,  # (L, 2 + D, C): standard Gamma variates for each sweep, of the shapes of `gamma_shapes`
    scratch: SweepScratch,
    rng: Generator,
) -> None:
    """Moves every chain by L sweeps."""
    residuals, wrong = scratch.residuals, scratch.lines[0]
    for number in range(len(gammas)):
        _sweep_side(row, column, level, precision, tightness, 0, scratch, rng)
        _sweep_side(column, row, level, precision, tightness, 1, scratch, rng)
        _subtract(row, column, level, residuals)
        _level(level, row.trust, precision, prior, scratch, rng)
        _shift(level, row, tightness[0], prior, rng)
        _shift(level, column, tightness[1], prior, rng)
        _slopes(row, tightness, 0, scratch, rng)
        _slopes(column, tightness, 1, scratch, rng)
        draw_precisions(row, column, tightness, prior, gammas[number], scratch)
        for s in range(len(tightness)):
            rescale_precision(row, column, precision, tightness[s], s, prior, scratch, rng)
        for c in range(len(level)):
            wrong[c] = 2 * prior[7]
        for k in range(len(residuals)):
            for c in range(len(level)):
                wrong[c] += row.trust[k] * residuals[k, c] ** 2
        for c in range(len(level)):
            precision[c] = 2 * gammas[number, len(tightness), c] / wrong[c]


@compiled
def _sweep_side(
    mine: Side,
    other: Side,
    level: Floats,
    precision: Floats,
    tightness: Floats,
    place: int,
    scratch: SweepScratch,
    rng: Generator,
) -> None:
    """Draws all rows given the columns (place 0), or all columns given the rows (place 1): independent Gaussians."""
    size, width, chains = mine.own.shape
    normal, pull = scratch.normal, scratch.pull
    seen, sharp, spread = scratch.lines[0], scratch.lines[1], scratch.lines[2]
    for c in range(chains):
        spread[c] = 1.0
    for i in range(size):
        for d in range(width):
            tight = tightness[place if d == 0 else 1 + d]
            for e in range(d):
                for c in range(chains):
                    normal[d, e, c] = 0.0
            for c in range(chains):
                normal[d, d, c] = tight[c]
                pull[d, c] = tight[c] * mine.means[i, d, c]
        for k in range(mine.begin[i], mine.begin[i + 1]):
            theirs = other.own[mine.other[k]]
            for c in range(chains):
                sharp[c] = mine.trust[k] * precision[c]
                seen[c] = sharp[c] * (mine.values[k] - level[c] - theirs[0, c])
                pull[0, c] += seen[c]
                normal[0, 0, c] += sharp[c]
            for d in range(1, width):
                for c in range(chains):
                    pull[d, c] += theirs[d, c] * seen[c]
                    normal[d, 0, c] += theirs[d, c] * sharp[c]
                for e in range(1, d + 1):
                    for c in range(chains):
                        normal[d, e, c] += theirs[d, c] * theirs[e, c] * sharp[c]
        _factor(normal)
        _solve(normal, pull, mine.own[i], spread, rng)


@compiled
def _factor(normal: Floats) -> None:
    """(D, D, C): the lower triangles become Cholesky factors, with one over their diagonals."""
    width, _, chains = normal.shape
    for d in range(width):
        for e in range(d + 1):
            for f in range(e):
                for c in range(chains):
                    normal[d, e, c] -= normal[d, f, c] * normal[e, f, c]
            for c in range(chains):
                normal[d, e, c] = 1 / np.sqrt(normal[d, d, c]) if d == e else normal[d, e, c] * normal[e, e, c]


@compiled
def _solve(root: Floats, pull: Floats, out: Floats, spread: Floats, rng: Generator) -> None:
    """(D, C) out ~ N(Q^-1 pull, spread^2 Q^-1), Q = root root', the diagonal of `root` (D, D, C) inverted."""
    width, chains = out.shape
    for d in range(width):
        for c in range(chains):
            out[d, c] = pull[d, c]
        for f in range(d):
            for c in range(chains):
                out[d, c] -= root[d, f, c] * out[f, c]
        for c in range(chains):
            out[d, c] *= root[d, d, c]
    for d in range(width - 1, -1, -1):
        for c in range(chains):
            out[d, c] += spread[c] * rng.standard_normal()
        for f in range(d + 1, width):
            for c in range(chains):
                out[d, c] -= root[f, d, c] * out[f, c]
        for c in range(chains):
            out[d, c] *= root[d, d, c]


@compiled
def _subtract(row: Side, column: Side, level: Floats, residuals: Floats) -> None:
    """(T, C) left: answers minus entries, in the order of the rows."""
    for i in range(len(row.own)):
        for k in range(row.begin[i], row.begin[i + 1]):
            mine, theirs = row.own[i], column.own[row.other[k]]
            for c in range(len(level)):
                residuals[k, c] = row.values[k] - level[c] - mine[0, c] - theirs[0, c]
            for d in range(1, len(mine)):
                for c in range(len(level)):
                    residuals[k, c] -= mine[d, c] * theirs[d, c]


@compiled
def _level(
    level: Floats, trust: Floats, precision: Floats, prior: Floats, scratch: SweepScratch, rng: Generator
) -> None:
    """Draws the level given all else, and updates the residuals."""
    residuals, sums, trusted = scratch.residuals, scratch.lines[0], 0.0
    for c in range(len(level)):
        sums[c] = 0.0
    for k in range(len(residuals)):
        trusted += trust[k]
        for c in range(len(level)):
            sums[c] += trust[k] * residuals[k, c]
    for c in range(len(level)):
        total = prior[1] + precision[c] * trusted
        pull = prior[1] * (prior[0] - level[c]) + precision[c] * sums[c]
        sums[c] = pull / total + rng.standard_normal() / np.sqrt(total)
        level[c] += sums[c]
    for k in range(len(residuals)):
        for c in range(len(level)):
            residuals[k, c] -= sums[c]


@compiled
def _shift(level: Floats, side: Side, tight: Floats, prior: Floats, rng: Generator) -> None:
    """Moves a constant between the level and all offsets of one side, which changes no entry.

    Without it the level creeps: given the offsets it is known to within noise / sqrt(T).
    """
    for c in range(len(level)):
        total = prior[1] + tight[c] * len(side.own)
        pull = prior[1] * (prior[0] - level[c])
        for i in range(len(side.own)):
            pull += tight[c] * (side.own[i, 0, c] - side.means[i, 0, c])
        step = pull / total + rng.standard_normal() / np.sqrt(total)
        for i in range(len(side.own)):
            side.own[i, 0, c] -= step
        level[c] += step


@compiled
def _slopes(side: Side, tightness: Floats, place: int, scratch: SweepScratch, rng: Generator) -> None:
    """Regression of offsets and factors on features: slopes_d ~ N((X'X + I)^-1 X' own_d, (X'X + I)^-1 / t_d)."""
    count, width, chains = side.slopes.shape
    if count == 0:
        return
    pull, drawn, spread = scratch.slopes[0, :count], scratch.slopes[1, :count], scratch.lines[0]
    for d in range(width):
        tight = tightness[place if d == 0 else 1 + d]
        for c in range(chains):
            spread[c] = 1 / np.sqrt(tight[c])
        for f in range(count):
            for c in range(chains):
                pull[f, c] = 0.0
        for i in range(len(side.own)):
            for f in range(count):
                for c in range(chains):
                    pull[f, c] += side.features[i, f] * side.own[i, d, c]
        _solve(side.root, pull, drawn, spread, rng)
        for f in range(count):
            for c in range(chains):
                side.slopes[f, d, c] = drawn[f, c]
        for i in range(len(side.means)):
            for c in range(chains):
                side.means[i, d, c] = 0.0
            for f in range(count):
                for c in range(chains):
                    side.means[i, d, c] += side.features[i, f] * drawn[f, c]
