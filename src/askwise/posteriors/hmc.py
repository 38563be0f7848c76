"""Split Hamiltonian Monte Carlo around Gaussian references.

In whitened coordinates the reference is a standard normal, whose dynamics is a rotation that costs nothing and makes no
error; only what the posterior differs from its reference by is integrated in steps. Started fresh from the reference,
a few trajectories suffice and draws of different rounds share nothing.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from askwise.posteriors.evidence import Evidence
from askwise.posteriors.reference import Reference
from askwise.types import Floats, Ints

JITTER = 0.15  # without it, trajectories of a quarter turn could resonate with the posterior


class Chains(NamedTuple):
    """Where S independent chains stand, in 32 bits where the loss allows."""

    whitened: Floats  # (S, R)
    potential: Floats  # (S,) minus the log posterior
    residual: Floats  # (S, R) gradient of potential minus that of the reference, whitened


class Target:
    """The posterior around its references: counts[k] chains of scale k stand together, in the order of the scales."""

    def __init__(self, evidence: Evidence, reference: Reference, counts: Ints) -> None:
        edges = np.concatenate([[0], np.cumsum(counts)]).tolist()
        real = evidence.precision
        self.evidence = evidence
        self.parts = [slice(a, b) for a, b in pairwise(edges) if b > a]
        used = np.flatnonzero(counts)
        self.centers = reference.centers[used].astype(real)
        self.roots = reference.roots[used].astype(real)
        self.tightness = np.repeat(reference.scales**-2.0, counts).astype(real)

    def points(self, whitened: Floats) -> Floats:
        """(S, R) whitened -> (S, R) in the coordinates of the evidence."""
        points = np.empty_like(whitened)
        for part, center, root in zip(self.parts, self.centers, self.roots, strict=True):
            np.matmul(whitened[part], root, out=points[part])
            points[part] += center
        return points

    def residual(self, whitened: Floats, points: Floats, gradient: Floats) -> Floats:
        gradient += self.tightness[:, None] * points
        residual = np.empty_like(whitened)
        for part, root in zip(self.parts, self.roots, strict=True):
            np.matmul(gradient[part], root.T, out=residual[part])
        residual -= whitened
        return residual

    def chains(self, whitened: Floats) -> Chains:
        points = self.points(whitened)
        potential, gradient = self.evidence.potential_and_gradient(points)
        potential += self.tightness * squares(points) / 2
        return Chains(whitened, potential, self.residual(whitened, points, gradient))

    def force(self, whitened: Floats) -> Floats:
        points = self.points(whitened)
        return self.residual(whitened, points, self.evidence.gradient(points))


def squares(rows: Floats) -> Floats:
    """(S, R) -> (S,) squared lengths."""
    return np.einsum("sr,sr->s", rows, rows)


class Plan:
    """counts[k] chains of each scale k with steps[k] leapfrog steps a trajectory, which must not fall with k.

    Wide scales need more steps than narrow ones. All chains set out together; those with fewer steps stand still while
    the ones behind them go on.
    """

    def __init__(self, evidence: Evidence, reference: Reference, counts: Ints, steps: Ints) -> None:
        self.target = Target(evidence, reference, counts)
        self.steps = np.repeat(steps, counts)[:, None]  # (S, 1), or (1, 1) if all are equal
        if np.all(self.steps == self.steps[:1]):
            self.steps = self.steps[:1]
        longest = int(self.steps.max(initial=0))
        self.stages = [(0, self.target)]  # after so many steps: the first chain that goes on, and all from there
        for done in range(1, longest):
            going = np.where(steps > done, counts, 0)
            first = int(counts.sum() - going.sum())
            same = first == self.stages[-1][0]
            self.stages.append(self.stages[-1] if same else (first, Target(evidence, reference, going)))

    def trajectory(self, chains: Chains, rng: Generator) -> tuple[Chains, Floats]:
        """One trajectory of about a quarter turn for every chain, and its probability (S,) of acceptance."""
        real: Any = chains.whitened.dtype
        momentum = rng.standard_normal(chains.whitened.shape, dtype=real)
        angle = (rng.uniform(1 - JITTER, 1 + JITTER) * (np.pi / 2) / self.steps).astype(real)
        turn, keep = np.sin(angle), np.cos(angle)
        before = chains.potential + squares(momentum) / 2
        momentum -= angle / 2 * chains.residual
        place = chains.whitened.copy()
        for done, (first, target) in enumerate(self.stages):
            here = slice(first, None)
            if done:
                momentum[here] -= angle[here] * target.force(place[here])
            forward = turn[here] * momentum[here]
            momentum[here] *= keep[here]
            momentum[here] -= turn[here] * place[here]
            place[here] *= keep[here]
            place[here] += forward
        end = self.target.chains(place)
        momentum -= angle / 2 * end.residual
        # the difference in 64 bits: a runaway chain may overflow 32, and is then refused
        log_ratio = before.astype(float) - end.potential - squares(momentum) / 2
        log_ratio[np.isnan(log_ratio)] = -np.inf
        chance = np.exp(np.minimum(log_ratio, 0.0))
        refused = rng.random(len(chance)) >= chance
        for new, old in zip(end, chains, strict=True):
            new[refused] = old[refused]
        return end, chance


def run(plan: Plan, noise: Floats, length: int, rng: Generator) -> tuple[Floats, Floats]:
    """`length` trajectories from standard normal noise (S, R), in the order of the scales.

    Returns where the chains end, whitened (S, R), and the chance (S,) with which the last trajectory was accepted.
    """
    chains = plan.target.chains(noise)
    chance: Floats = np.ones(len(noise))
    for _ in range(length):
        chains, chance = plan.trajectory(chains, rng)
    return chains.whitened, chance
