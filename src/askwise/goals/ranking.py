"""All items in somebody's order, best first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from askwise.data.tables import Columns, Rows
from askwise.distances import Distance
from askwise.distances.items import KendallTau
from askwise.goals.base.charts import Result
from askwise.goals.base.function import python_function
from askwise.goals.base.goal import row_count
from askwise.goals.base.items import ItemGoal
from askwise.goals.base.ranks import ranking_result
from askwise.session import Session
from askwise.types import Floats, Sample

MANY_ITEMS = 100  # beyond, rankings are compared on fewer draws: the cost grows with items^2 draws^2


class RankingGoal(ItemGoal):
    """Puts all items in somebody's order, best first.

    >>> ranking(["tea", "coffee", "water"], seed=1).ask().responses
    ('left', 'right')
    """

    goal_name: ClassVar[str] = "ranking"
    order: ClassVar[int] = 30
    title: ClassVar[str] = "In which order the items stand"
    estimate: ClassVar[str] = "all names, best first"
    distance: ClassVar[str] = "KendallTau"
    max_rows: ClassVar[int] = 1_000
    ordered: ClassVar[bool] = True
    example: ClassVar[Mapping[str, Any]] = {"data": ["tea", "coffee", "water", "milk"]}

    epsilon: float = 0.1
    draws: int | None = None  # type: ignore[assignment]  # resolved by the number of items

    def resolve(self, data: Rows) -> tuple[Columns, Self]:
        columns, goal = super().resolve(data)
        return columns, replace(goal, draws=self.draws or (600 if row_count(columns) <= MANY_ITEMS else 200))

    def distance_between(self, rows: Floats, scored: bool) -> Distance:
        return KendallTau(rows, scored)

    def describe(self, names: Sequence[str], utilities: Floats) -> list[str]:
        return [names[i] for i in np.argsort(-utilities, kind="stable")]

    def sentence(self, rows: int) -> str:
        return f"Put the {rows} items in order."

    def exact_claim(self) -> str:
        return "this is exactly the right order"

    def result(self, session: Session, sample: Sample) -> Result:
        family: Any = session.problem.family
        return ranking_result(session, sample, f"In which order do {len(family.active):,} items stand, best first?")


ranking = python_function(RankingGoal)
