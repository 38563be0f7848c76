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
from typing import Any

from askwise.conversation import Event, happened, key
from askwise.errors import AnswerError, AskwiseError
from askwise.server.learner import Job, Learner, Standing, View, foresee, look
from askwise.server.openlog import Asker, OpenLog
from askwise.study.participants import set_settled

PATIENCE = 0.28  # seconds for a learner that is behind
FIRST = 20.0  # seconds where there is no question at all yet
TRIES = 3  # to ask a question while others write to the same log
LOOKS = 5  # of the learner at a log that another program writes to
BREAK = 0.1  # seconds before the second of them; twice as long before each later one
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
        log: OpenLog,
        job: Job,
        learner: Learner,
        changed: Callable[[], None],
        reserve: Reserve,
        settled: str | None = None,
    ):
        self.log = log
        self.talk = log.talk
        self.reserve = reserve
        self.job = job
        self.learner = learner
        self.changed = changed
        self.settled = settled  # the reason to stop, as the store has it
        self.view: View | None = None
        self.standing: Standing | None = None
        self.fallbacks = 0  # questions that were not the rule's choice
        self.failures = 0  # of the learner, in a row
        self._asker = Asker("")  # who came last
        self._lock = asyncio.Lock()
        self._wanted = asyncio.Event()  # somebody has come since the learner last began to look
        self._looking: asyncio.Task[None] | None = None
        self._foreseeing: asyncio.Task[None] | None = None

    async def show(self, asker: Asker) -> Shown:
        """The question before this person; a new one if there is none."""
        async with self._lock:
            await self.log.take_in()
            return await self._shown(asker)

    async def tell(self, asker: Asker, question: str, response: Any, key: str, seconds: float | None) -> Shown:
        """Takes an answer, counted once however often it is sent; hands out what comes next."""
        after: Standing | None = None

        def judged() -> list[Event]:
            nonlocal after
            if self.log.repeated(asker, "tell", question, key, response):
                return []
            said = self.talk.match(self.log.answerable(asker, question), response)
            after = self._foreseen(question, self.talk.standard(question, said))
            event = happened("tell", question, response=said, who=asker.who, seconds=seconds, key=key)
            return [event, *([_now(after.event)] if after and after.event else [])]

        async with self._lock:
            if await self._write(judged) and after is not None and self.view is not None:
                self.standing = after
                self.view = replace(self.view, position=len(self.talk.log), now=after, ahead={})
            return await self._shown(asker)

    async def skip(self, asker: Asker, question: str, reason: str | None, key: str, seconds: float | None) -> Shown:
        def judged() -> list[Event]:
            if self.log.repeated(asker, "skip", question, key):
                return []
            id = self.log.answerable(asker, question)
            return [happened("skip", id, reason=reason, who=asker.who, seconds=seconds, key=key)]

        async with self._lock:
            await self._write(judged)
            return await self._shown(asker)

    async def undo(self, asker: Asker, question: str | None, key: str) -> Shown:
        """Takes back this person's last answer or skip, or that to the question named."""

        def judged() -> list[Event]:
            if self.log.repeated(asker, "undo", question, key):
                return []
            if asker.refusal:
                raise AnswerError(asker.refusal)
            mine = [event["question"] for event in self.log.mine(asker.who)]
            if question is not None and question not in mine:
                raise AskwiseError(f"question {question} has no answer of yours to take back")
            if not mine:
                raise AskwiseError("there is nothing to take back")
            return [happened("undo", self.talk.to_undo(question or mine[-1]), who=asker.who, key=key)]

        async with self._lock:
            written = await self._write(judged)
            if written and self.log.pooled:
                await self.log.lease(written[0]["question"], asker.who)
            return await self._shown(asker)

    def look(self) -> None:
        """Has the learner look at the log as it is, unless it is looking already; then it works ahead."""
        if not self._seen():
            self._wanted.set()
            if self._looking is None or self._looking.done():
                self._looking = asyncio.create_task(self._look())
        elif self._foreseeing is None or self._foreseeing.done():
            self._foreseeing = asyncio.create_task(self._foresee())

    async def _look(self) -> None:
        """Until the learner knows the log. Where only other programs write, and faster than it reads, it pauses after
        each time and gives up after a few; a request has it go on."""
        late = 0
        try:
            while not self._seen() and late < LOOKS:
                self._wanted.clear()
                self.view = view = await self.learner.run(look, self.job, self.log.pooled, self._asker.beyond)
                self.standing, self.failures = view.now, 0
                self.reserve.view = view if view.spares else self.reserve.view
                if view.position > len(self.talk.log):
                    await self.log.take_in()
                if not self._seen():
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self._wanted.wait(), BREAK * 2**late)
                        continue
                    late += 1
            if self._seen() and self.view and self.view.settled != self.settled:
                self.settled = self.view.settled
                await asyncio.to_thread(set_settled, self.log.store, self.job[1], self.settled)
        except Exception:
            self.failures += 1
            logger.exception("the learner failed on log %s", self.job[1])
            return
        if self._seen():
            self.look()
        self.changed()

    async def _foresee(self) -> None:
        """What comes after each answer to the open question; a number has too many, and so have many people."""
        view = self.view
        if view is None or self.log.pooled or self._asker.beyond or not self.talk.open():
            return
        for response in view.now.likely:
            if response not in view.ahead:
                with suppress(Exception):  # whoever needs it will have the learner look, and hear of it
                    more = view.position, response, self._asker.who
                    after = await self.learner.run(foresee, self.job, *more, urgent=False)
                    if after is not None:
                        view.ahead[response] = after

    def _foreseen(self, question: str, response: Any) -> Standing | None:
        """What was worked out for that very answer."""
        ahead = self._current() and self.talk.open()[:1] == [question] and not self.log.pooled
        return self.view.ahead.get(response) if ahead and self.view else None

    async def _write(self, judged: Callable[[], list[Event]]) -> list[Event]:
        """Adds the events that are judged right as the log stands."""
        events = await self.log.write(judged)
        if events:
            self._went_on()
        return events

    async def _append(self, event: Event) -> bool:
        """Adds a question; False if others wrote first."""
        written = await self.log.append(len(self.talk.log), event)
        if written:
            self._went_on()
        return written

    def _went_on(self) -> None:
        if self._foreseeing is not None:
            self._foreseeing.cancel()  # it was about another moment
            self._foreseeing = None
        self.changed()

    async def _shown(self, asker: Asker) -> Shown:
        """What this person sees now; under the lock."""
        self._asker = asker
        resting = asker.refusal is not None or self.log.full(asker)
        id, behind = (None if resting else await self._claimed(asker)), False
        for _ in range(TRIES):
            if id is not None or resting or self._stopped():
                break
            event, behind = await self._next()
            if event is None:
                break
            id = await self._ask(event, behind, asker)
        self.look()
        question = None if id is None else self.talk.asked[id]
        return Shown(question, self.standing, len(self.log.mine(asker.who)), behind or self.failures > 0)

    async def _ask(self, event: Event, behind: bool, asker: Asker) -> str | None:
        """Asks the question, or takes what others asked meanwhile; None if they have taken that, too."""
        if not await self._append(event):
            return await self._claimed(asker)
        self.fallbacks += behind
        if not behind and not self.log.pooled and self.view is not None:  # it saw that coming
            self.view = replace(self.view, position=len(self.talk.log), ahead={})
        return event["question"] if not self.log.pooled or await self.log.lease(event["question"], asker.who) else None

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
            return self._renumbered(now.event), False
        if self._current() and now.done is not None:
            return None, False
        known = [event for view in views for event in (view.now.event, *view.spares) if event is not None]
        taken = self.talk.taken(repeat=False)
        free = [event for event in known if key(event["atom"]) not in taken]
        told = sum(status == "answered" for status in self.talk.status.values())
        if views[0].most is not None and told >= views[0].most and not self._asker.beyond:
            return None, True  # the budget is used up, whatever the learner has seen
        # it was chosen for another moment, perhaps for somebody else: what was computed then is not noted with it
        return (self._renumbered({**free[0], "gain": 0.0, "info": {"reserve": True}}) if free else None), True

    def _current(self) -> bool:
        view = self.view
        return view is not None and (view.position, view.beyond) == (len(self.talk.log), self._asker.beyond)

    def _seen(self) -> bool:
        """Whether the learner has nothing to look at: it knows the log, and at the end it has certified it."""
        now = self.view.now if self.view else None
        return self._current() and now is not None and (now.done is None or now.certificate is not None)

    def _stopped(self) -> bool:
        """Whether it is time to stop, as far as is known."""
        return self._current() and self.view is not None and self.view.now.done is not None

    async def _claimed(self, asker: Asker) -> str | None:
        """The open question before this person, if there is one. Once it is settled, nobody gets another's."""
        return await self.log.claim(asker.who, again=not self._stopped())

    def _renumbered(self, event: Event) -> Event:
        return _now({**event, "question": f"q{len(self.talk.asked) + 1}"})


def _now(event: Mapping[str, Any]) -> Event:
    """The same event, of this moment."""
    return {**event, "time": happened("ask", None)["time"]}
