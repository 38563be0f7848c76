"""Every text that people were asked to accept, by its version: what somebody accepted can be read for as long as the
study is there. The texts are among the actions of a study, so copies and exports have them."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, select

from askwise.storage.actions import actions_of, note_action
from askwise.storage.crowd import CrowdSettings, settings_from
from askwise.storage.schema import actions, studies
from askwise.storage.store import Store

CONSENT_TEXT = "consent text"  # the kind of action
DECISIONS = ("accepted", "declined")  # kinds of actions that name the version that somebody read


def keep_consent(connection: Connection, study: int, settings: CrowdSettings) -> None:
    """Keeps the texts that people must accept now, unless they are kept already."""
    text = _text_of(settings)
    query = select(actions.c.detail).where(actions.c.study == study, actions.c.kind == CONSENT_TEXT)
    known = [json.loads(detail)["version"] for detail in connection.execute(query).scalars()]
    if text is not None and text["version"] not in known:
        note_action(connection, study, CONSENT_TEXT, detail=text)


def consent_texts(store: Store, study: int) -> list[dict[str, Any]]:
    """The versions of the texts of a study, the first first.

    >>> import askwise, tempfile
    >>> from askwise.storage.address import Address
    >>> from askwise.storage.joining import change_crowd
    >>> path = tempfile.mkdtemp() + "/drinks.askwise"
    >>> askwise.save(askwise.best_item(["tea", "coffee", "water"]), path)
    >>> store = Store.at(Address.of(path))
    >>> for text in ("I take part.", "I take part, and I am of age."):
    ...     settings = change_crowd(store, 1, {"consent": text})
    >>> [(each["version"], each["consent"]) for each in consent_texts(store, 1)]
    [('0fe31e7f', 'I take part.'), ('26b1fc8d', 'I take part, and I am of age.')]
    """
    found = [dict(one.detail) for one in actions_of(store, study) if one.kind == CONSENT_TEXT]
    now = _text_of(settings_from(store.read_study(select(studies.c.crowd).where(studies.c.study == study)).crowd))
    if now is not None and now["version"] not in [each["version"] for each in found]:
        found.append(now)  # which an earlier version of the program wrote
    return found


def consents_of(store: Store, study: int, participant: str) -> list[dict[str, Any]]:
    """What somebody accepted or declined, when, and what they read. The text is missing if an earlier version of the
    program replaced it."""
    texts = {each["version"]: each for each in consent_texts(store, study)}
    nothing = {"consent": None, "retention": None}
    return [
        {"kind": one.kind, "time": one.time, **nothing, **texts.get(one.detail["version"], one.detail)}
        for one in actions_of(store, study)
        if one.participant == participant and one.kind in DECISIONS and one.detail.get("version")
    ]


def _text_of(settings: CrowdSettings) -> dict[str, Any] | None:
    if settings.consent_version is None:
        return None
    return {"version": settings.consent_version, "consent": settings.consent, "retention": settings.retention}
