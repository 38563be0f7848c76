"""Gains of many rows by `expected`, nearly and quickly: for the screening of pools.

Where distances are ceiling - traits traits', the gain of a question is the sum over its answers of |Cov(traits,
chance)|^2 / mean chance. It is computed with the largest components of the traits, and in 32 bits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.random import Generator

from askwise.losses import logistic, softmax
from askwise.problem import Problem
from askwise.structures import PooledRows, SingleScore
from askwise.types import Floats, Sample

COMPONENTS = 11  # the largest ones of the distances
EXTRA_COMPONENTS = 8  # computed with them, so that these are right
SLOPE = 0.2  # of the line that stands for the logistic curve
ROWS_PER_BLOCK = 4096  # scored together: what is computed of them stays in the cache
LEAST_CHANCE = 1e-3  # added to a mean chance: where nearly all draws agree, nothing should be divided by zero


class QuickGain(Protocol):
    """The gain (A,) of rows that were read, nearly."""

    @staticmethod
    def of(family: PooledRows, sample: Sample, distances: Floats, rng: Generator) -> QuickGain: ...
    def __call__(self, points: Floats, rng: Generator) -> Floats: ...


def quick_gain(problem: Problem) -> type[QuickGain] | None:
    """What computes the gain quickly; None where only the strategy itself does."""
    if not problem.normalised:
        return None
    if problem.loss is logistic and isinstance(problem.family, SingleScore):
        return LinearisedGain
    return SoftmaxGain if problem.loss is softmax else None


@dataclass(frozen=True)
class LinearisedGain:
    """Two labels, with a line cut off at 0 and 1 for the logistic curve: no exponentials.

    The two answers together have |Cov(traits, chance)|^2 / (p (1 - p)), with p the mean chance of a yes over the draws.
    """

    lines: Callable[[Floats], Floats]  # rows that were read -> (S, A): 0.5 + SLOPE * score
    components: Floats  # (COMPONENTS + 1, S): what gives covariances, and last the mean

    @staticmethod
    def of(family: PooledRows, sample: Sample, distances: Floats, rng: Generator) -> LinearisedGain:
        """From draws of the family and their (S, S) distances."""
        lines = SLOPE * np.asarray(sample.structures)
        lines[:, family.reader.dimension - 1] += 0.5  # the last of what is read is 1
        return LinearisedGain(family.row_scorer(lines), largest_components(sample.weights, distances, rng))

    def __call__(self, points: Floats, rng: Generator) -> Floats:
        gain = np.empty(len(points), dtype=np.float32)
        for start in range(0, len(points), ROWS_PER_BLOCK):
            chances = self.lines(points[start : start + ROWS_PER_BLOCK])
            np.clip(chances, 0.0, 1.0, out=chances)
            found = self.components @ chances
            spread = found[-1] * (1 - found[-1]) + LEAST_CHANCE
            gain[start : start + ROWS_PER_BLOCK] = np.einsum("ka,ka->a", found[:-1], found[:-1]) / spread
        return gain


@dataclass(frozen=True)
class SoftmaxGain:
    """More than two labels: one exponential for each draw, label and row."""

    scores: Callable[[Floats], Floats]  # rows that were read -> (K S, A), label by label
    components: Floats  # (COMPONENTS + 1, S)

    @staticmethod
    def of(family: PooledRows, sample: Sample, distances: Floats, rng: Generator) -> SoftmaxGain:
        """From draws of the family and their (S, S) distances."""
        count = len(sample.weights)
        weights = np.reshape(sample.structures, (count, -1, family.row_dimension)).swapaxes(0, 1)
        scorer = family.row_scorer(weights.reshape(-1, family.row_dimension))
        return SoftmaxGain(scorer, largest_components(sample.weights, distances, rng))

    def __call__(self, points: Floats, rng: Generator) -> Floats:
        gain, draws = np.zeros(len(points), dtype=np.float32), self.components.shape[1]
        for start in range(0, len(points), ROWS_PER_BLOCK):
            scores = self.scores(points[start : start + ROWS_PER_BLOCK])
            chances = scores.reshape(-1, draws, scores.shape[1])  # (K, S, A)
            chances -= chances.max(axis=0)
            np.exp(chances, out=chances)
            chances /= chances.sum(axis=0)
            for chance in chances:
                found = self.components @ chance
                part = np.einsum("ka,ka->a", found[:-1], found[:-1]) / (found[-1] + LEAST_CHANCE)
                gain[start : start + ROWS_PER_BLOCK] += part
        return gain


def largest_components(weights: Floats, distances: Floats, rng: Generator) -> Floats:
    """(COMPONENTS + 1, S), in 32 bits: the traits of draws with these (S, S) distances, times their weights; last the
    weights themselves.

    >>> found = largest_components(np.full(2, 0.5), np.array([[0.0, 1.0], [1.0, 0.0]]), np.random.default_rng(0))
    >>> np.abs(found).astype(float).round(3).tolist()
    [[0.0, 0.0], [0.354, 0.354], [0.5, 0.5]]
    """
    means = distances @ weights
    moved = means[:, None] + means - weights @ means - distances  # the centre of all at zero (Torgerson 1952)
    moved *= np.outer(weights, weights)
    basis = rng.standard_normal((len(weights), min(COMPONENTS + EXTRA_COMPONENTS, len(weights))))
    for _ in range(3):  # a few powers of the matrix turn random directions into its largest ones
        basis, _ = np.linalg.qr(moved @ basis)
    sizes, turns = np.linalg.eigh(basis.T @ moved @ basis)
    largest = (basis @ turns)[:, -COMPONENTS:] * np.sqrt(np.maximum(sizes[-COMPONENTS:], 0.0))
    return np.vstack([largest.T, weights]).astype(np.float32)
