"""Binary hierarchies: rooted binary trees over named items. A question asks which of three items is the odd one out.

A tree of n items is the array of its nodes' parents, (2n - 1,): nodes 0..n-1 are the items, the others are inner nodes
in any order, and the root has the parent -1. The same tree can be written in several ways; compare trees through what
they answer, or through `newick`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.errors import DataError, SettingError
from askwise.options import whole_number
from askwise.structures import checked_numbers, draw_indices
from askwise.structures.rows import names_and_images
from askwise.types import Floats, Ints, Option, Prompt, Response

MAX_PAIRS_PER_CALL = 10_000_000  # of items, in all trees of one compiled call: .1 s
MAX_LISTED_ITEMS = 8  # whose trees are all listed: 135,135 of them


class Hierarchies:
    """All rooted binary trees over `count` items. An atom is a triple (i, j, k), i < j < k; the response is the place
    (0, 1 or 2) of the item left out when the other two join.

    `names` and `images`, if given, have one entry an item; names must differ.

    :param count: How many items there are.
    :param names: The names of the items, all different; by default their numbers.
    :param images: The picture of each item, if they have one.

    >>> family = Hierarchies(3, names=["cat", "dog", "eel"])
    >>> tree = np.array([[3, 3, 4, 4, -1]])  # (cat, dog) join first
    >>> family.predict(tree, np.array([[0, 1, 2]]))
    array([[2.]])
    >>> print(family.prompt([0, 1, 2], np.random.default_rng(0)).text)
    Which one is the odd one out: eel, cat or dog?
    """

    model_sentence = "the items form a tree in which each branch splits in two"

    def __init__(self, count: int, names: Sequence[str] | None = None, images: Any = None):
        self.count = whole_number("the number of items", count, at_least=3)
        self.names, self.images = names_and_images(self.count, "item", names, images)
        folded_names = [str(name).strip().casefold() for name in self.names]
        repeated = [name for name, plain in zip(self.names, folded_names, strict=True) if folded_names.count(plain) > 1]
        if repeated:
            raise DataError(f"two items are called {repeated[0]!r}; give every item a name of its own")

    def draw_atoms(self, count: int, rng: Generator) -> Ints:
        return triples_at(draw_indices(comb(self.count, 3), count, rng), self.count)

    def checked_atom(self, atom: Any) -> Ints:
        return checked_numbers(atom, self.count, self.count, self.count, different=True)

    def predict(self, structures: Ints, atoms: Ints) -> Floats:
        return self.answers(structures, atoms).astype(float)

    def answers(self, structures: Ints, atoms: Ints) -> Ints:
        """(S, A): places of the items left out, in 8 bits.

        :param structures: Trees `(S, 2n - 1)`.
        :param atoms: Triples `(A, 3)`.
        """
        from askwise._runtime.compiled import portions  # brings numba, which `import askwise` must not
        from askwise.structures.triplets import odd_ones_out, scratch_space

        trees, triples = (np.ascontiguousarray(values, dtype=np.int32) for values in (structures, atoms))
        result, space = np.empty((len(trees), len(triples)), dtype=np.int8), scratch_space(trees)
        for some in portions(len(trees), self.count**2 + len(triples), MAX_PAIRS_PER_CALL):
            odd_ones_out(trees[some], triples.reshape(-1, 3), *space, result[some])
        return result

    def decide(self, predictions: Floats) -> Ints:
        return np.asarray(predictions).astype(int)

    def responses(self, predictions: Floats) -> list[Response]:
        return [0, 1, 2]

    def prompt(self, atom: Any, rng: Generator) -> Prompt:
        """Shows the three items in random order; the answer is the name of the one left out."""
        shown = [(int(atom[place]), int(place)) for place in rng.permutation(3)]
        options = tuple(Option(self.names[item], self.images[item], row=item) for item, _ in shown)
        codes: dict[Response, Response] = {self.names[item]: place for item, place in shown}
        one, two, three = (option.name for option in options)
        return Prompt("triple", options, tuple(codes), codes, f"Which one is the odd one out: {one}, {two} or {three}?")


def triples_at(index: Ints, size: int) -> Ints:
    """(A,) -> (A, 3): the triples (i, j, k), i < j < k, of `size` items at these places, ordered by k, then j, then i.

    >>> triples_at(np.arange(4), 4).tolist()
    [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]
    """
    numbers = np.arange(size + 1, dtype=np.int64)
    triples, pairs = numbers * (numbers - 1) * (numbers - 2) // 6, numbers * (numbers - 1) // 2
    last = np.searchsorted(triples, index, side="right") - 1
    rest = index - triples[last]
    middle = np.searchsorted(pairs, rest, side="right") - 1
    return np.stack([rest - pairs[middle], middle, last], axis=-1)


def random_trees(count: int, items: int, rng: Generator) -> Ints:
    """(S, 2n - 1): trees, each of the (2n - 3)!! equally likely: items join one after another, on any edge.

    :param count: How many trees.
    :param items: How many items each of them has.
    :param rng: The generator of the trees.

    >>> random_trees(2, 3, np.random.default_rng(0)).shape
    (2, 5)
    """
    trees = np.full((count, 2 * items - 1), -1, dtype=np.int32)
    rows = np.arange(count)
    trees[:, 0] = trees[:, 1] = items
    for leaf in range(2, items):
        edge = rng.integers(2 * leaf - 1, size=count)
        _attach(trees, rows, leaf, np.where(edge < leaf, edge, edge - leaf + items), items)
    return trees


def all_trees(items: int) -> Ints:
    """(G, 2n - 1): every rooted binary tree over `items` items, once.

    :param items: How many items there are.

    >>> [len(all_trees(items)) for items in (3, 4, 5)]
    [3, 15, 105]
    """
    if not 2 <= items <= MAX_LISTED_ITEMS:
        raise SettingError(f"trees are listed for 2 to {MAX_LISTED_ITEMS} items, got {items}; sample them beyond")
    trees = np.full((1, 2 * items - 1), -1, dtype=np.int32)
    trees[:, 0] = trees[:, 1] = items
    for leaf in range(2, items):
        edges = np.concatenate([np.arange(leaf), np.arange(items, items + leaf - 1)])
        below = np.tile(edges, len(trees))
        trees = np.repeat(trees, len(edges), axis=0)
        _attach(trees, np.arange(len(trees)), leaf, below, items)
    return trees


def _attach(trees: Ints, rows: Ints, leaf: int, below: Ints, items: int) -> None:
    """Attaches a leaf to the edge above node `below[s]` of every tree s, in place."""
    joint = items + leaf - 1
    trees[rows, joint] = trees[rows, below]
    trees[rows, below] = joint
    trees[:, leaf] = joint


def nested(tree: Ints, names: Sequence[str]) -> Any:
    """One tree (2n - 1,) as nested lists of two, down to the names; the side with the earlier item comes first.

    :param tree: One tree, `(2n - 1,)`.
    :param names: The names of the items in the order of their numbers.

    >>> nested(np.array([3, 3, 4, 4, -1]), ["cat", "dog", "eel"])
    [['cat', 'dog'], 'eel']
    """
    return _fold(tree, names, lambda one, two: [one, two])


def newick(tree: Ints, names: Sequence[str]) -> str:
    """One tree (2n - 1,) in the Newick format; equal trees give equal texts.

    :param tree: One tree, `(2n - 1,)`.
    :param names: The names of the items in the order of their numbers.

    >>> newick(np.array([3, 3, 4, 4, -1]), ["cat", "dog", "electric eel"])
    "((cat,dog),'electric eel');"
    """
    safe = [name if name.replace("_", "").isalnum() else "'" + name.replace("'", "''") + "'" for name in names]
    text: str = _fold(tree, safe, lambda one, two: f"({one},{two})")
    return f"{text};"


def from_nested(lists: Any, names: Sequence[str]) -> Ints:
    """The tree (2n - 1,) of nested `lists` over `names`, as `nested` writes them.

    :param lists: Nested lists of two, down to the names.
    :param names: The names of the items in the order of their numbers.

    >>> from_nested([["cat", "dog"], "eel"], ["cat", "dog", "eel"]).tolist()
    [4, 4, 3, -1, 3]
    """
    place = {name: leaf for leaf, name in enumerate(names)}
    tree = np.full(2 * len(names) - 1, -1, dtype=np.int32)
    free = len(names)
    waiting: list[tuple[Any, int]] = [(lists, -1)]
    while waiting:
        part, above = waiting.pop()
        fork = isinstance(part, list | tuple) and len(part) == 2
        node = free if fork else place.pop(part, None) if isinstance(part, str) else None
        if node is None or node >= len(tree):
            raise DataError(f"{part!r} is neither one of the names, each used once, nor a list of two parts")
        tree[node] = above
        if fork:
            free += 1
            waiting += [(child, node) for child in reversed(part)]
    if place:
        raise DataError(f"the hierarchy lacks {next(iter(place))!r}; every item must be in it once")
    return tree


def _fold(tree: Ints, names: Sequence[Any], join: Any) -> Any:
    """Joins values from the leaves up, without recursion: a tree can be as deep as it has items."""
    parents = np.asarray(tree).tolist()
    earliest = {leaf: leaf for leaf in range(len(names))}
    value: dict[int, Any] = dict(enumerate(names))
    met: dict[int, int] = {}
    ready = list(range(len(names)))
    for node in ready:
        above = parents[node]
        if above < 0:
            return value[node]
        if above in value:  # a third child, or a circle
            break
        if above not in met:
            met[above] = node
            continue
        one, two = sorted((met[above], node), key=lambda child: earliest[child])
        value[above], earliest[above] = join(value[one], value[two]), earliest[one]
        ready.append(above)
    raise DataError("these parents are not a binary tree: some node has no two children or there is no root")


def clades(tree: Ints) -> frozenset[frozenset[int]]:
    """The sets of items below the inner nodes: two trees with the same clades are the same tree.

    :param tree: One tree, `(2n - 1,)`.

    >>> sorted(map(sorted, clades(np.array([3, 3, 4, 4, -1]))))
    [[0, 1], [0, 1, 2]]
    """
    items = (len(tree) + 1) // 2
    found: list[frozenset[int]] = []

    def join(one: frozenset[int], two: frozenset[int]) -> frozenset[int]:
        found.append(one | two)
        return found[-1]

    _fold(tree, [frozenset([leaf]) for leaf in range(items)], join)
    return frozenset(found)
