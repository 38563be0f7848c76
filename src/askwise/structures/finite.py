"""Any finite family, as a table of what every structure predicts on every atom. Tests use it as their oracle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.errors import SettingError
from askwise.structures import checked_numbers, draw_indices
from askwise.types import Floats, Ints, Option, Prompt, Response


class Finite:
    """G structures, each a row of predictions on N atoms. A structure is a row number, an atom a column number.

    `table` is (G, N). `responses` are the possible answers: a list of numbers, or a mapping from what people say to
    numbers; by default, the numbers in the table. `names`, if given, has one entry an atom.

    :param table: What each structure predicts for each atom, `(G, N)`.
    :param responses: The possible answers, as numbers or by what people say; by default the numbers in the table.
    :param names: The names of the atoms; by default their numbers.

    >>> family = Finite([[0, 0, 1], [0, 1, 1]], responses={"no": 0, "yes": 1})
    >>> family.predict(np.array([0, 1]), np.array([1, 2]))
    array([[0., 1.],
           [1., 1.]])
    """

    def __init__(
        self,
        table: Any,
        responses: Mapping[Response, float] | Sequence[float] | None = None,
        names: Sequence[str] | None = None,
    ):
        self.table: Floats = np.asarray(table, dtype=float)
        if self.table.ndim != 2 or not self.table.size or not np.isfinite(self.table).all():
            raise SettingError(
                f"a finite family needs a table of finite numbers, structures by atoms; got shape {self.table.shape}"
            )
        values = np.unique(self.table) if responses is None else responses
        pairs = values.items() if isinstance(values, Mapping) else [(_plain(y), y) for y in values]
        self.codes: dict[Response, Response] = {name: _plain(code) for name, code in pairs}
        if len(set(self.codes.values())) < 2:
            raise SettingError(f"a finite family needs at least two responses, got {list(self.codes)}")
        self.names = tuple(names) if names is not None else tuple(f"atom {i}" for i in range(self.table.shape[1]))

    def __len__(self) -> int:
        return len(self.table)

    def draw_atoms(self, count: int, rng: Generator) -> Ints:
        return draw_indices(self.table.shape[1], count, rng)

    def checked_atom(self, atom: Any) -> Ints:
        return checked_numbers(atom, self.table.shape[1])

    def predict(self, structures: Ints, atoms: Ints) -> Floats:
        return self.table[np.asarray(structures)[:, None], np.asarray(atoms)[None, :]]

    def decide(self, predictions: Floats) -> Floats:
        """The response nearest to the prediction: the label itself, or the sign of a score."""
        choices = np.array(list(self.codes.values()), dtype=float)
        nearest = choices[np.abs(predictions[..., None] - choices).argmin(axis=-1)]
        return np.asarray(nearest)

    def responses(self, predictions: Floats) -> list[Response]:
        return list(dict.fromkeys(self.codes.values()))  # several names may mean the same

    def prompt(self, atom: Any, rng: Generator) -> Prompt:
        name = self.names[int(atom)]
        return Prompt("atom", (Option(name),), tuple(self.codes), self.codes, f"What is the answer to {name}?")


def _plain(number: Any) -> Response:
    value = float(number)
    return int(value) if value.is_integer() else value
