"""The item somebody likes best."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from askwise.data.formats import format_of, heading_of
from askwise.data.tables import Columns
from askwise.distances import Distance, built_in_distances, distance_named, distances
from askwise.distances.items import ItemDistance, regrets_of
from askwise.goals.base.charts import Bars, Item, Result, Table, chance_rows
from askwise.goals.base.findings import Chance, best_chances, row_facts
from askwise.goals.base.function import python_function
from askwise.goals.base.items import ItemGoal
from askwise.goals.base.options import named_or_object, option
from askwise.goals.base.tables import TableGoal
from askwise.goals.base.texts import percent
from askwise.session import Session
from askwise.strategies import Strategy
from askwise.types import Floats, Sample

OWN_DISTANCE = "a distance, or a function from the items to one"
MAX_FACTS = 12  # columns of the table that are shown with the best item


def is_distance_or_function(value: Any) -> bool:
    """Whether `by` can be this object."""
    return callable(value) or isinstance(value, Distance)


class BestItemGoal(ItemGoal):
    """Finds the item somebody likes best, from A-or-B questions.

    >>> session = best_item(["tea", "coffee", "water"], seed=1)
    >>> while not session.done:
    ...     question = session.ask()
    ...     session.tell("left" if question.options[0].name < question.options[1].name else "right")
    >>> session.estimate().value
    'coffee'
    """

    goal_name: ClassVar[str] = "best_item"
    order: ClassVar[int] = 10
    title: ClassVar[str] = "Which item is the best"
    estimate: ClassVar[str] = "one name"
    distance: ClassVar[str] = "ItemRegret"
    max_rows: ClassVar[int] = 10_000
    example: ClassVar[Mapping[str, Any]] = {"data": ["tea", "coffee", "water", "milk"]}

    by: str | Distance | Callable[[Floats], Distance] = option(
        default="regret", typed=str, changeable=True,
        parse=named_or_object(built_in_distances, distances, OWN_DISTANCE, is_distance_or_function),
        help='What counts as a good result: "regret" (almost as good as the best, so that near-duplicates do not '
        'matter), "distance" (similar to the best) or "exact" (only the very best).',
        in_python="Or a distance of your own, or a function from the items (N, D) to one.",
    )  # fmt: skip

    rule: str | Strategy = "expected-capped"

    def distance_between(self, rows: Floats, scored: bool) -> Distance:
        made: Any = distance_named(self.by) if isinstance(self.by, str) else self.by
        found: Any = made
        if isinstance(made, type) and issubclass(made, ItemDistance):
            found = made(rows, scored=scored)
        elif not isinstance(made, Distance) or isinstance(made, type):
            found = made(np.eye(len(rows)) if scored else rows)  # items whose features make weights their scores
        return found

    def describe(self, names: Sequence[str], utilities: Floats) -> str:
        return names[int(utilities.argmax())]

    def sentence(self, rows: int) -> str:
        return f"Find the best of the {rows} items."

    def exact_claim(self) -> str:
        return "this is the best one"

    def result(self, session: Session, sample: Sample) -> Result:
        family: Any = session.problem.family
        regrets = regrets_of(family.utilities(sample.structures)[:, family.active])
        chances = best_chances(regrets, sample.weights, family.active_names)
        name = str(session.estimate())
        place = family.names.index(name)
        facts: list[tuple[str, str]] = []
        if session.pursued is not None:
            facts = facts_about(self, session.pursued["data"], place, (name, family.images[place]))
        return Result(
            f"Which of {len(family.active):,} is the best?",
            items=(Item(name, place),),
            large=True,
            facts=tuple(facts),
            charts=(candidate_bars(chances, "item", name),),
        )


def facts_about(goal: TableGoal, table: Columns, place: int, hidden: Sequence[str | None]) -> list[tuple[str, str]]:
    """Heading and value of the columns that people saw with one row, or of the first ones that are no text or file.

    >>> table = {"name": ["tea", "rum"], "price ($)": [2, 9], "note": ["hot", "brown"]}
    >>> facts_about(BestItemGoal(body="note"), table, 1, ["rum"])
    [('price', '$9')]
    """
    files = {goal.body, goal.image, goal.audio, goal.video}
    columns_left = {name: values for name, values in goal.item_columns(table).items() if name not in files}
    known = row_facts(columns_left, place, goal.features, hidden)
    columns = [column for column, _ in known[:MAX_FACTS]] if goal.show is None else list(goal.show)
    values = ((column, format_of(column, table[column])(table[column][place])) for column in columns)
    return [(heading_of(column, value), value) for column, value in values]


def candidate_bars(chances: Sequence[Chance], noun: str, estimate: str) -> Bars:
    """How likely each candidate is the best one, and why the estimate is not the likeliest, where it is not.

    >>> candidate_bars([Chance(1, "milk", 0.6, 0.2), Chance(0, "tea", 0.4, 0.1)], "item", "tea").rows[0]
    ('milk', 0.6)
    """
    lead = (
        f"The chance that the {noun} is the best, after all answers. Near-equals share it, so a small chance need not "
        f"mean a bad choice. The table says how much worse than the best each {noun} is on average, from 0 to 1."
    )
    likeliest = chances[0].name
    if likeliest != estimate:
        lead += (
            f" {likeliest} is more often the very best; {estimate} is the best guess, as on average it is closest to "
            "the best."
        )
    rows = tuple((row.name, percent(row.probability), f"{row.loss:.3f}") for row in chances)
    headings = (noun, "is the best one", "gives up on average")
    table = Table(f"Every {noun} as a table", headings, rows, numeric=(1, 2))
    return Bars("chances", f"How likely each {noun} is the best one", lead, table, chance_rows(chances, total=True))


best_item = python_function(BestItemGoal)
