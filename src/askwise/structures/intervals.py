"""Clusterings of the line into intervals: of positions, around an interval I known to lie in one, and of sorted items.

Positions are in units of mass: the line is [0, 1] and mu is uniform on it (apply the distribution function to points
first). A structure is the sorted array of its cuts, padded with ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.errors import DataError, SettingError
from askwise.options import whole_number
from askwise.structures import MAX_ATOMS_SCORED_WHOLE, checked_numbers, draw_indices
from askwise.structures.choice import pairs_at
from askwise.structures.clusterings import ANSWERS, together_prompt
from askwise.structures.rows import names_and_images
from askwise.types import Floats, Ints, Option, Prompt, Response


class IntervalClusterings:
    """Clusterings of [0, 1] by cuts. An atom is a pair of positions; the response is 1 (same cluster) or 0.

    With `points`, atoms are pairs of these positions; else pairs are drawn uniformly.

    :param points: The positions whose pairs are asked about; without, pairs are drawn uniformly.

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


class Segmentations:
    """Clusterings of items into segments: runs of neighbours in the order of their `values` (N,).

    Each item has mass 1 / N. Items of equal value are never apart. An atom is a pair (i, j), i < j, of items of
    different values; the response is 1 (same segment) or 0. With `around`, half of the candidates contain that item
    (all its pairs, if there are fewer). `names` and `images`, if given, have one entry an item, and so have `notes`,
    which the question shows beside the names.

    :param values: The value of each item, `(N,)`, which gives the order.
    :param names: The names of the items; by default their numbers.
    :param images: The picture of each item, if they have one.
    :param around: The item that half of the candidates contain.
    :param notes: What a question shows beside each name.

    >>> family = Segmentations([34, 51, 34, 19], names=["Ann", "Bob", "Cem", "Dee"], notes=["34", "51", "34", "19"])
    >>> family.edges, family.draw_atoms(9, np.random.default_rng(0)).tolist()
    (array([0.  , 0.25, 0.75, 1.  ]), [[0, 1], [0, 3], [1, 2], [1, 3], [2, 3]])
    >>> family.predict(np.array([[0.25, 1.0], [0.25, 0.75]]), np.array([[0, 1], [0, 3]]))
    array([[1., 0.],
           [0., 0.]])
    """

    model_sentence = "items that belong together are neighbours in the order of the column"

    def __init__(
        self,
        values: Any,
        names: Sequence[str] | None = None,
        images: Any = None,
        around: int | None = None,
        notes: Sequence[str] | None = None,
    ):
        numbers = np.asarray(values, dtype=float)
        if numbers.ndim != 1 or not np.isfinite(numbers).all() or len(np.unique(numbers)) < 2:
            raise DataError("segments need one finite number an item, and at least two different ones")
        self.count = len(numbers)
        _, self.rank, sizes = np.unique(numbers, return_inverse=True, return_counts=True)
        self.order = np.argsort(numbers, kind="stable")  # (N,): the items from the lowest value on
        self.starts = np.concatenate([[0], np.cumsum(sizes)])  # (V + 1,): where each value begins in that order
        self.edges: Floats = self.starts / self.count  # (V + 1,): the mass below each value; inner ones can be cuts
        self.around = None if around is None else whole_number("around", around, at_least=0, at_most=self.count - 1)
        self.names, self.images = names_and_images(self.count, "item", names, images)
        self.notes = None if notes is None else tuple(notes)
        self.texts = self.names
        if self.notes is not None:
            self.texts = tuple(f"{name} ({note})" for name, note in zip(self.names, self.notes, strict=True))

    def draw_atoms(self, count: int, rng: Generator) -> Ints:
        """(A, 2): all pairs when they are few, else items for every two values, else for different random ones."""
        if self.count * (self.count - 1) // 2 <= max(count, MAX_ATOMS_SCORED_WHOLE):
            found: Ints = np.stack(np.triu_indices(self.count, 1), axis=1)
            return found[self.rank[found[:, 0]] != self.rank[found[:, 1]]]
        values = len(self.edges) - 1
        pairs = values * (values - 1) // 2
        if self.around is not None and pairs > max(count, MAX_ATOMS_SCORED_WHOLE):
            own = self.rank[self.around]
            near = rng.permutation(np.delete(np.arange(values), own))[: max(count // 2, 1)]
            with_item = np.sort(np.stack([near, np.full(len(near), own)], axis=1), axis=1)
            found = np.concatenate([with_item, pairs_at(draw_indices(pairs, count - len(near), rng), values)])
        else:
            index = draw_indices(pairs, count, rng)
            # items of the same two values ask the same thing again, which noisy answers may need
            found = pairs_at(np.resize(index, max(count, len(index))) if self.count > values else index, values)
        sizes = np.diff(self.starts)
        some = np.floor(rng.random(found.shape) * sizes[found]) if self.count > values else 0
        return self._items_at(found, self.starts[found] + np.asarray(some, dtype=np.int64))

    def propose_atoms(self, structures: Floats, count: int) -> Ints:
        """(A, 2): pairs of which the draws are least sure.

        First values of segments, or the item of `around`, each with the quartiles of where its segment ends.
        """
        values = len(self.edges) - 1
        if values * (values - 1) // 2 <= MAX_ATOMS_SCORED_WHOLE:
            return np.empty((0, 2), dtype=np.int64)  # all are candidates anyway
        labels = self.labels(structures)
        cut = np.diff(labels, axis=1) != 0  # (S, V - 1)
        last = np.where(np.pad(cut, ((0, 0), (0, 1)), constant_values=True), np.arange(values), values)
        last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]  # (S, V): the last value of each one's segment
        if self.around is None:
            reached = np.cumsum(np.append(1.0, cut.mean(axis=0)))  # by the chance that a segment begins at each value
            levels = (np.arange(max(count // 3, 1)) + 0.5) / max(count // 3, 1)  # every segment has the same share
            firsts = np.unique(np.searchsorted(reached, levels * reached[-1]))
            found = _quartile_pairs(firsts, last[:, firsts] + 1)
        else:
            own = self.rank[[self.around]]
            first = np.where(np.pad(cut, ((0, 0), (1, 0)), constant_values=True), np.arange(values), 0)
            first = np.maximum.accumulate(first, axis=1)  # (S, V): the first value of each one's segment
            found = np.concatenate([_quartile_pairs(own, last[:, own] + 1), _quartile_pairs(own, first[:, own] - 1)])
        found = np.sort(found[((found >= 0) & (found < values)).all(axis=1)], axis=1)
        return self._items_at(found, self.starts[found])

    def _items_at(self, values: Ints, places: Ints) -> Ints:
        """(A, 2): the pairs of items at these places of the order, each once. For its value, `around` stands itself."""
        items = self.order[places]
        if self.around is not None:
            items = np.where(values == self.rank[self.around], self.around, items)
        return np.unique(np.sort(items, axis=1), axis=0)

    def checked_atom(self, atom: Any) -> Ints:
        found: Ints = checked_numbers(atom, self.count, self.count, different=True)
        one, two = found.tolist()
        if self.rank[one] == self.rank[two]:
            told = f"{self.texts[one]} and {self.texts[two]} have the same value, so they always belong together"
            raise SettingError(f"{told}; ask about two items of different values")
        return found

    def labels(self, structures: Floats) -> Ints:
        """(S, C) cuts -> (S, V): the number of the segment of each value, rising from the lowest value on.

        :param structures: The cuts of each structure, `(S, C)`.
        """
        begin = np.searchsorted(self.starts, np.arange(self.count + 1))[np.rint(structures * self.count).astype(int)]
        marks = np.zeros((len(structures), len(self.edges)), dtype=np.int64)
        marks[np.arange(len(structures))[:, None], begin] = 1
        return np.cumsum(marks[:, :-1], axis=1)

    def predict(self, structures: Floats, atoms: Ints) -> Floats:
        labels, pairs = self.labels(structures), self.rank[np.asarray(atoms)]
        return (labels[:, pairs[:, 0]] == labels[:, pairs[:, 1]]).astype(float)

    def value_texts(self) -> list[str]:
        """(V,): each value as the note of its first item, or its name."""
        shown = self.names if self.notes is None else self.notes
        return [shown[item] for item in self.order[self.starts[:-1]]]

    def decide(self, predictions: Floats) -> Ints:
        return (predictions > 0.5).astype(int)

    def responses(self, predictions: Floats) -> list[Response]:
        return [1, 0]

    def prompt(self, atom: Any, rng: Generator) -> Prompt:
        """Shows the two items in random order."""
        return together_prompt(atom, self.names, self.images, self.texts, rng)


def _quartile_pairs(values: Ints, others: Ints) -> Ints:
    """(L,), (S, L) -> (3 L, 2): each value with the quartiles over the draws of another."""
    ordered = np.sort(others, axis=0)
    quartiles = ordered[[len(ordered) // 4, len(ordered) // 2, 3 * len(ordered) // 4]]
    return np.stack([np.broadcast_to(values, quartiles.shape), quartiles], axis=-1).reshape(-1, 2)


def interval_of(structures: Floats, positions: Floats) -> Ints:
    """(S, C) cuts and (A,) positions -> (S, A): the number of cuts at or left of each position.

    :param structures: The cuts of each structure, `(S, C)`.
    :param positions: The positions `(A,)` to be looked up.

    >>> interval_of(np.array([[0.2, 0.5]]), np.array([0.1, 0.3, 0.9])).tolist()
    [[0, 1, 2]]
    """
    count, cuts = structures.shape
    shift = 2.0 * np.arange(count)[:, None]  # puts the structures one after another, so that one search serves all
    found = np.searchsorted((structures + shift).ravel(), positions[None, :] + shift, side="right")
    return found - cuts * np.arange(count)[:, None]


def all_clusterings(cuts: Sequence[float], most: int, known: tuple[float, float]) -> Floats:
    """(S, most - 1): clusterings into at most `most` intervals by some of `cuts`, none inside the `known` interval.

    :param cuts: The positions where a cut may be.
    :param most: How many intervals a clustering has at most.
    :param known: Where the known interval begins and ends.

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

    :param k: How many cells there are to the right of the known interval.
    :param alpha: The mass of the known interval.

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
