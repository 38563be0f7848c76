"""What is learned from a log and what to ask next, worked out in worker processes so that no page waits for arithmetic.

A worker reads a log from its store, brings its session up to date and says what to ask, now and after each possible
answer. It writes nothing but checkpoints: the web process records what is asked and told, with or without a learner.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from askwise.conversation import NUMBER, Event
from askwise.server.workers import Worker
from askwise.session import Session
from askwise.simulate.plan import Journey
from askwise.streams import stream
from askwise.study.address import Address
from askwise.study.store import Store
from askwise.turn import Turn

HELD = 300  # sessions that a worker keeps in memory
LONGEST = 1800.0  # seconds for one call: a very long log is read again from its beginning
SHARED = 12  # events of a log up to which others that begin alike profit from what was worked out
SPARES = 6  # questions in reserve, for when the learner is behind
TELLING = ("event", "question", "atom", "options", "response", "goal")  # of an event: all but who said it and when
Job = tuple[str, int]  # the address of a store, the number of a log in it

_stores: dict[str, Store] = {}  # of a worker
_sessions: OrderedDict[Job, Session] = OrderedDict()
_beginnings: OrderedDict[Any, Any] = OrderedDict()  # by recipe and first events: what everybody sees after them


@dataclass(frozen=True)
class Standing:
    """What is known at one moment of a log."""

    done: str | None  # the reason to stop
    answers: int
    diameter: float
    estimate: Any
    event: Event | None  # the question to ask then
    likely: list[Any] = field(default_factory=list)  # the responses to it, or to the open one, the likeliest first
    certificate: str | None = None
    people: Mapping[str, float] = field(default_factory=dict)  # how far each of several people is trusted


@dataclass(frozen=True)
class View:
    """What a worker found out about a log of `position` events."""

    position: int
    now: Standing
    ahead: dict[Any, Standing] = field(default_factory=dict)  # by the response to the open question, as they come
    spares: list[Event] = field(default_factory=list)
    most: int | None = None  # answers, of the study's budget
    settled: str | None = None  # the reason to stop, which those who go on all the same do not follow
    beyond: bool = False  # whether they go on


def look(job: Job, pooled: bool, beyond: bool = False) -> View:
    """Brings the session up to date and says what to ask; in a worker.

    In a log that people share, each answer changes what is best for all; the best few questions are handed out in turn.
    `beyond` goes on asking although it is settled.
    """
    session = _session(job)
    if session.journal is not None:
        session.journal.keep(session)
    view: View = _once(session, ("now", pooled, beyond), lambda: _view(session, pooled, beyond))
    if view.now.done is not None:
        del _sessions[job]  # whoever goes on all the same finds it in the store
    return view


def foresee(job: Job, position: int, response: Any, who: str) -> Standing | None:
    """What comes after that answer to the open question of a log of so many events; None if it has moved on."""
    session = _session(job)
    if len(session.log) != position or not session.conversation.open():
        return None
    answered = session.conversation.copy(), response, who
    shared = _once(session, ("after", response), lambda: session.foresee(*answered), who)
    after = session.foresee(*answered, shared)
    event = None if after.chosen is None else after.chosen[1]
    return _standing(after, after.foreseen, event, event)


def why(job: Job, question: str) -> list[dict[str, Any]]:
    """What each answer to the question would settle; in a worker."""
    session = _session(job)
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
    """Workers; a log always goes to the same one, which has its session in memory."""

    def __init__(self, workers: int | None = None, longest: float = LONGEST):
        self._workers = [Worker(longest=longest) for _ in range(workers or os.cpu_count() or 1)]
        self._aside: Worker | None = None

    async def run(self, function: Any, job: Job, *more: Any, urgent: bool = True) -> Any:
        """What the function finds out about a log. What somebody waits for is urgent and goes first."""
        return await self._workers[job[1] % len(self._workers)].run(function, job, *more, urgent=urgent)

    async def run_aside(self, function: Any, *more: Any) -> Any:
        """For what may take long: a process of its own, behind everything else."""
        self._aside = self._aside or Worker(patient=True)
        return await self._aside.run(function, *more)

    def close(self) -> None:
        for worker in (*self._workers, *([self._aside] if self._aside else [])):
            worker.close()


def _session(job: Job) -> Session:
    """The session of a log, as the log is now."""
    from askwise import study

    if job not in _sessions:
        where, log = job
        if where not in _stores:
            _stores[where] = Store.at(Address.of(where))
        _sessions[job] = study.resume(_stores[where], log)
    else:
        _sessions[job].refresh()
    _sessions.move_to_end(job)
    while len(_sessions) > HELD:
        _sessions.popitem(last=False)
    return _sessions[job]


def _once(session: Session, what: Any, compute: Any, who: str | None = None) -> Any:
    """People who begin alike see the same, so it is worked out once for all of them; `who` answers next, if anybody.

    Where several people answer in one log, how far each is trusted belongs to them and to their study alone.
    """
    told = {event.get("who") for event in session.log if event["event"] == "tell"}
    if len(session.log) > SHARED or len(told | ({who} if who else set())) > 1:
        return compute()
    said = (str([event.get(part) for part in TELLING]) for event in session.log)
    mark = (session.journal.record.digest, what, *said)  # type: ignore[union-attr]
    if mark not in _beginnings:
        _beginnings[mark] = compute()
    _beginnings.move_to_end(mark)
    while len(_beginnings) > HELD:
        _beginnings.popitem(last=False)
    return _beginnings[mark]


def _view(session: Session, pooled: bool, beyond: bool) -> View:
    talk, turn, reason = session.conversation, session.turn, session.reason
    waiting = talk.asked[talk.open()[0]] if talk.open() else None
    atoms, spares = turn.fresh_atoms(talk), list[Event]()
    if reason is not None and not (beyond and len(atoms)):
        now = _standing(turn, reason, None, waiting, str(session.certificate()))
    elif len(atoms) and (pooled or not talk.open()):
        best, *spares = turn.best(talk, SPARES)
        now = _standing(turn, None, best, best)
    else:
        now = _standing(turn, None, None, waiting)
        some = stream(session.aim.seed, len(talk.log), "spares").permutation(len(atoms))[:SPARES]
        spares = [turn.pose(talk, atoms[place]) for place in some]
    options = session.pursued["options"] if session.pursued else {}
    return View(len(session.log), now, {}, spares, options.get("budget"), reason, beyond)


def _standing(
    turn: Turn, reason: str | None, event: Event | None, waiting: Event | None, certificate: str | None = None
) -> Standing:
    """With `event`, the question to ask, and `waiting`, the one that will then be open."""
    likely = turn.likely(waiting) if waiting and waiting["kind"] != NUMBER else []
    known = reason, len(turn.answers), float(turn.diameter), turn.estimate.value
    return Standing(*known, event, likely, certificate, turn.people)
