"""Simulated people who start as the next person of a study will: from those who answered before, and from nobody.

Each person is one call of a process behind everything else, which has time for others between two of them.
"""

from __future__ import annotations

import time

from askwise import storage
from askwise.session import Session
from askwise.simulate import forecaster
from askwise.simulate.forecast import MIN_FINISHED_RUNS
from askwise.simulate.plan import compared_rules
from askwise.simulate.populations import population_saving, save_saving, starting_point
from askwise.simulate.runs import SimulatedRun
from askwise.simulate.workers import ALONE, answers_left, simulate_arm
from askwise.storage.journal import journal_of
from askwise.storage.store import Store
from askwise.web.learner.learner import Job, Learner

PEOPLE = 16
TOTAL_SECONDS = 120.0  # after which no more people are begun, if there are enough
MAX_RUN_SECONDS = 60.0
Pair = tuple[SimulatedRun, SimulatedRun]


async def simulate_next_people(learner: Learner, job: Job) -> tuple[int, list[SimulatedRun]]:
    """How many people are before the next one of a study, and the runs of people who start from them. The study keeps
    these, and how many questions those before save."""
    known, runs, due = await learner.run_in_background(known_runs, job)
    if not due:
        return known, runs
    pairs: list[Pair] = []
    end = time.monotonic() + TOTAL_SECONDS
    for person in range(PEOPLE):
        if len(pairs) >= MIN_FINISHED_RUNS and time.monotonic() > end:
            break
        pairs.append(await learner.run_in_background(simulate_pair, job, person))
    found: tuple[int, list[SimulatedRun]] = await learner.run_in_background(keep_pairs, job, pairs)
    return found


def known_runs(job: Job) -> tuple[int, list[SimulatedRun], bool]:
    """What the study keeps: from how many people, their runs, and whether many have come since; in a worker."""
    session, store, study = _study(job)
    before, runs = forecaster.load_next_runs(store, study)
    return before, runs, forecaster.next_runs_due(starting_point(session).people_before, before)


def simulate_pair(job: Job, person: int) -> Pair:
    """One person's runs, starting from those before and from nobody; in a worker."""
    session, _, _ = _study(job)
    start, rule, limit = starting_point(session), compared_rules(session)[0], answers_left(session)
    joined, alone = (
        simulate_arm(start, arm, rule, person, limit, time.monotonic() + MAX_RUN_SECONDS) for arm in (rule, ALONE)
    )
    return joined, alone


def keep_pairs(job: Job, pairs: list[Pair]) -> tuple[int, list[SimulatedRun]]:
    """Keeps what follows from them in the study; in a worker."""
    session, store, study = _study(job)
    before, runs = starting_point(session).people_before, [run for run, _ in pairs]
    saving = population_saving(before, pairs, answers_left(session))
    if saving is not None:
        save_saving(store, study, saving)
    forecaster.save_next_runs(store, study, before, runs)
    return before, runs


def _study(job: Job) -> tuple[Session, Store, int]:
    session = storage.open(job[0], log=job[1])
    journal = journal_of(session)
    return session, journal.store, journal.record.study
