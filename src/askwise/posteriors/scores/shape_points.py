"""Points of the grid of shapes, prior scales and lapses: a Gaussian reference of each, and its evidence.

Given a point, scores are a Gaussian process, and answers inform its coordinates u ~ N(0, I) through their rows. Each
point has a reference N(center, covariance) of u. Chains of split Hamiltonian Monte Carlo start from it and end at the
posterior; draws from both sides give the evidence by bridge sampling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.linalg import lapack

from askwise.posteriors.scores.bridge import log_evidences
from askwise.posteriors.scores.pilot import log_sum
from askwise.types import Bools, Floats, Ints

ANGLE_JITTER = 0.15  # without it, trajectories of a quarter turn could resonate with the posterior
TOLERANCE = 0.05  # of a reference's mean, in posterior standard deviations
MAX_ROUNDS = 40
MAX_STEP = 0.7  # share of a full step of a fit, after the first
MIN_SPREAD = 1e-6  # of a margin, below which it is a number
LEAPFROG_STEPS = np.array([2, 3, 4, 6, 8, 12, 16, 24])  # a trajectory may take
MIN_ACCEPTANCE, EASY_ACCEPTANCE = 0.75, 0.93
PILOT_TRAJECTORIES = 2
real = np.float32


@dataclass(frozen=True)
class Answers:
    """T distinct answers in the coordinates of each shape."""

    rows: Floats  # (H, T, R): of each shape, zero beyond its rank
    offsets: Floats  # (H, T): the score that each shape expects of the answers before any came
    signs: Floats  # (T,): +1, -1; 1 of ties
    tied: Bools  # (T,)
    strengths: Floats  # (T,)
    ties: float  # of the loss; 0 where answers cannot be equal
    lapses: Floats  # (E,): shares of answers given by accident, of which one is right
    log_lapse_prior: Floats  # (E,)

    @property
    def responses(self) -> float:
        """How many responses there are."""
        return 3.0 if self.ties else 2.0


@dataclass(frozen=True)
class Points:
    """K points of the grid with their references."""

    shapes: Ints  # (K,)
    scales: Floats  # (K,)
    lapses: Floats  # (K,): the share that the reference is made for
    centers: Floats  # (K, R)
    curvatures: Floats  # (K, T): expected curvature of each answer's loss
    roots: Floats  # (K, R, R): center + noise @ root is a draw of the reference
    bounds: Floats  # (K,): lower bounds of the log evidence
    steps: Ints  # (K,): leapfrog steps of a trajectory

    def __len__(self) -> int:
        return len(self.scales)

    def take(self, chosen: Any) -> Points:
        """Some of the points."""
        return Points(*(value[chosen] for value in vars(self).values()))


def fit(answers: Answers, points: Points) -> Points:
    """The points with the Gaussian-variational references of their posteriors, from where they are.

    Each round is a natural-gradient step: the precision goes towards the expected curvature, and the mean takes a
    Newton step with it. A step that lowers the bound is halved.
    """
    if not points.centers.shape[1]:
        return points
    found = _evaluated(answers, points, _roots(answers, points))
    step, unsettled = np.ones(len(points)), np.arange(len(points))
    for _ in range(MAX_ROUNDS):
        current, size = found.take(unsettled), step[unsettled]
        proposed = _evaluated(answers, *current.moved(answers, size))
        better = proposed.points.bounds > current.points.bounds - 1e-4
        found.put(unsettled[better], proposed.take(better))
        step[unsettled] = np.minimum(np.where(better, 2 * size, size / 2), MAX_STEP)
        gain = proposed.points.bounds - current.points.bounds
        done = better & (proposed.slack < TOLERANCE**2 * max(1, points.centers.shape[1])) & (gain < TOLERANCE)
        unsettled = unsettled[~done & (step[unsettled] > 1e-3)]
        if not unsettled.size:
            break
    return found.points


@dataclass
class _FitState:
    """References on the way, with the expected gradient and curvature of their posteriors."""

    points: Points
    gradients: Floats  # (K, R)
    wanted: Floats  # (K, T): expected curvature of each answer's loss, where the reference is now

    @property
    def slack(self) -> Floats:
        """(K,): squared length of the gradient, in posterior standard deviations."""
        return np.square((self.points.roots @ self.gradients[..., None])[..., 0]).sum(axis=1)

    def take(self, chosen: Any) -> _FitState:
        return _FitState(self.points.take(chosen), self.gradients[chosen], self.wanted[chosen])

    def put(self, places: Ints, part: _FitState) -> None:
        for whole, new in zip(vars(self.points).values(), vars(part.points).values(), strict=True):
            whole[places] = new
        self.gradients[places], self.wanted[places] = part.gradients, part.wanted

    def moved(self, answers: Answers, size: Floats) -> tuple[Points, Floats]:
        """The points after a step of that size, and their roots."""
        curvatures = self.points.curvatures + size[:, None] * (self.wanted - self.points.curvatures)
        changed = replace(self.points, curvatures=curvatures)
        roots = _roots(answers, changed)
        moves = (roots.swapaxes(1, 2) @ (roots @ self.gradients[..., None]))[..., 0]
        return replace(changed, centers=self.points.centers - size[:, None] * moves), roots


def _scaled_rows(answers: Answers, points: Points) -> Floats:
    """(K, T, R): margins are these times u."""
    return answers.rows[points.shapes] * (points.scales[:, None] * answers.signs)[..., None]


def _roots(answers: Answers, points: Points) -> Floats:
    """(K, R, R): of the references' covariances, whose precision is I and the curvature of the answers."""
    rows = _scaled_rows(answers, points)
    weighted = rows * (points.curvatures * answers.strengths)[..., None]
    precisions = np.eye(rows.shape[2]) + rows.swapaxes(1, 2) @ weighted
    return triangular_inverses(np.linalg.cholesky(precisions))


