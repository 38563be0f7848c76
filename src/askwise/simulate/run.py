"""One simulated run, and what many of them say together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from askwise.session import Session
from askwise.simulate.people import answer
from askwise.simulate.task import Task
from askwise.streams import stream
from askwise.types import Floats

BOOTSTRAP = 2000  # resamples behind an interval
BAND = (16, 84)  # percentiles of a 68 % interval


def follow(task: Task, rule: str, questions: int, seed: int) -> Iterator[dict[str, float]]:
    """The metrics before the first question and after each answer. Questions may repeat: answers are noisy."""
    session = Session(task.problem, task.prior, rule=rule, seed=seed, draws=task.draws, repeat=True)
    yield {name: metric(session.sample) for name, metric in task.metrics.items()}
    for number in range(questions):
        answer(session, task.person, stream(seed, number, "person"))
        yield {name: metric(session.sample) for name, metric in task.metrics.items()}


def summary(curves: Floats) -> dict[str, list[float]]:
    """(R, T) -> the mean over runs and its bootstrap interval, for each of T steps.

    >>> summary(np.array([[0.0, 1.0], [1.0, 1.0]]))["mean"]
    [0.5, 1.0]
    """
    rows = stream(0, 0, "bootstrap").integers(len(curves), size=(BOOTSTRAP, len(curves)))
    low, high = np.percentile(curves[rows].mean(axis=1), BAND, axis=0)
    return {"mean": curves.mean(axis=0).tolist(), "low": low.tolist(), "high": high.tolist()}
