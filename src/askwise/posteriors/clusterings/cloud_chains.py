"""All compiled moves of groups made of clouds together, chain by chain."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from askwise._runtime.compiled import portions
from askwise._runtime.splitmix import uniform
from askwise.posteriors.clusterings.chains import MAX_VISITS_PER_CALL
from askwise.posteriors.clusterings.clouds import GROUPS, MIXING, Urns, divide_clouds, sweep_items
from askwise.posteriors.clusterings.gibbs import (
    ALPHA,
    Clusters,
    GibbsScratch,
    PairLinks,
    SizeTables,
    compiled,
    fill_tables,
    rebuild_statistics,
)
from askwise.posteriors.clusterings.parts import Parts, draw_mixing, draw_parts, draw_shares, move_parts
from askwise.posteriors.clusterings.scales import slice_scale


class CloudModel(NamedTuple):
    """What all chains share."""

    features: Any  # (N, D)
    links: PairLinks
    log_medians: Any  # (5,): prior medians of the scales, as logarithms; the mixing has a grid instead
    log_widths: Any  # (5,): their prior standard deviations; a scale of width 0 is fixed
    gamma: Any  # (N + 2,): log Gamma(0 .. N + 1)
    mixings: Any  # (G,): the grid of the mixing
    log_mixing_prior: Any  # (G,)
    rising: Any  # (G, N + 1): log Gamma(mixing) - log Gamma(mixing + size)


class CloudStates(NamedTuple):
    """Where the chains are."""

    clouds: Any  # (C, N)
    parts: Any  # (C, N)
    groups: Any  # (C, N)
    scales: Any  # (C, 5): alpha, s2 and t2 of the clouds, mixing, concentration of the groups


def advance_clouds(states: CloudStates, seeds: Any, model: CloudModel, sweeps: int, tries: int) -> int:
    """`advance_cloud_chains` for a few chains at a time: Ctrl-C is heard between two calls, but not within one."""
    accepted = 0
    for some in portions(len(seeds), sweeps * states.groups.shape[1], MAX_VISITS_PER_CALL):
        part = CloudStates(*(each[some] for each in states))
        accepted += advance_cloud_chains(part, seeds[some], model, sweeps, tries)
    return accepted


@compiled
def room_for_clusters(labels: Any, dim: int) -> Clusters:
    """The statistics of a clustering, still empty."""
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
def room_for_links(links: PairLinks, items: int) -> PairLinks:
    """Arrays for as many answers about as many parts."""
    count = len(links.first)
    return PairLinks(
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        np.zeros(items + 1, np.int64),
        np.zeros(2 * count, np.int64),
        np.zeros(2 * count, np.int64),
        np.zeros(2 * count, np.int64),
        np.zeros(count),
        np.zeros(count),
    )


@compiled
def count_cells(clouds: Clusters, urns: Urns, nothing: Any) -> None:
    """Computes the statistics of the groups from their labels."""
    rebuild_statistics(urns.groups, nothing)
    clear_cells(clouds, urns)
    for i in range(len(clouds.labels)):
        urns.cells[clouds.labels[i], urns.groups.labels[i]] += 1


@compiled
def clear_cells(clouds: Clusters, urns: Urns) -> None:
    """Empties the rows of the clouds in use; all others are empty."""
    for p in range(clouds.size[0]):
        urns.cells[clouds.slots[p]] = 0


@compiled
def advance_cloud_chains(states: CloudStates, seeds: Any, model: CloudModel, sweeps: int, tries: int) -> int:
    """Moves every chain in place by `sweeps` sweeps over items and over parts.

    After each sweep over items, `tries` moves split or merge clouds; after each over parts, as many split or merge
    groups. Returns how many of all these were accepted.
    """
    features, links, medians, widths, gamma, mixings, priors, rising = model
    items, dim = features.shape
    tables = SizeTables(gamma, np.zeros(items + 2), np.zeros(items + 2))
    ints = [np.zeros(items, np.int64) for _ in range(4)]
    field, weight, binding = np.zeros(items + 1), np.zeros(items + 1), np.zeros(len(links.first), np.int64)
    scratch = GibbsScratch(
        field, weight, np.zeros(dim), ints[0], ints[1], ints[2], ints[3], np.zeros((2, dim)), binding
    )
    bare = GibbsScratch(field, weight, np.zeros(0), ints[0], ints[1], ints[2], ints[3], np.zeros((2, 0)), binding)
    nothing, grid_weight = np.zeros((items, 0)), np.zeros(len(mixings))
    group_room, part_room = room_for_clusters(states.groups[0], 0), room_for_clusters(np.zeros(items, np.int64), 0)
    cloud_room = room_for_clusters(states.clouds[0], dim)
    part_links = room_for_links(links, items)
    part_tables = SizeTables(gamma, gamma, np.zeros(items + 2))
    cells, shares, rest = np.zeros((items + 1, items + 1), np.int32), np.zeros(items + 1), np.zeros(1)
    fit, seen, touched = np.zeros(items + 1), np.zeros(items + 1, np.int64), np.zeros(items + 1, np.int64)
    squares = (features**2).sum()
    accepted = 0
    for chain in range(len(seeds)):
        _, counts, sums, norms, slots, place, size = cloud_room
        clouds = Clusters(states.clouds[chain], counts, sums, norms, slots, place, size)
        _, counts, empty, norms, slots, place, size = group_room
        groups = Clusters(states.groups[chain], counts, empty, norms, slots, place, size)
        urns = Urns(groups, cells, shares, rest, fit, seen, touched, np.zeros(0))
        parts = Parts(states.parts[chain], part_room, part_links, part_tables, nothing)
        scales, state = states.scales[chain], seeds[chain : chain + 1].copy()
        rebuild_statistics(clouds, features)
        count_cells(clouds, urns, nothing)
        for number in range(sweeps):
            draw_shares(parts.labels, urns, scales[GROUPS], scratch, state)
            fill_tables(tables, scales, float(dim))
            sweep_items(clouds, urns, features, links, scales, tables, scratch, state)
            for _ in range(tries):
                accepted += divide_clouds(clouds, urns, features, scales, tables, scratch, state)
            if len(mixings) > 1:
                scales[MIXING] = draw_mixing(clouds, urns, mixings, priors, rising, grid_weight, state)
            found = draw_parts(parts.labels, clouds, urns, scales[MIXING], state)
            for which in range(3):
                if widths[which] > 0.0 and (which == ALPHA or dim > 0):
                    slice_scale(which, scales, clouds, squares, float(dim), medians[which], widths[which], state)
            share = uniform(state) if number % 2 == 1 else 0.0
            accepted += move_parts(parts, found, urns, links, share, tries, scales, medians, widths, bare, state)
            count_cells(clouds, urns, nothing)
        clear_cells(clouds, urns)
    return accepted