def triangular_inverses(lowers: Floats) -> Floats:
    """(K, R, R) -> (K, R, R): the inverses of lower triangular matrices.

    >>> triangular_inverses(np.array([[[2.0, 0.0], [1.0, 4.0]]])).tolist()
    [[[0.5, 0.0], [-0.125, 0.25]]]
    """
    return np.array([lapack.dtrtri(lower, lower=1)[0] for lower in lowers]).reshape(lowers.shape)


def _evaluated(answers: Answers, points: Points, roots: Floats) -> _FitState:
    from askwise.posteriors.scores.lapse_chains import GRID, NODE_WEIGHTS, NODES, expected_losses  # brings numba

    rows = _scaled_rows(answers, points)
    rank = rows.shape[2]
    means = (rows @ points.centers[..., None])[..., 0] + answers.signs * answers.offsets[points.shapes]
    spreads = np.maximum(np.sqrt(np.square(rows @ roots.swapaxes(1, 2)).sum(axis=2)), MIN_SPREAD)
    found = np.empty((3, *means.shape))
    lapses = np.ascontiguousarray(points.lapses)
    nodes = NODES, NODE_WEIGHTS, GRID
    expected_losses(means, spreads, answers.tied, answers.ties, lapses, answers.responses, nodes, found)
    value, slope, curvature = found
    gradients = points.centers + ((slope * answers.strengths)[:, None] @ rows)[:, 0]
    log_spread = np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
    size = np.square(points.centers).sum(axis=1) + np.square(roots).sum(axis=(1, 2)) - rank
    bounds = log_spread - size / 2 - value @ answers.strengths
    return _FitState(replace(points, roots=roots, bounds=bounds), gradients, curvature)


class Design(NamedTuple):
    """What chains need of K points, whitened by their references and in 32 bits."""

    designs: Floats  # (K, R, T)
    offsets: Floats  # (K, T)
    priors: Floats  # (K, R, R)
    pulls: Floats  # (K, R)
    levels: Floats  # (K,)
    steps: Ints  # (K,)

    def take(self, chosen: Any) -> Design:
        """Some of the points."""
        return Design(*(part[chosen] for part in self))


def design_of(answers: Answers, points: Points) -> Design:
    """Margins and prior in the whitened coordinates of each point."""
    rows = _scaled_rows(answers, points)
    expected = answers.signs * answers.offsets[points.shapes]
    return Design(
        np.ascontiguousarray((rows @ points.roots.swapaxes(1, 2)).swapaxes(1, 2), real),
        ((rows @ points.centers[..., None])[..., 0] + expected).astype(real),
        (points.roots @ points.roots.swapaxes(1, 2)).astype(real),
        (points.roots @ points.centers[..., None])[..., 0].astype(real),
        (np.square(points.centers).sum(axis=1) / 2).astype(real),
        points.steps,
    )


def run(
    answers: Answers, design: Design, counts: Ints, noise: Floats, trajectories: int, rng: Generator
) -> tuple[Floats, Floats, Floats]:
    """Moves chains from standard normal noise (S, R), counts[k] for each point in turn.

    Returns where they end, whitened (S, R), their potentials (S, E) under each lapse, and the chance (S,) that the last
    trajectory was accepted with.
    """
    from askwise.posteriors.scores.lapse_chains import run_chains  # brings numba

    momenta = rng.standard_normal((trajectories, *noise.shape), dtype=real)
    jitter = rng.uniform(1 - ANGLE_JITTER, 1 + ANGLE_JITTER, (trajectories, len(counts)))
    angles = (jitter * (np.pi / 2) / design.steps).astype(real)
    uniforms = rng.random((2, trajectories, len(noise)), dtype=real)
    places, chances = noise.astype(real), np.ones(len(noise), real)
    potentials = np.empty((len(noise), len(answers.lapses)), real)
    starts = np.concatenate([[0], np.cumsum(counts)])
    run_chains(
        *design[:5], answers.strengths.astype(real), answers.tied, real(answers.ties), answers.lapses.astype(real),
        answers.log_lapse_prior.astype(real), real(answers.responses), starts, design.steps, angles, places, momenta,
        uniforms[0], uniforms[1], potentials, chances,
    )  # fmt: skip
    return places, potentials, chances


