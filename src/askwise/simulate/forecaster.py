""" "About 12 more questions": people are simulated in the background while somebody answers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from askwise._runtime.processes import end_pool, spawn
from askwise.errors import StudyError
from askwise.session import Session
from askwise.session.config import Recipe
from askwise.simulate.forecast import Forecast, forecast
from askwise.simulate.runs import SimulatedRun
from askwise.simulate.workers import PackedSession, answers_left, simulate_people
from askwise.storage.journal import StudyJournal
from askwise.storage.store import Store

PEOPLE = 8  # simulated at a time
MAX_SECONDS = 30.0  # for all of them
NEXT_PERSON_KEY = "next person"  # under this name a study keeps the runs of people who start from those before
MIN_NEW_ANSWERS = 5  # before people are simulated again; or half as many as there are, if that is more


class Forecaster:
    """Says how many questions are to come. Now and then it simulates people in a process of low priority.

    - `session`: that somebody answers.

    >>> from askwise.goals import best_item
    >>> Forecaster(best_item(["tea", "coffee"], draws=50)).now() is None  # nobody was simulated yet
    True
    """

    def __init__(self, session: Session):
        self.session = session
        self._journal = session.journal if isinstance(session.journal, StudyJournal) else None
        self._runs: list[SimulatedRun] = []
        self._runs_start = 0  # answers there were when these runs began
        self._job: Future[list[SimulatedRun]] | None = None
        self._job_start = -1  # answers there were when the last job began
        self._pool: ProcessPoolExecutor | None = None
        self._load()

    def now(self) -> Forecast | None:
        """The forecast as it stands; None while there is none."""
        self._collect()
        new_answers = len(self.session.answers) - self._runs_start
        if new_answers < 0:
            return None  # answers were taken back
        return forecast(self._runs, self.session.diameter, new_answers, answers_left(self.session))

    def refresh(self) -> None:
        """Simulates people again if many answers are new; never waits."""
        self._collect()
        answers = len(self.session.answers)
        enough = self._runs_start + max(MIN_NEW_ANSWERS, self._runs_start // 2)
        due = not self._runs or answers < self._runs_start or answers >= enough
        if self._job is not None or not due or answers == self._job_start:
            return
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, mp_context=spawn, initializer=os.nice, initargs=(10,))
        self._job_start = answers
        packed, limit = PackedSession.of(self.session), answers_left(self.session)
        self._job = self._pool.submit(simulate_people, packed, PEOPLE, limit, MAX_SECONDS)

    def close(self) -> None:
        """Ends the process, whatever it does."""
        if self._pool is not None:
            end_pool(self._pool)

    def _collect(self) -> None:
        if self._job is not None and self._job.done():
            job, self._job = self._job, None
            if job.exception() is None:
                self._runs, self._runs_start = job.result(), self._job_start
                self._save()

    def _load(self) -> None:
        if self._journal:
            store, study = self._journal.store, self._journal.record.study
            self._runs_start, self._runs = load_runs(store, study, self.session.pursued)

    def _save(self) -> None:
        if self._journal:
            store, study = self._journal.store, self._journal.record.study
            with suppress(StudyError):  # the next Forecaster simulates again
                save_runs(store, study, self.session.pursued, self._runs_start, self._runs)


def load_runs(store: Store, study: int, goal: Recipe | None) -> tuple[int, list[SimulatedRun]]:
    """The runs that were simulated before for this goal, after the number of answers with which they began."""
    saved = store.forecast(study, _goal_key(goal))
    try:
        return saved["since"], _runs_of(saved)
    except (KeyError, TypeError):  # none yet, or by a version that took the end of the budget for the goal
        return 0, []


def save_runs(store: Store, study: int, goal: Recipe | None, since: int, runs: Sequence[SimulatedRun]) -> None:
    """Keeps runs that began after `since` answers for the next time."""
    store.keep_forecast(study, _goal_key(goal), {"since": since, "runs": [asdict(run) for run in runs]})


def load_next_runs(store: Store, study: int) -> tuple[int, list[SimulatedRun]]:
    """The runs that were simulated for the next person of a study, and how many people these start from; 0: none."""
    saved = store.forecast(study, NEXT_PERSON_KEY)
    return (0, []) if saved is None else (int(saved["people_before"]), _runs_of(saved))


def save_next_runs(store: Store, study: int, people_before: int, runs: Sequence[SimulatedRun]) -> None:
    """Keeps them for the next time."""
    store.keep_forecast(study, NEXT_PERSON_KEY, {"people_before": people_before, "runs": [asdict(run) for run in runs]})


def next_runs_due(now: int, before: int) -> bool:
    """Whether so many people have come since there were `before` that the next one starts from something else.

    >>> next_runs_due(3, 0), next_runs_due(4, 3), next_runs_due(5, 3), next_runs_due(39, 30)
    (True, False, True, False)
    """
    return now >= before + max(2, before // 2) or (now > 0 and not before)


def _runs_of(saved: Any) -> list[SimulatedRun]:
    return [SimulatedRun(run["rule"], tuple(run["diameters"]), run["stopped"]) for run in saved["runs"]]


def _goal_key(goal: Recipe | None) -> str:
    return "" if goal is None else f"{goal['goal']} {sorted(goal['options'].items())!r}"
