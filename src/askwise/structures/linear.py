"""Binary linear classifiers: the label of x is the sign of w . x."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from askwise.structures import checked_numbers, draw_indices
from askwise.structures.grades import check_grades, graded_labels, levels
from askwise.structures.rows import checked_points, label_prompt, names_and_images, one_hot
from askwise.types import Floats, Ints, Option, Prompt, Response


class LinearScores:
    """What families of weight vectors share: the score of an atom is features . weights, and its sign decides.

    >>> LinearScores().decide(np.array([[-0.5, 2.0]]))
    array([[-1,  1]], dtype=int8)
    """

    single_score = True
    model_sentence = "the label depends on a weighted sum of the features"

    def features(self, atoms: Any) -> Floats:
        """(A, D)"""
        raise AttributeError(f"{type(self).__name__} has no features")

    def predict(self, structures: Floats, atoms: Any) -> Floats:
        real = np.result_type(structures, np.float32)  # the precision of the structures
        return structures @ self.features(atoms).astype(real, copy=False).T

    def decide(self, predictions: Floats) -> Ints:
        positive: NDArray[np.int8] = (predictions > 0).view(np.int8)
        return 2 * positive - 1  # np.where would take five times as long

    def responses(self, predictions: Floats) -> list[Response]:
        return [-1, 1]


class LinearPool(LinearScores):
    """Linear classifiers asked about the rows of a table. A structure is (D,), an atom a row number.

    `points` is (N, D); `labels` name the responses -1 and +1; `names` and `images`, if given, have one entry a row.
    With `grades`, from the weakest, the responses are -G, ..., -1 and 1, ..., G: "surely no", "probably no".

    :param points: The features of the rows, `(N, D)`.
    :param names: The names of the rows; by default their numbers.
    :param labels: What people call the responses -1 and +1.
    :param images: The picture of each row, if they have one.
    :param grades: The grades of an answer, from the weakest; none by default.

    >>> family = LinearPool([[1.0, 0.0], [0.0, 1.0]], labels=("cat", "dog"))
    >>> family.predict(np.array([[2.0, -1.0]]), np.array([0, 1]))
    array([[ 2., -1.]])
    """

    def __init__(
        self,
        points: Any,
        names: Sequence[str] | None = None,
        labels: tuple[Response, Response] = (-1, 1),
        images: Any = None,
        grades: Sequence[str] = (),
    ):
        self.points = checked_points(points)
        self.names, self.images = names_and_images(len(self.points), "point", names, images)
        self.labels = labels
        self.grades = check_grades("grades", grades)

    @property
    def dimension(self) -> int:
        return self.points.shape[1]

    def responses(self, predictions: Floats) -> list[Response]:
        sides = levels(self.grades)
        return [*(-level for level in reversed(sides)), *sides]

    def features(self, atoms: Ints) -> Floats:
        return self.points[atoms]

    def draw_atoms(self, count: int, rng: Generator) -> Ints:
        return draw_indices(len(self.points), count, rng)

    def checked_atom(self, atom: Any) -> Ints:
        return checked_numbers(atom, len(self.points))

    def prompt(self, atom: Any, rng: Generator) -> Prompt:
        option = Option(self.names[int(atom)], self.images[int(atom)], row=int(atom))
        if self.grades:
            return label_prompt(option, graded_labels(self.labels, self.grades))
        return label_prompt(option, {self.labels[0]: -1, self.labels[1]: 1})


class RowScores(LinearPool):
    """The rows of a table. A structure is the score of each (N,), whatever gave it; its sign is the label.

    :param count: How many rows there are.

    >>> RowScores(3, labels=("cat", "dog")).predict(np.array([[2.0, -1.0, 0.5]]), np.array([0, 2]))
    array([[2. , 0.5]])
    """

    def __init__(
        self,
        count: int,
        names: Sequence[str] | None = None,
        labels: tuple[Response, Response] = (-1, 1),
        images: Any = None,
        grades: Sequence[str] = (),
    ):
        super().__init__(np.zeros((count, 1)), names, labels, images, grades)

    @property
    def dimension(self) -> int:
        return len(self.points)

    def features(self, atoms: Ints) -> Floats:
        return one_hot(atoms, len(self.points))

    def predict(self, structures: Floats, atoms: Any) -> Floats:
        return structures[:, np.asarray(atoms)]


class LinearSphere(LinearScores):
    """Linear classifiers asked about points of the unit sphere in `dimension` dimensions; an atom is the point itself.

    :param dimension: How many dimensions there are.

    >>> LinearSphere(3).draw_atoms(4, np.random.default_rng(0)).shape
    (4, 3)
    """

    def __init__(self, dimension: int):
        self.dimension = dimension

    def features(self, atoms: Floats) -> Floats:
        return np.asarray(atoms)

    def draw_atoms(self, count: int, rng: Generator) -> Floats:
        return unit_rows(rng.standard_normal((count, self.dimension)))


def unit_rows(rows: Floats) -> Floats:
    """Each row divided by its length.

    >>> unit_rows(np.array([[3.0, 4.0]]))
    array([[0.6, 0.8]])
    """
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)
