"""What an oracle may spend: a number of answers, an amount of money, or both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, inf
from typing import Any

from askwise.options import mapping, refusal
from askwise.stopping import Budget, CostLimits, Stop, StopReason
from askwise.stopping.rule import AnyOf

EXPECTED = "a number of answers, a Budget, CostLimits(max_cost=...), or a mapping such as {'answers': 100, 'cost': 5.0}"


@dataclass(frozen=True)
class Spending:
    """The limits of one oracle in one log, over all runs.

    >>> Spending.of(100).reason(closed=100, spent=0.0)
    'the budget of 100 answers is used up'
    >>> Spending.of({"cost": 5.0}).reason(closed=100, spent=5.5)
    'the answers have cost 5.5, which is above the limit'
    """

    answers: Budget | None = None
    cost: CostLimits | None = None

    @classmethod
    def of(cls, budget: Any) -> Spending:
        """The limits that a caller gave."""
        if budget is None or isinstance(budget, Budget):
            return cls(answers=budget)
        if isinstance(budget, CostLimits) and budget.min_gain_per_cost is None:
            return cls(cost=budget)
        if not isinstance(budget, Mapping):
            if isinstance(budget, bool | str) or not hasattr(budget, "__index__"):
                raise refusal("budget", budget, EXPECTED)
            return cls(answers=Budget(budget))
        given = mapping("budget", budget, EXPECTED)
        if not given or given.keys() - {"answers", "cost"}:
            raise refusal("budget", budget, EXPECTED)
        answers, cost = given.get("answers"), given.get("cost")
        return cls(None if answers is None else Budget(answers), None if cost is None else CostLimits(max_cost=cost))

    def reason(self, closed: int, spent: float) -> StopReason | None:
        """The reason to stop after so many answers and skips that have cost so much, or None."""
        if self.answers is not None and closed >= self.answers.answers:
            return StopReason(f"the budget of {self.answers.answers} answers is used up", "budget")
        return None if self.cost is None else self.cost.spent(spent)

    def room(self, closed: int, spent: float, calls: int, known: float | None = None) -> float:
        """How many calls may be in flight: those that are expected to end within the limits.

        `known` is what each call costs; if it is None, it is what the `calls` before have cost on average, and the
        first one goes alone.

        >>> Spending.of({"answers": 10, "cost": 5.0}).room(closed=4, spent=4.0, calls=4)
        1
        """
        by_answers = inf if self.answers is None else self.answers.answers - closed
        if self.cost is None or self.cost.max_cost is None:
            return by_answers
        each = spent / calls if calls and known is None else known
        if each is None:
            return min(by_answers, 1)
        return min(by_answers, ceil((self.cost.max_cost - spent) / each)) if each else by_answers


def answers_left(stop: Stop | None, given: int) -> float:
    """How many answers a study takes until its own budget is used.

    >>> from askwise.stopping import DiameterBelow, any_of
    >>> answers_left(any_of(DiameterBelow(0.05), Budget(12)), given=10)
    2
    """
    if isinstance(stop, AnyOf):
        return min((answers_left(rule, given) for rule in stop.rules), default=inf)
    return stop.answers - given if isinstance(stop, Budget) else inf
