"""The compiled moves behind `ClusteringPosterior`: the state of a chain and Gibbs sweeps by blocks.

Clusters live in numbered slots; `slots[:K]` are the ones in use and `slots[K]` is the next free one. A cluster is its
size, the sum of its rows and the squared length of that sum, which is all that collapsed Gaussians need.
"""

from __future__ import annotations

from math import exp, log
from typing import Any, NamedTuple

import numpy as np

from askwise._runtime.compiled import machine_code
from askwise._runtime.splitmix import integer_below, uniform

ALPHA, WITHIN, BETWEEN = 0, 1, 2  # places of the scales: concentration, variance within and between clusters
compiled = machine_code(nogil=True, error_model="numpy", _nrt=False)


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
    sizes: Any  # (2,): of the two sides
    sides: Any  # (3, 2): other numbers of the two sides


def empty_clusters(items: int, dim: int) -> Clusters:
    """Room for a clustering of so many items with so many features."""
    labels, counts, slots, place = np.zeros((4, items + 1), np.int64)
    sums, norms = np.zeros((items + 1, dim)), np.zeros(items + 1)
    return Clusters(labels[:items], counts, sums, norms, slots, place, np.zeros(1, np.int64))


def empty_scratch(items: int, dim: int, answers: int) -> GibbsScratch:
    """Scratch space for so many items, features and answers."""
    field, weight = np.zeros((2, items + 1))
    head, after, order, side = np.zeros((4, items), np.int64)
    binding, sizes = np.zeros(answers, np.int64), np.zeros(2, np.int64)
    halves, sides = np.zeros((2, dim)), np.zeros((3, 2))
    return GibbsScratch(field, weight, np.zeros(dim), head, after, order, side, halves, binding, sizes, sides)


@compiled
def clusters_of(labels: Any, room: Clusters) -> Clusters:
    """The clustering with these labels, in the arrays of another."""
    _, counts, sums, norms, slots, place, size = room
    return Clusters(labels, counts, sums, norms, slots, place, size)


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
    for c in range(len(counts)):
        counts[c] = 0
        for k in range(features.shape[1]):
            sums[c, k] = 0.0
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
def find_root(root: Any, i: int) -> int:
    """The root of item i in a union-find forest; halves the path to it."""
    for _ in range(len(root)):  # no path is longer than there are items
        if root[i] == i:
            break
        root[i] = root[root[i]]
        i = root[i]
    return i


@compiled
def make_blocks(labels: Any, links: PairLinks, share: float, scratch: GibbsScratch, state: Any) -> int:
    """Joins items by bonds on satisfied must-links; returns the number of blocks, their roots first in `order`.

    Only a random `share` of the must-links may bond, chosen regardless of the clustering. If all could, items that were
    answered "same" would only move together, and a contradiction could not be resolved in another place.
    """
    head, after, order, root = scratch.head, scratch.after, scratch.order, scratch.side
    for i in range(len(labels)):
        root[i], head[i] = i, -1
    for t in range(len(links.first)):
        i, j = links.first[t], links.second[t]
        scratch.binding[t] = links.same[t] == 1 and share > 0.0 and uniform(state) < share
        if scratch.binding[t] and labels[i] == labels[j] and uniform(state) < links.bond[t]:
            root[find_root(root, i)] = find_root(root, j)
    blocks = 0
    for i in range(len(labels)):
        r = find_root(root, i)
        if head[r] < 0:
            order[blocks] = r
            blocks += 1
        after[i], head[r] = head[r], i
    shuffle(order, blocks, state)
    return blocks


@compiled
def sweep(
    clusters: Clusters,
    features: Any,
    links: PairLinks,
    share: float,
    scales: Any,
    tables: SizeTables,
    scratch: GibbsScratch,
    state: Any,
) -> None:
    """Visits every block once. A must-link that could have bonded and did not has no say; all others make a field."""
    labels, field, row, dim = clusters.labels, scratch.field, scratch.row, features.shape[1]
    blocks = make_blocks(labels, links, share, scratch, state)
    for position in range(blocks):
        first = scratch.head[scratch.order[position]]
        home, count = labels[first], 0
        for k in range(dim):
            row[k] = 0.0
        i = first
        for _ in range(len(labels)):  # a block has no more members than there are items
            if i < 0:
                break
            count += 1
            labels[i] = -1
            for k in range(dim):
                row[k] += features[i, k]
            i = scratch.after[i]
        change_cluster(clusters, home, row, count, -1)
        i = first
        for _ in range(count):
            for e in range(links.start[i], links.start[i + 1]):
                c, t = labels[links.near[e]], links.number[e]
                if c >= 0 and links.kind[e] == 0:
                    field[c] -= links.cost[t]
                elif c >= 0 and not scratch.binding[t]:
                    field[c] += links.cost[t]
            i = scratch.after[i]
        chosen = draw_slot(clusters, row, count, scales[ALPHA], tables, scratch, state)
        i = first
        for _ in range(count):
            labels[i] = chosen
            i = scratch.after[i]
        change_cluster(clusters, chosen, row, count, 1)


@compiled
def draw_slot(
    clusters: Clusters, row: Any, count: int, alpha: float, tables: SizeTables, scratch: GibbsScratch, state: Any
) -> int:
    """A slot for a block, or a free one, drawn from the full conditional; clears the field."""
    _, counts, sums, norms, slots, _, size = clusters
    _, evidence, shrink = tables
    weight, field, used = scratch.weight, scratch.field, size[0]
    own = 0.0
    for k in range(len(row)):
        own += row[k] ** 2
    best = weight[used] = log(alpha) + own * shrink[count] + evidence[count]
    for p in range(used):
        c = slots[p]
        m = counts[c]
        together = norms[c] + own
        for k in range(len(row)):
            together += 2.0 * sums[c, k] * row[k]
        gain = together * shrink[m + count] - norms[c] * shrink[m] + evidence[m + count] - evidence[m]
        weight[p] = gain + field[c]
        best = max(best, weight[p])
        field[c] = 0.0
    total = 0.0
    for p in range(used + 1):
        weight[p] = exp(weight[p] - best) if weight[p] > best - 30.0 else 0.0
        total += weight[p]
    left = uniform(state) * total
    for p in range(used + 1):
        left -= weight[p]
        if left < 0.0:
            return slots[p]
    return slots[used]
