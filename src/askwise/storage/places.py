"""The places of a study: who has one, and whose is free again."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from askwise.storage.schema import events, participants
from askwise.storage.store import Store

GIVEN = ("tell", "skip")  # kinds of events that are answers


def has_answered(store: Store, study: int, participant: str) -> bool:
    """Whether a log holds an answer or a skip of somebody, also one that they took back.

    >>> import askwise, tempfile
    >>> from askwise.storage.address import Address
    >>> from askwise.storage.participants import invite
    >>> path = tempfile.mkdtemp() + "/drinks.askwise"
    >>> askwise.save(askwise.best_item(["tea", "coffee", "water"]), path)
    >>> store = Store.at(Address.of(path))
    >>> has_answered(store, 1, invite(store, store.record(), "Ann").participant)
    False
    """
    return bool(store.read(_answers_of(study, participant)))


def _answers_of(study: int, participant: str) -> Any:
    """Selects an answer of somebody, whom their log calls by their id or their name."""
    called = events.c.who.in_((participants.c.participant, participants.c.name))
    theirs = (events.c.study == participants.c.log) & called
    mine = (participants.c.study == study) & (participants.c.participant == participant)
    return select(events.c.position).join(participants, theirs).where(mine, events.c.event.in_(GIVEN)).limit(1)
