"""Simulated people: how somebody who knows a hidden structure answers.

A person has one method, `respond(atom, rng)`. The people here range from faultless to the worst that the theory allows,
so that a strategy can be tried on people who do not follow its model.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol
from zlib import crc32

import numpy as np
from numpy.random import Generator

from askwise.errors import SettingError
from askwise.problem import Problem
from askwise.structures import DrawsResponses, Family
from askwise.types import Floats, Response


class SimulatedPerson(Protocol):
    """Somebody who answers questions."""

    def respond(self, atom: Any, rng: Generator) -> Response:
        """Answers the question about this atom, in the family's own terms."""
        ...


@dataclass(frozen=True)
class ModelPerson:
    """Answers with the probabilities of the problem's own model: logistic noise, logit choice, ties, Gaussian noise.

    >>> from askwise.distances.items import BestItem
    >>> from askwise.structures.choice import Choice
    >>> problem = Problem(Choice(np.eye(2)), BestItem(np.eye(2)))
    >>> ModelPerson(problem, np.array([50.0, 0.0])).respond(np.array([0, 1]), np.random.default_rng(0))
    1
    """

    problem: Problem
    truth: Any

    def respond(self, atom: Any, rng: Generator) -> Response:
        family = self.problem.family
        predictions = family.predict(np.asarray(self.truth)[None], np.asarray(atom)[None])
        if isinstance(family, DrawsResponses):
            return float(family.draw_responses(predictions, rng)[0, 0])
        probabilities = self.problem.chances(predictions)[:, 0, 0]
        return list(family.responses(predictions))[_draw_index(probabilities, rng)]


@dataclass(frozen=True)
class LabellingPerson:
    """Gives the true response, except in a share `noise` of the answers: those are spread evenly over the wrong ones.

    Without noise, the person is faultless. The learner's matching beta is `noise_beta(noise, responses)`.

    >>> from askwise.structures.finite import Finite
    >>> LabellingPerson(Finite([[0, 1], [1, 1]]), np.asarray(1)).respond(0, np.random.default_rng(0))
    1
    """

    family: Family
    truth: Any
    noise: float = 0.0

    def __post_init__(self) -> None:
        _check_share("noise", self.noise)

    def respond(self, atom: Any, rng: Generator) -> Response:
        responses, right = _right_response(self.family, self.truth, atom)
        wrong = self.noise / (len(responses) - 1)
        probabilities = np.where(np.arange(len(responses)) == right, 1 - self.noise, wrong)
        return responses[_draw_index(probabilities, rng)]


@dataclass(frozen=True)
class BoundedNoisePerson:
    """Bounded noise: on every atom, the right response is likelier than any other by at least `margin`.

    Each atom has its own fixed probabilities. An adversarial person has the worst ones allowed: the right response
    leads by the margin only, and all the noise goes to the strongest rival. That is the wrong response that most of
    `others` give (structures, such as draws of the prior). With two responses there is one rival, and `others` is not
    needed.

    >>> from askwise.structures.finite import Finite
    >>> person = BoundedNoisePerson(Finite([[0, 1], [1, 1]]), np.asarray(1), margin=0.2, adversarial=True)
    >>> person.probabilities(0)
    array([0.4, 0.6])
    """

    family: Family
    truth: Any
    margin: float
    adversarial: bool = False
    others: Any = None

    def __post_init__(self) -> None:
        if not 0 < self.margin <= 1:
            raise SettingError(f"margin must be above 0 and at most 1, got {self.margin}")

    def probabilities(self, atom: Any) -> Floats:
        """p(y | atom), (Y,)."""
        responses, right = _right_response(self.family, self.truth, atom)
        atom_rng = np.random.default_rng(crc32(np.asarray(atom, dtype=float).tobytes()))
        wrong = [place for place in range(len(responses)) if place != right]
        probabilities = np.zeros(len(responses))
        if self.adversarial:
            probabilities[self._strongest_rival(atom, responses, wrong)] = (1 - self.margin) / 2
        else:
            probabilities[wrong] = atom_rng.dirichlet(np.ones(len(wrong)))
            probabilities *= atom_rng.random() * (1 - self.margin) / (1 + probabilities.max())
        probabilities[right] = 1 - probabilities.sum()
        return probabilities

    def _strongest_rival(self, atom: Any, responses: list[Response], wrong: list[int]) -> int:
        """The index of the wrong response that most others give; the first of equally many."""
        if len(wrong) == 1:
            return wrong[0]
        if self.others is None:
            raise SettingError("with three or more responses an adversary needs others= to know the strongest rival")
        given = self.family.decide(self.family.predict(self.others, np.asarray(atom)[None]))[:, 0].tolist()
        return max(wrong, key=lambda place: given.count(responses[place]))

    def respond(self, atom: Any, rng: Generator) -> Response:
        responses, _ = _right_response(self.family, self.truth, atom)
        return responses[_draw_index(self.probabilities(atom), rng)]


