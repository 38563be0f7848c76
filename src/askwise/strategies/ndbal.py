"""NDBAL, the paper's strategy: ask what leaves the least average diameter under the least helpful answer.

>>> from askwise.distances import TableDistance
>>> from askwise.losses import zero_one
>>> from askwise.structures.finite import Finite
>>> problem = Problem(Finite([[0, 0], [0, 1]]), TableDistance(1.0 - np.eye(2)), zero_one, beta=3.0)
>>> sample = Sample(np.arange(2), np.full(2, 0.5), exact=True)
>>> ndbal(problem, None, sample, np.arange(2), np.random.default_rng(0)).gain.argmax()
np.int64(1)
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from askwise.posteriors import Drawn
from askwise.problem import Problem
from askwise.strategies.split import split
from askwise.types import Atoms, Sample, Scored

PAPER_PAIRS = 300


def ndbal(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """The average split of each atom over all pairs of draws (eq. general loss query)."""
    scores = split(problem, sample, atoms)
    return Scored(np.maximum(scores.average_split(), 0.0), {"diameter": scores.diameter})


def ndbal_paper(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """As `ndbal`, from 300 disjoint pairs of draws, as in the paper's experiments."""
    draws = sample.structures
    if sample.exact or len(draws) < 2 * PAPER_PAIRS or np.ptp(sample.weights) > 0:  # pairs drawn from the weights
        chosen = rng.choice(len(draws), 2 * PAPER_PAIRS, p=sample.weights)
        draws = draws[chosen]
    left, right = draws[np.arange(PAPER_PAIRS)], draws[np.arange(PAPER_PAIRS, 2 * PAPER_PAIRS)]
    distances = problem.distance.paired(left, right)
    guess_left, guess_right = problem.family.predict(left, atoms), problem.family.predict(right, atoms)
    surviving = [
        distances @ (problem.likelihood(guess_left, y) * problem.likelihood(guess_right, y))
        for y in problem.family.responses(guess_left)
    ]
    total = distances.sum()
    gain = 1.0 - np.max(surviving, axis=0) / total if total > 0 else np.zeros(len(atoms))
    return Scored(np.maximum(gain, 0.0), {"pairs": PAPER_PAIRS})
