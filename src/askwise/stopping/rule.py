"""What a stopping rule is: a function that gives a reason to stop, or None. Several rules combine into one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from numpy.random import Generator

from askwise.options import function
from askwise.posteriors import Posterior
from askwise.problem import Problem
from askwise.types import Sample

ReasonKind = Literal["settled", "budget", "exhausted"]


class StopReason(str):
    """Why it is time to stop: a sentence for people, and a `kind` for programs.

    The kinds are "settled" (the goal is reached), "budget" (no more answers are wanted) and "exhausted" (no question is
    left). A rule of your own may return a plain text.

    :param text: The sentence for people.

    >>> reason = StopReason("every question was asked", "exhausted")
    >>> reason.kind, f"Stop: {reason}."
    ('exhausted', 'Stop: every question was asked.')
    """

    kind: ReasonKind  # one of "settled", "budget" and "exhausted"

    def __new__(cls, text: str, kind: ReasonKind) -> StopReason:
        reason = super().__new__(cls, text)
        reason.kind = kind
        return reason

    def __getnewargs__(self) -> tuple[str, ReasonKind]:  # type: ignore[override]  # for pickle
        return str(self), self.kind


EVERY_QUESTION_ASKED = StopReason("every question was asked", "exhausted")


class Stop(Protocol):
    """The reason to stop, or None. `answers` is how many answers are in force.

    `round` 1, 2, ... counts the times that the rule was called, also after an undo or a change of goal. No two calls of
    a session share a round, so each has its own share of delta.

    :param problem: The family, the loss and the distance.
    :param posterior: The beliefs after the answers so far.
    :param sample: The draws of this round and their weights.
    :param answers: How many answers are in force.
    :param round: How often the rule was called, this call included.
    :param rng: The generator of further draws.
    """

    def __call__(
        self, problem: Problem, posterior: Posterior, sample: Sample, answers: int, round: int, rng: Generator
    ) -> str | None: ...


@dataclass(frozen=True)
class AnyOf:
    """Stops for the first of several reasons; see `any_of`.

    >>> from askwise.stopping import Budget
    >>> AnyOf((Budget(5), Budget(3)))(None, None, None, 3, 4, None)
    'the budget of 3 answers is used up'
    """

    rules: tuple[Stop, ...]

    def __call__(
        self, problem: Problem, posterior: Posterior, sample: Sample, answers: int, round: int, rng: Generator
    ) -> str | None:
        reasons = (rule(problem, posterior, sample, answers, round, rng) for rule in self.rules)
        return next((reason for reason in reasons if reason is not None), None)


def any_of(*rules: Stop) -> AnyOf:
    """A rule that stops for the first reason that one of `rules` gives.

    :param rules: Stopping rules, in the order in which they are asked.

    >>> from askwise.stopping import Budget, DiameterBelow
    >>> len(any_of(Budget(5), DiameterBelow(0.1)).rules)
    2
    """
    return AnyOf(tuple(function("a rule to stop", rule) for rule in rules))
