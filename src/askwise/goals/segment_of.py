"""The segment of one item, among items that are sorted by a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from askwise.distances import Distance
from askwise.distances.intervals import IntervalMembership
from askwise.goals.base.charts import Result
from askwise.goals.base.function import python_function
from askwise.goals.base.memberships import check_item, item_place, membership_result
from askwise.goals.base.options import option
from askwise.goals.base.segments import SegmentGoal, item_segments
from askwise.session import Session
from askwise.structures.intervals import Segmentations
from askwise.types import Ints, Sample


class SegmentOfGoal(SegmentGoal):
    """Finds where the segment of one item begins and ends, from "do A and B belong together?".

    The items are sorted by a column. The estimate is a list of names, in the order of the column.

    >>> ages = {"name": ["Ann", "Bob", "Cem", "Dee"], "age": [34, 51, 36, 19]}
    >>> session = segment_of(ages, "age", "Ann", noise=0, seed=1)
    >>> while not session.done:
    ...     young = [option.name in ("Ann", "Cem", "Dee") for option in session.ask().options]
    ...     session.tell("same" if young[0] == young[1] else "different")
    >>> session.estimate().value
    ['Dee', 'Ann', 'Cem']
    """

    goal_name: ClassVar[str] = "segment_of"
    order: ClassVar[int] = 64
    title: ClassVar[str] = "Where the segment of one item ends in a sorted column"
    estimate: ClassVar[str] = "the names in its segment"
    distance: ClassVar[str] = "IntervalMembership"
    example: ClassVar[Mapping[str, Any]] = {
        "data": {"name": ["Ann", "Bob", "Cem", "Dee", "Eve"], "age": [34, 51, 36, 19, 34]},
        "column": "age",
        "item": "Ann",
    }

    item: str | int = option(
        kw_only=False, parse=check_item, typed=str, label="Which item, by its name", example="NAME", changeable=True,
        help="The item whose segment is sought: its name, or its row from 0.",
    )  # fmt: skip

    def around(self, names: Sequence[str]) -> int | None:
        return item_place(self.item, names)

    def parts(self, family: Segmentations) -> Distance:
        own = family.rank[family.around]
        return IntervalMembership(float(family.edges[own : own + 2].mean()))

    def describe(self, family: Segmentations, segments: Ints) -> list[str]:
        own = segments[item_place(self.item, family.names)]
        return [family.names[i] for i in family.order.tolist() if segments[i] == own]

    def sentence(self, rows: int) -> str:
        return f"Find out which of the {rows} items, sorted by {self.column}, belong with {self.item}."

    def exact_claim(self) -> str:
        return f"exactly these belong with {self.item}"

    def result(self, session: Session, sample: Sample) -> Result:
        family: Any = session.problem.family
        place = item_place(self.item, family.names)
        draws, found = (item_segments(family, cuts) for cuts in (sample.structures, session.estimate().structure[None]))
        members = draws == draws[:, [place]]
        return membership_result(members, sample.weights, (found == found[:, [place]])[0], place, family.names)


segment_of = python_function(SegmentOfGoal)
