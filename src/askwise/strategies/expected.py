"""Expected: ask what leaves the least average diameter on average over the answers.

>>> from askwise.distances import TableDistance
>>> from askwise.losses import zero_one
>>> from askwise.structures.finite import Finite
>>> problem = Problem(Finite([[0, 0], [0, 1]]), TableDistance(1.0 - np.eye(2)), zero_one, beta=3.0)
>>> sample = Sample(np.arange(2), np.full(2, 0.5), exact=True)
>>> expected(problem, None, sample, np.arange(2), np.random.default_rng(0)).gain.argmax()
np.int64(1)
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from askwise.distances import Form, Multipartite, form_of, new_form
from askwise.distances.items import ItemRegret
from askwise.distances.labels import Disagreement
from askwise.losses import logistic
from askwise.posteriors import Drawn
from askwise.problem import Problem
from askwise.strategies.baselines import margin
from askwise.strategies.split import Split, average_diameter, split
from askwise.structures import Family, PooledRows, ShowsSets, SingleScore
from askwise.types import Atoms, Floats, Sample, Scored

MIN_QUESTIONS = 400  # to shortlist: a third of the draws then choose an eighth of the questions for all draws
MIN_SHORTLIST = 100  # questions
MIN_SHORTLIST_DRAWS = 200  # that may choose; benchmarks.round tells how good the best of their choice is
MAX_COUNTED_REGRET = 0.2  # by `expected_capped`: a larger one counts as this ...
WIDE = 0.3  # ... while the average diameter is above this


def expected(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """How much of the average diameter each question is expected to remove.

    The mean over the answers, instead of the worst, helps most where one answer is likely and tells little (two records
    of a large collection are usually different). Of many questions, a third of the draws choose a short list, and all
    draws score that list. No other question is ranked above it.
    """
    return _expected(problem, sample, atoms, rng)


def expected_capped(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """As `expected`, where regrets above `MAX_COUNTED_REGRET` count as that while the average one is above `WIDE`.

    While little is known, most of the average regret comes from tastes that are nearly opposite, and a question about a
    good and a bad item removes most of it. With the cap, questions compare items that may be the best. Later large
    regrets are rare, and to find the last of them decides when to stop: there it is `expected`, and for other distances
    it always is. `info` has the diameter without the cap.
    """
    cap = MAX_COUNTED_REGRET if isinstance(problem.distance, ItemRegret) else None
    return _expected(problem, sample, atoms, rng, cap)


def _expected(problem: Problem, sample: Sample, atoms: Atoms, rng: Generator, cap: float | None = None) -> Scored:
    """The gains by distances up to `cap`, while these are wide; from a short list if questions are many."""
    form = form_of(problem.distance, sample.structures)
    info = {"diameter": average_diameter(form, sample.weights, sample.exact)}
    cap = cap if info["diameter"] > WIDE else None
    form = _capped(form, cap)
    few = len(sample.weights) // 3
    if sample.exact or few < MIN_SHORTLIST_DRAWS or len(atoms) < MIN_QUESTIONS or not _shortlists(problem.family):
        return Scored(gain_of(split(problem, sample, atoms, form)), info)
    mean_distances = form.apply(sample.weights)
    if not mean_distances.any():  # all draws agree
        return Scored(np.zeros(len(atoms)), info)
    some = subsample_by_distance(sample, mean_distances, few, rng)
    first = gain_of(split(problem, some, atoms, _capped(new_form(problem.distance, some.structures), cap)))
    short = np.sort(np.argsort(-first, kind="stable")[: max(MIN_SHORTLIST, len(atoms) // 8)])
    listed = gain_of(split(problem, sample, atoms[short], form))
    gain = np.minimum(first, listed.min())
    gain[short] = listed
    return Scored(gain, info)


def _capped(form: Form, cap: float | None) -> Form:
    return form if cap is None or not isinstance(form, Multipartite) else form.capped(cap)


def expected_margin(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """The gain of `expected` times `margin`: of two labels, the row must be an even bet and tell much about others.

    Where there are more than two answers, and for pools and distances of other kinds, it is `expected`.
    """
    scored = expected(problem, posterior, sample, atoms, rng)
    if not asks_even_bets(problem):
        return scored
    return Scored(scored.gain * margin(problem, posterior, sample, atoms, rng).gain, scored.info)


def asks_even_bets(problem: Problem) -> bool:
    """Whether `expected_margin` differs from `expected`: for two labels of the rows of a table."""
    family = problem.family
    two_labels = isinstance(family, SingleScore) and problem.loss is logistic
    return two_labels and not isinstance(family, PooledRows) and isinstance(problem.distance, Disagreement)


def exhaustive(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """As `expected`, with all draws for every question: what the short list is measured against."""
    scores = split(problem, sample, atoms)
    return Scored(gain_of(scores), {"diameter": _diameter(scores)})


def _shortlists(family: Family) -> bool:
    """Not chains, whose neighbours may resemble each other; nor pools: the rows that screening left are all good."""
    return isinstance(family, SingleScore | ShowsSets) and not isinstance(family, PooledRows)


def subsample_by_distance(sample: Sample, mean_distances: Floats, count: int, rng: Generator) -> Sample:
    """At most about `count` of the draws, reweighed so that averages stay the same on average.

    Draws far from the others, by their `mean_distances` (S,), make up most of the diameter, and near the end there are
    few of them. So half of the chance goes by distance. The draws are chosen systematically in the order of their
    distances, so that each range has its share.

    >>> rng, far = np.random.default_rng(0), np.array([0.1, 0.1, 0.1, 0.1, 0.1, 0.9])
    >>> subsample_by_distance(Sample(np.arange(6), np.full(6, 1 / 6), exact=False), far, 3, rng).structures[-1]
    np.int64(5)
    """
    chance = np.minimum(count / 2 * sample.weights * (1 + mean_distances / (sample.weights @ mean_distances)), 1.0)
    order = np.argsort(mean_distances, kind="stable")
    edges = np.floor(np.cumsum(chance[order]) + rng.random())
    kept = order[np.diff(edges, prepend=0.0) > 0]
    weights = sample.weights[kept] / chance[kept]
    return Sample(sample.structures[kept], weights / weights.sum(), exact=False)


def gain_of(scores: Split) -> Floats:
    """(A,): how much of the average diameter each question is expected to remove."""
    return np.maximum(_diameter(scores) - scores.expected_diameter(), 0.0)


def _diameter(scores: Split) -> float:
    return scores.diameter / (1.0 - scores.concentration) if scores.concentration < 1 else 0.0
