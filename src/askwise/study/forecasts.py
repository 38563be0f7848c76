"""Simulated people for a study, in processes of their own: the plan before it, and "about 12 more questions" during it.

A worker gets the recipe, the log and the posterior as bytes, so it starts where the study stands.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import asdict

from askwise.conversation import Event
from askwise.errors import StudyError
from askwise.goals.build import remake
from askwise.processes import spawn
from askwise.reading import Recipe
from askwise.session import Session
from askwise.simulate.plan import Forecast, Journey, forecast, journey
from askwise.study.checkpoint import freeze, thaw
from askwise.study.journal import StudyJournal
from askwise.study.store import Store

PEOPLE = 8  # simulated while a study is under way
SOON = 5  # answers after which they are simulated anew, or half as many as there are, if that is more
LIMIT = 400  # answers that a simulated person gives at most
PATIENCE = 30.0  # seconds for all of them
State = tuple[Recipe, list[Event], bytes | None]

_session: Session | None = None  # of a worker


def state_of(session: Session) -> State:
    """All that a worker needs to stand where the session stands."""
    if session.recipe is None:
        raise ValueError("a session without a recipe cannot be built elsewhere")
    return session.recipe, session.log.copy(), freeze(session.turn.beliefs, session.prior)


def revive(state: State) -> Session:
    """The session of a state."""
    recipe, log, content = state
    session = remake(recipe)
    trail = None if content is None else thaw(content, session.prior)
    session.replay(log) if trail is None else session.resume(log, trail)
    return session


def people_of(workers: int, state: State) -> ProcessPoolExecutor:
    """Workers that each hold the session."""
    return ProcessPoolExecutor(workers, mp_context=spawn, initializer=_begin, initargs=(state,))


def travel(rule: str | None, person: int, limit: int, deadline: float) -> Journey | None:
    """One journey, in a worker, unless the time is over; the deadline is by the clock that processes share."""
    left = deadline - time.time()
    assert _session is not None
    return journey(_session, rule, person, limit, time.monotonic() + left) if left > 0 else None


def simulate(
    session: Session, rules: Sequence[str], people: int, seconds: float, workers: int, each: Callable[[], None]
) -> dict[str, list[Journey]]:
    """By rule, the journeys of the same people, as many as the time suffices for; the last may be cut short."""
    limit = limit_of(session)
    found: dict[str, list[tuple[int, Journey]]] = {rule: [] for rule in rules}
    with people_of(workers, state_of(session)) as pool:
        deadline = time.time() + seconds
        jobs = {
            pool.submit(travel, rule, person, limit, deadline): (rule, person)
            for person in range(people)
            for rule in rules
        }
        for job in as_completed(jobs):
            rule, person = jobs[job]
            trip = job.result()
            if trip is not None:
                found[rule].append((person, trip))
            each()
    return {rule: [trip for _, trip in sorted(trips, key=lambda pair: pair[0])] for rule, trips in found.items()}


def limit_of(session: Session) -> int:
    """Answers that the budget still allows, within reason."""
    pursued = session.pursued or {"options": {}}
    return max(1, min(LIMIT, int(pursued["options"].get("budget", LIMIT)) - len(session.answers)))


class Forecaster:
    """Says how many questions are to come, from people simulated in the background now and then."""

    def __init__(self, session: Session):
        self.session = session
        self._journal = session.journal if isinstance(session.journal, StudyJournal) else None
        self._trips: list[Journey] = []
        self._since = 0  # answers there were when these people set out
        self._job: Future[list[Journey]] | None = None
        self._asked = -1  # answers there were when they were last sent for
        self._pool: ProcessPoolExecutor | None = None
        self._load()

    def now(self) -> Forecast | None:
        """The forecast as it stands; None while nobody has arrived."""
        self._collect()
        answers = len(self.session.answers)
        if answers < self._since:
            return None  # answers were taken back
        return forecast(self._trips, self.session.diameter, answers - self._since, limit_of(self.session))

    def refresh(self) -> None:
        """Sends people out again if much was answered since; never waits."""
        self._collect()
        answers = len(self.session.answers)
        due = not self._trips or answers < self._since or answers >= self._since + max(SOON, self._since // 2)
        if self._job is not None or not due or answers == self._asked:
            return
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, mp_context=spawn, initializer=os.nice, initargs=(10,))
        self._asked = answers
        self._job = self._pool.submit(several, state_of(self.session), PEOPLE, limit_of(self.session), PATIENCE)

    def close(self) -> None:
        """Lets everybody go."""
        if self._pool is not None:
            workers = list(self._pool._processes.values())
            self._pool.shutdown(wait=False, cancel_futures=True)
            for worker in workers:
                worker.terminate()

    def _collect(self) -> None:
        if self._job is not None and self._job.done():
            job, self._job = self._job, None
            if job.exception() is None:
                self._trips, self._since = job.result(), self._asked
                self._save()

    def _load(self) -> None:
        if self._journal:
            self._since, self._trips = kept_trips(self._journal.store, self._journal.record.study, self.session.pursued)

    def _save(self) -> None:
        if self._journal:
            with suppress(StudyError):  # it is simulated again the next time
                keep_trips(
                    self._journal.store, self._journal.record.study, self.session.pursued, self._since, self._trips
                )


def kept_trips(store: Store, study: int, pursued: Recipe | None) -> tuple[int, list[Journey]]:
    """People who were simulated before for this goal: how many answers there were when they set out, and their ways."""
    kept = store.forecast(study, _goal(pursued))
    try:
        return kept["since"], [Journey(one["rule"], tuple(one["diameters"]), one["stopped"]) for one in kept["trips"]]
    except (KeyError, TypeError):  # none yet, or none that can be read
        return 0, []


def keep_trips(store: Store, study: int, pursued: Recipe | None, since: int, trips: Sequence[Journey]) -> None:
    """Keeps them for the next time."""
    store.keep_forecast(study, _goal(pursued), {"since": since, "trips": [asdict(trip) for trip in trips]})


def _goal(pursued: Recipe | None) -> str:
    return "" if pursued is None else f"{pursued['goal']} {sorted(pursued['options'].items())!r}"


def several(state: State, people: int, limit: int, seconds: float) -> list[Journey]:
    """The journeys of a few people under the study's own rule, in a worker."""
    session, deadline = revive(state), time.monotonic() + seconds
    trips: list[Journey] = []
    for person in range(people):
        if trips and time.monotonic() >= deadline:
            break
        trips.append(journey(session, None, person, limit, deadline))
    return trips


def _begin(state: State) -> None:
    global _session
    _session = revive(state)
