"""How far each of several people can be trusted, learned from how often what is believed speaks against them.

Person j's answers have the potential s_j * beta * loss, with a strength s_j between 0 (guesses) and 1 (as reliable as
the study assumes). After each answer one step of expectation-maximisation: the log-likelihood of all answers of a
person, averaged over draws of the posterior, and a weak prior towards 1 give the strength; the posterior then trusts
the answers accordingly. With one person there is nothing to compare, and everything counts in full. So it does where
people may differ in their tastes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.posteriors import Posterior, Reweighs
from askwise.problem import potential
from askwise.structures import AsksPeople
from askwise.types import Answer, Floats

GRID = np.linspace(0.02, 1.0, 50)
DRAWS = 64  # of the posterior


def estimate_reliabilities(posterior: Posterior, answers: Sequence[Answer], rng: Generator) -> dict[str, float]:
    """The strength of everybody who has answered; empty with one person, or where the posterior cannot tell.

    >>> from askwise.posteriors.clusterings.posterior import ClusteringPosterior
    >>> from askwise.structures.clusterings import Clusterings
    >>> answers = [Answer((0, 1), said, who) for who, said in zip("abc" * 6, [1, 1, 0] * 6)]
    >>> posterior, rng = ClusteringPosterior.prior(Clusterings(3), beta=2.0), np.random.default_rng(0)
    >>> for answer in answers:
    ...     posterior = posterior.update(answer, rng)
    >>> found = estimate_reliabilities(posterior, answers, rng)
    >>> found["a"] == found["b"] > 2 * found["c"]
    True
    """
    people = list(dict.fromkeys(answer.who for answer in answers))
    if len(people) < 2 or not isinstance(posterior, Reweighs) or isinstance(posterior.family, AsksPeople):
        return {}
    fit = _fit(posterior, answers, rng)
    whose = np.array([people.index(answer.who) for answer in answers])
    logs = np.log(GRID)[:, None] + np.stack([fit[:, whose == person].sum(axis=1) for person in range(len(people))], 1)
    return {who or "": float(strength) for who, strength in zip(people, GRID[logs.argmax(axis=0)], strict=True)}


def reweigh(
    posterior: Posterior, answers: Sequence[Answer], reliability: Mapping[str, float], rng: Generator
) -> Posterior:
    """The posterior of the same answers, each trusted as its author is."""
    if not isinstance(posterior, Reweighs):
        return posterior
    strengths = np.array([reliability[answer.who or ""] for answer in answers])
    return posterior.reweighed(answers, strengths, rng)


def _fit(posterior: Any, answers: Sequence[Answer], rng: Generator) -> Floats:
    """(G, T): the log-likelihood of each answer at each strength, averaged over draws."""
    family, atoms = posterior.family, np.array([answer.atom for answer in answers])
    predictions = family.predict(posterior.sample(DRAWS, rng).structures, atoms)  # (S, T)
    if np.ndim(family.responses(predictions)) == 2:  # numbers: a strength is a share of the precision
        given, entries = np.array([float(answer.response) for answer in answers]), family.decide(predictions)
        off = [potential(family, posterior.loss, posterior.beta, predictions, y) for y in (given, entries)]
        return np.log(GRID)[:, None] / 2 - GRID[:, None] * (off[0] - off[1]).mean(axis=0)
    responses = [np.asarray(response).item() for response in family.responses(predictions)]
    costs = np.stack(
        [potential(family, posterior.loss, posterior.beta, predictions, y) for y in responses]
    )  # (Y, S, T)
    said = np.array([responses.index(answer.response) for answer in answers])
    chosen = costs[said, :, np.arange(len(said))].T  # (S, T)
    lowest = costs.min(axis=0)
    logs = [
        (strength * (lowest - chosen) - np.log(np.exp(strength * (lowest - costs)).sum(axis=0))).mean(axis=0)
        for strength in GRID
    ]
    return np.array(logs)
