"""What the draws say about each item: pure functions from a sample to small tables, goal by goal.

Chances are weighted shares of draws; intervals reach from the 10th to the 90th percentile of the draws, so that the
truth is inside with a probability of 80 %, as the model sees it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise.certificate import DRAWS
from askwise.session import Session
from askwise.streams import stream
from askwise.types import Bools, Floats, Sample

INSIDE = 0.8  # the probability of an interval


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


def drawn(session: Session) -> Sample:
    """The very draws behind the certificate, so that what is shown agrees with its sentence.

    >>> from askwise.goals import best_item
    >>> len(drawn(best_item(["tea", "coffee", "water"], seed=1)).weights)
    4000
    """
    turn = session.turn
    return turn.posterior.sample(DRAWS, stream(turn.aim.seed, turn.revision, "certificate"))


def best(regrets: Floats, weights: Floats, names: Sequence[str]) -> list[Chance]:
    """How likely each item is the best and what it gives up on average, from regrets (S, N); likeliest first.

    >>> best(np.array([[0.0, 0.5], [0.0, 1.0], [1.0, 0.0]]), np.array([0.5, 0.25, 0.25]), ["tea", "milk"])
    [Chance(place=0, name='tea', probability=0.75, loss=0.25), Chance(place=1, name='milk', probability=0.25, loss=0.5)]
    """
    chosen = np.bincount(regrets.argmin(axis=1), weights, minlength=len(names))
    losses = weights @ regrets
    order = np.lexsort((losses, -chosen))
    return [Chance(int(i), names[i], float(chosen[i]), float(losses[i])) for i in order]


def among(members: Bools | Floats, weights: Floats, names: Sequence[str]) -> list[Chance]:
    """How likely each item belongs, from memberships (S, N) of 0 and 1; likeliest first.

    >>> [row.name for row in among(np.array([[1, 0], [1, 1]]), np.array([0.5, 0.5]), ["tea", "milk"])]
    ['tea', 'milk']
    """
    chances = np.minimum(weights @ members, 1.0)  # a sum of weights can be one rounding above
    order = np.argsort(-chances, kind="stable")
    return [Chance(int(i), names[i], float(chances[i]), float(1 - chances[i])) for i in order]


def ranks(utilities: Floats, weights: Floats, names: Sequence[str], order: Sequence[int]) -> list[Span]:
    """The median rank (1 the best) of each item with its interval, from utilities (S, N), in the `order` given.

    >>> ranks(np.array([[3.0, 2.0, 1.0]]), np.ones(1), ["a", "b", "c"], [0, 1, 2])[1].middle
    2.0
    """
    sorted_ = np.argsort(-utilities, axis=1, kind="stable")
    places = np.empty(sorted_.shape)
    np.put_along_axis(places, sorted_, np.broadcast_to(np.arange(1.0, sorted_.shape[1] + 1), sorted_.shape), axis=1)
    return _spans(places, weights, names, order, (places == 1).astype(float))


def scores(utilities: Floats, weights: Floats, names: Sequence[str]) -> list[Span]:
    """The median score of each column with its interval, from scores (S, M); highest first.

    >>> scores(np.array([[3.0, 2.0], [1.0, 5.0]]), np.array([0.3, 0.7]), ["a", "b"])[0]
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
    order = np.argsort(values, axis=0, kind="stable")
    reached = np.cumsum(np.asarray(weights)[order], axis=0)
    rows = [np.minimum((reached < share - 1e-12).sum(axis=0), len(values) - 1) for share in shares]
    return np.take_along_axis(np.take_along_axis(values, order, axis=0), np.stack(rows), axis=0)


def facts(session: Session, place: int) -> list[tuple[str, Any]]:
    """What the user's table says about one row, without its name and picture; features named by the user come first.

    >>> from askwise.goals import best_item
    >>> facts(best_item({"name": ["tea", "milk"], "price": [2.0, 1.0]}), 1)
    [('price', 1.0)]
    """
    family: Any = session.problem.family
    recipe: Any = session.recipe
    hidden = {family.names[place], family.images[place]}
    named = recipe["options"].get("features") or []
    columns = sorted(recipe["data"], key=lambda column: column not in named)
    row = [(column, recipe["data"][column][place]) for column in columns]
    return [(column, value) for column, value in row if value is not None and str(value) not in hidden]


def _spans(values: Floats, weights: Floats, names: Sequence[str], order: Sequence[int], first: Floats) -> list[Span]:
    low, middle, high = quantiles(values, weights, [(1 - INSIDE) / 2, 0.5, (1 + INSIDE) / 2])
    chances = weights @ first
    return [Span(i, names[i], float(low[i]), float(middle[i]), float(high[i]), float(chances[i])) for i in order]
