"""People who answer by a hidden structure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.errors import SettingError
from askwise.problem import Problem
from askwise.session import Session
from askwise.types import Response


@dataclass(frozen=True)
class Person:
    """Answers as the problem's own model says a person with this hidden structure would, but for a share of `lapses`:
    answers that are any other response, equally likely.

    >>> from askwise.distances.items import BestItem
    >>> from askwise.structures.choice import Choice
    >>> problem = Problem(Choice(np.eye(2)), BestItem(np.eye(2)))
    >>> Person(problem, np.array([50.0, 0.0])).respond(np.array([0, 1]), np.random.default_rng(0))
    1
    """

    problem: Problem
    truth: Any
    lapses: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.lapses < 1:
            raise SettingError(f"lapses must be from 0 to below 1, got {self.lapses}")

    def respond(self, atom: Any, rng: Generator) -> Response:
        predictions = self.problem.family.predict(np.asarray(self.truth)[None], np.asarray(atom)[None])
        responses = list(self.problem.family.responses(predictions))
        chances = self.problem.chances(predictions)[:, 0, 0]
        chosen = int((rng.random() > np.cumsum(chances)[:-1]).sum())
        if rng.random() < self.lapses:
            chosen = (chosen + int(rng.integers(1, len(responses)))) % len(responses)
        return responses[chosen]

    def answer(self, session: Session, rng: Generator) -> Response:
        """Answers the session's open question; returns what was said."""
        question = session.ask()
        talk = session.conversation
        code = self.respond(talk.asked[question.id]["atom"], rng)
        said = next(said for said in question.responses if talk.code(question.id, said) == code)
        session.tell(said)
        return said
