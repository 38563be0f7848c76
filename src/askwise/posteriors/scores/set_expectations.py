"""Expectations of the losses of answers about several items, compiled; see `set_chains` for the model.

The margins of the best item with the others are normal. The curvature is that of a graph: the loss of scores f has
second derivatives sum c_ij (e_i - e_j) (e_i - e_j)' over pairs of items, so that it is a number for each row.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from askwise.posteriors.scores.trajectories import compiled
from askwise.types import Floats

SIZES = 8  # of nodes, each of which comes with all signs
SHARP_VARIANCE = 4.0  # of margins, up to which nodes are close enough to each other for the loss itself
SOFTENED_SHARE = 0.03  # of the variance beyond, over which the chance of an answer is averaged around each node
LEAST_ROOT = 1e-6  # on the diagonal of the root of a covariance: items may be the same


@lru_cache(maxsize=8)
def normal_nodes(dimension: int) -> Floats:
    """(2^D SIZES, D): even points of the standard normal distribution, with its mean and covariance.

    Each comes with all combinations of signs. So a direction in which margins do not spread has exactly no weight.

    >>> nodes = normal_nodes(3)
    >>> bool(np.allclose(nodes.mean(axis=0), 0)), bool(np.allclose(nodes.T @ nodes / len(nodes), np.eye(3)))
    (True, True)
    """
    from scipy.special import ndtri

    root = 1.0  # of x^(D + 1) = x + 1: the powers of one over it fill the unit cube evenly
    for _ in range(60):
        root = (1 + root) ** (1 / (dimension + 1))
    steps = root ** -np.arange(1.0, dimension + 1)
    sizes = ndtri(0.5 + (0.5 + np.outer(np.arange(1, SIZES + 1), steps)) % 1 / 2)
    sizes /= np.sqrt(np.square(sizes).mean(axis=0))
    signs = np.array(list(product((1.0, -1.0), repeat=dimension)))
    return (sizes[:, None] * signs).reshape(-1, dimension)


def scratch_space(dimension: int) -> tuple[Floats, Floats]:
    """Space for `expected_set_losses` of so many margins, (4, D, D) and (3, D)."""
    return np.zeros((4, dimension, dimension)), np.empty((3, dimension))


@compiled
def expected_set_losses(
    point: Any,  # the number of the point, 0 to K - 1
    means: Any,  # (T,) of the margins
    turned: Any,  # (T, R): margins are means + turned @ noise
    compared: Any,  # rows of the best item, rows of the worst
    size: Any,  # rows of an answer
    chance: Any,  # the share of lapses; how many responses there are
    nodes: Any,  # (n, D)
    work: Any,  # (4, D, D), (3, D): scratch space
    found: Any,  # (3, K, T): value (in the first row of an answer), slope and curvature; written
) -> None:
    """The loss, its slope and its curvature, averaged over normal margins.

    The curvature follows from the slopes (Stein), as nodes are too few to meet where the loss is curved.
    """
    best, worst = compared
    lapse, responses = chance
    root, covariance, cross, bend = work[0][0], work[0][1], work[0][2], work[0][3]
    margin, slope, mean_slope = work[1][0], work[1][1], work[1][2]
    share = 1.0 / len(nodes)
    for start in range(0, len(means), size):
        for i in range(best):
            for j in range(i + 1):
                covariance[i, j] = 0.0
                for r in range(turned.shape[1]):
                    covariance[i, j] += turned[start + i, r] * turned[start + j, r]
        factor(covariance, root)
        variance = 0.0
        for i in range(best):
            variance += covariance[i, i] / best
        width = np.sqrt(1.0 + SOFTENED_SHARE * max(variance - SHARP_VARIANCE, 0.0))
        value = 0.0
        for i in range(best):
            mean_slope[i] = 0.0
            for j in range(best):
                cross[i, j] = 0.0
        for n in range(len(nodes)):
            for i in range(best):
                margin[i] = means[start + i]
                for j in range(i + 1):
                    margin[i] += root[i, j] * nodes[n, j]
            value += share * loss_and_slopes(margin, width, worst > 0, lapse, responses, slope)
            for i in range(best):
                mean_slope[i] += share * slope[i]
                for j in range(best):
                    cross[j, i] += share * nodes[n, j] * slope[i]
        for i in range(best):  # root' bend = cross
            for step in range(best):
                j = best - 1 - step
                total = cross[j, i]
                for m in range(j + 1, best):
                    total -= root[m, j] * bend[m, i]
                bend[j, i] = total / root[j, j]
        found[0, point, start] = value
        for i in range(best):
            found[1, point, start + i] = mean_slope[i]
            total = 0.0
            for j in range(best):
                total += 0.5 * (bend[i, j] + bend[j, i])
            found[2, point, start + i] = max(total, 0.0)
        put_other_curvatures(bend, worst > 0, found[2, point, start + best : start + size])


@compiled
def put_other_curvatures(bend: Any, worst: Any, found: Any) -> None:
    """The curvatures of pairs without the best item, in the order of `difference_places`."""
    last, row = len(bend) - 1, 0
    for turn in range(2):
        for i in range(last):
            for j in range(i + 1, last + 1):
                if (worst and j < last) == (turn == 1):
                    found[row] = max(-0.5 * (bend[i, j] + bend[j, i]), 0.0)
                    row += 1


@compiled
def factor(covariance: Any, root: Any) -> None:
    """The lower triangular root of a covariance, of which the lower half is given."""
    for j in range(len(covariance)):
        left = covariance[j, j]
        for m in range(j):
            left -= root[j, m] * root[j, m]
        root[j, j] = max(np.sqrt(max(left, 0.0)), LEAST_ROOT)
        for i in range(j + 1, len(covariance)):
            total = covariance[i, j]
            for m in range(j):
                total -= root[i, m] * root[j, m]
            root[i, j] = total / root[j, j] if root[j, j] > LEAST_ROOT else 0.0


@compiled
def loss_and_slopes(margin: Any, width: Any, worst: Any, lapse: Any, responses: Any, slope: Any) -> Any:
    """The loss of one answer by the margins of the best item in units of `width`, and its slopes, which are written."""
    count = len(margin)
    for i in range(count):
        margin[i] /= width
    top = 0.0
    for i in range(count):
        top = max(top, -margin[i])
    total = np.exp(-top)
    for i in range(count):
        slope[i] = np.exp(-margin[i] - top)
        total += slope[i]
    loss = top + np.log(total)
    for i in range(count):
        slope[i] /= -total
    if worst:
        last, top = margin[count - 1], 0.0  # other items have the margin last - margin with the worst
        for i in range(count - 1):
            top = max(top, margin[i] - last)
        total = np.exp(-top)
        for i in range(count - 1):
            total += np.exp(margin[i] - last - top)
        loss += top + np.log(total)
        for i in range(count - 1):
            part = np.exp(margin[i] - last - top) / total
            slope[i] += part
            slope[count - 1] -= part
    if lapse > 0.0:
        chance = (1.0 - lapse) * np.exp(-loss)
        whole = chance + lapse / responses
        for i in range(count):
            slope[i] *= chance / whole
        loss = -np.log(whole)
    for i in range(count):
        slope[i] /= width
    return loss
