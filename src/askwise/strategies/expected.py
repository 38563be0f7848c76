"""Expected: ask what leaves the least average diameter on average over the answers."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from askwise.posteriors import Posterior
from askwise.problem import Problem
from askwise.split import split
from askwise.types import Atoms, Sample, Scored


def expected(problem: Problem, posterior: Posterior, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """How much of the average diameter each question is expected to remove.

    Averaging over the answers instead of taking the worst helps most where one answer is likely and tells little
    (two records of a large collection are usually different).
    """
    scores = split(problem, sample, atoms)
    now = scores.diameter / (1.0 - scores.concentration) if scores.concentration < 1 else 0.0
    return Scored(np.maximum(now - scores.expected_diameter(), 0.0), {"diameter": now})
