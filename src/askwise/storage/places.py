"""The places of those who joined by the open link: who holds one, and whose is free again.

Somebody holds a place from when they join, accept or come back, for some minutes; once they have answered, for good.
Whoever asks here holds the row of the study, so that no place is given away twice.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, func, select

from askwise.storage.crowd import CrowdSettings
from askwise.storage.schema import actions, events, participants

CAME_BACK = "came back"  # the kind of action: somebody got their place again
HOLDING = ("accepted", CAME_BACK)  # kinds of actions from which on a place is held
GIVEN = ("tell", "skip")  # kinds of events that are answers


def held_since(settings: CrowdSettings) -> str:
    """The moment after which somebody who has not answered must have come to hold a place."""
    return (datetime.now(UTC) - timedelta(minutes=settings.hold_minutes)).isoformat(timespec="microseconds")


def places_taken(connection: Connection, study: int, settings: CrowdSettings) -> int:
    """How many of those who joined hold a place."""
    logs = select(participants.c.log).where(participants.c.study == study)
    told = select(events.c.who).where(events.c.study.in_(logs), events.c.event.in_(GIVEN), events.c.who.is_not(None))
    since = held_since(settings)
    held = (
        (participants.c.created > since)
        | participants.c.participant.in_(_holding(study, since))
        | participants.c.participant.in_(told)
        | participants.c.name.in_(told)  # as some logs call people
    )
    joined = (participants.c.study == study) & participants.c.external.is_not(None) & participants.c.status.is_(None)
    return int(connection.execute(select(func.count()).where(joined, held)).scalar_one())


def holds_place(connection: Connection, study: int, participant: str, created: str, settings: CrowdSettings) -> bool:
    """Whether somebody who joined holds a place. Without a limit of people, everybody does."""
    since = held_since(settings)
    if settings.people is None or created > since or connection.execute(answers_of(study, participant)).first():
        return True
    return participant in connection.execute(_holding(study, since)).scalars().all()


def answers_of(study: int, participant: str) -> Any:
    """Selects an answer of somebody, whom their log calls by their id or their name, also one that they took back."""
    called = events.c.who.in_((participants.c.participant, participants.c.name))
    theirs = (events.c.study == participants.c.log) & called
    mine = (participants.c.study == study) & (participants.c.participant == participant)
    return select(events.c.position).join(participants, theirs).where(mine, events.c.event.in_(GIVEN)).limit(1)


def _holding(study: int, since: str) -> Any:
    recent = (actions.c.study == study) & (actions.c.time > since) & actions.c.kind.in_(HOLDING)
    return select(actions.c.participant).where(recent, actions.c.participant.is_not(None))
