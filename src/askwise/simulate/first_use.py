"""Small studies that use all compiled code once: it is compiled and kept on disk before somebody waits for it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any, NamedTuple

from askwise import goals
from askwise._runtime.processes import end_pool, spawn
from askwise.goals.base.registry import built_in
from askwise.session import Session

NAMES = ["a", "b", "c", "d", "e"]
TABLE = {"name": NAMES, "size": [1.0, 2.0, 3.0, 5.0, 4.0]}
GRADES = ("slightly", "clearly", "much")
# by what they are called: the goal and its options, beyond those of the goal's own example
VARIANTS: dict[str, tuple[str, Mapping[str, Any]]] = {
    "best_item with features": ("best_item", {"data": TABLE}),
    "best_item with ties": ("best_item", {"data": NAMES, "ties": True}),
    "best_item without errors": ("best_item", {"data": TABLE, "noise": 0.0}),
    "best_item with grades": ("best_item", {"data": NAMES, "grades": GRADES}),
    "best of three": ("best_item", {"data": NAMES, "shown": 3}),
    "best and worst of three": ("best_item", {"data": NAMES, "shown": 3, "worst": True}),
    "classifier with three labels": ("classifier", {"data": TABLE, "labels": ("no", "maybe", "yes")}),
    "clusters with features": ("clusters", {"data": TABLE}),
    "hierarchy with features": ("hierarchy", {"data": TABLE}),
}
# studies that share most of their code are used in turn, in one process; any others form the first group
GROUPS = (
    ("clusters", "clusters with features", "cluster_of"),
    ("hierarchy", "hierarchy with features"),
    ("matrix", "best_column"),
    ("best_item with grades", "best of three", "best and worst of three"),
    ("classifier with three labels", "best_item without errors", "segments", "segment_of"),
)
ANSWERS = 2  # to each study: after the first, beliefs are changed, not made


class Compiled(NamedTuple):
    """What using a group of studies compiled."""

    studies: tuple[str, ...]
    functions: list[str]
    folders: set[str]  # where compiled code is kept


def example_studies() -> dict[str, tuple[str, Mapping[str, Any]]]:
    """A small study of each goal, and of each kind of answer: the goal and its options.

    >>> {"best_item", "clusters", "hierarchy", "best of three"} < set(example_studies())
    True
    """
    examples = {name: (name, kind.example) for name, kind in built_in().items()}
    return {**examples, **VARIANTS}


def use(name: str, answers: int = ANSWERS) -> Session:
    """Makes an example study, answers it, and looks at its result and at what the next question would settle.

    >>> len(use("top_k").answers)
    2
    """
    goal, options = example_studies()[name]
    session: Session = getattr(goals, goal)(**options)
    for _ in range(answers):
        if session.done:  # such as when every question was asked
            break
        question = session.ask()
        session.tell(1.0 if question.kind == "number" else question.responses[0], question)
    if not session.done:
        session.why(session.ask())
    session.estimate()
    session.certificate()
    return session


def study_groups() -> list[tuple[str, ...]]:
    """All example studies, those with the same code together; the longest group first.

    >>> sorted(sum(study_groups(), ())) == sorted(example_studies())
    True
    """
    others = tuple(name for name in example_studies() if not any(name in group for group in GROUPS))
    return [others, *GROUPS]


def use_group(studies: tuple[str, ...]) -> Compiled:
    """Uses these studies, one after the other."""
    from askwise._runtime.compiled import cache_folders, compiled_here  # brings numba

    before = len(compiled_here())
    for name in studies:
        use(name)
    return Compiled(studies, compiled_here()[before:], cache_folders())


def compile_all() -> Iterator[Compiled]:
    """Uses all example studies, in a process for each core, and says of each group what it compiled."""
    with ProcessPoolExecutor(os.cpu_count(), mp_context=spawn) as pool:
        try:
            for done in as_completed([pool.submit(use_group, group) for group in study_groups()]):
                yield done.result()
        except BaseException:  # such as Ctrl-C, which the processes do not hear
            end_pool(pool)
            raise
