"""Items that come and go in a study: one event in the log of everybody who answers, written all at once.

The study's own log has every change. Where everybody answers for themselves, the same transaction writes the event into
each log that has begun; a log that has not gets the new table in its recipe, as the logs of people invited later do.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, delete, exc, insert, select, update

from askwise.errors import StudyError
from askwise.session.events import Event
from askwise.session.item_events import recipe_after
from askwise.storage.changes import announce
from askwise.storage.schema import events, forecasts, logs_of, studies
from askwise.storage.serialization import event_rows, pack_recipe, unpack_recipe
from askwise.storage.store import HEAD, Record, Store

CHANGES = select(events.c.body).where(events.c.event == "items").order_by(events.c.position)


def append_to_logs(store: Store, record: Record, position: int, before: str, event: Event) -> bool:
    """Adds an event about items to the study's own log, there at that position, and to the logs of all its people:
    True once it is on disk; False if the position or the key is taken. `before` is as in `Store.append`."""
    if record.parent is not None:
        raise StudyError("items belong to the whole study, not to one person's answers; change them there")
    try:
        with store.begin() as connection:
            logs = connection.execute(
                select(studies).where(logs_of(record.study)).order_by(studies.c.study).with_for_update()
            )
            for log in logs.all():  # all are locked, so that nobody answers or is invited between
                if log.study == record.study:
                    if (log.head or record.digest) != before:  # others wrote, or the end of the log is gone
                        return False
                    _append(connection, log.study, position, before, event)
                elif log.head is None:
                    changed = pack_recipe(recipe_after(unpack_recipe(log.recipe), event))
                    connection.execute(update(studies).where(studies.c.study == log.study).values(recipe=changed))
                else:
                    last = select(events.c.position).where(events.c.study == log.study, events.c.digest == log.head)
                    _append(connection, log.study, connection.execute(last).scalar_one() + 1, log.head, event)
            connection.execute(update(studies).where(logs_of(record.study)).values(settled=None))
            ids = select(studies.c.study).where(logs_of(record.study))
            connection.execute(delete(forecasts).where(forecasts.c.study.in_(ids)))  # they are about other items
    except exc.IntegrityError:
        return False
    return True


def current_recipe(store: Store, record: Record) -> Mapping[str, Any]:
    """The recipe of a study with the items it has now.

    >>> import askwise, tempfile
    >>> path = tempfile.mkdtemp() + "/drinks.askwise"
    >>> askwise.save(askwise.best_item(["tea", "coffee", "water"]), path)
    >>> session = askwise.open(path)
    >>> session.add_items(["milk"])
    >>> store = session.journal.store
    >>> current_recipe(store, store.record())["data"]
    {'name': ['tea', 'coffee', 'water', 'milk']}
    """
    bodies = [row.body for row in store.read(CHANGES.where(events.c.study == record.study))]
    return _folded(record.recipe, bodies)


def recipe_for_next_log(connection: Connection, study: int, packed: bytes) -> bytes:
    """The recipe of somebody who is invited now, from that of the study."""
    bodies = [row.body for row in connection.execute(CHANGES.where(events.c.study == study))]
    return pack_recipe(_folded(unpack_recipe(packed), bodies)) if bodies else packed


def _folded(recipe: Mapping[str, Any], bodies: list[str]) -> Mapping[str, Any]:
    for body in bodies:
        recipe = recipe_after(recipe, json.loads(body))
    return recipe


def _append(connection: Connection, log: int, position: int, digest: str, event: Event) -> None:
    rows = event_rows(log, position, digest, [event])
    connection.execute(insert(events), rows)
    connection.execute(HEAD, {"log": log, "last": rows[-1]["digest"]})
    announce(connection, log, position + 1)
