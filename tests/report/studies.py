"""Small sessions of every goal with names that try to break out of the page, for the tests of the report."""

from __future__ import annotations

from functools import partial

import numpy as np

from askwise import goals
from askwise.goals import GOALS, goal_class

EVIL = "<script>alert(1)</script>"
NAMES = [EVIL, 'a"b', "c'd & e", "</style>", "--><img src=x onerror=alert(1)>", "plain"]
TABLE = {"name": NAMES, "size": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], f"kind {EVIL}": ["s", "s", "l", "l", "s", "l"]}
ENTRIES = {"row": NAMES, EVIL: [1.0, None, 2.0, None, 3.0, None], "</td>": [None, 2.0, None, 1.0, None, 0.0]}


def of_example(goal):
    """A session of the table with the other options of the goal's own example."""
    options = {name: value for name, value in goal_class(goal).example.items() if name != "data"}
    return GOALS[goal](TABLE, **options, seed=1, draws=16)


MADE = {
    **{goal: partial(of_example, goal) for goal in GOALS},
    "best_item": lambda: goals.best_item(TABLE, seed=1, draws=100),
    "top_k": lambda: goals.top_k(TABLE, 2, seed=1, draws=100),
    "ranking": lambda: goals.ranking(TABLE, seed=1, draws=100, ties=True),
    "classifier": lambda: goals.classifier(TABLE, labels=(EVIL, "yes"), seed=1, draws=100, fair_on=f"kind {EVIL}"),
    "cluster_of": lambda: goals.cluster_of(TABLE, EVIL, seed=1, draws=16),
    "clusters": lambda: goals.clusters(TABLE, seed=1, draws=16),
    "segment_of": lambda: goals.segment_of(TABLE, "size", EVIL, seed=1, draws=16),
    "segments": lambda: goals.segments({**TABLE, EVIL: [3, 1, 4, 1, 5, 9]}, EVIL, seed=1, draws=16),
    "hierarchy": lambda: goals.hierarchy(TABLE, seed=1, draws=16),
    "best_column": lambda: goals.best_column(ENTRIES, seed=1, draws=16, rank=1, rows=[0, 1, EVIL]),
    "matrix": lambda: goals.matrix(ENTRIES, seed=1, draws=16, rank=1, entry_range=5),
}


def answered(goal: str, count: int = 4, who: str = EVIL):
    """A session with some answers, a skip and an undo."""
    session = MADE[goal]()
    return go_on(session, count, who)


def go_on(session, count: int = 4, who: str = EVIL):
    rng = np.random.default_rng(1)
    for _ in range(count):
        question = session.ask()
        said = float(rng.standard_normal()) if question.kind == "number" else question.responses[int(rng.integers(2))]
        session.tell(said, who=question.who or who, seconds=2.0)
    if count:
        session.undo()
        session.skip(reason=EVIL, who=session.ask().who or who)
    return session
