"""The compiled split-merge move: it splits one cluster, or merges two, in one step."""

from __future__ import annotations

from math import exp, log, log1p
from typing import Any, NamedTuple

import numpy as np

from askwise._runtime.splitmix import integer_below, uniform
from askwise.posteriors.clusterings.state import (
    ALPHA,
    Clusters,
    GibbsScratch,
    PairLinks,
    SizeTables,
    change_cluster,
    compiled,
    shuffle,
    squared_length,
)


class Halves(NamedTuple):
    """The two sides of a split, while items join one or the other."""

    side: Any  # (N,): 1 or 2; 0 for items that have not joined
    sizes: Any  # (2,)
    sums: Any  # (2, D): of the features
    norms: Any  # (2,): |sum|^2


@compiled
def split_or_merge(
    clusters: Clusters,
    features: Any,
    links: PairLinks,
    scales: Any,
    tables: SizeTables,
    scratch: GibbsScratch,
    state: Any,
) -> int:
    """Takes two items: splits their cluster if they share one; else merges their clusters or, half of the time, redraws
    the split between them. Returns 1 if accepted.

    The other members join the side of one item or the other, one by one in random order. The two items are a random
    pair or, half of the time, one that was asked about. The choice ignores the clustering, so it cancels; that a merge
    is tried only half of the time does not.
    """
    labels = clusters.labels
    if len(links.first) > 0 and uniform(state) < 0.5:
        t = integer_below(state, len(links.first))
        i, j = links.first[t], links.second[t]
    else:
        i, j = draw_two(len(labels), state)
    first_slot, second_slot = labels[i], labels[j]
    others = gather_members(labels, i, j, scratch, state)
    soft = uniform(state)
    odds = log(0.5 * scales[ALPHA])  # of two clusters against one, before the allocation
    if first_slot != second_slot:
        odds_now = allocate(clusters, features, links, i, j, others, False, soft, tables, scratch, state)
        if uniform(state) < 0.5:
            if log(1.0 - uniform(state)) >= -odds - odds_now:
                return 0
            move_sides(clusters, features, j, others, first_slot, first_slot, scratch)
            return 1
        odds = -odds_now
    odds += allocate(clusters, features, links, i, j, others, True, soft, tables, scratch, state)
    if log(1.0 - uniform(state)) >= odds:
        return 0
    move_sides(
        clusters,
        features,
        j,
        others,
        first_slot,
        clusters.slots[clusters.size[0]] if first_slot == second_slot else second_slot,
        scratch,
    )
    return 1


@compiled
def draw_two(items: int, state: Any) -> tuple[int, int]:
    """Two different items."""
    i, j = integer_below(state, items), integer_below(state, items - 1)
    return i, j + (j >= i)


@compiled
def gather_members(labels: Any, i: int, j: int, scratch: GibbsScratch, state: Any) -> int:
    """Writes the other members of the clusters of i and j to `order`, shuffled; returns how many there are."""
    others = 0
    for k in range(len(labels)):
        if (labels[k] == labels[i] or labels[k] == labels[j]) and k != i and k != j:
            scratch.order[others] = k
            others += 1
    shuffle(scratch.order, others, state)
    return others


@compiled
def move_sides(
    clusters: Clusters, features: Any, j: int, others: int, first: int, second: int, scratch: GibbsScratch
) -> None:
    """Puts the items of the first side into slot `first`, those of the second, with j, into slot `second`."""
    for position in range(-1, others):
        k = j if position < 0 else scratch.order[position]
        to = second if scratch.side[k] == 2 else first
        if clusters.labels[k] != to:
            change_cluster(clusters, clusters.labels[k], features[k], 1, -1)
            change_cluster(clusters, to, features[k], 1, 1)
            clusters.labels[k] = to


