"""What the dashboard draws, computed in a process of its own while somebody watches.

The curves of everybody's diameter stand in their logs already. For the log that is looked at, a session is kept up to
date; the error of its earlier guesses is worked out by replaying the log from its beginning, a little at a time.
"""

from __future__ import annotations

import json
from collections import Counter, OrderedDict
from dataclasses import asdict
from datetime import UTC, datetime
from time import monotonic
from typing import Any

from askwise import storage
from askwise.goals import goal_of, remake
from askwise.goals.base.effect_charts import with_effects
from askwise.report.surprises import odd_answers
from askwise.report.usage import answer_rows
from askwise.session import Session
from askwise.session.events import Event
from askwise.session.log_counts import LogCounts
from askwise.session.wording import Wording
from askwise.storage.address import Address
from askwise.storage.journal import journal_of
from askwise.storage.participants import people
from askwise.storage.store import EVENTS, Store
from askwise.storage.usage import event_counts
from askwise.web.learner.fragments import answer_rate, curve_html, figures_html, pace_html
from askwise.web.learner.learner import Job

MAX_WATCHED_LOGS = 12  # that a worker keeps in memory
LINES, POINTS, MINUTES = 40, 100, 60  # people, points and minutes in a chart
MAX_GUESS_LETTERS = 300
TABLE_ROWS = 200  # of the table behind a chart; the report has all
REPLAY_SECONDS = 1.0  # at a time

_watched: OrderedDict[Job, WatchedLog] = OrderedDict()  # of a worker
_curves: dict[tuple[str, int], StudyCurves] = {}


def watch(job: Job, study: int) -> dict[str, Any]:
    """All that the dashboard of a study draws, with the log of the job looked at closely; in a worker."""
    if job not in _watched or _watched[job].outdated:
        _watched[job] = WatchedLog(storage.open(job[0], log=job[1]))
    _watched.move_to_end(job)
    while len(_watched) > MAX_WATCHED_LOGS:
        storage.close(_watched.popitem(last=False)[1].session)
    if (job[0], study) not in _curves:
        _curves[job[0], study] = StudyCurves(job[0], study)
    curves = _curves[job[0], study]
    curves.refresh()
    found = {
        "log": job[1],
        "minutes": curves.minutes(),
        "lines": curves.lines(),
        **_watched[job].snapshot(REPLAY_SECONDS),
    }
    now = datetime.now(UTC)
    drawn = {"curve": curve_html(found, curves.names()), "pace": pace_html(found["minutes"], now)}
    return {**found, "rate": answer_rate(found["minutes"], now), "html": {**found["html"], **drawn}}


def forget_watched(where: str) -> None:
    """Forgets all logs of a store, since answers in one of them were erased; in a worker."""
    for job in [job for job in _watched if job[0] == where]:
        del _watched[job]
    for place in [place for place in _curves if place[0] == where]:
        del _curves[place]


class StudyCurves:
    """The logs of everybody in a study."""

    def __init__(self, where: str, study: int):
        self.store = Store.at(Address.of(where))
        self.study = study
        self.counts: dict[int, LogCounts] = {}

    def refresh(self) -> None:
        """Reads what is new in every log; of most logs of many people, nothing is."""
        found = event_counts(self.store, self.study)
        for log in {self.study, *(one.log for one in people(self.store, self.study))}:
            counts = self.counts.setdefault(log, LogCounts())
            if found.get(log, 0) == counts.events:
                continue
            for body, _ in self.store.read(EVENTS, study=log, since=counts.events):
                counts.add(json.loads(body))

    def lines(self) -> list[dict[str, Any]]:
        """The diameters of those who answered most."""
        busy = sorted(self.counts, key=lambda log: -self.counts[log].revision)[:LINES]
        return [{"log": log, "points": thinned(list(self.counts[log].diameters.items()))} for log in busy]

    def names(self) -> dict[int, str]:
        """Whose each log is."""
        return {one.log: one.name for one in people(self.store, self.study)}

    def minutes(self) -> list[tuple[str, int]]:
        """The answers of the last minutes in which there were any."""
        whole: Counter[str] = Counter()
        for counts in self.counts.values():
            whole.update(counts.answers_by_minute)
        return sorted(whole.items())[-MINUTES:]


