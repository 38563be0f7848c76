"""The items that belong together with one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from askwise.data.encoding import Items
from askwise.distances import Distance
from askwise.distances.clusterings import ClusterOf
from askwise.goals.base.charts import Result
from askwise.goals.base.clusterings import ClusteringGoal
from askwise.goals.base.function import python_function
from askwise.goals.base.memberships import check_item, item_place, membership_result
from askwise.goals.base.options import option
from askwise.session import Session
from askwise.types import Ints, Sample


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

    def parts(self, items: Items) -> tuple[Distance, int | None]:
        place = item_place(self.item, items.names)
        return ClusterOf(place), place

    def describe(self, names: Sequence[str], labels: Ints) -> list[str]:
        return [names[i] for i in np.flatnonzero(labels == labels[item_place(self.item, names)]).tolist()]

    def sentence(self, rows: int) -> str:
        return f"Find out which of the {rows} items belong with {self.item}."

    def exact_claim(self) -> str:
        return f"exactly these belong with {self.item}"

    def result(self, session: Session, sample: Sample) -> Result:
        family: Any = session.problem.family
        distance: Any = session.problem.distance
        found = distance.members(session.estimate().structure[None])[0]
        return membership_result(
            distance.members(sample.structures), sample.weights, found, distance.item, family.names
        )


cluster_of = python_function(ClusterOfGoal)
