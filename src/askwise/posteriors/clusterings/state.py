"""The state of a chain of clusterings, in arrays that compiled moves work on.

Clusters live in numbered slots; `slots[:K]` are the ones in use and `slots[K]` is the next free one. A cluster is its
size, the sum of its rows and the squared length of that sum, which is all that collapsed Gaussians need.
"""

from __future__ import annotations

from math import log
from typing import Any, NamedTuple

import numpy as np

from askwise._runtime.compiled import machine_code
from askwise._runtime.splitmix import integer_below, uniform

ALPHA, WITHIN, BETWEEN = 0, 1, 2  # places of the scales: concentration, variance within and between clusters
compiled = machine_code(nogil=True, error_model="numpy")


class PairLinks(NamedTuple):
    """The answers as must-links and cannot-links: one by one, and by item."""

    first: Any  # (T,)
    second: Any  # (T,)
    same: Any  # (T,): 1 same, 0 different
    start: Any  # (N + 1,): where the links of each item begin in the two below
    near: Any  # (2T,): the other item
    kind: Any  # (2T,): 1 same, 0 different
    number: Any  # (2T,): which answer
    cost: Any  # (T,): what a contradiction costs a clustering
    bond: Any  # (T,): 1 - exp(-cost), the chance of a bond


class Clusters(NamedTuple):
    """One clustering and its sufficient statistics."""

    labels: Any  # (N,): a slot an item
    counts: Any  # (N + 1,) by slot
    sums: Any  # (N + 1, D)
    norms: Any  # (N + 1,): |sum|^2
    slots: Any  # (N + 1,)
    place: Any  # (N + 1,): where each slot stands in `slots`
    size: Any  # (1,): clusters in use


class SizeTables(NamedTuple):
    """Logarithms by cluster size, so that the inner loop needs none."""

    gamma: Any  # (N + 2,): log Gamma(m)
    evidence: Any  # (N + 2,): log Gamma(m) + (D / 2) (log v_0 - log v_m) with v_m = 1 / t2 + m / s2
    shrink: Any  # (N + 2,): 1 / (2 s2^2 v_m)


class GibbsScratch(NamedTuple):
    """Scratch space of one chain."""

    field: Any  # (N + 1,)
    weight: Any  # (N + 1,)
    row: Any  # (D,)
    head: Any  # (N,): the first member of the block of each root, -1 for other items
    after: Any  # (N,): the next member of the same block
    order: Any  # (N,)
    side: Any  # (N,)
    halves: Any  # (2, D): feature sums of the two sides of a split
    binding: Any  # (T,): 1 for the must-links that may bond in this sweep


@compiled
def empty_clusters(labels: Any, dim: int) -> Clusters:
    """A clustering by these labels (N,); its statistics are still to be computed."""
    slots = len(labels) + 1
    return Clusters(
        labels,
        np.zeros(slots, np.int64),
        np.zeros((slots, dim)),
        np.zeros(slots),
        np.zeros(slots, np.int64),
        np.zeros(slots, np.int64),
        np.zeros(1, np.int64),
    )


@compiled
def with_labels(clusters: Clusters, labels: Any) -> Clusters:
    """The same arrays for other labels (N,), whose statistics are still to be computed."""
    _, counts, sums, norms, slots, place, size = clusters
    return Clusters(labels, counts, sums, norms, slots, place, size)


@compiled
def empty_scratch(items: int, dim: int, answers: int) -> GibbsScratch:
    """Scratch space for so many items with so many features, and so many answers."""
    return GibbsScratch(
        np.zeros(items + 1),
        np.zeros(items + 1),
        np.zeros(dim),
        np.zeros(items, np.int64),
        np.zeros(items, np.int64),
        np.zeros(items, np.int64),
        np.zeros(items, np.int64),
        np.zeros((2, dim)),
        np.zeros(answers, np.int64),
    )


@compiled
def shuffle(order: Any, size: int, state: Any) -> None:
    """Shuffles the first `size` entries in place."""
    for i in range(size - 1, 0, -1):
        j = integer_below(state, i + 1)
        order[i], order[j] = order[j], order[i]


@compiled
def rebuild_statistics(clusters: Clusters, features: Any) -> None:
    """Computes the statistics from the labels, once an advance: rounding never adds up."""
    labels, counts, sums, norms, slots, place, size = clusters
    counts[:] = 0
    sums[:] = 0.0
    for i in range(len(labels)):
        counts[labels[i]] += 1
        for k in range(features.shape[1]):
            sums[labels[i], k] += features[i, k]
    used, free = 0, len(counts) - 1
    for c in range(len(counts)):
        norms[c] = 0.0
        for k in range(features.shape[1]):
            norms[c] += sums[c, k] ** 2
        spot = used if counts[c] > 0 else free
        slots[spot], place[c] = c, spot
        if counts[c] > 0:
            used += 1
        else:
            free -= 1
    size[0] = used


@compiled
def change_cluster(clusters: Clusters, c: int, row: Any, count: int, sign: int) -> None:
    """Adds `count` items with feature sum `row` to slot c (sign 1), or removes them (-1); keeps the list of slots."""
    _, counts, sums, norms, slots, place, size = clusters
    before = counts[c]
    counts[c] += sign * count
    total = 0.0
    for k in range(len(row)):
        sums[c, k] = sums[c, k] + sign * row[k] if counts[c] > 0 else 0.0
        total += sums[c, k] ** 2
    norms[c] = total
    if before > 0 and counts[c] > 0:
        return
    size[0] += sign
    spot, edge = place[c], size[0] - 1 if sign > 0 else size[0]
    other = slots[edge]
    slots[spot], place[other] = other, spot
    slots[edge], place[c] = c, edge


@compiled
def fill_tables(tables: SizeTables, scales: Any, dim: float) -> None:
    """Fills the logarithms by cluster size for these scales in `dim` dimensions."""
    gamma, evidence, shrink = tables
    s2, t2 = scales[WITHIN], scales[BETWEEN]
    for m in range(len(evidence)):
        precision = 1.0 / t2 + m / s2
        evidence[m] = gamma[m] - 0.5 * dim * log(precision * t2)
        shrink[m] = 1.0 / (2.0 * s2 * s2 * precision)


@compiled
def squared_length(row: Any) -> float:
    """The sum of squares."""
    total = 0.0
    for k in range(len(row)):
        total += row[k] ** 2
    return total


@compiled
def joining_gain(clusters: Clusters, c: int, row: Any, own: float, count: int, tables: SizeTables) -> float:
    """The log weight of `count` items in the cluster in slot c, by size and features.

    `row` is the sum of their rows and `own` its squared length.
    """
    m = clusters.counts[c]
    together = clusters.norms[c] + own
    for k in range(len(row)):
        together += 2.0 * clusters.sums[c, k] * row[k]
    gain = together * tables.shrink[m + count] - clusters.norms[c] * tables.shrink[m]
    return gain + tables.evidence[m + count] - tables.evidence[m]


@compiled
def draw_place(weight: Any, size: int, state: Any) -> int:
    """A place below `size`, drawn by weights that need not add up to 1."""
    total = 0.0
    for p in range(size):
        total += weight[p]
    left = uniform(state) * total
    for p in range(size):
        left -= weight[p]
        if left < 0.0:
            return p
    return size - 1
