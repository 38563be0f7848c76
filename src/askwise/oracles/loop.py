"""Questions in flight: taken from a session, put to an oracle, tried again if that fails, and recorded."""

from __future__ import annotations

import asyncio
import logging
import random
import sys
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from askwise.errors import AnswerError, NothingToAsk, OracleError, SettingError, StudyError
from askwise.oracles.budgets import Spending, answers_left
from askwise.oracles.calls import call
from askwise.oracles.protocol import HasCost, Oracle, RefusedReply, Reply
from askwise.oracles.reservations import Reservations
from askwise.session import Session
from askwise.session.events import MAX_LETTERS, UNSTORABLE
from askwise.session.session import MAX_COUNT
from askwise.stopping import StopReason
from askwise.structures import AsksPeople
from askwise.types import Question

logger = logging.getLogger("askwise.oracles")
Value = TypeVar("Value")
MAX_TRIES = 6  # at one question
FIRST_WAIT_SECONDS = 0.5  # after a failure; then twice as long each time
LONGEST_WAIT_SECONDS = 30.0
MAX_FAILED_QUESTIONS = 3  # in a row: then the oracle is taken to be broken
GRACE_SECONDS = 2.0  # for calls in flight when the run is stopped


@dataclass
class RunCounts:
    """What a run has done so far."""

    answers: int = 0
    skips: int = 0
    failures: int = 0
    recorded_cost: float = 0.0
    unrecorded_cost: float = 0.0  # of calls that led to no answer

    @property
    def cost(self) -> float:
        return self.recorded_cost + self.unrecorded_cost


