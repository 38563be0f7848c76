"""One simulated run after another, and the error curves they make."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from askwise.errors import SettingError
from askwise.session import Session
from askwise.simulate.tasks import TASKS, Task
from askwise.streams import stream
from askwise.types import Floats

BOOTSTRAP = 2000  # resamples behind an interval
BAND = (16, 84)  # percentiles of a 68 % interval


def follow(task: Task, rule: str, questions: int, seed: int) -> Iterator[dict[str, float]]:
    """The metrics before the first question and after each answer. Questions may repeat: answers are noisy."""
    session = Session(task.problem, task.prior, rule=rule, seed=seed, repeat=True)
    yield {name: metric(session.sample) for name, metric in task.metrics.items()}
    for number in range(questions):
        task.person.answer(session, stream(seed, number, "person"))
        yield {name: metric(session.sample) for name, metric in task.metrics.items()}


def simulate(
    task: str,
    *,
    rule: str = "expected",
    questions: int = 100,
    runs: int = 10,
    seed: int = 0,
    progress: Callable[[int], Any] = lambda finished: None,
    **settings: Any,
) -> dict[str, Any]:
    """Error curves of a rule on a task: the mean over `runs` people and a 68 % bootstrap interval.

    >>> result = simulate("line", questions=3, runs=2, intervals=4)
    >>> sorted(result["metrics"]), len(result["metrics"]["error"]["mean"])
    (['diameter', 'error'], 4)
    """
    if task not in TASKS:
        raise SettingError(f"there is no task {task!r}; choose one of {', '.join(sorted(TASKS))}")
    if questions < 1 or runs < 1 or seed < 0:
        raise SettingError(
            f"questions and runs must be at least 1 and seed at least 0; got {questions}, {runs}, {seed}"
        )
    curves: list[list[dict[str, float]]] = []
    started = time.process_time()
    for number in range(runs):
        drawn = TASKS[task](stream(seed, number, f"task {task}"), **settings)
        curves.append(list(follow(drawn, rule, questions, seed * 1_000_003 + number)))
        progress(number + 1)
    spent = time.process_time() - started
    metrics = {name: summary(np.array([[step[name] for step in curve] for curve in curves])) for name in curves[0][0]}
    return {
        "task": task,
        "rule": rule,
        "questions": questions,
        "runs": runs,
        "seed": seed,
        "metrics": metrics,
        "cpu_ms_per_question": 1000 * spent / (runs * questions),
    }


def summary(curves: Floats) -> dict[str, list[float]]:
    """(R, T) -> the mean over runs and its bootstrap interval, for each of T steps.

    >>> summary(np.array([[0.0, 1.0], [1.0, 1.0]]))["mean"]
    [0.5, 1.0]
    """
    rows = stream(0, 0, "bootstrap").integers(len(curves), size=(BOOTSTRAP, len(curves)))
    low, high = np.percentile(curves[rows].mean(axis=1), BAND, axis=0)
    return {"mean": curves.mean(axis=0).tolist(), "low": low.tolist(), "high": high.tolist()}
