"""Split Hamiltonian Monte Carlo around Gaussian references.

Around the center of the reference its dynamics is a rotation of places and velocities: it costs nothing and makes no
error. Only the difference between posterior and reference is integrated in steps. Chains start fresh from the
reference, so a few trajectories suffice and draws of different rounds share nothing.
"""

from __future__ import annotations

from copy import copy
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from askwise.losses import logistic
from askwise.posteriors.scores.evidence import Evidence
from askwise.posteriors.scores.reference import Reference
from askwise.types import Floats, Ints

ANGLE_JITTER = 0.15  # without it, trajectories of a quarter turn could resonate with the posterior
MAX_COMPILED_RANK = 24  # coordinates: with more, products by BLAS are quicker than compiled code


class HmcState(NamedTuple):
    """The state of S independent chains, in 32 bits where the loss allows."""

    places: Floats  # (S, R), seen from the centers of their references
    potential: Floats  # (S,) minus the log posterior
    residual: Floats  # (S, R) gradient of potential minus that of the reference, times the reference's covariance


class Target:
    """The posterior around its references: counts[k] chains of scale k stand together, in the order of the scales.

    Chains move in the coordinates of the evidence with a velocity, not whitened with a momentum. The dynamics is the
    same, and a force takes one product for each scale instead of two.
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
        self.tightness = repeat_by_scale(reference.scales**-2.0, counts, evidence.rank).astype(real)

    def tail(self, first: int) -> Target:
        """The target without the chains before `first`, where a scale begins; for forces only."""
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

    def chains(self, places: Floats) -> HmcState:
        """The state of chains at these places (S, R)."""
        points = places + self.centers
        potential, gradient = self.evidence.potential_and_gradient(points)
        potential += np.einsum("sr,sr,sr->s", self.tightness, points, points) / 2
        return HmcState(places, potential, self._residual(places, points, gradient))

    def force(self, places: Floats) -> Floats:
        """(S, R) -> (S, R): the residual alone, without the potential."""
        points = places + self.centers
        return self._residual(places, points, self.evidence.gradient(points))

    def _residual(self, places: Floats, points: Floats, gradient: Floats) -> Floats:
        points *= self.tightness
        gradient += points
        residual = self.times(gradient, self.covariances)
        residual -= places
        return residual


def squares(rows: Floats) -> Floats:
    """(S, R) -> (S,) squared lengths.

    >>> squares(np.array([[3.0, 4.0]]))
    array([25.])
    """
    return np.einsum("sr,sr->s", rows, rows)


def repeat_by_scale(values: Floats, counts: Ints, width: int) -> Floats:
    """(K,) -> (S, width): the value of each chain's scale, repeated: broadcasting over few columns is slow.

    >>> repeat_by_scale(np.array([5.0, 7.0]), np.array([1, 2]), 2).tolist()
    [[5.0, 5.0], [7.0, 7.0], [7.0, 7.0]]
    """
    return np.repeat(np.repeat(values[:, None], width, axis=1), counts, axis=0)


class LeapfrogSchedule:
    """counts[k] chains of each scale k with steps[k] leapfrog steps a trajectory, which must not fall with k.

    Wide scales need more steps than narrow ones. All chains start together; chains with fewer steps stop while the ones
    behind them continue.
    """

    def __init__(self, evidence: Evidence, reference: Reference, counts: Ints, steps: Ints) -> None:
        self.target = Target(evidence, reference, counts)
        self.counts, self.steps = counts, steps
        longest = int(steps[counts > 0].max(initial=0))
        # after each step: the first chain that continues, and the target from there on
        self.stages = [(0, self.target)]
        for done in range(1, longest):
            first = int(counts[steps <= done].sum())
            same = first == self.stages[-1][0]
            self.stages.append(self.stages[-1] if same else (first, self.target.tail(first)))

    def trajectory(self, chains: HmcState, rng: Generator) -> tuple[HmcState, Floats]:
        """One trajectory of about a quarter turn for every chain, and its probability (S,) of acceptance."""
        place, real = chains.places.copy(), self.target.evidence.precision
        momentum = rng.standard_normal(place.shape, dtype=real)
        angles = rng.uniform(1 - ANGLE_JITTER, 1 + ANGLE_JITTER) * (np.pi / 2) / self.steps  # (K,)
        angle, sine, cosine = (
            repeat_by_scale(part.astype(real), self.counts, place.shape[1])
            for part in (angles, np.sin(angles), np.cos(angles))
        )
        before = chains.potential + squares(momentum) / 2
        velocity = self.target.times(momentum, self.target.roots)
        velocity -= angle / 2 * chains.residual
        for done, (first, target) in enumerate(self.stages):
            active = slice(first, None)
            if done:
                velocity[active] -= angle[active] * target.force(place[active])
            forward = sine[active] * velocity[active]
            velocity[active] *= cosine[active]
            velocity[active] -= sine[active] * place[active]
            place[active] *= cosine[active]
            place[active] += forward
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
    if evidence.loss is logistic and evidence.rank <= MAX_COMPILED_RANK:
        return run_compiled(evidence, reference, counts, steps, noise, length, rng)
    return run_plain(evidence, reference, counts, steps, noise, length, rng)


def run_plain(
    evidence: Evidence, reference: Reference, counts: Ints, steps: Ints, noise: Floats, length: int, rng: Generator
) -> tuple[Floats, Floats]:
    """`run` for any loss."""
    schedule = LeapfrogSchedule(evidence, reference, counts, steps)
    target = schedule.target
    chains = target.chains(target.times(noise, target.roots))
    chance: Floats = np.ones(len(noise))
    for _ in range(length):
        chains, chance = schedule.trajectory(chains, rng)
    return target.times(chains.places, target.inverses), chance


def run_compiled(
    evidence: Evidence, reference: Reference, counts: Ints, steps: Ints, noise: Floats, length: int, rng: Generator
) -> tuple[Floats, Floats]:
    """`run` for the logistic loss, compiled, with the same random numbers."""
    from askwise.posteriors.scores.trajectories import (  # brings numba, which `import askwise` must not
        padded,
        run_trajectories,
    )

    target, used = Target(evidence, reference, counts), np.flatnonzero(counts)
    rank, real = evidence.rank, evidence.precision
    momenta, uniforms = np.empty((length, *noise.shape), real), np.empty((length, len(noise)))
    angles = np.empty((length, len(used)), real)
    for number in range(length):
        rng.standard_normal(out=momenta[number], dtype=real)
        angles[number] = rng.uniform(1 - ANGLE_JITTER, 1 + ANGLE_JITTER) * (np.pi / 2) / steps[used]
        uniforms[number] = rng.random(len(noise))
    signed = padded(evidence.rows * evidence.responses[:, None], 1)
    answers = padded(signed, 0, to=2), padded(evidence.strengths, 0, to=2)
    matrices = (padded(matrix, 1, 2) for matrix in (target.covariances, target.roots, target.inverses))
    scales = padded(reference.centers[used], 1), (reference.scales[used] ** -2.0).astype(real), *matrices
    places, chance = padded(target.times(noise, target.roots), 1), np.ones(len(noise), real)
    owners = np.repeat(np.arange(len(used)), counts[used])
    run_trajectories(answers, scales, owners, steps[used], angles, places, padded(momenta, 2), uniforms, chance)
    return target.times(np.ascontiguousarray(places[:, :rank]), target.inverses), chance
