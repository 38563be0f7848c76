"""How many questions will it take? People drawn from what is believed now answer, and the number until the stop is
counted: for the plan of a study, and for "about 12 more questions (8 to 20)" while it is under way."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.errors import NothingToAsk
from askwise.problem import Problem
from askwise.session import Session
from askwise.simulate.people import ByModel, answer
from askwise.streams import stream
from askwise.types import Bools, Floats, Response

LEVELS = (0.1, 0.5, 0.9)  # of an 80 % interval and its middle
ALIKE = 0.5  # people who took e^0.5 times the answers to come this far count 0.6
STRANGER = 3.0  # answers, added to both, so that the first few do not decide who is alike
EFFORT = 200  # draws and candidates of a simulated round at most: enough to see how many questions it takes
SPARE = 0.15  # by so much of its length an interval is widened on each side: a few dozen people have thin tails


@dataclass(frozen=True)
class Journey:
    """One simulated person: how undecided we were after 0, 1, ... answers, and after how many it was time to stop."""

    rule: str
    diameters: tuple[float, ...]
    stopped: int | None  # None: not within the answers there are


@dataclass(frozen=True)
class Forecast:
    """Questions still to come: in the middle, and an interval that holds four times out of five.

    >>> print(Forecast(12, 8, 20))
    about 12 more questions (8 to 20)
    >>> print(Forecast(60, 31, None))
    about 60 more questions (31 or more)
    """

    likely: int | None  # None: more than anybody simulated took
    low: int
    high: int | None

    def __str__(self) -> str:
        if self.likely is None:
            return f"{self.low} or more questions to go"
        plural = "s" if self.likely != 1 else ""
        spread = f"{self.low} or more" if self.high is None else f"{self.low} to {self.high}"
        return f"about {self.likely} more question{plural} ({spread})"


@dataclass(frozen=True)
class Believed:
    """A person for whom a structure that is plausible now is the truth, and who answers as the model says."""

    problem: Problem
    truth: Any

    def respond(self, atom: Any, rng: Generator) -> Response:
        draw = getattr(self.problem.family, "draw_responses", None)  # for answers that are numbers
        if draw is None:
            return ByModel(self.problem, self.truth).respond(atom, rng)
        predictions = self.problem.family.predict(np.asarray(self.truth)[None], np.asarray(atom)[None])
        return float(draw(predictions, rng)[0, 0])


def journey(session: Session, rule: str | None, person: int, limit: int, deadline: float = float("inf")) -> Journey:
    """Lets one person, drawn from the session's posterior, answer on a copy of it until the stop, `limit` answers or
    the deadline (of `time.monotonic`).

    >>> from askwise.goals import best_item
    >>> trip = journey(best_item(["tea", "coffee", "water"], draws=50), None, person=1, limit=50)
    >>> trip.stopped == len(trip.diameters) - 1
    True
    """
    copy = session.branch(seed=1 + session.aim.seed + 7919 * (1 + person), rule=rule, effort=EFFORT)
    somebody = Believed(session.problem, _plausible(session, stream(session.aim.seed, person, "plan")))
    diameters = [copy.diameter]
    while copy.reason is None and len(diameters) <= limit and time.monotonic() < deadline:
        try:
            answer(copy, somebody, stream(copy.aim.seed, len(diameters), "person"))
        except NothingToAsk:
            break
        diameters.append(copy.diameter)
    stopped = None if copy.reason is None else len(diameters) - 1
    return Journey(rule or "its own", tuple(map(float, diameters)), stopped)


def forecast(journeys: Sequence[Journey], diameter: float, answers: int, most: int | None = None) -> Forecast | None:
    """What people who were as undecided took from there on; None without anybody to compare with.

    Each simulated person is met where their diameter first fell to this one; people who needed about as many answers to
    come there count more. `most` is what the budget allows.

    >>> trips = [Journey("expected", (1.0, 0.5, 0.25, 0.1), 3), Journey("expected", (1.0, 0.5, 0.4, 0.2, 0.1), 4)]
    >>> print(forecast(trips, 0.5, answers=1))
    about 2 more questions (1 to 4)
    """
    if not journeys:
        return None
    rest, finished, weights = np.array([_met(trip, diameter, answers) for trip in journeys]).T
    low, likely, high = (quantile(rest, finished > 0, weights, level) for level in LEVELS)
    if np.isinf(low):
        return Forecast(None, max(1, int(np.median(rest))), None)
    spare = SPARE * (high - low) if np.isfinite(high) else 0.0
    bound = float("inf") if most is None else float(most)
    low, likely, high = (min(max(value, 1.0), bound) for value in (low - spare, likely, high + spare))
    ends = [None if np.isinf(value) else int(value) for value in (np.rint(likely), np.ceil(high))]
    return Forecast(ends[0], floor(low), ends[1])


def spread(journeys: Sequence[Journey], epsilon: float | None = None) -> tuple[float, float, float]:
    """The 10th, 50th and 90th percentile of the answers until the stop; with `epsilon`, until that would be reached.

    >>> spread([Journey("expected", (1.0,) * (count + 1), count) for count in (1, 2, 3, 4, 5)])
    (1.0, 3.0, 5.0)
    """
    ends = [_end(trip) if epsilon is None else crossing(trip, epsilon) for trip in journeys]
    times, finished = np.array(ends, dtype=float).T
    low, middle, high = (quantile(times, finished > 0, np.ones(len(times)), level) for level in LEVELS)
    return low, middle, high


def quantile(times: Floats, finished: Bools, weights: Floats, level: float) -> float:
    """By then this share was done, where some were only watched for a while (Kaplan and Meier); infinite if never.

    >>> quantile(np.array([1.0, 2.0, 2.0, 3.0]), np.array([True, False, True, True]), np.ones(4), 0.6)
    3.0
    """
    left = 1.0
    for moment in np.unique(times[finished]):
        left *= 1 - weights[finished & (times == moment)].sum() / weights[times >= moment].sum()
        if left <= 1 - level + 1e-12:
            return float(moment)
    return float("inf")


def crossing(trip: Journey, epsilon: float) -> tuple[float, bool]:
    """After how many answers the diameter was below three quarters of epsilon, where the stopping test passes; and
    whether it was, or the person was only watched so long."""
    below = np.flatnonzero(np.asarray(trip.diameters) <= 0.75 * epsilon)
    return (float(below[0]), True) if len(below) else (float(len(trip.diameters) - 1), False)


def _plausible(session: Session, rng: Generator) -> Any:
    """A structure drawn from the posterior."""
    sample = session.posterior.sample(2, rng)
    return sample.structures[rng.choice(len(sample.weights), p=sample.weights)]


def _end(trip: Journey) -> tuple[float, bool]:
    return float(len(trip.diameters) - 1), trip.stopped is not None


def _met(trip: Journey, diameter: float, answers: int) -> tuple[float, bool, float]:
    """(answers from there to the end, whether that was the stop, weight)"""
    end, finished = _end(trip)
    below = np.flatnonzero(np.asarray(trip.diameters) <= diameter)
    place = float(below[0]) if len(below) else end
    apart = np.log((place + STRANGER) / (answers + STRANGER)) / ALIKE
    return end - place, finished, float(np.exp(-(apart**2) / 2))
