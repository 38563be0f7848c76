"""Whether people prefer a side, whatever stands there: when that is looked at, and what was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from askwise.types import Answer, Floats, Ints

BIAS_SPREAD = 0.5  # standard deviation of a person's bias to a side, in prior scales of the scores
MIN_ANSWERS_ALONE = 20  # of the only person, from which on a bias is allowed for


@dataclass(frozen=True)
class AnswersSoFar:
    """The answers in the order they came, while they are too few to allow for a bias.

    >>> few = AnswersSoFar().extended([Answer((0, 1), 1, "Ann", left=1)])
    >>> few.suffice, few.extended([Answer((0, 1), 1, "Bob", left=-1)]).suffice
    (False, True)
    """

    atoms: Any = field(default_factory=lambda: np.zeros((0, 2), dtype=int))  # (T, 2), or (T, 3) in contexts
    responses: Floats = field(default_factory=lambda: np.zeros(0))  # (T,)
    lefts: Ints = field(default_factory=lambda: np.zeros(0, dtype=int))  # (T,): see `Answer.left`
    people: Any = field(default_factory=lambda: np.zeros(0, dtype=str))  # (T,): who answered

    def extended(self, answers: Sequence[Answer]) -> AnswersSoFar:
        """With more answers."""
        atoms = np.array([answer.atom for answer in answers], dtype=int)
        return AnswersSoFar(
            np.concatenate([self.atoms, atoms]) if len(self.atoms) else atoms,
            np.append(self.responses, [float(answer.response) for answer in answers]),
            np.append(self.lefts, [answer.left for answer in answers]).astype(int),
            np.append(self.people, [answer.who or "" for answer in answers]),
        )

    @property
    def suffice(self) -> bool:
        """Whether several people have answered, or one often enough; where it is not known who stood left, nobody."""
        people = self.people[self.lefts != 0]
        return len(people) >= MIN_ANSWERS_ALONE or len(np.unique(people)) > 1

    @property
    def answers(self) -> list[Answer]:
        """The answers themselves."""
        parts = zip(self.atoms, self.responses.tolist(), self.people.tolist(), self.lefts.tolist(), strict=True)
        return [Answer(atom, response, who or None, left) for atom, response, who, left in parts]
