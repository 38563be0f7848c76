"""Classifiers asked about the rows of a pool that does not fit in memory. An atom is the number of a row."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.random import Generator

from askwise.data.parquet import Pool, Reader
from askwise.structures import checked_numbers, draw_indices
from askwise.structures.linear import LinearScores
from askwise.structures.multiclass import SoftmaxPool
from askwise.structures.rows import label_prompt
from askwise.types import Floats, Ints, Option, Prompt, Response

MAX_REMEMBERED_SCREENINGS = 8  # whose survivors keep their features


class RowMap(Protocol):
    """A map from rows (A, P) to features (A, D) in which scores are linear."""

    @property
    def dimension(self) -> int: ...
    def features(self, rows: Floats) -> Floats: ...
    def scorer(self, weights: Floats) -> RowScorer: ...


class RowScorer(Protocol):
    """Scores (S, A) of rows (A, P + 1) as a reader gives them, for some weights."""

    def __call__(self, rows: Floats) -> Floats: ...


@dataclass(frozen=True)
class LinearRowScorer:
    """Scores that are linear in the rows themselves, in 32 bits.

    >>> LinearRowScorer(np.array([[2.0, 0.5]], np.float32))(np.array([[1.0, 1.0]], np.float32))
    array([[2.5]], dtype=float32)
    """

    weights: Floats  # (S, P + 1)

    def __call__(self, rows: Floats) -> Floats:
        return self.weights @ rows.T


class ParquetRows:
    """What the families of a pool share: features by row number, kept in memory for the rows in use.

    `pool` holds the rows and `reader` reads them. `sample` holds the numbers and the features of random rows, which
    stand for all where no screening is run. `labels` are what people answer; `shown` names the columns of names and
    pictures. `row_map` turns rows into features; without it they are the rows themselves.

    :param pool: Holds the rows.
    :param reader: Reads them.
    :param sample: The numbers and the features of random rows, which stand for all where no screening is run.
    :param shown: The columns of names and of pictures.
    :param row_map: Turns rows into features; without, they are the rows themselves.
    """

    labels: tuple[Response, ...]  # what people answer

    def __init__(
        self,
        pool: Pool,
        reader: Reader,
        sample: tuple[Ints, Floats],
        labels: Sequence[Response],
        shown: tuple[str | None, str | None] = (None, None),
        row_map: RowMap | None = None,
    ):
        self.pool = pool
        self.reader = reader
        self.labels = tuple(labels)
        self.shown = shown
        self.row_map = row_map
        self.workers: Executor | None = None  # that screen the pool; None: the cores of this machine
        self.recent: tuple[tuple[Ints, Floats], ...] = (sample,)  # (numbers in order, features)
        self.read_rows: dict[int, Floats] = {}

    def __getstate__(self) -> dict[str, Any]:
        """What a worker needs to score rows that it reads itself."""
        kept = ("reader", "labels", "row_map")
        return {name: value for name, value in self.__dict__.items() if name in kept}

    @property
    def row_dimension(self) -> int:
        """D, how many features a row has."""
        return self.reader.dimension if self.row_map is None else self.row_map.dimension

    def features(self, atoms: Any) -> Floats:
        """(A, D): features of row numbers, or of rows that a screening has just read."""
        if np.ndim(atoms) == 2:
            return self._mapped(np.asarray(atoms))
        rows = np.asarray(atoms, dtype=int)
        for numbers, points in self.recent:
            places = np.minimum(np.searchsorted(numbers, rows), len(numbers) - 1)
            if (numbers[places] == rows).all():
                return points[places]
        unknown = np.array(sorted(set(rows.tolist()) - self.read_rows.keys()), dtype=int)
        self.read_rows |= zip(unknown.tolist(), self._mapped(self.reader.rows(self.pool, unknown)), strict=True)
        return np.stack([self.read_rows[row] for row in rows.tolist()])

    def row_scorer(self, weights: Floats) -> RowScorer:
        """A quick function from rows as the reader gives them to their scores for some weights (S, D)."""
        return LinearRowScorer(weights.astype(np.float32)) if self.row_map is None else self.row_map.scorer(weights)

    def remember(self, rows: Ints, points: Floats) -> None:
        """Keeps the features of the survivors of a screening, numbers in order."""
        found = rows, self._mapped(points)
        self.recent = (self.recent[0], *self.recent[1:][1 - MAX_REMEMBERED_SCREENINGS :], found)

    def _mapped(self, rows: Floats) -> Floats:
        """(A, P + 1) -> (A, D)"""
        return rows if self.row_map is None else self.row_map.features(rows[:, :-1].astype(float, copy=False))

    def draw_atoms(self, count: int, rng: Generator) -> Ints:
        """Rows of the sample: what is scored where a screening would take too long."""
        numbers = self.recent[0][0]
        return numbers[draw_indices(len(numbers), count, rng)]

    def checked_atom(self, atom: Any) -> Ints:
        return checked_numbers(atom, self.pool.rows)

    def option(self, row: int) -> Option:
        """What a person sees of a row: its name and its picture."""
        columns = [column for column in self.shown if column is not None]
        values = self.pool.take([row], columns) if columns else {}
        name, image = (None if column is None else values[column][0] for column in self.shown)
        return Option(f"row {row}" if name is None else str(name), None if image is None else str(image), row=row)


class LinearPooled(ParquetRows, LinearScores):
    """Two labels: the sign of the score decides.

    >>> import tempfile, pyarrow as pa, pyarrow.parquet as pq
    >>> path = tempfile.mkdtemp() + "/rows.parquet"
    >>> pq.write_table(pa.table({"size": [1.0, 2.0, 3.0]}), path)
    >>> sample = np.array([0]), np.array([[-1.0, 1.0]])
    >>> family = LinearPooled(Pool(path), Reader(("size",), (2.0,), (1.0,)), sample, ("no", "yes"))
    >>> family.predict(np.array([[2.0, 0.5]]), np.array([0, 2]))
    array([[-1.5,  2.5]])
    """

    @property
    def dimension(self) -> int:
        return self.row_dimension

    def predict(self, structures: Floats, atoms: Any) -> Floats:
        quick = np.ndim(atoms) == 2 and self.row_map is not None
        return self.row_scorer(structures)(atoms) if quick else super().predict(structures, atoms)

    def prompt(self, atom: Any, rng: Generator) -> Prompt:
        return label_prompt(self.option(int(atom)), {self.labels[0]: -1, self.labels[1]: 1})


class SoftmaxPooled(ParquetRows, SoftmaxPool):
    """More than two labels: the highest of K scores decides.

    >>> import tempfile, pyarrow as pa, pyarrow.parquet as pq
    >>> path = tempfile.mkdtemp() + "/rows.parquet"
    >>> pq.write_table(pa.table({"size": [1.0, 2.0, 3.0]}), path)
    >>> sample = np.array([0]), np.array([[-1.0, 1.0]])
    >>> family = SoftmaxPooled(Pool(path), Reader(("size",), (2.0,), (1.0,)), sample, ("s", "m", "l"))
    >>> family.decide(family.predict(np.array([[-2.0, 0.0, 0.0, 1.0, 2.0, 0.0]]), np.array([0, 1, 2])))
    array([[0, 1, 2]])
    """

    @property
    def dimension(self) -> int:
        return len(self.labels) * self.row_dimension

    def predict(self, structures: Floats, atoms: Any) -> Floats:
        if np.ndim(atoms) != 2 or self.row_map is None:
            return super().predict(structures, atoms)
        weights = np.reshape(structures, (len(structures), len(self.labels), -1)).swapaxes(0, 1)
        scores = self.row_scorer(weights.reshape(-1, self.row_dimension))(atoms)
        return np.moveaxis(scores.reshape(len(self.labels), len(structures), -1), 0, -1)

    def prompt(self, atom: Any, rng: Generator) -> Prompt:
        return label_prompt(self.option(int(atom)), {label: place for place, label in enumerate(self.labels)})
