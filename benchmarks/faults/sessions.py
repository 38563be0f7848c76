"""Small sessions of every kind, and whether two of them are in the same state."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import askwise
from askwise.distances.labels import Disagreement
from askwise.posteriors.enumerated import Enumerated
from askwise.structures.finite import Finite
from benchmarks.faults.common import Outcome, attempt, random_response

NAMES = ["tea", "coffee", "water", "milk", "juice"]
TABLE = {"name": NAMES, "x": [1.0, 2.0, 4.0, 3.0, 7.0], "y": [2.0, 1.0, 1.0, 3.0, 5.0]}
MATRIX = {"name": NAMES[:3], "x": [1.0, None, 2.0], "y": [None, 3.0, None], "z": [0.5, None, None]}


def problem_by_hand() -> tuple[askwise.Problem, Enumerated]:
    family = Finite([[0, 0], [0, 1], [1, 1]])
    problem = askwise.Problem(family, Disagreement(family, np.arange(2)), askwise.zero_one, beta=2.0)
    return problem, Enumerated.prior(family, np.arange(3), askwise.zero_one, beta=2.0)


KINDS: dict[str, Callable[[], askwise.Session]] = {
    "pair": lambda: askwise.best_item(NAMES, draws=16, seed=3),
    "ties": lambda: askwise.best_item(TABLE, ties=True, draws=16, seed=3),
    "top": lambda: askwise.top_k(NAMES, 2, draws=16, seed=3),
    "ranking": lambda: askwise.ranking(TABLE, draws=16, seed=3),
    "label": lambda: askwise.classifier(TABLE, draws=16, seed=3),
    "digits": lambda: askwise.classifier(TABLE, labels=(0, 1), draws=16, seed=3),
    "labels": lambda: askwise.classifier(TABLE, labels=("a", "b", "c"), draws=16, seed=3),
    "same": lambda: askwise.clusters(NAMES, draws=8, seed=3),
    "of": lambda: askwise.cluster_of(TABLE, "tea", draws=8, seed=3),
    "line": lambda: askwise.segments(TABLE, "x", draws=8, seed=3),
    "triple": lambda: askwise.hierarchy(NAMES, draws=8, seed=3),
    "number": lambda: askwise.best_column(MATRIX, draws=8, seed=3),
    "hand": lambda: askwise.Session(*problem_by_hand(), seed=3, draws=8, stop=askwise.Budget(9), repeat=True),
}
STORED = [kind for kind in KINDS if kind != "hand"]
ALIKE = ("pair", "label", "same")  # kinds that answer quickly, for long sessions


@dataclass(frozen=True)
class Setting:
    """A kind of session, how many answers it has, whether a question is open, and whether it is on disk."""

    kind: str
    answers: int
    asked: bool
    stored: bool

    @staticmethod
    def any(rng: random.Random) -> Setting:
        kind = rng.choice(list(KINDS))
        return Setting(kind, rng.choice((0, 1, 1, 2)), rng.random() < 0.7, kind != "hand" and rng.random() < 0.4)

    def session(self, path: Path | None = None) -> askwise.Session:
        """The session, always the same one; in a file if there is a path and it is to be stored."""
        session, rng = KINDS[self.kind](), random.Random(self.answers)
        if self.stored and path is not None:
            askwise.save(session, path)
            session = askwise.open(path)
        for _ in range(self.answers):
            question = session.ask()
            session.tell(random_response(question, rng), question)
        if self.asked:
            session.ask()
        return session


def timeless(log: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Events without the moment they happened at."""
    return [{part: value for part, value in event.items() if part != "time"} for event in log]


def difference(session: askwise.Session, twin: askwise.Session) -> str:
    """In what a session differs from one that was built the same way and left alone; empty if in nothing."""
    if repr(timeless(session.log)) != repr(timeless(twin.log)):
        return f"the log has {len(session.log)} events, not the {len(twin.log)} it should have"
    if session.event_log.status != twin.event_log.status:
        return f"the status is {session.event_log.status}, not {twin.event_log.status}"
    if session.diameter != twin.diameter:
        return f"the diameter is {session.diameter}, not {twin.diameter}"
    next_one, expected = _next(session), _next(twin)
    return "" if next_one == expected else f"the next question is {next_one}, not {expected}"


def _next(session: askwise.Session) -> str:
    try:
        return repr(session.ask())
    except askwise.NothingToAsk:
        return "none"


def answered(
    session: askwise.Session, outcome: Outcome, how: str, rng: random.Random, count: int
) -> list[tuple[str, Any]]:
    """Answers until one is refused; those acknowledged."""
    given = []
    for _ in range(count):
        asked = attempt(outcome, f"ask: {how}", session.ask)
        if not asked.done:
            break
        response = random_response(asked.value, rng)
        log = len(session.log)
        answered = attempt(outcome, f"tell: {how}", lambda: session.tell(response, asked.value))  # noqa: B023
        if not answered.done:
            grown = len(session.log) > log
            outcome.expect(not grown, "state_changed_after_refusal", f"{how}: tell was refused, the session took it")
            break
        given.append((asked.value.id, response))
    return given
