"""The compiled sweep over items whose groups are made of clouds: each draws a cloud and a group.

Given the shares of the groups, the groups of the items of one cloud follow a Polya urn: a further item of cloud c has
group k with chance (n_ck + mixing * share_k) / (n_c + mixing), where n_ck of its n_c items have it. A new group has
what is left of the shares (the direct assignment of Teh, Jordan, Beal and Blei 2006).
"""

from __future__ import annotations

from math import cos, exp, log, pi, sqrt
from typing import Any, NamedTuple

from askwise._runtime.splitmix import uniform
from askwise.posteriors.clusterings.state import (
    ALPHA,
    Clusters,
    GibbsScratch,
    PairLinks,
    SizeTables,
    change_cluster,
    compiled,
    draw_place,
    joining_gain,
    shuffle,
    squared_length,
)

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
    nothing: Any  # (0,): the features of a group


class Said(NamedTuple):
    """What the answers about an item say about its group."""

    count: int  # groups that they speak of, listed in `touched`
    plain: float  # the weight of any other group
    anywhere: float  # the mean weight over the shares of all groups


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
    items, order, field = len(clouds.labels), scratch.order, scratch.field
    for i in range(items):
        order[i] = i
    shuffle(order, items, state)
    for position in range(items):
        i = order[position]
        put_item(i, clouds.labels[i], urns.groups.labels[i], clouds, urns, features, -1)
        said = weigh_groups(i, urns, links, field)
        cloud = draw_cloud(features[i], said, clouds, urns, scales, tables, scratch, state)
        group = draw_group(cloud, said.plain, urns, scales, scratch, state)
        for p in range(said.count):
            k = urns.touched[p]
            field[k], urns.seen[k] = 0.0, 0
        put_item(i, cloud, group, clouds, urns, features, 1)


@compiled
def weigh_groups(i: int, urns: Urns, links: PairLinks, field: Any) -> Said:
    """Writes how well each group that answers about item i speak of suits them into `field`."""
    count, top = 0, 0.0
    for e in range(links.start[i], links.start[i + 1]):
        k = urns.groups.labels[links.near[e]]
        cost = links.cost[links.number[e]]
        field[k] += cost if links.kind[e] == 1 else -cost
        if urns.seen[k] == 0:
            urns.seen[k], urns.touched[count] = 1, k
            count += 1
    for p in range(count):
        top = max(top, field[urns.touched[p]])
    plain = exp(-top)
    anywhere = plain
    for p in range(count):
        k = urns.touched[p]
        field[k] = exp(field[k] - top)
        anywhere += urns.shares[k] * (field[k] - plain)
    return Said(count, plain, anywhere)


@compiled
def draw_cloud(
    row: Any,
    said: Said,
    clouds: Clusters,
    urns: Urns,
    scales: Any,
    tables: SizeTables,
    scratch: GibbsScratch,
    state: Any,
) -> int:
    """A cloud for an item, or a free slot, with its group summed over."""
    field, weight, fit, touched, mixing = scratch.field, scratch.weight, urns.fit, urns.touched, scales[MIXING]
    own, used = squared_length(row), clouds.size[0]
    best = weight[used] = log(scales[ALPHA]) + own * tables.shrink[1] + tables.evidence[1]
    fit[used] = said.anywhere
    for p in range(used):
        c = clouds.slots[p]
        m = clouds.counts[c]
        inside = said.plain * m + mixing * said.anywhere
        for q in range(said.count):
            inside += urns.cells[c, touched[q]] * (field[touched[q]] - said.plain)
        weight[p], fit[p] = joining_gain(clouds, c, row, own, 1, tables), inside / (m + mixing)
        best = max(best, weight[p])
    for p in range(used + 1):
        weight[p] = exp(weight[p] - best) * fit[p] if weight[p] > best - MAX_LOG_RATIO else 0.0
    return clouds.slots[draw_place(weight, used + 1, state)]


@compiled
def draw_group(cloud: int, plain: float, urns: Urns, scales: Any, scratch: GibbsScratch, state: Any) -> int:
    """A group for an item of that cloud; a new group breaks its share off what no group has."""
    groups, cells, shares, rest, _, seen, _, _ = urns
    weight, mixing, used = scratch.weight, scales[MIXING], groups.size[0]
    for p in range(used):
        k = groups.slots[p]
        weight[p] = (cells[cloud, k] + mixing * shares[k]) * (scratch.field[k] if seen[k] == 1 else plain)
    weight[used] = mixing * rest[0] * plain
    group = groups.slots[draw_place(weight, used + 1, state)]
    if groups.counts[group] == 0:
        broken = 1.0 - (1.0 - uniform(state)) ** (1.0 / scales[GROUPS])  # Beta(1, concentration)
        shares[group] = max(broken * rest[0], LEAST)
        rest[0] = max(rest[0] - shares[group], LEAST)
    return group
