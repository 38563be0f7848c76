"""Worker processes that work out what comes next, so that the pages never wait for arithmetic.

A worker reads a log from its store, brings its session up to date and says what to ask after each possible answer. It
writes nothing but checkpoints; asking and telling are recorded by the web process, with or without a learner.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from collections import OrderedDict
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from typing import Any

from askwise.conversation import Event
from askwise.session import Session
from askwise.simulate.plan import Journey
from askwise.streams import stream
from askwise.turn import Turn

HELD = 300  # sessions that a worker keeps in memory
SPARES = 6  # questions in reserve, for when the learner is behind
Job = tuple[str, int]  # the address of a store, the number of a log in it

_sessions: OrderedDict[Job, Session] = OrderedDict()  # of a worker


@dataclass(frozen=True)
class Standing:
    """What is known at one moment of a log."""

    done: str | None  # the reason to stop
    answers: int
    diameter: float
    estimate: Any
    event: Event | None  # the question to ask then
    certificate: str | None = None


@dataclass(frozen=True)
class View:
    """What a worker found out about a log of `position` events."""

    position: int
    now: Standing
    ahead: dict[Any, Standing] = field(default_factory=dict)  # by the response to the open question
    spares: list[Event] = field(default_factory=list)
    whole: bool = True  # False: taken over from what was worked out ahead, until a worker has looked again


def look(job: Job, who: str | None) -> View:
    """Brings the session up to date and looks one answer ahead; in a worker.

    `who` is whose log it is. Where people share one (None), each answer changes what is best for all; the best few
    questions are handed out in turn.
    """
    session = _session(job)
    session.refresh()
    if session.journal is not None:
        session.journal.keep(session)
    talk, turn = session.conversation, session.turn
    certificate = str(session.certificate()) if session.done else None
    now = _standing(turn, session.reason, None, certificate)
    spares: list[Event] = []
    if not session.done and (who is None or not talk.open()):
        best, *spares = turn.best(talk, SPARES)
        now = _standing(turn, None, best)
    elif not session.done:
        atoms = turn.fresh_atoms(talk)
        some = stream(session.aim.seed, len(talk.log), "spares").permutation(len(atoms))[:SPARES]
        spares = [turn.pose(talk, atoms[place]) for place in some]
    if who is not None:
        session.prepare(who)
    ahead = {
        response: _standing(after, after.foreseen, None if after.chosen is None else after.chosen[1])
        for (place, _, response, _), after in list(session._ahead.items())
        if place == len(session.log)
    }
    return View(len(session.log), now, ahead, spares)


def why(job: Job, question: str) -> list[dict[str, Any]]:
    """What each answer to the question would settle; in a worker."""
    session = _session(job)
    session.refresh()
    return [
        {"response": found.response, "chance": found.chance, "diameter": found.diameter, "guess": str(found.estimate)}
        for found in session.why(question)
    ]


def travel(job: Job) -> tuple[int, list[Journey]]:
    """People simulated from the start, for "about 12 more questions"; in a worker. They are kept for the next time."""
    from askwise.study.forecasts import PATIENCE, PEOPLE, keep_trips, kept_trips, limit_of, several

    session = _session(job)
    store, study = session.journal.store, session.journal.record.study  # type: ignore[union-attr]
    since, trips = kept_trips(store, study, session.pursued)
    if not trips or since:
        assert session.recipe is not None
        since, trips = 0, several((session.recipe, [], None), 2 * PEOPLE, limit_of(session), PATIENCE)
        keep_trips(store, study, session.pursued, since, trips)
    return since, trips


class Learner:
    """Single-process pools; a log always goes to the same one, which has its session in memory."""

    def __init__(self, workers: int | None = None):
        self._spawn = multiprocessing.get_context("spawn")
        self._pools = [self._pool(5) for _ in range(workers or os.cpu_count() or 1)]
        self._aside: ProcessPoolExecutor | None = None

    async def run_aside(self, function: Any, *more: Any) -> Any:
        """For what may take long: a process of its own, behind everything else."""
        self._aside = self._aside or self._pool(15)
        return await asyncio.wrap_future(self._aside.submit(function, *more))

    async def run(self, function: Any, job: Job, *more: Any) -> Any:
        """The function's result; a worker that died is replaced, and the next call finds a new one."""
        place = job[1] % len(self._pools)
        try:
            return await asyncio.wrap_future(self._pools[place].submit(function, job, *more))
        except BrokenProcessPool:
            self._pools[place] = self._pool(5)
            raise

    def close(self) -> None:
        for pool in (*self._pools, *([self._aside] if self._aside else [])):
            workers = list(pool._processes.values())
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in workers:
                worker.terminate()

    def _pool(self, patience: int) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(1, mp_context=self._spawn, initializer=_begin, initargs=(patience,))


def _begin(patience: int) -> None:
    """The code is loaded before the first question; answers are written down before new questions are worked out."""
    import askwise.goals
    import askwise.study  # noqa: F401

    os.nice(patience)


def _session(job: Job) -> Session:
    from askwise import study

    if job not in _sessions:
        _sessions[job] = study.open(job[0], log=job[1])
    _sessions.move_to_end(job)
    while len(_sessions) > HELD:
        study.close(_sessions.popitem(last=False)[1])
    return _sessions[job]


def _standing(turn: Turn, reason: str | None, event: Event | None, certificate: str | None = None) -> Standing:
    return Standing(reason, len(turn.answers), float(turn.diameter), turn.estimate.value, event, certificate)
