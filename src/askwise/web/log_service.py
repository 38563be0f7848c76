"""The service of one log: takes answers and hands out questions, whether or not the learner keeps up.

Every event is on disk before the person hears of it. The next question is the one computed ahead for that very answer.
If there is none, the learner gets a moment. If it is still behind, a fallback question is asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from math import inf
from typing import Any

from askwise.errors import AnswerError, ContradictionError, SettingError
from askwise.session.config import Present
from askwise.session.event_log import CLOSED, EventLog, ValidEvent
from askwise.session.events import Event, new_event
from askwise.session.log_state import LogState
from askwise.session.wording import USUAL
from askwise.web.computed_states import ComputedStates
from askwise.web.learner.learner import check_answer
from askwise.web.respondent import NextQuestion, Respondent
from askwise.web.sentences import (
    ALREADY_ANSWERED,
    ALREADY_UNDONE,
    KEY_USED,
    NOT_YOURS,
    NOTHING_TO_UNDO,
    contradiction,
    quota_reached,
)
from askwise.web.stored_log import BUSY, Busy, StoredLog

CHECK_SECONDS = 20.0  # that a person waits to hear whether an answer contradicts others
MAX_ASK_ATTEMPTS = 3  # while others write to the same log


class LogService:
    """One log. All changes happen one after the other."""

    def __init__(self, log: StoredLog, states: ComputedStates):
        self.log = log
        self.event_log = log.event_log
        self.states = states
        self.fallback_count = 0
        self.recipe = log.journal.record.recipe  # with which the log begins
        self.presented: tuple[Any, Present | None] = None, None  # what it depends on, and what people see
        self._without_noise = self.recipe["options"].get("noise") == 0
        self._lock = asyncio.Lock()

    async def catch_up(self, events: int | None = None) -> None:
        """Takes in what was written elsewhere, and has the learner compute what follows; nothing to do if so many
        `events` are known."""
        async with self._lock:
            if events is not None and events <= len(self.event_log.events):
                return
            await self.log.catch_up()
            self.states.refresh()

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
            try:
                who = None if person.for_everybody else person.who  # None: whom the question asks
                told = self.event_log.tell_event(response, question, who, seconds=seconds, key=key)
            except AnswerError as error:  # a response that the question does not have
                raise AnswerError(str(error).removesuffix(f"; question {question} stays open")) from None
            if told is None:
                return ()
            after = self.states.after(question, told.canonical)
            if after is None or after.question is None:
                return (told,)
            worded = after.question if person.wording is USUAL else person.wording.apply(after.question)
            return told, self.event_log.validate({**worded, "time": told.event["time"]})

        async def check() -> None:
            job = self.states.job
            try:
                await asyncio.wait_for(
                    self.states.learner.run(check_answer, job, question, response, person.who), CHECK_SECONDS
                )
            except ContradictionError as error:
                raise AnswerError(contradiction(error.words, self.log.pooled)) from None
            except TimeoutError:
                raise Busy(BUSY) from None

        async with self._lock:
            if await self.log.write(make, check if self._without_noise else None):
                self.states.log_changed(after)
            return await self._next_question(person)

    async def skip(
        self, person: Respondent, question: str, reason: str | None, key: str, seconds: float | None
    ) -> NextQuestion:
        """Notes that this person cannot tell, and hands out the next question."""

        def make() -> Sequence[ValidEvent]:
            self._require_permission(person, key, question)
            who = None if person.for_everybody else person.who
            skipped = self.event_log.skip_event(question, reason, who, seconds=seconds, key=key)
            return () if skipped is None else (skipped,)

        async with self._lock:
            if await self.log.write(make):
                self.states.log_changed()
            return await self._next_question(person)

    async def undo(self, person: Respondent, question: str | None, key: str) -> NextQuestion:
        """Takes back this person's last answer or skip, or that to the question named."""
        whose = person.who if self.log.pooled else None

        def make() -> Sequence[ValidEvent]:
            if self._require_permission(person, key):
                mine = [event["question"] for event in self.event_log.closed(whose)]
                if question is not None and question not in mine:
                    raise AnswerError(ALREADY_UNDONE)
                if not mine:
                    raise AnswerError(NOTHING_TO_UNDO)
            undone = self.event_log.undo_event(question, whose, key=key)
            return () if undone is None else (undone,)

        async with self._lock:
            written = await self.log.write(make)
            if written:
                self.states.log_changed()
                if self.log.pooled:
                    await self.log.lease(written[0].event["question"], person.who)
            return await self._next_question(person)

    async def change_shown(
        self, options: Mapping[str, Any], present: Callable[[EventLog], Awaitable[Present | None]]
    ) -> None:
        """Changes what people see. `present` refuses options that do not fit the log that has them."""
        changed = self.event_log

        def make() -> Sequence[ValidEvent]:
            nonlocal changed
            event = new_event("show", None, options={**self.event_log.shown_options, **options})
            changed, valid = self.event_log.copy(), self.event_log.validate(event)
            changed.append(valid)
            return (valid,)

        async def check() -> None:
            if await present(changed) is None:
                raise SettingError("the questions of this study show no table; there is nothing to choose")

        async with self._lock:
            await self.log.write(make, check)
            self.states.log_changed()

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

    async def _next_question(self, person: Respondent) -> NextQuestion:
        """What this person is asked now; under the lock."""
        self.states.respondent, id, behind = person, None, False
        if person.refusal is None and (person.quota == inf or self.closed_count(person) < person.quota):
            if not self.log.pooled:
                id = next(iter(self.event_log.open_questions()), None)
            state = self.states.current() if id is None else None
            is_stopped = state is not None and state.done is not None
            if self.log.pooled:
                id = await self.log.claim(person, again=not is_stopped)
            for _ in range(0 if is_stopped else MAX_ASK_ATTEMPTS):
                if id is not None:
                    break
                event, behind = await self.states.choose()
                if event is None:
                    break
                id = await self._ask(event, behind, person)
        self.states.refresh()
        event = None if id is None else self.event_log.ask_events[id]
        return NextQuestion(event, behind or self.states.failures > 0, id is None and self._held_by_others(person))

    def _held_by_others(self, person: Respondent) -> bool:
        """Whether the learner has no question left but those that others are answering."""
        state = self.states.current()
        if not self.log.pooled or state is None or state.done is not None or state.question is not None:
            return False
        leases = (self.log.leases.get(id) for id in self.event_log.open_questions())
        return any(lease is not None and lease.who != person.who and not lease.over for lease in leases)

    async def _ask(self, event: Event, behind: bool, person: Respondent) -> str | None:
        """Asks the question, or takes what others asked meanwhile; None if they have taken that, too."""
        worded = person.wording.apply(event)
        numbered = _now({**worded, "question": f"q{len(self.event_log.ask_events) + 1}"})
        if not await self.log.append(len(self.event_log.events), self.event_log.validate(numbered)):
            if not self.log.pooled:
                return next(iter(self.event_log.open_questions()), None)
            return await self.log.claim(person, again=True)
        self.states.log_changed()
        self.fallback_count += behind
        self.states.asked(event)
        id: str = numbered["question"]
        return id if not self.log.pooled or await self.log.lease(id, person.who) else None

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
            raise AnswerError(quota_reached(person.quota))
        status = self.event_log.status.get(question)
        if self._answered_by(person, question) if self.log.pooled else status in CLOSED:
            raise AnswerError(ALREADY_ANSWERED)
        takes_answer = status == "open" or question in self.event_log.late_ids
        if not (self.log.is_free_for(question, person.who) if self.log.pooled else takes_answer):
            raise AnswerError(NOT_YOURS)
        return True

    def _answered_by(self, person: Respondent, question: str) -> bool:
        return any(event["question"] == question for event in self.event_log.closed(person.who))


def _now(event: Event) -> Event:
    """The same event, of this moment."""
    return {**event, "time": new_event("ask", None)["time"]}
