"""Simulated people for the dashboard: how many questions the rule saves against random ones.

Each run is one call of a process behind everything else, which has time for others between two of them.
"""

from __future__ import annotations

import logging
import time
from typing import Any

from askwise import storage
from askwise.simulate.plan import compared_rules, save_plan, summarise_runs
from askwise.simulate.populations import starting_point
from askwise.simulate.runs import SimulatedRun
from askwise.simulate.workers import answers_left, arms_of, run_order, simulate_arm
from askwise.web.learner.learner import Job
from askwise.web.studies import ServedStudies

PEOPLE = 12
TOTAL_SECONDS = 90.0  # after which no more people are begun
MAX_RUN_SECONDS = 15.0
logger = logging.getLogger("askwise.web")


async def simulate(studies: ServedStudies, study: str, job: Job) -> None:
    """Simulates people one after the other, and keeps the plan that follows in the study.

    Whoever starts it has noted so in `studies.plans`.
    """
    runs: dict[str, list[SimulatedRun]] = {}
    end = time.monotonic() + TOTAL_SECONDS
    try:
        wanted = await studies.learner.run_in_background(wanted_runs, job)
        for done, (arm, person) in enumerate(wanted, 1):
            run = await studies.learner.run_in_background(simulate_one, job, arm, person)
            if run is not None:
                runs.setdefault(arm, []).append(run)
            studies.plans[study] = done, len(wanted)
            studies.changed(study)
            if time.monotonic() > end:
                break
        await studies.learner.run_in_background(conclude, job, runs)
    except Exception as error:
        logger.error("the simulation failed: %s", type(error).__name__)
    finally:
        del studies.plans[study]
        studies.changed(study)


def wanted_runs(job: Job) -> list[tuple[str, int]]:
    """Which arm simulates which person, in this order; none if nothing is left to ask; in a worker."""
    session = storage.open(job[0], log=job[1])
    start, rules = starting_point(session), compared_rules(session)
    return [] if start.session.done else run_order(arms_of(start, rules), rules, PEOPLE)


def simulate_one(job: Job, arm: str, person: int) -> SimulatedRun | None:
    """One person's run; None if people have answered since, so that there is no such arm any more; in a worker."""
    session = storage.open(job[0], log=job[1])
    start, rules, limit = starting_point(session), compared_rules(session), answers_left(session)
    if arm not in arms_of(start, rules):
        return None
    return simulate_arm(start, arm, rules[0], person, limit, time.monotonic() + MAX_RUN_SECONDS)


def conclude(job: Job, runs: dict[str, list[SimulatedRun]]) -> dict[str, Any]:
    """Keeps the plan; in a worker."""
    session = storage.open(job[0], log=job[1])
    start = starting_point(session)
    found = summarise_runs(session if runs else start.session, PEOPLE, runs, start.people_before)
    save_plan(session, found)
    return found
