"""A matrix of low rank with a best column to find, or to complete, one noisy entry at a time."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from askwise.distances.columns import BestColumn
from askwise.distances.entries import EntryDifference
from askwise.errors import SettingError
from askwise.posteriors.matrices.posterior import MatrixPosterior
from askwise.problem import Problem
from askwise.simulate.people import MatrixPerson
from askwise.simulate.tasks.task import Task, mean_distance
from askwise.structures.matrices import Matrices, gaussian

CHAINS = 64  # each gives a session one draw


def columns(
    rng: Generator,
    *,
    rows: int = 40,
    columns: int = 60,
    rank: int = 3,
    noise: float = 0.3,
    targets: int = 10,
    learned_rank: int | None = None,
    chains: int = CHAINS,
) -> Task:
    """A matrix of row offsets, column offsets and `rank` factors, each part with variance 1. Which column has the best
    mean over `targets` of the rows?

    One entry a column is known from the start, measured with the same noise. The learner assumes the rank
    `learned_rank`, by default the true one. Metric: the posterior's mean distance to the truth.

    >>> sorted(columns(np.random.default_rng(0), rows=4, columns=5, targets=2, chains=2).metrics)
    ['error']
    """
    _check_sizes(rows=rows, columns=columns, targets=targets)
    if targets > rows:
        raise SettingError(f"targets must be some of the {rows} rows, got {targets} of them")
    person, family, known = _started(rng, rows, columns, rank, noise)
    distance = BestColumn("mean", np.sort(rng.choice(rows, targets, replace=False)).tolist())
    prior = MatrixPosterior.prior(family, rank if learned_rank is None else learned_rank, chains, known=known)
    metrics = {"error": mean_distance(distance, person)}
    return Task(Problem(family, distance, gaussian), prior, person, metrics, draws=chains)


def matrix(
    rng: Generator,
    *,
    rows: int = 20,
    columns: int = 15,
    rank: int = 2,
    noise: float = 0.3,
    chains: int = CHAINS,
) -> Task:
    """A matrix as in `columns`. What are all its entries?

    One entry a column is known from the start, measured with the same noise. Differences are shares of the range of the
    true matrix. Metric: the posterior's mean distance to the truth.

    >>> sorted(matrix(np.random.default_rng(0), rows=4, columns=5, chains=2).metrics)
    ['error']
    """
    _check_sizes(rows=rows, columns=columns)
    person, family, known = _started(rng, rows, columns, rank, noise)
    distance = EntryDifference(float(np.ptp(person.truth)))
    prior = MatrixPosterior.prior(family, rank, chains, known=known)
    metrics = {"error": mean_distance(distance, person)}
    return Task(Problem(family, distance, gaussian), prior, person, metrics, draws=chains)


def _started(
    rng: Generator, rows: int, columns: int, rank: int, noise: float
) -> tuple[MatrixPerson, Matrices, list[tuple[int, int, float]]]:
    """Somebody who knows a random matrix, the questions, and the entries known from the start: one of each column."""
    if not (isinstance(rank, int | np.integer) and rank >= 0):
        raise SettingError(f"rank must be a whole number of at least 0, got {rank!r}")
    left, right = rng.standard_normal((rows, rank)), rng.standard_normal((columns, rank))
    truth = left @ right.T / np.sqrt(max(rank, 1))
    truth += rng.standard_normal((rows, 1)) + rng.standard_normal(columns)
    person = MatrixPerson(truth, noise)
    places = [(int(row), column) for column, row in enumerate(rng.integers(rows, size=columns))]
    known = [(i, j, person.respond((i, j), rng)) for i, j in places]
    askable = np.ones((rows, columns), dtype=bool)
    askable[tuple(np.transpose(places))] = False
    return person, Matrices((rows, columns), askable=askable), known


def _check_sizes(**sizes: int) -> None:
    for name, value in sizes.items():
        if not (isinstance(value, int | np.integer) and value >= 1):
            raise SettingError(f"{name} must be a whole number of at least 1, got {value!r}")
