"""Stop when the answers have cost enough, or when no question is worth its cost."""

from __future__ import annotations

from dataclasses import dataclass

from askwise.options import number
from askwise.stopping.rule import StopReason


@dataclass(frozen=True)
class CostLimits:
    """Stop once the answers have cost `max_cost`, or once no question gains `min_gain_per_cost`.

    A gain is how much a question is expected to lower how undecided the goal is, from 0 to 1, for each unit of its
    cost. Where families have no costs, an answer costs 1.

    >>> CostLimits(max_cost=100).spent(100.0)
    'the answers have cost 100, which is the limit'
    >>> CostLimits(min_gain_per_cost=0.001).gained(0.0004)
    'no question is expected to lower undecided by 0.001 per unit of cost (the best one by 0.0004)'
    """

    max_cost: float | None = None  # of all answers together; None: no limit
    min_gain_per_cost: float | None = None  # of the best question, for each unit of its cost; None: no limit

    def __post_init__(self) -> None:
        for name, value in (("max_cost", self.max_cost), ("min_gain_per_cost", self.min_gain_per_cost)):
            if value is not None:
                object.__setattr__(self, name, number(name, value, above=0))

    def spent(self, cost: float) -> StopReason | None:
        """The reason to stop after answers that have cost so much, or None.

        :param cost: Of all answers so far.
        """
        if self.max_cost is None or cost < self.max_cost:
            return None
        return StopReason(f"the answers have cost {cost:.6g}, which is {self._excess(cost)}the limit", "budget")

    def gained(self, gain_per_cost: float) -> StopReason | None:
        """The reason to stop where the best question gains so much per unit of its cost, or None.

        :param gain_per_cost: Of the best question.
        """
        if self.min_gain_per_cost is None or gain_per_cost >= self.min_gain_per_cost:
            return None
        wanted = f"no question is expected to lower undecided by {self.min_gain_per_cost:g} per unit of cost"
        return StopReason(f"{wanted} (the best one by {max(0.0, gain_per_cost):.2g})", "budget")

    def _excess(self, cost: float) -> str:
        return "" if cost == self.max_cost else "above "
