"""From a user's data to a ready Session in one call: best_item, top_k, ranking, classifier, cluster_of, clusters,
hierarchy, best_column.

Each goal takes any dataframe, array, list of dicts or list of names, and chooses the distance, the rule and the prior.
"""

from __future__ import annotations

import json
from typing import Any

from askwise.errors import DataError, SettingError
from askwise.goals.build import GOALS, other_goal, remake
from askwise.goals.clusters import cluster_of, clusters
from askwise.goals.columns import best_column
from askwise.goals.items import best_item, ranking, top_k
from askwise.goals.labels import classifier
from askwise.goals.trees import hierarchy
from askwise.options import refusal
from askwise.session import Session

__all__ = [
    "GOALS",
    "best_column",
    "best_item",
    "change_goal",
    "classifier",
    "cluster_of",
    "clusters",
    "from_json",
    "hierarchy",
    "ranking",
    "top_k",
]

for _goal in (best_column, best_item, classifier, cluster_of, clusters, hierarchy, ranking, top_k):
    GOALS[_goal.__name__] = _goal


def change_goal(session: Session, goal: str, **options: Any) -> None:
    """Takes up another goal on the answers there are: nothing is asked again that is already known.

    `options` are those of the new goal that say what is wanted (k, item, score, epsilon, ...); what shapes beliefs,
    such as the features, stays.

    >>> session = best_item(["tea", "coffee", "water"], seed=1)
    >>> for _ in range(3):
    ...     session.ask()
    ...     session.tell("left")
    Question(...)
    Question(...)
    Question(...)
    >>> change_goal(session, "ranking")
    >>> len(session.answers), len(session.estimate().value)
    (3, 3)
    """
    if not isinstance(session, Session):
        raise refusal("session", session, "an askwise.Session")
    if session.pursued is None:
        raise SettingError("the session was built by hand, so it knows no other goal; build another one")
    session.take_up(other_goal(session.pursued, goal, options))


def from_json(text: str) -> Session:
    """A session as it was when `session.to_json()` wrote it: the same answers and, on the same kind of machine with the
    same versions, the same next question.

    >>> session = best_item(["tea", "coffee", "water"], seed=1)
    >>> session.ask() == from_json(session.to_json()).ask()
    True
    """
    try:
        state = json.loads(text)
        version, recipe, log = state["askwise"], state["recipe"], state["log"]
    except (KeyError, RecursionError, TypeError, ValueError):
        raise DataError("this is not a session written by to_json(); expected its JSON text, whole") from None
    if version != 1:
        raise DataError(f"the session was written by a newer askwise (format {version}); update askwise to read it")
    if recipe is None:
        raise DataError("the session was built by hand; build it again in the same way and call its replay(log)")
    session = remake(recipe)
    session.replay(log)
    return session
