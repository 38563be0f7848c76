"""What posterior draws say about each item: pure functions from draws and their weights to small tables.

A chance is a weighted share of draws. An interval reaches from the 10th to the 90th percentile of the draws, so that it
holds the truth with a probability of 80 %, as the model sees it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise.data.tables import Columns
from askwise.types import Bools, Floats

INTERVAL_PROBABILITY = 0.8
INTERVAL_SHARES = ((1 - INTERVAL_PROBABILITY) / 2, 0.5, (1 + INTERVAL_PROBABILITY) / 2)  # low, median, high


@dataclass(frozen=True)
class Chance:
    """One item, how likely it is what was looked for, and what taking it would cost on average (0 to 1)."""

    place: int  # its row in the table, or its column, from 0
    name: str
    probability: float
    loss: float = 0.0


@dataclass(frozen=True)
class Span:
    """One item and where a number about it lies: its rank, its score."""

    place: int
    name: str
    low: float
    middle: float
    high: float
    probability: float  # of being the first


def best_chances(regrets: Floats, weights: Floats, names: Sequence[str]) -> list[Chance]:
    """How likely each item is the best and what it gives up on average, from regrets (S, N); likeliest first.

    >>> best_chances(np.array([[0.0, 0.5], [0.0, 1.0], [1.0, 0.0]]), np.array([0.5, 0.25, 0.25]), ["tea", "milk"])
    [Chance(place=0, name='tea', probability=0.75, loss=0.25), Chance(place=1, name='milk', probability=0.25, loss=0.5)]
    """
    chosen = np.bincount(regrets.argmin(axis=1), weights, minlength=len(names))
    losses = weights @ regrets
    order = np.lexsort((losses, -chosen))
    return [Chance(int(i), names[i], float(chosen[i]), float(losses[i])) for i in order]


def membership_chances(members: Bools | Floats, weights: Floats, names: Sequence[str]) -> list[Chance]:
    """How likely each item belongs, from memberships (S, N) of 0 and 1; likeliest first.

    >>> [row.name for row in membership_chances(np.array([[1, 0], [1, 1]]), np.array([0.5, 0.5]), ["tea", "milk"])]
    ['tea', 'milk']
    """
    chances = np.minimum(weights @ members, 1.0)  # a sum of weights can be one rounding above
    order = np.argsort(-chances, kind="stable")
    return [Chance(int(i), names[i], float(chances[i]), float(1 - chances[i])) for i in order]


def rank_spans(utilities: Floats, weights: Floats, names: Sequence[str], order: Sequence[int]) -> list[Span]:
    """The median rank (1 the best) of each item with its interval, from utilities (S, N), in the `order` given.

    >>> rank_spans(np.array([[3.0, 2.0, 1.0]]), np.ones(1), ["a", "b", "c"], [0, 1, 2])[1].middle
    2.0
    """
    sorted_ = np.argsort(-utilities, axis=1, kind="stable")
    places = np.empty(sorted_.shape)
    np.put_along_axis(places, sorted_, np.broadcast_to(np.arange(1.0, sorted_.shape[1] + 1), sorted_.shape), axis=1)
    return _spans(places, weights, names, order, (places == 1).astype(float))


def score_spans(utilities: Floats, weights: Floats, names: Sequence[str]) -> list[Span]:
    """The median score of each column with its interval, from scores (S, M); highest first.

    >>> score_spans(np.array([[3.0, 2.0], [1.0, 5.0]]), np.array([0.3, 0.7]), ["a", "b"])[0]
    Span(place=1, name='b', low=2.0, middle=5.0, high=5.0, probability=0.7)
    """
    first = np.zeros(utilities.shape)
    np.put_along_axis(first, utilities.argmax(axis=1)[:, None], 1.0, axis=1)
    spans = _spans(utilities, weights, names, range(len(names)), first)
    return sorted(spans, key=lambda span: -span.middle)


def quantiles(values: Floats, weights: Floats, shares: Sequence[float]) -> Floats:
    """(Q, N): for each column of values (S, N) the least value that has at least each share of the weight below or at.

    >>> quantiles(np.array([[1.0], [2.0], [3.0]]), np.array([0.2, 0.5, 0.3]), [0.1, 0.5, 0.9]).ravel().tolist()
    [1.0, 2.0, 3.0]
    """
    if weights[0] == weights[-1] and np.ptp(weights) == 0:  # as draws have them: no need to sort
        reached = np.cumsum(weights)
        places = [min(int((reached < share - 1e-12).sum()), len(values) - 1) for share in shares]
        return np.partition(np.ascontiguousarray(np.transpose(values)), places, axis=1)[:, places].T
    order = np.argsort(values, axis=0, kind="stable")
    reached = np.cumsum(np.asarray(weights)[order], axis=0)
    rows = [np.minimum((reached < share - 1e-12).sum(axis=0), len(values) - 1) for share in shares]
    return np.take_along_axis(np.take_along_axis(values, order, axis=0), np.stack(rows), axis=0)


def row_facts(
    columns: Columns, place: int, named: Sequence[str] | None, hidden: Sequence[str | None] = ()
) -> list[tuple[str, Any]]:
    """What a user's table says about one row, without the values in `hidden`; the `named` columns come first.

    >>> row_facts({"name": ["tea", "milk"], "colour": ["red", "white"], "price": [2.0, 1.0]}, 1, ["price"], ["milk"])
    [('price', 1.0), ('colour', 'white')]
    """
    ordered = sorted(columns, key=lambda column: column not in (named or ()))
    row = [(column, columns[column][place]) for column in ordered]
    return [(column, value) for column, value in row if value is not None and str(value) not in hidden]


def _spans(values: Floats, weights: Floats, names: Sequence[str], order: Sequence[int], first: Floats) -> list[Span]:
    low, middle, high = quantiles(values, weights, INTERVAL_SHARES)
    chances = weights @ first
    return [Span(i, names[i], float(low[i]), float(middle[i]), float(high[i]), float(chances[i])) for i in order]
