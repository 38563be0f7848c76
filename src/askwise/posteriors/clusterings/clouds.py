"""The compiled moves of groups that are made of clouds: items choose a cloud and a group, clouds split and merge.

Given the shares of the groups, the groups of the items of one cloud follow a Polya urn: a further item of cloud c has
group k with chance (n_ck + mixing * share_k) / (n_c + mixing), where n_ck of its n_c items have it. A new group has
what is left of the shares (the direct assignment of Teh, Jordan, Beal and Blei 2006).
"""

from __future__ import annotations

from math import cos, exp, log, pi, sqrt
from typing import Any, NamedTuple

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
from askwise.posteriors.clusterings.split_merge import move_sides, softplus, start_sides

MIXING, GROUPS = 3, 4  # places of the scales beyond those of the clouds: mixing within clouds, concentration of groups
MAX_LOG_RATIO = 200.0  # clouds that features make less likely than this, against the best, are left out
LEAST = 1e-300  # no share is 0


class Urns(NamedTuple):
    """Which groups the items of each cloud have, and what the groups share."""

    groups: Clusters  # of the items, without features
    cells: Any  # (N + 1, N + 1): items by slot of cloud and slot of group
    shares: Any  # (N + 1,): of the groups, by slot
    rest: Any  # (1,): the share of all groups that no item has
    fit: Any  # (N + 1,): how well the groups of each cloud suit the answers about an item
    seen: Any  # (N + 1,): 1 for the groups that the answers about an item speak of
    touched: Any  # (N + 1,): a list of them
    tally: Any  # (3, N + 1): groups on either side of a cloud that is divided, and on both
    nothing: Any  # (0,): the features of a group