class ReplayJournal:
    """A journal that hands on one event at a time."""

    def __init__(self, events: list[Event]):
        self.events = events

    def append(self, position: int, event: Event) -> bool:
        raise NotImplementedError("a replay writes nothing")

    def since(self, position: int) -> list[Event]:
        return self.events[position : position + 1]

    def keep(self, session: Session) -> None:
        """Keeps nothing."""

    def keep_wording(self, wording: Wording) -> None:
        raise NotImplementedError("a replay writes nothing")


class WatchedLog:
    """A session that the dashboard shows, and the replay of its past."""

    def __init__(self, session: Session):
        self.session = session
        self.points: dict[int, tuple[float, float]] = {}  # by revision: diameter and expected error
        self.goals = session.event_log.counts.goals
        assert session.recipe is not None
        self.past: Session | None = remake(session.recipe)
        self.past.journal = ReplayJournal(session.log.copy())
        self.every = max(1, session.round.beliefs.revision // POINTS)
        self._seen: tuple[int, dict[str, Any]] | None = None  # what was shown of that many events

    @property
    def outdated(self) -> bool:
        """Whether the log starts from something else now, which can only change until it begins."""
        return not self.session.log and journal_of(self.session).is_outdated()

    def snapshot(self, seconds: float) -> dict[str, Any]:
        """What is known of the log now; the past is taken up for so long."""
        self.session.refresh()
        if self.session.event_log.counts.goals > self.goals:
            self.goals, self.past = self.session.event_log.counts.goals, None
            self.points.clear()
        self._note(self.session)
        self._replay(monotonic() + seconds)
        if self._seen is None or self._seen[0] != len(self.session.log):
            self._seen = len(self.session.log), log_findings(self.session)
        curve = [(revision, *self.points[revision]) for revision in sorted(self.points)]
        return {**self._seen[1], "curve": thinned(curve), "replaying": self.past is not None}

    def _replay(self, end: float) -> None:
        while self.past is not None and monotonic() < end:
            round, position = self.past.round, len(self.past.log)
            if round.beliefs.revision % self.every == 0 and round.beliefs.revision not in self.points:
                self._note(self.past)
            self.past.refresh()
            if len(self.past.log) == position:
                self.past = None

    def _note(self, session: Session) -> None:
        if session.event_log.counts.goals == self.goals:
            round = session.round
            self.points[round.beliefs.revision] = round.diameter, round.estimate.expected_distance


def log_findings(session: Session) -> dict[str, Any]:
    """The findings of a session, and the answers that the others contradict.

    >>> from askwise.goals import best_item
    >>> found = log_findings(best_item(["tea", "coffee", "water"], seed=1))
    >>> found["answers"], len(found["charts"]), found["odd"]
    (0, 1, [])
    """
    guess, goal = session.estimate(), goal_of(session)
    absence = goal.absence(session)
    result = with_effects(goal.result(session, session.sample), session, session.sample)
    charts = [chart.with_table_of(TABLE_ROWS) for chart in result.all_charts]
    odd, _ = odd_answers(session, session.sample, answer_rows(session))
    return {
        "answers": len(session.answers),
        "diameter": session.diameter,
        "error": guess.expected_distance,
        "epsilon": goal.stop_level,
        "guess": goal.headline(guess.value, MAX_GUESS_LETTERS),
        "remarks": goal.remarks(session),
        "absence": None if absence is None else absence.as_dict(),
        "reason": session.reason,
        "settled": session.reason is not None and session.reason.kind == "settled",
        "trusted": dict(session.people),
        "charts": [{"kind": type(chart).__name__.lower(), **asdict(chart)} for chart in charts],
        "odd": [{**asdict(one.surprise), **asdict(one.row), "fit": one.fit} for one in odd],
        "html": {"charts": figures_html(charts)},
    }


def thinned(points: list[Any]) -> list[Any]:
    """No more points than a chart can show, the first and the last among them.

    >>> thinned(list(range(1000)))[::50], len(thinned(list(range(1000))))
    ([0, 500, 999], 101)
    """
    if len(points) <= POINTS:
        return points
    return [points[round(place * (len(points) - 1) / POINTS)] for place in range(POINTS + 1)]
