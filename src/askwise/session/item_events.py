"""Events that change the items of a study: rows that are added, and items that retire.

New rows stand after all others, and retired ones stay in the table, so that a question keeps its meaning for ever.
Everything that is computed from the table (scales, lengths, landmarks) is computed from all its rows again, and the
answers are taken in again. So beliefs are those of a study that had all rows from the start and got the same answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from askwise.errors import AnswerError
from askwise.session.events import Event

if TYPE_CHECKING:
    from askwise.data.tables import Rows
    from askwise.session.config import Recipe


@runtime_checkable
class ChangesItems(Protocol):
    """A goal whose items may come and go."""

    def items_event(
        self, recipe: Recipe, rows: Rows | None, names: str | Sequence[str] | None, key: str | None
    ) -> Event: ...


def check_items_event(event: Event) -> None:
    """Refuses an event that neither adds rows nor retires items, or says so in another form.

    >>> check_items_event({"event": "items", "added": {"name": ["tea"]}})
    >>> check_items_event({"event": "items", "retired": []})
    Traceback (most recent call last):
    askwise.errors.AnswerError: an event about items adds columns of the same length or retires names
    """
    added, retired = event.get("added", {}), event.get("retired", [])
    columns = isinstance(added, dict) and all(isinstance(values, list) for values in added.values())
    even = columns and len({len(values) for values in added.values()}) <= 1
    named = isinstance(retired, list) and all(isinstance(name, str) for name in retired)
    if not (even and named and (added or retired)):
        raise AnswerError("an event about items adds columns of the same length or retires names")


def recipe_after(recipe: Recipe, event: Event) -> dict[str, Any]:
    """The recipe after a change of the goal or of the items.

    >>> recipe = {"goal": "best_item", "data": {"name": ["tea", "milk"]}, "options": {}}
    >>> recipe_after(recipe, {"event": "items", "added": {"name": ["water"]}, "retired": ["tea"]})
    {'goal': 'best_item', 'data': {'name': ['tea', 'milk', 'water']}, 'options': {'retired': ['tea']}}
    """
    options: Mapping[str, Any] = recipe["options"]
    retired = options.get("retired") or []
    if event["event"] == "goal":
        return {**recipe, "goal": event["goal"], "options": {**event["options"], **_retired(retired)}}
    added = event.get("added")
    data = {column: [*values, *added[column]] for column, values in recipe["data"].items()} if added else recipe["data"]
    retired = [*retired, *event.get("retired", [])]
    return {**recipe, "data": data, "options": {**options, **_retired(retired)}}


def _retired(names: list[str]) -> dict[str, list[str]]:
    return {"retired": names} if names else {}
