"""One simulated person and one session: what is found and what is stated at the stop, and the regret along the way."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

import askwise
from askwise.distances.items import ItemRegret
from askwise.simulate.runs import person_streams, simulate_answers
from benchmarks.common import shape_options
from benchmarks.trust.people import TablePerson, table_named

CHECKPOINTS = (15, 30, 60)  # answers after which the regret is measured


class Job(NamedTuple):
    """A person, and the shape that the learner assumes."""

    table: str
    kind: str
    seed: int
    shape: str  # of the goal's option; several with + between
    budget: int = 150
    answers: int = CHECKPOINTS[-1]  # at least so many, also beyond the stop


def run(job: Job) -> dict[str, Any]:
    """What happened, as one line of the results."""
    person = TablePerson.of(job.table, job.kind, job.seed)
    options = shape_options(askwise.best_item, job.shape)
    start = time.process_time()
    session = askwise.best_item(table_named(job.table).data, seed=job.seed, budget=job.budget, **options)
    stopped: dict[str, Any] = {}
    regrets: dict[str, float] = {}
    for number, _ in enumerate(simulate_answers(session, person, person_streams(job.seed, job.budget)), start=1):
        if not stopped and session.done:
            stopped = at_the_stop(session, person)
        if number in CHECKPOINTS:
            regrets[str(number)] = person.errors(best_place(session))["regret"]
        if stopped and number >= job.answers:
            break
    return {**job._asdict(), **stopped, "regret_after": regrets, "cpu_seconds": round(time.process_time() - start, 2)}


def at_the_stop(session: askwise.Session, person: TablePerson) -> dict[str, Any]:
    """The certificate's claims, and the truth in the same distance."""
    certificate = session.certificate()
    found = estimated_utilities(session)
    distance = ItemRegret(np.eye(len(found))).paired(found[None], person.utilities[None])
    errors = person.errors(int(found.argmax()))
    return {
        "questions": len(session.answers),
        "settled": getattr(session.reason, "kind", None) == "settled",
        "true": float(distance[0]),
        "stated": certificate.expected_distance,
        "right": 1 - errors["wrong"],
        "stated_right": certificate.probability_exact,
        "regret": errors["regret"],
        "warned": certificate.warning is not None,
    }


def estimated_utilities(session: askwise.Session) -> Any:
    """(N,): what the estimate thinks of each item."""
    family: Any = session.problem.family
    return family.utilities(session.estimate().structure[None])[0]


def best_place(session: askwise.Session) -> int:
    """The place of the item that the session names."""
    return int(estimated_utilities(session).argmax())


def jobs_of(kinds: Mapping[str, Iterable[str]], shapes: Iterable[str], people: int, budget: int) -> list[Job]:
    """One job for each person, from the kinds by table.

    The first people of all kinds come first, so that an interrupted run is balanced.
    """
    cells = [(table, kind, shape) for table, names in kinds.items() for kind in names for shape in shapes]
    return [Job(table, kind, seed, shape, budget) for seed in range(people) for table, kind, shape in cells]
