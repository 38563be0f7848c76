"""What is asked and what is wanted: a family, a distance, a loss and its strength beta."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import cast

import numpy as np

from askwise.distances import Distance
from askwise.errors import SettingError
from askwise.losses import Loss, OrderedLogit, SharesByLabel, logistic, sigmoid
from askwise.options import implementing, number, whole_number
from askwise.structures import Family
from askwise.types import Floats, Response, Responses


@dataclass(frozen=True)
class Problem:
    """Everything that does not change while questions are asked.

    `family` says what can be true, `distance` what matters, `loss` and `beta` how an answer reweighs structures. If the
    right answer is only known to be likelier than any other by a `margin`, beta is no model of the noise.

    >>> from askwise.structures.finite import Finite
    >>> from askwise.distances.labels import Disagreement
    >>> from askwise.losses import zero_one
    >>> family = Finite([[0, 0, 1], [0, 1, 1]])
    >>> problem = Problem(family, Disagreement(family, np.arange(3)), zero_one, beta=inf)
    >>> problem.likelihood(family.predict(np.arange(2), np.array([1])), 0)
    array([[1.],
           [0.]])
    """

    family: Family  # what can be true
    distance: Distance  # what matters
    loss: Loss = logistic  # how an answer counts against a structure
    beta: float = 1.0  # how strongly
    margin: float | None = None  # by how much the right answer is likelier than any other, if that is all one knows

    def __post_init__(self) -> None:
        implementing("family", self.family, Family, "a family of structures")
        implementing("distance", self.distance, Distance, "a distance between structures")
        object.__setattr__(self, "beta", check_beta(self.loss, self.beta))

    @property
    def normalised(self) -> bool:
        """True: the likelihoods sum to one over the responses."""
        return self.loss.proper and self.beta == 1.0

    def likelihood(self, predictions: Floats, response: Response | Floats) -> Floats:
        """(S, A): exp(-beta loss) of each structure's predictions for one response.

        :param predictions: (S, A): what `family.predict` gives.
        :param response: One response, in the family's own terms.
        """
        if self.loss is logistic and self.beta == 1.0:
            return sigmoid(predictions, cast("int", response))
        return np.exp(-potential(self.family, self.loss, self.beta, predictions, response))

    def likelihoods(self, predictions: Floats, responses: Sequence[Response] | Floats) -> Iterator[Floats]:
        """The `likelihood` of each response in turn, which may be changed in place.

        Where the loss can, what they share is computed once.

        :param predictions: (S, A): what `family.predict` gives.
        :param responses: Several responses, in the family's own terms.
        """
        if isinstance(self.loss, OrderedLogit) and self.beta == 1.0:
            yield from self.loss.shares_by_response(predictions, responses)
            return
        if isinstance(self.loss, SharesByLabel) and self.beta == 1.0:
            shares = self.loss.shares_by_label(predictions)
            if list(responses) == list(range(len(shares))):
                yield from shares
                return
        for response in responses:
            yield self.likelihood(predictions, response)

    def chances(self, predictions: Floats) -> Floats:
        """(Y, S, A): p(y | a, structure) for each of finitely many responses.

        :param predictions: (S, A): what `family.predict` gives.
        """
        kept = np.stack(list(self.likelihoods(predictions, self.family.responses(predictions))))
        return kept if self.normalised else kept / kept.sum(axis=0)


def potential(family: Family, loss: Loss, beta: float, predictions: Floats, response: Response | Floats) -> Floats:
    """(S, A): beta * loss, what an answer costs each structure; with infinite beta, infinity or nothing.

    >>> from askwise.losses import zero_one
    >>> from askwise.structures.finite import Finite
    >>> potential(Finite([[0.0], [1.0]]), zero_one, inf, np.array([[0.0], [1.0]]), 1).tolist()
    [[inf], [0.0]]
    """
    said = cast("Responses", response)  # families write answers as numbers
    values = loss.value(family.decide(predictions) if loss.takes_decision else predictions, said)
    if beta == inf:
        return np.where(values > 0, inf, 0.0)  # inf * 0 would be NaN
    return beta * values


def check_beta(loss: Loss, beta: float) -> float:
    """The beta as given; refused if it makes no posterior with this loss.

    >>> check_beta(logistic, 2.0)
    2.0
    """
    implementing("loss", loss, Loss, "a loss such as askwise.logistic")
    if not (isinstance(beta, float) and beta == inf):
        return number("beta", beta, above=0)
    if not loss.takes_decision:
        raise SettingError(f"beta = infinity needs the zero_one loss, got {loss.name}; use a finite beta")
    return inf


def noise_beta(noise: float, responses: int = 2) -> float:
    """The beta of Bayes' rule when a share `noise` of answers is wrong, spread evenly over the wrong `responses`.

    :param noise: The share of wrong answers.
    :param responses: How many responses there are.

    >>> round(noise_beta(0.1), 4), noise_beta(0.0)
    (2.1972, inf)
    """
    responses = whole_number("responses", responses, at_least=2)
    noise = number("noise", noise, at_least=0, below=(responses - 1) / responses)
    return inf if noise == 0 else float(np.log((responses - 1) * (1 - noise) / noise))


def beta_noise(beta: float) -> float:
    """The share of wrong answers of two for which `beta` is Bayes' rule: the inverse of `noise_beta`.

    >>> round(beta_noise(noise_beta(0.1)), 4)
    0.1
    """
    return float(1 / (1 + np.exp(beta)))


def margin_beta(margin: float) -> float:
    """The largest beta for which the paper proves that beliefs settle on the truth (theorem DBAL consistency).

    The right answer to every question must be likelier than any other by `margin`; else, wrong answers may come in any
    way.

    >>> margin_beta(0.8)
    0.08
    """
    return number("margin", margin, above=0, at_most=1) / 10
