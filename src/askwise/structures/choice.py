"""Choices between items. A structure is a taste w: it prefers item x to y when w . x > w . y."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.errors import DataError
from askwise.options import flag, number
from askwise.structures import MAX_ATOMS_SCORED_WHOLE, checked_numbers, draw_indices
from askwise.structures.grades import check_grades, graded_pair, levels
from askwise.structures.linear import LinearScores
from askwise.structures.rows import names_and_images, one_hot
from askwise.types import Floats, Ints, Option, Prompt, Response

ANSWERS = ("left", "right", "equal")
TOP_PLACES = 8  # of a draw, whose items are worth comparing
MAX_APPEAL = 1e6  # of one item, where the mean squared length of features is 1


class Choice(LinearScores):
    """N items with D features each. An atom is a pair (i, j) with i < j; its score is w . (x_i - x_j).

    The responses are +1 (prefers i), -1 (prefers j) and, with `ties`, 0 (about equal). With `grades`, from the weakest
    to the strongest, they are +1, ..., +G and -1, ..., -G. `items` is (N, D); `names` and `images`, if given, have one
    entry an item. `retired` are the places of items that are no longer asked about.

    :param items: The features of the items, `(N, D)`.
    :param names: The names of the items; by default their numbers.
    :param ties: Whether "about equal" is an answer.
    :param images: The picture of each item, if they have one.
    :param retired: The places of items that are no longer asked about.
    :param grades: The grades of an answer, from the weakest; none by default.

    >>> family = Choice([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]], names=["tea", "coffee", "both"])
    >>> family.draw_atoms(10, np.random.default_rng(0)).tolist()
    [[0, 1], [0, 2], [1, 2]]
    >>> print(family.prompt([0, 1], np.random.default_rng(0)).text)
    Which do you prefer: coffee or tea?
    """

    model_sentence = "a taste weighs the features of the items, and may like an item more or less than they say"

    def __init__(
        self,
        items: Any,
        names: Sequence[str] | None = None,
        ties: bool = False,
        images: Any = None,
        retired: Sequence[int] = (),
        grades: Sequence[str] = (),
    ):
        self.items: Floats = np.asarray(items, dtype=float)
        if self.items.ndim != 2 or len(self.items) < 2 or not np.isfinite(self.items).all():
            raise DataError(
                f"a choice needs at least two items, each a row of finite numbers; got shape {self.items.shape}"
            )
        taken = [name for name in names or () if name.strip().casefold() in ANSWERS]
        if taken:
            raise DataError(f"an item is called {taken[0]!r}, which is also what people answer; give it another name")
        self.names, self.images = names_and_images(len(self.items), "item", names, images)
        self.ties = flag("ties", ties)
        self.active: Ints = np.delete(np.arange(len(self.items)), np.asarray(retired, dtype=int))
        self.grades = check_grades("grades", grades)

    @property
    def dimension(self) -> int:
        return self.items.shape[1]

    @property
    def active_names(self) -> tuple[str, ...]:
        """The names of the items that can be asked about."""
        return tuple(self.names[place] for place in self.active)

    def features(self, atoms: Ints) -> Floats:
        pairs = np.asarray(atoms)
        return self.items[pairs[..., 0]] - self.items[pairs[..., 1]]

    def draw_atoms(self, count: int, rng: Generator) -> Ints:
        size = len(self.active)
        return self.active[pairs_at(draw_indices(size * (size - 1) // 2, count, rng), size)]

    def checked_atom(self, atom: Any) -> Ints:
        return checked_numbers(atom, len(self.items), len(self.items), different=True)

    def utilities(self, structures: Floats) -> Floats:
        """(S, N): what each taste thinks of each item."""
        return structures @ self.items.T

    def responses(self, predictions: Floats) -> list[Response]:
        sides: list[Response] = [side * level for side in (1, -1) for level in levels(self.grades)]
        return [*sides, 0] if self.ties else sides

    def prompt(self, atom: Any, rng: Generator) -> Prompt:
        """Shows the two items in random order."""
        first = 0 if rng.random() < 0.5 else 1
        left, right = (int(atom[first]), int(atom[1 - first]))
        options = tuple(Option(self.names[i], self.images[i], row=i) for i in (left, right))
        text = f"Which do you prefer: {options[0].name} or {options[1].name}?"
        if self.grades:
            sides, names = ("left", "right"), (options[0].name, options[1].name)
            shown, named = (graded_pair(*words, self.grades, self.ties) for words in (sides, names))
            codes: dict[Response, Response] = {said: (1 - 2 * first) * level for said, level in (named | shown).items()}
            return Prompt("pair", options, tuple(shown), codes, text)
        side_codes: dict[Response, Response] = {"left": 1 - 2 * first, "right": 2 * first - 1}
        if self.ties:
            side_codes["equal"] = 0
        name_codes: dict[Response, Response] = {
            options[0].name: side_codes["left"],
            options[1].name: side_codes["right"],
        }
        return Prompt("pair", options, tuple(side_codes), {**name_codes, **side_codes}, text)


class ChoiceAmongMany(Choice):
    """A choice that also proposes the pairs of items near the top, for tables too long to score every pair.

    >>> family = ChoiceAmongMany(np.arange(200.0)[:, None])
    >>> family.propose_atoms(np.array([[1.0], [2.0]]), 3).tolist()
    [[198, 199]]
    """

    def propose_atoms(self, structures: Floats, count: int) -> Ints:
        """The pairs of the items that are near the top in most draws; none where all pairs are candidates anyway."""
        size = len(self.active)
        if size * (size - 1) // 2 <= max(count, MAX_ATOMS_SCORED_WHOLE):
            return np.zeros((0, 2), dtype=int)
        utilities = self.utilities(structures)[:, self.active]
        top = np.argpartition(-utilities, TOP_PLACES, axis=1)[:, :TOP_PLACES]
        order = np.argsort(-np.take_along_axis(utilities, top, axis=1), axis=1)
        share = 1 / np.arange(1.0, TOP_PLACES + 1)  # a first place counts most
        near = np.bincount(np.take_along_axis(top, order, axis=1).ravel(), np.tile(share, len(top)), size)
        contenders = np.sort(np.argsort(-near, kind="stable")[: int(np.sqrt(2 * count))])
        first, second = np.triu_indices(len(contenders), 1)
        return self.active[np.stack([contenders[first], contenders[second]], axis=1)]


class ItemScores(ChoiceAmongMany):
    """N items. A structure is the score of each (N,), whatever gave it; the score of a pair is the difference.

    :param count: How many items there are.

    >>> family = ItemScores(3, names=["tea", "coffee", "both"])
    >>> family.predict(np.array([[3.0, 1.0, 2.0]]), np.array([[0, 1], [1, 2]]))
    array([[ 2., -1.]])
    """

    def __init__(
        self,
        count: int,
        names: Sequence[str] | None = None,
        ties: bool = False,
        images: Any = None,
        retired: Sequence[int] = (),
        grades: Sequence[str] = (),
    ):
        super().__init__(np.zeros((count, 0)), names, ties, images, retired, grades)

    @property
    def dimension(self) -> int:
        return len(self.items)

    def features(self, atoms: Ints) -> Floats:
        pairs = np.asarray(atoms)
        return one_hot(pairs[:, 0], len(self.items)) - one_hot(pairs[:, 1], len(self.items))

    def predict(self, structures: Floats, atoms: Any) -> Floats:
        pairs = np.asarray(atoms)
        return structures[:, pairs[:, 0]] - structures[:, pairs[:, 1]]

    def utilities(self, structures: Floats) -> Floats:
        return structures


def item_rows(features: Any, individual: float = 0.0) -> Floats:
    """The rows of a `Choice`: `features` (N, D), and a column for each item's own appeal, of strength `individual`.

    Items without features (D = 0) have only their own appeal: one utility each.

    >>> item_rows([[2.0], [3.0]], individual=0.5).tolist()
    [[2.0, 0.5, 0.0], [3.0, 0.0, 0.5]]
    >>> item_rows(np.empty((2, 0))).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    rows: Floats = np.asarray(features, dtype=float)
    individual = number("individual", individual, at_least=0, at_most=MAX_APPEAL)
    if not rows.shape[1]:
        return np.eye(len(rows))
    return rows if individual == 0 else np.hstack([rows, individual * np.eye(len(rows))])


def pairs_at(index: Ints, size: int) -> Ints:
    """(A,) -> (A, 2): the pairs (i, j), i < j, of `size` items at these places of (0, 1), (0, 2), ..., (1, 2), ...

    >>> pairs_at(np.arange(6), 4).tolist()
    [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    """
    starts = np.arange(size) * (2 * size - np.arange(size) - 1) // 2  # the first pair of each i
    first = np.searchsorted(starts, index, side="right") - 1
    return np.stack([first, index - starts[first] + first + 1], axis=-1)
