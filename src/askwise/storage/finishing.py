"""Who is done: they were told so, and got their completion code.

A server notes it when somebody's page first says so. Of people who were done before servers noted it, the log says it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import select

from askwise.errors import StudyError
from askwise.session.event_log import EventLog
from askwise.storage.actions import actions_of, note_action
from askwise.storage.checks import due_check, past_checks
from askwise.storage.crowd import CheckQuestion
from askwise.storage.exclusion import EXCLUDED
from askwise.storage.joining import crowd_settings, joined_counts
from askwise.storage.journal import read_log
from askwise.storage.participants import Participant, people, respondent_name, settled, study_settings
from askwise.storage.schema import actions, participants
from askwise.storage.store import Record, Store
from askwise.storage.usage import answer_counts

FINISHED = "finished"
EndKind = Literal["quota", "settled", "budget", "exhausted"]
DONE: Mapping[str, str] = {
    "quota": "quota reached",
    "settled": "settled",
    "budget": "budget used up",
    "exhausted": "no questions left",
}
ANY_CHECK = CheckQuestion("", ("", " "), "")  # only whether one is due counts here


@dataclass(frozen=True)
class Finish:
    """Why somebody is done, and since when; None if they are not."""

    done: str | None = None
    at: str | None = None


class Finishes:
    """Knows who of a study is done.

    >>> import askwise, tempfile
    >>> from askwise.storage.address import Address
    >>> from askwise.storage.participants import invite
    >>> path = tempfile.mkdtemp() + "/drinks.askwise"
    >>> askwise.save(askwise.best_item(["tea", "coffee", "water"], seed=1), path)
    >>> store = Store.at(Address.of(path))
    >>> ann = invite(store, store.record(), "Ann", quota=1)
    >>> session = askwise.open(path, log=ann.log)
    >>> Finishes(store, store.record()).of(ann).done
    >>> session.tell("left", session.ask(), who=ann.participant)
    >>> Finishes(store, store.record()).of(ann).done
    'quota reached'
    """

    def __init__(self, store: Store, study: Record):
        self._store, self._study = store, study
        self._crowd, self._beyond = crowd_settings(store, study.study), study_settings(store, study.study).beyond
        self._reasons = settled(store, study.study)
        self._answers = {(each.log, each.who): each.answers for each in answer_counts(store, study.study)}
        noted = [one for one in actions_of(store, study.study) if one.kind == FINISHED]
        self._noted = {one.participant: Finish(DONE.get(str(one.detail.get("why"))), one.time) for one in noted}

    def of(self, one: Participant, log: EventLog | None = None) -> Finish:
        """Whether this person is done; `log` is where their answers go, if it was read already."""
        if one.participant in self._noted:
            return self._noted[one.participant]
        who = respondent_name(self._study, one)
        answers = self._answers.get((one.log, who), 0)
        kind = self._kind(one, answers)
        if kind is None or not answers or not self._took_part(one, kind):
            return Finish()
        log = log or read_log(self._store, one.log)
        closed = log.closed(who)
        past = past_checks(self._store, self._study.study, one.participant)
        if due_check(self._crowd, one.participant, closed, log.ask_events, past, ANY_CHECK) is not None:
            return Finish()
        return Finish(DONE[kind], closed[-1].get("time"))

    def _kind(self, one: Participant, answers: int) -> EndKind | None:
        if one.quota is not None and answers >= one.quota:
            return "quota"
        reason = self._reasons.get(one.log)
        return None if reason is None or (self._beyond and reason.kind != "exhausted") else reason.kind

    def _took_part(self, one: Participant, kind: EndKind) -> bool:
        """Whether they were told. Of the excluded, those who were done by what they answered themselves."""
        by_themselves = kind == "quota" or one.log != self._study.study
        there = one.status is None or (one.status == EXCLUDED and by_themselves)
        return there and (self._crowd.consent_version is None or one.consent is not None)


def joined_people(store: Store, study: Record) -> dict[str, int]:
    """How many people have joined by the open link, by what became of them: `answering` is everybody else."""
    counts, finishes = joined_counts(store, study.study), Finishes(store, study)
    there = [one for one in people(store, study.study) if one.joined and one.status is None]
    done = sum(finishes.of(one).done is not None for one in there)
    found = {**counts, "done": done, "answering": len(there) - done}
    return {status: count for status, count in found.items() if count}


def note_finished(store: Store, study: int, participant: str, kind: EndKind) -> None:
    """Notes that somebody was told that they are done, once. They are told even if there is no room to note it."""
    mine = (actions.c.study == study) & (actions.c.participant == participant) & (actions.c.kind == FINISHED)
    known = select(actions.c.action).where(mine)
    if store.read(known):
        return
    person = (participants.c.study == study) & (participants.c.participant == participant)
    with suppress(StudyError), store.begin() as connection:
        connection.execute(select(participants.c.participant).where(person).with_for_update())  # two servers take turns
        if connection.execute(known).first() is None:
            note_action(connection, study, FINISHED, participant, {"why": kind})
