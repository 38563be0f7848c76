"""The k items somebody likes best, in no order among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from askwise.distances import Distance
from askwise.distances.items import TopK
from askwise.goals.base.charts import MAX_BARS, Bars, Item, Result, chance_rows
from askwise.goals.base.findings import membership_chances
from askwise.goals.base.function import python_function
from askwise.goals.base.items import BestFewGoal, chance_table
from askwise.goals.base.texts import percent
from askwise.session import Session
from askwise.types import Floats, Sample


class TopKGoal(BestFewGoal):
    """Finds the k items somebody likes best, in no order among them.

    >>> top_k(["tea", "coffee", "water", "milk"], 2, seed=1).ask().kind
    'pair'
    """

    goal_name: ClassVar[str] = "top_k"
    order: ClassVar[int] = 20
    title: ClassVar[str] = "Which few items are the best"
    estimate: ClassVar[str] = "k names"
    distance: ClassVar[str] = "TopK"
    max_rows: ClassVar[int] = 5_000
    example: ClassVar[Mapping[str, Any]] = {"data": ["tea", "coffee", "water", "milk"], "k": 2}

    def distance_between(self, rows: Floats, scored: bool) -> Distance:
        return TopK(rows, self.k, scored)

    def describe(self, names: Sequence[str], utilities: Floats) -> list[str]:
        return [names[i] for i in np.argsort(-utilities, kind="stable")[: self.k]]

    def sentence(self, rows: int) -> str:
        return f"Find the best {self.k} of the {rows} items." if self.k > 1 else f"Find the best of the {rows} items."

    def exact_claim(self) -> str:
        return "this is the best one" if self.k == 1 else f"these are the top {self.k}"

    def result(self, session: Session, sample: Sample) -> Result:
        family: Any = session.problem.family
        distance: Any = session.problem.distance
        rows = membership_chances(distance.top(sample.structures), sample.weights, family.active_names)
        chance, chosen = {row.name: row.probability for row in rows}, session.estimate().value
        drawn = chance_rows(rows, len(chosen) + MAX_BARS)
        bars = Bars(
            "chances",
            f"How likely each is among the best {len(chosen)}",
            "The share of everything still plausible in which the item is on top.",
            chance_table(rows, "among the best"),
            drawn,
            len(rows) - len(drawn),
        )
        items = tuple(Item(name, family.names.index(name), percent(chance[name])) for name in chosen)
        few = (
            f"Which {len(chosen)} of {len(rows):,} are the best?"
            if len(chosen) > 1
            else f"Which of {len(rows):,} is the best?"
        )
        return Result(few, items, charts=(bars,))


top_k = python_function(TopKGoal)
