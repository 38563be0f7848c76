"""How the result became clear: a replay of the log that notes what was known along the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from askwise.errors import SettingError
from askwise.goals import remake
from askwise.session import Session
from askwise.session.events import Event

MAX_POINTS = 40  # on a curve
Progress = Callable[[int, int], None]  # events replayed, events in all


@dataclass(frozen=True)
class HistoryPoint:
    """What was known after so many changes of the evidence."""

    revision: int  # answers given or taken back until then
    answers: int  # in force
    stage: int  # how often the goal had changed
    goal: str
    diameter: float
    error: float  # the expected distance of the best guess
    guess: str


def history(session: Session, progress: Progress | None = None) -> list[HistoryPoint]:
    """Up to 40 points from the first to the last answer; where the goal changed, one before and one after.

    >>> from askwise.goals import best_item
    >>> session = best_item(["tea", "coffee", "water"], seed=1)
    >>> session.ask()
    Question(...)
    >>> session.tell("left")
    >>> [(point.revision, point.answers) for point in history(session)]
    [(0, 0), (1, 1)]
    """
    if session.recipe is None:
        raise SettingError("the session was built by hand, so its log cannot be replayed; build it by one of the goals")
    total = session.round.beliefs.revision
    wanted = set(np.linspace(0, total, min(total + 1, MAX_POINTS)).round().astype(int).tolist())
    fresh = remake(session.recipe)
    points = [_point(fresh, 0)]

    def observed_events() -> Iterator[Event]:
        """The events one by one; notes what the session knows before and after each."""
        for number, event in enumerate(session.log, 1):
            new_goal, before = event["event"] == "goal", fresh.round
            if new_goal and points[-1].revision < before.beliefs.revision:
                points.append(_point(fresh, points[-1].stage))
            yield event
            reached = fresh.round is not before and fresh.round.beliefs.revision in wanted
            if new_goal or reached:
                points.append(_point(fresh, points[-1].stage + new_goal))
            if progress is not None:
                progress(number, len(session.log))

    fresh.replay(observed_events())
    return points


def _point(session: Session, stage: int) -> HistoryPoint:
    found, beliefs = session.estimate(), session.round.beliefs
    goal = session.pursued["goal"] if session.pursued else ""
    return HistoryPoint(
        beliefs.revision, len(beliefs.told), stage, goal, session.diameter, found.expected_distance, str(found)
    )
