"""A plug-in as somebody else would write it: a goal, a strategy and a distance in one small module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from askwise.distances import Distance
from askwise.distances.items import BestItem
from askwise.goals.base.charts import Bars, Item, Result, chance_rows
from askwise.goals.base.findings import membership_chances
from askwise.goals.base.items import ItemGoal
from askwise.goals.base.options import option
from askwise.options import whole_number
from askwise.session import Session
from askwise.types import Floats, Sample, Scored


class LeastLiked(BestItem):
    """1 if two tastes like different items least."""

    phrase = "{what} is not the worst item with probability {loss:.3f}"

    def best(self, structures):
        return self.utilities(structures).argmin(axis=1)


class LeastLikedGoal(ItemGoal):
    """Finds the item somebody likes least."""

    goal_name: ClassVar[str] = "least_liked"
    title: ClassVar[str] = "Which item is the worst"
    estimate: ClassVar[str] = "one name"
    distance: ClassVar[str] = "LeastLiked"
    max_rows: ClassVar[int] = 500
    example: ClassVar[Mapping[str, Any]] = {"data": ["tea", "coffee", "water"]}

    shouts: int = option(
        default=1, parse=whole_number, typed=int, label="How many exclamation marks", changeable=True,
        help="How many exclamation marks stand after the name.",
    )  # fmt: skip

    def distance_between(self, rows: Floats, scored: bool) -> Distance:
        return LeastLiked(rows, scored)

    def describe(self, names: Sequence[str], utilities: Floats) -> str:
        return names[int(utilities.argmin())] + "!" * self.shouts

    def sentence(self, rows: int) -> str:
        return f"Find the worst of the {rows} items."

    def result(self, session: Session, sample: Sample) -> Result:
        family: Any = session.problem.family
        least = np.eye(len(family.names))[family.utilities(sample.structures).argmin(axis=1)]
        chances = membership_chances(least, sample.weights, family.names)
        bars = Bars("chances", "How likely each is the worst", "The share of draws.", rows=chance_rows(chances))
        return Result("Which is the worst?", items=(Item(str(session.estimate())),), large=True, charts=(bars,))


def in_turn(problem, posterior, sample, atoms, rng) -> Scored:
    """The first question that is left."""
    return Scored(np.arange(len(atoms), 0, -1, dtype=float))


class SameHalf(BestItem):
    """1 if the best items of two tastes stand in different halves of the table."""

    def best(self, structures):
        return self.utilities(structures).argmax(axis=1) // max(1, len(self.items) // 2)
