"""A pilot run of the sampler after each answer: it weighs the prior scales and tunes the sampler."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from askwise.posteriors.scores.bridge import log_evidences
from askwise.posteriors.scores.evidence import Evidence
from askwise.posteriors.scores.hmc import Target, run
from askwise.posteriors.scores.psis import pareto_shape
from askwise.posteriors.scores.reference import Reference
from askwise.types import Bools, Floats, Ints

MIN_ACCEPTANCE = 0.8  # below this a trajectory takes more and shorter steps
RETRY_ACCEPTANCE = 0.6  # below this a scale that carries weight is run again at once
EASY_ACCEPTANCE = 0.95  # above this it takes fewer next time
LEAPFROG_STEPS = np.array([2, 3, 4, 6, 8, 12, 16, 24, 32])  # a trajectory may take
RETRY_WEIGHT = 0.02  # share of the weight at which a scale is worth a second run
IMPORTANCE_DRAWS = 390  # of all references together
SINGLE_SCALE_DRAWS = 128  # when there is only one scale, and nothing to weigh
SINGLE_SCALE_CHAINS = 64  # that move then


@dataclass(frozen=True)
class PilotRun:
    """What a pilot run found out about K scales."""

    weights: Floats  # (K,) posterior weight of each scale
    steps: Ints  # (K,) leapfrog steps at which enough trajectories are accepted
    accepted: Floats  # (K,) share of trajectories accepted
    trajectories: int  # that turn a fresh draw of a reference into a draw of the posterior
    effective_sample_size: float  # of IMPORTANCE_DRAWS draws of the references, weighted towards the posterior
    pareto_shape: float  # of these weights
    spread: float  # mean square of whitened draws of the posterior; 1 where the references are right

    @staticmethod
    def of_prior(weights: Floats) -> PilotRun:
        """Before any answer, when the references are the prior itself."""
        count = len(weights)
        return PilotRun(
            weights, np.full(count, LEAPFROG_STEPS[0]), np.ones(count), 3, float(IMPORTANCE_DRAWS), 0.0, 1.0
        )

    @property
    def acceptance(self) -> float:
        """The share of trajectories accepted, over all scales."""
        return float(self.weights @ self.accepted)

    def next_steps(self) -> Ints:
        """(K,): leapfrog steps after the next answer, one rung fewer where trajectories were accepted easily."""
        rung = np.searchsorted(LEAPFROG_STEPS, self.steps) - (self.accepted > EASY_ACCEPTANCE)
        return np.maximum.accumulate(LEAPFROG_STEPS[np.maximum(rung, 0)])


def run_pilot(
    evidence: Evidence,
    reference: Reference,
    log_prior: Floats,
    rough_weights: Floats,
    steps: Ints,
    length: int,
    rng: Generator,
) -> PilotRun:
    """Draws from the references and moves some to the posteriors: together they give the evidence of each scale.

    Half of the draws follow the `rough_weights` (K,), half are spread evenly. A move takes `length` trajectories of
    steps[k] leapfrog steps or, where too few are accepted, of more.
    """
    count = len(log_prior)
    shares = np.ceil((IMPORTANCE_DRAWS if count > 1 else SINGLE_SCALE_DRAWS) * (rough_weights + 1 / count) / 2).astype(
        int
    )
    chains = shares if count > 1 else np.array([SINGLE_SCALE_CHAINS])
    noise = rng.standard_normal((int(shares.sum()), evidence.rank), dtype=evidence.precision)
    starts = Target(evidence, reference, shares).points(noise)
    moving = np.concatenate([np.arange(total) < few for total, few in zip(shares, chains, strict=True)])
    ends, steps, accepted = adapt_steps(
        evidence, reference, chains, noise[moving], steps, rough_weights > RETRY_WEIGHT, length, rng
    )
    points = np.concatenate([starts, Target(evidence, reference, chains).points(ends)]).astype(float)
    proposal = log_sum(reference.log_density(points) + np.log(shares)[:, None])
    size, scales = np.square(points).sum(axis=1), reference.scales[:, None]
    targets = -evidence.rank * np.log(scales) - size / scales**2 / 2 - evidence.potential(points)  # (K, M)
    log_weights = log_prior + log_evidences(proposal, targets, chains, reference.bounds)
    weights = np.exp(log_weights - log_sum(log_weights))
    importance = (log_sum(log_prior[:, None] + targets) - proposal)[: len(starts)]
    relative = np.exp(importance - importance.max())
    shape = min(pareto_shape(importance), 10.0)  # diagnostics are written as JSON, which has no infinity
    spread = float(weights @ _means_by_scale(np.square(ends).mean(axis=1), chains))
    # in many dimensions the shape is always bad; it matters where the references also have the wrong width
    wrong = abs(spread - 1) > (0.2 if shape > 0.7 else 0.35)
    hard = wrong or float(weights @ accepted) < MIN_ACCEPTANCE
    ess = IMPORTANCE_DRAWS * float(relative.mean() ** 2 / np.square(relative).mean())
    return PilotRun(weights, steps, accepted, 5 if hard else 3, ess, shape, spread)


def adapt_steps(
    evidence: Evidence,
    reference: Reference,
    counts: Ints,
    noise: Floats,
    steps: Ints,
    heavy: Bools,
    length: int,
    rng: Generator,
) -> tuple[Floats, Ints, Floats]:
    """Moves chains by `length` trajectories, with more steps for scales that accept too few.

    Returns where the chains end, the steps to use, and the share accepted. Only `heavy` scales with poor acceptance run
    again at once; the others adapt over the rounds.
    """
    ends, accepted, retry = np.empty_like(noise), np.ones(len(counts)), np.ones(len(counts), dtype=bool)
    while retry.any():
        moving, rows = np.where(retry, counts, 0), np.repeat(retry, counts)
        ends[rows], chance = run(evidence, reference, moving, steps, noise[rows], length, rng)
        accepted[retry] = _means_by_scale(chance, moving)[retry]
        low = retry & (accepted < MIN_ACCEPTANCE) & (steps < LEAPFROG_STEPS[-1])
        higher = LEAPFROG_STEPS[np.minimum(np.searchsorted(LEAPFROG_STEPS, steps) + 1, len(LEAPFROG_STEPS) - 1)]
        steps = np.maximum.accumulate(np.where(low, higher, steps))
        retry = low & heavy & (accepted < RETRY_ACCEPTANCE)
    return ends, steps, accepted


def log_sum(logs: Floats) -> Floats:
    """Log of the sum of exponentials over the first axis; np.logaddexp.reduce is much slower.

    >>> log_sum(np.log(np.array([[1.0, 2.0], [3.0, 2.0]]))).round(4)
    array([1.3863, 1.3863])
    """
    top = logs.max(axis=0)
    return top + np.log(np.exp(logs - top).sum(axis=0))


def _means_by_scale(values: Floats, counts: Ints) -> Floats:
    """(K,): means of values (S,), which are in the order of their scales; 0 for a scale without any."""
    return np.bincount(np.repeat(np.arange(len(counts)), counts), values, len(counts)) / np.maximum(counts, 1)
