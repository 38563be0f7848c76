"""What a simulated run needs to know of a task, and what the tasks share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from askwise.distances import Distance
from askwise.errors import SettingError
from askwise.posteriors import Posterior
from askwise.problem import Problem
from askwise.session import Session
from askwise.simulate.people import SimulatedPerson
from askwise.types import Sample

Metric = Callable[[Sample], float]
SMALLEST_SETTINGS = {"items": 2, "intervals": 2, "dim": 1}


class KnowsTruth(Protocol):
    """Whose truth may be compared with a posterior; a drifting person's changes."""

    @property
    def truth(self) -> Any: ...


@dataclass(frozen=True)
class Task:
    """A problem, the learner's prior, somebody who knows the truth, and what is measured of a posterior sample."""

    problem: Problem
    prior: Posterior
    person: SimulatedPerson
    metrics: Mapping[str, Metric]
    draws: int = 600  # a question; samplers of chains have one a chain

    def session(self, rule: str, seed: int, *, repeat: bool = True) -> Session:
        """A new session about the task. Questions may repeat, since answers are noisy.

        >>> from askwise.simulate.tasks import line
        >>> line(np.random.default_rng(0), intervals=4).session("ndbal", seed=1)
        <Session: 0 answers, 0 open>
        """
        return Session(self.problem, self.prior, rule=rule, seed=seed, draws=self.draws, repeat=repeat)


def mean_distance(distance: Distance, person: KnowsTruth, scale: float = 1.0) -> Metric:
    """The posterior's mean distance to what is true of the person by now: the error of the paper.

    >>> from askwise.distances import TableDistance
    >>> from askwise.simulate.people import LabellingPerson
    >>> from askwise.structures.finite import Finite
    >>> error = mean_distance(TableDistance(1 - np.eye(2)), LabellingPerson(Finite([[0], [1]]), np.asarray(1)))
    >>> error(Sample(np.arange(2), np.array([0.25, 0.75]), exact=True))
    0.25
    """

    def error(sample: Sample) -> float:
        truths = np.repeat(np.asarray(person.truth)[None], len(sample.weights), axis=0)
        return scale * float(sample.weights @ distance.paired(sample.structures, truths))

    return error


def check_settings(**settings: float) -> None:
    """Refuses settings that are too small.

    >>> check_settings(items=1)
    Traceback (most recent call last):
    askwise.errors.SettingError: items must be at least 2, got 1
    """
    for name, value in settings.items():
        if not value >= SMALLEST_SETTINGS.get(name, 0) or not value > 0:
            least = f"at least {SMALLEST_SETTINGS[name]}" if name in SMALLEST_SETTINGS else "positive"
            raise SettingError(f"{name} must be {least}, got {value}")
