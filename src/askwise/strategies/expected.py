"""Expected: ask what leaves the least average diameter on average over the answers."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from askwise.distances import form_of, new_form
from askwise.posteriors import Drawn
from askwise.problem import Problem
from askwise.split import Split, average_diameter, split
from askwise.structures.linear import LinearScores
from askwise.structures.pooled import PoolRows
from askwise.types import Atoms, Floats, Sample, Scored

MANY = 400  # questions, of which a third of the draws choose an eighth for all draws to look at
FEWEST = 100  # that are chosen
ENOUGH = 200  # draws that may choose; benchmarks.round tells how good the best of their choice is
ALIKE = 0.25  # relative difference of their diameter from that of all draws, up to which they may


def expected(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """How much of the average diameter each question is expected to remove.

    Averaging over the answers instead of taking the worst helps most where one answer is likely and tells little
    (two records of a large collection are usually different). Of many questions, a third of the draws choose a short
    list for all draws to look at; no other question is ranked above it.
    """
    first = _first_look(problem, sample, atoms)
    if first is None:
        return exhaustive(problem, posterior, sample, atoms, rng)
    short = np.sort(np.argsort(-first, kind="stable")[: max(FEWEST, len(atoms) // 8)])
    listed, info = exhaustive(problem, posterior, sample, atoms[short], rng)
    gain = np.minimum(first, listed.min())
    gain[short] = listed
    return Scored(gain, info)


def exhaustive(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """The same by all draws for every question: what the short list is measured against."""
    scores = split(problem, sample, atoms)
    return Scored(_gain(scores), {"diameter": _now(scores)})


def _first_look(problem: Problem, sample: Sample, atoms: Atoms) -> Floats | None:
    """The gains (A,) that a third of the draws see, where that is worth while and they are like the others."""
    few, family = len(sample.weights) // 3, problem.family
    if sample.exact or few < ENOUGH or len(atoms) < MANY:
        return None
    if not isinstance(family, LinearScores) or isinstance(family, PoolRows):
        return None  # chains: neighbours may resemble each other; pools: what a race left is all about as good
    diameter = average_diameter(form_of(problem.distance, sample.structures), sample.weights, exact=False)
    some = Sample(sample.structures[:few], sample.weights[:few] / sample.weights[:few].sum(), exact=False)
    form = new_form(problem.distance, some.structures)
    if abs(average_diameter(form, some.weights, exact=False) - diameter) > ALIKE * diameter:
        return None
    return _gain(split(problem, some, atoms, form))


def _gain(scores: Split) -> Floats:
    return np.maximum(_now(scores) - scores.expected_diameter(), 0.0)


def _now(scores: Split) -> float:
    return scores.diameter / (1.0 - scores.concentration) if scores.concentration < 1 else 0.0
