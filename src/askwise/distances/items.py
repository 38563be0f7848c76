"""Distances between tastes w over a fixed list of items (N, D): what is best, what is on top, in which order."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np

from askwise.distances import Dense, Form, Multipartite, Overlap, grouped
from askwise.errors import DataError
from askwise.options import number, whole_number
from askwise.structures.choice import pairs_at
from askwise.types import Floats, Ints

MAX_COMPARED = 10**7  # places of two orders that are compared at a time, so that memory stays small


class ItemDistance:
    """What distances over `items` (N, D) share: how each taste values them.

    A structure is a weight for each feature (D,) or, with `scored`, already the score of each item (N,).

    :param items: The features of the items, `(N, D)`.
    :param scored: Whether a structure is already the score of each item.

    >>> ItemDistance(np.eye(2)).best(np.array([[1.0, 3.0]]))
    array([1])
    """

    def __init__(self, items: Any, scored: bool = False):
        self.items: Floats = np.asarray(items, dtype=float)
        self.scored = scored
        self.places: Ints | None = None  # of the items among those that are scored; None: all of them
        if self.items.ndim != 2 or len(self.items) < 2:
            raise DataError(f"a distance over items needs at least two rows of features; got shape {self.items.shape}")

    def utilities(self, structures: Floats) -> Floats:
        """(S, N): what each taste thinks of each item."""
        if not self.scored:
            return structures @ self.items.T
        return structures if self.places is None else structures[:, self.places]

    def restricted(self, places: Ints) -> Self:
        """The same where a structure scores more items than count: those at `places` are the items here.

        :param places: Which of the items scored by a structure count.

        >>> ItemDistance(np.eye(2), scored=True).restricted(np.array([0, 2])).best(np.array([[1.0, 9.0, 3.0]]))
        array([1])
        """
        other = copy(self)
        other.places = places
        return other

    def best(self, structures: Floats) -> Ints:
        """(S,): the item each taste likes most.

        :param structures: Tastes, `(S, ...)`.
        """
        return self.utilities(structures).argmax(axis=1)


class BestItem(ItemDistance):
    """1 if two tastes have different best items, else 0.

    >>> BestItem(np.eye(2)).paired(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]))
    array([1.])
    """

    phrase = "{what} is not the best item with probability {loss:.3f}"

    def paired(self, left: Floats, right: Floats) -> Floats:
        return (self.best(left) != self.best(right)).astype(float)

    def pairwise(self, structures: Floats) -> Floats:
        best = self.best(structures)
        return (best[:, None] != best[None, :]).astype(float)

    def form(self, structures: Floats) -> Form:
        return grouped(self.best(structures), lambda kept: 1.0 - np.eye(len(kept)))


class BestItemDistance(ItemDistance):
    """How far apart the best items of two tastes lie, over the largest distance between any two items (`scale`).

    >>> BestItemDistance([[0.0], [1.0], [4.0]]).paired(np.array([[1.0]]), np.array([[-1.0]]))
    array([1.])
    """

    phrase = "{what} is as far from the best item as {loss:.3f} of the largest distance between items"

    def __init__(self, items: Any, scored: bool = False):
        super().__init__(items, scored)
        self.scale = float(self._gaps(np.arange(len(self.items))).max())
        if self.scale == 0:
            raise DataError("all items have the same features, so no distance tells them apart; use BestItem instead")

    def paired(self, left: Floats, right: Floats) -> Floats:
        gaps = self.items[self.best(left)] - self.items[self.best(right)]
        return np.linalg.norm(gaps, axis=1) / self.scale

    def pairwise(self, structures: Floats) -> Floats:
        form = grouped(self.best(structures), self._between)
        return form.between[np.ix_(form.group, form.group)]

    def form(self, structures: Floats) -> Form:
        return grouped(self.best(structures), self._between)

    def _between(self, kept: Ints) -> Floats:
        return self._gaps(kept) / self.scale

    def _gaps(self, kept: Ints) -> Floats:
        rows = self.items[kept]
        return np.sqrt(sum((column[:, None] - column[None, :]) ** 2 for column in rows.T))


class ItemRegret(ItemDistance):
    """How much worse one taste's best item is under the other taste, as a share of that taste's own range of scores.

    The paper's column-selection distance, on items. Near-duplicates are close, whatever their features say.

    >>> ItemRegret(np.eye(3)).paired(np.array([[1.0, 0.9, 0.0]]), np.array([[0.5, 1.0, 0.0]])).round(4)
    array([0.5])
    """

    phrase = "choosing {what} gives up {loss:.3f} of the range from the best to the worst item"

    def paired(self, left: Floats, right: Floats) -> Floats:
        rows = np.arange(len(left))
        regret_left, regret_right = self.regrets(left), self.regrets(right)
        best_left, best_right = regret_left.argmin(axis=1), regret_right.argmin(axis=1)
        return np.maximum(regret_left[rows, best_right], regret_right[rows, best_left])

    def pairwise(self, structures: Floats) -> Floats:
        regrets = self.regrets(structures)
        return self._between(regrets, regrets.argmin(axis=1))

    def form(self, structures: Floats) -> Form:
        """Tastes with the same best item lose nothing with each other's. In 32 bits, in half the time."""
        regrets = self.regrets(structures).astype(np.float32)
        best = regrets.argmin(axis=1)  # the best item's is 0 in any precision
        sizes = np.bincount(best)
        order = np.lexsort((best, -sizes[best]))  # the largest group first
        return Multipartite(self._between(regrets[order], best[order]), order, np.sort(sizes[sizes > 0])[::-1].tolist())

    def _between(self, regrets: Floats, best: Ints) -> Floats:
        crossed = regrets[:, best]  # (S, S): what s loses with the best item of t
        return np.maximum(crossed, crossed.T)

    def regrets(self, structures: Floats) -> Floats:
        """(S, N): what each taste loses by taking each item instead of its best; 0 to 1.

        :param structures: Tastes, `(S, ...)`.
        """
        return regrets_of(self.utilities(structures))


