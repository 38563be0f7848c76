"""The k items somebody likes best, in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from askwise.data.tables import Columns, Rows
from askwise.distances import Distance
from askwise.distances.items import TopKendall
from askwise.goals.base.charts import Result
from askwise.goals.base.function import python_function
from askwise.goals.base.items import BestFewGoal
from askwise.goals.base.ranks import top_ranking_result
from askwise.session import Session
from askwise.types import Floats, Sample

MANY_PLACES = 50  # beyond, orders are compared on fewer draws: the cost grows with places^2 draws^2


class TopRankingGoal(BestFewGoal):
    """Finds the k items somebody likes best, in order. The first places matter most.

    >>> session = top_ranking(["tea", "coffee", "water", "milk"], 2, seed=1)
    >>> while not session.done:
    ...     question = session.ask()
    ...     session.tell("left" if question.options[0].name < question.options[1].name else "right")
    >>> session.estimate().value
    ['coffee', 'milk']
    """

    goal_name: ClassVar[str] = "top_ranking"
    order: ClassVar[int] = 25
    title: ClassVar[str] = "Which few items are the best, in order"
    estimate: ClassVar[str] = "k names, best first"
    distance: ClassVar[str] = "TopKendall"
    max_rows: ClassVar[int] = 1_000
    ordered: ClassVar[bool] = True
    example: ClassVar[Mapping[str, Any]] = {"data": ["tea", "coffee", "water", "milk"], "k": 2}

    draws: int | None = None  # type: ignore[assignment]  # resolved by k

    def resolve(self, data: Rows) -> tuple[Columns, Self]:
        columns, goal = super().resolve(data)
        return columns, replace(goal, draws=self.draws or (600 if self.k <= MANY_PLACES else 200))

    def distance_between(self, rows: Floats, scored: bool) -> Distance:
        return TopKendall(rows, self.k, scored=scored)

    def describe(self, names: Sequence[str], utilities: Floats) -> list[str]:
        return [names[i] for i in np.argsort(-utilities, kind="stable")[: self.k]]

    def sentence(self, rows: int) -> str:
        few = f"the best {self.k} of the {rows} items, in order" if self.k > 1 else f"the best of the {rows} items"
        return f"Find {few}."

    def exact_claim(self) -> str:
        return "this is the best one" if self.k == 1 else f"these are the top {self.k} in exactly this order"

    def result(self, session: Session, sample: Sample) -> Result:
        family: Any = session.problem.family
        question = f"Which {self.k} of {len(family.active):,} are the best, in order?"
        one = f"Which of {len(family.active):,} is the best?"
        return top_ranking_result(session, sample, question if self.k > 1 else one)


top_ranking = python_function(TopRankingGoal)
