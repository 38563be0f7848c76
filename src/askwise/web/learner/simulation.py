"""Simulated people for the dashboard: how many questions the rule saves against random ones.

Each person is one call of a process behind everything else, which has time for others between two of them.
"""

from __future__ import annotations

import logging
import time
from typing import Any

from askwise import storage
from askwise.simulate.plan import compared_rules, save_plan, summarise_runs
from askwise.simulate.populations import starting_point
from askwise.simulate.runs import SimulatedRun
from askwise.simulate.workers import answers_left, arms_of, simulate_arm
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
        for person in range(PEOPLE):
            for rule, run in (await studies.learner.run_in_background(simulate_rules, job, person)).items():
                runs.setdefault(rule, []).append(run)
            studies.plans[study] = person + 1, PEOPLE
            studies.changed(study)
            if time.monotonic() > end:
                break
        await studies.learner.run_in_background(conclude, job, runs)
    except Exception as error:
        logger.error("the simulation failed: %s", type(error).__name__)
    finally:
        del studies.plans[study]
        studies.changed(study)


def simulate_rules(job: Job, person: int) -> dict[str, SimulatedRun]:
    """One person's run by each rule and, where they start from others, without these; in a worker."""
    session = storage.open(job[0], log=job[1])
    start, rules, limit = starting_point(session), compared_rules(session), answers_left(session)
    return {
        arm: simulate_arm(start, arm, rules[0], person, limit, time.monotonic() + MAX_RUN_SECONDS)
        for arm in arms_of(start, rules)
    }


def conclude(job: Job, runs: dict[str, list[SimulatedRun]]) -> dict[str, Any]:
    """Keeps the plan; in a worker."""
    session = storage.open(job[0], log=job[1])
    people = min(len(runs[rule]) for rule in compared_rules(session))
    whole = {arm: found for arm, found in runs.items() if len(found) >= people}  # others may have come on the way
    found = summarise_runs(session, people, whole, starting_point(session).people_before)
    save_plan(session, found)
    return found
