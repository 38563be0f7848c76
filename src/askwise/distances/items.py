"""Distances between tastes w over a fixed list of items (N, D): what is best, what is on top, in which order."""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise.distances import Dense, Form, Multipartite, Overlap, grouped
from askwise.errors import DataError
from askwise.options import whole_number
from askwise.structures.choice import pairs_at
from askwise.types import Floats, Ints


class ItemDistance:
    """What distances over `items` (N, D) share: how each taste values them.

    >>> ItemDistance(np.eye(2)).best(np.array([[1.0, 3.0]]))
    array([1])
    """

    def __init__(self, items: Any):
        self.items: Floats = np.asarray(items, dtype=float)
        if self.items.ndim != 2 or len(self.items) < 2:
            raise DataError(f"a distance over items needs at least two rows of features; got shape {self.items.shape}")

    def utilities(self, structures: Floats) -> Floats:
        """(S, N): what each taste thinks of each item."""
        return structures @ self.items.T

    def best(self, structures: Floats) -> Ints:
        """(S,): the item each taste likes most."""
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

    def __init__(self, items: Any):
        super().__init__(items)
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
        """(S, N): what each taste loses by taking each item instead of its best; 0 to 1."""
        utilities = self.utilities(structures)
        top = utilities.max(axis=1, keepdims=True)
        spread = top - utilities.min(axis=1, keepdims=True)
        return (top - utilities) / np.where(spread > 0, spread, 1.0)


class TopK(ItemDistance):
    """The share of the k best items of one taste that are not among the k best of the other.

    >>> TopK(np.eye(3), 2).paired(np.array([[3.0, 2.0, 1.0]]), np.array([[3.0, 1.0, 2.0]]))
    array([0.5])
    """

    phrase = "{what} misses {loss:.3f} of the true top"

    def __init__(self, items: Any, k: int):
        super().__init__(items)
        self.k = whole_number("k", k, at_least=1, at_most=len(self.items) - 1)

    def top(self, structures: Floats) -> Floats:
        """(S, N): 1 for the k items with the highest scores (of equal ones, those that come first)."""
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

    def __init__(self, items: Any):
        super().__init__(items)
        self.pairs = pairs_at(np.arange(len(self.items) * (len(self.items) - 1) // 2), len(self.items))

    def orders(self, structures: Floats) -> Floats:
        """(S, P): +1 where the first item of the pair is liked better, else -1."""
        utilities = self.utilities(structures)
        return np.where(utilities[:, self.pairs[:, 0]] > utilities[:, self.pairs[:, 1]], np.float32(1), np.float32(-1))

    def paired(self, left: Floats, right: Floats) -> Floats:
        return (self.orders(left) != self.orders(right)).mean(axis=1)

    def pairwise(self, structures: Floats) -> Floats:
        orders = self.orders(structures)  # sums of up to 2^24 signs are exact in 32 bits
        return (1.0 - (orders @ orders.T).astype(float) / orders.shape[1]) / 2

    def form(self, structures: Floats) -> Form:
        return Dense(self.pairwise(structures))
