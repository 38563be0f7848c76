"""Goals about items compared two at a time: the best one, the best few, all in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from askwise.distances import Distance
from askwise.distances.items import BestItem, BestItemDistance, ItemRegret, KendallTau, TopK
from askwise.encode import Items
from askwise.goals.build import BUDGET, build, encoded, plain_options
from askwise.losses import davidson, logistic
from askwise.options import choice
from askwise.posteriors.logconcave import LogConcave
from askwise.problem import Problem
from askwise.session import Session
from askwise.strategies import Strategy
from askwise.structures.choice import Choice, item_rows
from askwise.types import Floats

MANY = 100  # items beyond which rankings are compared on fewer draws: the cost grows with items^2 draws^2


def best_item(
    data: Any,
    *,
    by: str = "regret",
    name: str | None = None,
    image: str | None = None,
    features: Sequence[str] | None = None,
    missing: str = "refuse",
    individual: float = 0.0,
    ties: bool = False,
    prior_scale: float | None = None,
    epsilon: float = 0.05,
    delta: float = 0.05,
    budget: int = BUDGET,
    rule: str | Strategy = "expected",
    repeat: bool = False,
    seed: int = 0,
    draws: int = 600,
) -> Session:
    """Finds the item somebody likes best, from A-or-B questions.

    `by` says what is a good find: "regret" (almost as good as the best is fine, so near-duplicates do not matter),
    "distance" (similar to the best is fine) or "exact" (only the very best will do; near-duplicates cost questions).
    `individual` gives every item an appeal of its own beside its features, so strong; items without features have only
    that. `ties` allows "about equal".

    >>> session = best_item(["tea", "coffee", "water"], seed=1)
    >>> while not session.done:
    ...     question = session.ask()
    ...     session.tell("left" if question.options[0].name < question.options[1].name else "right")
    >>> session.estimate().value
    'coffee'
    """
    options = plain_options("best_item", locals())
    items = encoded("best_item", data, options)
    rows = item_rows(items.features, options["individual"])
    distances: dict[str, Callable[[Floats], Distance]] = {
        "regret": ItemRegret,
        "distance": BestItemDistance,
        "exact": BestItem,
    }
    options["by"] = choice("by", by, distances)

    def describe(taste: Floats) -> str:
        return items.names[int((rows @ taste).argmax())]

    return _choice_session("best_item", data, options, items, rows, distances[options["by"]](rows), describe)


def top_k(
    data: Any,
    k: int,
    *,
    name: str | None = None,
    image: str | None = None,
    features: Sequence[str] | None = None,
    missing: str = "refuse",
    individual: float = 0.0,
    ties: bool = False,
    prior_scale: float | None = None,
    epsilon: float = 0.1,
    delta: float = 0.05,
    budget: int = BUDGET,
    rule: str | Strategy = "expected",
    repeat: bool = False,
    seed: int = 0,
    draws: int = 600,
) -> Session:
    """Finds the k items somebody likes best, in no order among them.

    >>> top_k(["tea", "coffee", "water", "milk"], 2, seed=1).ask().kind
    'pair'
    """
    options = plain_options("top_k", locals())
    items = encoded("top_k", data, options)
    rows = item_rows(items.features, options["individual"])

    distance = TopK(rows, options["k"])

    def describe(taste: Floats) -> list[str]:
        return [items.names[i] for i in np.argsort(-(rows @ taste), kind="stable")[: distance.k]]

    return _choice_session("top_k", data, options, items, rows, distance, describe)


def ranking(
    data: Any,
    *,
    name: str | None = None,
    image: str | None = None,
    features: Sequence[str] | None = None,
    missing: str = "refuse",
    individual: float = 0.0,
    ties: bool = False,
    prior_scale: float | None = None,
    epsilon: float = 0.1,
    delta: float = 0.05,
    budget: int = BUDGET,
    rule: str | Strategy = "expected",
    repeat: bool = False,
    seed: int = 0,
    draws: int | None = None,
) -> Session:
    """Puts all items in somebody's order, best first.

    >>> ranking(["tea", "coffee", "water"], seed=1).ask().responses
    ('left', 'right')
    """
    options = plain_options("ranking", locals())
    items = encoded("ranking", data, options)
    rows = item_rows(items.features, options["individual"])
    if options["draws"] is None:
        options["draws"] = 600 if len(rows) <= MANY else 200

    def describe(taste: Floats) -> list[str]:
        return [items.names[i] for i in np.argsort(-(rows @ taste), kind="stable")]

    return _choice_session("ranking", data, options, items, rows, KendallTau(rows), describe)


def _choice_session(
    goal: str,
    data: Any,
    options: dict[str, Any],
    items: Items,
    rows: Floats,
    distance: Distance,
    describe: Callable[[Any], Any],
) -> Session:
    family = Choice(rows, items.names, options["ties"], items.images)
    loss = davidson() if options["ties"] else logistic
    prior = LogConcave.prior(family, loss, 1.0, options["prior_scale"])
    return build(goal, data, options, Problem(family, distance, loss), prior, describe)
