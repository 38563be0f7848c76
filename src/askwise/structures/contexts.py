"""Items that are compared within contexts, such as systems by their replies to prompts. A structure is the score of
each item in general, and its score in each context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from askwise.errors import DataError
from askwise.structures import MAX_ATOMS_SCORED_WHOLE, checked_numbers, draw_indices
from askwise.structures.choice import ChoiceAmongMany, pairs_at
from askwise.structures.rows import one_hot
from askwise.types import Floats, Ints, Prompt

QUESTION = "Which is better?"


class ChoiceInContexts(ChoiceAmongMany):
    """N items and C contexts. An atom (c, i, j) with i < j asks to compare items i and j in context c.

    A structure (N + C N + J N,) holds the scores of the items in general, then those in the first context, and so on,
    and at last what each of J `judges` adds to the scores: a taste of their own. An atom may end with the place of a
    judge, (c, i, j, p), and is then about what this judge prefers; places of J and above have no such taste. The
    responses are those of `Choice`. `contexts` names the contexts. A question does not name the items: it shows
    what they did in the context, and whoever knows an item shall not be swayed by its name. `contents` (C, N), if
    given, is what each item did in each context: two items that did the same there are not compared.

    :param contexts: The names of the contexts.
    :param count: How many items there are.
    :param judges: How many judges have a taste of their own.
    :param contents: What each item did in each context, `(C, N)`.

    >>> family = ChoiceInContexts(["a poem", "a sum"], 2, names=["old", "new"])
    >>> family.draw_atoms(10, np.random.default_rng(0)).tolist()
    [[0, 0, 1], [1, 0, 1]]
    >>> family.predict(np.array([[2.0, 1.0, 3.0, 1.0, 0.0, 5.0]]), np.array([[0, 0, 1], [1, 0, 1]]))
    array([[ 2., -5.]])
    >>> print(family.prompt([0, 0, 1], np.random.default_rng(0)).text)
    a poem
    <BLANKLINE>
    Which is better?
    """

    model_sentence = (
        "how good an item is in a context is how good it is in general and a deviation that belongs to the context; "
        "how much deviates is learned from the answers"
    )

    def __init__(
        self,
        contexts: Sequence[str],
        count: int,
        names: Sequence[str] | None = None,
        ties: bool = False,
        images: Any = None,
        retired: Sequence[int] = (),
        grades: Sequence[str] = (),
        judges: int = 0,
        contents: Sequence[Sequence[Any]] | None = None,
    ):
        super().__init__(np.zeros((count, 0)), names, ties, images, retired, grades)
        if not contexts or len(set(contexts)) < len(contexts):
            raise DataError(f"contexts have different names, and there is at least one; got {len(contexts)}")
        self.contexts, self.judges = tuple(contexts), judges
        self._codes = None if contents is None else np.array([_codes(each) for each in contents])  # (C, N)
        self._differing = self._differing_atoms()

    @property
    def atom_count(self) -> int:
        """How many questions there are."""
        size = len(self.active)
        return len(self.contexts) * size * (size - 1) // 2 if self._differing is None else len(self._differing)

    @property
    def dimension(self) -> int:
        return len(self.items) * (1 + len(self.contexts) + self.judges)

    def features(self, atoms: Any) -> Floats:
        first, second = self._columns(atoms)
        found = one_hot(first, self.dimension) - one_hot(second, self.dimension)
        mine, first, second = self._taste_columns(atoms)
        found[mine] += one_hot(first, self.dimension) - one_hot(second, self.dimension)
        return found

    def predict(self, structures: Floats, atoms: Any) -> Floats:
        first, second = self._columns(atoms)
        found = structures[:, first] - structures[:, second]
        mine, first, second = self._taste_columns(atoms)
        if len(mine):
            found[:, mine] += structures[:, first] - structures[:, second]
        return found

    def utilities(self, structures: Floats) -> Floats:
        """(S, N): how good each item is in general."""
        return structures[:, : len(self.items)]

    def scores_within(self, structures: Floats) -> Floats:
        """(S, C, N): how good each item is in each context.

        :param structures: The structures `(S, C N + N + J N)`.
        """
        size, count = len(self.items), len(self.contexts)
        return structures[:, size : size * (1 + count)].reshape(len(structures), count, size)

    def draw_atoms(self, count: int, rng: Generator) -> Ints:
        found = draw_indices(self.atom_count, count, rng)
        return self._atoms_at(found if self._differing is None else self._differing[found])

    def propose_atoms(self, structures: Floats, count: int) -> Ints:
        """The pairs near the top, each in the contexts where least is known about it; none where all atoms are
        candidates anyway."""
        if self.atom_count <= max(count, MAX_ATOMS_SCORED_WHOLE):
            return np.zeros((0, 3), dtype=int)
        some = structures[:, : len(self.items)]
        liked = some[:, self.active].mean(axis=0)
        top = self.active[np.sort(np.argsort(-liked, kind="stable")[: max(2, int(np.sqrt(count)))])]
        pairs = top[pairs_at(np.arange(len(top) * (len(top) - 1) // 2), len(top))]
        each = max(1, count // len(pairs))
        within = self.scores_within(structures)
        spread = np.stack([(within[:, :, i] - within[:, :, j]).var(axis=0) for i, j in pairs.tolist()])  # (pairs, C)
        places = np.argsort(-spread, axis=1, kind="stable")[:, :each]
        found = np.column_stack([places.ravel(), np.repeat(pairs, places.shape[1], axis=0)])
        return found[self._differ(found)]

    def checked_atom(self, atom: Any) -> Ints:
        place, *pair = checked_numbers(atom, len(self.contexts), len(self.items), len(self.items))
        return np.array([place, *super().checked_atom(pair)])

    def prompt(self, atom: Any, rng: Generator) -> Prompt:
        """Shows the context and the two items in random order."""
        return replace(super().prompt(atom[1:], rng), text=f"{self.contexts[int(atom[0])]}\n\n{QUESTION}")

    def _atoms_at(self, indices: Ints) -> Ints:
        """(A, 3): the atoms at these places of the list of all, with those of items that did the same."""
        size = len(self.active)
        pairs = size * (size - 1) // 2
        return np.column_stack([indices // pairs, self.active[pairs_at(indices % pairs, size)]])

    def _differ(self, atoms: Ints) -> NDArray[np.bool_]:
        """(A,): whether the two items of each atom did different things."""
        if self._codes is None:
            return np.ones(len(atoms), dtype=bool)
        contexts, first, second = atoms.T
        return self._codes[contexts, first] != self._codes[contexts, second]

    def _differing_atoms(self) -> Ints | None:
        """The places of atoms whose items did different things, in the list of all; None: all of them did."""
        size = len(self.active)
        places = np.arange(len(self.contexts) * size * (size - 1) // 2)
        if self._codes is None or not len(places):
            return None
        kept = self._differ(self._atoms_at(places))
        return None if kept.all() else places[kept]

    def _columns(self, atoms: Any) -> tuple[Ints, Ints]:
        """(A,) and (A,): the places of the two scores that each atom compares."""
        rows, size = np.asarray(atoms), len(self.items)
        start = (1 + rows[:, 0]) * size
        return start + rows[:, 1], start + rows[:, 2]

    def _taste_columns(self, atoms: Any) -> tuple[Ints, Ints, Ints]:
        """The atoms about a judge with a taste, and the places of what the judge adds to the two scores."""
        rows, size = np.asarray(atoms), len(self.items)
        if rows.shape[1] < 4:
            return (np.zeros(0, dtype=int),) * 3
        mine = np.flatnonzero(rows[:, 3] < self.judges)
        start = (1 + len(self.contexts) + rows[mine, 3]) * size
        return mine, start + rows[mine, 1], start + rows[mine, 2]


def _codes(values: Sequence[Any]) -> list[int]:
    """The same number for the same value."""
    known: dict[Any, int] = {}
    return [known.setdefault(value, len(known)) for value in values]
