"""New answers resample chains of label weights: how much of an answer is met at a time, and which chains survive it."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from askwise.posteriors.scores.label_evidence import LabelEvidence
from askwise.posteriors.scores.logconcave import systematic_counts
from askwise.posteriors.scores.pilot import log_sum
from askwise.types import Floats, Ints

COMPLETIONS = 8  # draws of the coordinates that are new, for each chain
MIN_EFFECTIVE_SHARE = 0.2  # of the chains, that resampling must leave
MIN_POWER = 0.02  # of an answer, that is met at a time


def completed(
    evidence: LabelEvidence, points: Floats, scales: Floats, lapses: Floats, rng: Generator
) -> tuple[Floats, Floats]:
    """Coordinates that chains do not have yet, drawn from their prior, and the log-likelihood of the answers with them.

    - `evidence`: the new answers.
    - `points`: (C, rank before).
    - `scales`: (C,), the prior scale of each chain.
    - `lapses`: (C,), its share of lapses.

    Returns (C, J, more) and (C, J), J draws for each chain, or one if there is nothing to draw.
    """
    labels, contrasts = evidence.contrasts.shape
    known, more = points.shape[1] // contrasts, evidence.rank - points.shape[1]
    draws, chains = COMPLETIONS if more else 1, len(points)
    rows, real = evidence.rows.astype(evidence.precision), evidence.precision
    fresh = rng.standard_normal((more // contrasts, contrasts, chains * draws), dtype=real)
    fresh *= np.repeat(scales.astype(real), draws)
    old = evidence.contrasts @ points.T.reshape(known, contrasts, chains)
    scores = (rows[:, :known] @ old.astype(real).reshape(known, labels * chains)).reshape(len(rows), labels, chains)
    new = (evidence.contrasts.astype(real) @ fresh).reshape(len(fresh), labels * chains * draws)
    scores = np.repeat(scores, draws, axis=2) + (rows[:, known:] @ new).reshape(len(rows), labels, -1)
    logs = -evidence.potential_of_scores(scores, np.repeat(lapses, draws)).astype(float)
    return np.ascontiguousarray(fresh.reshape(more, chains, draws).transpose(1, 2, 0)), logs.reshape(chains, draws)


def resample(logs: Floats, rng: Generator) -> tuple[Ints, Ints, float]:
    """Chains in proportion to the likelihood of new answers, whose logs (C, J) are given.

    Returns which chain each comes from, which of its J draws it takes, and the log of the mean likelihood.

    >>> resample(np.array([[0.0], [-99.0]]), np.random.default_rng(0))
    (array([0, 0]), array([0, 0]), -0.693...)
    """
    totals = np.asarray(log_sum(logs.T)) - np.log(logs.shape[1])
    counts = systematic_counts(np.exp(totals - totals.max()), len(logs), rng)
    kept = np.repeat(np.arange(len(logs)), counts)
    drawn = (logs[kept] + rng.gumbel(size=(len(kept), logs.shape[1]))).argmax(axis=1)
    return kept, drawn, float(log_sum(totals)) - float(np.log(len(totals)))


def bearable_power(logs: Floats, most: float) -> float:
    """The largest power, up to `most`, of likelihoods with these logs (C, J) that leaves enough chains different.

    >>> bearable_power(np.zeros((4, 1)), 1.0), bearable_power(np.array([[0.0]] + 99 * [[-50.0]]), 1.0) < 0.2
    (1.0, True)
    """
    if effective_share(most * logs) >= MIN_EFFECTIVE_SHARE:
        return most
    low, high = 0.0, most
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if effective_share(middle * logs) >= MIN_EFFECTIVE_SHARE else (low, middle)
    return max(low, MIN_POWER)


def effective_share(logs: Floats) -> float:
    """Of chains with these log weights (C, J): the share of equally weighted chains that would be worth as much.

    >>> round(effective_share(np.array([[0.0], [0.0], [-99.0], [-99.0]])), 4)
    0.5
    """
    weights = np.exp(logs - logs.max()).sum(axis=1)
    return float(weights.mean() ** 2 / np.square(weights).mean())
