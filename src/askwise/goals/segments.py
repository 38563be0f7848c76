"""All items, sorted by a column and cut into segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from askwise.distances import Distance
from askwise.distances.intervals import PairDisagreement
from askwise.goals.base.charts import MAX_BARS, MAX_GROUPS, Bars, Group, Groups, Item, Result, Table
from askwise.goals.base.function import python_function
from askwise.goals.base.segments import SegmentGoal
from askwise.goals.base.texts import percent, plural
from askwise.session import Session
from askwise.structures.intervals import Segmentations
from askwise.types import Ints, Sample

LEAD = "The share of everything still plausible in which a segment ends there."


class SegmentsGoal(SegmentGoal):
    """Cuts the items, sorted by a column, into segments, from "do A and B belong together?".

    The estimate is a list of lists of names, in the order of the column.

    >>> ages = {"name": ["Ann", "Bob", "Cem", "Dee"], "age": [34, 51, 36, 19]}
    >>> session = segments(ages, "age", noise=0, seed=1)
    >>> while not session.done:
    ...     young = [option.name in ("Ann", "Cem", "Dee") for option in session.ask().options]
    ...     session.tell("same" if young[0] == young[1] else "different")
    >>> session.estimate().value
    [['Dee', 'Ann', 'Cem'], ['Bob']]
    """

    goal_name: ClassVar[str] = "segments"
    order: ClassVar[int] = 66
    title: ClassVar[str] = "Where to cut a sorted column into segments"
    estimate: ClassVar[str] = "lists of names, in order"
    distance: ClassVar[str] = "PairDisagreement"
    example: ClassVar[Mapping[str, Any]] = {
        "data": {"name": ["Ann", "Bob", "Cem", "Dee", "Eve"], "age": [34, 51, 36, 19, 34]},
        "column": "age",
    }

    def around(self, names: Sequence[str]) -> int | None:
        return None

    def parts(self, family: Segmentations) -> Distance:
        return PairDisagreement(family.count)

    def describe(self, family: Segmentations, segments: Ints) -> list[list[str]]:
        ordered = segments[family.order]
        ends = 1 + np.flatnonzero(np.diff(ordered))
        return [[family.names[i] for i in part.tolist()] for part in np.split(family.order, ends)]

    def sentence(self, rows: int) -> str:
        return f"Cut the {rows} items, sorted by {self.column}, into segments."

    def exact_claim(self) -> str:
        return "these are exactly the right segments"

    @classmethod
    def headline(cls, estimate: Any, length: int = 0) -> str:
        return f"{len(estimate)} segments" if len(estimate) > 1 else "one segment"

    def result(self, session: Session, sample: Sample) -> Result:
        family: Any = session.problem.family
        labels = family.labels(sample.structures)
        chances = np.minimum(sample.weights @ (np.diff(labels, axis=1) != 0), 1.0)  # (V - 1,): that each gap is a cut
        found = np.diff(family.labels(session.estimate().structure[None])[0]) != 0
        values = family.value_texts()
        ends = [0, *(1 + np.flatnonzero(found)).tolist(), len(values)]
        groups = tuple(
            Group(f"{self.column} {span(values[low:high])}: {plural(len(members), 'item')}",
                  tuple(Item(family.names[i], i) for i in members))
            for low, high in pairwise(ends)
            if (members := family.order[family.starts[low] : family.starts[high]].tolist())
        )  # fmt: skip
        names = [f"{low} | {high}" for low, high in pairwise(values)]
        cells = ((name, "yes" if cut else "no", percent(chance))
                 for name, cut, chance in zip(names, found, chances, strict=True))  # fmt: skip
        table = Table("Every place as a table", ("between", "cut", "probability"), tuple(cells), numeric=(2,))
        likeliest = np.sort(np.argsort(-chances, kind="stable")[:MAX_BARS])
        bars = tuple((names[i], float(chances[i])) for i in likeliest)
        return Result(
            f"Where does {self.column} divide {family.count:,} items into segments?",
            drawing=Groups("segments", "The segments", f"In the order of {self.column}.", None,
                           groups[:MAX_GROUPS], max(0, len(groups) - MAX_GROUPS)),
            charts=(Bars("cuts", "How likely a segment ends there", LEAD, table, bars, len(names) - len(bars)),),
        )  # fmt: skip


def span(values: Sequence[str]) -> str:
    """The first and the last of some values in order.

    >>> span(["19", "34", "36"]), span(["51"])
    ('19 to 36', '51')
    """
    return values[0] if len(values) == 1 else f"{values[0]} to {values[-1]}"


segments = python_function(SegmentsGoal)
