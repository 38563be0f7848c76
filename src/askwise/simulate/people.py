"""Simulated people: how somebody who knows a hidden structure answers.

A person has `respond(atom, rng)`, which gives one of the family's responses. Those here range from faultless to worst
allowed, so that a rule can be tried on people who do not follow its model.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol
from zlib import crc32

import numpy as np
from numpy.random import Generator

from askwise.errors import SettingError
from askwise.problem import Problem
from askwise.session import Session
from askwise.structures import Family
from askwise.types import Floats, Response


class Person(Protocol):
    """Somebody to ask."""

    def respond(self, atom: Any, rng: Generator) -> Response: ...


def answer(session: Session, person: Person, rng: Generator) -> Response:
    """Lets the person answer the session's open question; returns what was said."""
    question = session.ask()
    talk = session.conversation
    code = person.respond(talk.asked[question.id]["atom"], rng)
    if question.kind == "number":
        session.tell(code)
        return code
    said = next(said for said in question.responses if talk.code(question.id, said) == code)
    session.tell(said)
    return said


@dataclass(frozen=True)
class ByModel:
    """Answers with the chances of the problem's own model: logistic noise, logit choice, ties.

    >>> from askwise.distances.items import BestItem
    >>> from askwise.structures.choice import Choice
    >>> problem = Problem(Choice(np.eye(2)), BestItem(np.eye(2)))
    >>> ByModel(problem, np.array([50.0, 0.0])).respond(np.array([0, 1]), np.random.default_rng(0))
    1
    """

    problem: Problem
    truth: Any

    def respond(self, atom: Any, rng: Generator) -> Response:
        predictions = self.problem.family.predict(np.asarray(self.truth)[None], np.asarray(atom)[None])
        chances = self.problem.chances(predictions)[:, 0, 0]
        return list(self.problem.family.responses(predictions))[_pick(chances, rng)]


@dataclass(frozen=True)
class Labeller:
    """Decides as the truth does, but for a share `noise` of answers, spread evenly over the wrong responses.

    Without noise, faultless. The learner's matching beta is `noise_beta(noise, responses)`.

    >>> from askwise.structures.finite import Finite
    >>> Labeller(Finite([[0, 1], [1, 1]]), np.asarray(1)).respond(0, np.random.default_rng(0))
    1
    """

    family: Family
    truth: Any
    noise: float = 0.0

    def __post_init__(self) -> None:
        _check_share("noise", self.noise)

    def respond(self, atom: Any, rng: Generator) -> Response:
        responses, right = _decision(self.family, self.truth, atom)
        wrong = self.noise / (len(responses) - 1)
        chances = np.where(np.arange(len(responses)) == right, 1 - self.noise, wrong)
        return responses[_pick(chances, rng)]


@dataclass(frozen=True)
class Bounded:
    """Bounded noise: the right response is likelier than any other by at least `margin`, on every atom.

    Each atom has chances of its own, drawn once and for all; the adversary's are the worst allowed: the right response
    leads by the margin only, and all the noise is on its strongest rival, the wrong response that most of the `others`
    (structures, such as draws of the prior) would give, so that most of them profit. With two responses there is only
    one rival, and no others are needed.

    >>> from askwise.structures.finite import Finite
    >>> person = Bounded(Finite([[0, 1], [1, 1]]), np.asarray(1), margin=0.2, adversarial=True)
    >>> person.chances(0)
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

    def chances(self, atom: Any) -> Floats:
        """p(y | atom), (Y,)."""
        responses, right = _decision(self.family, self.truth, atom)
        own = np.random.default_rng(crc32(np.asarray(atom, dtype=float).tobytes()))
        wrong = [place for place in range(len(responses)) if place != right]
        chances = np.zeros(len(responses))
        if self.adversarial:
            chances[self._rival(atom, responses, wrong)] = (1 - self.margin) / 2
        else:
            chances[wrong] = own.dirichlet(np.ones(len(wrong)))
            chances *= own.random() * (1 - self.margin) / (1 + chances.max())
        chances[right] = 1 - chances.sum()
        return chances

    def _rival(self, atom: Any, responses: list[Response], wrong: list[int]) -> int:
        """The place of the wrong response that most others give; of equally many, the first."""
        if len(wrong) == 1:
            return wrong[0]
        if self.others is None:
            raise SettingError("with three or more responses an adversary needs others= to know the strongest rival")
        given = self.family.decide(self.family.predict(self.others, np.asarray(atom)[None]))[:, 0].tolist()
        return max(wrong, key=lambda place: given.count(responses[place]))

    def respond(self, atom: Any, rng: Generator) -> Response:
        responses, _ = _decision(self.family, self.truth, atom)
        return responses[_pick(self.chances(atom), rng)]


@dataclass(frozen=True)
class Lapsing:
    """Another person who now and then gives any other response, as if not looking.

    >>> from askwise.structures.finite import Finite
    >>> careful = Labeller(Finite([[0, 1], [1, 1]]), np.asarray(1))
    >>> Lapsing(careful, [0, 1], 0.999).respond(0, np.random.default_rng(0))
    0
    """

    person: Person
    responses: Any
    lapses: float

    def __post_init__(self) -> None:
        _check_share("lapses", self.lapses)

    def respond(self, atom: Any, rng: Generator) -> Response:
        said = self.person.respond(atom, rng)
        if rng.random() >= self.lapses:
            return said
        others = [response for response in self.responses if response != said]
        return others[int(rng.integers(len(others)))]


@dataclass
class Drifting:
    """Somebody whose taste wanders: after each answer the weights take a random step of length `drift` times their own.

    >>> from askwise.distances.items import BestItem
    >>> from askwise.structures.choice import Choice
    >>> person = Drifting(Problem(Choice(np.eye(2)), BestItem(np.eye(2))), np.array([50.0, 0.0]), drift=0.1)
    >>> before = person.truth
    >>> said = person.respond(np.array([0, 1]), np.random.default_rng(0))
    >>> bool(np.any(person.truth != before))
    True
    """

    problem: Problem
    truth: Floats
    drift: float
    length: float = field(init=False)

    def __post_init__(self) -> None:
        if not 0 <= self.drift < np.inf:
            raise SettingError(f"drift must be a number of at least 0, got {self.drift}")
        self.length = float(np.linalg.norm(self.truth))

    def respond(self, atom: Any, rng: Generator) -> Response:
        said = ByModel(self.problem, self.truth).respond(atom, rng)
        step = rng.standard_normal(len(self.truth))
        self.truth = self.truth + self.drift * self.length * step / np.linalg.norm(step)
        return said


def _decision(family: Family, truth: Any, atom: Any) -> tuple[list[Response], int]:
    """The responses, and the place of the right one."""
    predictions = family.predict(np.asarray(truth)[None], np.asarray(atom)[None])
    responses = list(family.responses(predictions))
    return responses, responses.index(family.decide(predictions)[0, 0])


def _pick(chances: Floats, rng: Generator) -> int:
    return int((rng.random() > np.cumsum(chances)[:-1]).sum())


def _check_share(name: str, value: float) -> None:
    if not 0 <= value < 1:
        raise SettingError(f"{name} must be from 0 to below 1, got {value}")
