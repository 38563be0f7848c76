"""People who prefer a side, whatever stands there: what that does to predictions, and a sentence about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb
from typing import NamedTuple

import numpy as np

from askwise.posteriors import LearnsBias, Posterior
from askwise.types import Answer, Floats

MAX_CHANCE = 0.001  # of a count at least as uneven from somebody who prefers no side


class SideCount(NamedTuple):
    """How often somebody chose the side that they prefer.

    >>> print(SideCount("Ann", "left", 18, 20))
    Ann chose the left one in 18 of 20 questions; this was taken into account.
    """

    who: str  # empty: the only person
    side: str
    chosen: int
    questions: int

    def __str__(self) -> str:
        counted = f"in {self.chosen} of {self.questions} questions; this was taken into account."
        if self.who:
            return f"{self.who} chose the {self.side} one {counted}"
        return f"The {self.side} one was chosen {counted}"


def uneven_sides(posterior: Posterior, answers: Sequence[Answer]) -> tuple[SideCount, ...]:
    """Everybody who chose one side far more often than chance explains, if the posterior allows for that.

    - `posterior`: what is believed after the `answers`.

    >>> class Biased:
    ...     biases = {"Ann": 3.0}
    ...     sample_with_biases = None
    >>> told = [Answer((0, 1), side, "Ann", left=side) for side in (1, -1) * 10]
    >>> print(*uneven_sides(Biased(), told))
    Ann chose the left one in 20 of 20 questions; this was taken into account.
    """
    found = []
    for who in posterior.biases if isinstance(posterior, LearnsBias) else ():
        sides = [np.sign(one.response) * one.left for one in answers if (one.who or "") == who]
        left, right = sides.count(1), sides.count(-1)
        most, total = max(left, right), left + right
        as_uneven = 2 * sum(comb(total, count) for count in range(most, total + 1)) / 2**total
        if total and as_uneven < MAX_CHANCE:
            found.append(SideCount(who, "left" if left > right else "right", most, total))
    return tuple(found)


def position_shifts(biases: Mapping[str, Floats], answers: Sequence[Answer]) -> Floats:
    """(S, T): what the side each person prefers adds to the score of each answer, from their biases in S draws.

    >>> told = [Answer((0, 1), 1, "Ann", left=-1), Answer((0, 2), 1, "Ben", left=1)]
    >>> position_shifts({"Ann": np.array([3.0, 2.0])}, told)
    array([[-3.,  0.],
           [-2.,  0.]])
    """
    none = np.zeros(len(next(iter(biases.values()))))
    return np.stack([answer.left * biases.get(answer.who or "", none) for answer in answers], axis=1)
