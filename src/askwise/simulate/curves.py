"""The error curve of one simulated run of a task, and what many of them say together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from askwise._runtime.streams import stream
from askwise.simulate.runs import person_streams, simulate_answers
from askwise.simulate.tasks.task import Task
from askwise.types import Floats

RESAMPLES = 2000  # of the bootstrap behind an interval
INTERVAL = (16, 84)  # percentiles of a 68 % interval


def measure_task(task: Task, rule: str, questions: int, seed: int) -> Iterator[dict[str, float]]:
    """The task's metrics before the first question and after each answer.

    >>> from askwise.simulate.tasks import line
    >>> len(list(measure_task(line(np.random.default_rng(0), intervals=4), "ndbal", questions=2, seed=0)))
    3
    """
    session = task.session(rule, seed)
    yield {name: metric(session.sample) for name, metric in task.metrics.items()}
    for _ in simulate_answers(session, task.person, person_streams(seed, questions)):
        yield {name: metric(session.sample) for name, metric in task.metrics.items()}


def mean_curve(curves: Floats) -> dict[str, list[float]]:
    """(R, T) -> the mean over R runs and its 68 % bootstrap interval, for each of T steps.

    >>> mean_curve(np.array([[0.0, 1.0], [1.0, 1.0]]))["mean"]
    [0.5, 1.0]
    """
    rows = stream(0, 0, "bootstrap").integers(len(curves), size=(RESAMPLES, len(curves)))
    low, high = np.percentile(curves[rows].mean(axis=1), INTERVAL, axis=0)
    return {"mean": curves.mean(axis=0).tolist(), "low": low.tolist(), "high": high.tolist()}
