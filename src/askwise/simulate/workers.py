"""Simulated people in worker processes. A worker gets the session as a `PackedSession` and starts where it stands."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from math import ceil, inf
from typing import NamedTuple

from askwise._runtime.processes import spawn
from askwise.goals import remake
from askwise.session import Session, recording
from askwise.session.config import Recipe
from askwise.session.events import Event
from askwise.simulate.forecast import MIN_FINISHED_RUNS
from askwise.simulate.populations import StartingPoint
from askwise.simulate.runs import SimulatedRun, simulate_person
from askwise.simulate.tastes import TASTES, item_features
from askwise.storage.checkpoints import dump_posteriors, load_posteriors
from askwise.structures import DrawsResponses

MAX_ANSWERS = 400  # of a simulated person
ALONE = "without people before"  # in place of a strategy: the study's own, starting from nobody
HASTY = "hasty people"  # the same, with people whom the model does not expect
HASTY_LAPSES = 0.1  # of their answers are given by accident
PEOPLE_BY_TASTE = 8  # at most, of each of `TASTES`

_start: StartingPoint | None = None  # of a worker process


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
        beliefs = self.beliefs
        if beliefs is None or not recording.resume(session, self.log, partial(load_posteriors, beliefs)):
            session.replay(self.log)
        return session


def answers_left(session: Session) -> int:
    """Answers that the budget still allows; at most `MAX_ANSWERS`.

    >>> from askwise.goals import best_item
    >>> answers_left(best_item(["tea", "coffee"], budget=7, draws=50))
    7
    """
    goal = session.pursued or {"options": {}}
    return max(1, min(MAX_ANSWERS, int(goal["options"].get("budget", MAX_ANSWERS)) - len(session.answers)))


def session_pool(workers: int, packed: Sequence[PackedSession]) -> ProcessPoolExecutor:
    """Worker processes that each hold the sessions."""
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


def simulate_arms(
    start: StartingPoint,
    rules: Sequence[str],
    people: int,
    seconds: float,
    workers: int,
    after_each: Callable[[int, int], None],
) -> dict[str, list[SimulatedRun]]:
    """By rule, the runs of the same people, as many as there is time for; the last ones may be cut short. Also those of
    the other arms of `arms_of`."""
    arms, limit = arms_of(start, rules), answers_left(start.session)
    found: dict[str, list[tuple[int, SimulatedRun]]] = {arm: [] for arm in arms}
    packed = [PackedSession.of(session) for session in start if session is not None]
    with session_pool(workers, packed) as pool:
        deadline = time.time() + seconds
        jobs = {
            pool.submit(_simulate_in_worker, arm, rules[0], person, limit, deadline, workers): (arm, person)
            for arm, person in run_order(arms, rules, people)
        }
        for done, job in enumerate(as_completed(jobs), 1):
            arm, person = jobs[job]
            run = job.result()
            if run is not None:
                found[arm].append((person, run))
            after_each(done, len(jobs))
    return {arm: [run for _, run in sorted(runs, key=lambda pair: pair[0])] for arm, runs in found.items()}


def arms_of(start: StartingPoint, rules: Sequence[str]) -> list[str]:
    """What is compared: the strategies; `HASTY`, where answers may be wrong and are not numbers; of these, `TASTES`,
    where items have features and nobody has answered yet; and `ALONE`, where people start from others."""
    session, problem = start.session, start.session.problem
    lapses = problem.beta < inf and problem.margin is None and not isinstance(problem.family, DrawsResponses)
    tastes = lapses and start.alone is None and not session.answers and item_features(session) is not None
    return [
        *rules,
        *([HASTY] if lapses else []),
        *(TASTES if tastes else []),
        *([] if start.alone is None else [ALONE]),
    ]


def run_order(arms: Sequence[str], rules: Sequence[str], people: int) -> list[tuple[str, int]]:
    """Which arm simulates which person, the most important first.

    These are the first people with the study's own strategy, without whom there is no plan; then the first ones of
    every arm, and then the others. Random questions take longest and come last of each.

    >>> run_order(["expected", "random", HASTY], ["expected", "random"], people=1)
    [('expected', 0), ('hasty people', 0), ('random', 0)]
    """
    wanted = [
        (arm, number) for number in range(people) for arm in arms if arm not in TASTES or number < PEOPLE_BY_TASTE
    ]

    def place(run: tuple[str, int]) -> tuple[bool, bool, bool]:
        arm, person = run
        later = person >= MIN_FINISHED_RUNS
        return later, not later and arm != rules[0], arm == rules[-1]

    return sorted(wanted, key=place)


def simulate_arm(start: StartingPoint, arm: str, own: str, person: int, limit: int, deadline: float) -> SimulatedRun:
    """One person's run by that strategy, or by the study's `own` without those before, in haste or of some taste; until
    the deadline of `time.monotonic`."""
    if arm in TASTES:
        return simulate_person(start.session, own, person, limit, deadline, taste=arm)
    if arm == HASTY:
        return simulate_person(start.session, own, person, limit, deadline, lapses=HASTY_LAPSES)
    if arm == ALONE:
        assert start.alone is not None
        return simulate_person(start.alone, own, person, limit, deadline, start.session)
    return simulate_person(start.session, arm, person, limit, deadline)


def _simulate_in_worker(
    arm: str, own: str, person: int, limit: int, deadline: float, workers: int
) -> SimulatedRun | None:
    """One run, unless the time is over; the deadline is one of `time.time`, the clock that processes share. The first
    people with the study's own strategy share the time, so that there are enough of them for a plan."""
    left = deadline - time.time()
    if arm == own and person < MIN_FINISHED_RUNS:
        left /= ceil((MIN_FINISHED_RUNS - person) / workers)
    assert _start is not None
    return simulate_arm(_start, arm, own, person, limit, time.monotonic() + left) if left > 0 else None


def _unpack_in_worker(packed: Sequence[PackedSession]) -> None:
    global _start
    _start = StartingPoint(*(each.unpack() for each in packed))
