"""Distances between the tastes of a group: what its members give up together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from askwise.distances.items import ItemRegret
from askwise.options import choice, whole_number
from askwise.types import Floats

CRITERIA = ("mean", "worst-off", "borda")


def scaled_utilities(scores: Floats, people: int) -> Floats:
    """(S, P N) -> (S, P, N): what everybody thinks of each item, from 0 (their worst) to 1 (their best).

    >>> scaled_utilities(np.array([[0.0, 1.0, 2.0, 9.0, 5.0, 1.0]]), people=2)
    array([[[0. , 0.5, 1. ],
            [1. , 0.5, 0. ]]])
    """
    found = np.reshape(scores, (len(scores), people, -1))
    low = found.min(axis=2, keepdims=True)
    spread = found.max(axis=2, keepdims=True) - low
    return (found - low) / np.where(spread > 0, spread, 1)


def borda_points(utilities: Floats) -> Floats:
    """(S, P, N) -> (S, P, N): the share of the other items that each item is liked better than.

    >>> borda_points(np.array([[[0.9, 0.1, 0.5]]]))
    array([[[1. , 0. , 0.5]]])
    """
    order = np.argsort(utilities, axis=2, kind="stable")
    points = np.empty(order.shape, utilities.dtype)
    below = np.linspace(0, 1, order.shape[2], dtype=utilities.dtype)
    np.put_along_axis(points, order, np.broadcast_to(below, order.shape), axis=2)
    return points


class GroupRegret(ItemRegret):
    """How much worse for the group the best item of one structure is under the other, from 0 to 1.

    A structure (P N,) is the score that each person gives to each item. Everybody's scores are scaled to their own
    range, so that all count alike however decided they are. What an item is worth to the group is the mean of these
    utilities, that of the worst-off person, or the mean of the Borda points.

    - `items`: (N, D), one row an item.
    - `people`: how many they are.
    - `by`: "mean", "worst-off" or "borda".
    - `counted`: the places of those who count; by default everybody.

    >>> distance = GroupRegret(np.eye(2), people=2)
    >>> distance.paired(np.array([[1.0, 0.0, 3.0, 0.0]]), np.array([[0.0, 1.0, 0.0, 1.0]]))
    array([1.])
    """

    phrases: ClassVar[dict[str, str]] = {
        "mean": "choosing {what} gives up {loss:.3f} of the range from the best to the worst item, on average over "
        "people",
        "worst-off": "choosing {what} leaves whoever likes it least worse off than need be, by {loss:.3f} of the range "
        "from the best to the worst item",
        "borda": "choosing {what} gives up {loss:.3f} of all places in the mean rank over the people",
    }

    def __init__(self, items: Any, people: int, by: str = "mean", counted: Sequence[int] | None = None):
        super().__init__(items, scored=True)
        self.people = whole_number("people", people, at_least=1)
        choice("by", by, CRITERIA)
        self.by = by
        self.phrase = self.phrases[by]
        self.counted = list(range(self.people)) if counted is None else list(counted)

    def utilities(self, structures: Floats) -> Floats:
        """(S, N): what each item is worth to the group, from 0 to 1."""
        each = scaled_utilities(structures, self.people)[:, self.counted]
        if self.by == "worst-off":
            return each.min(axis=1)
        return (borda_points(each) if self.by == "borda" else each).mean(axis=1)

    def regrets(self, structures: Floats) -> Floats:
        """(S, N): what the group loses by taking each item instead of its best."""
        worth = self.utilities(structures)
        return worth.max(axis=1, keepdims=True) - worth
