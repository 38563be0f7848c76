"""The compiled moves beside the Gibbs sweeps: divisions and merges, the scales of the prior; and all of it by chain."""

from __future__ import annotations

from math import exp, lgamma, log, log1p
from typing import Any

import numpy as np

from askwise.compiled import portions
from askwise.posteriors.clustering_moves import (
    ALPHA,
    CENTRES,
    SPREAD,
    Clusters,
    Links,
    Scratch,
    Tables,
    below,
    compiled,
    gather,
    shift,
    shuffle,
    sweep,
    tabulate,
    uniform,
)

WIDTH = 1.0  # of the first bracket of the slice sampler, in units of the log scale
REACH = 6  # brackets it may step out by on either side
VISITS_A_CALL = 50_000  # to items: .05 to .2 s
SHRINKS = 200  # of the bracket, by a quarter or more on average: from 7 units to 1e-9 in about 80


@compiled
def divide_or_merge(
    clusters: Clusters,
    features: Any,
    links: Links,
    scales: Any,
    tables: Tables,
    scratch: Scratch,
    state: Any,
) -> int:
    """Two items: together, their cluster is split; apart, their two are merged or, half of the time, divided anew.

    The other members are allocated one after another, in random order, to the side of the one item or of the other.
    The items are a random pair or, half of the time, one that was asked about. Either way the choice does not look at
    the clustering, so it cancels; that a merge is tried only half of the time does not. Returns 1 if accepted.
    """
    labels = clusters.labels
    if len(links.first) > 0 and uniform(state) < 0.5:
        t = below(state, len(links.first))
        i, j = links.first[t], links.second[t]
    else:
        i, j = below(state, len(labels)), below(state, len(labels) - 1)
        j += j >= i
    here, there = labels[i], labels[j]
    others = 0
    for k in range(len(labels)):
        if (labels[k] == here or labels[k] == there) and k != i and k != j:
            scratch.order[others] = k
            others += 1
    shuffle(scratch.order, others, state)
    soft = uniform(state)
    odds = log(0.5 * scales[ALPHA])  # of two clusters against one, before the allocation is looked at
    if here != there:
        odds_now = allocate(clusters, features, links, i, j, others, False, soft, tables, scratch, state)
        if uniform(state) < 0.5:
            if log(1.0 - uniform(state)) >= -odds - odds_now:
                return 0
            settle(clusters, features, j, others, here, here, scratch)
            return 1
        odds = -odds_now
    odds += allocate(clusters, features, links, i, j, others, True, soft, tables, scratch, state)
    if log(1.0 - uniform(state)) >= odds:
        return 0
    settle(clusters, features, j, others, here, clusters.slots[clusters.size[0]] if here == there else there, scratch)
    return 1


@compiled
def settle(clusters: Clusters, features: Any, j: int, others: int, first: int, second: int, scratch: Scratch) -> None:
    """Puts the items of the first side into one slot, those of the second, j among them, into another or the same."""
    for position in range(-1, others):
        k = j if position < 0 else scratch.order[position]
        to = second if scratch.side[k] == 2 else first
        if clusters.labels[k] != to:
            shift(clusters, clusters.labels[k], features[k], 1, -1)
            shift(clusters, to, features[k], 1, 1)
            clusters.labels[k] = to


@compiled
def allocate(
    clusters: Clusters,
    features: Any,
    links: Links,
    i: int,
    j: int,
    others: int,
    anew: bool,
    soft: float,
    tables: Tables,
    scratch: Scratch,
    state: Any,
) -> float:
    """Puts items one after another on the side of i (1) or j (2): drawn anew, or as they are now.

    Returns the log posterior odds of two clusters against one (without alpha), less the log chance of this allocation.
    The chances look at a share `soft` of the answers' weight only: at full weight, whoever comes first decides, and
    the way back from one good division to another would have no chance in the same order.
    """
    _, evidence, shrink = tables
    labels, side, halves = clusters.labels, scratch.side, scratch.halves
    side[:] = 0
    side[i], side[j] = 1, 2
    halves[0], halves[1] = features[i], features[j]
    sizes, norms, gains, fields = np.ones(2, np.int64), np.zeros(2), np.zeros(2), np.zeros(2)
    for k in range(features.shape[1]):
        norms[0] += features[i, k] ** 2
        norms[1] += features[j, k] ** 2
    odds = -link_field(links, j, side, 1)
    for position in range(others):
        item = scratch.order[position]
        for s in range(2):
            fields[s] = link_field(links, item, side, s + 1)
            m, grown = sizes[s], 0.0
            for k in range(features.shape[1]):
                grown += (halves[s, k] + features[item, k]) ** 2
            gains[s] = grown * shrink[m + 1] - norms[s] * shrink[m] + evidence[m + 1] - evidence[m]
            gains[s] += soft * fields[s]
        lead = gains[1] - gains[0]
        if anew:
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
def link_field(links: Links, item: int, side: Any, which: int) -> float:
    """What the answers say for putting the item on that side: must-links there for it, cannot-links against it."""
    field = 0.0
    for e in range(links.start[item], links.start[item + 1]):
        if side[links.near[e]] == which:
            cost = links.cost[links.number[e]]
            field += cost if links.kind[e] == 1 else -cost
    return field


