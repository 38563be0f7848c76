"""The service of one log: takes answers and hands out questions, whether or not the learner keeps up.

Every event is on disk before the person hears of it. The next question is the one computed ahead for that very answer.
If there is none, the learner gets a moment. If it is still behind, a fallback question is asked.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from askwise.errors import AnswerError, AskwiseError
from askwise.session.event_log import ValidEvent
from askwise.session.events import Event, hashable_atom, new_event
from askwise.session.log_state import LogState
from askwise.stopping import StopReason
from askwise.storage.participants import set_settled
from askwise.web.learner.learner import Job, Learner, compute_state, compute_state_after
from askwise.web.respondent import NextQuestion, Respondent
from askwise.web.stored_log import StoredLog

LEARNER_SECONDS = 0.28  # that a person waits for a learner that is behind
FIRST_SECONDS = 20.0  # the same where there is no question at all yet
MAX_ASK_ATTEMPTS = 3  # while others write to the same log
MAX_REFRESHES = 5  # of a log that another program writes to
REFRESH_PAUSE = 0.1  # seconds before the second of them; twice as long before each later one
NOT_YOURS = "this question is not open for you any more; nothing was noted, go on with the next one"
KEY_USED = "this key was used before; use another one"
logger = logging.getLogger("askwise.web")


@dataclass
class SharedFallback:
    """The last state of any log of a study that has fallback questions. Where people have logs of their own, the
    questions fit all of them, so nobody waits for the learner to reload their log after a restart."""

    state: LogState | None = None


class LogService:
    """One log. All changes happen one after the other."""

    def __init__(
        self,
        log: StoredLog,
        job: Job,
        learner: Learner,
        changed: Callable[[], None],
        fallback: SharedFallback,
        settled: StopReason | None = None,
    ):
        self.log = log
        self.event_log = log.event_log
        self.job = job
        self.learner = learner
        self.changed = changed
        self.fallback = fallback
        self.settled = settled  # the reason to stop, as the store has it
        self.state: LogState | None = None  # the last that the learner computed
        self.ahead: dict[Any, LogState] = {}  # by response to the open question: the state after it
        self.fallback_count = 0
        self.failures = 0  # of the learner, in a row
        self._respondent = Respondent("")  # who came last
        self._lock = asyncio.Lock()
        self._wanted = asyncio.Event()  # somebody has come since the learner last began
        self._refreshing: asyncio.Task[None] | None = None
        self._computing_ahead: asyncio.Task[None] | None = None

    async def show(self, person: Respondent) -> NextQuestion:
        """The question before this person; a new one if there is none."""
        async with self._lock:
            await self.log.catch_up()
            return await self._next_question(person)

    async def tell(
        self, person: Respondent, question: str, response: Any, key: str, seconds: float | None
    ) -> NextQuestion:
        """Takes an answer, counted once however often it is sent, and hands out the next question."""
        after: LogState | None = None

        def make() -> Sequence[ValidEvent]:
            nonlocal after
            self._require_permission(person, key, question)
            told = self.event_log.tell_event(response, question, person.who, seconds=seconds, key=key)
            if told is None:
                return ()
            state = self._current_state()
            after = self.ahead.get(told.canonical) if state is not None and state.open_question == question else None
            if after is None or after.question is None:
                return (told,)
            return told, self.event_log.validate({**after.question, "time": told.event["time"]})

        async with self._lock:
            if await self.log.write(make):
                self._log_changed()
                if after is not None and self.state is not None:
                    kept = {"fallback": self.state.fallback, "budget": self.state.budget}
                    self.state = replace(after, position=len(self.event_log.events), **kept)  # type: ignore[arg-type]
                    self.ahead = {}
            return await self._next_question(person)

    async def skip(
        self, person: Respondent, question: str, reason: str | None, key: str, seconds: float | None
    ) -> NextQuestion:
        """Notes that this person cannot tell, and hands out the next question."""

        def make() -> Sequence[ValidEvent]:
            self._require_permission(person, key, question)
            skipped = self.event_log.skip_event(question, reason, person.who, seconds=seconds, key=key)
            return () if skipped is None else (skipped,)

        async with self._lock:
            if await self.log.write(make):
                self._log_changed()
            return await self._next_question(person)

    async def undo(self, person: Respondent, question: str | None, key: str) -> NextQuestion:
        """Takes back this person's last answer or skip, or that to the question named."""
        whose = person.who if self.log.pooled else None

        def make() -> Sequence[ValidEvent]:
            if self._require_permission(person, key):
                mine = [event["question"] for event in self.event_log.closed(whose)]
                if question is not None and question not in mine:
                    raise AskwiseError(f"question {question} has no answer of yours to take back")
                if not mine:
                    raise AskwiseError("there is nothing to take back")
            undone = self.event_log.undo_event(question, whose, key=key)
            return () if undone is None else (undone,)

        async with self._lock:
            written = await self.log.write(make)
            if written:
                self._log_changed()
                if self.log.pooled:
                    await self.log.lease(written[0].event["question"], person.who)
            return await self._next_question(person)

    def closed(self, person: Respondent) -> list[Event]:
        """This person's answers and skips in force, in the order they came."""
        return self.event_log.closed(person.who if self.log.pooled else None)

    def closed_count(self, person: Respondent) -> int:
        """How many of them there are."""
        return self.event_log.closed_count(person.who if self.log.pooled else None)

    def shows(self, person: Respondent, question: str) -> bool:
        """Whether this person may know of the question at all: in a shared log, only of those shown to them."""
        if not self.log.pooled:
            return question in self.event_log.ask_events
        lease = self.log.leases.get(question)
        return (lease is not None and lease.who == person.who) or self._answered_by(person, question)

    def refresh(self) -> None:
        """Has the learner compute the state of the log as it is, unless it does so already; then it computes ahead."""
        if self._up_to_date_state() is None:
            self._wanted.set()
            if self._refreshing is None or self._refreshing.done():
                self._refreshing = asyncio.create_task(self._refresh())
        elif self._computing_ahead is None or self._computing_ahead.done():
            self._computing_ahead = asyncio.create_task(self._compute_ahead())

    async def _refresh(self) -> None:
        """Until the learner knows the log. Where only other programs write, and faster than it reads, it pauses after
        each time and gives up after a few; a request has it go on."""
        late = 0
        try:
            while self._up_to_date_state() is None and late < MAX_REFRESHES:
                self._wanted.clear()
                wanted = self.log.pooled, self._respondent.beyond
                self.state = state = await self.learner.run(compute_state, self.job, *wanted)
                self.ahead, self.failures = {}, 0
                self.fallback.state = state if state.fallback else self.fallback.state
                if state.position > len(self.event_log.events):
                    await self.log.catch_up()
                if self._up_to_date_state() is None:
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self._wanted.wait(), REFRESH_PAUSE * 2**late)
                        continue
                    late += 1
            if (done := self._up_to_date_state()) is not None and done.settled != self.settled:
                self.settled = done.settled
                await asyncio.to_thread(set_settled, self.log.store, self.job[1], self.settled)
        except Exception:
            self.failures += 1
            logger.exception("the learner failed on log %s", self.job[1])
            return
        if self._up_to_date_state() is not None:
            self.refresh()
        self.changed()

    async def _compute_ahead(self) -> None:
        """The state after each answer to the open question. A number has too many answers, and so have many people."""
        state, ahead = self.state, self.ahead
        if state is None or self.log.pooled or self._respondent.beyond or not self.event_log.open_ids:
            return
        for response in state.likely:
            if response not in ahead:
                with suppress(Exception):  # whoever needs it will have the learner refresh, and hear of it
                    more = state.position, response, self._respondent.who
                    after = await self.learner.run(compute_state_after, self.job, *more, urgent=False)
                    if after is not None:
                        ahead[response] = after

    async def _next_question(self, person: Respondent) -> NextQuestion:
        """What this person is asked now; under the lock."""
        self._respondent, id, behind = person, None, False
        if person.refusal is None and (person.quota == inf or self.closed_count(person) < person.quota):
            if not self.log.pooled:
                id = next(iter(self.event_log.open_questions()), None)
            state = self._current_state() if id is None else None
            is_stopped = state is not None and state.done is not None
            if self.log.pooled:
                id = await self.log.claim(person.who, again=not is_stopped)
            for _ in range(0 if is_stopped else MAX_ASK_ATTEMPTS):
                if id is not None:
                    break
                event, behind = await self._choose()
                if event is None:
                    break
                id = await self._ask(event, behind, person)
        self.refresh()
        return NextQuestion(None if id is None else self.event_log.ask_events[id], behind or self.failures > 0)

    async def _ask(self, event: Event, behind: bool, person: Respondent) -> str | None:
        """Asks the question, or takes what others asked meanwhile; None if they have taken that, too."""
        numbered = _now({**event, "question": f"q{len(self.event_log.ask_events) + 1}"})
        if not await self.log.append(len(self.event_log.events), self.event_log.validate(numbered)):
            if not self.log.pooled:
                return next(iter(self.event_log.open_questions()), None)
            return await self.log.claim(person.who, again=True)
        self._log_changed()
        self.fallback_count += behind
        if self.state is not None and self.state.question is event:  # the learner may have chosen another one meanwhile
            self.state, self.ahead = self._state_once_asked(self.state), {}
        id: str = numbered["question"]
        return id if not self.log.pooled or await self.log.lease(id, person.who) else None

    def _state_once_asked(self, state: LogState) -> LogState:
        """The state once its question is asked, which changes no belief. In a shared log, the next best question
        follows; once there are none, the learner has to choose again."""
        position = len(self.event_log.events)
        if not self.log.pooled:
            return replace(state, position=position)
        if not state.fallback:
            return state
        return replace(state, position=position, question=state.fallback[0], fallback=state.fallback[1:])

    async def _choose(self) -> tuple[Event | None, bool]:
        """The question to ask now, and whether the learner was too late for its own choice."""
        self.refresh()
        if self._refreshing is not None and self._current_state() is None:
            seconds = LEARNER_SECONDS if self.state or self.fallback.state else FIRST_SECONDS
            await asyncio.wait({self._refreshing}, timeout=seconds)
        states = [state for state in (self.state, self.fallback.state) if state is not None]
        if not states:
            return None, True
        current = self._current_state()
        if current is not None and (current.question is not None or current.done is not None):
            return current.question, False
        budget = None if self._respondent.beyond else states[0].budget
        if budget is not None and len(self.event_log.answers) >= budget:
            return None, True  # the budget is used up, whatever the learner knows
        known = [event for state in states for event in (state.question, *state.fallback) if event is not None]
        taken = self.event_log.unavailable_atoms(repeat=False)
        free = next((event for event in known if hashable_atom(event["atom"]) not in taken), None)
        # it was chosen for another position, perhaps of another log: what was computed then is not noted with it
        return (None if free is None else {**free, "gain": 0.0, "info": {"fallback": True}}), True

    def _require_permission(self, person: Respondent, key: str, question: str | None = None) -> bool:
        """Refuses what this person may not do now: answer the question, or without one, undo. False if it was done
        before with this key. In a shared log, nothing is said about others."""
        known = self.event_log.events_by_key.get(key)
        if known is not None:
            if self.log.pooled and known.get("who") != person.who:
                raise AnswerError(KEY_USED)
            return False
        if person.refusal:
            raise AnswerError(person.refusal)
        if question is None:
            return True
        if person.quota < inf and self.closed_count(person) >= person.quota:
            raise AnswerError(f"your quota of {person.quota} answers is reached; take one back to change it")
        if self.log.pooled and self._answered_by(person, question):
            raise AnswerError("you answered this question before; take it back to change it")
        if self.log.pooled and not self.log.is_free_for(question, person.who):
            raise AnswerError(NOT_YOURS)
        return True

    def _answered_by(self, person: Respondent, question: str) -> bool:
        return any(event["question"] == question for event in self.event_log.closed(person.who))

    def _log_changed(self) -> None:
        if self._computing_ahead is not None:
            self._computing_ahead.cancel()  # it was about another position
            self._computing_ahead = None
        self.changed()

    def _current_state(self) -> LogState | None:
        """The state, if it is that of the log as it is now."""
        state, now = self.state, (len(self.event_log.events), self._respondent.beyond)
        return state if state is not None and (state.position, state.beyond) == now else None

    def _up_to_date_state(self) -> LogState | None:
        """The same, if the learner has nothing more to compute: at the end it certifies the result."""
        state = self._current_state()
        return state if state is not None and (state.done is None or state.certificate is not None) else None


def _now(event: Event) -> Event:
    """The same event, of this moment."""
    return {**event, "time": new_event("ask", None)["time"]}
