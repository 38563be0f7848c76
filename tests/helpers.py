"""What the tests share: seeds, random finite families in which everything is known, and small oracles."""

from __future__ import annotations

import os
import zlib
from contextlib import suppress
from math import inf

import numpy as np
from sqlalchemy import select

from askwise.distances import TableDistance
from askwise.losses import logistic, zero_one
from askwise.posteriors.enumerated import Enumerated
from askwise.problem import Problem
from askwise.storage.schema import metadata
from askwise.structures.finite import Finite
from askwise.types import Sample

SEED = int(os.environ.get("ASKWISE_TEST_SEED", "0"))


def generator(*key: int) -> np.random.Generator:
    return np.random.default_rng([SEED, *key])


def without_times(log):
    """Events without their times."""
    return [{part: value for part, value in event.items() if part != "time"} for event in log]


def random_distances(rng, size):
    table = rng.random((size, size))
    table = (table + table.T) / 2
    np.fill_diagonal(table, 0.0)
    return table


def label_problem(rng, labels=2, beta=inf, size=9, atoms=6):
    """A random table of labels under the 0-1 loss, random distances, a random prior: (problem, prior)."""
    table = rng.integers(labels, size=(size, atoms))
    table[0, :labels] = np.arange(labels)  # every label occurs
    family = Finite(table)
    problem = Problem(family, TableDistance(random_distances(rng, size)), zero_one, beta)
    return problem, Enumerated.prior(family, np.arange(size), zero_one, beta, rng.dirichlet(np.ones(size)))


def score_problem(rng, beta=1.0, loss=logistic, responses=(-1, 1), size=9, atoms=6):
    """The same with real scores and a loss of scores."""
    family = Finite(2 * rng.standard_normal((size, atoms)), responses=list(responses))
    problem = Problem(family, TableDistance(random_distances(rng, size)), loss, beta)
    return problem, Enumerated.prior(family, np.arange(size), loss, beta, rng.dirichlet(np.ones(size)))


def exact_sample(prior) -> Sample:
    return Sample(prior.structures, prior.weights, exact=True)


class SampledPosterior:
    """A posterior that gives only independent draws, as a sampler does."""

    def __init__(self, weights):
        self.weights = np.asarray(weights)

    def sample(self, count, rng):
        return Sample(rng.choice(len(self.weights), count, p=self.weights), np.full(count, 1 / count), exact=False)

    def update(self, answer, rng):
        return SampledPosterior(self.weights)

    def diagnostics(self):
        return {}


def chi_square(observed, expected) -> float:
    """The p value of counts against their expected values."""
    from scipy.stats import chisquare

    observed, expected = np.asarray(observed, dtype=float), np.asarray(expected, dtype=float)
    assert not observed[expected == 0].any()
    kept = expected > 0
    return float(chisquare(observed[kept], expected[kept] * observed.sum() / expected.sum()).pvalue)


def stored_bytes(store):
    """All that a database holds, unpacked where it is packed."""
    found = []
    for table in metadata.sorted_tables:
        for row in store.read(select(table)):
            for value in row:
                found.append(repr(value).encode())
                with suppress(TypeError, zlib.error):
                    found.append(zlib.decompress(value))
    return b"\n".join(found)
