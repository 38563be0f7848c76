"""The compiled split-merge move of clouds: groups stay as they are."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

from askwise._runtime.splitmix import uniform
from askwise.posteriors.clusterings.clouds import MIXING, Urns
from askwise.posteriors.clusterings.split_merge import (
    choose_half,
    draw_two,
    gather_members,
    half_gain,
    join_half,
    move_sides,
    open_halves,
    softplus,
    split_odds,
)
from askwise.posteriors.clusterings.state import ALPHA, Clusters, GibbsScratch, SizeTables, compiled


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
    i, j = draw_two(len(labels), state)
    first, second = labels[i], labels[j]
    others = gather_members(labels, i, j, scratch, state)
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
    labels, kinds, shares = clouds.labels, urns.groups.labels, urns.shares
    halves = open_halves(features, i, j, scratch)
    tally = np.zeros((3, len(shares)), np.int64)  # groups on either side, and on both
    tally[0, kinds[i]] += 1
    tally[1, kinds[j]] += 1
    tally[2, kinds[i]] += 1
    gains, urn = np.zeros(2), np.zeros(2)
    share = mixing * shares[kinds[j]]
    odds = log(share / mixing) - log((tally[2, kinds[j]] + share) / (1.0 + mixing))  # both start an urn, against one
    tally[2, kinds[j]] += 1
    for position in range(others):
        item = scratch.order[position]
        kind, both = kinds[item], halves.sizes[0] + halves.sizes[1]
        share = mixing * shares[kind]
        for s in range(2):
            urn[s] = log((tally[s, kind] + share) / (halves.sizes[s] + mixing))
            gains[s] = half_gain(halves, s, features[item], tables) + urn[s]
        lead = gains[1] - gains[0]
        to = choose_half(lead, redraw, labels[item] == labels[j], state)
        odds += softplus(-lead if to == 1 else lead) + urn[to] - log((tally[2, kind] + share) / (both + mixing))
        tally[to, kind] += 1
        tally[2, kind] += 1
        join_half(halves, to, item, features[item])
    return odds + split_odds(halves, tables)
