"""One log as a server knows it: what was asked and told, and in a shared one who was shown what.

Other servers and programs may write to the same log. So it is read again before an answer is judged, an event only goes
to the place that it was judged for, and who was shown which question of a shared log stands in the database.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from time import time
from typing import Any

from askwise.conversation import Conversation, Event
from askwise.errors import AnswerError
from askwise.study.journal import StudyJournal
from askwise.study.leases import SECONDS, Lease, leases_of, take_lease

TRIES = 10  # to write an event while others write to the same log
PAUSE = 0.004  # seconds at most before the second try; twice as long before each later one
NOT_YOURS = "this question is not open for you any more; nothing was noted, go on with the next one"
USED = "this key was used before; use another one"
BUSY = "others are answering at this very moment; nothing was noted, send it again"


class Busy(Exception):
    """An event for which no place was found; to be sent again."""


@dataclass(frozen=True)
class Asker:
    """Somebody at the desk, and what they may do."""

    who: str
    refusal: str | None = None  # why no answer is taken from them now
    quota: int | None = None  # answers and skips at most
    beyond: bool = False  # whether they are asked although it is settled


class OpenLog:
    """A log and its leases, up to date as of the last `take_in`."""

    def __init__(self, journal: StudyJournal, pooled: bool):
        self.journal = journal
        self.store = journal.store
        self.number = journal.record.study
        self.pooled = pooled
        self.talk = Conversation()
        self._storing = asyncio.Lock()  # of whoever reads the log or adds to it
        events, self.leases = self._read(0)
        for event in events:
            self.talk.record(event)

    def mine(self, who: str) -> list[Event]:
        """This person's answers and skips in force, in the order they came."""
        closed = [
            event
            for event in self.talk.log
            if event["event"] in ("tell", "skip") and self.talk.closing.get(event["question"]) is event
        ]
        standing = [event for event in closed if self.talk.status[event["question"]] in ("answered", "skipped")]
        return [event for event in standing if not self.pooled or event.get("who") == who]

    def full(self, asker: Asker) -> bool:
        """Whether the quota is used up."""
        return asker.quota is not None and len(self.mine(asker.who)) >= asker.quota

    def shows(self, asker: Asker, question: str) -> bool:
        """Whether this person may know of the question at all: in a shared log, only of those shown to them."""
        if not self.pooled:
            return question in self.talk.asked
        lease = self.leases.get(question)
        return (lease is not None and lease.who == asker.who) or any(
            event["question"] == question for event in self.mine(asker.who)
        )

    async def take_in(self) -> None:
        """Reads what others wrote."""
        async with self._storing:
            events, self.leases = await asyncio.to_thread(self._read, len(self.talk.log))
            for event in events:
                self.talk.record(event)

    async def append(self, position: int, *events: Event) -> bool:
        """Durable first, then in memory; False if the log went on meanwhile, which is then known."""
        async with self._storing:
            if position != len(self.talk.log):
                return False
            self.talk.check(events[0])
            written = await asyncio.to_thread(self.journal.append, position, *events)
            for event in events if written else ():
                self.talk.record(event)
        if not written:
            await self.take_in()
        return written

    async def write(self, judged: Callable[[], list[Event]]) -> list[Event]:
        """Adds the events that are judged right as the log stands, none if they are there already.

        They are judged anew if others wrote first."""
        await self.take_in()
        for attempt in range(TRIES):
            position, events = len(self.talk.log), judged()
            if not events or await self.append(position, *events):
                return events
            await asyncio.sleep(PAUSE * 2**attempt * random.random())
        raise Busy(BUSY)

    def repeated(self, asker: Asker, kind: str, question: str | None, key: str, response: Any = None) -> bool:
        """Whether the same came before. In a shared log, nothing is said about what others sent."""
        known = self.talk.keys.get(key)
        if self.pooled and known is not None and known.get("who") != asker.who:
            raise AnswerError(USED)
        return self.talk.repeated(kind, question, key, response)

    def answerable(self, asker: Asker, question: str) -> str:
        """The question, if this person may answer it now. In a shared log, nothing is said about the others."""
        if asker.refusal:
            raise AnswerError(asker.refusal)
        if self.full(asker):
            raise AnswerError(f"your quota of {asker.quota} answers is reached; take one back to change it")
        if not self.pooled:
            return self.talk.to_answer(question)
        if any(event["question"] == question for event in self.mine(asker.who)):
            raise AnswerError("you answered this question before; take it back to change it")
        lease = self.leases.get(question)
        others = lease is not None and lease.who != asker.who and not lease.over
        if others or self.talk.status.get(question) != "open":
            raise AnswerError(NOT_YOURS)
        return question

    async def claim(self, who: str, again: bool) -> str | None:
        """The open question before this person: any in a log of one's own; in a shared one the one leased to them, or
        one that nobody has any more if it may be asked again."""
        ids, known = self.talk.open(), self.leases
        if not self.pooled:
            return next(iter(ids), None)
        mine = [id for id in ids if id in known and known[id].who == who]
        free = [id for id in ids if again and (id not in known or known[id].over)]
        for id in mine + free:
            if await self.lease(id, who):
                return id
        return None

    async def lease(self, id: str, who: str) -> bool:
        """Whether the question is this person's for the next minutes; one that was lately is not written anew."""
        lease = self.leases.get(id)
        if lease is None or lease.who != who or lease.until < time() + SECONDS / 2:
            if not await asyncio.to_thread(take_lease, self.store, self.number, id, who):
                return False
            kept = {other: known for other, known in self.leases.items() if known.who != who}
            self.leases = {**kept, id: Lease(who, time() + SECONDS)}
        return True

    def _read(self, position: int) -> tuple[list[Event], dict[str, Lease]]:
        leases = leases_of(self.store, self.number) if self.pooled else {}
        return self.journal.since(position), leases
