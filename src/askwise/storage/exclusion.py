"""Leaves the answers of a participant out, and counts them again. Nothing is erased.

In a shared study, an event in its log says who is excluded. So every session, server and replay computes the result
without them, and with them again if they are included later. Where everybody has a log of their own, nobody else's
result depends on it; the next people do not start from it any more.
"""

from __future__ import annotations

import json

from sqlalchemy import Connection, insert, select, update

from askwise.errors import AnswerError, SettingError
from askwise.session.events import new_event
from askwise.storage.actions import note_action
from askwise.storage.changes import announce
from askwise.storage.groups import decides_together
from askwise.storage.participants import PERSON, Participant, respondent_name
from askwise.storage.schema import actions, events, participants, studies
from askwise.storage.serialization import event_rows
from askwise.storage.store import HEAD, Record, Store

EXCLUDED = "excluded"
NOT_COUNTED = (EXCLUDED, "erased")
NOT_EXCLUDED = {  # why somebody cannot be included who does not answer for another reason
    "screened out": "{participant} was screened out, not excluded; their answers count, and they can give no more",
    "declined": "{participant} declined to take part and was not excluded; only they can change that",
}


def exclude(store: Store, study: Record, participant: str, excluded: bool = True, reason: str = "") -> None:
    """Excludes somebody, or includes them again. Both are noted, with the reason.

    >>> import askwise, tempfile
    >>> from askwise.storage.address import Address
    >>> from askwise.storage.participants import invite, set_mode
    >>> path = tempfile.mkdtemp() + "/drinks.askwise"
    >>> askwise.save(askwise.best_item(["tea", "coffee", "water"], seed=1), path)
    >>> store = Store.at(Address.of(path))
    >>> set_mode(store, 1, "pooled")
    >>> ann = invite(store, store.record(), "Ann")
    >>> session = askwise.open(path)
    >>> session.tell("left", session.ask(), who=ann.participant)
    >>> exclude(store, store.record(), ann.participant, reason="a robot")
    >>> len(askwise.open(path).answers)
    0
    >>> exclude(store, store.record(), ann.participant, excluded=False)
    >>> len(askwise.open(path).answers)
    1
    """
    if decides_together(study.recipe):
        raise AnswerError(
            "everybody counts in a group that decides together; leave somebody out with its goal: without"
        )
    with store.begin() as connection:
        row = connection.execute(select(studies).where(studies.c.study == study.study).with_for_update()).one()
        chosen = (participants.c.study == study.study) & (participants.c.participant == participant)
        known = connection.execute(select(*PERSON).where(chosen)).first()
        if known is None:
            raise SettingError(f"nobody here is {participant!r}; give the id of a participant")
        found = Participant(*known)
        if found.status == "erased":
            raise AnswerError(f"the answers of {participant} were erased; there is nothing to exclude or include")
        if not excluded and found.status in NOT_EXCLUDED:
            raise AnswerError(NOT_EXCLUDED[found.status].format(participant=participant))
        if (found.status == EXCLUDED) == excluded:
            return
        status = EXCLUDED if excluded else _status_before(connection, study.study, participant)
        connection.execute(update(participants).where(chosen).values(status=status))
        if study.mode == "pooled":
            _append(connection, study, row.head, respondent_name(study, found), excluded)
        kind = "excluded" if excluded else "included"
        detail = {"reason": reason, "status": found.status if excluded else None}
        note_action(connection, study.study, kind, participant, {name: said for name, said in detail.items() if said})
        announce(connection, study.study)


def uncounted_logs(store: Store, study: int) -> set[int]:
    """The logs of people whose answers do not count for others."""
    query = select(participants.c.log).where(participants.c.study == study, participants.c.status.in_(NOT_COUNTED))
    return {row.log for row in store.read(query)} - {study}


def _status_before(connection: Connection, study: int, participant: str) -> str | None:
    """The status of an excluded person before: whoever was screened out or declined does not come back by this."""
    last = (
        select(actions.c.detail)
        .where(actions.c.study == study, actions.c.participant == participant, actions.c.kind == EXCLUDED)
        .order_by(actions.c.action.desc())
    )
    detail = connection.execute(last).scalars().first()
    return None if detail is None else json.loads(detail).get("status")


def _append(connection: Connection, study: Record, head: str | None, who: str, excluded: bool) -> None:
    """The event in the shared log, whose row is locked."""
    log = events.c.study == study.study
    last = connection.execute(select(events.c.position).where(log).order_by(events.c.position.desc())).scalars().first()
    known = select(events.c.body).where(log, events.c.event == "people").order_by(events.c.position.desc())
    body = connection.execute(known).scalars().first()
    before = [] if body is None else json.loads(body)["excluded"]
    now = sorted({*before, who} if excluded else set(before) - {who})
    position = 0 if last is None else last + 1
    rows = event_rows(study.study, position, head or study.digest, [new_event("people", None, excluded=now)])
    connection.execute(insert(events), rows)
    connection.execute(HEAD, {"log": study.study, "last": rows[-1]["digest"]})
    connection.execute(update(studies).where(studies.c.study == study.study).values(settled=None))
    announce(connection, study.study, position + 1)
