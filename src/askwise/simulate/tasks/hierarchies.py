"""A synthetic task with a known truth: a hidden binary hierarchy, asked which of three items is the odd one out."""

from __future__ import annotations

from collections.abc import Callable
from math import comb

import numpy as np
from numpy.random import Generator

from askwise.distances.hierarchies import TripletDisagreement
from askwise.errors import SettingError
from askwise.losses import zero_one
from askwise.posteriors.hierarchies.posterior import CHAINS, HierarchyPosterior, answer_beta
from askwise.problem import Problem
from askwise.simulate.people import LabellingPerson
from askwise.simulate.tasks.task import Task
from askwise.structures.hierarchies import Hierarchies, random_trees, triples_at
from askwise.types import Ints, Sample

MAX_MEASURED_TRIPLES = 20_000  # all there are, up to 50 items


def hierarchy(rng: Generator, *, items: int = 50, noise: float = 0.0, chains: int = CHAINS) -> Task:
    """A tree drawn uniformly from all binary trees over `items` items. Which of three items is the odd one out?

    A share `noise` of answers is wrong, and the learner knows it. Metric: the share of triples on which the posterior's
    trees differ from the true one.

    >>> sorted(hierarchy(np.random.default_rng(0), items=6).metrics)
    ['error']
    """
    if not items >= 3:
        raise SettingError(f"items must be at least 3, got {items}")
    family = Hierarchies(items)
    beta = answer_beta(noise)
    problem = Problem(family, TripletDisagreement(family), zero_one, beta)
    truth = random_trees(1, items, rng)[0]
    person = LabellingPerson(family, truth, noise)
    size = comb(items, 3)
    measured = triples_at(
        np.arange(size) if size <= MAX_MEASURED_TRIPLES else rng.integers(size, size=MAX_MEASURED_TRIPLES), items
    )
    prior = HierarchyPosterior.prior(family, beta, chains=chains)
    return Task(problem, prior, person, {"error": _error(family, truth, measured)}, draws=chains)


def _error(family: Hierarchies, truth: Ints, triples: Ints) -> Callable[[Sample], float]:
    right = family.answers(truth[None], triples)

    def error(sample: Sample) -> float:
        return float(sample.weights @ (family.answers(sample.structures, triples) != right).mean(axis=1))

    return error
