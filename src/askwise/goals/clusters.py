"""Goals about clusters: who belongs with one item, or who belongs with whom."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from askwise.distances import Distance
from askwise.distances.partitions import ClusterOf, ClusterPairs
from askwise.encode import Items
from askwise.errors import DataError
from askwise.goals.build import BUDGET, build, encoded, plain_options
from askwise.losses import zero_one
from askwise.options import number, numbers, shown, whole_number
from askwise.posteriors.clusterings import ClusteringPosterior
from askwise.problem import Problem, noise_beta
from askwise.session import Session
from askwise.strategies import Strategy
from askwise.structures.clusterings import Clusterings, compact
from askwise.types import Ints

TRUST = 0.3  # real groups are seldom round clouds: at 1 the goal stops early and is wrong by half (see the docs)


def cluster_of(
    data: Any,
    item: str | int,
    *,
    name: str | None = None,
    image: str | None = None,
    features: Sequence[str] | None = None,
    missing: str = "refuse",
    similarity: Sequence[Sequence[float]] | None = None,
    trust: float = TRUST,
    noise: float = 0.05,
    epsilon: float = 0.1,
    delta: float = 0.05,
    budget: int = BUDGET,
    rule: str | Strategy = "expected",
    repeat: bool = False,
    seed: int = 0,
    draws: int = 64,
) -> Session:
    """Finds out who belongs together with `item` (its name, or its row from 0), from "do A and B belong together?".

    Features, or a `similarity` matrix in their place, say beforehand who may; a table of names alone will do. `noise`
    is the share of answers to be taken for wrong, above 0.

    >>> animals = ["ant", "bee", "cow", "dog"]
    >>> session = cluster_of(animals, "ant", seed=1)
    >>> while not session.done:
    ...     small = [option.name in ("ant", "bee") for option in session.ask().options]
    ...     session.tell("same" if small[0] == small[1] else "different")
    >>> session.estimate().value
    ['ant', 'bee']
    """
    options = _options("cluster_of", locals())
    items = encoded("cluster_of", data, options)
    place = _place(items, item)
    options["item"] = items.names[place] if isinstance(item, str) else place

    def describe(labels: Ints) -> list[str]:
        return [items.names[i] for i in np.flatnonzero(labels == labels[place])]

    return _cluster_session("cluster_of", data, options, items, ClusterOf(place), describe, around=place)


def clusters(
    data: Any,
    *,
    name: str | None = None,
    image: str | None = None,
    features: Sequence[str] | None = None,
    missing: str = "refuse",
    similarity: Sequence[Sequence[float]] | None = None,
    trust: float = TRUST,
    noise: float = 0.05,
    epsilon: float = 0.05,
    delta: float = 0.05,
    budget: int = BUDGET,
    rule: str | Strategy = "expected",
    repeat: bool = False,
    seed: int = 0,
    draws: int = 64,
) -> Session:
    """Sorts all items into clusters, from "do A and B belong together?". The estimate is a list of lists of names.

    >>> clusters(["ant", "bee", "cow"], seed=1).ask().responses
    ('same', 'different')
    """
    options = _options("clusters", locals())
    items = encoded("clusters", data, options)

    def describe(labels: Ints) -> list[list[str]]:
        own = compact(labels[None])[0]
        return [[items.names[i] for i in np.flatnonzero(own == c)] for c in range(own.max() + 1)]

    return _cluster_session("clusters", data, options, items, ClusterPairs(), describe, around=None)


def _options(goal: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The options as JSON can hold them, a matrix too."""
    options = plain_options(goal, arguments)
    if options["similarity"] is not None:
        expected = "a symmetric matrix of numbers, one row an item"
        options["similarity"] = numbers("similarity", options["similarity"], expected).tolist()
    return options


def _place(items: Items, item: str | int) -> int:
    """The row of the item of interest."""
    if isinstance(item, str):
        if item not in items.names:
            raise DataError(f"no item is called {shown(item)}; the first are {', '.join(items.names[:3])}")
        return items.names.index(item)
    return whole_number("item, by its row,", item, at_least=0, at_most=len(items.names) - 1)


def _cluster_session(
    goal: str,
    data: Any,
    options: dict[str, Any],
    items: Items,
    distance: Distance,
    describe: Callable[[Any], Any],
    around: int | None,
) -> Session:
    noise = number("noise", options["noise"], above=0, below=0.5)
    family = Clusterings(len(items.names), items.names, items.images, around)
    problem = Problem(family, distance, zero_one, noise_beta(noise))
    similarity = options["similarity"]
    prior = ClusteringPosterior.prior(
        family,
        problem.beta,
        features=items.features if similarity is None else None,
        similarity=similarity,
        trust=options["trust"],
        chains=options["draws"],  # one a draw
        seed=options["seed"],
    )
    return build(goal, data, options, problem, prior, describe)
