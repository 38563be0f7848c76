"""All compiled moves together, chain by chain: Gibbs sweeps, split-merge moves and scales."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from askwise._runtime.compiled import portions
from askwise._runtime.splitmix import uniform
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
    sweep,
)
from askwise.posteriors.clusterings.scales import slice_scale
from askwise.posteriors.clusterings.split_merge import split_or_merge

MAX_VISITS_PER_CALL = 50_000  # to items: .05 to .2 s


class ClusteringModel(NamedTuple):
    """What all chains share."""

    features: Any  # (N, D)
    links: PairLinks
    log_medians: Any  # (3,): prior medians of the scales, as logarithms
    log_widths: Any  # (3,): their prior standard deviations; a scale of width 0 is fixed
    gamma: Any  # (N + 2,): log Gamma(0 .. N + 1), given because this compiler lost it when it was filled in here
    weight: float  # the number of dimensions; less where features are trusted less (rows shrunk to match)


def advance(labels: Any, scales: Any, seeds: Any, model: ClusteringModel, sweeps: int, tries: int) -> int:
    """`advance_chains` for a few chains at a time: Ctrl-C is heard between two calls, but not within one."""
    items, dim = model.features.shape
    evidence, shrink = np.zeros((2, items + 2))
    tables, scratch = SizeTables(model.gamma, evidence, shrink), empty_scratch(items, dim, len(model.links.first))
    space = ChainSpace(empty_clusters(items, dim), tables, scratch, np.zeros(1, np.uint64))
    accepted, squares = 0, float((model.features**2).sum())
    for some in portions(len(labels), sweeps * labels.shape[1], MAX_VISITS_PER_CALL):
        accepted += advance_chains(labels[some], scales[some], seeds[some], model, squares, space, sweeps, tries)
    return accepted


class ChainSpace(NamedTuple):
    """The arrays that one chain after another moves in; labels are those of the chains."""

    clusters: Clusters
    tables: SizeTables
    scratch: GibbsScratch
    state: Any  # (1,): of the random numbers


@compiled
def advance_chains(
    labels: Any,
    scales: Any,
    seeds: Any,
    model: ClusteringModel,
    squares: float,
    space: ChainSpace,
    sweeps: int,
    tries: int,
) -> int:
    """Moves every chain in place by `sweeps` sweeps: labels (C, N), scales (C, 3), seeds (C,).

    Every second sweep lets a random share of the must-links bond. After each sweep, `tries` split-merge moves follow.
    Returns how many of these were accepted. `squares` sums the squared features.
    """
    features, links, log_medians, log_widths, _, weight = model
    room, tables, scratch, state = space
    dim, accepted = features.shape[1], 0
    for chain in range(len(labels)):
        clusters = clusters_of(labels[chain], room)
        own_scales, state[0] = scales[chain], seeds[chain]
        rebuild_statistics(clusters, features)
        for number in range(sweeps):
            fill_tables(tables, own_scales, weight)
            share = uniform(state) if number % 2 == 1 else 0.0
            sweep(clusters, features, links, share, own_scales, tables, scratch, state)
            for _ in range(tries):
                accepted += split_or_merge(clusters, features, links, own_scales, tables, scratch, state)
            for which in range(3):
                if log_widths[which] > 0.0 and (which == ALPHA or dim > 0):
                    slice_scale(
                        which, own_scales, clusters, squares, weight, log_medians[which], log_widths[which], state
                    )
    return accepted
