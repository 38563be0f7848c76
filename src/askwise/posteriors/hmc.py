"""Split Hamiltonian Monte Carlo around Gaussian references.

Around its center the dynamics of the reference is a rotation of places and velocities that costs nothing and makes no
error; only what the posterior differs from its reference by is integrated in steps. Started fresh from the reference,
a few trajectories suffice and draws of different rounds share nothing.
"""

from __future__ import annotations

from copy import copy
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from askwise.losses import logistic
from askwise.posteriors.evidence import Evidence
from askwise.posteriors.reference import Reference
from askwise.types import Floats, Ints

JITTER = 0.15  # without it, trajectories of a quarter turn could resonate with the posterior
NARROW = 24  # coordinates up to which compiled code is quicker; with more, products by BLAS are


class Chains(NamedTuple):
    """Where S independent chains stand, in 32 bits where the loss allows."""

    places: Floats  # (S, R), seen from the centers of their references
    potential: Floats  # (S,) minus the log posterior
    residual: Floats  # (S, R) gradient of potential minus that of the reference, times the reference's covariance


class Target:
    """The posterior around its references: counts[k] chains of scale k stand together, in the order of the scales.

    Chains move in the coordinates of the evidence with a velocity, not whitened with a momentum: the same dynamics, and
    a force takes one product for each scale instead of two.
    """

    def __init__(self, evidence: Evidence, reference: Reference, counts: Ints) -> None:
        used = np.flatnonzero(counts)
        edges = np.concatenate([[0], np.cumsum(counts[used])]).tolist()
        real, roots = evidence.precision, reference.roots[used]
        inward = roots.swapaxes(1, 2)
        self.evidence = evidence
        self.parts = [slice(a, b) for a, b in pairwise(edges)]
        self.roots = roots.astype(real)
        self.inverses = (reference.precisions[used] @ inward).astype(real)  # of the roots
        self.covariances = (inward @ roots).astype(real)
        self.centers = np.repeat(reference.centers.astype(real), counts, axis=0)
        self.tightness = each(reference.scales**-2.0, counts, evidence.rank).astype(real)

    def tail(self, first: int) -> Target:
        """The same without the chains before `first`, where a scale begins; for forces only."""
        rest, skipped = copy(self), sum(part.start < first for part in self.parts)
        rest.parts = [slice(part.start - first, part.stop - first) for part in self.parts[skipped:]]
        rest.covariances = self.covariances[skipped:]
        rest.centers, rest.tightness = self.centers[first:], self.tightness[first:]
        return rest

    def times(self, rows: Floats, matrices: Floats) -> Floats:
        """(S, R), (K, R, R) -> (S, R): each row times the matrix of its scale."""
        product = np.empty_like(rows)
        for part, matrix in zip(self.parts, matrices, strict=True):
            np.matmul(rows[part], matrix, out=product[part])
        return product

    def points(self, whitened: Floats) -> Floats:
        """(S, R) whitened -> (S, R) in the coordinates of the evidence."""
        return self.times(whitened, self.roots) + self.centers

    def chains(self, places: Floats) -> Chains:
        points = places + self.centers
        potential, gradient = self.evidence.potential_and_gradient(points)
        potential += np.einsum("sr,sr,sr->s", self.tightness, points, points) / 2
        return Chains(places, potential, self._residual(places, points, gradient))

    def force(self, places: Floats) -> Floats:
        points = places + self.centers
        return self._residual(places, points, self.evidence.gradient(points))

    def _residual(self, places: Floats, points: Floats, gradient: Floats) -> Floats:
        points *= self.tightness
        gradient += points
        residual = self.times(gradient, self.covariances)
        residual -= places
        return residual


def squares(rows: Floats) -> Floats:
    """(S, R) -> (S,) squared lengths."""
    return np.einsum("sr,sr->s", rows, rows)


def each(values: Floats, counts: Ints, width: int) -> Floats:
    """(K,) -> (S, width): the value of each chain's scale, written out, since broadcasting over few columns is slow."""
    return np.repeat(np.repeat(values[:, None], width, axis=1), counts, axis=0)


