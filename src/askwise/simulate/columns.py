"""A matrix of low rank with a best column to find, one noisy entry at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.distances.columns import BestColumn
from askwise.errors import SettingError
from askwise.posteriors.matrices import MatrixPosterior
from askwise.problem import Problem
from askwise.simulate.task import Task
from askwise.structures.matrices import Matrices, gaussian
from askwise.types import Floats, Sample

CHAINS = 64  # draws a session of this task should take: one a chain


@dataclass(frozen=True)
class Laboratory:
    """Measures an entry of the true matrix, with Gaussian noise.

    >>> Laboratory(np.array([[1.0, 2.0]]), noise=0.0).respond((0, 1), np.random.default_rng(0))
    2.0
    """

    truth: Floats  # (N, M)
    noise: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.noise < float("inf"):
            raise SettingError(f"noise must be a number of at least 0, got {self.noise}")

    def respond(self, atom: Any, rng: Generator) -> float:
        return float(self.truth[int(atom[0]), int(atom[1])] + self.noise * rng.standard_normal())


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
    """A matrix of offsets and `rank` factors, each of the three parts with variance 1; the best column on the mean over
    `targets` of the rows is wanted. One entry a column is known from the start, measured with the same noise.

    Metric: the posterior's mean distance to the truth. The learner takes the rank for `learned_rank`.

    >>> sorted(columns(np.random.default_rng(0), rows=4, columns=5, targets=2, chains=2).metrics)
    ['error']
    """
    whole = {"rows": rows, "columns": columns, "targets": targets}
    for name, value in whole.items():
        if not (isinstance(value, int | np.integer) and value >= 1):
            raise SettingError(f"{name} must be a whole number of at least 1, got {value!r}")
    if targets > rows:
        raise SettingError(f"targets must be some of the {rows} rows, got {targets} of them")
    if not (isinstance(rank, int | np.integer) and rank >= 0):
        raise SettingError(f"rank must be a whole number of at least 0, got {rank!r}")
    left, right = rng.standard_normal((rows, rank)), rng.standard_normal((columns, rank))
    truth = left @ right.T / np.sqrt(max(rank, 1))
    truth += rng.standard_normal((rows, 1)) + rng.standard_normal(columns)
    person = Laboratory(truth, noise)
    places = [(int(row), column) for column, row in enumerate(rng.integers(rows, size=columns))]
    known = [(i, j, person.respond((i, j), rng)) for i, j in places]
    distance = BestColumn("mean", np.sort(rng.choice(rows, targets, replace=False)).tolist())
    askable = np.ones((rows, columns), dtype=bool)
    askable[tuple(np.transpose(places))] = False
    family = Matrices((rows, columns), askable=askable)
    prior = MatrixPosterior.prior(family, rank if learned_rank is None else learned_rank, chains, known=known)

    def error(sample: Sample) -> float:
        best = np.repeat(truth[None], len(sample.weights), axis=0)
        return float(sample.weights @ distance.paired(sample.structures, best))

    return Task(Problem(family, distance, gaussian), prior, person, {"error": error}, draws=chains)
