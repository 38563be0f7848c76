"""A small run of the sampler after each answer: what the scales weigh, and how hard the sampler has to work."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from askwise.posteriors.bridge import log_evidences
from askwise.posteriors.evidence import Evidence
from askwise.posteriors.hmc import Plan, Target, run
from askwise.posteriors.psis import pareto_shape
from askwise.posteriors.reference import Reference
from askwise.types import Floats, Ints

ACCEPTANCE = 0.8  # below this the sampler takes more and shorter steps
EASY = 0.94  # above this it may try fewer next time
LADDER = np.array([2, 3, 4, 6, 8, 12, 16, 24, 32])
DRAWS = 390  # importance draws of all references together
PILOTS = 64  # of which are moved on when there is only one scale, so that there is nothing to weigh


@dataclass(frozen=True)
class Trial:
    """What was found out about K scales."""

    weights: Floats  # (K,) posterior weight of each scale
    steps: Ints  # (K,) steps of a trajectory at which enough are accepted
    accepted: Floats  # (K,) share of trajectories accepted
    trajectories: int  # for a fresh draw of a reference to become one of the posterior
    effective_sample_size: float  # of DRAWS draws of the references, weighted towards the posterior
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
        return LADDER[np.maximum(rung, 0)]


def attempt(
    evidence: Evidence, reference: Reference, log_prior: Floats, hoped: Floats, steps: Ints, rng: Generator
) -> Trial:
    """Draws of the references, moved to the posteriors: both together give the evidence of each scale.

    `hoped` (K,) are rough weights: half of the draws follow them, half are spread evenly.
    """
    count = len(log_prior)
    shares = np.ceil(DRAWS * (hoped + 1 / count) / 2).astype(int)
    pilots = shares if count > 1 else np.array([PILOTS])
    noise = rng.standard_normal((int(shares.sum()), evidence.rank), dtype=evidence.precision)
    starts = Target(evidence, reference, shares).points(noise)
    moved = np.concatenate([np.arange(total) < few for total, few in zip(shares, pilots, strict=True)])
    ends, steps, accepted = climb(evidence, reference, pilots, noise[moved], steps, rng)
    points = np.concatenate([starts, Target(evidence, reference, pilots).points(ends)]).astype(float)
    proposal = log_sum(reference.log_density(points) + np.log(shares)[:, None])
    size, scales = np.square(points).sum(axis=1), reference.scales[:, None]
    targets = -evidence.rank * np.log(scales) - size / scales**2 / 2 - evidence.potential(points)  # (K, M)
    log_weights = log_prior + log_evidences(proposal, targets, pilots, reference.bounds)
    weights = np.exp(log_weights - log_sum(log_weights))
    importance = (log_sum(log_prior[:, None] + targets) - proposal)[: len(starts)]
    relative = np.exp(importance - importance.max())
    shape = pareto_shape(importance)
    spread = float(weights @ _means(np.square(ends).mean(axis=1), pilots))
    hard = float(weights @ accepted) < ACCEPTANCE or (shape > 0.7 and abs(spread - 1) > 0.2)
    ess = DRAWS * float(relative.mean() ** 2 / np.square(relative).mean())
    return Trial(weights, steps, accepted, 5 if hard else 3, ess, shape, spread)


def climb(
    evidence: Evidence, reference: Reference, counts: Ints, noise: Floats, steps: Ints, rng: Generator
) -> tuple[Floats, Ints, Floats]:
    """Move chains by two trajectories, with more steps for the scales that accept too few; the steps that did."""
    ends, accepted, low = np.empty_like(noise), np.ones(len(counts)), np.ones(len(counts), dtype=bool)
    while low.any():
        steps = np.maximum.accumulate(steps)
        moving, rows = np.where(low, counts, 0), np.repeat(low, counts)
        ends[rows], chance = run(Plan(evidence, reference, moving, steps), noise[rows], 2, rng)
        accepted[low] = _means(chance, moving)[low]
        low = (accepted < ACCEPTANCE) & (steps < LADDER[-1])
        steps = np.where(low, LADDER[np.searchsorted(LADDER, np.minimum(steps, LADDER[-2])) + 1], steps)
    return ends, steps, accepted


def log_sum(logs: Floats) -> Floats:
    """log of the sum of exponentials over the first axis; np.logaddexp.reduce is ten times as slow."""
    top = logs.max(axis=0)
    return top + np.log(np.exp(logs - top).sum(axis=0))


def _means(values: Floats, counts: Ints) -> Floats:
    """(K,) means of values (S,) that stand in the order of their scales; 0 for a scale without any."""
    return np.bincount(np.repeat(np.arange(len(counts)), counts), values, len(counts)) / np.maximum(counts, 1)
