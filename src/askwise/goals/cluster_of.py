"""The items that belong together with one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from askwise.data.encoding import Items
from askwise.distances import Distance
from askwise.distances.clusterings import ClusterOf
from askwise.errors import DataError
from askwise.goals.base.charts import MAX_BARS, Bars, Item, Result, Table, chance_rows
from askwise.goals.base.clusterings import ClusteringGoal
from askwise.goals.base.findings import membership_chances
from askwise.goals.base.function import python_function
from askwise.goals.base.options import option
from askwise.goals.base.texts import percent, plural
from askwise.options import shown, whole_number
from askwise.session import Session
from askwise.types import Ints, Sample


def check_item(name: str, value: Any) -> str | int:
    """An item by its name, or by its row from 0.

    >>> check_item("item", "bee"), check_item("item", 1.0)
    ('bee', 1)
    """
    return str(value) if isinstance(value, str) else whole_number(f"{name}, by its row,", value, at_least=0)


class ClusterOfGoal(ClusteringGoal):
    """Finds out who belongs together with one item, from "do A and B belong together?".

    Features, or a `similarity` matrix in their place, say beforehand who may; a table of names alone will do.

    >>> animals = ["ant", "bee", "cow", "dog"]
    >>> session = cluster_of(animals, "ant", seed=1)
    >>> while not session.done:
    ...     small = [option.name in ("ant", "bee") for option in session.ask().options]
    ...     session.tell("same" if small[0] == small[1] else "different")
    >>> session.estimate().value
    ['ant', 'bee']
    """

    goal_name: ClassVar[str] = "cluster_of"
    order: ClassVar[int] = 50
    title: ClassVar[str] = "Which items belong with one of them"
    estimate: ClassVar[str] = "the names in its cluster"
    distance: ClassVar[str] = "ClusterOf"
    max_rows: ClassVar[int] = 2_000
    example: ClassVar[Mapping[str, Any]] = {"data": ["ant", "bee", "cow", "dog"], "item": "ant"}

    item: str | int = option(
        kw_only=False, parse=check_item, typed=str, label="Which item, by its name", example="NAME", changeable=True,
        help="The item whose cluster is sought: its name, or its row from 0.",
    )  # fmt: skip
    epsilon: float = 0.1

    def place(self, names: Sequence[str]) -> int:
        """The row of the item."""
        if isinstance(self.item, str):
            if self.item not in names:
                raise DataError(f"no item is called {shown(self.item)}; the first are {', '.join(names[:3])}")
            return names.index(self.item)
        return whole_number("item, by its row,", self.item, at_least=0, at_most=len(names) - 1)

    def parts(self, items: Items) -> tuple[Distance, int | None]:
        place = self.place(items.names)
        return ClusterOf(place), place

    def describe(self, names: Sequence[str], labels: Ints) -> list[str]:
        return [names[i] for i in np.flatnonzero(labels == labels[self.place(names)]).tolist()]

    def sentence(self, rows: int) -> str:
        return f"Find out which of the {rows} items belong with {self.item}."

    def exact_claim(self) -> str:
        return f"exactly these belong with {self.item}"

    def result(self, session: Session, sample: Sample) -> Result:
        family: Any = session.problem.family
        distance: Any = session.problem.distance
        name = family.names[distance.item]
        rows = [
            row
            for row in membership_chances(distance.members(sample.structures), sample.weights, family.names)
            if row.place != distance.item
        ]
        found = distance.members(session.estimate().structure[None])[0]
        inside = [row for row in rows if found[row.place]]
        outside = [row for row in rows if not found[row.place]]
        lead = f"The share of everything still plausible in which the item is together with {name}."
        cells = ((r.name, "yes" if found[r.place] else "no", percent(r.probability)) for r in (*inside, *outside))
        table = Table("Every item as a table", ("item", "found", "probability"), tuple(cells), numeric=(2,))
        doubtful = sorted(inside, key=lambda row: row.probability)
        members = tuple((row.name, row.probability) for row in doubtful[:MAX_BARS])
        others = chance_rows(outside)
        title = "How likely each member belongs, the least sure first"
        charts = [
            Bars("members", title, lead, None, members, len(inside) - len(members)),
            Bars("chances", "How likely each other item belongs", lead, None, others, len(outside) - len(others)),
        ]
        charts = [chart for chart in charts if chart.rows] or charts[1:]
        charts[-1] = replace(charts[-1], table=table)
        return Result(
            f"Which of {len(family.names):,} items belong with {name}?",
            items=(
                Item(name, distance.item, "the item itself"),
                *(Item(row.name, row.place, percent(row.probability)) for row in inside),
            ),
            text=f"Found beside it: {plural(len(inside), 'item') if inside else 'nothing'}.",
            charts=tuple(charts),
        )


cluster_of = python_function(ClusterOfGoal)
