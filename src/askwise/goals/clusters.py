"""All items sorted into clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from askwise.data.encoding import Items
from askwise.distances import Distance
from askwise.distances.clusterings import ClusterPairs
from askwise.goals.base.charts import MAX_BARS, MAX_GROUPS, Bars, Group, Groups, Item, Result, Table
from askwise.goals.base.clusterings import ClusteringGoal
from askwise.goals.base.findings import Chance
from askwise.goals.base.function import python_function
from askwise.goals.base.groups import cluster_findings
from askwise.goals.base.texts import percent, plural
from askwise.session import Session
from askwise.structures.clusterings import compact
from askwise.types import Ints, Sample

LEAD = (
    "How surely an item is together with the others of its cluster, on average over them; for an item alone, how "
    "surely it is alone."
)


class ClustersGoal(ClusteringGoal):
    """Sorts all items into clusters, from "do A and B belong together?". The estimate is a list of lists of names.

    >>> clusters(["ant", "bee", "cow"], seed=1).ask().responses
    ('same', 'different')
    """

    goal_name: ClassVar[str] = "clusters"
    order: ClassVar[int] = 60
    title: ClassVar[str] = "Which items belong together"
    estimate: ClassVar[str] = "lists of names"
    distance: ClassVar[str] = "ClusterPairs"
    max_rows: ClassVar[int] = 1_000
    example: ClassVar[Mapping[str, Any]] = {"data": ["ant", "bee", "cow", "dog"]}

    epsilon: float = 0.02  # most pairs are apart, so that a small share of all pairs is a large one of those together

    def parts(self, items: Items) -> tuple[Distance, int | None]:
        return ClusterPairs(), None

    def describe(self, names: Sequence[str], labels: Ints) -> list[list[str]]:
        own = compact(labels[None])[0]
        return [[names[i] for i in np.flatnonzero(own == c).tolist()] for c in range(own.max() + 1)]

    def sentence(self, rows: int) -> str:
        return f"Sort the {rows} items into clusters."

    def exact_claim(self) -> str:
        return "these are exactly the right groups"

    @classmethod
    def headline(cls, estimate: Any, length: int = 0) -> str:
        return f"{len(estimate)} clusters" if len(estimate) > 1 else "one cluster"

    def result(self, session: Session, sample: Sample) -> Result:
        family: Any = session.problem.family
        estimate = session.estimate().structure
        found = cluster_findings(sample.structures, sample.weights, estimate, family.names)
        several = [cluster.members for cluster in found if len(cluster.members) > 1]
        alone = [cluster.members[0] for cluster in found if len(cluster.members) == 1]
        groups = [
            Group(f"Cluster {count}: {plural(len(members), 'item')}", _items(members))
            for count, members in enumerate(several, 1)
        ]
        if alone:
            groups.append(Group(f"Alone: {plural(len(alone), 'item')}", _items(alone)))
        others = max(0, len(groups) - MAX_GROUPS)
        doubts = sorted((row for cluster in found for row in cluster.members), key=lambda row: row.probability)
        rows = tuple(
            (row.name, str(count), percent(row.probability))
            for count, cluster in enumerate(found, 1)
            for row in cluster.members
        )
        table = Table("Every item as a table", ("item", "cluster", "sure"), rows, numeric=(1, 2))
        unsure = tuple((row.name, row.probability) for row in doubts[:MAX_BARS])
        return Result(
            f"Which of {len(family.names):,} items belong together?",
            drawing=Groups("clusters", "The clusters", LEAD, None, tuple(groups[:MAX_GROUPS]), others),
            charts=(Bars("doubts", "The items whose place is least sure", LEAD, table, unsure),),
        )


def _items(members: Sequence[Chance]) -> tuple[Item, ...]:
    return tuple(Item(row.name, row.place, percent(row.probability)) for row in members)


clusters = python_function(ClustersGoal)
