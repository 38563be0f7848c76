"""Linear classifiers asked about the rows of a pool that does not fit in memory. An atom is the number of a row."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.data.parquet import Pool, Reader
from askwise.structures import checked_numbers, draw_indices
from askwise.structures.linear import LinearScores
from askwise.structures.multiclass import SoftmaxPool
from askwise.structures.rows import label_prompt
from askwise.types import Floats, Ints, Option, Prompt, Response

MAX_REMEMBERED_SCREENINGS = 8  # whose survivors keep their features


class ParquetRows:
    """What the families of a pool share: features by row number, kept in memory for the rows in use.

    `pool` holds the rows and `reader` turns them into features. `sample` holds the numbers and the features of random
    rows, which stand for all where no screening is run. `labels` are what people answer; `shown` names the columns of
    names and pictures.
    """

    labels: tuple[Response, ...]

    def __init__(
        self,
        pool: Pool,
        reader: Reader,
        sample: tuple[Ints, Floats],
        labels: Sequence[Response],
        shown: tuple[str | None, str | None] = (None, None),
    ):
        self.pool = pool
        self.reader = reader
        self.labels = tuple(labels)
        self.shown = shown
        self.workers: Executor | None = None  # that screen the pool; None: the cores of this machine
        self.recent: tuple[tuple[Ints, Floats], ...] = (sample,)  # (numbers in order, features)
        self.read_rows: dict[int, Floats] = {}

    def __getstate__(self) -> dict[str, Any]:
        """What a worker needs to score rows that it reads itself."""
        kept = ("reader", "labels")
        return {name: value for name, value in self.__dict__.items() if name in kept}

    def features(self, atoms: Any) -> Floats:
        """(A, D): features of row numbers; rows of features pass as they are: a screening has just read them."""
        if np.ndim(atoms) == 2:
            return np.asarray(atoms)
        rows = np.asarray(atoms, dtype=int)
        for numbers, points in self.recent:
            places = np.minimum(np.searchsorted(numbers, rows), len(numbers) - 1)
            if (numbers[places] == rows).all():
                return points[places]
        unknown = sorted(set(rows.tolist()) - self.read_rows.keys())
        self.read_rows |= zip(unknown, self.reader.rows(self.pool, np.array(unknown, dtype=int)), strict=True)
        return np.stack([self.read_rows[row] for row in rows.tolist()])

    def remember(self, rows: Ints, points: Floats) -> None:
        """Keeps the features of the survivors of a screening, numbers in order."""
        self.recent = (self.recent[0], *self.recent[1:][1 - MAX_REMEMBERED_SCREENINGS :], (rows, points))

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
        return Option(f"row {row}" if name is None else str(name), None if image is None else str(image))


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
        return self.reader.dimension

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
        return len(self.labels) * self.reader.dimension

    def prompt(self, atom: Any, rng: Generator) -> Prompt:
        return label_prompt(self.option(int(atom)), {label: place for place, label in enumerate(self.labels)})