class AnsweringLoop:
    """One run of an oracle. `run` lives in an event loop; the session is used in one thread beside it."""

    def __init__(
        self,
        session: Session,
        oracle: Oracle,
        who: str | None,
        jobs: int,
        spending: Spending,
        only: Sequence[str] | None = None,
    ):
        self.session = session
        self.oracle = oracle
        self.who = who
        self.jobs = jobs
        self.spending = spending
        self.only = only  # the questions to answer; None: whatever is to be asked
        self.counts = RunCounts()
        self.reason: StopReason | None = None
        self.in_flight: dict[str, asyncio.Task[None]] = {}  # by question
        self.set_aside: set[str] = set()  # questions that failed too often; they stay open
        self.wasted: dict[str, float] = {}  # by question in flight: what its failed calls have cost
        self.failed_in_a_row = 0  # questions
        self.is_group = isinstance(session.problem.family, AsksPeople)
        self.reservations = Reservations(session, who)
        self.changed: Callable[[], None] = lambda: None  # called in the session's thread after each answer
        self._computing = ThreadPoolExecutor(1, "askwise-session")
        self._stopping = False

    def where_it_stands(self) -> str:
        """What was done, for somebody who stopped it."""
        kept = f"{self.counts.answers} answer{'s' * (self.counts.answers != 1)} of this run kept"
        return f"stopped: {kept}; the questions in flight stay open, and the next run goes on with them"

    async def run(self) -> None:
        """Answers until there is a reason to stop, and no call is in flight any more."""
        try:
            while True:
                for question in await self._take_questions():
                    self.in_flight[question.id] = asyncio.create_task(self._settle(question))
                if not self.in_flight:
                    return
                ended, _ = await asyncio.wait(self.in_flight.values(), return_when=asyncio.FIRST_COMPLETED)
                self.in_flight = {id: task for id, task in self.in_flight.items() if task not in ended}
                errors = [error for task in ended if (error := task.exception()) is not None]
                if errors:
                    raise errors[0]
        finally:
            await self._end_calls()
            await self._in_session(self._end_reservations)
            self._computing.shutdown()

    # ------------------------------------------------------------------ in the session's thread

    async def _in_session(self, work: Callable[[], Value]) -> Value:
        """Computes beside the event loop, so that calls in flight go on meanwhile."""
        return await asyncio.get_running_loop().run_in_executor(self._computing, work)

    async def _take_questions(self) -> list[Question]:
        """The next questions. If they cannot be written, that is tried again."""
        for attempt in range(MAX_TRIES - 1):
            try:
                return await self._in_session(self._next_questions)
            except StudyError as error:
                logger.warning("no question was taken: %s", _one_line(error))
                await asyncio.sleep(_wait_seconds(attempt, error))
        return await self._in_session(self._next_questions)

    def _next_questions(self) -> list[Question]:
        """The questions to put to the oracle now; none if there is a reason to stop, or if enough are in flight."""
        self.session.refresh()
        log = self.session.event_log
        closed, spent = log.closed_count(self.who), self._spent()
        self.reason = self.session.reason or self.spending.reason(closed, spent)
        left = answers_left(self.session.config.stop, len(self.session.answers))
        known = self.oracle.cost if isinstance(self.oracle, HasCost) else None
        room = self.spending.room(closed, spent, closed + self.counts.failures, known)
        free = min(self.jobs, left, room) - len(self.in_flight)
        if self.reason is not None or free < 1:
            return []
        busy = {*self.in_flight, *self.set_aside, *self.reservations.held_by_others()} & log.open_ids.keys()
        try:
            found = self._open_questions(len(busy) + int(free))
        except NothingToAsk as error:
            self.reason = StopReason(str(error), "exhausted")
            return []
        fresh = self.reservations.taken([question for question in found if question.id not in busy][: int(free)])
        if fresh or self.in_flight:
            return fresh
        if self.set_aside & log.open_ids.keys():
            raise OracleError(f"{self._label} failed at every question that is left; {self._kept}")
        self.reason = StopReason("others are answering all questions that are left", "exhausted")
        return []

    def _open_questions(self, count: int) -> list[Question]:
        if self.only is None:
            return self.session.ask(min(MAX_COUNT, count), who=self.who if self.is_group else None)
        found = [self.session.question(id) for id in self.only if id in self.session.event_log.open_ids]
        if not found:
            raise NothingToAsk("all of these questions are answered")
        return found

    def _end_reservations(self) -> None:
        with suppress(StudyError):  # they end by themselves
            self.reservations.end()

    def _spent(self) -> float:
        """What this oracle has cost in this log, also answers that were taken back."""
        if self.spending.cost is None:
            return 0.0
        events = (event for event in self.session.log if event["event"] in ("tell", "skip"))
        mine = (event.get("cost", 0.0) for event in events if self.who is None or event.get("who") == self.who)
        return float(sum(mine)) + self.counts.unrecorded_cost + sum(self.wasted.values())

    def _may_spend_more(self) -> bool:
        return self.spending.cost is None or self.spending.cost.spent(self._spent()) is None

    def _record(self, question: Question, reply: Reply, seconds: float, key: str) -> None:
        """Records an answer or a skip, with what it cost and what failed calls before it did. Now it is durable."""
        cost, wasted = self._cost(reply), self.wasted.get(question.id)
        cost = cost if not wasted else wasted + (cost or 0.0)
        note = None if reply.note is None else _storable(reply.note, MAX_LETTERS["note"])
        details: dict[str, Any] = {"who": self.who, "seconds": round(seconds, 3), "key": key, "cost": cost}
        if reply.response is None:
            self.session.skip(question.id, note, **details)
            self.counts.skips += 1
        else:
            self.session.tell(reply.response, question.id, note=note, **details)
            self.counts.answers += 1
        self.counts.recorded_cost += cost or 0.0
        self.wasted.pop(question.id, None)
        self.failed_in_a_row = 0
        self.changed()

    def _is_open(self, question: Question) -> bool:
        self.session.refresh()
        return self.session.event_log.takes_answer(question.id)

    # ------------------------------------------------------------------ calls of the oracle

    async def _settle(self, question: Question) -> None:
        """Puts a question to the oracle until its answer is recorded, or until it failed too often."""
        key, asked, seconds = uuid.uuid4().hex, question, 0.0
        reply: Reply | None = None
        error: Exception = OracleError("never tried")
        for attempt in range(MAX_TRIES):
            try:
                if reply is None:
                    started = time.monotonic()
                    reply = _as_reply(await call(self.oracle, asked))
                    seconds = time.monotonic() - started
                # a reply that is here is recorded even if the run is stopped before its turn comes
                await asyncio.shield(self._in_session(partial(self._record, question, reply, seconds, key)))
                return
            except SettingError:  # no later try can help
                raise
            except asyncio.CancelledError:
                if self._stopping:
                    raise
                error, reply = OracleError("the call was cancelled"), None  # by the oracle itself
            except StudyError as failure:
                error = failure  # the reply is recorded later, with the same key
            except AnswerError as failure:
                self._waste(question, _cost_of(failure) if reply is None else self._cost(reply))
                error, reply = failure, None
                if not await self._in_session(partial(self._is_open, question)):
                    self._let_go(question)  # somebody else answered it, or it was withdrawn
                    return
                asked = replace(question, info={**question.info, "error": str(failure)})
            except Exception as failure:
                self._waste(question, _cost_of(failure))
                error, reply = failure, None
                if isinstance(failure, OracleError) and failure.final:
                    self._let_go(question)
                    raise
            self.counts.failures += 1
            logger.warning("question %s: %s", question.id, _one_line(error))
            if reply is None and not await self._in_session(self._may_spend_more):
                self._let_go(question)
                return
            if attempt + 1 < MAX_TRIES:
                await asyncio.sleep(0.0 if isinstance(error, AnswerError) else _wait_seconds(attempt, error))
        self._give_up(question, error)

    def _waste(self, question: Question, cost: Any) -> None:
        """Notes what a failed call has cost, if an oracle says so: it may have been refused for that very number."""
        if isinstance(cost, int | float) and 0 < cost <= sys.float_info.max:
            self.wasted[question.id] = self.wasted.get(question.id, 0.0) + cost

    def _let_go(self, question: Question) -> None:
        """Ends with a question that this run does not answer. What it cost stays in the count."""
        self.counts.unrecorded_cost += self.wasted.pop(question.id, 0.0)

    def _give_up(self, question: Question, error: Exception) -> None:
        """Sets a question aside; after several in a row the run ends."""
        self._let_go(question)
        self.set_aside.add(question.id)
        self.failed_in_a_row += 1
        if isinstance(error, StudyError):
            raise error
        if self.failed_in_a_row >= MAX_FAILED_QUESTIONS:
            why = f"{self._label} failed {MAX_TRIES} times at question {question.id} ({_one_line(error)})"
            raise OracleError(f"{why}, and at others before; {self._kept}") from error

    def _cost(self, reply: Reply) -> float | None:
        """What a reply cost; None if nothing is known about costs."""
        if reply.cost is None and isinstance(self.oracle, HasCost):
            return self.oracle.cost
        return reply.cost

    async def _end_calls(self) -> None:
        """Waits briefly for the calls in flight, records what they say, and cancels the others."""
        tasks = list(self.in_flight.values())
        if not tasks:
            return
        _, pending = await asyncio.wait(tasks, timeout=GRACE_SECONDS)
        self._stopping = True
        for task in pending:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def _label(self) -> str:
        return "the oracle" if self.who is None else self.who

    @property
    def _kept(self) -> str:
        return f"{self.counts.answers} answers of this run are kept: mend it and run it again"


def _as_reply(said: Any) -> Reply:
    return said if isinstance(said, Reply) else Reply(said)


def _wait_seconds(attempt: int, error: Exception) -> float:
    """How long to wait after a failure: twice as long each time, with jitter, and as long as the oracle said."""
    usual = min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2**attempt) * random.uniform(0.5, 1.0)
    return max(usual, (error.wait or 0.0) if isinstance(error, OracleError) else 0.0)


def _cost_of(error: Exception) -> float:
    """What the call that failed so has cost."""
    return error.cost if isinstance(error, OracleError | RefusedReply) else 0.0


def _storable(text: str, letters: int) -> str:
    clean = UNSTORABLE.sub("", str(text))
    return clean if len(clean) <= letters else f"{clean[: letters - 4]} ..."


def _one_line(error: Exception) -> str:
    said = " ".join(str(error).split())[:300]
    return said if isinstance(error, OracleError | AnswerError | StudyError) else f"{type(error).__name__}: {said}"
