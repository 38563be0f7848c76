"""The compiled split-merge move: it splits one cluster, or merges two, in one step."""

from __future__ import annotations

from math import exp, log, log1p
from typing import Any

from askwise._runtime.splitmix import integer_below, uniform
from askwise.posteriors.clusterings.gibbs import (
    ALPHA,
    Clusters,
    GibbsScratch,
    PairLinks,
    SizeTables,
    change_cluster,
    compiled,
    shuffle,
)


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
        i, j = integer_below(state, len(labels)), integer_below(state, len(labels) - 1)
        j += j >= i
    first_slot, second_slot = labels[i], labels[j]
    others = 0
    for k in range(len(labels)):
        if (labels[k] == first_slot or labels[k] == second_slot) and k != i and k != j:
            scratch.order[others] = k
            others += 1
    shuffle(scratch.order, others, state)
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
    _, evidence, shrink = tables
    labels, side, halves = clusters.labels, scratch.side, scratch.halves
    start_sides(features, i, j, scratch)
    sizes, norms, gains, fields = scratch.sizes, scratch.sides[0], scratch.sides[1], scratch.sides[2]
    odds = -link_support(links, j, side, 1)
    for position in range(others):
        item = scratch.order[position]
        for s in range(2):
            fields[s] = link_support(links, item, side, s + 1)
            m, grown = sizes[s], 0.0
            for k in range(features.shape[1]):
                grown += (halves[s, k] + features[item, k]) ** 2
            gains[s] = grown * shrink[m + 1] - norms[s] * shrink[m] + evidence[m + 1] - evidence[m]
            gains[s] += soft * fields[s]
        lead = gains[1] - gains[0]
        if redraw:
            to = 1 if uniform(state) < 1.0 / (1.0 + exp(min(-lead, 700.0))) else 0
        else:
            to = 1 if labels[item] == labels[j] else 0
        odds += softplus(-lead if to == 1 else lead) - fields[1 - to]
        side[item] = to + 1
        sizes[to] += 1
        norms[to] = 0.0
        for k in range(features.shape[1]):
            halves[to, k] += features[item, k]
            norms[to] += halves[to, k] ** 2
    whole, total = sizes[0] + sizes[1], 0.0
    for k in range(features.shape[1]):
        total += (halves[0, k] + halves[1, k]) ** 2
    for s in range(2):
        odds += evidence[sizes[s]] + norms[s] * shrink[sizes[s]]
    return odds - evidence[whole] - total * shrink[whole]


@compiled
def start_sides(features: Any, i: int, j: int, scratch: GibbsScratch) -> None:
    """Puts i alone on the first side and j alone on the second: sides, halves, sizes and squared lengths."""
    side, halves, norms = scratch.side, scratch.halves, scratch.sides[0]
    for k in range(len(side)):
        side[k] = 0
    side[i], side[j] = 1, 2
    scratch.sizes[0], scratch.sizes[1] = 1, 1
    norms[0], norms[1] = 0.0, 0.0
    for k in range(features.shape[1]):
        halves[0, k], halves[1, k] = features[i, k], features[j, k]
        norms[0] += features[i, k] ** 2
        norms[1] += features[j, k] ** 2


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
