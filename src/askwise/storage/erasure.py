"""Erases what a participant said, on request, and leaves a tombstone: that there was somebody, and that it is gone.

A log of their own is emptied. In a shared log their answers become skips that say `erased`, so that every question
keeps its place and the log still replays; its digests are written anew, in the same transaction. Programs that have the
log open have to read it again, which the edition of the study tells them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, bindparam, delete, select, update

from askwise.errors import SettingError, StudyError
from askwise.session.events import Event
from askwise.storage.actions import note_action
from askwise.storage.changes import announce
from askwise.storage.groups import decides_together
from askwise.storage.participants import Participant, person, respondent_name
from askwise.storage.schema import (
    actions,
    checkpoints,
    checks,
    events,
    forecasts,
    leases,
    logs_of,
    participants,
    schema,
    studies,
)
from askwise.storage.serialization import event_rows, pack_recipe, unpack_recipe
from askwise.storage.store import Record, Store
from askwise.structures.groups import people_named

ERASED = "erased"
KEPT_PARTS = ("event", "question", "time", "key")  # of an event of somebody whose answers are erased
REWRITE = (
    update(events)
    .where(events.c.study == bindparam("of_study"), events.c.position == bindparam("at"))
    .values({name: bindparam(f"new_{name}") for name in ("event", "response", "who", "seconds", "body", "digest")})
)


def erase_participant(store: Store, study: Record, participant: str) -> None:
    """Erases the answers, the name and the parameters of somebody. Who they were cannot be told any more; that the same
    person comes again, can.

    >>> import askwise, tempfile
    >>> from askwise.storage.address import Address
    >>> from askwise.storage.participants import invite, set_mode
    >>> path = tempfile.mkdtemp() + "/drinks.askwise"
    >>> askwise.save(askwise.best_item(["tea", "coffee", "water"], seed=1), path)
    >>> store = Store.at(Address.of(path))
    >>> set_mode(store, 1, "pooled")
    >>> ann, ben = (invite(store, store.record(), name) for name in ("Ann", "Ben"))
    >>> session = askwise.open(path)
    >>> for who in (ann, ben):
    ...     session.tell("left", session.ask(), who=who.participant)
    >>> erase_participant(store, store.record(), ann.participant)
    >>> [(event["event"], event.get("response")) for event in askwise.open(path).log if event["event"] != "ask"]
    [('skip', None), ('tell', 'left')]
    """
    found = person(store, study.study, participant)
    if found is None:
        raise SettingError(f"nobody here is {participant!r}; give the id of a participant")
    if found.status == ERASED:
        return
    with store.begin() as connection:
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("PRAGMA secure_delete = ON")  # else the text would stay in free pages
        both = studies.c.study.in_((study.study, found.log))
        locked = select(studies.c.recipe).where(both).order_by(studies.c.study).with_for_update()
        packed = connection.execute(locked).scalars().all()[0]  # of the study: somebody else may be erased just now
        study = replace(study, recipe=unpack_recipe(packed), digest=sha256(packed).hexdigest())
        tombstone = replace(found, name=_tombstone_name(connection, study))
        if found.log == study.study:
            _rewrite(connection, store.address.is_file, study, found, tombstone)
        else:
            _empty(connection, study, found.log)
        mine = (participants.c.study == study.study) & (participants.c.participant == participant)
        gone: dict[str, Any] = {"name": tombstone.name, "parameters": None, "consent": None, "language": None}
        connection.execute(update(participants).where(mine).values(**gone, status=ERASED))
        for table in (checks, actions):
            theirs = (table.c.study == study.study) & (table.c.participant == participant)
            connection.execute(delete(table).where(theirs))
        connection.execute(update(studies).where(studies.c.study == study.study).values(edition=studies.c.edition + 1))
        note_action(connection, study.study, ERASED, participant)
        announce(connection, study.study)
    with store.engine.connect() as connection:
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("PRAGMA wal_checkpoint(FULL)")  # else the study file would keep it for a while


def erased_event(event: Event, who: str) -> Event:
    """What is left of an event: a skip for an answer, without what was said.

    >>> erased_event({"event": "tell", "question": "q1", "response": "left", "who": "Ann", "seconds": 2.0}, "x7")
    {'event': 'skip', 'question': 'q1', 'who': 'x7', 'erased': True}
    """
    kept = {part: event[part] for part in KEPT_PARTS if part in event}
    return {**kept, "event": "skip" if event["event"] == "tell" else event["event"], "who": who, "erased": True}


def without_person(options: Mapping[str, Any], who: str, tombstone: str, place: int | None = None) -> dict[str, Any]:
    """The options of a goal without somebody's name. In a group that decides together they are left out, unless nobody
    else would count; `place` is theirs if its people are only numbered.

    >>> without_person({"people": ["Ann", "Ben"], "by": "mean"}, "Ann", "erased")
    {'people': ['erased', 'Ben'], 'by': 'mean', 'without': ['erased']}
    >>> without_person({"anchor": "Ann"}, "Ann", "x7")
    {'anchor': 'x7'}
    """
    changed = dict(options)
    if options.get("anchor") == who:
        changed["anchor"] = tombstone
    people = options.get("people")
    if people is None:
        return changed
    if not isinstance(people, int):
        changed["people"] = [tombstone if name == who else name for name in people]
        place = people.index(who) if who in people else None
    named = people_named(changed["people"])
    left_out = [tombstone if name == who else name for name in options.get("without") or ()]
    if place is not None and {*left_out, named[place]} < set(named):
        changed["without"] = list(dict.fromkeys([*left_out, named[place]]))
    elif left_out:
        changed["without"] = left_out
    return changed


def _tombstone_name(connection: Connection, study: Record) -> str:
    """What an erased person is called. A group that decides together has no two people of one name."""
    if not decides_together(study.recipe):
        return ERASED
    known = connection.execute(select(participants.c.name).where(participants.c.study == study.study)).scalars()
    taken = {name.casefold() for name in (*known, *people_named(study.recipe["options"]["people"]))}
    names = [ERASED, *(f"{ERASED} {number}" for number in range(2, len(taken) + 2))]
    return next(name for name in names if name not in taken)


def _rewrite(connection: Connection, is_file: bool, study: Record, found: Participant, tombstone: Participant) -> None:
    """Takes somebody out of a shared log. Questions that asked only them keep their text, but not the name."""
    who, after = respondent_name(study, found), respondent_name(study, tombstone)
    rows = connection.execute(
        select(events.c.position, events.c.body).where(events.c.study == study.study).order_by(events.c.position)
    ).all()
    log = [json.loads(row.body) for row in rows]
    asked = [event for event in log if event["event"] == "ask" and event.get("who") == who]
    place = asked[0]["atom"][0] if asked and decides_together(study.recipe) else None
    options = without_person(study.recipe["options"], who, after, place)
    digest, changes = study.digest, []
    if options != study.recipe["options"]:
        recipe = pack_recipe({**study.recipe, "options": options})
        digest = sha256(recipe).hexdigest()
        connection.execute(update(studies).where(studies.c.study == study.study).values(recipe=recipe))
        if is_file:
            connection.execute(update(schema).values(digest=digest))
    for row, event in zip(rows, log, strict=True):
        [new] = event_rows(study.study, row.position, digest, [_rewritten(event, who, after, place)])
        digest = new["digest"]
        parts = ("event", "response", "who", "seconds", "body", "digest")
        changes.append({"of_study": study.study, "at": row.position, **{f"new_{part}": new[part] for part in parts}})
    if changes:
        connection.execute(REWRITE, changes)
        connection.execute(update(studies).where(studies.c.study == study.study).values(head=digest, settled=None))
    for table in (checkpoints, forecasts):
        connection.execute(delete(table).where(table.c.study == study.study))
    connection.execute(delete(leases).where(leases.c.study == study.study, leases.c.who == who))


def _rewritten(event: Event, who: str, after: str, place: int | None) -> Event:
    """An event of a shared log after somebody was erased."""
    if event["event"] == "goal":
        return {**event, "options": without_person(event["options"], who, after, place)}
    if event["event"] == "people":
        return {**event, "excluded": [after if one == who else one for one in event["excluded"]]}
    if event.get("info", {}).get("rather") == who:
        event = {**event, "info": {**event["info"], "rather": after}}
    if event.get("who") != who:
        return event
    return {**event, "who": after} if event["event"] == "ask" else erased_event(event, after)


def _empty(connection: Connection, study: Record, log: int) -> None:
    """Empties somebody's own log; its row stays, without what they started from."""
    for table in (events, checkpoints, forecasts):
        connection.execute(delete(table).where(table.c.study == log))
    recipe = select(studies.c.recipe).where(studies.c.study == study.study).scalar_subquery()
    values: dict[str, Any] = {"head": None, "settled": None, "recipe": recipe, "edition": studies.c.edition + 1}
    connection.execute(update(studies).where(studies.c.study == log).values(**values))


def delete_study(store: Store, study: Record) -> None:
    """Deletes a study with everything that belongs to it: the file, or its rows in a database."""
    if study.parent is not None:
        raise StudyError("this is one person's log; erase the person instead")
    if not store.address.is_file:
        with store.begin() as connection:
            logs = select(studies.c.study).where(logs_of(study.study)).scalar_subquery()
            announce(connection, study.study)
            for table in (events, checkpoints, forecasts, leases, checks, actions, participants):
                connection.execute(delete(table).where(table.c.study.in_(logs)))
            connection.execute(delete(studies).where(logs_of(study.study)))
        return
    path = Path(store.address.where)
    store.close()
    for ending in ("", "-wal", "-shm"):
        Path(f"{path}{ending}").unlink(missing_ok=True)
