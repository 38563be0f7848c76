"""A small run of the sampler after each answer: what the scales weigh, and how hard the sampler has to work."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from askwise.posteriors.bridge import log_evidences
from askwise.posteriors.evidence import Evidence
from askwise.posteriors.hmc import Target, run
from askwise.posteriors.psis import pareto_shape
from askwise.posteriors.reference import Reference
from askwise.types import Bools, Floats, Ints

ACCEPTANCE = 0.8  # below this the sampler takes more and shorter steps
POOR = 0.6  # below this a heavy scale is tried again at once; else its pilots will do, and only the draws get more
EASY = 0.95  # above this it may try fewer next time
LADDER = np.array([2, 3, 4, 6, 8, 12, 16, 24, 32])
HEAVY = 0.02  # share of the weight from which on a scale is worth a second try
DRAWS = 390  # importance draws of all references together
FEW = 128  # draws when there is only one scale, so that there is nothing to weigh
PILOTS = 64  # of which are moved on then


@dataclass(frozen=True)
class Trial:
    """What was found out about K scales."""

    weights: Floats  # (K,) posterior weight of each scale
    steps: Ints  # (K,) steps of a trajectory at which enough are accepted
    accepted: Floats  # (K,) share of trajectories accepted
    trajectories: int  # for a fresh draw of a reference to become one of the posterior
    effective_sample_size: float  # that DRAWS draws of the references would have, weighted towards the posterior
    pareto_shape: float  # of these weights
    spread: float  # mean square of whitened draws of the posterior; 1 where the references are right

    @staticmethod
    def untried(weights: Floats) -> Trial:
        """Before any answer, when the references are the prior itself."""
        count = len(weights)
        return Trial(weights, np.full(count, LADDER[0]), np.ones(count), 3, float(DRAWS), 0.0, 1.0)

    @property
    def acceptance(self) -> float:
        return float(self.weights @ self.accepted)

    def next_steps(self) -> Ints:
        """Steps to try after the next answer: one rung down where trajectories were accepted easily."""
        rung = np.searchsorted(LADDER, self.steps) - (self.accepted > EASY)
        return np.maximum.accumulate(LADDER[np.maximum(rung, 0)])


def attempt(
    evidence: Evidence,
    reference: Reference,
    log_prior: Floats,
    hoped: Floats,
    steps: Ints,
    length: int,
    rng: Generator,
) -> Trial:
    """Draws of the references, moved to the posteriors: both together give the evidence of each scale.

    `hoped` (K,) are rough weights: half of the draws follow them, half are spread evenly. The move takes `length`
    trajectories of steps[k] steps or, where too few are accepted, of more.
    """
    count = len(log_prior)
    shares = np.ceil((DRAWS if count > 1 else FEW) * (hoped + 1 / count) / 2).astype(int)
    pilots = shares if count > 1 else np.array([PILOTS])
    noise = rng.standard_normal((int(shares.sum()), evidence.rank), dtype=evidence.precision)
    starts = Target(evidence, reference, shares).points(noise)
    moved = np.concatenate([np.arange(total) < few for total, few in zip(shares, pilots, strict=True)])
    ends, steps, accepted = climb(evidence, reference, pilots, noise[moved], steps, hoped > HEAVY, length, rng)
    points = np.concatenate([starts, Target(evidence, reference, pilots).points(ends)]).astype(float)
    proposal = log_sum(reference.log_density(points) + np.log(shares)[:, None])
    size, scales = np.square(points).sum(axis=1), reference.scales[:, None]
    targets = -evidence.rank * np.log(scales) - size / scales**2 / 2 - evidence.potential(points)  # (K, M)
    log_weights = log_prior + log_evidences(proposal, targets, pilots, reference.bounds)
    weights = np.exp(log_weights - log_sum(log_weights))
    importance = (log_sum(log_prior[:, None] + targets) - proposal)[: len(starts)]
    relative = np.exp(importance - importance.max())
    shape = min(pareto_shape(importance), 10.0)  # diagnostics are written as JSON, which has no infinity
    spread = float(weights @ _means(np.square(ends).mean(axis=1), pilots))
    # in many dimensions the shape is always bad; it matters where the references also have the wrong width
    wrong = abs(spread - 1) > (0.2 if shape > 0.7 else 0.35)
    hard = wrong or float(weights @ accepted) < ACCEPTANCE
    ess = DRAWS * float(relative.mean() ** 2 / np.square(relative).mean())
    return Trial(weights, steps, accepted, 5 if hard else 3, ess, shape, spread)


def climb(
    evidence: Evidence,
    reference: Reference,
    counts: Ints,
    noise: Floats,
    steps: Ints,
    heavy: Bools,
    length: int,
    rng: Generator,
) -> tuple[Floats, Ints, Floats]:
    """Move chains by `length` trajectories, with more steps for the scales that accept too few; the steps that did.

    Only heavy scales with poor steps are tried again at once: others find theirs over the rounds.
    """
    ends, accepted, again = np.empty_like(noise), np.ones(len(counts)), np.ones(len(counts), dtype=bool)
    while again.any():
        moving, rows = np.where(again, counts, 0), np.repeat(again, counts)
        ends[rows], chance = run(evidence, reference, moving, steps, noise[rows], length, rng)
        accepted[again] = _means(chance, moving)[again]
        low = again & (accepted < ACCEPTANCE) & (steps < LADDER[-1])
        higher = LADDER[np.minimum(np.searchsorted(LADDER, steps) + 1, len(LADDER) - 1)]
        steps = np.maximum.accumulate(np.where(low, higher, steps))
        again = low & heavy & (accepted < POOR)
    return ends, steps, accepted


def log_sum(logs: Floats) -> Floats:
    """log of the sum of exponentials over the first axis; np.logaddexp.reduce is much slower."""
    top = logs.max(axis=0)
    return top + np.log(np.exp(logs - top).sum(axis=0))


def _means(values: Floats, counts: Ints) -> Floats:
    """(K,) means of values (S,) that stand in the order of their scales; 0 for a scale without any."""
    return np.bincount(np.repeat(np.arange(len(counts)), counts), values, len(counts)) / np.maximum(counts, 1)
