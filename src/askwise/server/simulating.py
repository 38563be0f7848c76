"""Simulated people for the dashboard: how many questions the rule saves against random ones.

Each person is one call of a process behind everything else, which has time for others between two of them.
"""

from __future__ import annotations

import logging
import time
from typing import Any

from askwise import study as studies
from askwise.server.hub import Hub
from askwise.server.learner import Job
from askwise.simulate.plan import Journey, journey
from askwise.study.forecasts import limit_of
from askwise.study.planning import keep, rules_of, summary

PEOPLE = 12
SECONDS = 90.0  # for all of them
LONGEST = 15.0  # for one
logger = logging.getLogger("askwise.server")


async def simulate(hub: Hub, study: str, job: Job) -> None:
    """Lets people travel one after the other, and keeps the plan that follows in the study.

    Whoever starts it has noted so in `hub.plans`.
    """
    trips: dict[str, list[Journey]] = {}
    end = time.monotonic() + SECONDS
    try:
        for person in range(PEOPLE):
            for rule, trip in (await hub.learner.run_aside(travel, job, person)).items():
                trips.setdefault(rule, []).append(trip)
            hub.plans[study] = person + 1, PEOPLE
            hub.changed(study)
            if time.monotonic() > end:
                break
        await hub.learner.run_aside(conclude, job, trips)
    except Exception as error:
        logger.error("the simulation failed: %s", type(error).__name__)
    finally:
        del hub.plans[study]
        hub.changed(study)


def travel(job: Job, person: int) -> dict[str, Journey]:
    """One person's journey by each rule; in a worker."""
    session = studies.open(job[0], log=job[1])
    limit = limit_of(session)
    return {rule: journey(session, rule, person, limit, time.monotonic() + LONGEST) for rule in rules_of(session)}


def conclude(job: Job, trips: dict[str, list[Journey]]) -> dict[str, Any]:
    """Keeps the plan; in a worker."""
    session = studies.open(job[0], log=job[1])
    found = summary(session, min(map(len, trips.values())), trips)
    keep(session, found)
    return found
