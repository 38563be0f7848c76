"""Whether somebody may answer at the very moment at which their answer is written.

A page checks it, too, but between the check and the write the owner may close the study, or the clock may strike. So
the transaction that adds an answer asks once more, and holds what it read until the answer is there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from sqlalchemy import Connection, bindparam, select

from askwise.errors import AnswerError
from askwise.storage.crowd import CrowdSettings, now, settings_from
from askwise.storage.places import holds_place
from askwise.storage.schema import participants, studies

Reason = Literal[
    "closed",
    "paused",
    "early",
    "late",
    "declined",
    "screened out",
    "excluded",
    "erased",
    "consent",
    "full",
    "outdated",
    "answered_before",
]
SENTENCES: Mapping[str, str] = {
    "closed": "the study is closed and takes no more answers; what was answered before is kept",
    "paused": "the study is paused; what was answered before is kept",
    "early": "the study is not open yet",
    "late": "the study is over and takes no more answers",
    "declined": "this person did not accept to take part",
    "screened out": "this person was screened out",
    "excluded": "this person was excluded",
    "erased": "the answers of this person were erased on request",
    "consent": "this person has not accepted to take part yet",
    "full": "the study has all the people it needs",
    "outdated": "the text was changed meanwhile; read it again",
    "answered_before": "this check was answered before; answer the next question",
}
# the study and the person are locked against changes, in this order as elsewhere; others may answer at the same time
OF_PERSON = (
    select(
        participants.c.status,
        participants.c.paused,
        participants.c.consent,
        participants.c.external,
        participants.c.participant,
        participants.c.created,
        studies.c.state,
        studies.c.crowd,
    )
    .join(studies, studies.c.study == participants.c.study)
    .where(
        participants.c.study == bindparam("study"),
        (participants.c.participant == bindparam("who")) | (participants.c.name == bindparam("name")),
    )
    .with_for_update(read=True, of=(studies, participants))
)
BY_PEOPLE = ("tell", "skip", "undo")


class NotNow(AnswerError):
    """An answer that somebody may not give now. `reason` says why, in a word or two."""

    def __init__(self, reason: Reason):
        super().__init__(SENTENCES[reason])
        self.reason = reason


def reason_against(
    state: str, paused: bool, status: str | None, consent: str | None, joined: bool, settings: CrowdSettings
) -> Reason | None:
    """Why somebody may not answer now; None if they may. The hours of the door hold for those who came through it.

    >>> reason_against("open", False, None, None, True, CrowdSettings(closes="2020-01-01T00:00:00+00:00"))
    'late'
    >>> reason_against("open", False, None, None, False, CrowdSettings(closes="2020-01-01T00:00:00+00:00"))
    """
    if status is not None:
        return status  # type: ignore[return-value]
    if state == "closed":
        return "closed"
    if joined and settings.is_too_late(now()):
        return "late"
    if joined and settings.is_too_early(now()):
        return "early"
    if state != "open" or paused:
        return "paused"
    return "consent" if settings.consent_version not in (None, consent) else None


def require_permission(connection: Connection, study: int, rows: Sequence[Mapping[str, Any]], named: bool) -> None:
    """Refuses answers of participants who may not give them now. Others, such as the owner, always may.

    - `study`: whose participants they are.
    - `rows`: the events that are about to be written.
    - `named`: whether the log calls people by their names.
    """
    for who in {row["who"] for row in rows if row["event"] in BY_PEOPLE and row["who"] is not None}:
        require_person(connection, study, who, named)


def require_person(connection: Connection, study: int, who: str, named: bool = False) -> None:
    """Refuses if this participant may not answer now."""
    found = connection.execute(OF_PERSON, {"study": study, "who": who, "name": who if named else None}).first()
    if found is None:
        return
    settings, joined = settings_from(found.crowd), found.external is not None
    about = found.state, bool(found.paused), found.status, found.consent, joined
    reason = reason_against(*about, settings)
    if reason is None and joined and not holds_place(connection, study, found.participant, found.created, settings):
        reason = "full"  # their place may have been given away; `keep_place` says whether there is another
    if reason is not None:
        raise NotNow(reason)
