"""All compiled moves together, chain by chain: Gibbs sweeps, split-merge moves and scales."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from askwise._runtime.compiled import portions
from askwise._runtime.splitmix import uniform
from askwise.posteriors.clusterings.gibbs import sweep
from askwise.posteriors.clusterings.scales import slice_scales
from askwise.posteriors.clusterings.split_merge import split_or_merge
from askwise.posteriors.clusterings.state import (
    PairLinks,
    SizeTables,
    compiled,
    empty_clusters,
    empty_scratch,
    fill_tables,
    rebuild_statistics,
    with_labels,
)

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
    accepted = 0
    for some in portions(len(labels), sweeps * labels.shape[1], MAX_VISITS_PER_CALL):
        accepted += advance_chains(labels[some], scales[some], seeds[some], model, sweeps, tries)
    return accepted


@compiled
def advance_chains(labels: Any, scales: Any, seeds: Any, model: ClusteringModel, sweeps: int, tries: int) -> int:
    """Moves every chain in place by `sweeps` sweeps: labels (C, N), scales (C, 3), seeds (C,).

    Every second sweep lets a random share of the must-links bond. After each sweep, `tries` split-merge moves follow.
    Returns how many of these were accepted.
    """
    features, links, log_medians, log_widths, gamma, weight = model
    items, dim = features.shape
    tables = SizeTables(gamma, np.zeros(items + 2), np.zeros(items + 2))
    scratch, room = empty_scratch(items, dim, len(links.first)), empty_clusters(labels[0], dim)
    squares = (features**2).sum()
    accepted = 0
    for chain in range(len(labels)):
        clusters = with_labels(room, labels[chain])
        own_scales, state = scales[chain], seeds[chain : chain + 1].copy()
        rebuild_statistics(clusters, features)
        for number in range(sweeps):
            fill_tables(tables, own_scales, weight)
            share = uniform(state) if number % 2 == 1 else 0.0
            sweep(clusters, features, links, share, own_scales, tables, scratch, state)
            for _ in range(tries):
                accepted += split_or_merge(clusters, features, links, own_scales, tables, scratch, state)
            slice_scales(own_scales, clusters, squares, weight, log_medians, log_widths, state)
    return accepted
