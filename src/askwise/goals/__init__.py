"""Goals: from a user's data to a ready session in one call; one module holds everything about one goal.

The Python functions, the command line, the web form, the report, the dashboard and the docs are derived from the goal
classes. `base` has what goals share; goals know sessions and everything below them, but no studies and no web.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from askwise.errors import DataError, SettingError
from askwise.goals.base.populations import learn_population
from askwise.goals.base.registry import built_in, change_options, goal_class, goal_of, goals, remake, shown_options
from askwise.options import refusal
from askwise.session import Session
from askwise.session.wording import WORDING_CHECKS, wording_from

if TYPE_CHECKING:
    from askwise.goals.best_column import best_column
    from askwise.goals.best_item import best_item
    from askwise.goals.classifier import classifier
    from askwise.goals.cluster_of import cluster_of
    from askwise.goals.clusters import clusters
    from askwise.goals.group_item import group_item
    from askwise.goals.hierarchy import hierarchy
    from askwise.goals.matrix import matrix
    from askwise.goals.ranking import ranking
    from askwise.goals.segment_of import segment_of
    from askwise.goals.segments import segments
    from askwise.goals.top_k import top_k
    from askwise.goals.top_ranking import top_ranking

__all__ = [
    "GOALS",
    "best_column",
    "best_item",
    "change_goal",
    "classifier",
    "cluster_of",
    "clusters",
    "from_json",
    "goal_class",
    "goal_of",
    "goals",
    "group_item",
    "hierarchy",
    "learn_population",
    "matrix",
    "ranking",
    "remake",
    "segment_of",
    "segments",
    "top_k",
    "top_ranking",
]


def change_goal(session: Session, goal: str, **options: object) -> None:
    """Takes up another goal on the answers there are: nothing is asked again that is already known.

    :param session: A session that one of the goals built.
    :param goal: The name of the new goal.
    :param options: Options of the new goal that say what is wanted (k, item, score, epsilon, ...). What shapes beliefs,
        such as the features, stays. The wording stays unless it is given here; if the goal stays the same, so does
        every option that is not given. With the present goal and `show` or wording alone, only what people see changes.

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
    kind = goal_class(goal)
    wording: dict[str, Any] = {name: value for name, value in options.items() if name in WORDING_CHECKS}
    others = kind.changes_of(session, {name: value for name, value in options.items() if name not in wording})
    if options and kind.goal_name == session.pursued["goal"] and all(map(shown_options(kind).__contains__, others)):
        change = partial(session.show, others) if others else None
    else:
        change = partial(session.take_up, change_options(session.pursued, goal, others))
    if wording:
        session.reword(**wording)
    if change is not None:
        change()


def from_json(text: str) -> Session:
    """A session as it was when `session.to_json()` wrote it: the same answers and, on the same kind of machine with the
    same versions, the same next question.

    :param text: What `session.to_json()` gave.

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
    if isinstance(state.get("wording"), dict):
        session.wording = wording_from(state["wording"])
    return session


def _functions() -> dict[str, Callable[..., Session]]:
    """The Python function of each goal, which stands in its module under the goal's name."""
    from importlib import import_module

    return {name: vars(import_module(goal.__module__))[name] for name, goal in built_in().items()}


# after everything else, since goals import this package
__all__ += [name for name in built_in() if name not in __all__]
GOALS = _functions()
globals().update(GOALS)  # a goal's function, not its module, has the goal's name here