@dataclass(frozen=True)
class MatrixPerson:
    """Measures an entry of the true matrix, with Gaussian noise.

    >>> MatrixPerson(np.array([[1.0, 2.0]]), noise=0.0).respond((0, 1), np.random.default_rng(0))
    2.0
    """

    truth: Floats  # (N, M)
    noise: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.noise < float("inf"):
            raise SettingError(f"noise must be a number of at least 0, got {self.noise}")

    def respond(self, atom: Any, rng: Generator) -> float:
        return float(self.truth[int(atom[0]), int(atom[1])] + self.noise * rng.standard_normal())


@dataclass(frozen=True)
class LapsingPerson:
    """Another person who gives a random other response in a share `lapses` of the answers.

    >>> from askwise.structures.finite import Finite
    >>> careful = LabellingPerson(Finite([[0, 1], [1, 1]]), np.asarray(1))
    >>> LapsingPerson(careful, [0, 1], 0.999).respond(0, np.random.default_rng(0))
    0
    """

    person: SimulatedPerson
    responses: Any
    lapses: float

    def __post_init__(self) -> None:
        _check_share("lapses", self.lapses)

    def respond(self, atom: Any, rng: Generator) -> Response:
        response = self.person.respond(atom, rng)
        if rng.random() >= self.lapses:
            return response
        others = [other for other in self.responses if other != response]
        return others[int(rng.integers(len(others)))]


@dataclass
class DriftingPerson:
    """Somebody whose taste drifts: each answer moves the weights by `drift` times their first length, at random.

    >>> from askwise.distances.items import BestItem
    >>> from askwise.structures.choice import Choice
    >>> person = DriftingPerson(Problem(Choice(np.eye(2)), BestItem(np.eye(2))), np.array([50.0, 0.0]), drift=0.1)
    >>> before = person.truth
    >>> response = person.respond(np.array([0, 1]), np.random.default_rng(0))
    >>> bool(np.any(person.truth != before))
    True
    """

    problem: Problem
    truth: Floats
    drift: float
    length: float = field(init=False)  # of the first weights

    def __post_init__(self) -> None:
        if not 0 <= self.drift < np.inf:
            raise SettingError(f"drift must be a number of at least 0, got {self.drift}")
        self.length = float(np.linalg.norm(self.truth))

    def respond(self, atom: Any, rng: Generator) -> Response:
        response = ModelPerson(self.problem, self.truth).respond(atom, rng)
        step = rng.standard_normal(len(self.truth))
        self.truth = self.truth + self.drift * self.length * step / np.linalg.norm(step)
        return response


def _right_response(family: Family, truth: Any, atom: Any) -> tuple[list[Response], int]:
    """The responses, and the index of the right one."""
    predictions = family.predict(np.asarray(truth)[None], np.asarray(atom)[None])
    responses = list(family.responses(predictions))
    return responses, responses.index(family.decide(predictions)[0, 0])


def _draw_index(probabilities: Floats, rng: Generator) -> int:
    return int((rng.random() > np.cumsum(probabilities)[:-1]).sum())


def _check_share(name: str, value: float) -> None:
    if not 0 <= value < 1:
        raise SettingError(f"{name} must be from 0 to below 1, got {value}")
