"""From a user's data to a ready Session in one call: best_item, top_k, ranking, classifier, cluster_of, clusters,
hierarchy, best_column.

Each goal takes any dataframe, array, list of dicts or list of names, and chooses the distance, the rule and the prior.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from askwise.errors import DataError
from askwise.goals.clusters import cluster_of, clusters
from askwise.goals.columns import best_column
from askwise.goals.items import best_item, ranking, top_k
from askwise.goals.labels import classifier
from askwise.goals.trees import hierarchy
from askwise.session import Session

__all__ = [
    "GOALS",
    "best_column",
    "best_item",
    "classifier",
    "cluster_of",
    "clusters",
    "from_json",
    "hierarchy",
    "ranking",
    "top_k",
]

GOALS: Mapping[str, Callable[..., Session]] = {
    "best_column": best_column,
    "best_item": best_item,
    "classifier": classifier,
    "cluster_of": cluster_of,
    "clusters": clusters,
    "hierarchy": hierarchy,
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
