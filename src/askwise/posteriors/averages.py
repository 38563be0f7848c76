"""The logistic loss averaged over normally distributed scores, compiled: a third of the time of `reference`'s own way.

The same two rules: Gauss's nodes where scores spread little, and hinges with their closed forms where they spread
widely. Scores go in blocks that stay in the first cache, node by node.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise.posteriors.trajectories import compiled, decay, lose, real
from askwise.types import Bools, Floats

BLOCK = 256  # scores averaged together
ROOT = real(1 / np.sqrt(2 * np.pi))


def averaged(
    margins: Floats, spreads: Floats, wide: Bools, nodes: tuple[Floats, Floats], hinges: tuple[Floats, Floats]
) -> Floats:
    """(N,), (N,), (N,) -> (3, N): value, slope and curvature under margins N(margin, spread^2), on average.

    Nodes and hinges are places and weights.
    """
    result = np.empty((3, len(margins)))
    for rule, here, (places, weights) in ((by_nodes, ~wide, nodes), (by_hinges, wide, hinges)):
        part, scores = np.zeros((3, int(here.sum())), real), (margins[here].astype(real), spreads[here].astype(real))
        rule(*scores, places.astype(real), weights.astype(real), part, np.empty((3, BLOCK), real))
        result[:, here] = part
    return result


@compiled
def by_nodes(margins: Any, spreads: Any, places: Any, weights: Any, result: Any, work: Any) -> None:
    """Adds value, slope and curvature, the latter by Stein's identity: E[l''] = E[x l'(m + s x)] / s."""
    for start in range(0, len(margins), BLOCK):
        end = min(start + BLOCK, len(margins))
        lanes = end - start
        margin, bits = work[0][:lanes], work[1][:lanes].view(np.int32)
        value, slope, curvature = result[0][start:end], result[1][start:end], result[2][start:end]
        mean, spread = margins[start:end], spreads[start:end]
        for node in range(len(places)):
            place = places[node]
            for i in range(lanes):
                margin[i] = mean[i] + spread[i] * place
            lose(margin, weights[node], bits, value, np.bool_(True))
            for i in range(lanes):
                slope[i] += margin[i]
                curvature[i] += place * margin[i]
        for i in range(lanes):
            curvature[i] /= spread[i]


@compiled
def by_hinges(margins: Any, spreads: Any, places: Any, weights: Any, result: Any, work: Any) -> None:
    """Adds hinges (u - m)_+, each weighted by the curvature at its u."""
    for start in range(0, len(margins), BLOCK):
        end = min(start + BLOCK, len(margins))
        lanes = end - start
        apart, bell, bits = work[0][:lanes], work[1][:lanes], work[2][:lanes].view(np.int32)
        value, slope, curvature = result[0][start:end], result[1][start:end], result[2][start:end]
        mean, spread = margins[start:end], spreads[start:end]
        for hinge in range(len(places)):
            place, weight = places[hinge], weights[hinge]
            for i in range(lanes):
                apart[i] = (mean[i] - place) / spread[i]
                bell[i] = real(-0.5) * apart[i] * apart[i]
            decay(bell, bits)
            for i in range(lanes):
                density = bell[i] * ROOT
                # the normal distribution function, right to 1e-7 (Abramowitz and Stegun 26.2.17)
                t = real(1.0) / (real(1.0) + real(0.2316419) * abs(apart[i]))
                tail = real(1.330274429) * t - real(1.821255978)
                tail = tail * t + real(1.781477937)
                tail = tail * t - real(0.356563782)
                tail = (tail * t + real(0.319381530)) * t * density
                below = tail if apart[i] > 0 else real(1.0) - tail
                value[i] += weight * spread[i] * (density - apart[i] * below)
                slope[i] -= weight * below
                curvature[i] += weight * density / spread[i]
