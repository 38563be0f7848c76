"""What a simulated run needs to know of a task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from askwise.posteriors import Posterior
from askwise.problem import Problem
from askwise.simulate.people import Person
from askwise.types import Sample


@dataclass(frozen=True)
class Task:
    """A problem, the learner's prior, somebody who knows the truth, and what is measured of a posterior sample."""

    problem: Problem
    prior: Posterior
    person: Person
    metrics: Mapping[str, Callable[[Sample], float]]
    draws: int = 600  # of a turn; chain samplers have one a chain
