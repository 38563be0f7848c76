"""A synthetic task on the line: which clustering of it is the true one?"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from askwise.distances import Distance, TableDistance, form_of
from askwise.distances.intervals import IntervalMembership, PairDisagreement
from askwise.errors import SettingError
from askwise.losses import zero_one
from askwise.posteriors.enumerated import Enumerated
from askwise.problem import Problem, noise_beta
from askwise.simulate.people import BoundedNoisePerson, LabellingPerson
from askwise.simulate.tasks.task import Task, check_settings, mean_distance
from askwise.strategies.split import average_diameter
from askwise.structures.finite import Finite
from askwise.structures.intervals import IntervalClusterings, hard_clusterings

KNOWN_MASS = 0.25  # of the interval that is known from the start


def line(
    rng: Generator,
    *,
    intervals: int = 8,
    distance: str | Distance = "d_I",
    noise: float = 0.0,
    margin: float | None = None,
    adversarial: bool = False,
) -> Task:
    """A clustering of the line out of the hard set (see `hard_clusterings`), same-or-different questions.

    A share `noise` of answers is wrong, and the learner knows it; or people have bounded noise with a `margin`, and the
    learner takes the beta for which the paper's consistency theorem holds, a tenth of it. `distance` is a name, or a
    distance between clusterings of the line.

    >>> sorted(line(np.random.default_rng(0), intervals=4, distance=PairDisagreement()).metrics)
    ['diameter', 'error']
    """
    check_settings(intervals=intervals)
    distances: dict[str, Distance] = {"d_I": IntervalMembership(KNOWN_MASS / 2), "d_c": PairDisagreement()}
    chosen = distances.get(distance) if isinstance(distance, str) else distance
    if not isinstance(chosen, Distance):
        raise SettingError(f"the distance of a line task is d_I or d_c; got {distance!r}")
    structures, points = hard_clusterings(intervals, KNOWN_MASS)
    pairs = IntervalClusterings(points).draw_atoms(len(points) ** 2, rng)
    names = [f"{left:.4g} and {right:.4g}" for left, right in pairs]
    family = Finite(IntervalClusterings(points).predict(structures, pairs), {"same": 1, "different": 0}, names)
    tabled = TableDistance(chosen.pairwise(structures))
    truth = np.asarray(rng.integers(len(structures)))
    person: LabellingPerson | BoundedNoisePerson = LabellingPerson(family, truth, noise)
    if margin is not None:
        person = BoundedNoisePerson(family, truth, margin, adversarial)
    problem = Problem(family, tabled, zero_one, noise_beta(noise) if margin is None else margin / 10)
    prior = Enumerated.prior(family, np.arange(len(structures)), zero_one, problem.beta)
    metrics = {
        "diameter": lambda sample: average_diameter(form_of(tabled, sample.structures), sample.weights, sample.exact),
        "error": mean_distance(tabled, person),
    }
    return Task(problem, prior, person, metrics)