@compiled
def softplus(x: float) -> float:
    return x if x > 35.0 else log1p(exp(x))


@compiled
def scale_density(
    which: int, at: float, scales: Any, clusters: Clusters, squares: float, dim: float, centre: float, width: float
) -> float:
    """The log density of the log of one scale given the clustering; centres of clusters are integrated out."""
    _, counts, _, norms, slots, _, size = clusters
    items, value = len(clusters.labels), exp(at)
    prior = -0.5 * ((at - centre) / width) ** 2
    if which == ALPHA:
        return prior + size[0] * at + lgamma(value) - lgamma(value + items)
    s2 = value if which == SPREAD else scales[SPREAD]
    t2 = value if which == CENTRES else scales[CENTRES]
    total = -0.5 * items * dim * log(s2) - 0.5 * squares / s2
    for p in range(size[0]):
        c = slots[p]
        precision = 1.0 / t2 + counts[c] / s2
        total += 0.5 * norms[c] / (s2 * s2 * precision) - 0.5 * dim * log(precision * t2)
    return prior + total


@compiled
def slice_scale(
    which: int, scales: Any, clusters: Clusters, squares: float, dim: float, centre: float, width: float, state: Any
) -> None:
    """One slice-sampling update of one scale, stepping out and shrinking, on its logarithm."""
    now = log(scales[which])
    level = log(1.0 - uniform(state)) + scale_density(which, now, scales, clusters, squares, dim, centre, width)
    low = now - WIDTH * uniform(state)
    high = low + WIDTH
    left = below(state, REACH + 1)
    right = REACH - left
    for _ in range(left):
        if not scale_density(which, low, scales, clusters, squares, dim, centre, width) > level:
            break
        low -= WIDTH
    for _ in range(right):
        if not scale_density(which, high, scales, clusters, squares, dim, centre, width) > level:
            break
        high += WIDTH
    for _ in range(SHRINKS):
        if not high - low > 1e-9:
            break
        at = low + (high - low) * uniform(state)
        if scale_density(which, at, scales, clusters, squares, dim, centre, width) > level:
            scales[which] = exp(at)
            return
        if at < now:
            low = at
        else:
            high = at


def advance(
    labels: Any,
    scales: Any,
    features: Any,
    links: Links,
    sweeps: int,
    splits: int,
    centres: Any,
    widths: Any,
    gamma: Any,
    weight: float,
    seeds: Any,
) -> int:
    """`advance_chains` a few chains at a time: between two calls, but not in one, Ctrl-C is heard."""
    accepted, told = 0, (features, links, sweeps, splits, centres, widths, gamma, weight)
    for some in portions(len(labels), sweeps * labels.shape[1], VISITS_A_CALL):
        accepted += advance_chains(labels[some], scales[some], *told, seeds[some])
    return accepted


@compiled
def advance_chains(
    labels: Any,
    scales: Any,
    features: Any,
    links: Links,
    sweeps: int,
    splits: int,
    centres: Any,
    widths: Any,
    gamma: Any,
    weight: float,
    seeds: Any,
) -> int:
    """Moves every chain on, in place: labels (C, N), scales (C, 3). Returns how many divisions or merges it accepted.

    `weight` is the number of dimensions, or what they are worth when features are trusted less (rows shrunk to match).
    Every second sweep lets a random share of the must-links bond; `splits` tries to divide or merge follow each sweep.
    A scale of width 0 is fixed.
    `gamma` holds log Gamma(0 .. N + 1), given from outside because this compiler lost it when it was filled in here.
    """
    items, dim = features.shape
    tables = Tables(gamma, np.zeros(items + 2), np.zeros(items + 2))
    slots = items + 1
    counts, place, order = np.zeros(slots, np.int64), np.zeros(slots, np.int64), np.zeros(slots, np.int64)
    whole = [np.zeros(items, np.int64) for _ in range(4)]
    scratch = Scratch(
        np.zeros(slots),
        np.zeros(slots),
        np.zeros(dim),
        whole[0],
        whole[1],
        whole[2],
        whole[3],
        np.zeros((2, dim)),
        np.zeros(len(links.first), np.int64),
    )
    sums, norms, size = np.zeros((slots, dim)), np.zeros(slots), np.zeros(1, np.int64)
    squares = (features**2).sum()
    accepted = 0
    for chain in range(len(labels)):
        clusters = Clusters(labels[chain], counts, sums, norms, order, place, size)
        mine, state = scales[chain], seeds[chain : chain + 1].copy()
        gather(clusters, features)
        for turn in range(sweeps):
            tabulate(tables, mine, weight)
            share = uniform(state) if turn % 2 == 1 else 0.0
            sweep(clusters, features, links, share, mine, tables, scratch, state)
            for _ in range(splits):
                accepted += divide_or_merge(clusters, features, links, mine, tables, scratch, state)
            for which in range(3):
                if widths[which] > 0.0 and (which == ALPHA or dim > 0):
                    slice_scale(which, mine, clusters, squares, weight, centres[which], widths[which], state)
    return accepted
