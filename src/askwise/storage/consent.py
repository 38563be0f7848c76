"""Who accepted what, who did not take part, and where people go when they leave."""

from __future__ import annotations

import hmac
import re
from base64 import b32encode
from collections.abc import Mapping
from hashlib import sha256
from urllib.parse import quote

from sqlalchemy import select, update

from askwise.storage.actions import note_action
from askwise.storage.changes import announce
from askwise.storage.crowd import CrowdSettings, settings_from
from askwise.storage.participants import study_secret
from askwise.storage.permission import NotNow
from askwise.storage.places import holds_place, places_taken
from askwise.storage.schema import participants, studies
from askwise.storage.store import Store

PLACEHOLDER = re.compile(r"\{(\w+)\}")
CODE_LETTERS = 8


def accept(store: Store, study: int, participant: str, version: str) -> None:
    """Notes that somebody accepts to take part. The version is that of the text that they read: if the owner has
    changed it meanwhile, they have to read it again. Whoever declined before may come back, if there is room.

    >>> import askwise, tempfile
    >>> from askwise.storage.address import Address
    >>> from askwise.storage.joining import change_crowd, join
    >>> path = tempfile.mkdtemp() + "/drinks.askwise"
    >>> askwise.save(askwise.best_item(["tea", "coffee", "water"]), path)
    >>> store = Store.at(Address.of(path))
    >>> settings = change_crowd(store, 1, {"open": True, "consent": "I take part."})
    >>> person = join(store, store.record(), {"participant": "ann"}).person
    >>> accept(store, 1, person.participant, settings.consent_version)
    >>> join(store, store.record(), {"participant": "ann"}).person.consent == settings.consent_version
    True
    """
    with store.begin() as connection:
        row = connection.execute(select(studies).where(studies.c.study == study).with_for_update()).one()
        settings = settings_from(row.crowd)
        if version != settings.consent_version:
            raise NotNow("outdated")
        chosen = (participants.c.study == study) & (participants.c.participant == participant)
        person = connection.execute(select(participants).where(chosen)).one()
        if person.status not in (None, "declined"):
            raise NotNow(person.status)
        if settings.people is not None and person.external is not None:
            holds = person.status is None and holds_place(connection, study, participant, person.created, settings)
            if not holds and places_taken(connection, study, settings) >= settings.people:
                raise NotNow("full")
        connection.execute(update(participants).where(chosen).values(consent=version, status=None))
        note_action(connection, study, "accepted", participant, {"version": version})
        announce(connection, study)


def set_status(
    store: Store, study: int, participant: str, status: str, detail: Mapping[str, object] | None = None
) -> None:
    """Notes that somebody does not take part any more: declined or screened out. Nothing else changes: who they are at
    their panel, the parameters of their link and the answers that they gave are kept."""
    with store.begin() as connection:
        chosen = (participants.c.study == study) & (participants.c.participant == participant)
        free = chosen & participants.c.status.is_(None)
        if connection.execute(update(participants).where(free).values(status=status)).rowcount:
            note_action(connection, study, status, participant, detail)
            announce(connection, study)


def completion_code(store: Store, study: int, participant: str, settings: CrowdSettings) -> str:
    """What somebody types in at their panel to show that they are done: the study's code, or one of their own."""
    if settings.code is not None:
        return settings.code
    mark = hmac.new(study_secret(store, study), f"done {participant}".encode(), sha256).digest()
    return b32encode(mark).decode()[:CODE_LETTERS]


def return_address(address: str | None, parameters: Mapping[str, str], code: str) -> str | None:
    """An address with its placeholders filled in: {code}, and the parameters of the link with which somebody came.

    >>> return_address("https://panel.example/done?cc={code}&who={PROLIFIC_PID}&x={y}", {"PROLIFIC_PID": "a b"}, "C1")
    'https://panel.example/done?cc=C1&who=a%20b&x='
    """
    if address is None:
        return None
    values = {**parameters, "code": code}
    return PLACEHOLDER.sub(lambda found: quote(values.get(found[1], ""), safe=""), address)
