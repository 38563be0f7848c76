"""Synthetic tasks about scores: a linear classifier to learn, a best item to find."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.distances import Distance
from askwise.distances.items import BestItem, BestItemDistance, ItemRegret, KendallTau, TopKendall
from askwise.distances.labels import Angle
from askwise.errors import SettingError
from askwise.losses import Loss, best_worst, logistic, softmax
from askwise.options import whole_number
from askwise.posteriors import Posterior
from askwise.posteriors.scores.kernels import LINEAR
from askwise.posteriors.scores.logconcave import LogConcave
from askwise.posteriors.scores.mala import Mala
from askwise.posteriors.scores.shaped import ShapedScores
from askwise.problem import Problem
from askwise.simulate.people import DriftingPerson, LapsingPerson, ModelPerson, SimulatedPerson
from askwise.simulate.tasks.task import Task, check_settings, mean_distance
from askwise.structures import LinearFamily
from askwise.structures.choice import Choice
from askwise.structures.item_sets import ItemSets
from askwise.structures.linear import LinearSphere, unit_rows

DISTANCES: Mapping[str, Callable[[Any], Distance]] = {
    "best": BestItem,
    "item": BestItemDistance,
    "kendall": KendallTau,
    "regret": ItemRegret,
}


def classify(
    rng: Generator,
    *,
    dim: int = 10,
    sigma: float = 5.0,
    told_sigma: float | None = None,
    learn_scale: bool = False,
    noise: float = 0.0,
    drift: float = 0.0,
    sampler: str = "hmc",
) -> Task:
    """A linear classifier w ~ N(0, sigma^2 I), points uniform on the sphere, logistic noise. Metric: the angle over pi.

    `sampler` is hmc (`LogConcave`) or mala, the paper's, which cannot learn the scale.

    >>> sorted(classify(np.random.default_rng(0), dim=3).metrics)
    ['error']
    """
    check_settings(dim=dim, sigma=sigma)
    problem = Problem(LinearSphere(dim), Angle(), logistic)
    person = _person(problem, sigma * rng.standard_normal(dim), drift)
    prior = _prior(LinearSphere(dim), None if learn_scale else told_sigma or sigma, sampler)
    return Task(problem, prior, _lapsing(person, problem, noise), {"error": mean_distance(Angle(), person)})


def choice(
    rng: Generator,
    *,
    items: int = 50,
    dim: int = 10,
    sigma: float = 5.0,
    told_sigma: float | None = None,
    learn_scale: bool = False,
    distance: str | Callable[[Any], Distance] = "item",
    noise: float = 0.0,
    drift: float = 0.0,
    sampler: str = "hmc",
    shown: int = 2,
    worst: bool = False,
) -> Task:
    """A taste w ~ N(0, sigma^2 I) for items uniform on the sphere, logit choice between two.

    `distance` is a name or a function from the items (N, D) to a distance, `sampler` as in `classify`. With `shown`
    of 3 or more, people name the best of so many items and, with `worst`, the worst of them, too. Metrics: the chance
    of a wrong top item, and the distance from the top item to the true one, unscaled.

    >>> sorted(choice(np.random.default_rng(0), items=5, dim=3, distance=BestItem).metrics)
    ['distance_to_best', 'top_item_error']
    """
    check_settings(dim=dim, sigma=sigma, items=items)
    make = DISTANCES.get(distance) if isinstance(distance, str) else distance
    if not callable(make):
        raise SettingError(f"the distance of a choice task is one of {', '.join(DISTANCES)}; got {distance!r}")
    rows = unit_rows(rng.standard_normal((items, dim)))
    told = None if learn_scale else told_sigma or sigma
    shown = whole_number("shown", shown, at_least=2, at_most=items)
    family, loss, prior = _choice_model(Choice(rows), shown, worst, told, sampler)
    problem = Problem(family, make(rows), loss)
    person = _person(problem, sigma * rng.standard_normal(dim), drift)
    to_best = BestItemDistance(rows)
    metrics = {
        "top_item_error": mean_distance(BestItem(rows), person),
        "distance_to_best": mean_distance(to_best, person, to_best.scale),
    }
    return Task(problem, prior, _lapsing(person, problem, noise), metrics)


def top_ranking(
    rng: Generator,
    *,
    items: int = 50,
    dim: int = 10,
    k: int = 5,
    sigma: float = 5.0,
    told_sigma: float | None = None,
    learn_scale: bool = False,
    noise: float = 0.0,
    drift: float = 0.0,
) -> Task:
    """The k best items in order, with the tastes, items and answers of `choice`.

    Metric: the posterior's mean distance to the truth, by `TopKendall`.

    >>> sorted(top_ranking(np.random.default_rng(0), items=5, dim=3, k=2).metrics)
    ['error']
    """
    check_settings(dim=dim, sigma=sigma, items=items)
    k = whole_number("k", k, at_least=1, at_most=items)
    family = Choice(unit_rows(rng.standard_normal((items, dim))))
    problem = Problem(family, TopKendall(family.items, k), logistic)
    person = _person(problem, sigma * rng.standard_normal(dim), drift)
    prior = LogConcave.prior(family, logistic, sigma=None if learn_scale else told_sigma or sigma)
    metrics = {"error": mean_distance(problem.distance, person)}
    return Task(problem, prior, _lapsing(person, problem, noise), metrics)


def _choice_model(
    pairs: Choice, shown: int, worst: bool, sigma: float | None, sampler: str
) -> tuple[Any, Loss, Posterior]:
    """The family of the questions, the loss of their answers, and the learner's prior."""
    if shown == 2:
        if worst:
            raise SettingError("worst asks for the worst of three items or more; give shown=3 or more, too")
        return pairs, logistic, _prior(pairs, sigma, sampler)
    family: Any = ItemSets(pairs, shown, worst)
    loss: Loss = best_worst if worst else softmax
    factors = [np.eye(pairs.dimension)]
    return family, loss, ShapedScores.prior(family, loss, (LINEAR,), factors, np.ones(1), sigma, lapses=False)


def _prior(family: LinearFamily, sigma: float | None, sampler: str) -> Posterior:
    if sampler == "hmc":
        return LogConcave.prior(family, logistic, sigma=sigma)
    if sampler == "mala" and sigma is not None:
        return Mala.prior(family, logistic, sigma=sigma)
    raise SettingError(f"the sampler is hmc, or mala if the scale is not learned; got {sampler!r}")


def _person(problem: Problem, truth: Any, drift: float) -> ModelPerson | DriftingPerson:
    return DriftingPerson(problem, truth, drift) if drift else ModelPerson(problem, truth)


def _lapsing(person: SimulatedPerson, problem: Problem, lapses: float) -> SimulatedPerson:
    return LapsingPerson(person, problem.family.responses(np.empty((0, 1))), lapses) if lapses else person
