"""All compiled moves of groups made of clouds together, chain by chain."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from askwise._runtime.compiled import portions
from askwise._runtime.splitmix import uniform
from askwise.posteriors.clusterings.chains import MAX_VISITS_PER_CALL
from askwise.posteriors.clusterings.cloud_splits import divide_clouds
from askwise.posteriors.clusterings.clouds import GROUPS, MIXING, Urns, sweep_items
from askwise.posteriors.clusterings.parts import Parts, draw_mixing, draw_parts, draw_shares, move_parts
from askwise.posteriors.clusterings.scales import slice_scales
from askwise.posteriors.clusterings.state import (
    Clusters,
    PairLinks,
    SizeTables,
    compiled,
    empty_clusters,
    empty_scratch,
    fill_tables,
    rebuild_statistics,
    with_labels,
)


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
def empty_links(links: PairLinks, items: int) -> PairLinks:
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
    scratch, bare = empty_scratch(items, dim, len(links.first)), empty_scratch(items, 0, len(links.first))
    nothing, grid_weight = np.zeros((items, 0)), np.zeros(len(mixings))
    cloud_room, group_room = empty_clusters(states.clouds[0], dim), empty_clusters(states.groups[0], 0)
    part_room, part_links = empty_clusters(np.zeros(items, np.int64), 0), empty_links(links, items)
    part_tables = SizeTables(gamma, gamma, np.zeros(items + 2))
    cells, shares, rest = np.zeros((items + 1, items + 1), np.int32), np.zeros(items + 1), np.zeros(1)
    fit, seen, touched = np.zeros(items + 1), np.zeros(items + 1, np.int64), np.zeros(items + 1, np.int64)
    squares = (features**2).sum()
    accepted = 0
    for chain in range(len(seeds)):
        clouds, groups = with_labels(cloud_room, states.clouds[chain]), with_labels(group_room, states.groups[chain])
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
            slice_scales(scales, clouds, squares, float(dim), medians, widths, state)
            share = uniform(state) if number % 2 == 1 else 0.0
            accepted += move_parts(parts, found, urns, links, share, tries, scales, medians, widths, bare, state)
            count_cells(clouds, urns, nothing)
        clear_cells(clouds, urns)
    return accepted
