"""A log in memory that follows its store, and the leases of a shared log.

Other servers and programs may write to the same log. So the server reads it again before it judges an answer, and an
event is only written to the position that it was judged for. In a shared log, a lease in the database says to whom each
open question was shown.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from time import time

from askwise.session.event_log import EventLog, ValidEvent
from askwise.storage.journal import StudyJournal
from askwise.storage.leases import LEASE_SECONDS, Lease, leases_of, take_lease
from askwise.web.respondent import Respondent
from askwise.web.texts import Told

MAX_WRITE_ATTEMPTS = 10  # at one event, while others write to the same log
MAX_PAUSE_SECONDS = 0.004  # before the second attempt; twice as long before each later one
BUSY = Told("error.busy")


class Busy(Exception):
    """An event that could not be written because others kept writing. It may be sent again."""


class StoredLog:
    """A log and its leases, as of the last time it caught up with its store."""

    def __init__(self, journal: StudyJournal, pooled: bool):
        self.journal = journal
        self.store = journal.store
        self.number = journal.record.study
        self.pooled = pooled
        self.event_log = EventLog()
        self._lock = asyncio.Lock()  # for whoever reads the log or adds to it
        self.leases = leases_of(self.store, self.number) if pooled else {}
        self.event_log.extend(journal.since(0))

    async def catch_up(self) -> None:
        """Takes in what others wrote."""
        async with self._lock:
            if self.pooled:
                self.leases = await asyncio.to_thread(leases_of, self.store, self.number)
            if events := await asyncio.to_thread(self.journal.since, len(self.event_log.events)):
                self.event_log.extend(events)

    async def append(self, position: int, *valid: ValidEvent) -> bool:
        """Adds events: on disk first, then in memory. False if others wrote first; what they wrote is then known."""
        async with self._lock:
            if position != len(self.event_log.events):
                return False
            written = await asyncio.to_thread(self.journal.append, position, *(each.event for each in valid))
            for each in valid if written else ():
                self.event_log.append(each)
        if not written:
            await self.catch_up()
        return written

    async def write(
        self, make: Callable[[], Sequence[ValidEvent]], check: Callable[[], Awaitable[None]] | None = None
    ) -> Sequence[ValidEvent]:
        """Adds the events that `make` judges right as the log is; none if they are there already.

        They are judged again if others wrote first. `check` may refuse them after `make` has, and take its time."""
        await self.catch_up()
        for attempt in range(MAX_WRITE_ATTEMPTS):
            position, valid = len(self.event_log.events), make()
            if valid and check is not None:
                await check()
            if not valid or await self.append(position, *valid):
                return valid
            await asyncio.sleep(MAX_PAUSE_SECONDS * 2**attempt * random.random())
        raise Busy(BUSY)

    def is_free_for(self, question: str, who: str) -> bool:
        """Whether the question is open and was not shown to somebody else lately."""
        lease = self.leases.get(question)
        others = lease is not None and lease.who != who and not lease.over
        return self.event_log.takes_answer(question) and not others

    async def claim(self, person: Respondent, again: bool) -> str | None:
        """The open question of a shared log for this person: the one leased to them; if it may be asked again, also one
        whose lease is over."""
        who, log = person.who, self.event_log
        ids = log.open_questions() if person.for_everybody else log.open_for(who)
        mine = [id for id in ids if id in self.leases and self.leases[id].who == who]
        free = [id for id in ids if again and (id not in self.leases or self.leases[id].over)]
        for id in mine + free:
            if await self.lease(id, who):
                return id
        return None

    async def lease(self, question: str, who: str) -> bool:
        """Whether the question is this person's for the next minutes. A lease that is still fresh is not written."""
        lease = self.leases.get(question)
        if lease is None or lease.who != who or lease.until < time() + LEASE_SECONDS / 2:
            if not await asyncio.to_thread(take_lease, self.store, self.number, question, who):
                return False
            kept = {other: known for other, known in self.leases.items() if known.who != who}
            self.leases = {**kept, question: Lease(who, time() + LEASE_SECONDS)}
        return True
