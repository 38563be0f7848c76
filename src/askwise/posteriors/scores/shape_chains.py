"""Chains of split Hamiltonian Monte Carlo from the references of a grid's points, and the evidence of the points.

Chains start from draws of the references and end at a point's posterior; draws from both sides give the evidence by
bridge sampling.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from askwise.posteriors.scores.bridge import log_evidences
from askwise.posteriors.scores.pilot import log_sum
from askwise.posteriors.scores.scale_draws import Candidates, ShapeReferences, candidates
from askwise.posteriors.scores.shape_points import Answers, Points, covariance_roots
from askwise.types import Bools, Floats, Ints

ANGLE_JITTER = 0.15  # without it, trajectories of a quarter turn could resonate with the posterior
LEAPFROG_STEPS = np.array([2, 3, 4, 6, 8, 12, 16, 24])  # a trajectory may take
POOR_ACCEPTANCE, MIN_ACCEPTANCE, EASY_ACCEPTANCE = 0.5, 0.75, 0.93
PILOT_TRAJECTORIES = 2
MAX_MISSED_SHARE = 0.02  # of a posterior, beyond which its chains choose their starts among draws of all references
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
    from askwise._runtime.normals import standard_normals  # they bring numba
    from askwise.posteriors.scores.lapse_chains import chain_space, run_chains

    momenta = standard_normals((trajectories, *noise.shape), rng)
    jitter = rng.uniform(1 - ANGLE_JITTER, 1 + ANGLE_JITTER, (trajectories, len(counts)))
    angles = (jitter * (np.pi / 2) / design.steps).astype(real)
    uniforms = rng.random((2, trajectories, len(noise)), dtype=real)
    places, chances = noise.copy(), np.ones(len(noise), real)
    potentials = np.empty((2, len(noise), len(answers.lapses)), real)
    starts = np.concatenate([[0], np.cumsum(counts)])
    lapses, log_prior = answers.lapses.astype(real), answers.log_lapse_prior.astype(real)
    strengths, uneven = answers.strengths.astype(real), np.flatnonzero(answers.strengths != 1)
    layout = (*answers.layout.compared, answers.layout.rows) if answers.layout.rows > 1 else None
    likelihood = strengths, uneven, answers.tied, real(answers.ties), lapses, real(answers.responses)
    bounds = np.ascontiguousarray(design.bounds) if design.bounds.shape[2] else None
    pairs = True if layout is None and bounds is None else None
    _, rank, count = design.designs.shape
    run_chains(
        design.designs, np.ascontiguousarray(design.designs.swapaxes(1, 2)), *design[1:5],
        pairs, bounds, layout, likelihood, log_prior, starts, design.steps, angles,
        places, momenta, uniforms, potentials, chances,
        chain_space(int(counts.max(initial=0)), rank, count, len(lapses)),
    )  # fmt: skip
    return ChainEnds(places, potentials, chances)


class PilotFindings(NamedTuple):
    """What a pilot run found out about K points."""

    log_evidence: Floats  # (K,)
    accepted: Floats  # (K,): share of trajectories
    steps: Ints  # (K,): to take next
    lapses: Floats  # (K,): expected share of lapses
    missed: Floats  # (K,): the share of the posterior that the reference misses
    design: Design


def run_pilot(answers: Answers, points: Points, roots: Floats, count: int, rng: Generator) -> PilotFindings:
    """Draws `count` times from each reference and moves draws to the posterior: together they give the evidence."""
    from askwise._runtime.normals import standard_normals  # brings numba

    counts, missed = np.full(len(points), count), np.zeros(len(points))
    starts = standard_normals((len(points) * count, points.centers.shape[1]), rng)
    design, sought = design_of(answers, points, roots), dict[int, Candidates]()
    for shape, own, mine in _by_shape(points, counts):
        if len(own) > 1 and answers.may_contradict(shape):
            found = _candidates(answers, points.take(own), design.take(own), counts[own], rng)
            rank = found.references.rank
            sought[shape], missed[own] = found, found.missed_shares
            starts[mine, :rank] = found.chosen(rng)[:, :rank]
    ends = run(answers, design, counts, starts, PILOT_TRAJECTORIES, rng)
    evidence = np.empty(len(points))
    for shape, own, mine in _by_shape(points, counts):
        references = ShapeReferences(answers, points.take(own), design.take(own), answers.rank_of(shape))
        last = references.valued(ends.places[mine], ends.potentials[1, mine], counts[own])
        if shape in sought:
            both = sought[shape].draws.joined(last)
            proposal = sought[shape].log_proposal(both)
        else:
            both = references.valued(starts[mine], ends.potentials[0, mine], counts[own]).joined(last)
            proposal = references.log_proposal(both, count)
        evidence[own] = log_evidences(proposal, both.log_targets(points.scales[own]), counts[own], points.bounds[own])
    accepted = ends.chances.reshape(-1, count).mean(axis=1).astype(float)
    rung = np.searchsorted(LEAPFROG_STEPS, points.steps)
    rung = rung + (accepted < MIN_ACCEPTANCE) + 2 * (accepted < POOR_ACCEPTANCE) - (accepted > EASY_ACCEPTANCE)
    steps = LEAPFROG_STEPS[np.clip(rung, 0, len(LEAPFROG_STEPS) - 1)]
    after = answers.log_lapse_prior - ends.potentials[1]
    shares = np.exp(after - log_sum(after.T)[:, None])
    lapses = (shares @ answers.lapses).reshape(-1, count).mean(axis=1)
    return PilotFindings(evidence, accepted, steps, lapses, missed, design)


def draw(answers: Answers, points: Points, design: Design, counts: Ints, trajectories: int, rng: Generator) -> Floats:
    """(S, R): draws of the posteriors of points, those of a shape together, counts[k] of each in turn: whitened."""
    from askwise._runtime.normals import standard_normals  # brings numba

    starts = standard_normals((int(counts.sum()), points.centers.shape[1]), rng)
    choose = np.where(points.missed > MAX_MISSED_SHARE, counts, 0)
    for _, own, mine in _by_shape(points, counts):
        if len(own) > 1 and choose[own].any():
            found = _candidates(answers, points.take(own), design.take(own), choose[own], rng)
            chains = np.flatnonzero(mine & np.repeat(choose > 0, counts))
            rank = found.references.rank
            starts[chains, :rank] = found.chosen(rng)[:, :rank]
    return run(answers, design, counts, starts, trajectories, rng).places


def _candidates(answers: Answers, points: Points, design: Design, counts: Ints, rng: Generator) -> Candidates:
    """Where counts[k] chains of each point of one shape may start."""

    def potentials(places: Floats, many: Ints) -> Floats:
        return run(answers, design, many, places, 0, rng).potentials[0]

    references = ShapeReferences(answers, points, design, answers.rank_of(int(points.shapes[0])))
    return candidates(references, counts, potentials, rng)


def _by_shape(points: Points, counts: Ints) -> Iterator[tuple[int, Ints, Bools]]:
    """Each shape with its points (K',) and which of the draws (S,), counts[k] of each point in turn, are theirs."""
    for shape in np.unique(points.shapes).tolist():
        own = points.shapes == shape
        yield shape, np.flatnonzero(own), np.repeat(own, counts)
