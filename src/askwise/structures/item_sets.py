"""Sets of items, of which people name the best one, or the best and the worst."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.errors import DataError
from askwise.losses import best_worst_places
from askwise.structures import checked_numbers
from askwise.structures.choice import Choice
from askwise.types import Floats, Ints, Option, Prompt, Response

MAX_LISTED_SETS = 500  # with more, candidates are built from good pairs, and some are random
RANDOM_SETS = 40
BEFORE_WORST = " > "  # between the best and the worst item of an answer


class ItemSets:
    """Questions about `shown` items at a time. An atom is their numbers, in rising order.

    The response is the place of the best item in the atom or, with `worst`, a number for the best and the worst
    (`best_worst_places`). `pairs` are the items, with what a structure thinks of each difference of two.

    >>> from askwise.structures.choice import ItemScores
    >>> family = ItemSets(ItemScores(4, names=["tea", "milk", "water", "juice"]), shown=3)
    >>> family.draw_atoms(10, np.random.default_rng(0)).tolist()
    [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]
    >>> family.decide(family.predict(np.array([[1.0, 3.0, 0.0, 2.0]]), np.array([[0, 2, 3]])))
    array([[2]])
    >>> print(family.prompt([0, 2, 3], np.random.default_rng(0)).text)
    Which of these do you like best: juice, tea or water?
    """

    def __init__(self, pairs: Choice, shown: int, worst: bool = False):
        self.pairs, self.shown, self.worst = pairs, shown, worst
        self.names, self.images, self.model_sentence = pairs.names, pairs.images, pairs.model_sentence
        self.active, self.active_names = pairs.active, pairs.active_names
        parted = [name for name in self.names if BEFORE_WORST in name]
        if worst and parted:
            raise DataError(
                f"an item is called {parted[0]!r}, and an answer is written 'best > worst'; give it another name"
            )

    @property
    def dimension(self) -> int:
        """Of a structure."""
        return self.pairs.dimension

    def best_of(self, shown: int) -> ItemSets:
        """Questions for the best of another number of items."""
        return ItemSets(self.pairs, shown)

    def draw_atoms(self, count: int, rng: Generator) -> Ints:
        """All sets where they are few, else some random ones."""
        size = len(self.active)
        if comb(size, self.shown) <= MAX_LISTED_SETS:
            return np.array(list(combinations(self.active.tolist(), self.shown)))
        drawn = rng.random((min(count, RANDOM_SETS), size)).argpartition(self.shown - 1, axis=1)[:, : self.shown]
        return self.active[np.unique(np.sort(drawn, axis=1), axis=0)]

    def checked_atom(self, atom: Any) -> Ints:
        return checked_numbers(atom, *[len(self.names)] * self.shown, different=True)

    def utilities(self, structures: Floats) -> Floats:
        """(S, N): what each taste thinks of each item."""
        return self.pairs.utilities(structures)

    def predict(self, structures: Floats, atoms: Any) -> Floats:
        """(S, A, K): the scores of the items shown, above that of the first."""
        sets = np.asarray(atoms)
        others = np.stack([sets[:, 1:].T, np.broadcast_to(sets[:, 0], (self.shown - 1, len(sets)))], axis=-1)
        above = self.pairs.predict(structures, others.reshape(-1, 2))  # (S, (K - 1) A)
        scores = np.zeros((self.shown, len(structures), len(sets)), above.dtype)
        scores[1:] = np.moveaxis(above.reshape(len(structures), self.shown - 1, len(sets)), 1, 0)
        return np.moveaxis(scores, 0, -1)

    def decide(self, predictions: Floats) -> Ints:
        best = predictions.argmax(axis=-1)
        if not self.worst:
            return best
        worst = predictions.argmin(axis=-1)
        worst = np.where(worst == best, (best + 1) % self.shown, worst)  # where all are equal
        return best * (self.shown - 1) + worst - (worst > best)

    def responses(self, predictions: Floats) -> list[Response]:
        return list(range(self.shown * (self.shown - 1) if self.worst else self.shown))

    def differences(self, atom: Any, response: Response) -> Ints:
        """(M, 2): the pairs of items on which an answer depends, as `difference_places` orders them."""
        items = np.asarray(atom)
        best, worst = best_worst_places(response, self.shown) if self.worst else (int(response), None)
        rest = [place for place in range(self.shown) if place not in (best, worst)]
        order = items[[best, *rest] if worst is None else [best, *rest, worst]]
        return order[difference_places(self.shown, self.worst)]

    def prompt(self, atom: Any, rng: Generator) -> Prompt:
        """Shows the items in random order."""
        order = rng.permutation(self.shown).tolist()
        options = tuple(Option(self.names[int(atom[i])], self.images[int(atom[i])], row=int(atom[i])) for i in order)
        listed = f"{', '.join(option.name for option in options[:-1])} or {options[-1].name}?"
        codes: dict[Response, Response]
        if not self.worst:
            codes = {option.name: place for option, place in zip(options, order, strict=True)}
            return Prompt("set", options, tuple(codes), codes, f"Which of these do you like best: {listed}")
        code_of = {
            tuple(map(int, best_worst_places(code, self.shown))): code for code in range(self.shown * (self.shown - 1))
        }
        codes = {
            f"{options[best].name}{BEFORE_WORST}{options[worst].name}": code_of[order[best], order[worst]]
            for best in range(self.shown)
            for worst in range(self.shown)
            if best != worst
        }
        text = f"Which of these do you like best, and which least: {listed}"
        return Prompt("best-worst", options, tuple(codes), codes, text)


def difference_places(shown: int, worst: bool) -> Ints:
    """(M, 2): the order of all pairs of an answer's items, of which the best is first and the worst, if named, last.

    First come those of the best item with each other one; then those of each other one with the worst; then the rest.

    >>> difference_places(4, worst=False).tolist()
    [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    >>> difference_places(4, worst=True).tolist()
    [[0, 1], [0, 2], [0, 3], [1, 3], [2, 3], [1, 2]]
    """
    last = shown - 1 if worst else 0
    return np.array(
        sorted(combinations(range(shown), 2), key=lambda pair: (pair[0] > 0, pair[0] * (pair[1] < last), pair))
    )
