"""Matrices whose entries can be measured one at a time: a rating, a dose response, a test result.

A structure is a matrix and the precision of its answers, one over the noise variance. A batch is one NumPy array with
the fields `matrix` (S, N, M) and `precision` (S,). The noise is learned along with the matrix: a structure with little
noise predicts sharply, and `gaussian` holds it to that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.errors import DataError, SettingError
from askwise.options import numbers, refusal, shown, whole_number
from askwise.structures import checked_numbers, draw_indices
from askwise.types import Bools, Floats, Ints, Option, Prompt, Structures

ANSWER_QUANTILES = 16  # of an entry that stand for all its possible answers
MAX_ENTRIES = 100_000  # beyond, the draws of a certificate would fill the memory
MAX_ENTRY = 1e100  # its square and the inverse of it are still numbers
MIN_COST = 1e-300  # below, a gain per unit of it is not a number


class Matrices:
    """Matrices of one `shape` (N, M). An atom is an entry (row, column), the answer a number.

    `row_names` and `column_names`, if given, have N and M entries. `costs` (a number, or one for each column or entry)
    are what an answer takes: a session asks what gains most per unit. Where `askable` (N, M) is False, an entry is
    never asked. `decimals` tells people how exactly to answer.

    :param shape: How many rows and columns there are.
    :param row_names: The names of the rows; by default their numbers.
    :param column_names: The names of the columns; by default their numbers.
    :param costs: What an answer takes: one number, or one for each column or entry.
    :param askable: Which entries may be asked, `(N, M)`; by default all.
    :param decimals: How many decimals people should give.

    >>> family = Matrices((2, 2), ["Ann", "Ben"], ["tea", "milk"])
    >>> print(family.prompt([1, 0], np.random.default_rng(0)).text)
    What is Ben x tea?
    >>> beliefs = pack(np.array([[[1.0, 2.0], [3.0, 4.0]]]), [0.25])
    >>> family.predict(beliefs, np.array([[1, 0]]))
    array([[[3.   , 0.125, 0.   ]]])
    """

    model_sentence = "the table has few patterns: it is close to a matrix of low rank, plus noise"

    def __init__(
        self,
        shape: tuple[int, int],
        row_names: Sequence[str] | None = None,
        column_names: Sequence[str] | None = None,
        costs: Any = None,
        askable: Any = None,
        decimals: int | None = None,
    ):
        self.shape = _checked_shape(shape)
        self.row_names = _names("row", self.shape[0], row_names)
        self.column_names = _names("column", self.shape[1], column_names)
        self.costs: Floats = _checked_costs(costs, self.shape)
        self.askable: Bools = np.ones(self.shape, dtype=bool) if askable is None else np.asarray(askable, dtype=bool)
        if self.askable.shape != self.shape:
            raise SettingError(f"askable has shape {self.askable.shape}; expected one yes or no an entry, {self.shape}")
        self.decimals = None if decimals is None else whole_number("decimals", decimals, at_least=0)

    def draw_atoms(self, count: int, rng: Generator) -> Ints:
        entries = np.argwhere(self.askable)
        return entries[draw_indices(len(entries), count, rng)]

    def checked_atom(self, atom: Any) -> Ints:
        return checked_numbers(atom, *self.shape)

    def cost(self, atoms: Ints) -> Floats:
        """(A,): the cost of each answer."""
        entries = np.asarray(atoms)
        return self.costs[entries[:, 0], entries[:, 1]]

    def predict(self, structures: Structures, atoms: Ints) -> Floats:
        """(S, A, 3): the entry, half the precision of an answer, and half the log of how many times sharper the
        sharpest structure is. `gaussian` takes these for every answer, so they are computed once, here."""
        entries, precision = np.asarray(atoms), structures["precision"]
        found = np.empty((3, len(structures), len(entries)))  # each of the three in one piece: quicker to score
        found[0] = structures["matrix"][:, entries[:, 0], entries[:, 1]]
        found[1] = precision[:, None] / 2
        found[2] = (np.log(precision.max(initial=0.0) / precision) / 2)[:, None]
        return np.moveaxis(found, 0, -1)

    def centred(self, predictions: Floats) -> Floats:
        """The predictions with each entry counted from its mean, in units of the least noise.

        No likelihood changes. In 32 bits, small differences of large numbers would be lost otherwise.
        """
        if not predictions.size:
            return predictions
        unit = (2 * predictions[..., 1].max()) ** -0.5
        found = np.moveaxis(np.empty((3, *predictions.shape[:2])), 0, -1)
        found[..., 0] = (predictions[..., 0] - predictions[..., 0].mean(axis=0)) / unit
        found[..., 1] = predictions[..., 1] * unit**2
        found[..., 2] = predictions[..., 2]
        return found

    def decide(self, predictions: Floats) -> Floats:
        """(S, A): the answer without its noise."""
        return predictions[..., 0]

    def responses(self, predictions: Floats) -> Floats:
        """(Y, A): equally likely answers: quantiles of the predicted entries, each with noise of its own."""
        if not len(predictions):
            return np.zeros((ANSWER_QUANTILES, predictions.shape[1]))
        count, real = len(predictions), predictions.dtype
        noise = _noise(count)[:, None] * (2 * predictions[:, :1, 1]) ** -0.5  # a structure's own, alike for all atoms
        # contiguous rows sort five times faster than columns
        ordered = np.sort(np.ascontiguousarray((predictions[..., 0] + noise.astype(real)).T), axis=1)
        return _quantiles(count).astype(real) @ ordered.T

    def draw_responses(self, predictions: Floats, rng: Generator) -> Floats:
        """(S, A): an answer to each prediction, with its noise."""
        return predictions[..., 0] + (2 * predictions[..., 1]) ** -0.5 * rng.standard_normal(predictions.shape[:2])

    def normal_answers(self, predictions: Floats) -> tuple[Floats, Floats]:
        """(S, A) and (S,): the mean of each answer, and the precision of a structure's answers, alike for all atoms."""
        return predictions[..., 0], 2 * predictions[:, 0, 1]

    def prompt(self, atom: Any, rng: Generator) -> Prompt:
        row, column = self.row_names[int(atom[0])], self.column_names[int(atom[1])]
        exactly = "" if self.decimals is None else f" (to {self.decimals} decimal{'s' if self.decimals != 1 else ''})"
        options = Option(row, row=int(atom[0])), Option(column)
        return Prompt("number", options, ("number",), {}, f"What is {row} x {column}{exactly}?")


