"""What the dashboard draws, worked out in a process of its own while somebody watches.

The curves of everybody's diameter stand in their logs already. For the log that is looked at, a session is kept up to
date; the error of its earlier guesses is worked out by replaying the log from its beginning, a little at a time.
"""

from __future__ import annotations

import json
from collections import Counter, OrderedDict
from time import monotonic
from typing import Any

from askwise import study as studies
from askwise.conversation import Event
from askwise.goals.build import remake
from askwise.report.sections import FEW, ODD, OFF
from askwise.report.surprises import surprises
from askwise.report.usage import told
from askwise.server.learned import charts, explained, headline
from askwise.server.learner import Job
from askwise.session import Session
from askwise.study.address import Address
from askwise.study.participants import people
from askwise.study.store import Store

HELD = 12  # logs looked at that a worker keeps in memory
LINES, POINTS, MINUTES = 40, 100, 60  # people, points and minutes in a chart
LONG = 300  # letters of a guess
SLICE = 1.0  # seconds of replaying at a time

_watched: OrderedDict[Job, Watched] = OrderedDict()  # of a worker
_crowds: dict[tuple[str, int], Crowd] = {}


def watch(job: Job, study: int) -> dict[str, Any]:
    """All that the dashboard of a study draws, with the log of the job looked at closely; in a worker."""
    if job not in _watched:
        _watched[job] = Watched(studies.open(job[0], log=job[1]))
    _watched.move_to_end(job)
    while len(_watched) > HELD:
        studies.close(_watched.popitem(last=False)[1].session)
    if (job[0], study) not in _crowds:
        _crowds[job[0], study] = Crowd(job[0], study)
    crowd = _crowds[job[0], study]
    crowd.refresh()
    return {"log": job[1], "minutes": crowd.minutes(), "lines": crowd.lines(), **_watched[job].look(SLICE)}


class Trace:
    """What the log of one person says without any arithmetic.

    >>> trace = Trace()
    >>> for event in ({"event": "ask", "info": {"diameter": 0.5}}, {"event": "tell", "question": "q1", "time": ""},
    ...               {"event": "ask", "info": {"diameter": 0.4}}):
    ...     trace.take(event)
    >>> trace.curve
    {0: 0.5, 1: 0.4}
    """

    def __init__(self) -> None:
        self.position = 0
        self.turn = 0  # answers that came or were taken back
        self.curve: dict[int, float] = {}  # by turn: how undecided it was when the next question was chosen
        self.minutes: Counter[str] = Counter()
        self._told: set[str] = set()

    def take(self, event: Event) -> None:
        kind, id = event["event"], event.get("question")
        self.position += 1
        if kind == "goal":
            self.curve.clear()  # another goal has other units
        elif kind == "ask" and "diameter" in event["info"]:
            self.curve[self.turn] = event["info"]["diameter"]
        elif kind == "tell":
            self.turn += 1
            self._told.add(str(id))
            self.minutes[event["time"][:16]] += 1
        elif kind == "undo" and id in self._told:
            self.turn += 1
            self._told.discard(id)


class Crowd:
    """The logs of everybody in a study."""

    def __init__(self, where: str, study: int):
        self.store = Store.at(Address.of(where))
        self.study = study
        self.traces: dict[int, Trace] = {}

    def refresh(self) -> None:
        """Reads what is new in every log."""
        for log in {self.study, *(one.log for one in people(self.store, self.study))}:
            trace = self.traces.setdefault(log, Trace())
            for body, _ in self.store.events(log, trace.position):
                trace.take(json.loads(body))

    def lines(self) -> list[dict[str, Any]]:
        """The diameters of those who answered most."""
        busy = sorted(self.traces, key=lambda log: -self.traces[log].turn)[:LINES]
        return [{"log": log, "points": thinned(list(self.traces[log].curve.items()))} for log in busy]

    def minutes(self) -> list[tuple[str, int]]:
        """The answers of the last minutes in which there were any."""
        whole: Counter[str] = Counter()
        for trace in self.traces.values():
            whole.update(trace.minutes)
        return sorted(whole.items())[-MINUTES:]


