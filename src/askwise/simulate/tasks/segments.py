"""A synthetic task with a known truth: sorted items in segments, asked "do these two belong together?"."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from askwise.distances import Distance
from askwise.distances.intervals import IntervalMembership, PairDisagreement
from askwise.errors import SettingError
from askwise.losses import zero_one
from askwise.posteriors.segmentations.posterior import SegmentationPosterior
from askwise.problem import Problem
from askwise.simulate.people import LabellingPerson
from askwise.simulate.tasks.task import Task, check_settings, mean_distance
from askwise.structures.intervals import Segmentations

GOALS = ("segment_of", "segments")
DRAWS = 200  # a question, as the goals have them


def segments(
    rng: Generator,
    *,
    items: int = 150,
    intervals: int = 6,
    noise: float = 0.05,
    goal: str = "segments",
    told_noise: float | None = None,
) -> Task:
    """Items in a row, cut into `intervals` segments at random places. A share `noise` of answers is wrong.

    The goal is all segments, or that of a random item. The learner does not know how many segments there are. It learns
    the noise, unless `told_noise` says it. Metric: the posterior's mean distance to the truth.

    >>> sorted(segments(np.random.default_rng(0), items=12).metrics)
    ['error']
    """
    if goal not in GOALS:
        raise SettingError(f"the goal of a segments task is segment_of or segments; got {goal!r}")
    check_settings(items=items)
    if not 1 <= intervals <= items:
        raise SettingError(f"intervals must be from 1 to the number of items, {items}; got {intervals}")
    item = int(rng.integers(items))
    family = Segmentations(np.arange(items), around=item if goal == "segment_of" else None)
    distance: Distance = PairDisagreement(items)
    if goal == "segment_of":
        distance = IntervalMembership((item + 0.5) / items)
    truth = np.append(np.sort(rng.choice(family.edges[1:-1], intervals - 1, replace=False)), 1.0)
    prior = SegmentationPosterior.prior(family, told_noise)
    person = LabellingPerson(family, truth, noise)
    problem = Problem(family, distance, zero_one, prior.beta)
    return Task(problem, prior, person, {"error": mean_distance(distance, person)}, draws=DRAWS)