class PilotFindings(NamedTuple):
    """What a pilot run found out about K points."""

    log_evidence: Floats  # (K,)
    accepted: Floats  # (K,): share of trajectories
    steps: Ints  # (K,): to take next
    lapses: Floats  # (K,): expected share of lapses


def run_pilot(answers: Answers, points: Points, count: int, rng: Generator) -> PilotFindings:
    """Draws `count` times from each reference and moves the draws to the posterior: together they give the evidence.

    The likelihood of scores does not depend on the prior scale, so the draws of all scales of a shape serve each.
    """
    size, rank = len(points) * count, points.centers.shape[1]
    counts = np.full(len(points), count)
    noise = rng.standard_normal((size, rank), dtype=real)
    design = design_of(answers, points)
    _, before, _ = run(answers, design, counts, noise, 0, rng)
    ends, after, chances = run(answers, design, counts, noise, PILOT_TRAJECTORIES, rng)
    owners = np.repeat(np.arange(len(points)), count)
    likelihoods = [log_sum((answers.log_lapse_prior - potential).T).astype(float) for potential in (before, after)]
    evidence = np.empty(len(points))
    for shape in np.unique(points.shapes):
        own = np.flatnonzero(points.shapes == shape)
        mine = np.isin(owners, own)
        used = int(np.flatnonzero(answers.rows[shape].any(axis=0)).max(initial=-1)) + 1
        some = replace(points.take(own), centers=points.centers[own, :used], roots=points.roots[own, :used, :used])
        draws = [(noise[mine, :used], likelihoods[0][mine]), (ends[mine, :used], likelihoods[1][mine])]
        # what a potential has beyond the coordinates in use is the same in prior and reference
        beyond = [np.square(place[mine, used:]).sum(axis=1) / 2 for place in (noise, ends)]
        draws = [(place.astype(float), level + rest) for (place, level), rest in zip(draws, beyond, strict=True)]
        evidence[own] = _evidence_of_scales(some, draws, count)
    accepted = chances.reshape(-1, count).mean(axis=1).astype(float)
    rung = np.searchsorted(LEAPFROG_STEPS, points.steps)
    rung = rung + (accepted < MIN_ACCEPTANCE) - (accepted > EASY_ACCEPTANCE)
    steps = LEAPFROG_STEPS[np.clip(rung, 0, len(LEAPFROG_STEPS) - 1)]
    shares = np.exp(answers.log_lapse_prior - after - log_sum((answers.log_lapse_prior - after).T)[:, None])
    lapses = (shares @ answers.lapses).reshape(-1, count).mean(axis=1)
    return PilotFindings(evidence, accepted, steps, lapses)


def _evidence_of_scales(points: Points, draws: Sequence[tuple[Floats, Floats]], count: int) -> Floats:
    """(K,): the log evidence of the scales of one shape. `draws` are whitened places, and the log of prior times
    likelihood there, of `count` draws of each reference and of each posterior."""
    roots, scales = points.roots, points.scales
    owners = np.repeat(np.arange(len(points)), count)
    inverses = triangular_inverses(roots)
    rank = roots.shape[1]
    scored, likelihoods = [], []
    for places, log_joint in draws:
        coordinates = points.centers[owners] + np.einsum("sr,srq->sq", places, roots[owners])
        likelihoods.append(log_joint + np.square(coordinates).sum(axis=1) / 2)
        scored.append(coordinates * scales[owners, None])
    scores, likelihood = np.concatenate(scored), np.concatenate(likelihoods)
    log_spread = np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1) + rank * np.log(scales)
    whitened = (scores / scales[:, None, None] - points.centers[:, None]) @ inverses  # (K, M, R)
    references = -log_spread[:, None] - np.square(whitened).sum(axis=2) / 2
    proposal = log_sum(references) + np.log(count)
    sizes = np.square(scores).sum(axis=1)
    targets = likelihood - rank * np.log(scales)[:, None] - sizes / scales[:, None] ** 2 / 2
    return log_evidences(proposal, targets, np.full(len(points), count), points.bounds)
