"""Clusterings of the line into at most k intervals, around an interval I known to lie in one of them.

Positions are in units of mass: the line is [0, 1] and mu is uniform on it (apply the distribution function to points
first). A structure is the sorted array of its k - 1 cuts, padded with ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.errors import SettingError
from askwise.structures import draw_indices
from askwise.structures.choice import pairs_at
from askwise.structures.clusterings import ANSWERS
from askwise.types import Floats, Ints, Option, Prompt, Response


class IntervalClusterings:
    """Clusterings of [0, 1] by cuts. An atom is a pair of positions; the response is 1 (same cluster) or 0.

    With `points`, atoms are pairs of these positions; else pairs are drawn uniformly.

    >>> family = IntervalClusterings(points=[0.1, 0.3, 0.9])
    >>> family.predict(np.array([[0.2, 0.5]]), np.array([[0.1, 0.3], [0.3, 0.3]]))
    array([[0., 1.]])
    """

    def __init__(self, points: Sequence[float] | Floats | None = None):
        self.points: Floats | None = None if points is None else np.sort(np.asarray(points, dtype=float))
        if self.points is not None and (len(self.points) < 2 or self.points[0] < 0 or self.points[-1] >= 1):
            raise SettingError("points on the line need at least two positions in [0, 1)")

    def draw_atoms(self, count: int, rng: Generator) -> Floats:
        if self.points is None:
            return np.sort(rng.random((count, 2)), axis=1)
        size = len(self.points)
        return self.points[pairs_at(draw_indices(size * (size - 1) // 2, count, rng), size)]

    def predict(self, structures: Floats, atoms: Floats) -> Floats:
        pairs = np.asarray(atoms)
        return (interval_of(structures, pairs[:, 0]) == interval_of(structures, pairs[:, 1])).astype(float)

    def decide(self, predictions: Floats) -> Ints:
        return (predictions > 0.5).astype(int)

    def responses(self, predictions: Floats) -> list[Response]:
        return [1, 0]

    def prompt(self, atom: Any, rng: Generator) -> Prompt:
        left, right = (f"{float(x):.4g}" for x in atom)
        text = f"Do {left} and {right} belong together?"
        return Prompt("same", (Option(left), Option(right)), tuple(ANSWERS), ANSWERS, text)


def interval_of(structures: Floats, positions: Floats) -> Ints:
    """(S, C) cuts and (A,) positions -> (S, A): the number of cuts at or left of each position.

    >>> interval_of(np.array([[0.2, 0.5]]), np.array([0.1, 0.3, 0.9])).tolist()
    [[0, 1, 2]]
    """
    count, cuts = structures.shape
    shift = 2.0 * np.arange(count)[:, None]  # puts the structures one after another, so that one search serves all
    found = np.searchsorted((structures + shift).ravel(), positions[None, :] + shift, side="right")
    return found - cuts * np.arange(count)[:, None]


def all_clusterings(cuts: Sequence[float], most: int, known: tuple[float, float]) -> Floats:
    """(S, most - 1): clusterings into at most `most` intervals by some of `cuts`, none inside the `known` interval.

    >>> all_clusterings([0.2, 0.5, 0.8], most=2, known=(0.4, 0.6)).tolist()
    [[1.0], [0.2], [0.8]]
    """
    low, high = known
    free = [cut for cut in sorted(cuts) if not low < cut < high]
    chosen = [c for size in range(min(most - 1, len(free)) + 1) for c in combinations(free, size)]
    return np.array([list(c) + [1.0] * (most - 1 - len(c)) for c in chosen]).reshape(len(chosen), most - 1)


def hard_clusterings(k: int, alpha: float = 0.25) -> tuple[Floats, Floats]:
    """The set on which whole clusterings are hard to learn but I's cluster is easy: (structures, points to ask about).

    I = [0, alpha] and [alpha, 1] is cut into k equal cells. I's cluster ends at the start of any cell; cells to the
    right of that are clusters of their own, and at most one of them is cut in the middle. This contains the set of the
    paper's lower bound, in which I's cluster is always [0, alpha] and nothing would be left to learn about it.

    >>> structures, points = hard_clusterings(4)
    >>> structures.shape, points.shape
    ((14, 5), (9,))
    """
    starts = alpha + (1 - alpha) * np.arange(k) / k
    middles = starts + (1 - alpha) / (2 * k)
    rows = []
    for end in range(k):
        base = list(starts[end:])
        rows += [base] + [sorted([*base, middle]) for middle in middles[end:]]
    structures = np.array([row + [1.0] * (k + 1 - len(row)) for row in rows])
    edges = np.sort(np.concatenate([[0.0], starts, middles, [1.0]]))
    return structures, (edges[:-1] + edges[1:]) / 2
