"""Changes of a study's items that its owner sends. The arithmetic is done in a worker."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from askwise.data.tables import Columns
from askwise.errors import SettingError
from askwise.goals import goal_class
from askwise.goals.base.item_changes import given_columns, require_changeable
from askwise.goals.base.options import declared
from askwise.session.config import Recipe
from askwise.storage.address import Address
from askwise.storage.item_changes import change_items, listed_items
from askwise.storage.items import current_recipe
from askwise.storage.store import Store
from askwise.web.create import uploaded_columns
from askwise.web.studies import ServedStudies

Upload = tuple[str, bytes]  # the name of a file and its content


def takes_items(recipe: Recipe) -> bool:
    """Whether rows can be added to a study of this recipe.

    >>> takes_items({"goal": "best_item", "options": {}}), takes_items({"goal": "matrix", "options": {}})
    (True, False)
    """
    return goal_class(recipe["goal"]).takes_items and recipe["options"].get("pool") is None


def pasted_columns(text: str, columns: Sequence[str]) -> Columns:
    """Rows as somebody pastes them: with a line of headings, or one name a line where the table has only names.

    >>> pasted_columns("tea\\nmilk", ["name"])
    {'name': ['tea', 'milk']}
    >>> pasted_columns("name\\tprice\\ntea\\t2.5", ["name", "price"])
    {'name': ['tea'], 'price': [2.5]}
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(columns) == 1:
        return {columns[0]: lines[1:] if lines[0] == columns[0] else lines}
    return uploaded_columns("rows.tsv" if "\t" in lines[0] else "rows.csv", "\n".join(lines).encode())


def study_items(address: str) -> dict[str, Any]:
    """The items of a study as they are now; in a worker."""
    store = Store.at(Address.of(address))
    record = store.record()
    active, retired = listed_items(store)
    columns = given_columns(current_recipe(store, record))
    store.close()
    can_retire = "retired" in declared(goal_class(record.recipe["goal"]))
    return {"items": active, "retired": retired, "columns": columns, "can_retire": can_retire}


def apply_change(
    address: str, table: Upload | None, text: str, names: Sequence[str], key: str | None
) -> dict[str, Any]:
    """Adds the rows of a file and of a text, and retires items; in a worker. Gives the items after that."""
    store = Store.at(Address.of(address))
    try:
        recipe = store.record().recipe
        require_changeable(recipe)
        uploaded = None if table is None else uploaded_columns(*table)
        pasted = pasted_columns(text, given_columns(recipe)) if text.strip() else None
        if uploaded is not None and pasted is not None:
            raise SettingError("there are rows in a file and in a text; send one of them")
        rows = uploaded if pasted is None else pasted
        if rows is None and not names:
            raise SettingError("nothing is to be done; send rows to add, or names of items to retire")
        change_items(store, rows, list(names) or None, key)
    finally:
        store.close()
    return study_items(address)


async def announce_change(studies: ServedStudies, study: str) -> None:
    """Has the logs in use take in the change, so that their next questions are about the new items."""
    studies.forget_simulations(study)
    await asyncio.gather(*(service.catch_up() for service in studies.services(study)))
    studies.changed(study)
