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
    clusters_of,
    compiled,
    empty_clusters,
    empty_scratch,
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
    accepted, space, squares = 0, cloud_space(model), float((model.features**2).sum())
    for some in portions(len(seeds), sweeps * states.groups.shape[1], MAX_VISITS_PER_CALL):
        part = CloudStates(*(each[some] for each in states))
        accepted += advance_cloud_chains(part, seeds[some], model, squares, space, sweeps, tries)
    return accepted


class CloudSpace(NamedTuple):
    """The arrays that one chain after another moves in; labels are those of the chains."""

    clouds: Clusters
    urns: Urns
    parts: Parts
    tables: SizeTables
    scratch: GibbsScratch
    bare: GibbsScratch  # for parts, which have no features
    grid_weight: Any  # (G,)
    state: Any  # (1,): of the random numbers


def cloud_space(model: CloudModel) -> CloudSpace:
    """Space for the chains of this model."""
    items, dim = model.features.shape
    answers, nothing = len(model.links.first), np.zeros((items, 0))
    shares, fit = np.zeros((2, items + 1))
    seen, touched = np.zeros((2, items + 1), np.int64)
    cells, tally = np.zeros((items + 1, items + 1), np.int32), np.zeros((3, items + 1), np.int64)
    urns = Urns(empty_clusters(items, 0), cells, shares, np.zeros(1), fit, seen, touched, tally, np.zeros(0))
    first, second, same = np.zeros((3, answers), np.int64)
    near, kind, number = np.zeros((3, 2 * answers), np.int64)
    cost, bond = np.zeros((2, answers))
    links = PairLinks(first, second, same, np.zeros(items + 1, np.int64), near, kind, number, cost, bond)
    evidence, shrink, flat = np.zeros((3, items + 2))
    labels, starts = np.zeros(items, np.int64), np.zeros(items + 2, np.int64)
    tables = SizeTables(model.gamma, model.gamma, flat)
    return CloudSpace(
        empty_clusters(items, dim),
        urns,
        Parts(labels, empty_clusters(items, 0), links, tables, nothing, starts),
        SizeTables(model.gamma, evidence, shrink),
        empty_scratch(items, dim, answers),
        empty_scratch(items, 0, answers),
        np.zeros(len(model.mixings)),
        np.zeros(1, np.uint64),
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
        for k in range(urns.cells.shape[1]):
            urns.cells[clouds.slots[p], k] = 0


@compiled
def advance_cloud_chains(
    states: CloudStates, seeds: Any, model: CloudModel, squares: float, space: CloudSpace, sweeps: int, tries: int
) -> int:
    """Moves every chain in place by `sweeps` sweeps over items and over parts; `squares` sums the squared features.

    After each sweep over items, `tries` moves split or merge clouds; after each over parts, as many split or merge
    groups. Returns how many of all these were accepted.
    """
    features, links, medians, widths, _, mixings, priors, rising = model
    cloud_room, urn_room, part_room, tables, scratch, bare, grid_weight, state = space
    dim, accepted = features.shape[1], 0
    for chain in range(len(seeds)):
        clouds = clusters_of(states.clouds[chain], cloud_room)
        room, cells, shares, rest, fit, seen, touched, tally, empty = urn_room
        urns = Urns(clusters_of(states.groups[chain], room), cells, shares, rest, fit, seen, touched, tally, empty)
        _, clusters, part_links, part_tables, nothing, starts = part_room
        parts = Parts(states.parts[chain], clusters, part_links, part_tables, nothing, starts)
        scales, state[0] = states.scales[chain], seeds[chain]
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
            found = draw_parts(parts, clouds, urns, scales[MIXING], scratch, state)
            for which in range(3):
                if widths[which] > 0.0 and (which == ALPHA or dim > 0):
                    slice_scale(which, scales, clouds, squares, float(dim), medians[which], widths[which], state)
            share = uniform(state) if number % 2 == 1 else 0.0
            accepted += move_parts(parts, found, urns, links, share, tries, scales, medians, widths, bare, state)
            count_cells(clouds, urns, nothing)
        clear_cells(clouds, urns)
    return accepted
