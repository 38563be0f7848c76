"""The compiled moves of whole parts: the items of one cloud that got their group together change it together.

Parts are the tables of the Chinese-restaurant franchise: within a cloud, items that share a group fall into parts by a
Chinese-restaurant process; over all clouds, parts fall into groups by another. Given the parts, the shares of groups
are integrated out, and the moves of plain clusterings apply to parts as they do to items.
"""

from __future__ import annotations

from math import exp, inf, lgamma, log
from typing import Any, NamedTuple

from askwise._runtime.splitmix import integer_below, uniform
from askwise.posteriors.clusterings.clouds import GROUPS, LEAST, Urns, draw_gamma, draw_place
from askwise.posteriors.clusterings.gibbs import (
    ALPHA,
    Clusters,
    GibbsScratch,
    PairLinks,
    SizeTables,
    compiled,
    rebuild_statistics,
    sweep,
)
from askwise.posteriors.clusterings.scales import slice_scale
from askwise.posteriors.clusterings.split_merge import split_or_merge


class Parts(NamedTuple):
    """The parts of one chain and the arrays their moves work in."""

    labels: Any  # (N,): the part of each item
    clusters: Clusters  # the groups of parts, without features
    links: PairLinks  # the answers between two parts
    tables: SizeTables
    nothing: Any  # (N, 0): the features of parts
    starts: Any  # (N + 2,): where the items of each key begin when they are sorted


@compiled
def draw_shares(labels: Any, urns: Urns, concentration: float, scratch: GibbsScratch, state: Any) -> None:
    """Draws the shares of the groups given the parts: Dirichlet by the number of parts of each group."""
    groups, shares = urns.groups, urns.shares
    for k in range(len(shares)):
        shares[k] = 0.0
    for i in range(len(labels)):
        scratch.side[i] = 0
    for i in range(len(labels)):
        if scratch.side[labels[i]] == 0:
            scratch.side[labels[i]] = 1
            shares[groups.labels[i]] += 1.0
    total = urns.rest[0] = max(draw_gamma(concentration, state), LEAST)
    for p in range(groups.size[0]):
        k = groups.slots[p]
        shares[k] = max(draw_gamma(shares[k], state), LEAST)
        total += shares[k]
    urns.rest[0] = max(urns.rest[0] / total, LEAST)
    for p in range(groups.size[0]):
        shares[groups.slots[p]] = max(shares[groups.slots[p]] / total, LEAST)


@compiled
def sort_items(items: Any, keys: Any, starts: Any, found: Any) -> None:
    """Writes the items into `found`, sorted by their keys; those with one key keep their order."""
    for key in range(len(starts)):
        starts[key] = 0
    for i in range(len(keys)):
        starts[keys[i] + 1] += 1
    for key in range(1, len(starts)):
        starts[key] += starts[key - 1]
    for position in range(len(keys)):
        i = items[position]
        found[starts[keys[i]]] = i
        starts[keys[i]] += 1


@compiled
def draw_parts(parts: Parts, clouds: Clusters, urns: Urns, mixing: float, scratch: GibbsScratch, state: Any) -> int:
    """Draws the part of each item given clouds, groups and shares; returns how many parts there are."""
    labels, kinds, order, found = parts.labels, urns.groups.labels, scratch.order, 0
    for i in range(len(labels)):
        order[i] = i
    sort_items(order, kinds, parts.starts, scratch.after)
    sort_items(scratch.after, clouds.labels, parts.starts, order)
    start = 0
    for position in range(len(labels)):
        i, first = order[position], order[start]
        if clouds.labels[i] != clouds.labels[first] or kinds[i] != kinds[first]:
            start = position
        before, share = position - start, mixing * urns.shares[kinds[i]]
        if before == 0 or uniform(state) * (before + share) < share:
            labels[i] = found
            found += 1
        else:
            labels[i] = labels[order[start + integer_below(state, before)]]
    return found


