"""Distances between hierarchies: on how many triples of items two trees leave out a different one."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from askwise._runtime.streams import stream
from askwise.distances import Dense, Form, Overlap
from askwise.errors import SettingError
from askwise.structures.hierarchies import Hierarchies, triples_at
from askwise.types import Floats, Ints

MAX_TRIPLES = 20_000  # of more (beyond 50 items), random ones stand for all; 2,000 tell too few trees apart

# three answers as unit vectors 120 degrees apart, whose products are 1 or -1/2: two columns a triple instead of three
ANSWER_VECTORS = np.array([[1.0, 0.0], [-0.5, np.sqrt(0.75)], [-0.5, -np.sqrt(0.75)]])


class TripletDisagreement:
    """The share of `triples` on which two trees leave out a different item; by default all, or 20,000 random ones.

    :param family: Whose trees are compared.
    :param triples: The triples on which they are compared, `(A, 3)`.

    >>> family = Hierarchies(3)
    >>> TripletDisagreement(family).paired(np.array([[3, 3, 4, 4, -1]]), np.array([[3, 4, 3, 4, -1]]))
    array([1.])
    """

    phrase = "{what} is wrong on {loss:.3f} of all triples"

    def __init__(self, family: Hierarchies, triples: Any = None):
        self.family = family
        if triples is None:
            size = comb(family.count, 3)
            many = size > MAX_TRIPLES
            index = (
                stream(0, family.count, "triples").choice(size, MAX_TRIPLES, replace=False) if many else np.arange(size)
            )
            triples = triples_at(np.sort(index), family.count)
        self.triples: Ints = np.asarray(triples, dtype=np.int32)
        if self.triples.ndim != 2 or self.triples.shape[1] != 3 or not len(self.triples):
            raise SettingError(f"triples must be rows of three items, at least one; got shape {self.triples.shape}")
        if self.triples.min() < 0 or self.triples.max() >= family.count:
            raise SettingError(f"triples must name items from 0 to {family.count - 1}, got {self.triples.max()}")

    def paired(self, left: Ints, right: Ints) -> Floats:
        left_answers, right_answers = (self.family.answers(trees, self.triples) for trees in (left, right))
        return (left_answers != right_answers).mean(axis=1)

    def pairwise(self, structures: Ints) -> Floats:
        from askwise.structures.triplets import count_differing, scratch_space

        trees = np.ascontiguousarray(structures, dtype=np.int32)
        counts = np.zeros((len(trees), len(trees)), dtype=np.int64)
        packed = np.empty((2, len(trees), -(-len(self.triples) // 64)), dtype=np.uint64)
        count_differing(trees, self.triples, *scratch_space(trees), packed, counts)
        return counts / len(self.triples)

    def form(self, structures: Ints) -> Form:
        """The overlap where triples are few against structures, else the matrix itself."""
        if 2 * len(self.triples) >= len(structures):
            return Dense(self.pairwise(structures))
        corners = ANSWER_VECTORS * np.sqrt(2 / 3 / len(self.triples))
        answers = self.family.answers(structures, self.triples)
        return Overlap(corners[answers].reshape(len(answers), -1), 2 / 3)