class Plan:
    """counts[k] chains of each scale k with steps[k] leapfrog steps a trajectory, which must not fall with k.

    Wide scales need more steps than narrow ones. All chains set out together; those with fewer steps stand still while
    the ones behind them go on.
    """

    def __init__(self, evidence: Evidence, reference: Reference, counts: Ints, steps: Ints) -> None:
        self.target = Target(evidence, reference, counts)
        self.counts, self.steps = counts, steps
        longest = int(steps[counts > 0].max(initial=0))
        self.stages = [(0, self.target)]  # after so many steps: the first chain that goes on, and all from there
        for done in range(1, longest):
            first = int(counts[steps <= done].sum())
            same = first == self.stages[-1][0]
            self.stages.append(self.stages[-1] if same else (first, self.target.tail(first)))

    def trajectory(self, chains: Chains, rng: Generator) -> tuple[Chains, Floats]:
        """One trajectory of about a quarter turn for every chain, and its probability (S,) of acceptance."""
        place, real = chains.places.copy(), self.target.evidence.precision
        momentum = rng.standard_normal(place.shape, dtype=real)
        angles = rng.uniform(1 - JITTER, 1 + JITTER) * (np.pi / 2) / self.steps  # (K,)
        angle, turn, keep = (
            each(part.astype(real), self.counts, place.shape[1]) for part in (angles, np.sin(angles), np.cos(angles))
        )
        before = chains.potential + squares(momentum) / 2
        velocity = self.target.times(momentum, self.target.roots)
        velocity -= angle / 2 * chains.residual
        for done, (first, target) in enumerate(self.stages):
            here = slice(first, None)
            if done:
                velocity[here] -= angle[here] * target.force(place[here])
            forward = turn[here] * velocity[here]
            velocity[here] *= keep[here]
            velocity[here] -= turn[here] * place[here]
            place[here] *= keep[here]
            place[here] += forward
        end = self.target.chains(place)
        velocity -= angle / 2 * end.residual
        momentum = self.target.times(velocity, self.target.inverses)
        # the difference in 64 bits: a runaway chain may overflow 32, and is then refused
        log_ratio = before.astype(float) - end.potential - squares(momentum) / 2
        log_ratio[np.isnan(log_ratio)] = -np.inf
        chance = np.exp(np.minimum(log_ratio, 0.0))
        refused = rng.random(len(chance)) >= chance
        for new, old in zip(end, chains, strict=True):
            new[refused] = old[refused]
        return end, chance


def run(
    evidence: Evidence, reference: Reference, counts: Ints, steps: Ints, noise: Floats, length: int, rng: Generator
) -> tuple[Floats, Floats]:
    """`length` trajectories from standard normal noise (S, R), in the order of the scales.

    Returns where the chains end, whitened (S, R), and the chance (S,) with which the last trajectory was accepted.
    """
    if evidence.loss is logistic and evidence.rank <= NARROW:
        return run_compiled(evidence, reference, counts, steps, noise, length, rng)
    return run_plain(evidence, reference, counts, steps, noise, length, rng)


def run_plain(
    evidence: Evidence, reference: Reference, counts: Ints, steps: Ints, noise: Floats, length: int, rng: Generator
) -> tuple[Floats, Floats]:
    """The same for any loss."""
    plan = Plan(evidence, reference, counts, steps)
    target = plan.target
    chains = target.chains(target.times(noise, target.roots))
    chance: Floats = np.ones(len(noise))
    for _ in range(length):
        chains, chance = plan.trajectory(chains, rng)
    return target.times(chains.places, target.inverses), chance


def run_compiled(
    evidence: Evidence, reference: Reference, counts: Ints, steps: Ints, noise: Floats, length: int, rng: Generator
) -> tuple[Floats, Floats]:
    """The same for the logistic loss, compiled, with the same random numbers."""
    from askwise.posteriors.trajectories import move, padded  # brings numba, which `import askwise` must not

    target, used = Target(evidence, reference, counts), np.flatnonzero(counts)
    rank, real = evidence.rank, evidence.precision
    momenta, luck = np.empty((length, *noise.shape), real), np.empty((length, len(noise)))
    angles = np.empty((length, len(used)), real)
    for number in range(length):
        rng.standard_normal(out=momenta[number], dtype=real)
        angles[number] = rng.uniform(1 - JITTER, 1 + JITTER) * (np.pi / 2) / steps[used]
        luck[number] = rng.random(len(noise))
    signed = padded(evidence.rows * evidence.responses[:, None], 1)
    answers = padded(signed, 0, to=2), padded(evidence.strengths, 0, to=2)
    matrices = (padded(matrix, 1, 2) for matrix in (target.covariances, target.roots, target.inverses))
    scales = padded(reference.centers[used], 1), (reference.scales[used] ** -2.0).astype(real), *matrices
    places, chance = padded(target.times(noise, target.roots), 1), np.ones(len(noise), real)
    owners = np.repeat(np.arange(len(used)), counts[used])
    move(answers, scales, owners, steps[used], angles, places, padded(momenta, 2), luck, chance)
    return target.times(np.ascontiguousarray(places[:, :rank]), target.inverses), chance