@compiled
def draw_gamma(shape: float, state: Any) -> float:
    """A gamma variate of scale 1 (Marsaglia and Tsang 2000)."""
    boost = 1.0
    if shape < 1.0:
        boost = (1.0 - uniform(state)) ** (1.0 / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / sqrt(9.0 * d)
    for _ in range(1000):  # each try succeeds with a chance above .95
        x = sqrt(-2.0 * log(1.0 - uniform(state))) * cos(2.0 * pi * uniform(state))
        v = (1.0 + c * x) ** 3
        if v > 0.0 and log(1.0 - uniform(state)) < 0.5 * x * x + d - d * v + d * log(v):
            return d * v * boost
    return d * boost


@compiled
def put_item(i: int, cloud: int, group: int, clouds: Clusters, urns: Urns, features: Any, sign: int) -> None:
    """Adds item i to a cloud and a group (sign 1), or removes it (-1); a group without items gives its share back."""
    change_cluster(clouds, cloud, features[i], 1, sign)
    change_cluster(urns.groups, group, urns.nothing, 1, sign)
    urns.cells[cloud, group] += sign
    clouds.labels[i] = cloud if sign > 0 else -1
    urns.groups.labels[i] = group if sign > 0 else -1
    if urns.groups.counts[group] == 0:
        urns.rest[0] += urns.shares[group]
        urns.shares[group] = 0.0


@compiled
def sweep_items(
    clouds: Clusters,
    urns: Urns,
    features: Any,
    links: PairLinks,
    scales: Any,
    tables: SizeTables,
    scratch: GibbsScratch,
    state: Any,
) -> None:
    """Visits every item once and draws its cloud and its group together from their full conditional."""
    items, mixing, field, weight = len(clouds.labels), scales[MIXING], scratch.field, scratch.weight
    groups, cells, shares, rest, fit, seen, touched, _, _ = urns
    order, log_alpha = scratch.order, log(scales[ALPHA])
    for i in range(items):
        order[i] = i
    shuffle(order, items, state)
    for position in range(items):
        i = order[position]
        put_item(i, clouds.labels[i], groups.labels[i], clouds, urns, features, -1)
        spoken, top = 0, 0.0
        for e in range(links.start[i], links.start[i + 1]):
            k = groups.labels[links.near[e]]
            cost = links.cost[links.number[e]]
            field[k] += cost if links.kind[e] == 1 else -cost
            if seen[k] == 0:
                seen[k], touched[spoken] = 1, k
                spoken += 1
        for p in range(spoken):
            top = max(top, field[touched[p]])
        plain = exp(-top)  # the weight of a group that no answer speaks of
        anywhere = plain
        for p in range(spoken):
            k = touched[p]
            field[k] = exp(field[k] - top)
            anywhere += shares[k] * (field[k] - plain)
        own = 0.0
        for k in range(features.shape[1]):
            own += features[i, k] ** 2
        used = clouds.size[0]
        best = weight[used] = log_alpha + own * tables.shrink[1] + tables.evidence[1]
        fit[used] = anywhere
        for p in range(used):
            c = clouds.slots[p]
            m = clouds.counts[c]
            together = clouds.norms[c] + own
            for k in range(features.shape[1]):
                together += 2.0 * clouds.sums[c, k] * features[i, k]
            inside = plain * m + mixing * anywhere
            for q in range(spoken):
                inside += cells[c, touched[q]] * (field[touched[q]] - plain)
            gain = together * tables.shrink[m + 1] - clouds.norms[c] * tables.shrink[m]
            gain += tables.evidence[m + 1] - tables.evidence[m]
            weight[p], fit[p] = gain, inside / (m + mixing)
            best = max(best, gain)
        for p in range(used + 1):
            weight[p] = exp(weight[p] - best) * fit[p] if weight[p] > best - MAX_LOG_RATIO else 0.0
        cloud = clouds.slots[draw_place(weight, used + 1, state)]
        used = groups.size[0]
        for p in range(used):
            k = groups.slots[p]
            weight[p] = (cells[cloud, k] + mixing * shares[k]) * (field[k] if seen[k] == 1 else plain)
        weight[used] = mixing * rest[0] * plain
        group = groups.slots[draw_place(weight, used + 1, state)]
        if groups.counts[group] == 0:
            broken = 1.0 - (1.0 - uniform(state)) ** (1.0 / scales[GROUPS])  # Beta(1, concentration)
            shares[group] = max(broken * rest[0], LEAST)
            rest[0] = max(rest[0] - shares[group], LEAST)
        for p in range(spoken):
            field[touched[p]], seen[touched[p]] = 0.0, 0
        put_item(i, cloud, group, clouds, urns, features, 1)


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


@compiled
def divide_clouds(
    clouds: Clusters,
    urns: Urns,
    features: Any,
    scales: Any,
    tables: SizeTables,
    scratch: GibbsScratch,
    state: Any,
) -> int:
    """Splits the cloud of two random items if they share one; else merges their clouds or, half of the time, redraws
    the split between them. Groups stay as they are, so answers have no say. Returns 1 if accepted.
    """
    labels = clouds.labels
    i, j = integer_below(state, len(labels)), integer_below(state, len(labels) - 1)
    j += j >= i
    first, second = labels[i], labels[j]
    others = 0
    for k in range(len(labels)):
        if (labels[k] == first or labels[k] == second) and k != i and k != j:
            scratch.order[others] = k
            others += 1
    shuffle(scratch.order, others, state)
    odds = log(0.5 * scales[ALPHA])
    target = second
    if first != second:
        now = allocate_clouds(clouds, urns, features, i, j, others, False, scales[MIXING], tables, scratch, state)
        if uniform(state) < 0.5:
            if log(1.0 - uniform(state)) >= -odds - now:
                return 0
            target = first
        else:
            odds = -now
    else:
        target = clouds.slots[clouds.size[0]]
    if target != first:
        odds += allocate_clouds(clouds, urns, features, i, j, others, True, scales[MIXING], tables, scratch, state)
        if log(1.0 - uniform(state)) >= odds:
            return 0
    kinds = urns.groups.labels
    for position in range(-2, others):
        k = i if position == -2 else j if position == -1 else scratch.order[position]
        urns.cells[labels[k], kinds[k]] -= 1
    move_sides(clouds, features, j, others, first, target, scratch)
    for position in range(-2, others):
        k = i if position == -2 else j if position == -1 else scratch.order[position]
        urns.cells[labels[k], kinds[k]] += 1
    return 1


@compiled
def allocate_clouds(
    clouds: Clusters,
    urns: Urns,
    features: Any,
    i: int,
    j: int,
    others: int,
    redraw: bool,
    mixing: float,
    tables: SizeTables,
    scratch: GibbsScratch,
    state: Any,
) -> float:
    """Puts items one after another on the side of i (1) or j (2): drawn if `redraw`, else as they are now.

    Returns the log posterior odds of two clouds against one (without alpha), less the log chance of this allocation.
    """
    _, evidence, shrink = tables
    labels, side, halves, kinds, shares = clouds.labels, scratch.side, scratch.halves, urns.groups.labels, urns.shares
    start_sides(features, i, j, scratch)
    tally = urns.tally
    for s in range(3):
        for k in range(len(shares)):
            tally[s, k] = 0
    tally[0, kinds[i]] += 1
    tally[1, kinds[j]] += 1
    tally[2, kinds[i]] += 1
    sizes, norms, gains, urn = scratch.sizes, scratch.sides[0], scratch.sides[1], scratch.sides[2]
    share = mixing * shares[kinds[j]]
    odds = log(share / mixing) - log((tally[2, kinds[j]] + share) / (1.0 + mixing))  # both start an urn, against one
    tally[2, kinds[j]] += 1
    for position in range(others):
        item = scratch.order[position]
        kind = kinds[item]
        share = mixing * shares[kind]
        for s in range(2):
            m, grown = sizes[s], 0.0
            for k in range(features.shape[1]):
                grown += (halves[s, k] + features[item, k]) ** 2
            urn[s] = log((tally[s, kind] + share) / (m + mixing))
            gains[s] = grown * shrink[m + 1] - norms[s] * shrink[m] + evidence[m + 1] - evidence[m] + urn[s]
        lead = gains[1] - gains[0]
        if redraw:
            to = 1 if uniform(state) < 1.0 / (1.0 + exp(min(-lead, 700.0))) else 0
        else:
            to = 1 if labels[item] == labels[j] else 0
        odds += softplus(-lead if to == 1 else lead) + urn[to]
        odds -= log((tally[2, kind] + share) / (sizes[0] + sizes[1] + mixing))
        side[item] = to + 1
        sizes[to] += 1
        tally[to, kind] += 1
        tally[2, kind] += 1
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