def regrets_of(utilities: Floats) -> Floats:
    """(S, N) -> (S, N): what is lost by taking each item instead of the best, as a share of the range.

    >>> regrets_of(np.array([[1.0, 3.0, 2.0]]))
    array([[1. , 0. , 0.5]])
    """
    top = utilities.max(axis=1, keepdims=True)
    spread = top - utilities.min(axis=1, keepdims=True)
    return (top - utilities) / np.where(spread > 0, spread, 1.0)


class TopK(ItemDistance):
    """The share of the k best items of one taste that are not among the k best of the other.

    :param k: How many of the items are the best ones.

    >>> TopK(np.eye(3), 2).paired(np.array([[3.0, 2.0, 1.0]]), np.array([[3.0, 1.0, 2.0]]))
    array([0.5])
    """

    phrase = "{what} misses {loss:.3f} of the true top"

    def __init__(self, items: Any, k: int, scored: bool = False):
        super().__init__(items, scored)
        self.k = whole_number("k", k, at_least=1, at_most=len(self.items) - 1)

    def top(self, structures: Floats) -> Floats:
        """(S, N): 1 for the k items with the highest scores (of equal ones, those that come first).

        :param structures: Tastes, `(S, ...)`.
        """
        order = np.argsort(-self.utilities(structures), axis=1, kind="stable")
        members = np.zeros(order.shape)
        np.put_along_axis(members, order[:, : self.k], 1.0, axis=1)
        return members

    def paired(self, left: Floats, right: Floats) -> Floats:
        return 1.0 - np.einsum("kn,kn->k", self.top(left), self.top(right)) / self.k

    def pairwise(self, structures: Floats) -> Floats:
        top = self.top(structures)
        return 1.0 - top @ top.T / self.k

    def form(self, structures: Floats) -> Form:
        return Overlap(self.top(structures) / np.sqrt(self.k), 1.0)


