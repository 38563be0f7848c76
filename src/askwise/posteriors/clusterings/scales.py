"""The compiled moves of the three scales of the prior: slice sampling of their logarithms (Neal 2003)."""

from __future__ import annotations

from math import exp, lgamma, log
from typing import Any

from askwise._runtime.splitmix import integer_below, uniform
from askwise.posteriors.clusterings.gibbs import ALPHA, BETWEEN, WITHIN, Clusters, compiled

BRACKET_WIDTH = 1.0  # of the slice sampler, in units of the log scale
MAX_BRACKETS = 6  # that it steps out by, on both sides together
MAX_SHRINKS = 200  # of the bracket, by a quarter or more on average: from 7 units to 1e-9 in about 80


@compiled
def scale_density(
    which: int, at: float, scales: Any, clusters: Clusters, squares: float, dim: float, centre: float, width: float
) -> float:
    """The log density of the log of one scale given the clustering; centres of clusters are integrated out."""
    _, counts, _, norms, slots, _, size = clusters
    items, value = len(clusters.labels), exp(at)
    prior = -0.5 * ((at - centre) / width) ** 2
    if which == ALPHA:
        return prior + size[0] * at + lgamma(value) - lgamma(value + items)
    s2 = value if which == WITHIN else scales[WITHIN]
    t2 = value if which == BETWEEN else scales[BETWEEN]
    total = -0.5 * items * dim * log(s2) - 0.5 * squares / s2
    for p in range(size[0]):
        c = slots[p]
        precision = 1.0 / t2 + counts[c] / s2
        total += 0.5 * norms[c] / (s2 * s2 * precision) - 0.5 * dim * log(precision * t2)
    return prior + total


@compiled
def slice_scale(
    which: int, scales: Any, clusters: Clusters, squares: float, dim: float, centre: float, width: float, state: Any
) -> None:
    """One slice-sampling update of one scale, stepping out and shrinking, on its logarithm."""
    now = log(scales[which])
    level = log(1.0 - uniform(state)) + scale_density(which, now, scales, clusters, squares, dim, centre, width)
    low = now - BRACKET_WIDTH * uniform(state)
    high = low + BRACKET_WIDTH
    left = integer_below(state, MAX_BRACKETS + 1)
    right = MAX_BRACKETS - left
    for _ in range(left):
        if not scale_density(which, low, scales, clusters, squares, dim, centre, width) > level:
            break
        low -= BRACKET_WIDTH
    for _ in range(right):
        if not scale_density(which, high, scales, clusters, squares, dim, centre, width) > level:
            break
        high += BRACKET_WIDTH
    for _ in range(MAX_SHRINKS):
        if not high - low > 1e-9:
            break
        at = low + (high - low) * uniform(state)
        if scale_density(which, at, scales, clusters, squares, dim, centre, width) > level:
            scales[which] = exp(at)
            return
        if at < now:
            low = at
        else:
            high = at
