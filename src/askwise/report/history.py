"""How it went: the log replayed, with what was known at some points on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from askwise.conversation import Event
from askwise.errors import SettingError
from askwise.goals.build import remake
from askwise.session import Session

POINTS = 40  # on a curve
Progress = Callable[[int, int], None]  # events done, events there are


@dataclass(frozen=True)
class Point:
    """What was known after so many changes of the evidence."""

    turn: int  # answers that came or were taken back until then
    answers: int  # in force
    stage: int  # how often the goal had changed
    goal: str
    diameter: float
    error: float  # the expected distance of the guess
    guess: str


def history(session: Session, progress: Progress | None = None) -> list[Point]:
    """Up to 40 points from the first to the last answer; where the goal changed, one before and one after.

    >>> from askwise.goals import best_item
    >>> session = best_item(["tea", "coffee", "water"], seed=1)
    >>> session.ask()
    Question(...)
    >>> session.tell("left")
    >>> [(point.turn, point.answers) for point in history(session)]
    [(0, 0), (1, 1)]
    """
    if session.recipe is None:
        raise SettingError("the session was built by hand, so its log cannot be replayed; build it by one of the goals")
    total = session.turn.beliefs.turn
    wanted = set(np.linspace(0, total, min(total + 1, POINTS)).round().astype(int).tolist())
    fresh = remake(session.recipe)
    points = [_point(fresh, 0)]

    def watched() -> Iterator[Event]:
        """Hands on the events one by one, and looks at the session before and after each."""
        for number, event in enumerate(session.log, 1):
            new_goal, before = event["event"] == "goal", fresh.turn
            if new_goal and points[-1].turn < before.beliefs.turn:
                points.append(_point(fresh, points[-1].stage))
            yield event
            reached = fresh.turn is not before and fresh.turn.beliefs.turn in wanted
            if new_goal or reached:
                points.append(_point(fresh, points[-1].stage + new_goal))
            if progress is not None:
                progress(number, len(session.log))

    fresh.replay(watched())
    return points


def _point(session: Session, stage: int) -> Point:
    found, beliefs = session.estimate(), session.turn.beliefs
    goal = session.pursued["goal"] if session.pursued else ""
    return Point(beliefs.turn, len(beliefs.told), stage, goal, session.diameter, found.expected_distance, str(found))
