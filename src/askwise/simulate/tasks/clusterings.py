"""A synthetic task with a known truth: Gaussian clusters of items, asked "do these two belong together?"."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from askwise.distances import Distance
from askwise.distances.clusterings import ClusterOf, ClusterPairs
from askwise.errors import SettingError
from askwise.losses import zero_one
from askwise.posteriors.clusterings.cloud_posterior import clustering_prior
from askwise.problem import Problem, noise_beta
from askwise.simulate.people import LabellingPerson
from askwise.simulate.tasks.task import Task, mean_distance
from askwise.structures.clusterings import Clusterings

CENTRE_SPREAD = 1.6  # standard deviation of the centres; items spread by 1 around them
GOALS = ("cluster_of", "clusters")


def clusters(
    rng: Generator,
    *,
    items: int = 150,
    clusters: int = 8,
    dim: int = 3,
    noise: float = 0.05,
    goal: str = "cluster_of",
    told_noise: float | None = None,
    trust: float | None = 1.0,
    chains: int = 64,
) -> Task:
    """Items in clusters of random size (uniform over all shares), centres N(0, 1.6^2 I), spread 1, noisy answers.

    The goal is the cluster of a random item, or all clusters. In the first case half of the candidates are about that
    item. The learner knows the features and the noise, unless `told_noise` misleads it. It has to learn the scales.
    `trust` is how far it trusts the features, which deserve full trust here; None learns it, as the goals do. Metric:
    the posterior's mean distance to the truth.

    >>> sorted(clusters(np.random.default_rng(0), items=12, chains=8).metrics)
    ['error']
    """
    if goal not in GOALS:
        raise SettingError(f"the goal of a clusters task is cluster_of or clusters; got {goal!r}")
    if items < 2 or clusters < 1 or dim < 0 or chains < 2:
        raise SettingError(
            f"a clusters task needs at least 2 items, 1 cluster, 0 dimensions and 2 chains; "
            f"got {items}, {clusters}, {dim} and {chains}"
        )
    believed = noise if told_noise is None else told_noise
    if believed <= 0:
        raise SettingError(f"a clusters task needs some noise, or told_noise; got {believed}")
    truth = rng.choice(clusters, items, p=rng.dirichlet(np.ones(clusters)))
    features = CENTRE_SPREAD * rng.standard_normal((clusters, dim))[truth] + rng.standard_normal((items, dim))
    item = int(rng.integers(items))
    family = Clusterings(items, around=item if goal == "cluster_of" else None)
    distance: Distance = ClusterOf(item) if goal == "cluster_of" else ClusterPairs()
    problem = Problem(family, distance, zero_one, noise_beta(believed))
    seed = int(rng.integers(2**31))
    prior = clustering_prior(family, problem.beta, features=features, trust=trust, chains=chains, seed=seed)
    person = LabellingPerson(family, truth, noise)
    return Task(problem, prior, person, {"error": mean_distance(distance, person)}, draws=chains)
