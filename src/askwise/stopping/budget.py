"""Stop after a number of answers."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.random import Generator

from askwise.options import whole_number
from askwise.posteriors import Posterior
from askwise.problem import Problem
from askwise.stopping.rule import StopReason
from askwise.types import Sample


@dataclass(frozen=True)
class Budget:
    """Stop after `answers` answers.

    >>> Budget(3)(None, None, None, 3, 4, None)
    'the budget of 3 answers is used up'
    """

    answers: int  # how many, at least 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "answers", whole_number("budget", self.answers, at_least=1))

    def __call__(
        self, problem: Problem, posterior: Posterior, sample: Sample, answers: int, round: int, rng: Generator
    ) -> StopReason | None:
        if answers < self.answers:
            return None
        return StopReason(f"the budget of {self.answers} answers is used up", "budget")
