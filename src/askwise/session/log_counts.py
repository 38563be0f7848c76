"""Counts over a log that need no arithmetic and little memory."""

from __future__ import annotations

from collections import Counter
from copy import copy

from askwise.session.events import Event


class LogCounts:
    """What is counted while a log goes on. Every `EventLog` keeps its own; a dashboard keeps one for each log it shows.

    >>> counts = LogCounts()
    >>> for event in ({"event": "ask", "question": "q1", "info": {"diameter": 0.5}},
    ...               {"event": "tell", "question": "q1", "time": "2026-11-17T05:00:00"},
    ...               {"event": "ask", "question": "q2", "info": {"diameter": 0.4}}):
    ...     counts.add(event)
    >>> counts.revision, counts.diameters, counts.first_diameter
    (1, {0: 0.5, 1: 0.4}, 0.5)
    """

    def __init__(self) -> None:
        self.events = 0
        self.revision = 0  # how often the answers in force have changed
        self.undos = 0
        self.goals = 0  # how often the goal has changed
        self.first_diameter: float | None = None  # at the first question that a strategy chose
        self.diameters: dict[int, float] = {}  # by revision, for the present goal: when the next question was chosen
        self.answers_by_minute: Counter[str] = Counter()  # also those that were undone
        self._answered: dict[str, str | None] = {}  # by question: who answered it
        self._excluded: frozenset[str] = frozenset()

    def copy(self) -> LogCounts:
        """The same so far."""
        other = copy(self)
        other.diameters, other._answered = self.diameters.copy(), self._answered.copy()
        other.answers_by_minute = self.answers_by_minute.copy()
        return other

    def add(self, event: Event) -> None:
        """Counts one more event of the log."""
        kind, id = event["event"], event.get("question", "")
        self.events += 1
        if kind == "goal":
            self.goals += 1
            self.diameters.clear()  # another goal has other units
        elif kind == "ask" and "diameter" in event["info"]:
            self.diameters[self.revision] = event["info"]["diameter"]
            if self.first_diameter is None:
                self.first_diameter = event["info"]["diameter"]
        elif kind == "tell":
            self.revision += event.get("who") not in self._excluded
            self._answered[id] = event.get("who")
            self.answers_by_minute[event.get("time", "")[:16]] += 1
        elif kind == "undo":
            self.undos += 1
            self.revision += id in self._answered and self._answered[id] not in self._excluded
            self._answered.pop(id, None)
        elif kind == "people":
            self.revision += 1
            self._excluded = frozenset(event["excluded"])
