"""Whom to ask: what a question is expected to gain if each of several people answers it, for what they cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.distances import form_of
from askwise.options import mapping, number, text
from askwise.posteriors import KnowsAnswerers, Posterior
from askwise.problem import Problem
from askwise.strategies.expected import expected, gain_of
from askwise.strategies.split import Split, blocks, predictions_of
from askwise.types import Atoms, Sample

MAX_COST = 1e9  # of one answer, in any unit


@dataclass(frozen=True)
class Answerer:
    """Somebody who may answer the next question.

    >>> Answerer("judge", reliability=0.5, gain=0.02, cost=0.01).gain_per_cost
    2.0
    """

    who: str  # the name
    reliability: float  # from 0, a guess, to 1
    gain: float  # what the best question is expected to remove of the diameter, if this person answers it
    cost: float  # of one answer

    @property
    def gain_per_cost(self) -> float:
        """What each unit of cost is expected to remove of the diameter."""
        return self.gain / self.cost


def checked_costs(costs: Any) -> dict[str, float]:
    """What an answer of each person costs; others than positive numbers by name are refused.

    >>> checked_costs({"judge": 0})
    Traceback (most recent call last):
    askwise.errors.SettingError: the cost of 'judge' is 0; expected a number above 0 and at most 1e+09
    """
    given = mapping("costs", costs, "the cost of one answer by who gives it, such as {'judge': 0.01, 'Ann': 1}")
    return {
        text("who", who): number(f"the cost of {who!r}", cost, above=0, at_most=MAX_COST) for who, cost in given.items()
    }


def rank_answerers(
    problem: Problem,
    posterior: Posterior,
    sample: Sample,
    atoms: Atoms,
    reliability: Mapping[str, float],
    costs: Mapping[str, float],
    rng: Generator,
) -> list[Answerer]:
    """Everybody in `costs`, who gains most per unit of cost first. Who is not known yet counts in full.

    - `atoms`: (A, ...), what may be asked.
    - `reliability`: of those who have answered.
    - `costs`: of one answer of each.
    """
    found = []
    for who, cost in costs.items():
        asked = posterior.atoms_of(who, atoms) if isinstance(posterior, KnowsAnswerers) else atoms
        strength = reliability.get(who, 1.0)
        gain = best_gain(problem, posterior, sample, asked, strength, rng) if len(atoms) else 0.0
        found.append(Answerer(who, strength, gain, cost))
    return sorted(found, key=lambda one: -one.gain_per_cost)


def best_gain(
    problem: Problem, posterior: Posterior, sample: Sample, atoms: Atoms, strength: float, rng: Generator
) -> float:
    """What the best question is expected to remove of the diameter, if answers have this strength.

    An answer y of strength s has the probability p(y) ~ exp(-s beta loss), as when reliability is learned, and tells as
    much as an answer with this probability does.

    >>> from askwise.distances import TableDistance
    >>> from askwise.losses import zero_one
    >>> from askwise.structures.finite import Finite
    >>> problem = Problem(Finite([[0, 0], [0, 1]]), TableDistance(1.0 - np.eye(2)), zero_one, beta=3.0)
    >>> sample = Sample(np.arange(2), np.full(2, 0.5), exact=True)
    >>> [round(best_gain(problem, None, sample, np.arange(2), strength, None), 3) for strength in (1.0, 0.5, 0.01)]
    [0.41, 0.202, 0.0]
    """
    weaker = replace(problem, beta=problem.beta * strength)
    if weaker.normalised or np.ndim(problem.family.responses(predictions_of(problem, sample, atoms[:1]))) == 2:
        return float(expected(weaker, posterior, sample, atoms, rng).gain.max(initial=0.0))
    form, best = form_of(problem.distance, sample.structures), 0.0
    weights, concentration = sample.weights, 0.0 if sample.exact else float(sample.weights @ sample.weights)
    diameter = float(weights @ form.apply(weights))
    for some in blocks(atoms, len(weights)):
        held = [each * weights[:, None] for each in weaker.chances(predictions_of(problem, sample, some))]
        mass = np.stack([each.sum(axis=0) for each in held])
        squared = np.stack([np.square(each).sum(axis=0) for each in held])
        surviving = np.stack([np.asarray(form.quadratic(each)) for each in held])
        gains = gain_of(Split(surviving, mass, squared, mass, diameter, concentration))
        best = max(best, float(gains.max(initial=0.0)))
    return best
