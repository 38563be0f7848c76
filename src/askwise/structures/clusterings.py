"""Clusterings of n items: a structure is a row of cluster labels, and only "same cluster" counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.options import whole_number
from askwise.structures import MAX_ATOMS_SCORED_WHOLE, checked_numbers, draw_indices
from askwise.structures.choice import pairs_at
from askwise.structures.rows import names_and_images
from askwise.types import Floats, Ints, Option, Prompt, Response

ANSWERS: dict[Response, Response] = {"same": 1, "different": 0}


class Clusterings:
    """Clusterings of `count` items. An atom is a pair (i, j) with i < j; the response is 1 (same cluster) or 0.

    With `around`, half of the candidates contain that item (all its pairs, if there are fewer) and half do not: for a
    goal about one item's cluster. `names` and `images`, if given, have one entry an item.

    :param count: How many items there are.
    :param names: The names of the items; by default their numbers.
    :param images: The picture of each item, if they have one.
    :param around: The item that half of the candidates contain.

    >>> family = Clusterings(3, names=["ant", "bee", "cat"])
    >>> family.draw_atoms(10, np.random.default_rng(0)).tolist()
    [[0, 1], [0, 2], [1, 2]]
    >>> family.predict(np.array([[0, 0, 1], [5, 7, 5]]), np.array([[0, 1], [0, 2]]))
    array([[1., 0.],
           [0., 1.]])
    >>> print(family.prompt([0, 1], np.random.default_rng(0)).text)
    Do bee and ant belong together?
    """

    model_sentence = "each item belongs to one group"

    def __init__(self, count: int, names: Sequence[str] | None = None, images: Any = None, around: int | None = None):
        self.count = whole_number("the number of items", count, at_least=2)
        self.around = None if around is None else whole_number("around", around, at_least=0, at_most=self.count - 1)
        self.names, self.images = names_and_images(self.count, "item", names, images)

    def draw_atoms(self, count: int, rng: Generator) -> Ints:
        """(A, 2): all pairs when they are few, else different random ones."""
        pairs = self.count * (self.count - 1) // 2
        if self.around is None or pairs <= max(count, MAX_ATOMS_SCORED_WHOLE):
            return pairs_at(draw_indices(pairs, count, rng), self.count)
        others = np.delete(np.arange(self.count), self.around)
        near = np.sort(rng.choice(others, min(max(count // 2, 1), len(others)), replace=False))
        with_item = np.sort(np.stack([near, np.full(len(near), self.around)], axis=1), axis=1)
        size = len(others) * (len(others) - 1) // 2
        without = pairs_at(np.sort(rng.choice(size, min(count - len(near), size), replace=False)), len(others))
        return np.concatenate([with_item, others[without]])

    def checked_atom(self, atom: Any) -> Ints:
        return checked_numbers(atom, self.count, self.count, different=True)

    def predict(self, structures: Ints, atoms: Ints) -> Floats:
        pairs = np.asarray(atoms)
        return (structures[:, pairs[:, 0]] == structures[:, pairs[:, 1]]).astype(float)

    def decide(self, predictions: Floats) -> Ints:
        return (predictions > 0.5).astype(int)

    def responses(self, predictions: Floats) -> list[Response]:
        return [1, 0]

    def prompt(self, atom: Any, rng: Generator) -> Prompt:
        return together_prompt(atom, self.names, self.images, self.names, rng)


def together_prompt(
    atom: Any, names: Sequence[str], images: Sequence[str | None], texts: Sequence[str], rng: Generator
) -> Prompt:
    """Asks whether two items belong together, in random order. `texts` are what the question calls the items.

    >>> names, texts = ["Ann", "Bob"], ["Ann (34)", "Bob (51)"]
    >>> together_prompt([0, 1], names, [None, None], texts, np.random.default_rng(0)).text
    'Do Bob (51) and Ann (34) belong together?'
    """
    one, two = map(int, (atom[0], atom[1]) if rng.random() < 0.5 else (atom[1], atom[0]))
    options = tuple(Option(names[item], images[item], row=item) for item in (one, two))
    text = f"Do {texts[one]} and {texts[two]} belong together?"
    return Prompt("same", options, tuple(ANSWERS), ANSWERS, text)


def compact(structures: Any) -> Ints:
    """(S, N) -> (S, N): the same clusterings with labels 0, 1, ... in order of appearance in each row.

    >>> compact([[7, 7, -2], [3, 1, 3]]).tolist()
    [[0, 0, 1], [0, 1, 0]]
    """
    labels = np.asarray(structures)
    count, items = labels.shape
    _, own = np.unique(labels, return_inverse=True)
    label_count = int(own.max(initial=0)) + 1
    keys = (own.reshape(labels.shape) + label_count * np.arange(count)[:, None]).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)  # each key belongs to one row only
    order = np.argsort(first)
    rank = np.empty(len(first), dtype=np.int64)
    rank[order] = np.arange(len(first))
    rows = first[order] // items
    start = np.searchsorted(rows, np.arange(count))
    return rank[inverse].reshape(labels.shape) - start[:, None]
