"""Goals about items that are compared two at a time: the options they share, and how they build a session."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

from askwise.data.tables import Columns
from askwise.distances import Distance
from askwise.goals.base.charts import Table
from askwise.goals.base.export import Variable
from askwise.goals.base.findings import Chance
from askwise.goals.base.goal import SessionParts
from askwise.goals.base.options import option
from askwise.goals.base.tables import TableGoal, feature_names
from askwise.goals.base.texts import percent
from askwise.losses import davidson, logistic
from askwise.options import flag, number, whole_number
from askwise.posteriors.scores.logconcave import MAX_SCALE, MIN_SCALE, LogConcave
from askwise.problem import Problem
from askwise.session import Session
from askwise.structures.choice import Choice, item_rows
from askwise.types import Floats

check_scale = partial(number, at_least=MIN_SCALE, at_most=MAX_SCALE)
PRIOR_SCALE = "How decided people are; by default learned from the answers."


class ItemGoal(TableGoal):
    """A goal about what somebody likes, from A-or-B questions. A structure is a taste: a weight for each feature."""

    question: ClassVar[str] = "A or B?"
    answer_columns: ClassVar[tuple[str, ...]] = ("left", "right", "winner")
    needs: ClassVar[str] = "two items"

    individual: float = option(
        default=0.0, parse=number, typed=float,
        help="How much each item can differ from what its features say; items without features have only this.",
    )  # fmt: skip
    ties: bool = option(
        default=False, parse=flag, typed=bool, help='Allow the answer "about equal".',
    )  # fmt: skip
    prior_scale: float | None = option(default=None, parse=check_scale, typed=float, help=PRIOR_SCALE)

    @abstractmethod
    def distance_between(self, rows: Floats) -> Distance:
        """The distance between two tastes for items with these rows (N, D)."""

    @abstractmethod
    def describe(self, names: Sequence[str], utilities: Floats) -> Any:
        """The estimate as people read it, from what the taste thinks of each item (N,)."""

    def build(self, columns: Columns) -> SessionParts:
        items = self.items(columns)
        rows = item_rows(items.features, self.individual)
        family = Choice(rows, items.names, self.ties, items.images)
        loss = davidson() if self.ties else logistic
        problem = Problem(family, self.distance_between(rows), loss)
        prior = LogConcave.prior(family, loss, 1.0, self.prior_scale)
        return SessionParts(problem, prior, lambda taste: self.describe(items.names, rows @ taste))

    def variables(self, session: Session, structures: Any) -> dict[str, Variable]:
        """The utility of every item and, where items have features, the weight of every feature."""
        family: Any = session.problem.family
        features = feature_names(self, session, family.dimension)
        utility = {"utility": Variable(family.utilities(structures), {"item": family.names})}
        if not features:
            return utility
        return {**utility, "weight": Variable(structures[:, : len(features)], {"feature": features})}

    def parse_answer(self, session: Session, names: Sequence[Any], response: Any) -> tuple[Any, Any]:
        """Left and right are those of the table of answers, not of a screen."""
        atom, response = super().parse_answer(session, names, response)
        side = {"left": 0, "right": 1}.get(str(response).strip().casefold())
        return atom, self.as_named(session, names, response if side is None else names[side])


class BestFewGoal(ItemGoal):
    """A goal about the k best items."""

    k: int = option(
        kw_only=False, parse=whole_number, typed=int, changeable=True, server_max=100_000,
        label="How many", example="5", help="How many items.",
    )  # fmt: skip
    epsilon: float = 0.1


def chance_table(rows: Sequence[Chance], heading: str) -> Table:
    """Every item with its chance.

    >>> chance_table([Chance(0, "tea", 0.9)], "is the best").rows
    (('tea', '90 %'),)
    """
    cells = tuple((row.name, percent(row.probability)) for row in rows)
    return Table("Every item as a table", ("item", heading), cells, numeric=(1,))