@dataclass(frozen=True)
class Gaussian:
    """Minus the log density of an answer y under N(entry, 1 / precision); z is what `Matrices` predicts (beta = 1).

    It counts from the sharpest structure of the batch, so that the likelihoods lie in (0, 1], as the paper's rule
    needs. What is common to all structures changes no posterior.

    >>> family = Matrices((1, 1))
    >>> gaussian.value(family.predict(pack([[[1.0]], [[1.0]]], [4.0, 1.0]), [[0, 0]]), 1.5).round(4).tolist()
    [[0.5], [0.8181]]
    """

    name: str = "gaussian"
    takes_decision: bool = False
    proper: bool = False  # a density: a sum over finitely many answers is not one
    flat_beyond: float = float("inf")

    def value(self, z: Floats, y: Any) -> Floats:
        off = z[..., 0] - y
        off *= off
        off *= z[..., 1]
        off += z[..., 2]
        return off

    def slope(self, z: Floats, y: Any) -> Floats:
        """In the entry."""
        return 2 * z[..., 1] * (z[..., 0] - y)

    def curvature(self, z: Floats, y: Any) -> Floats:
        return 2 * z[..., 1] + np.zeros_like(y, dtype=float)


gaussian = Gaussian()


def pack(matrices: Any, precision: Any) -> Structures:
    """(S,): matrices (S, N, M) and noise precisions (S,) as one batch.

    :param matrices: Matrices, `(S, N, M)`.
    :param precision: The precision of the noise in each of them, `(S,)`.

    >>> pack(np.zeros((3, 2, 2)), np.ones(3)).shape
    (3,)
    """
    whole: Floats = np.asarray(matrices, dtype=float)
    batch = np.empty(len(whole), dtype=[("matrix", float, whole.shape[1:]), ("precision", float)])
    batch["matrix"], batch["precision"] = whole, precision
    return batch


def matrices_of(structures: Structures) -> Floats:
    """(S, N, M): the matrices of a batch; an array of matrices passes as it is.

    :param structures: A batch that `pack` made, or matrices.

    >>> matrices_of(pack(np.zeros((3, 2, 2)), np.ones(3))).shape
    (3, 2, 2)
    """
    return structures["matrix"] if structures.dtype.names else structures


@lru_cache(maxsize=8)
def _noise(count: int) -> Floats:
    """(count,): standard normal quantiles in a fixed random order, one for each draw."""
    from scipy.special import ndtri

    return ndtri((np.random.default_rng(count).permutation(count) + 0.5) / count)


@lru_cache(maxsize=8)
def _quantiles(count: int) -> Floats:
    """(ANSWER_QUANTILES, count): the weights that turn `count` sorted values into their quantiles."""
    place = np.clip((np.arange(ANSWER_QUANTILES) + 0.5) / ANSWER_QUANTILES * count - 0.5, 0, count - 1)
    return np.maximum(0.0, 1 - np.abs(place[:, None] - np.arange(count)))


def _checked_shape(shape: tuple[int, int]) -> tuple[int, int]:
    if not (isinstance(shape, tuple | list) and len(shape) == 2):
        raise DataError(f"the shape of a matrix is two whole numbers of at least 1, got {shown(shape)}")
    rows, columns = (whole_number("a side of the matrix", size, at_least=1) for size in shape)
    if rows * columns > MAX_ENTRIES:
        raise DataError(f"a matrix may have up to {MAX_ENTRIES:,} entries, got {rows} x {columns}; leave some out")
    return rows, columns


def _names(kind: str, count: int, names: Sequence[str] | None) -> tuple[str, ...]:
    found = tuple(f"{kind} {i + 1}" for i in range(count)) if names is None else tuple(map(str, names))
    if len(found) != count or len(set(found)) != count:
        raise DataError(f"{count} {kind}s need {count} different names, got {len(found)}, {len(set(found))} different")
    return found


def _checked_costs(costs: Any, shape: tuple[int, int]) -> Floats:
    expected = f"a number, one for each column, or one for each entry, shape {shape}"
    try:
        found: Floats = np.broadcast_to(numbers("costs", 1.0 if costs is None else costs, expected), shape)
    except ValueError:
        raise refusal("costs", costs, expected) from None
    if not (np.isfinite(found).all() and (found >= MIN_COST).all()):
        raise SettingError("costs must be positive finite numbers; mark what cannot be asked with askable=False")
    return found
