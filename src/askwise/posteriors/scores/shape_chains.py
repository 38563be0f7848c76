"""Chains of split Hamiltonian Monte Carlo from the references of a grid's points, and the evidence of the points.

Chains start from a point's reference and end at its posterior; draws from both sides give the evidence by bridge
sampling.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from askwise.posteriors.scores.bridge import log_evidences
from askwise.posteriors.scores.pilot import log_sum
from askwise.posteriors.scores.shape_points import Answers, Points, covariance_roots
from askwise.types import Floats, Ints

ANGLE_JITTER = 0.15  # without it, trajectories of a quarter turn could resonate with the posterior
LEAPFROG_STEPS = np.array([2, 3, 4, 6, 8, 12, 16, 24])  # a trajectory may take
MIN_ACCEPTANCE, EASY_ACCEPTANCE = 0.75, 0.93
PILOT_TRAJECTORIES = 2
real = np.float32


class Design(NamedTuple):
    """What chains need of K points, whitened by their references and in 32 bits."""

    designs: Floats  # (K, R, T): margins are offsets + place @ design
    offsets: Floats  # (K, T)
    precisions: Floats  # (K, T): the curvature that each reference gives the answers
    pulls: Floats  # (K, R): the prior's gradient at the center
    levels: Floats  # (K,): its potential there
    bounds: Floats  # (K, 3, T): the intervals of graded answers; (K, 3, 0) of others
    centers: Floats  # (K, R)
    roots: Floats  # (K, R, R): coordinates are center + place @ root
    steps: Ints  # (K,)

    def take(self, chosen: Any) -> Design:
        """Some of the points."""
        return Design(*(part[chosen] for part in self))

    def joined(self, others: Design) -> Design:
        """These points and the others."""
        return Design(*(np.concatenate(parts) for parts in zip(self, others, strict=True)))

    def coordinates(self, places: Floats, counts: Ints) -> Floats:
        """(S, R): where whitened places are, counts[k] of each point in turn."""
        found, start = np.empty_like(places), 0
        for center, root, count in zip(self.centers, self.roots, counts.tolist(), strict=True):
            found[start : start + count] = places[start : start + count] @ root + center
            start += count
        return found


def design_of(answers: Answers, points: Points, roots: Floats) -> Design:
    """Margins and prior in the whitened coordinates of each point."""
    shapes = answers.shapes_of(points)
    signed = answers.signed_rows[shapes]
    rows = (signed * points.scales[:, None, None]).astype(real)
    lower = roots.astype(real)
    centers = points.centers.astype(real)
    offsets = points.scales[:, None] * (signed @ points.centers[..., None])[..., 0]
    return Design(
        lower @ rows.swapaxes(1, 2),
        (offsets + answers.signed_offsets[shapes]).astype(real),
        (points.curvatures * answers.strengths).astype(real),
        (lower @ centers[..., None])[..., 0],
        (np.square(points.centers).sum(axis=1) / 2).astype(real),
        answers.bounds_of(points).astype(real),
        centers,
        lower,
        points.steps,
    )


def design_of_some(answers: Answers, points: Points, order: Ints, fresh: Design | None) -> Design:
    """What chains need of the points in that order; `fresh` has it of the last points."""
    first = len(points) - (0 if fresh is None else len(fresh.steps))
    old = points.take(order[order < first])
    design = design_of(answers, old, covariance_roots(answers, old))
    if fresh is not None:
        design = design.joined(fresh.take(order[order >= first] - first))
        design = design.take(np.argsort(np.argsort(order >= first, kind="stable")))
    return design._replace(steps=points.steps[order])


class ChainEnds(NamedTuple):
    """Where S chains start and end."""

    places: Floats  # (S, R): the ends, whitened
    potentials: Floats  # (2, S, E): at the start and at the end, under each lapse
    chances: Floats  # (S,): that the last trajectory was accepted with


def run(answers: Answers, design: Design, counts: Ints, noise: Floats, trajectories: int, rng: Generator) -> ChainEnds:
    """Moves chains from standard normal noise (S, R), counts[k] for each point in turn."""
    from askwise.posteriors.scores.lapse_chains import run_chains  # brings numba

    momenta = rng.standard_normal((trajectories, *noise.shape), dtype=real)
    jitter = rng.uniform(1 - ANGLE_JITTER, 1 + ANGLE_JITTER, (trajectories, len(counts)))
    angles = (jitter * (np.pi / 2) / design.steps).astype(real)
    uniforms = rng.random((2, trajectories, len(noise)), dtype=real)
    places, chances = noise.copy(), np.ones(len(noise), real)
    potentials = np.empty((2, len(noise), len(answers.lapses)), real)
    starts = np.concatenate([[0], np.cumsum(counts)])
    lapses, log_prior = answers.lapses.astype(real), answers.log_lapse_prior.astype(real)
    strengths, uneven = answers.strengths.astype(real), np.flatnonzero(answers.strengths != 1)
    layout = (*answers.layout.compared, answers.layout.rows)
    likelihood = strengths, uneven, answers.tied, real(answers.ties), lapses, real(answers.responses), layout
    run_chains(
        *design[:6], likelihood, log_prior, starts, design.steps, angles, places, momenta, uniforms, potentials, chances
    )
    return ChainEnds(places, potentials, chances)


class PilotFindings(NamedTuple):
    """What a pilot run found out about K points."""

    log_evidence: Floats  # (K,)
    accepted: Floats  # (K,): share of trajectories
    steps: Ints  # (K,): to take next
    lapses: Floats  # (K,): expected share of lapses
    design: Design


def run_pilot(answers: Answers, points: Points, roots: Floats, count: int, rng: Generator) -> PilotFindings:
    """Draws `count` times from each reference and moves the draws to the posterior: together they give the evidence."""
    counts = np.full(len(points), count)
    noise = rng.standard_normal((len(points) * count, points.centers.shape[1]), dtype=real)
    design = design_of(answers, points, roots)
    ends = run(answers, design, counts, noise, PILOT_TRAJECTORIES, rng)
    evidence = np.empty(len(points))
    for shape in np.unique(points.shapes):
        own = points.shapes == shape
        mine = np.repeat(own, count)
        rank = int(np.flatnonzero(answers.rows[shape % len(answers.rows)].any(axis=0)).max(initial=-1)) + 1
        places = np.stack([noise[mine], ends.places[mine]])
        evidence[own] = _evidence_of_scales(
            answers, points.take(own), design.take(own), places, ends.potentials[:, mine], count, rank
        )
    accepted = ends.chances.reshape(-1, count).mean(axis=1).astype(float)
    rung = np.searchsorted(LEAPFROG_STEPS, points.steps)
    rung = rung + (accepted < MIN_ACCEPTANCE) - (accepted > EASY_ACCEPTANCE)
    steps = LEAPFROG_STEPS[np.clip(rung, 0, len(LEAPFROG_STEPS) - 1)]
    after = answers.log_lapse_prior - ends.potentials[1]
    shares = np.exp(after - log_sum(after.T)[:, None])
    lapses = (shares @ answers.lapses).reshape(-1, count).mean(axis=1)
    return PilotFindings(evidence, accepted, steps, lapses, design)


def _evidence_of_scales(
    answers: Answers, points: Points, design: Design, places: Floats, potentials: Floats, count: int, rank: int
) -> Floats:
    """(K,): the log evidence of the scales of one shape with `rank` coordinates.

    `places` (2, S, R) are `count` draws of each reference and of each posterior, whitened, and `potentials` (2, S, E)
    those there. The likelihood of scores does not depend on the scale, so the draws of all scales serve each.
    """
    counts = np.full(len(points), count)
    scales = points.scales
    owned = np.tile(np.repeat(scales, count), 2)
    coordinates = np.concatenate([design.coordinates(part, counts) for part in places])[:, :rank].astype(float)
    turned = [
        (part.reshape(len(points), count, -1) @ design.designs).reshape(-1, design.designs.shape[2]) for part in places
    ]
    margins = np.concatenate(turned) + np.tile(
        np.repeat(design.offsets, count, axis=0), (2, 1)
    )  # (M, T), of all scales
    joint = log_sum((answers.log_lapse_prior - potentials.reshape(len(margins), -1)).T).astype(float)
    beyond = np.square(places[..., rank:]).sum(axis=2).ravel() / 2  # prior and reference are the same there
    likelihood = joint + beyond + np.square(coordinates).sum(axis=1) / 2
    scores = coordinates * owned[:, None]
    log_scales = rank * np.log(scales)[:, None]
    log_spread = np.log(np.diagonal(design.roots, axis1=1, axis2=2).astype(float)).sum(axis=1)[:, None] + log_scales
    references, sizes = np.empty((len(points), len(scores))), np.square(scores).sum(axis=1)
    for k, scale in enumerate(scales):
        apart = np.square(scores / scale - points.centers[k, :rank]).sum(axis=1)
        references[k] = apart + np.square(margins - design.offsets[k]) @ design.precisions[k]
    proposal = log_sum(-log_spread - references / 2) + np.log(count)
    targets = likelihood - log_scales - sizes / scales[:, None] ** 2 / 2
    return log_evidences(proposal, targets, counts, points.bounds)