class KendallTau(ItemDistance):
    """The share of pairs of items that two tastes put in different order, counted over all pairs.

    >>> KendallTau(np.eye(3)).paired(np.array([[3.0, 2.0, 1.0]]), np.array([[2.0, 3.0, 1.0]])).round(4)
    array([0.3333])
    """

    phrase = "{what} puts {loss:.3f} of all pairs in the wrong order"

    def __init__(self, items: Any, scored: bool = False):
        super().__init__(items, scored)
        self.pairs = pairs_at(np.arange(len(self.items) * (len(self.items) - 1) // 2), len(self.items))

    def orders(self, structures: Floats) -> Floats:
        """(S, P): +1 where the first item of the pair is liked better, else -1.

        :param structures: Tastes, `(S, ...)`.
        """
        utilities = self.utilities(structures)
        return np.where(utilities[:, self.pairs[:, 0]] > utilities[:, self.pairs[:, 1]], np.float32(1), np.float32(-1))

    def paired(self, left: Floats, right: Floats) -> Floats:
        return (self.orders(left) != self.orders(right)).mean(axis=1)

    def pairwise(self, structures: Floats) -> Floats:
        orders = self.orders(structures)  # sums of up to 2^24 signs are exact in 32 bits
        return (1.0 - (orders @ orders.T).astype(float) / orders.shape[1]) / 2

    def form(self, structures: Floats) -> Form:
        return Dense(self.pairwise(structures))


class TopKendall(ItemDistance):
    """How much of the order of one taste's k best items the other does not share; the first places count most.

    A taste says "i above j" for each of its k best items i and each item j that it likes less. Where i stands at place
    r, the statement weighs w(r) = r ** -decay. A statement that both tastes make is shared, with the geometric mean of
    its two weights. The distance is 1 less the share of what is shared in what a taste shares with itself:

        d(s, t) = 1 - sum over shared (i, j) of sqrt(w(r_s(i)) w(r_t(i))) / sum over r <= k of w(r) (N - r)

    So d is symmetric. By the inequality of Cauchy and Schwarz it lies in [0, 1] and is 0 only if all statements and
    their weights agree, which means the same k items in the same order. It is 1 if no item is among the best of both.
    With k = N - 1 and decay = 0 it is `KendallTau`.

    :param k: How many of the items are the best ones.
    :param decay: How fast the weight of a place falls: place r weighs r ** -decay.

    >>> TopKendall(np.eye(3), 2).paired(np.array([[3.0, 2.0, 1.0]]), np.array([[2.0, 3.0, 1.0]])).round(4)
    array([0.4343])
    """

    phrase = "{what} misses {loss:.3f} of the true order at the top"

    def __init__(self, items: Any, k: int, decay: float = 1.0, scored: bool = False):
        super().__init__(items, scored)
        self.k = whole_number("k", k, at_least=1, at_most=len(self.items) - 1)
        places = np.arange(1, self.k + 1)
        weights = places ** -number("decay", decay, at_least=0, at_most=10)
        self.roots: Floats = np.sqrt(weights / (weights @ (len(self.items) - places)))  # (k,): of w(r) / all

    def orders(self, structures: Floats) -> Ints:
        """(S, k): the best items of each taste, best first (of equal ones, those that come first).

        :param structures: Tastes, `(S, ...)`.
        """
        return np.argsort(-self.utilities(structures), axis=1, kind="stable")[:, : self.k]

    def paired(self, left: Floats, right: Floats) -> Floats:
        size = max(1, MAX_COMPARED // self.k**2)
        blocks = [slice(start, start + size) for start in range(0, len(left), size)]
        orders = self.orders(left), self.orders(right)
        return np.concatenate([np.empty(0), *(self._paired(orders[0][block], orders[1][block]) for block in blocks)])

    def _paired(self, left: Ints, right: Ints) -> Floats:
        """Of item i at places p and q from 0, N - 1 - p - q + (items above it in both) items are below it in both."""
        same = left[:, :, None] == right[:, None, :]  # (K, k, k)
        above = same.cumsum(axis=1).cumsum(axis=2) - 1  # at (p, q) itself they are the same
        places = np.arange(self.k)
        below = len(self.items) - 1 - places[:, None] - places + above
        return np.clip(1.0 - np.einsum("kpq,kpq,p,q->k", same, below, self.roots, self.roots), 0.0, 1.0)

    def pairwise(self, structures: Floats) -> Floats:
        """The same, item by item: only tastes that have it among their best share statements about it."""
        order = self.orders(structures)
        known, columns = np.unique(order, return_inverse=True)
        columns = columns.reshape(order.shape)
        shared, places = np.zeros((len(order), len(order))), np.arange(self.k)
        for item in range(len(known)):
            rows, place = np.nonzero(columns == item)
            above = np.zeros((len(rows), len(known)), np.float32)
            np.put_along_axis(above, columns[rows], places < place[:, None], axis=1)
            below = len(self.items) - 1 - place[:, None] - place + above @ above.T
            shared[np.ix_(rows, rows)] += self.roots[place][:, None] * self.roots[place] * below
        distances = np.clip(1.0 - shared, 0.0, 1.0)
        np.fill_diagonal(distances, 0.0)
        return distances

    def form(self, structures: Floats) -> Form:
        return Dense(self.pairwise(structures))
