"""A simple model of a log, and when two sessions are in the same state."""

from __future__ import annotations

from askwise.errors import NothingToAsk
from tests.helpers import without_times


class LogModel:
    """What a log should be and what follows from it, in the simplest way."""

    def __init__(self):
        self.events = []  # (event, question, response, who, key)
        self.status = {}
        self.asked = {}  # of each question: its place among the events
        self.closed = {}  # the same of its last answer or skip
        self.in_force = {}  # by question, in the order they came: (event, response, who)
        self.keys = {}
        self.responses = {}  # of each question
        self.names = {}  # of the items that each question shows
        self.retired = set()
        self.late = set()  # questions that were withdrawn as an item retired; their answers count

    def open(self):
        return [question for question, status in self.status.items() if status == "open"]

    def add(self, event, question=None, response=None, who=None, key=None, names=(), retired=()):
        place = len(self.events)
        if event == "undo":
            who = self.in_force[question][2]  # an undo stands with those whose answer it takes back
        self.events.append((event, question, response, who, key))
        if key is not None:
            self.keys[key] = self.events[-1]
        if event == "ask":
            self.status[question], self.asked[question], self.names[question] = "open", place, set(names)
        elif event == "goal":
            self.status |= dict.fromkeys(self.open(), "withdrawn")
        elif event == "items":
            self.retired |= set(retired)
        elif event == "undo":
            later = [other for other in self.open() if self.asked[other] > self.closed[question]]
            self.status |= {**dict.fromkeys(later, "withdrawn"), question: "open"}
            del self.in_force[question]
        else:
            self.status[question], self.closed[question] = "answered" if event == "tell" else "skipped", place
            self.in_force[question] = event, response, who
            self.late.discard(question)
        gone = [other for other in self.open() if self.names[other] & self.retired]
        self.status |= dict.fromkeys(gone, "withdrawn")
        self.late |= set(gone)

    def last(self, who=None):
        """The question whose answer came last, of all or of this person; None if there is none."""
        mine = [question for question, (_, _, by) in self.in_force.items() if who is None or by == who]
        return max(mine, key=self.closed.__getitem__, default=None)


def event_parts(log):
    return [tuple(event.get(part) for part in ("event", "question", "response", "who", "key")) for event in log]


def next_question(session):
    """What would be asked now. Nothing is asked."""
    try:
        return without_times([session.round.choose(session.event_log)])
    except NothingToAsk:
        return None


def assert_same_state(one, two):
    """Asserts that two sessions are the same, bit for bit."""
    assert one.log == two.log
    assert one.event_log.status == two.event_log.status
    assert [str(answer) for answer in one.answers] == [str(answer) for answer in two.answers]
    assert one.diameter == two.diameter
    assert one.people == two.people
    assert one.estimate().value == two.estimate().value
    assert one.reason == two.reason
    assert next_question(one) == next_question(two)
