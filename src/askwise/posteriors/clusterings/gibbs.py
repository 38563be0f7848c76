"""The compiled Gibbs sweeps behind `ClusteringPosterior`: items move one by one, or by blocks that answers bond."""

from __future__ import annotations

from math import exp, log
from typing import Any

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
        row[:] = 0.0
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
    weight, field, used = scratch.weight, scratch.field, clusters.size[0]
    own = squared_length(row)
    best = weight[used] = log(alpha) + own * tables.shrink[count] + tables.evidence[count]
    for p in range(used):
        c = clusters.slots[p]
        weight[p] = joining_gain(clusters, c, row, own, count, tables) + field[c]
        best = max(best, weight[p])
        field[c] = 0.0
    for p in range(used + 1):
        weight[p] = exp(weight[p] - best) if weight[p] > best - 30.0 else 0.0
    return clusters.slots[draw_place(weight, used + 1, state)]
