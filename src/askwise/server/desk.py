"""The desk of one log: takes answers and hands out questions, whether or not the learner keeps up.

Every event is on disk before the person hears of it. The next question is the one worked out ahead for that very
answer; if there is none, the learner is given a moment; if it is still behind, a question in reserve is asked.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

from askwise.conversation import Conversation, Event, happened, key
from askwise.errors import AskwiseError
from askwise.server.learner import Job, Learner, Standing, View, foresee, look
from askwise.study.journal import StudyJournal

PATIENCE = 0.28  # seconds for a learner that is behind
FIRST = 20.0  # seconds where there is no question at all yet
LEASE = 120.0  # seconds for which a question belongs to whom it was shown, where people share a log
logger = logging.getLogger("askwise.server")


@dataclass
class Reserve:
    """The last that a worker found out about any log of a study. Where people have logs of their own, its questions are
    valid for all of them, so that nobody waits for the learner to read theirs again after a restart."""

    view: View | None = None


@dataclass(frozen=True)
class Shown:
    """Where one person is: the question before them, and what is known."""

    question: Event | None
    standing: Standing | None  # None: nothing was worked out yet
    answers: int  # of this person
    behind: bool  # the learner is; the question is one in reserve, or there is none yet


class Desk:
    """One log. All changes happen one after the other."""

    def __init__(
        self,
        journal: StudyJournal,
        job: Job,
        learner: Learner,
        pooled: bool,
        changed: Callable[[], None],
        reserve: Reserve,
    ):
        self.journal = journal
        self.reserve = reserve
        self.job = job
        self.learner = learner
        self.pooled = pooled
        self.changed = changed
        self.talk = Conversation()
        self.view: View | None = None
        self.standing: Standing | None = None
        self.fallbacks = 0  # questions that were not the rule's choice
        self.failures = 0  # of the learner, in a row
        self._who = ""  # the only one who answers, in a log of their own
        self._lock = asyncio.Lock()
        self._looking: asyncio.Task[None] | None = None
        self._foreseeing: asyncio.Task[None] | None = None
        self._leases: dict[str, tuple[str, float]] = {}  # by question: who has it, until when
        self._take_in()

    async def show(self, who: str) -> Shown:
        """The question before this person; a new one if there is none."""
        async with self._lock:
            await asyncio.to_thread(self._take_in)
            return await self._shown(who)

    async def tell(self, who: str, question: str, response: Any, key: str, seconds: float | None) -> Shown:
        """Takes an answer, once whatever how often it is sent; hands out what comes next."""
        async with self._lock:
            for _ in range(3):
                if self.talk.repeated("tell", question, key, response):
                    break
                said = self.talk.match(self.talk.to_answer(question), response)
                event = happened("tell", question, response=said, who=who, seconds=seconds, key=key)
                after = self._foreseen(question, self.talk.standard(question, said))
                if await self._append(event, *([_now(after.event)] if after and after.event else [])):
                    if after is not None and self.view is not None:
                        self.standing = after
                        self.view = replace(self.view, position=len(self.talk.log), now=after, ahead={})
                    break
            return await self._shown(who)

    async def skip(self, who: str, question: str, reason: str | None, key: str, seconds: float | None) -> Shown:
        async with self._lock:
            for _ in range(3):
                if self.talk.repeated("skip", question, key):
                    break
                id = self.talk.to_answer(question)
                if await self._append(happened("skip", id, reason=reason, who=who, seconds=seconds, key=key)):
                    break
            return await self._shown(who)

    async def undo(self, who: str, question: str | None, key: str) -> Shown:
        """Takes back this person's last answer or skip, or that to the question named."""
        async with self._lock:
            for _ in range(3):
                if self.talk.repeated("undo", question, key):
                    break
                mine = [event["question"] for event in self.mine(who)]
                if question is not None and question not in mine:
                    raise AskwiseError(f"question {question} has no answer of yours to take back")
                if not mine:
                    raise AskwiseError("there is nothing to take back")
                id = self.talk.to_undo(question or mine[-1])
                if await self._append(happened("undo", id, who=who, key=key)):
                    self._leases[id] = (who, monotonic() + LEASE)
                    break
            return await self._shown(who)

    def mine(self, who: str) -> list[Event]:
        """This person's answers and skips in force, in the order they came."""
        closed = [
            event
            for event in self.talk.log
            if event["event"] in ("tell", "skip") and self.talk.closing.get(event["question"]) is event
        ]
        standing = [event for event in closed if self.talk.status[event["question"]] in ("answered", "skipped")]
        return [event for event in standing if not self.pooled or event.get("who") == who]

    def look(self) -> None:
        """Has the learner look at the log as it is, unless it is looking already; then it works ahead."""
        if not self._seen():
            if self._looking is None or self._looking.done():
                self._looking = asyncio.create_task(self._look())
        elif self._foreseeing is None or self._foreseeing.done():
            self._foreseeing = asyncio.create_task(self._foresee())

    async def _look(self) -> None:
        try:
            while not self._seen():
                self.view = await self.learner.run(look, self.job, self.pooled)
                self.standing, self.failures = self.view.now, 0
                self.reserve.view = self.view if self.view.spares else self.reserve.view
        except Exception:
            self.failures += 1
            logger.exception("the learner failed on log %s", self.job[1])
            return
        self.look()
        self.changed()

    async def _foresee(self) -> None:
        """What comes after each answer to the open question; a number has too many, and so have many people."""
        view = self.view
        if view is None or self.pooled or not self.talk.open():
            return
        for response in view.now.likely:
            if response not in view.ahead:
                with suppress(Exception):  # whoever needs it will have the learner look, and hear of it
                    more = view.position, response, self._who
                    after = await self.learner.run(foresee, self.job, *more, urgent=False)
                    if after is not None:
                        view.ahead[response] = after

    def _foreseen(self, question: str, response: Any) -> Standing | None:
        """What was worked out for that very answer."""
        ahead = self._current() and self.talk.open()[:1] == [question] and not self.pooled
        return self.view.ahead.get(response) if ahead and self.view else None

    async def _shown(self, who: str) -> Shown:
        """What this person sees now; under the lock."""
        self._who = who
        id = self._theirs(who)
        behind = False
        if id is None and not self._stopped():
            event, behind = await self._next()
            if event is not None and await self._append(event):
                id = event["question"]
                self.fallbacks += behind
                if not behind and not self.pooled and self.view is not None:  # it saw that coming
                    self.view = replace(self.view, position=len(self.talk.log), ahead={})
            elif event is not None:
                id = self._theirs(who)
        if id is not None and self.pooled:
            self._leases[id] = (who, monotonic() + LEASE)
        self.look()
        question = None if id is None else self.talk.asked[id]
        return Shown(question, self.standing, len(self.mine(who)), behind or self.failures > 0)

    async def _next(self) -> tuple[Event | None, bool]:
        """The question to ask now, and whether the learner was too late for its own choice."""
        self.look()
        if self._looking is not None and not self._current():
            await asyncio.wait({self._looking}, timeout=PATIENCE if self.view or self.reserve.view else FIRST)
        views = [view for view in (self.view, self.reserve.view) if view is not None]
        if not views:
            return None, True
        now = views[0].now
        if self._current() and now.event is not None:
            self._leases = {id: lease for id, lease in self._leases.items() if self.talk.status[id] == "open"}
            return self._renumbered(now.event), False
        if self._current() and now.done is not None:
            return None, False
        known = [event for view in views for event in (view.now.event, *view.spares) if event is not None]
        taken = self.talk.taken(repeat=False)
        free = [event for event in known if key(event["atom"]) not in taken]
        told = sum(status == "answered" for status in self.talk.status.values())
        if views[0].most is not None and told >= views[0].most:
            return None, True  # the budget is used up, whatever the learner has seen
        # it was chosen for another moment, perhaps for somebody else: what was computed then is not noted with it
        return (self._renumbered({**free[0], "gain": 0.0, "info": {"reserve": True}}) if free else None), True

    def _current(self) -> bool:
        return self.view is not None and self.view.position == len(self.talk.log)

    def _seen(self) -> bool:
        """Whether the learner has nothing to look at: it knows the log, and at the end it has certified it."""
        now = self.view.now if self.view else None
        return self._current() and now is not None and (now.done is None or now.certificate is not None)

    def _stopped(self) -> bool:
        """Whether it is time to stop, as far as is known."""
        return self._current() and self.view is not None and self.view.now.done is not None

    def _theirs(self, who: str) -> str | None:
        """The open question before this person: any in a log of one's own, the one leased to them in a shared one."""
        if not self.pooled:
            return next(iter(self.talk.open()), None)
        now = monotonic()
        free = None
        for id in self.talk.open():
            holder, until = self._leases.get(id, ("", 0.0))
            if holder == who:
                return id
            if until < now and free is None:
                free = id
        return free

    def _renumbered(self, event: Event) -> Event:
        return _now({**event, "question": f"q{len(self.talk.asked) + 1}"})

    async def _append(self, *events: Event) -> bool:
        """Durable first, then in memory; False if another program wrote meanwhile, whose events are taken in."""
        for event in events[:1]:
            self.talk.check(event)
        if not await asyncio.to_thread(self.journal.append, len(self.talk.log), *events):
            await asyncio.to_thread(self._take_in)
            return False
        for event in events:
            self.talk.record(event)
        if self._foreseeing is not None:
            self._foreseeing.cancel()  # it was about another moment
            self._foreseeing = None
        self.changed()
        return True

    def _take_in(self) -> None:
        for event in self.journal.since(len(self.talk.log)):
            self.talk.record(event)


def _now(event: Mapping[str, Any]) -> Event:
    """The same event, of this moment."""
    return {**event, "time": happened("ask", None)["time"]}
