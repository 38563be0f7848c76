"""When to stop: a budget, the average diameter below epsilon with confidence, or the first of several."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log
from typing import Protocol

import numpy as np
from numpy.random import Generator

from askwise.distances import form_of
from askwise.errors import SettingError
from askwise.posteriors import Posterior
from askwise.problem import Problem
from askwise.split import average_diameter
from askwise.types import Floats, Sample, Structures

FIRST = 128  # fresh pairs drawn at first; then twice as many, and so on
BLOCK = 1024  # pairs drawn together at most
SURE = 3  # standard errors at which draws are taken to rule a diameter out
FEW = 30  # draws, below which their pairs say nothing about their own error


class Stop(Protocol):
    """The reason to stop at the start of round 1, 2, ..., or None."""

    def __call__(
        self, problem: Problem, posterior: Posterior, sample: Sample, round: int, rng: Generator
    ) -> str | None: ...


@dataclass(frozen=True)
class Budget:
    """Stop after so many answers.

    >>> Budget(3)(None, None, None, 4, None)
    'the budget of 3 answers is used up'
    """

    answers: int

    def __post_init__(self) -> None:
        if not self.answers >= 1:
            raise SettingError(f"a budget must be at least one answer, got {self.answers}")

    def __call__(
        self, problem: Problem, posterior: Posterior, sample: Sample, round: int, rng: Generator
    ) -> str | None:
        return f"the budget of {self.answers} answers is used up" if round > self.answers else None


@dataclass(frozen=True)
class DiameterBelow:
    """The paper's rule: with probability 1 - delta over all rounds, it never stops while the average diameter is above
    epsilon, and always stops once it is at most epsilon / 2.

    Each test wants thousands of fresh pairs, so it is left out when the draws at hand rule it out, first by disjoint
    pairs and then by all, and given up as soon as the fresh ones do. Waiting can only make it stop later.
    `closeness` (at least 1) is how far the prior may be from the truth's own distribution: epsilon shrinks by its
    square.

    >>> DiameterBelow(0.1, delta=0.05).pairs(100)
    5864
    """

    epsilon: float
    delta: float = 0.05
    closeness: float = 1.0

    def __post_init__(self) -> None:
        if not (0 < self.epsilon <= 1 and 0 < self.delta < 1 and self.closeness >= 1):
            raise SettingError(
                "epsilon must be in (0, 1], delta in (0, 1) and closeness at least 1; "
                f"got {self.epsilon}, {self.delta} and {self.closeness}"
            )

    @property
    def target(self) -> float:
        return self.epsilon / self.closeness**2

    def pairs(self, round: int) -> int:
        """n_t = (48 / eps) ln(t (t + 1) / delta)."""
        return ceil(48 / self.target * log(round * (round + 1) / self.delta))

    def __call__(
        self, problem: Problem, posterior: Posterior, sample: Sample, round: int, rng: Generator
    ) -> str | None:
        reason = f"the average diameter is below {self.target:.3g}"
        if sample.exact:
            diameter = average_diameter(form_of(problem.distance, sample.structures), sample.weights, exact=True)
            return reason if diameter <= self.target else None
        bar, left, fresh = 0.75 * self.target, self.pairs(round), np.zeros(0)
        if clearly_above(halves_apart(problem, sample.structures), bar) or self._far(problem, sample, bar):
            return None
        allowed = bar * left
        while left:
            size = min(max(FIRST, len(fresh)), BLOCK, left)
            fresh = np.append(fresh, halves_apart(problem, posterior.sample(2 * size, rng).structures))
            left -= size
            # distances only add up: the test has failed as soon as the sum is too large
            if fresh.sum() > allowed or (left and clearly_above(fresh, bar)):
                return None
        return f"{reason} with confidence {1 - self.delta:.0%}"

    @staticmethod
    def _far(problem: Problem, sample: Sample, bar: float) -> bool:
        """Whether all pairs of the draws at hand rule out a diameter of at most `bar`: a few chains have more to say
        together than in disjoint pairs."""
        count = len(sample.weights)
        if count < FEW:
            return False
        means = form_of(problem.distance, sample.structures).apply(sample.weights) * count / (count - 1)
        # the error of a mean over all pairs comes from its rows: twice their own (Hoeffding 1948)
        return bool(means.mean() - SURE * 2 * means.std() / np.sqrt(count) > bar)


def clearly_above(values: Floats, bar: float) -> bool:
    """Whether the mean of independent values in [0, 1] is above the bar, beyond what chance would do.

    >>> clearly_above(np.full(100, 0.3), 0.1), clearly_above(np.full(10, 0.3), 0.1)
    (True, False)
    """
    # 3 / n: few draws that happen to lie alike have no spread, which must not rule the test out
    slack = SURE * values.std() / np.sqrt(len(values)) + SURE / len(values)
    return bool(values.mean() - slack > bar)


def halves_apart(problem: Problem, draws: Structures) -> Floats:
    """The distances of disjoint pairs: the first draw from the first of the second half, and so on."""
    half = len(draws) // 2
    return problem.distance.paired(draws[np.arange(half)], draws[np.arange(half, 2 * half)])


@dataclass(frozen=True)
class AnyOf:
    """Stop for the first of several reasons.

    >>> any_of(Budget(5), Budget(3))(None, None, None, 4, None)
    'the budget of 3 answers is used up'
    """

    rules: tuple[Stop, ...]

    def __call__(
        self, problem: Problem, posterior: Posterior, sample: Sample, round: int, rng: Generator
    ) -> str | None:
        reasons = (rule(problem, posterior, sample, round, rng) for rule in self.rules)
        return next((reason for reason in reasons if reason is not None), None)


def any_of(*rules: Stop) -> AnyOf:
    """Stop for the first of several reasons.

    >>> len(any_of(Budget(5), DiameterBelow(0.1)).rules)
    2
    """
    return AnyOf(rules)