@compiled
def link_parts(labels: Any, found: int, links: PairLinks, made: PairLinks) -> int:
    """Writes the answers between items of two parts as answers about parts; returns how many there are.

    An answer about two items of one part says nothing about the group of the part.
    """
    start, count = made.start, 0
    for a in range(len(start)):
        start[a] = 0
    for t in range(len(links.first)):
        a, b = labels[links.first[t]], labels[links.second[t]]
        if a != b:
            made.first[count], made.second[count], made.same[count] = a, b, links.same[t]
            made.cost[count], made.bond[count] = links.cost[t], links.bond[t]
            start[a + 1] += 1
            start[b + 1] += 1
            count += 1
    for a in range(found):
        start[a + 1] += start[a]
    for t in range(count - 1, -1, -1):
        for near in range(2):
            a, b = (made.first[t], made.second[t]) if near == 0 else (made.second[t], made.first[t])
            start[a + 1] -= 1  # the end of each part's links moves down to its beginning
            e = start[a + 1]
            made.near[e], made.kind[e], made.number[e] = b, made.same[t], t
    for a in range(found):
        start[a] = start[a + 1]
    start[found] = 2 * count
    return count


@compiled
def move_parts(
    parts: Parts,
    found: int,
    urns: Urns,
    links: PairLinks,
    share: float,
    tries: int,
    scales: Any,
    medians: Any,
    widths: Any,
    scratch: GibbsScratch,
    state: Any,
) -> int:
    """Moves whole parts between groups by a sweep and `tries` split-merge moves, then samples their concentration.

    A random `share` of the must-links may bond. Writes the new groups of the items; returns the accepted moves.
    """
    labels, concentration, accepted = parts.labels, scales[GROUPS:], 0
    count, whole = link_parts(labels, found, links, parts.links), parts.links
    between = PairLinks(
        whole.first[:count],
        whole.second[:count],
        whole.same[:count],
        whole.start[: found + 1],
        whole.near,
        whole.kind,
        whole.number,
        whole.cost,
        whole.bond,
    )
    every = parts.clusters
    clusters = Clusters(
        every.labels[:found],
        every.counts[: found + 1],
        every.sums[: found + 1],
        every.norms[: found + 1],
        every.slots[: found + 1],
        every.place[: found + 1],
        every.size,
    )
    for i in range(len(labels)):
        clusters.labels[labels[i]] = urns.groups.place[urns.groups.labels[i]]  # there are no more groups than parts
    rebuild_statistics(clusters, parts.nothing)
    sweep(clusters, parts.nothing[:found], between, share, concentration, parts.tables, scratch, state)
    if found > 1:
        for _ in range(tries):
            accepted += split_or_merge(
                clusters, parts.nothing[:found], between, concentration, parts.tables, scratch, state
            )
    if widths[GROUPS] > 0.0:
        slice_scale(ALPHA, concentration, clusters, 0.0, 0.0, medians[GROUPS], widths[GROUPS], state)
    for i in range(len(labels)):
        urns.groups.labels[i] = clusters.labels[labels[i]]
    return accepted


@compiled
def draw_mixing(clouds: Clusters, urns: Urns, values: Any, priors: Any, rising: Any, weight: Any, state: Any) -> float:
    """Draws the mixing from its grid `values` (G,) given clouds, groups and shares, with log priors (G,).

    The parts are summed over, so they must be drawn after it. Given the parts, whose number nearly fixes the mixing, a
    chain would change it only slowly. `rising` (G, N + 1) holds log Gamma(mixing) - log Gamma(mixing + size).
    """
    groups = urns.groups
    for g in range(len(values)):
        weight[g] = priors[g]
    for p in range(clouds.size[0]):
        c = clouds.slots[p]
        for g in range(len(values)):
            weight[g] += rising[g, clouds.counts[c]]
        for q in range(groups.size[0]):
            k = groups.slots[q]
            count = urns.cells[c, k]
            if count > 0:
                for g in range(len(values)):
                    part = values[g] * urns.shares[k]
                    weight[g] += log(part)
                    if count > 1:
                        weight[g] += lgamma(part + count) - lgamma(part + 1.0)
    best = -inf
    for g in range(len(values)):
        best = max(best, weight[g])
    for g in range(len(values)):
        weight[g] = exp(weight[g] - best)
    return values[draw_place(weight, len(values), state)]
