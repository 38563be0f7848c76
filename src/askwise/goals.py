"""From a user's data to a ready Session in one call: best_item, top_k, ranking, classifier.

Each goal takes any dataframe, array, list of dicts or list of names, and chooses the distance, the rule and the prior.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from askwise.distances import Distance
from askwise.distances.items import BestItem, BestItemDistance, ItemRegret, KendallTau, TopK
from askwise.distances.labels import Disagreement
from askwise.encode import Items, encode
from askwise.errors import DataError, SettingError
from askwise.losses import davidson, logistic
from askwise.posteriors.logconcave import LogConcave
from askwise.problem import Problem
from askwise.session import Session
from askwise.stopping import Budget, DiameterBelow, any_of
from askwise.strategies import Strategy
from askwise.streams import stream
from askwise.structures.choice import Choice, item_rows
from askwise.structures.linear import LinearPool
from askwise.tables import table
from askwise.types import Floats, Response

BUDGET = 300  # answers after which a goal stops by default, settled or not
POINTS = 1000  # of a larger table, so many random rows stand for all when classifiers are compared
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
    options = _plain_options(locals())
    items = encode(data, name=name, image=image, features=features, missing=missing)
    rows = item_rows(items.features, individual)
    distances: dict[str, Callable[[Floats], Distance]] = {
        "regret": ItemRegret,
        "distance": BestItemDistance,
        "exact": BestItem,
    }
    if by not in distances:
        raise SettingError(f"by must be regret, distance or exact, got {by!r}")

    def describe(taste: Floats) -> str:
        return items.names[int((rows @ taste).argmax())]

    return _choice_session("best_item", data, options, items, rows, distances[by](rows), describe)


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
    options = _plain_options(locals())
    items = encode(data, name=name, image=image, features=features, missing=missing)
    rows = item_rows(items.features, individual)

    def describe(taste: Floats) -> list[str]:
        return [items.names[i] for i in np.argsort(-(rows @ taste), kind="stable")[:k]]

    return _choice_session("top_k", data, options, items, rows, TopK(rows, k), describe)


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
    options = _plain_options(locals())
    items = encode(data, name=name, image=image, features=features, missing=missing)
    rows = item_rows(items.features, individual)
    options["draws"] = (600 if len(rows) <= MANY else 200) if draws is None else draws

    def describe(taste: Floats) -> list[str]:
        return [items.names[i] for i in np.argsort(-(rows @ taste), kind="stable")]

    return _choice_session("ranking", data, options, items, rows, KendallTau(rows), describe)


def classifier(
    data: Any,
    labels: Sequence[Response] = ("no", "yes"),
    *,
    name: str | None = None,
    image: str | None = None,
    features: Sequence[str] | None = None,
    missing: str = "refuse",
    prior_scale: float | None = None,
    epsilon: float = 0.05,
    delta: float = 0.05,
    budget: int = BUDGET,
    rule: str | Strategy = "expected",
    repeat: bool = False,
    seed: int = 0,
    draws: int = 600,
) -> Session:
    """Learns which of two labels each row has, from few labelled rows. The estimate is a label for every row.

    >>> session = classifier({"size": [1.0, 2.0, 3.0, 4.0], "weight": [1.0, 3.0, 2.0, 5.0]}, labels=("small", "large"))
    >>> session.ask().responses
    ('small', 'large')
    """
    options = _plain_options(locals())
    if len(labels) != 2 or labels[0] == labels[1]:
        raise SettingError(f"a classifier needs two different labels, got {list(labels)}")
    items = encode(data, name=name, image=image, features=features, missing=missing)
    if not items.features.shape[1]:
        raise DataError("a classifier needs columns to tell rows apart by, and the table has only names; add features")
    points = np.hstack([items.features, np.ones((len(items.features), 1))])  # the last weight is the intercept
    family = LinearPool(points, items.names, (labels[0], labels[1]), items.images)
    compared = np.arange(len(points))
    if len(points) > POINTS:
        compared = np.sort(stream(seed, 0, "compared").choice(len(points), POINTS, replace=False))

    def describe(weights: Floats) -> list[Response]:
        return [labels[1] if score > 0 else labels[0] for score in points @ weights]

    problem = Problem(family, Disagreement(family, compared), logistic)
    return _session(
        "classifier", data, options, problem, LogConcave.prior(family, logistic, 1.0, prior_scale), describe
    )


GOALS: Mapping[str, Callable[..., Session]] = {
    "best_item": best_item,
    "classifier": classifier,
    "ranking": ranking,
    "top_k": top_k,
}


def from_json(text: str) -> Session:
    """A session as it was when `session.to_json()` wrote it: the same answers, the same next question.

    >>> session = best_item(["tea", "coffee", "water"], seed=1)
    >>> session.ask() == from_json(session.to_json()).ask()
    True
    """
    try:
        state = json.loads(text)
        version, recipe, log = state["askwise"], state["recipe"], state["log"]
    except (ValueError, KeyError, TypeError):
        raise DataError("this is not a session written by to_json(); expected its JSON text, whole") from None
    if version != 1:
        raise DataError(f"the session was written by a newer askwise (format {version}); update askwise to read it")
    if recipe is None:
        raise DataError("the session was built by hand; build it again in the same way and call its replay(log)")
    try:
        build = GOALS[recipe["goal"]]
        session = build(recipe["data"], **recipe["options"])
    except (KeyError, TypeError) as error:
        raise DataError(f"the session names a goal or an option that this askwise does not know: {error}") from None
    session.replay(log)
    return session


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
    return _session(goal, data, options, Problem(family, distance, loss), prior, describe)


def _session(
    goal: str, data: Any, options: dict[str, Any], problem: Problem, prior: Any, describe: Callable[[Any], Any]
) -> Session:
    return Session(
        problem,
        prior,
        rule=options["rule"],
        stop=any_of(DiameterBelow(options["epsilon"], options["delta"]), Budget(options["budget"])),
        seed=options["seed"],
        draws=options["draws"],
        repeat=options["repeat"],
        describe=describe,
        recipe={"goal": goal, "data": table(data), "options": options} if isinstance(options["rule"], str) else None,
    )


def _listed(features: Any) -> list[str] | None:
    """Names of columns as a list, whatever held them."""
    return None if features is None else [features] if isinstance(features, str) else [str(name) for name in features]


def _plain_options(arguments: dict[str, Any]) -> dict[str, Any]:
    """The options of a goal as JSON can hold them."""
    arguments = {**arguments, "features": _listed(arguments["features"])}
    return {
        option: list(value) if isinstance(value, tuple) else value
        for option, value in arguments.items()
        if option != "data"
    }
