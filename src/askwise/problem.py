"""What is asked and what is wanted: a family, a distance, a loss and its strength beta, frozen."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from askwise.distances import Distance
from askwise.errors import SettingError
from askwise.losses import Loss, logistic, sigmoid
from askwise.options import having, number, whole_number
from askwise.structures import Family
from askwise.types import Floats


@dataclass(frozen=True)
class Problem:
    """Everything that does not change while questions are asked.

    >>> from askwise.structures.finite import Finite
    >>> from askwise.distances.labels import Disagreement
    >>> from askwise.losses import zero_one
    >>> family = Finite([[0, 0, 1], [0, 1, 1]])
    >>> problem = Problem(family, Disagreement(family, np.arange(3)), zero_one, beta=inf)
    >>> problem.likelihood(family.predict(np.arange(2), np.array([1])), 0)
    array([[1.],
           [0.]])
    """

    family: Family
    distance: Distance
    loss: Loss = logistic
    beta: float = 1.0

    def __post_init__(self) -> None:
        having("family", self.family, "a family of structures", "draw_atoms", "predict", "decide", "responses")
        having("distance", self.distance, "a distance between structures", "paired", "pairwise")
        object.__setattr__(self, "beta", check_beta(self.loss, self.beta))

    @property
    def normalised(self) -> bool:
        """True: the likelihoods sum to one over the responses."""
        return self.loss.proper and self.beta == 1.0

    def likelihood(self, predictions: Floats, response: Any) -> Floats:
        """exp(-beta loss) of each structure, for one response: (S, A)."""
        if self.loss is logistic and self.beta == 1.0:
            return sigmoid(predictions, response)
        return np.exp(-potential(self.family, self.loss, self.beta, predictions, response))

    def chances(self, predictions: Floats) -> Floats:
        """p(y | a, structure) for each of finitely many responses: (Y, S, A)."""
        kept = np.stack([self.likelihood(predictions, y) for y in self.family.responses(predictions)])
        return kept if self.normalised else kept / kept.sum(axis=0)


def potential(family: Family, loss: Loss, beta: float, predictions: Floats, response: Any) -> Floats:
    """beta * loss: what an answer costs each structure; with infinite beta, infinity or nothing."""
    values = loss.value(family.decide(predictions) if loss.decides else predictions, response)
    if beta == inf:
        return np.where(values > 0, inf, 0.0)  # inf * 0 would be NaN
    return beta * values


def check_beta(loss: Loss, beta: float) -> float:
    """The beta, as it was given; refused if it makes no posterior."""
    having("loss", loss, "a loss such as askwise.logistic", "name", "decides", "value")
    if not (isinstance(beta, float) and beta == inf):
        return number("beta", beta, above=0)
    if not loss.decides:
        raise SettingError(f"beta = infinity needs the zero_one loss, got {loss.name}; use a finite beta")
    return inf


def noise_beta(noise: float, responses: int = 2) -> float:
    """The beta that is Bayes' rule when a share `noise` of answers is wrong, spread evenly over the wrong responses.

    >>> round(noise_beta(0.1), 4), noise_beta(0.0)
    (2.1972, inf)
    """
    responses = whole_number("responses", responses, at_least=2)
    noise = number("noise", noise, at_least=0, below=(responses - 1) / responses)
    return inf if noise == 0 else float(np.log((responses - 1) * (1 - noise) / noise))
