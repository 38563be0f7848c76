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
    compiled,
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
    slots = items + 1
    counts, place, order = np.zeros(slots, np.int64), np.zeros(slots, np.int64), np.zeros(slots, np.int64)
    whole = [np.zeros(items, np.int64) for _ in range(4)]
    scratch = GibbsScratch(
        np.zeros(slots),
        np.zeros(slots),
        np.zeros(dim),
        whole[0],
        whole[1],
        whole[2],
        whole[3],
        np.zeros((2, dim)),
        np.zeros(len(links.first), np.int64),
    )
    sums, norms, size = np.zeros((slots, dim)), np.zeros(slots), np.zeros(1, np.int64)
    squares = (features**2).sum()
    accepted = 0
    for chain in range(len(labels)):
        clusters = Clusters(labels[chain], counts, sums, norms, order, place, size)
        own_scales, state = scales[chain], seeds[chain : chain + 1].copy()
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
