"""`answer`: lets an oracle answer the questions of a session until the goal is settled or the budget is used."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from typing import Any

from askwise.options import flag, function, number, parts, refusal, text, whole_number
from askwise.oracles.budgets import Spending
from askwise.oracles.loop import AnsweringLoop
from askwise.oracles.progress import show_progress
from askwise.oracles.protocol import HasCost, HasName, Oracle
from askwise.session import Session
from askwise.session.events import plain_details
from askwise.stopping import Budget, CostLimits, StopReason
from askwise.structures import AsksPeople
from askwise.types import Question

MAX_JOBS = 256
DEFAULT_NAME = "judge"
POLL_SECONDS = 0.1


@dataclass(frozen=True)
class OracleRun:
    """What one call of `answer` did.

    >>> from askwise.stopping import StopReason
    >>> print(OracleRun(12, 1, 2, 0.25, 3.0, StopReason("undecided is below 0.05", "settled")))
    12 answers, 1 skip and 2 failed calls in 3.0 seconds at a cost of 0.25: undecided is below 0.05
    """

    answers: int  # how many were recorded
    skips: int  # how many questions were skipped
    failures: int  # calls that failed or whose response was refused; they were tried again
    cost: float  # of everything, also of what failed
    seconds: float  # how long it took
    reason: StopReason  # why it stopped; its `kind` is "settled", "budget" or "exhausted"

    @property
    def counts(self) -> str:
        """What was done, without why it stopped."""
        counts = ((self.answers, "answer"), (self.skips, "skip"), (self.failures, "failed call"))
        *first, last = [f"{count} {what}{'s' * (count != 1)}" for count, what in counts]
        cost = f" at a cost of {self.cost:.6g}" if self.cost else ""
        return f"{', '.join(first)} and {last} in {self.seconds:.1f} seconds{cost}"

    def __str__(self) -> str:
        return f"{self.counts}: {self.reason}"


def answer(
    session: Session,
    oracle: Oracle,
    *,
    who: str | None = None,
    jobs: int = 8,
    budget: int | Budget | CostLimits | Mapping[str, float] | None = None,
    progress: bool = True,
    questions: Sequence[Question] | None = None,
) -> OracleRun:
    """Lets a function, a model or a machine answer the questions of a session until there is a reason to stop.

    Each answer is recorded, on disk if the session is that of a study, before another question is taken. A call that
    fails is tried again, later and later; an answer is counted once. After a crash, call `answer` again: it goes on
    with the questions that were in flight. Ctrl-C keeps what was answered.

    :param session: The session, in memory or from `askwise.open`.
    :param oracle: A function of a `Question`, plain or async, that returns a response, a `Reply` with a cost and a
        note, or None to skip. An object that can be called may have a `name` and a `cost` for each call. If a response
        was refused, the question comes again and `question.info["error"]` says why.
    :param who: Who the answers are from; by default the oracle's name, or "judge". In a group that decides together,
        the person that the oracle answers for; by default it answers for everybody.
    :param jobs: How many questions are in flight at a time. Plain functions run in as many threads.
    :param budget: How many answers, with skips, this oracle may give, or what they may cost, over all runs: 100,
        `{"cost": 5.0}`, `Budget(100)` or `CostLimits(max_cost=5.0)`.
    :param progress: Show on a terminal how far it is.
    :param questions: Answer these open questions and no others.

    >>> import askwise
    >>> session = askwise.best_item(["tea", "coffee", "water"], seed=1, draws=100)
    >>> run = askwise.answer(session, lambda question: max(question.names), jobs=1)
    >>> run.reason.kind, session.estimate().value
    ('settled', 'water')
    """
    if not isinstance(session, Session):
        raise refusal("session", session, "an askwise.Session")
    function("oracle", oracle)
    if isinstance(oracle, HasCost):
        number("the cost of the oracle", oracle.cost, at_least=0)
    jobs = whole_number("jobs", jobs, at_least=1, at_most=MAX_JOBS)
    if who is None and not isinstance(session.problem.family, AsksPeople):
        who = oracle.name if isinstance(oracle, HasName) else DEFAULT_NAME
    who = None if who is None else text("who", who)
    plain_details({"who": who})  # refuses a name that no log can hold, before the oracle is asked
    only = None if questions is None else _ids(session, questions)
    loop, started = AnsweringLoop(session, oracle, who, jobs, Spending.of(budget), only), time.monotonic()
    with show_progress(loop, flag("progress", progress)):
        _run_in_thread(loop)
    assert loop.reason is not None
    counts = loop.counts
    seconds = time.monotonic() - started
    return OracleRun(counts.answers, counts.skips, counts.failures, counts.cost, seconds, loop.reason)


def _ids(session: Session, questions: Any) -> list[str]:
    """The ids of questions that were asked."""
    given = parts("questions", questions, "a list of questions of the session")
    return [session.question(each.id if isinstance(each, Question) else each).id for each in given]


def _run_in_thread(loop: AnsweringLoop) -> None:
    """Runs to the end, in a thread: notebooks have an event loop of their own, and Ctrl-C reaches this one."""
    events = asyncio.new_event_loop()
    task, outcome = events.create_task(loop.run()), Future[None]()

    def main() -> None:
        try:
            events.run_until_complete(task)
            outcome.set_result(None)
        except BaseException as error:
            outcome.set_exception(error)
        finally:
            events.run_until_complete(events.shutdown_asyncgens())
            events.close()

    thread = threading.Thread(target=main, name="askwise-answer", daemon=True)
    try:
        thread.start()
        while not wait([outcome], POLL_SECONDS).done:  # a signal may not interrupt a longer wait
            pass
        outcome.result()
    except KeyboardInterrupt:
        _stop(events, task)
        thread.join()
        raise KeyboardInterrupt(loop.where_it_stands()) from None
    thread.join()


def _stop(events: asyncio.AbstractEventLoop, task: asyncio.Task[Any]) -> None:
    try:
        events.call_soon_threadsafe(task.cancel)
    except RuntimeError:  # it has just ended
        return
