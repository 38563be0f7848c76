"""Synthetic tasks with a known truth: linear classification, logit choice, clustering on the line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.distances import Distance, Tabled, form_of
from askwise.distances.clusters import IntervalMembership, PairDisagreement
from askwise.distances.items import BestItem, BestItemDistance, ItemRegret, KendallTau
from askwise.distances.labels import Angle
from askwise.errors import SettingError
from askwise.losses import logistic, zero_one
from askwise.posteriors.enumerated import Enumerated
from askwise.posteriors.logconcave import LogConcave
from askwise.problem import Problem, noise_beta
from askwise.simulate.clusters import clusters
from askwise.simulate.columns import columns
from askwise.simulate.hierarchy import hierarchy
from askwise.simulate.people import Bounded, ByModel, Drifting, Labeller, Lapsing, Person
from askwise.simulate.task import Task
from askwise.split import average_diameter
from askwise.structures.choice import Choice
from askwise.structures.finite import Finite
from askwise.structures.intervals import Intervals, hard_clusterings
from askwise.structures.linear import LinearSphere, unit_rows
from askwise.types import Sample

ALPHA = 0.25  # the mass of the known interval on the line


def classify(
    rng: Generator,
    *,
    dim: int = 10,
    sigma: float = 5.0,
    told_sigma: float | None = None,
    learn_scale: bool = False,
    noise: float = 0.0,
    drift: float = 0.0,
) -> Task:
    """A linear classifier w ~ N(0, sigma^2 I), points uniform on the sphere, logistic noise. Metric: the angle over pi.

    >>> sorted(classify(np.random.default_rng(0), dim=3).metrics)
    ['error']
    """
    _check(dim=dim, sigma=sigma)
    problem = Problem(LinearSphere(dim), Angle(), logistic)
    person = _person(problem, sigma * rng.standard_normal(dim), drift)
    prior = LogConcave.prior(LinearSphere(dim), logistic, sigma=None if learn_scale else told_sigma or sigma)
    return Task(problem, prior, _lapsing(person, problem, noise), {"error": _mean_distance(Angle(), person)})


def choice(
    rng: Generator,
    *,
    items: int = 50,
    dim: int = 10,
    sigma: float = 5.0,
    told_sigma: float | None = None,
    learn_scale: bool = False,
    distance: str = "item",
    noise: float = 0.0,
    drift: float = 0.0,
) -> Task:
    """A taste w ~ N(0, sigma^2 I) for items uniform on the sphere, logit choice between two.

    Metrics: the chance of a wrong top item, and the distance from the top item to the true one, unscaled.

    >>> sorted(choice(np.random.default_rng(0), items=5, dim=3).metrics)
    ['distance_to_best', 'top_item_error']
    """
    _check(dim=dim, sigma=sigma, items=items)
    goals: dict[str, Callable[[Any], Distance]] = {
        "best": BestItem,
        "item": BestItemDistance,
        "kendall": KendallTau,
        "regret": ItemRegret,
    }
    if distance not in goals:
        raise SettingError(f"the distance of a choice task is one of {', '.join(goals)}; got {distance!r}")
    rows = unit_rows(rng.standard_normal((items, dim)))
    family = Choice(rows)
    problem = Problem(family, goals[distance](rows), logistic)
    person = _person(problem, sigma * rng.standard_normal(dim), drift)
    prior = LogConcave.prior(family, logistic, sigma=None if learn_scale else told_sigma or sigma)
    apart = BestItemDistance(rows)
    metrics = {
        "top_item_error": _mean_distance(BestItem(rows), person),
        "distance_to_best": _mean_distance(apart, person, apart.scale),
    }
    return Task(problem, prior, _lapsing(person, problem, noise), metrics)


def line(
    rng: Generator,
    *,
    intervals: int = 8,
    distance: str = "d_I",
    noise: float = 0.0,
    margin: float | None = None,
    adversarial: bool = False,
) -> Task:
    """A clustering of the line out of the hard set (see `hard_clusterings`), same-or-different questions.

    A share `noise` of answers is wrong, and the learner knows it; or people have bounded noise with a `margin`, and the
    learner takes the beta for which the paper's consistency theorem holds, a tenth of it.

    >>> sorted(line(np.random.default_rng(0), intervals=4).metrics)
    ['diameter', 'error']
    """
    _check(intervals=intervals)
    goals: dict[str, Distance] = {"d_I": IntervalMembership(ALPHA / 2), "d_c": PairDisagreement()}
    if distance not in goals:
        raise SettingError(f"the distance of a line task is d_I or d_c; got {distance!r}")
    structures, points = hard_clusterings(intervals, ALPHA)
    pairs = Intervals(points).draw_atoms(len(points) ** 2, rng)
    names = [f"{left:.4g} and {right:.4g}" for left, right in pairs]
    family = Finite(Intervals(points).predict(structures, pairs), {"same": 1, "different": 0}, names)
    tabled = Tabled(goals[distance].pairwise(structures))
    truth = np.asarray(rng.integers(len(structures)))
    person: Labeller | Bounded = Labeller(family, truth, noise)
    if margin is not None:
        person = Bounded(family, truth, margin, adversarial)
    problem = Problem(family, tabled, zero_one, noise_beta(noise) if margin is None else margin / 10)
    prior = Enumerated.prior(family, np.arange(len(structures)), zero_one, problem.beta)
    metrics = {
        "diameter": lambda sample: average_diameter(form_of(tabled, sample.structures), sample.weights, sample.exact),
        "error": _mean_distance(tabled, person),
    }
    return Task(problem, prior, person, metrics)


TASKS: Mapping[str, Callable[..., Task]] = {
    "choice": choice,
    "classify": classify,
    "clusters": clusters,
    "columns": columns,
    "hierarchy": hierarchy,
    "line": line,
}


def _person(problem: Problem, truth: Any, drift: float) -> ByModel | Drifting:
    return Drifting(problem, truth, drift) if drift else ByModel(problem, truth)


def _lapsing(person: Person, problem: Problem, lapses: float) -> Person:
    return Lapsing(person, problem.family.responses(np.empty((0, 1))), lapses) if lapses else person


def _mean_distance(distance: Distance, person: Any, scale: float = 1.0) -> Callable[[Sample], float]:
    """The posterior's average error, as in the paper, against what is true of the person by now."""

    def mean(sample: Sample) -> float:
        there = np.repeat(np.asarray(person.truth)[None], len(sample.weights), axis=0)
        return scale * float(sample.weights @ distance.paired(sample.structures, there))

    return mean


def _check(**settings: float) -> None:
    least = {"items": 2, "intervals": 2, "dim": 1}
    for name, value in settings.items():
        if not value >= least.get(name, 0) or not value > 0:
            raise SettingError(
                f"{name} must be {'at least ' + str(least[name]) if name in least else 'positive'}, got {value}"
            )
