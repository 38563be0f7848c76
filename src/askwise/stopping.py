"""When to stop: a budget, the average diameter below epsilon with confidence, or the first of several."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log
from typing import Protocol

import numpy as np
from numpy.random import Generator

from askwise.distances import form_of
from askwise.options import function, number, whole_number
from askwise.posteriors import Posterior
from askwise.posteriors.chains import independent_draws, pairs
from askwise.problem import Problem
from askwise.split import average_diameter
from askwise.types import Floats, Ints, Sample

FIRST = 128  # fresh pairs drawn at first; then twice as many, and so on
BLOCK = 1024  # pairs drawn together at most
SURE = 3  # standard errors at which the draws at hand are taken to rule a diameter out
HOPE = 1  # standard errors of luck for which more are drawn
BET = 0.5  # share of the largest bet that may be made: distances are skewed, and a large one costs a large bet dearly
SMALLEST = 1e-300  # epsilon and delta: below, there are more pairs of draws than can be counted
LARGEST = 1e100  # closeness: beyond, its square is too large to divide by
FEW = 30  # draws, below which their pairs say nothing about their own error


class Stop(Protocol):
    """The reason to stop, or None, with so many `answers` in force.

    `round` 1, 2, ... counts every time that one looks, also after an undo or a change of goal: no two looks of a
    session have the same, so that each has a share of delta of its own.
    """

    def __call__(
        self, problem: Problem, posterior: Posterior, sample: Sample, answers: int, round: int, rng: Generator
    ) -> str | None: ...


@dataclass(frozen=True)
class Budget:
    """Stop after so many answers.

    >>> Budget(3)(None, None, None, 3, 4, None)
    'the budget of 3 answers is used up'
    """

    answers: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "answers", whole_number("budget", self.answers, at_least=1))

    def __call__(
        self, problem: Problem, posterior: Posterior, sample: Sample, answers: int, round: int, rng: Generator
    ) -> str | None:
        return f"the budget of {self.answers} answers is used up" if answers >= self.answers else None


@dataclass(frozen=True)
class DiameterBelow:
    """Stop once the average diameter is below epsilon: too soon in any round with probability delta at most.

    A test takes pairs of draws and is passed as soon as a bet against "epsilon or more" has won often enough, which for
    independent pairs is a proof. It is left out or given up where the draws leave little hope, so that it may miss a
    round in which it would have been passed, and a question more is asked. At half of epsilon that happened in fewer
    than one round of a hundred (tests/test_stopping.py); the paper's test of (48 / eps) ln(t (t + 1) / delta) pairs,
    which this one does not exceed, would miss none with probability 1 - delta over all rounds. The draws at hand are
    the first of the test where draws are independent. Pairs of draws of chains, which are not, count for what they are
    worth by the spread of the chains' means: an estimate, not a proof.
    `closeness` (at least 1) is how far the prior may be from the truth's own distribution: epsilon shrinks by its
    square.

    >>> DiameterBelow(0.1, delta=0.05).pairs(100)
    5864
    """

    epsilon: float
    delta: float = 0.05
    closeness: float = 1.0

    def __post_init__(self) -> None:
        epsilon, delta = (
            number("epsilon", self.epsilon, above=0, at_most=1),
            number("delta", self.delta, above=0, below=1),
        )
        object.__setattr__(self, "epsilon", number("epsilon", epsilon, at_least=SMALLEST))
        object.__setattr__(self, "delta", number("delta", delta, at_least=SMALLEST))
        object.__setattr__(self, "closeness", number("closeness", self.closeness, at_least=1, at_most=LARGEST))

    @property
    def target(self) -> float:
        return self.epsilon / self.closeness**2

    def pairs(self, round: int) -> int:
        """n_t = (48 / eps) ln(t (t + 1) / delta)."""
        return ceil(48 / self.target * log(round * (round + 1) / self.delta))

    def __call__(
        self, problem: Problem, posterior: Posterior, sample: Sample, answers: int, round: int, rng: Generator
    ) -> str | None:
        reason = f"the average diameter is below {self.target:.3g}"
        if sample.exact:
            diameter = average_diameter(form_of(problem.distance, sample.structures), sample.weights, exact=True)
            return reason if diameter <= self.target else None
        wanted = log(round * (round + 1) / self.delta)
        total = self.pairs(round) // (2 if sample.chains is None else 1)  # pairs of chains are worth less
        held = apart(problem, sample)
        if self._hopeless(held, total, wanted, SURE) or self._far(problem, sample):
            return None
        seen = held[:total] if sample.chains is None else held[:0]
        while not capital(seen.values, self.target).max(initial=0.0) * seen.share() >= wanted:  # also if it is NaN
            size = min(max(FIRST, len(seen) // 2), BLOCK, total - len(seen))
            if size == 0 or (len(seen) and self._hopeless(seen, total, wanted, HOPE)):
                return None
            fresh = apart(problem, posterior.sample(2 * size, rng))
            if not len(fresh):
                return None  # a posterior that gives no draws settles nothing
            seen += fresh
        return f"{reason} with confidence {100 * (1 - self.delta):.6g}%"

    def _hopeless(self, seen: Apart, total: int, wanted: float, luck: float) -> bool:
        """Whether `total` distances like these would hardly suffice, even if these are large by chance."""
        share, values = seen.share(), seen.values
        worth = share * len(values)
        # 3 / n: few draws that happen to lie alike have no spread, which must not rule the test out
        lower = values.mean() - luck * values.std() / np.sqrt(worth) - SURE / worth
        return share * total * growth(self.target - lower, values.var()) < wanted

    def _far(self, problem: Problem, sample: Sample) -> bool:
        """The same by all pairs of the draws at hand: a few chains have more to say together than in disjoint pairs."""
        count = len(sample.weights)
        if count < FEW:
            return False
        means = form_of(problem.distance, sample.structures).apply(sample.weights) * count / (count - 1)
        # the error of a mean over all pairs comes from its rows: twice their own (Hoeffding 1948)
        luck = SURE * 2 * means.std() / np.sqrt(count)
        return bool(means.mean() - luck > self.target)


def capital(values: Floats, level: float) -> Floats:
    """(n,): the log of what one unit has grown to by betting against a mean of `level` or more, value by value.

    Each bet looks at the values before only and cannot lose everything, so if the mean of independent values in [0, 1]
    is that large, the capital ever reaches 1 / delta with probability delta at most (Ville 1939; Waudby-Smith and
    Ramdas 2024).

    >>> [round(float(capital(np.full(300, value), 0.05)[-1]), 1) for value in (0.02, 0.05)]
    [4.5, 0.0]
    """
    seen = np.arange(1, len(values) + 1)
    means = (np.cumsum(values) - values + level) / seen  # of those before, and one at the level
    spreads = (np.cumsum((values - means) ** 2) - (values - means) ** 2 + level) / seen
    edges = level - means
    bets = np.clip(edges / (spreads + edges**2), 0.0, BET)
    return np.cumsum(np.log1p(bets * (level - values)))


def growth(edge: float, variance: float) -> float:
    """By how much the log of the capital grows a value, about, when the mean is below the level by `edge`."""
    bet = min(max(edge, 0.0) / (variance + edge**2), BET)
    return bet * edge - bet**2 * (variance + edge**2) / 2


@dataclass(frozen=True)
class Apart:
    """Distances of disjoint pairs of draws."""

    values: Floats  # (K,)
    chains: Ints | None  # (K,): the first chain of each pair; None: all pairs are independent

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, part: slice) -> Apart:
        return Apart(self.values[part], None if self.chains is None else self.chains[part])

    def __add__(self, more: Apart) -> Apart:
        if self.chains is None or more.chains is None:
            return Apart(np.append(self.values, more.values), None)
        return Apart(np.append(self.values, more.values), np.append(self.chains, more.chains))

    def share(self) -> float:
        """How many independent pairs each of them is worth."""
        return independent_draws(self.values, self.chains) / len(self) if len(self) else 1.0


def apart(problem: Problem, sample: Sample) -> Apart:
    """The distances of disjoint pairs of a sample, of different chains where it comes from chains."""
    left, right = pairs(sample)
    values = problem.distance.paired(sample.structures[left], sample.structures[right])
    return Apart(values, None if sample.chains is None else sample.chains[left])


@dataclass(frozen=True)
class AnyOf:
    """Stop for the first of several reasons.

    >>> any_of(Budget(5), Budget(3))(None, None, None, 3, 4, None)
    'the budget of 3 answers is used up'
    """

    rules: tuple[Stop, ...]

    def __call__(
        self, problem: Problem, posterior: Posterior, sample: Sample, answers: int, round: int, rng: Generator
    ) -> str | None:
        reasons = (rule(problem, posterior, sample, answers, round, rng) for rule in self.rules)
        return next((reason for reason in reasons if reason is not None), None)


def any_of(*rules: Stop) -> AnyOf:
    """Stop for the first of several reasons.

    >>> len(any_of(Budget(5), DiameterBelow(0.1)).rules)
    2
    """
    return AnyOf(tuple(function("a rule to stop", rule) for rule in rules))
