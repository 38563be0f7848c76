"""Changes the items of a stored study without its posterior: for the command and the server."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sqlalchemy import insert, select

from askwise.data.embeddings import with_embedded_pictures
from askwise.data.tables import table
from askwise.errors import DataError, SettingError, StudyError
from askwise.goals.base.item_changes import items_event
from askwise.goals.base.registry import goal_from
from askwise.goals.base.tables import TableGoal
from askwise.session.config import Recipe
from askwise.session.event_log import EventLog
from askwise.session.item_events import recipe_after
from askwise.storage.items import current_recipe
from askwise.storage.journal import StudyJournal
from askwise.storage.schema import images
from askwise.storage.store import Store

NO_PICTURES: Mapping[str, bytes] = MappingProxyType({})
MAX_ATTEMPTS = 100  # while others write to the study's own log


def change_items(
    store: Store,
    rows: Any = None,
    names: Any = None,
    key: str | None = None,
    *,
    pictures: Mapping[str, bytes] = NO_PICTURES,
) -> bool:
    """Adds rows to a study and retires items, for everybody who answers there; False if that was done with this key.

    - `rows`: with the columns of the table; None adds none.
    - `names`: of items; None retires none.
    - `key`: the same key given twice is one change.
    - `pictures`: that the new rows name.

    >>> import askwise, tempfile
    >>> from askwise.storage.address import Address
    >>> path = tempfile.mkdtemp() + "/drinks.askwise"
    >>> askwise.save(askwise.best_item(["tea", "coffee", "water"]), path)
    >>> change_items(Store.at(Address.of(path)), ["milk"], ["tea"], key="first change")
    True
    >>> askwise.open(path).problem.family.active_names
    ('coffee', 'water', 'milk')
    """
    for _ in range(MAX_ATTEMPTS):
        journal, log = StudyJournal(store, store.record()), EventLog()
        log.extend(journal.since(0))
        if key is not None and log.is_known_change(key):
            return False
        recipe = journal.record.recipe
        for change in log.changes:
            recipe = recipe_after(recipe, change)
        event = log.validate(items_event(recipe, _with_vectors(recipe, rows, pictures), names, key)).event
        if pictures:
            _add_pictures(store, journal.record.study, pictures)
        if journal.append(len(log.events), event):
            return True
    raise StudyError("other programs keep writing to this study; nothing was changed: try again when they are done")


def _with_vectors(recipe: Recipe, rows: Any, pictures: Mapping[str, bytes]) -> Any:
    """New rows with the vectors of their pictures where the study learns from these: files are not looked for here."""
    for name, reading in (recipe["options"].get("readings") or {}).items():
        if rows is not None and "pictures" in reading:
            columns = table(rows)
            if name not in columns and reading["of"] in columns:
                rows = with_embedded_pictures(columns, reading["of"], pictures, reading["model"])
    return rows


def listed_items(store: Store) -> tuple[list[str], list[str]]:
    """The names of a study's items as they are now, and of those that retired.

    >>> import askwise, tempfile
    >>> from askwise.storage.address import Address
    >>> path = tempfile.mkdtemp() + "/drinks.askwise"
    >>> askwise.save(askwise.best_item(["tea", "coffee", "water"], retired=["tea"]), path)
    >>> listed_items(Store.at(Address.of(path)))
    (['coffee', 'water'], ['tea'])
    """
    recipe = current_recipe(store, store.record())
    goal, retired = goal_from(recipe), list(recipe["options"].get("retired") or ())
    if not isinstance(goal, TableGoal):
        raise SettingError(f"{goal.goal_name} has no items with names; see its table")
    return [name for name in goal.items(recipe["data"]).names if name not in set(retired)], retired


def _add_pictures(store: Store, study: int, pictures: Mapping[str, bytes]) -> None:
    """Stores pictures. One that is there already is not replaced, since earlier questions showed it."""
    with store.begin() as connection:
        known = select(images).where(images.c.study == study, images.c.name.in_(pictures))
        there = {row.name: row.content for row in connection.execute(known)}
        for name, content in pictures.items():
            if there.get(name, content) != content:
                raise DataError(f"the study has another picture {name!r} already; give the new one another name")
            if name not in there:
                connection.execute(insert(images).values(study=study, name=name, content=content))