class Slowly:
    """A journal that hands on one event at a time."""

    def __init__(self, events: list[Event]):
        self.events = events

    def append(self, position: int, event: Event) -> bool:
        raise NotImplementedError("a replay writes nothing")

    def since(self, position: int) -> list[Event]:
        return self.events[position : position + 1]

    def keep(self, session: Session) -> None:
        """Keeps nothing."""


class Watched:
    """A session that is looked at, and its past."""

    def __init__(self, session: Session):
        self.session = session
        self.points: dict[int, tuple[float, float]] = {}  # by turn: diameter and expected error
        self.goals = self._goals(session)
        assert session.recipe is not None
        self.past: Session | None = remake(session.recipe)
        self.past.journal = Slowly(session.log.copy())
        self.every = max(1, session.turn.beliefs.turn // POINTS)
        self._seen: tuple[int, dict[str, Any]] | None = None  # what was shown of that many events

    def look(self, seconds: float) -> dict[str, Any]:
        """What is known of the log now; the past is taken up for so long."""
        self.session.refresh()
        if self._goals(self.session) > self.goals:
            self.goals, self.past = self._goals(self.session), None
            self.points.clear()
        self._note(self.session)
        self._replay(monotonic() + seconds)
        if self._seen is None or self._seen[0] != len(self.session.log):
            self._seen = len(self.session.log), shown(self.session)
        curve = [(turn, *self.points[turn]) for turn in sorted(self.points)]
        return {**self._seen[1], "curve": thinned(curve), "replaying": self.past is not None}

    def _replay(self, end: float) -> None:
        while self.past is not None and monotonic() < end:
            turn, position = self.past.turn, len(self.past.log)
            if turn.beliefs.turn % self.every == 0 and turn.beliefs.turn not in self.points:
                self._note(self.past)
            self.past.refresh()
            if len(self.past.log) == position:
                self.past = None

    def _note(self, session: Session) -> None:
        if self._goals(session) == self.goals:
            turn = session.turn
            self.points[turn.beliefs.turn] = turn.diameter, turn.estimate.expected_distance

    @staticmethod
    def _goals(session: Session) -> int:
        return sum(event["event"] == "goal" for event in session.log)


def shown(session: Session) -> dict[str, Any]:
    """The findings of a session, and the answers that the others speak against.

    >>> from askwise.goals import best_item
    >>> found = shown(best_item(["tea", "coffee", "water"], seed=1))
    >>> found["answers"], len(found["charts"]), found["odd"]
    (0, 1, [])
    """
    guess = session.estimate()
    pursued: Any = session.pursued
    return {
        "answers": len(session.answers),
        "diameter": session.diameter,
        "error": guess.expected_distance,
        "guess": headline(pursued["goal"], guess.value, LONG),
        "reason": session.reason,
        "charts": explained(pursued["goal"], guess.value, charts(session)),
        "odd": odd(session),
    }


def odd(session: Session) -> list[dict[str, Any]]:
    """The answers that disagree with the rest, the least expected first."""
    found = surprises(session.problem, session.sample, session.answers)
    chosen = [one for one in found if (one.chance < ODD if one.off is None else abs(one.off) >= OFF)][:FEW]
    rows = {row.question: row for row in told(session)}
    asked = list(session.turn.beliefs.told)  # in the order of session.answers
    return [
        {
            **{part: getattr(rows[asked[one.place]], part) for part in ("question", "text", "said", "who", "time")},
            **{part: getattr(one, part) for part in ("chance", "off", "rough")},
        }
        for one in chosen
    ]


def thinned(points: list[Any]) -> list[Any]:
    """No more points than a chart can show, the first and the last among them.

    >>> thinned(list(range(1000)))[::50], len(thinned(list(range(1000))))
    ([0, 500, 999], 101)
    """
    if len(points) <= POINTS:
        return points
    return [points[round(place * (len(points) - 1) / POINTS)] for place in range(POINTS + 1)]
