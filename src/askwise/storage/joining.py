"""The door of a study: people of a panel join by one open link, and the same id always comes back to the same log.

Everything is decided in one transaction that holds the row of the study, and a unique index says that nobody has two
places: so two servers, or two clicks, cannot let one person in twice or more people in than are wanted.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Literal

from sqlalchemy import Connection, func, select, update

from askwise.errors import SettingError
from askwise.session.events import UNSTORABLE
from askwise.storage.actions import note_action
from askwise.storage.changes import announce
from askwise.storage.consent_texts import keep_consent
from askwise.storage.crowd import CrowdSettings, now, settings_from
from askwise.storage.participants import PERSON, Participant, add_participant, study_secret
from askwise.storage.places import CAME_BACK, answers_of, holds_place, places_taken
from askwise.storage.schema import participants, studies
from askwise.storage.store import Record, Store

ID_PARAMETERS = ("PROLIFIC_PID", "workerId", "SONA_ID", "participant")  # which names a person; the first one counts
PREVIEW_OF_PANEL = ("assignmentId", "ASSIGNMENT_ID_NOT_AVAILABLE")  # somebody at Mechanical Turk only looks
LANGUAGE_PARAMETER = "lang"
MAX_PARAMETERS, MAX_LETTERS = 30, 200
Refused = Literal["shut", "early", "late", "full", "paused", "closed", "unknown", "preview"]


@dataclass(frozen=True)
class Joining:
    """What became of somebody at the door: they have a place, or they are refused for a reason."""

    person: Participant | None
    refused: Refused | None = None


def crowd_settings(store: Store, study: int) -> CrowdSettings:
    """The settings of a study.

    >>> import askwise, tempfile
    >>> from askwise.storage.address import Address
    >>> path = tempfile.mkdtemp() + "/drinks.askwise"
    >>> askwise.save(askwise.best_item(["tea", "coffee", "water"]), path)
    >>> crowd_settings(Store.at(Address.of(path)), 1).open
    False
    """
    return settings_from(store.read_study(select(studies.c.crowd).where(studies.c.study == study)).crowd)


def change_crowd(store: Store, study: int, changes: Mapping[str, Any]) -> CrowdSettings:
    """Changes the settings of a study, and returns them. How many answers are wanted holds for those who joined, too.
    The change is noted, but not who joins by it."""
    with store.begin() as connection:
        query = select(studies.c.crowd).where(studies.c.study == study).with_for_update()
        before = settings_from(connection.execute(query).scalar_one())
        found = before.changed(changes)
        for each in (before, found):  # an earlier version of the program did not keep the text before
            keep_consent(connection, study, each)
        text = json.dumps(found.as_dict())
        connection.execute(update(studies).where(studies.c.study == study).values(crowd=text))
        if found.answers != before.answers:
            joined = (participants.c.study == study) & participants.c.external.is_not(None)
            connection.execute(update(participants).where(joined).values(quota=found.answers))
        note_action(connection, study, "crowd changed", detail={"settings": sorted(changes)})
        announce(connection, study)
    return found


def link_parameters(query: Mapping[str, str]) -> dict[str, str]:
    """The parameters of a link that are kept: the ids, and of the others but the language those that fit the limits.

    >>> link_parameters({"PROLIFIC_PID": " 5f1 ", "STUDY_ID": "7", "lang": "de"})
    {'PROLIFIC_PID': '5f1', 'STUDY_ID': '7'}
    """
    ids = {name: query[name].strip() for name in ID_PARAMETERS if name in query}
    if not all(_fits(name, value) for name, value in ids.items()):
        raise SettingError(f"an id has at most {MAX_LETTERS} letters, and neither NUL nor half of a surrogate pair")
    others = {name: value.strip() for name, value in query.items() if name not in (*ids, LANGUAGE_PARAMETER)}
    kept = [(name, value) for name, value in others.items() if _fits(name, value)]
    return {**ids, **dict(kept[: MAX_PARAMETERS - len(ids)])}


def panel_id(parameters: Mapping[str, str]) -> str | None:
    """Who somebody is at their panel; None if the link does not say.

    >>> panel_id({"workerId": "A1", "hitId": "H"}), panel_id({"hitId": "H"})
    ('workerId A1', None)
    """
    return next((f"{name} {parameters[name]}" for name in ID_PARAMETERS if parameters.get(name)), None)


def join(store: Store, study: Record, parameters: Mapping[str, str], language: str | None = None) -> Joining:
    """Lets somebody in who opened the link of a study, or finds the place that they have.

    >>> import askwise, tempfile
    >>> from askwise.storage.address import Address
    >>> path = tempfile.mkdtemp() + "/drinks.askwise"
    >>> askwise.save(askwise.best_item(["tea", "coffee", "water"]), path)
    >>> store = Store.at(Address.of(path))
    >>> join(store, store.record(), {"participant": "ann"})
    Joining(person=None, refused='shut')
    >>> settings = change_crowd(store, 1, {"open": True, "people": 1})
    >>> first, again = (join(store, store.record(), {"participant": "ann"}).person for _ in range(2))
    >>> first == again, join(store, store.record(), {"participant": "ben"}).refused
    (True, 'full')
    """
    name, value = PREVIEW_OF_PANEL
    if parameters.get(name) == value:
        return Joining(None, "preview")
    who = panel_id(parameters)
    if who is None:
        return Joining(None, "unknown")
    external = external_hash(store, study.study, who)
    if (known := find_joined(store, study.study, external)) is not None:
        return Joining(known)
    with store.begin() as connection:
        locked = select(studies).where(studies.c.study == study.study).with_for_update()
        row = connection.execute(locked).one()
        same = connection.execute(_joined(study.study, external)).first()
        if same is not None:
            return Joining(Participant(*same))
        settings = settings_from(row.crowd)
        refused = _refusal(connection, study, row, settings)
        if refused is not None:
            return Joining(None, refused)
        more: dict[str, Any] = {"external": external, "parameters": json.dumps(dict(parameters)), "language": language}
        try:
            person = add_participant(connection, study, "", settings.answers, more)
        except SettingError:  # a group that has all its people
            return Joining(None, "full")
        note_action(connection, study.study, "joined", person.participant)
    return Joining(person)


def keep_place(store: Store, study: int, participant: str) -> bool:
    """Whether somebody who joined may go on: they hold a place, or get theirs back while there is room.

    >>> import askwise, tempfile
    >>> from askwise.storage.address import Address
    >>> path = tempfile.mkdtemp() + "/drinks.askwise"
    >>> askwise.save(askwise.best_item(["tea", "coffee", "water"]), path)
    >>> store = Store.at(Address.of(path))
    >>> settings = change_crowd(store, 1, {"open": True, "people": 1})
    >>> keep_place(store, 1, join(store, store.record(), {"participant": "ann"}).person.participant)
    True
    """
    with store.begin() as connection:
        query = select(studies.c.crowd).where(studies.c.study == study).with_for_update()
        settings = settings_from(connection.execute(query).scalar_one())
        mine = (participants.c.study == study) & (participants.c.participant == participant)
        created = connection.execute(select(participants.c.created).where(mine)).scalar_one()
        if settings.people is None or holds_place(connection, study, participant, created, settings):
            return True
        if places_taken(connection, study, settings) >= settings.people:
            return False
        note_action(connection, study, CAME_BACK, participant)
    return True


def has_answered(store: Store, study: int, participant: str) -> bool:
    """Whether a log holds an answer or a skip of somebody, also one that they took back."""
    return bool(store.read(answers_of(study, participant)))


def external_hash(store: Store, study: int, who: str) -> str:
    """Who somebody is at their panel, as the study keeps it: it can be recognised, and not be read."""
    return hmac.new(study_secret(store, study), f"panel {who}".encode(), sha256).hexdigest()


def find_joined(store: Store, study: int, external: str) -> Participant | None:
    """Whoever has joined with this id before."""
    return next((Participant(*row) for row in store.read(_joined(study, external))), None)


def joined_counts(store: Store, study: int) -> dict[str, int]:
    """How many people have joined by the open link, by what became of them: `answering` is everybody else."""
    column = func.coalesce(participants.c.status, "answering")
    query: Any = select(column, func.count()).where(participants.c.study == study, participants.c.external.is_not(None))
    return {status: int(count) for status, count in store.read(query.group_by(column))}


def parameters_of(store: Store, study: int) -> dict[str, dict[str, str]]:
    """The parameters of the links with which people came, by participant."""
    query = select(participants.c.participant, participants.c.parameters).where(
        participants.c.study == study, participants.c.parameters.is_not(None)
    )
    return {row.participant: json.loads(row.parameters) for row in store.read(query)}


def parameters_of_person(store: Store, study: int, participant: str) -> dict[str, str]:
    """The parameters of the link with which somebody came; none if they were invited."""
    query = select(participants.c.parameters).where(
        participants.c.study == study, participants.c.participant == participant
    )
    return next((json.loads(row.parameters) for row in store.read(query) if row.parameters), {})


def _fits(name: str, value: str) -> bool:
    return max(len(name), len(value)) <= MAX_LETTERS and not UNSTORABLE.search(name + value)


def _joined(study: int, external: str) -> Any:
    return select(*PERSON).where(participants.c.study == study, participants.c.external == external)


def _refusal(connection: Connection, study: Record, row: Any, settings: CrowdSettings) -> Refused | None:
    """Why nobody new may join now; None if they may. The row of the study is locked."""
    moment = now()
    if row.state != "open":
        return "closed" if row.state == "closed" else "paused"
    if not settings.open:
        return "shut"
    if settings.is_too_early(moment):
        return "early"
    if settings.is_too_late(moment):
        return "late"
    if study.mode == "pooled" and settings.close_when_settled and row.settled is not None and not row.beyond:
        return "full"
    if settings.people is not None and places_taken(connection, study.study, settings) >= settings.people:
        return "full"
    came = select(func.count()).where(participants.c.study == study.study, participants.c.external.is_not(None))
    if settings.people_per_hour is not None:
        hour = (datetime.now(UTC) - timedelta(hours=1)).isoformat(timespec="microseconds")
        if connection.execute(came.where(participants.c.created > hour)).scalar_one() >= settings.people_per_hour:
            return "full"
    return None
