"""Sets of items worth asking about: good pairs, to which the items are added that gain most, one by one."""

from __future__ import annotations

from dataclasses import replace
from math import comb

import numpy as np
from numpy.random import Generator

from askwise.distances import form_of, new_form
from askwise.losses import logistic, softmax
from askwise.problem import Problem
from askwise.strategies.expected import gain_of, subsample_by_distance
from askwise.strategies.split import split
from askwise.structures import ProposesAtoms, ShowsSets
from askwise.types import Floats, Ints, Sample

DRAWS = 200  # that choose; all of them score what is chosen
SETS_GROWN = 12  # to which each item is added
MAX_ITEMS_ADDED = 60  # those of the best pairs
SETS_FOUND = 40


def greedy_sets(problem: Problem, sample: Sample, count: int, rng: Generator) -> Ints:
    """(A, K): sets that are expected to leave little of the average diameter, when people name the best of them.

    - `problem`: whose questions are about sets.
    - `sample`: draws of the posterior.
    - `count`: pairs to draw where there are too many to score all.

    >>> from askwise.distances.items import BestItem
    >>> from askwise.structures.choice import ItemScores
    >>> from askwise.structures.item_sets import ItemSets
    >>> rng = np.random.default_rng(0)
    >>> draws = rng.standard_normal((300, 20)) + 4 * (np.arange(20) < 3)  # three of 20 items may be the best
    >>> problem = Problem(ItemSets(ItemScores(20), shown=3), BestItem(np.eye(20), scored=True), softmax)
    >>> [0, 1, 2] in greedy_sets(problem, Sample(draws, np.full(300, 1 / 300), exact=False), 500, rng).tolist()
    True
    """
    family = problem.family
    assert isinstance(family, ShowsSets)
    some = _fewer(problem, sample, rng)
    pairs = family.pairs.draw_atoms(count, rng)
    if isinstance(family.pairs, ProposesAtoms):
        pairs = np.unique(np.concatenate([pairs, family.pairs.propose_atoms(some.structures, count // 2)]), axis=0)
    gains = _gains(replace(problem, family=family.pairs, loss=logistic), some, pairs)
    best = pairs[np.argsort(-gains, kind="stable")]
    items = _first_items(best)
    sets = best[:SETS_GROWN]
    for size in range(3, family.shown + 1):
        grown = np.column_stack([np.repeat(sets, len(items), axis=0), np.tile(items, len(sets))])
        grown = np.sort(grown[(grown[:, :-1] != grown[:, -1:]).all(axis=1)], axis=1)
        grown = np.unique(grown, axis=0)
        gains = _gains(replace(problem, family=family.best_of(size), loss=softmax), some, grown)
        kept = SETS_FOUND if size == family.shown else SETS_GROWN
        sets = grown[np.argsort(-gains, kind="stable")[:kept]]
    return sets


def lists_all(family: ShowsSets, sets: Ints) -> bool:
    """Whether these are all sets that can be asked about.

    >>> from askwise.structures.choice import ItemScores
    >>> from askwise.structures.item_sets import ItemSets
    >>> family = ItemSets(ItemScores(5), shown=3)
    >>> lists_all(family, family.draw_atoms(10, np.random.default_rng(0)))
    True
    """
    return len(sets) == comb(len(family.pairs.active), family.shown)


def _fewer(problem: Problem, sample: Sample, rng: Generator) -> Sample:
    """Some of the draws, if there are many."""
    if sample.exact or len(sample.weights) <= DRAWS:
        return sample
    mean_distances = form_of(problem.distance, sample.structures).apply(sample.weights)
    return subsample_by_distance(sample, mean_distances, DRAWS, rng) if mean_distances.any() else sample


def _gains(problem: Problem, sample: Sample, atoms: Ints) -> Floats:
    return gain_of(split(problem, sample, atoms, new_form(problem.distance, sample.structures)))


def _first_items(pairs: Ints) -> Ints:
    """The items of the first pairs, in rising order."""
    return np.sort(np.array(list(dict.fromkeys(pairs.ravel().tolist()))[:MAX_ITEMS_ADDED]))
