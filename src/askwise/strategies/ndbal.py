"""NDBAL, the paper's rule: ask what leaves the least average diameter under the least helpful answer."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from askwise.posteriors import Drawn
from askwise.problem import Problem
from askwise.split import split
from askwise.types import Atoms, Sample, Scored

PAIRS = 300  # of the paper's experiments


def ndbal(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """The average split of each atom over all pairs of draws (eq. general loss query)."""
    scores = split(problem, sample, atoms)
    return Scored(np.maximum(scores.average_split(), 0.0), {"diameter": scores.diameter})


def ndbal_paper(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """The same from 300 disjoint pairs of draws, as in the paper's experiments."""
    draws = sample.structures
    if sample.exact or len(draws) < 2 * PAIRS or np.ptp(sample.weights) > 0:  # pairs drawn from the weights
        chosen = rng.choice(len(draws), 2 * PAIRS, p=sample.weights)
        draws = draws[chosen]
    left, right = draws[np.arange(PAIRS)], draws[np.arange(PAIRS, 2 * PAIRS)]
    apart = problem.distance.paired(left, right)
    guess_left, guess_right = problem.family.predict(left, atoms), problem.family.predict(right, atoms)
    surviving = [
        apart @ (problem.likelihood(guess_left, y) * problem.likelihood(guess_right, y))
        for y in problem.family.responses(guess_left)
    ]
    total = apart.sum()
    gain = 1.0 - np.max(surviving, axis=0) / total if total > 0 else np.zeros(len(atoms))
    return Scored(np.maximum(gain, 0.0), {"pairs": PAIRS})
