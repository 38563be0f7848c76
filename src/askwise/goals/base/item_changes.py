"""Items that come and go: what may be added to the table of a study, and what may retire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from askwise.data.embeddings import apply_readings
from askwise.data.encoding import Items
from askwise.data.tables import Columns, table
from askwise.errors import DataError, SettingError
from askwise.goals.base.goal import Goal, check_rows, row_count
from askwise.goals.base.items import MIN_ACTIVE, check_retired
from askwise.goals.base.options import declared
from askwise.goals.base.registry import goal_class, goal_from, goals, remake
from askwise.goals.base.tables import TableGoal
from askwise.goals.base.texts import abbreviate, plural
from askwise.session.events import Event, new_event
from askwise.session.item_events import recipe_after

MAX_NAMED = 3  # items in a message
MAX_COLUMNS = 12  # in a message


def items_event(recipe: Mapping[str, Any], rows: Any, names: Any, key: str | None = None) -> Event:
    """The event that adds rows to the table of a recipe, as it is now, and retires items by name.

    - `recipe`: the present one, with all changes before.
    - `rows`: with the columns of the table; None adds none.
    - `names`: of items; None retires none.
    - `key`: the same key given twice is one change.

    >>> from askwise import best_item
    >>> event = items_event(best_item(["tea", "coffee"]).recipe, ["water"], None)
    >>> event["added"]
    {'name': ['water']}
    """
    goal = require_changeable(recipe)
    items = goal.items(recipe["data"])
    added = None if rows is None else checked_rows(items, recipe, apply_readings(table(rows), goal.readings or {}))
    retired = None if names is None else checked_names(goal, items, recipe, names)
    event = new_event("items", None, added=added, retired=retired, key=key)
    after = recipe_after(recipe, event)
    check_rows(type(goal), row_count(after["data"]))
    if added is not None:
        _require_same_columns(goal, items, after["data"])
    remake(after)  # which refuses what the goal cannot use
    return event


def require_changeable(recipe: Mapping[str, Any]) -> TableGoal:
    """The goal of a recipe, if rows can be added to its table.

    >>> require_changeable({"goal": "best_item", "options": {}}).goal_name
    'best_item'
    """
    goal, pooled = goal_class(recipe["goal"]), recipe["options"].get("pool") is not None
    if not goal.takes_items or pooled:
        able = ", ".join(name for name, each in goals().items() if each.takes_items)
        table_of = "a pool on disk" if pooled else goal.goal_name
        raise SettingError(f"the table of {table_of} is fixed; items can change in {able}: start a new study")
    found = goal_from(recipe)
    assert isinstance(found, TableGoal)
    return found


def given_columns(recipe: Mapping[str, Any]) -> list[str]:
    """The columns that new rows have: those of the table but for what is computed of others.

    >>> given_columns({"data": {"name": ["tea"]}, "options": {}})
    ['name']
    """
    readings = recipe["options"].get("readings") or {}
    return [column for column in recipe["data"] if "of" not in readings.get(column, {})]


def checked_rows(items: Items, recipe: Mapping[str, Any], rows: Columns) -> Columns:
    """New rows in the form of the table; refused if they lack a column, hold other types or take a name again."""
    columns: Columns = recipe["data"]
    given = given_columns(recipe)
    for told, odd in (("lack", set(given) - rows.keys()), ("have", rows.keys() - columns.keys())):
        if odd:
            named = abbreviate([repr(each) for each in (*columns, *rows) if each in odd], MAX_NAMED)
            also = "" if told == "lack" else ", which the table has not"
            noun = "columns" if len(odd) > 1 else "the column"
            raise DataError(f"the new rows {told} {noun} {named}{also}; give the columns {_quoted(given)}")
    for column in items.encoding:
        if column.levels is None:
            column.raw(rows[column.name])  # which refuses texts where there were numbers
    known = set(items.names)
    named_by = [column for column, why in items.left_out.items() if why == "is the name"]
    taken = [str(name) for column in named_by for name in rows[column] if str(name) in known]
    if taken:
        retired = taken[0] in (recipe["options"].get("retired") or ())
        told = "was there before and retired" if retired else "is there already"
        raise DataError(f"an item {taken[0]!r} {told}; give new items names of their own")
    return {column: rows[column] for column in columns}


def checked_names(goal: Goal, items: Items, recipe: Mapping[str, Any], names: Any) -> list[str]:
    """Names of items that may retire."""
    if "retired" not in declared(type(goal)):
        able = ", ".join(name for name, each in goals().items() if "retired" in declared(each))
        raise SettingError(f"items retire in {able}, and this is {goal.goal_name}; start a new study without them")
    wanted, known = check_retired("names", names), set(items.names)
    retired: Sequence[str] = recipe["options"].get("retired") or ()
    for name in wanted:
        if name not in known:
            raise DataError(f"there is no item {name!r}; the first are {', '.join(items.names[:MAX_NAMED])}")
        if name in retired:
            raise DataError(f"the item {name!r} has retired already; name others")
    if not wanted:
        raise SettingError("no item is named; give at least one that shall retire")
    left = len(known) - len(retired) - len(wanted)
    if left < MIN_ACTIVE:
        raise DataError(f"{plural(left, 'item')} would be left, and nothing to compare; keep at least two")
    return wanted


def _require_same_columns(goal: TableGoal, items: Items, columns: Columns) -> None:
    """Items are known by their names, and answers were about features, so new rows must not change what either is."""
    after = goal.items(columns)
    if after.names[: len(items.names)] != items.names:
        raise DataError("with the new rows another column would hold the names; make the study with name= to name it")
    lost = [column.name for column in items.encoding if column.name in after.left_out]
    if lost:
        why = f"with the new rows the column {lost[0]!r} {after.left_out[lost[0]]}, and would not count any more"
        raise DataError(f"{why}; give rows like those before")
    if getattr(goal, "noise", None) == 0 and goal.missing == "impute":
        raise SettingError("with noise=0, new rows would change what stands for missing values; start a new study")


def _quoted(columns: Sequence[str]) -> str:
    return abbreviate([repr(column) for column in columns], MAX_COLUMNS)
