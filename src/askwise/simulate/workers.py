"""Simulated people in worker processes. A worker gets the session as a `PackedSession` and starts where it stands."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import NamedTuple

from askwise._runtime.processes import spawn
from askwise.goals import remake
from askwise.session import Session, recording
from askwise.session.config import Recipe
from askwise.session.events import Event
from askwise.simulate.forecast import MIN_FINISHED_RUNS
from askwise.simulate.runs import SimulatedRun, simulate_person
from askwise.storage.checkpoints import dump_posteriors, load_posteriors

MAX_ANSWERS = 400  # of a simulated person

_session: Session | None = None  # of a worker process


class PackedSession(NamedTuple):
    """All that another process needs to stand where a session stands.

    >>> from askwise.goals import best_item
    >>> session = best_item(["tea", "coffee"], draws=50)
    >>> question = session.ask()
    >>> PackedSession.of(session).unpack().ask() == question
    True
    """

    recipe: Recipe
    log: Sequence[Event] = ()
    beliefs: bytes | None = None

    @classmethod
    def of(cls, session: Session) -> PackedSession:
        """Packs a session that has a recipe."""
        if session.recipe is None:
            raise ValueError("a session without a recipe cannot be built elsewhere")
        return cls(session.recipe, session.log.copy(), dump_posteriors(session.round.beliefs, session.prior))

    def unpack(self) -> Session:
        """Builds the session again."""
        session = remake(self.recipe)
        trail = None if self.beliefs is None else load_posteriors(self.beliefs, session.prior)
        session.replay(self.log) if trail is None else recording.resume(session, self.log, trail)
        return session


def answers_left(session: Session) -> int:
    """Answers that the budget still allows; at most `MAX_ANSWERS`.

    >>> from askwise.goals import best_item
    >>> answers_left(best_item(["tea", "coffee"], budget=7, draws=50))
    7
    """
    goal = session.pursued or {"options": {}}
    return max(1, min(MAX_ANSWERS, int(goal["options"].get("budget", MAX_ANSWERS)) - len(session.answers)))


def session_pool(workers: int, packed: PackedSession) -> ProcessPoolExecutor:
    """Worker processes that each hold the session."""
    return ProcessPoolExecutor(workers, mp_context=spawn, initializer=_unpack_in_worker, initargs=(packed,))


def simulate_people(packed: PackedSession, people: int, limit: int, seconds: float) -> list[SimulatedRun]:
    """Simulates one person after the other with the session's own strategy. The first ones share the time, so that
    there are enough of them for a forecast.

    - `packed`: where the people start.
    - `people`: how many.
    - `limit`: answers of a person at most.
    - `seconds`: time for all of them.

    >>> from askwise.goals import best_item
    >>> packed = PackedSession.of(best_item(["tea", "coffee", "water"], draws=50))
    >>> len(simulate_people(packed, people=2, limit=3, seconds=60.0))
    2
    """
    session, deadline = packed.unpack(), time.monotonic() + seconds
    runs: list[SimulatedRun] = []
    for person in range(people):
        now = time.monotonic()
        if runs and now >= deadline:
            break
        share = (deadline - now) / max(1, MIN_FINISHED_RUNS - person)
        runs.append(simulate_person(session, None, person, limit, now + share))
    return runs


def simulate_rules(
    session: Session,
    rules: Sequence[str],
    people: int,
    seconds: float,
    workers: int,
    after_each: Callable[[], None],
) -> dict[str, list[SimulatedRun]]:
    """By rule, the runs of the same people, as many as there is time for; the last ones may be cut short."""
    limit = answers_left(session)
    found: dict[str, list[tuple[int, SimulatedRun]]] = {rule: [] for rule in rules}
    with session_pool(workers, PackedSession.of(session)) as pool:
        deadline = time.time() + seconds
        jobs = {
            pool.submit(_simulate_in_worker, rule, person, limit, deadline): (rule, person)
            for person in range(people)
            for rule in rules
        }
        for job in as_completed(jobs):
            rule, person = jobs[job]
            run = job.result()
            if run is not None:
                found[rule].append((person, run))
            after_each()
    return {rule: [run for _, run in sorted(runs, key=lambda pair: pair[0])] for rule, runs in found.items()}


def _simulate_in_worker(rule: str, person: int, limit: int, deadline: float) -> SimulatedRun | None:
    """One run, unless the time is over; the deadline is one of `time.time`, the clock that processes share."""
    left = deadline - time.time()
    assert _session is not None
    return simulate_person(_session, rule, person, limit, time.monotonic() + left) if left > 0 else None


def _unpack_in_worker(packed: PackedSession) -> None:
    global _session
    _session = packed.unpack()
