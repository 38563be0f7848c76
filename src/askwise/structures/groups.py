"""Several people who compare the same items. A structure is the score that each of them gives to each item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.errors import DataError
from askwise.structures import MAX_ATOMS_SCORED_WHOLE, checked_numbers, draw_indices
from askwise.structures.choice import ItemScores, pairs_at
from askwise.structures.linear import LinearScores
from askwise.structures.rows import one_hot
from askwise.types import Floats, Ints, Prompt, Response


class GroupChoice(LinearScores):
    """P people and N items. An atom (p, i, j) with i < j asks person p to compare items i and j.

    A structure (P N,) holds the scores of the first person, then those of the second, and so on. The responses are
    those of `ItemScores`: +1 (prefers i), -1 (prefers j) and, with `ties`, 0 (about equal). `people` names everybody;
    without `named`, these names only number places that people may take.

    >>> family = GroupChoice(["Ann", "Ben"], 2, names=["tea", "coffee"])
    >>> family.draw_atoms(10, np.random.default_rng(0)).tolist()
    [[0, 0, 1], [1, 0, 1]]
    >>> family.predict(np.array([[3.0, 1.0, 0.0, 5.0]]), np.array([[0, 0, 1], [1, 0, 1]]))
    array([[ 2., -5.]])
    """

    model_sentence = (
        "everybody's taste is a common one and a deviation of their own; how much is common is learned from the answers"
    )

    def __init__(
        self,
        people: Sequence[str],
        count: int,
        names: Sequence[str] | None = None,
        ties: bool = False,
        images: Any = None,
        named: bool = True,
    ):
        if len(people) < 2 or len(set(people)) < len(people):
            raise DataError(f"a group has two or more people with different names; got {', '.join(people) or 'nobody'}")
        self.people, self.named = tuple(people), named
        self.choice = ItemScores(count, names, ties, images)
        self.names, self.images = self.choice.names, self.choice.images

    @property
    def dimension(self) -> int:
        return len(self.people) * self.choice.dimension

    def places(self, atoms: Any) -> Ints:
        """(A,): whom each atom asks, as a place in `people`."""
        return np.asarray(atoms)[..., 0]

    def features(self, atoms: Any) -> Floats:
        first, second = self._columns(atoms)
        return one_hot(first, self.dimension) - one_hot(second, self.dimension)

    def predict(self, structures: Floats, atoms: Any) -> Floats:
        first, second = self._columns(atoms)
        return structures[:, first] - structures[:, second]

    def draw_atoms(self, count: int, rng: Generator) -> Ints:
        size = len(self.names)
        pairs = size * (size - 1) // 2
        found = draw_indices(len(self.people) * pairs, count, rng)
        return np.column_stack([found // pairs, pairs_at(found % pairs, size)])

    def propose_atoms(self, structures: Floats, count: int) -> Ints:
        """Everybody's pairs of the items that the group likes most; none where all atoms are candidates anyway."""
        size, people = len(self.names), len(self.people)
        if people * size * (size - 1) // 2 <= max(count, MAX_ATOMS_SCORED_WHOLE):
            return np.zeros((0, 3), dtype=int)
        liked = np.reshape(structures, (len(structures), people, size)).mean(axis=(0, 1))
        contenders = np.sort(np.argsort(-liked, kind="stable")[: max(2, int(np.sqrt(2 * count / people)))])
        first, second = np.triu_indices(len(contenders), 1)
        pairs = np.stack([contenders[first], contenders[second]], axis=1)
        return np.column_stack([np.repeat(np.arange(people), len(pairs)), np.tile(pairs, (people, 1))])

    def checked_atom(self, atom: Any) -> Ints:
        place, *pair = checked_numbers(atom, len(self.people), len(self.names), len(self.names))
        return np.array([place, *self.choice.checked_atom(pair)])

    def responses(self, predictions: Floats) -> list[Response]:
        return self.choice.responses(predictions)

    def prompt(self, atom: Any, rng: Generator) -> Prompt:
        """Shows the two items in random order."""
        return self.choice.prompt(atom[1:], rng)

    def _columns(self, atoms: Any) -> tuple[Ints, Ints]:
        """(A,) and (A,): the places of the two scores that each atom compares."""
        rows, size = np.asarray(atoms), len(self.names)
        return rows[:, 0] * size + rows[:, 1], rows[:, 0] * size + rows[:, 2]


def people_named(people: int | Sequence[str]) -> list[str]:
    """The names of a group that was given by its names or by its size.

    >>> people_named(2), people_named(["Ann", "Ben"])
    (['person 1', 'person 2'], ['Ann', 'Ben'])
    """
    return [f"person {place + 1}" for place in range(people)] if isinstance(people, int) else list(people)