@compiled
def allocate(
    clusters: Clusters,
    features: Any,
    links: PairLinks,
    i: int,
    j: int,
    others: int,
    redraw: bool,
    soft: float,
    tables: SizeTables,
    scratch: GibbsScratch,
    state: Any,
) -> float:
    """Puts items one after another on the side of i (1) or j (2): drawn if `redraw`, else as they are now.

    Returns the log posterior odds of two clusters against one (without alpha), less the log chance of this allocation.
    The chances use only a share `soft` of the answers' weight. At full weight the first items would decide, and in the
    same order there would be no way back from one good split to another.
    """
    labels, fields, gains = clusters.labels, np.zeros(2), np.zeros(2)
    halves = open_halves(features, i, j, scratch)
    odds = -link_support(links, j, halves.side, 1)
    for position in range(others):
        item = scratch.order[position]
        for s in range(2):
            fields[s] = link_support(links, item, halves.side, s + 1)
            gains[s] = half_gain(halves, s, features[item], tables) + soft * fields[s]
        lead = gains[1] - gains[0]
        to = choose_half(lead, redraw, labels[item] == labels[j], state)
        odds += softplus(-lead if to == 1 else lead) - fields[1 - to]
        join_half(halves, to, item, features[item])
    return odds + split_odds(halves, tables)


@compiled
def open_halves(features: Any, i: int, j: int, scratch: GibbsScratch) -> Halves:
    """Item i on the first side, item j on the second."""
    scratch.side[:] = 0
    scratch.side[i], scratch.side[j] = 1, 2
    scratch.halves[0], scratch.halves[1] = features[i], features[j]
    norms = np.array([squared_length(features[i]), squared_length(features[j])])
    return Halves(scratch.side, np.ones(2, np.int64), scratch.halves, norms)


@compiled
def half_gain(halves: Halves, s: int, row: Any, tables: SizeTables) -> float:
    """The log weight of one more item on side s, by size and features."""
    m, grown = halves.sizes[s], 0.0
    for k in range(len(row)):
        grown += (halves.sums[s, k] + row[k]) ** 2
    gain = grown * tables.shrink[m + 1] - halves.norms[s] * tables.shrink[m]
    return gain + tables.evidence[m + 1] - tables.evidence[m]


@compiled
def choose_half(lead: float, redraw: bool, second: bool, state: Any) -> int:
    """0 or 1: drawn if `redraw`, where the second side is ahead by `lead`; else where the item is now."""
    if redraw:
        second = uniform(state) < 1.0 / (1.0 + exp(min(-lead, 700.0)))
    return 1 if second else 0


@compiled
def join_half(halves: Halves, to: int, item: int, row: Any) -> None:
    """Adds an item to side 0 or 1."""
    halves.side[item] = to + 1
    halves.sizes[to] += 1
    for k in range(len(row)):
        halves.sums[to, k] += row[k]
    halves.norms[to] = squared_length(halves.sums[to])


@compiled
def split_odds(halves: Halves, tables: SizeTables) -> float:
    """The log odds of two clusters against one, by sizes and features, without alpha."""
    _, sizes, sums, norms = halves
    whole, total, odds = sizes[0] + sizes[1], 0.0, 0.0
    for k in range(sums.shape[1]):
        total += (sums[0, k] + sums[1, k]) ** 2
    for s in range(2):
        odds += tables.evidence[sizes[s]] + norms[s] * tables.shrink[sizes[s]]
    return odds - tables.evidence[whole] - total * tables.shrink[whole]


@compiled
def link_support(links: PairLinks, item: int, side: Any, which: int) -> float:
    """What the answers say for that side: must-links to its items for it, cannot-links against it."""
    field = 0.0
    for e in range(links.start[item], links.start[item + 1]):
        if side[links.near[e]] == which:
            cost = links.cost[links.number[e]]
            field += cost if links.kind[e] == 1 else -cost
    return field


@compiled
def softplus(x: float) -> float:
    """log(1 + e^x), without overflow."""
    return x if x > 35.0 else log1p(exp(x))
