"""Linear classifiers of K labels: one weight vector a label; x gets the label with the highest score w_k . x."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.errors import SettingError
from askwise.structures import checked_numbers, draw_indices
from askwise.structures.rows import checked_points, label_prompt, names_and_images, one_hot
from askwise.types import Floats, Ints, Option, Prompt, Response


class SoftmaxPool:
    """K linear scores asked about the rows of a table. A structure is (K * D,), an atom a row number, the response the
    place of the label.

    `points` is (N, D), `labels` has K entries; `names` and `images`, if given, have one entry a row.

    :param points: The features of the rows, `(N, D)`.
    :param names: The names of the rows; by default their numbers.
    :param labels: The K labels.
    :param images: The picture of each row, if they have one.

    >>> family = SoftmaxPool([[1.0, 0.0], [0.0, 1.0]], labels=("cat", "dog", "eel"))
    >>> family.decide(family.predict(np.array([[3.0, 0.0, 0.0, 3.0, 1.0, 1.0]]), np.array([0, 1])))
    array([[0, 1]])
    """

    model_sentence = "the label depends on weighted sums of the features"

    def __init__(
        self,
        points: Any,
        names: Sequence[str] | None = None,
        labels: Sequence[Response] = (0, 1, 2),
        images: Any = None,
    ):
        self.points = checked_points(points)
        if len(labels) < 2 or len(set(labels)) < len(labels):
            raise SettingError(f"a classifier needs at least two different labels, got {list(labels)}")
        self.names, self.images = names_and_images(len(self.points), "point", names, images)
        self.labels = tuple(labels)

    @property
    def dimension(self) -> int:
        return len(self.labels) * self.points.shape[1]

    def features(self, atoms: Ints) -> Floats:
        """(A, D)"""
        return self.points[np.asarray(atoms, dtype=int)]

    def draw_atoms(self, count: int, rng: Generator) -> Ints:
        return draw_indices(len(self.points), count, rng)

    def checked_atom(self, atom: Any) -> Ints:
        return checked_numbers(atom, len(self.points))

    def predict(self, structures: Floats, atoms: Ints) -> Floats:
        """(S, A, K): scores, stored label by label, since sums over a short last axis are slow."""
        weights = np.asarray(structures).reshape(len(structures), len(self.labels), -1)
        real = np.result_type(weights, np.float32)  # the precision of the structures
        return np.moveaxis(weights.swapaxes(0, 1) @ self.features(atoms).astype(real, copy=False).T, 0, -1)

    def decide(self, predictions: Floats) -> Ints:
        scores = np.moveaxis(np.asarray(predictions), -1, 0)
        best, top = np.zeros(scores.shape[1:], dtype=int), scores[0]
        for label in range(1, len(scores)):  # argmax is several times slower on scores that are stored label by label
            best[scores[label] > top] = label
            top = np.maximum(top, scores[label])
        return best

    def responses(self, predictions: Floats) -> list[Response]:
        return list(range(len(self.labels)))

    def prompt(self, atom: Any, rng: Generator) -> Prompt:
        option = Option(self.names[int(atom)], self.images[int(atom)], row=int(atom))
        return label_prompt(option, {label: place for place, label in enumerate(self.labels)})


class SoftmaxRows(SoftmaxPool):
    """The rows of a table. A structure is K scores of each (K * N,), whatever gave them; the highest is the label.

    :param count: How many rows there are.

    >>> family = SoftmaxRows(2, labels=("cat", "dog", "eel"))
    >>> family.decide(family.predict(np.array([[3.0, 0.0, 0.0, 3.0, 1.0, 1.0]]), np.array([0, 1])))
    array([[0, 1]])
    """

    def __init__(
        self,
        count: int,
        names: Sequence[str] | None = None,
        labels: Sequence[Response] = (0, 1, 2),
        images: Any = None,
    ):
        super().__init__(np.zeros((count, 1)), names, labels, images)

    @property
    def dimension(self) -> int:
        return len(self.labels) * len(self.points)

    def features(self, atoms: Ints) -> Floats:
        return one_hot(atoms, len(self.points))

    def predict(self, structures: Floats, atoms: Ints) -> Floats:
        scores = np.asarray(structures).reshape(len(structures), len(self.labels), -1)
        return np.moveaxis(np.take(scores.swapaxes(0, 1), np.asarray(atoms, dtype=int), axis=2), 0, -1)
