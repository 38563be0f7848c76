"""Expected: ask what leaves the least average diameter on average over the answers."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from askwise.distances import form_of, new_form
from askwise.posteriors import Drawn
from askwise.problem import Problem
from askwise.split import Split, split
from askwise.structures import Family
from askwise.structures.linear import LinearScores
from askwise.structures.pooled import PoolRows
from askwise.types import Atoms, Floats, Sample, Scored

MANY = 400  # questions, of which a third of the draws choose an eighth for all draws to look at
FEWEST = 100  # that are chosen
ENOUGH = 200  # draws that may choose; benchmarks.round tells how good the best of their choice is


def expected(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """How much of the average diameter each question is expected to remove.

    Averaging over the answers instead of taking the worst helps most where one answer is likely and tells little
    (two records of a large collection are usually different). Of many questions, a third of the draws choose a short
    list for all draws to look at; no other question is ranked above it.
    """
    few = len(sample.weights) // 3
    if sample.exact or few < ENOUGH or len(atoms) < MANY or not _listed(problem.family):
        return exhaustive(problem, posterior, sample, atoms, rng)
    far = form_of(problem.distance, sample.structures).apply(sample.weights)
    if not far.any():  # all draws agree
        return Scored(np.zeros(len(atoms)), {"diameter": 0.0})
    some = thinned(sample, far, few, rng)
    first = _gain(split(problem, some, atoms, new_form(problem.distance, some.structures)))
    short = np.sort(np.argsort(-first, kind="stable")[: max(FEWEST, len(atoms) // 8)])
    listed, info = exhaustive(problem, posterior, sample, atoms[short], rng)
    gain = np.minimum(first, listed.min())
    gain[short] = listed
    return Scored(gain, info)


def exhaustive(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """The same by all draws for every question: what the short list is measured against."""
    scores = split(problem, sample, atoms)
    return Scored(_gain(scores), {"diameter": _now(scores)})


def _listed(family: Family) -> bool:
    """Not chains, whose neighbours may resemble each other, nor pools: what a race left is all about as good."""
    return isinstance(family, LinearScores) and not isinstance(family, PoolRows)


def thinned(sample: Sample, far: Floats, count: int, rng: Generator) -> Sample:
    """At most about `count` of the draws, weighed anew so that averages stay what they are, on average.

    Draws that are `far` (S,) from the others make up most of the diameter, and near the end there are few of them: half
    of the chance goes by distance. Systematic in the order of the distances, so that each range has its share.

    >>> rng, far = np.random.default_rng(0), np.array([0.1, 0.1, 0.1, 0.1, 0.1, 0.9])
    >>> thinned(Sample(np.arange(6), np.full(6, 1 / 6), exact=False), far, 3, rng).structures[-1]
    np.int64(5)
    """
    chance = np.minimum(count / 2 * sample.weights * (1 + far / (sample.weights @ far)), 1.0)
    order = np.argsort(far, kind="stable")
    edges = np.floor(np.cumsum(chance[order]) + rng.random())
    kept = order[np.diff(edges, prepend=0.0) > 0]
    weights = sample.weights[kept] / chance[kept]
    return Sample(sample.structures[kept], weights / weights.sum(), exact=False)


def _gain(scores: Split) -> Floats:
    return np.maximum(_now(scores) - scores.expected_diameter(), 0.0)


def _now(scores: Split) -> float:
    return scores.diameter / (1.0 - scores.concentration) if scores.concentration < 1 else 0.0
