"""What the learner has computed of one log: its state, the states after each likely answer, and fallback questions."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from askwise.session.event_log import EventLog
from askwise.session.events import Event, hashable_atom, is_fallback
from askwise.session.log_state import LogState
from askwise.stopping import StopReason
from askwise.storage.participants import set_settled
from askwise.types import Response
from askwise.web.group_questions import questions_for
from askwise.web.learner.learner import (
    AHEAD_RANK,
    STATE_RANK,
    URGENT_RANK,
    Job,
    Learner,
    catch_up,
    choose_quickly,
    compute_state,
    compute_state_after,
    fallback_questions,
)
from askwise.web.respondent import Respondent
from askwise.web.stored_fallback import keep_fallback, load_fallback
from askwise.web.stored_log import StoredLog

LEARNER_SECONDS = 0.28  # that a person waits for a learner that is behind
FIRST_SECONDS = 20.0  # the same where there is no question at all yet
ANSWERS_AT_ONCE = 2  # that the learner takes in of a log that is behind, before others have their turn
MAX_FORESEEN_PEOPLE, MAX_FORESEEN_RESPONSES = 2, 4  # of a shared log
MAX_REFRESHES = 5  # of a log that another program writes to
REFRESH_PAUSE = 0.1  # seconds before the second of them; twice as long before each later one
logger = logging.getLogger("askwise.web")


@dataclass
class SharedFallback:
    """The last state of any log of a study that has fallback questions. Where people have logs of their own, the
    questions fit all of them, so nobody waits for the learner to reload their log after a restart."""

    state: LogState | None = None
    storing: asyncio.Task[None] | None = None  # of questions for when the server starts again


class ComputedStates:
    """The states of one log. They follow the log, a little behind it."""

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
        self.event_log: EventLog = log.event_log
        self.job = job
        self.learner = learner
        self.changed = changed
        self.fallback = fallback
        self.settled = settled  # the reason to stop, as the store has it
        self._changes = len(self.event_log.changes)
        self.latest: LogState | None = None
        self.ahead: dict[Any, LogState] = {}  # by response to the open question: the state after it
        self.failures = 0  # of the learner, in a row
        self.respondent = Respondent("")  # who came last
        self._wanted = asyncio.Event()  # somebody has come since the learner last began
        self._refreshing: asyncio.Task[None] | None = None
        self._computing_ahead: asyncio.Task[None] | None = None

    def current(self) -> LogState | None:
        """The state, if it is that of the log as it is now."""
        state, now = self.latest, (len(self.event_log.events), self.respondent.beyond)
        return state if state is not None and (state.position, state.beyond) == now else None

    def up_to_date(self) -> LogState | None:
        """The same, if the learner has nothing more to compute: at the end it certifies the result."""
        state = self.current()
        return state if state is not None and (state.done is None or state.certificate is not None) else None

    def refresh(self) -> None:
        """Has the learner compute the state of the log as it is, unless it does so already; then it computes ahead."""
        if self.up_to_date() is None:
            self._wanted.set()
            if self._refreshing is None or self._refreshing.done():
                self._refreshing = asyncio.create_task(self._refresh())
        elif self._computing_ahead is None or self._computing_ahead.done():
            self._computing_ahead = asyncio.create_task(self._compute_ahead())

    def after(self, question: str, response: Response | None) -> LogState | None:
        """The state after that answer, if it was computed ahead."""
        state = self.current()
        if self.log.pooled:
            return None if state is None else self.ahead.get((question, response))
        return self.ahead.get(response) if state is not None and state.open_question == question else None

    def log_changed(self, after: LogState | None = None) -> None:
        """Stops what is computed ahead of another position. `after` is the state after the change, if it is known."""
        if self._computing_ahead is not None:
            self._computing_ahead.cancel()
            self._computing_ahead = None
        if after is not None and self.latest is not None and not self.log.pooled:
            position, fallback = len(self.event_log.events), self.latest.fallback
            self.latest = replace(after, position=position, fallback=fallback, budget=self.latest.budget)
            self.ahead = {}
        self.changed()

    def asked(self, event: Event) -> None:
        """Moves on once the question that the learner chose is asked, which changes no belief.

        In a shared log, its next best question follows. Once there are none, the learner has to choose again.
        """
        state, position = self.latest, len(self.event_log.events)
        if state is None or state.question is None or state.position != position - 1 or is_fallback(event):
            return  # the learner has chosen others meanwhile
        left = tuple(other for other in (state.question, *state.fallback) if other["atom"] != event["atom"])
        self.ahead = {}
        if not self.log.pooled:
            self.latest = replace(state, position=position)
        elif left:
            self.latest = replace(state, position=position, question=left[0], fallback=left[1:])

    async def choose(self) -> tuple[Event | None, bool]:
        """The question to ask now, and whether the learner was too late for its own choice."""
        self.refresh()
        if self.latest is None and self.fallback.state is None:  # another server may have kept some by now
            pursued = self.event_log.pursued(self.log.journal.record.recipe)
            self.fallback.state = await asyncio.to_thread(load_fallback, self.log.store, self._study, pursued)
        if self._refreshing is not None and self.current() is None:
            if self.latest is not None and not self.log.pooled and self.learner.is_behind(self.job):
                event = await self._choose_quickly()
                if event is not None:
                    return event, False
            else:
                seconds = LEARNER_SECONDS if self.latest or self.fallback.state else FIRST_SECONDS
                await asyncio.wait({self._refreshing}, timeout=seconds)
        states = [state for state in (self.latest, self.fallback.state) if state is not None]
        if not states:
            return None, True
        current = self.current()
        if current is not None and (current.question is not None or current.done is not None):
            known = [] if current.question is None else [current.question, *current.fallback]
            return next(iter(questions_for(known, self.respondent, self.event_log)), None), False
        if self._is_budget_used(states[0]):
            return None, True  # whatever the learner knows
        known = [event for state in states for event in (state.question, *state.fallback) if event is not None]
        known = questions_for(known, self.respondent, self.event_log)
        taken = self.event_log.unavailable_atoms(repeat=False)
        free = next((event for event in known if self._is_askable(event, taken)), None)
        # it was chosen for another position, perhaps of another log: what was computed then is not noted with it
        return (None if free is None else {**free, "gain": 0.0, "info": {"fallback": True}}), True

    async def _choose_quickly(self) -> Event | None:
        """The learner's choice from draws that it has, while it is behind; None if it has none that say enough."""
        assert self.latest is not None
        if self._is_budget_used(self.latest):
            return None
        with suppress(Exception):  # the refresh that is under way says what is wrong
            return await asyncio.wait_for(self.learner.run(choose_quickly, self.job), LEARNER_SECONDS)
        return None

    def _is_budget_used(self, state: LogState) -> bool:
        budget = None if self.respondent.beyond else state.budget
        return budget is not None and len(self.event_log.answers) >= budget

    def _is_askable(self, event: Event, taken: set[Any]) -> bool:
        """Whether a question of an earlier state, or of another log, may be asked now."""
        gone = self.event_log.retired.union(self.log.journal.record.recipe["options"].get("retired") or ())
        return hashable_atom(event["atom"]) not in taken and gone.isdisjoint(self.event_log.names_in(event))

    async def _refresh(self) -> None:
        """Until the learner knows the log. Where only other programs write, and faster than it reads, it pauses after
        each time and gives up after a few; a request has it go on."""
        late = 0
        try:
            while self.up_to_date() is None and late < MAX_REFRESHES:
                self._wanted.clear()
                wanted = self.log.pooled, self.respondent.beyond
                rank = URGENT_RANK if self.log.pooled or self.latest is None else STATE_RANK
                if self.latest is not None and len(self.event_log.answers) > self.latest.answers + ANSWERS_AT_ONCE:
                    while await self.learner.run(catch_up, self.job, ANSWERS_AT_ONCE, rank=rank):
                        pass
                self.latest = state = await self.learner.run(compute_state, self.job, *wanted, rank=rank)
                self.ahead, self.failures = {}, 0
                self.fallback.state = state if state.fallback else self.fallback.state
                if self.fallback.storing is None and state.fallback:
                    self.fallback.storing = asyncio.create_task(self._store_fallback())
                if state.position > len(self.event_log.events):
                    await self.log.catch_up()
                if self.up_to_date() is None:
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self._wanted.wait(), REFRESH_PAUSE * 2**late)
                        continue
                    late += 1
            changed = self._changes != len(
                self.event_log.changes
            )  # the goal or the table: the store told of the old one
            if (done := self.up_to_date()) is not None and (changed or done.settled != self.settled):
                self._changes, self.settled = len(self.event_log.changes), done.settled
                await asyncio.to_thread(set_settled, self.log.store, self.job[1], self.settled)
        except Exception:
            self.failures += 1
            logger.exception("the learner failed on log %s", self.job[1])
            return
        if self.up_to_date() is not None:
            self.refresh()
        self.changed()

    async def _store_fallback(self) -> None:
        """Keeps fallback questions in the store, once."""
        pursued = self.event_log.pursued(self.log.journal.record.recipe)
        with suppress(Exception):  # people will only wait longer when the server starts again
            if await asyncio.to_thread(load_fallback, self.log.store, self._study, pursued) is None:
                found = await self.learner.run(fallback_questions, self.job)  # quick, and a busy learner may never rest
                # else they would name who was erased meanwhile
                if not await asyncio.to_thread(self.log.journal.is_outdated):
                    await asyncio.to_thread(keep_fallback, self.log.store, self._study, pursued["goal"], found)

    @property
    def _study(self) -> int:
        """The number of the study that the log belongs to."""
        record = self.log.journal.record
        return record.study if record.parent is None else record.parent

    async def _compute_ahead(self) -> None:
        """The state after each answer to an open question. A number has too many answers, and so have many people."""
        state, ahead = self.latest, self.ahead
        if state is None or self.respondent.beyond or not self.event_log.open_ids:
            return
        for rank, question, who, response in self._foreseeable(state):
            place = (question, response) if self.log.pooled else response
            if place not in ahead:
                with suppress(Exception):  # whoever needs it will have the learner refresh, and hear of it
                    more = state.position, response, who, question
                    after = await self.learner.run(compute_state_after, self.job, *more, rank=rank)
                    if after is not None:
                        ahead[place] = after

    def _foreseeable(self, state: LogState) -> list[tuple[int, str | None, str, Response]]:
        """(rank, question, person, response) of answers that may come: the likeliest of everybody before others of
        anybody. In a shared log, only while few people answer: each answer makes the states after all others useless.
        """
        if not self.log.pooled:
            return [
                (rank, None, self.respondent.who, response) for rank, response in enumerate(state.likely, AHEAD_RANK)
            ]
        leases = ((id, self.log.leases.get(id)) for id in self.event_log.open_questions())
        held = [(id, lease.who) for id, lease in leases if lease is not None and not lease.over]
        if len(held) > MAX_FORESEEN_PEOPLE:
            return []
        asked = [(id, who, self.event_log.ask_events[id]) for id, who in held]
        asked = [each for each in asked if each[2].get("who") is None]  # else the next one may ask another person
        found = [
            (rank, id, who, response)
            for id, who, event in asked
            for rank, response in enumerate(event["responses"], AHEAD_RANK)
            if event["kind"] != "number" and len(event["responses"]) <= MAX_FORESEEN_RESPONSES
        ]
        return sorted(found, key=lambda each: each[0])
