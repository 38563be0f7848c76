"""How many questions are still to come, by how many simulated people needed.

For the plan of a study, and for "about 12 more questions (8 to 20)" while it is under way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from askwise.simulate.runs import SimulatedRun
from askwise.types import Bools, Floats

LEVELS = (0.1, 0.5, 0.9)  # of an 80 % interval and its middle
SIMILARITY_WIDTH = 0.5  # people who took e^0.5 times the answers to come this far count 0.6
ADDED_ANSWERS = 3.0  # to both counts compared, so that the first few answers do not decide who is similar
MIN_FINISHED_RUNS = 5  # with fewer, there is no forecast
MAX_RATIO = 4  # of the upper end of an interval that says something to the lower one, ...
MAX_LENGTH = 8  # ... or so many questions from the one to the other
MAX_RATIO_ALONE = 2  # of the middle to the lower end, where the upper one is too far away
MIN_LOW_ALONE = 5  # questions, where the middle is not known either
WIDENING = 0.3  # of its length, of each half of an interval: a few dozen people have thin tails


@dataclass(frozen=True)
class Forecast:
    """Questions still to come: in the middle, and an interval that holds four times out of five.

    >>> print(Forecast(12, 8, 20))
    about 12 more questions (8 to 20)
    >>> print(Forecast(60, 31, None))
    about 60 more questions (31 or more)
    >>> print(Forecast(None, 31, None))
    31 or more questions to go
    >>> print(Forecast(4, 4, 4))
    about 4 more questions
    >>> print(Forecast(48, None, None))
    about 48 more questions
    """

    likely: int | None  # None: more than most of the people simulated took
    low: int | None  # None: neither end says anything
    high: int | None  # None: too far away to say anything

    def __str__(self) -> str:
        if self.likely is None:
            return f"{self.low} or more questions to go"
        about = f"about {self.likely} more question{'s' if self.likely != 1 else ''}"
        if self.low is None or self.low == self.high:
            return about
        return f"{about} ({self.low} or more)" if self.high is None else f"{about} ({self.low} to {self.high})"


def forecast(runs: Sequence[SimulatedRun], diameter: float, answers: int, most: int | None = None) -> Forecast | None:
    """What simulated people still needed when they were as undecided; None if too few of them finished to tell.

    Each run counts from the answer at which its diameter first fell to this one. Runs that took about as many answers
    to come there count more.

    - `runs`: what simulated people did.
    - `diameter`: how undecided we are now.
    - `answers`: how many there were since the runs began.
    - `most`: answers that the budget still allows.

    >>> runs = [SimulatedRun("expected", (1.0, 0.5, 0.25, 0.1), 3),
    ...         SimulatedRun("expected", (1.0, 0.5, 0.4, 0.2, 0.1), 4)] * 3
    >>> print(forecast(runs, 0.5, answers=1))
    about 2 more questions (2 to 4)
    """
    if sum(run.stopped is not None for run in runs) < MIN_FINISHED_RUNS:
        return None
    rest, finished, weights = np.array([_remaining(run, diameter, answers) for run in runs]).T
    low, likely, high = (censored_quantile(rest, finished > 0, weights, level) for level in LEVELS)
    if np.isinf(low):
        return None
    bound = float("inf") if most is None else float(most)
    if np.isinf(likely) and low < bound:  # most did not finish: the middle is not known, even if a budget ends it
        first, _ = shown_interval(np.floor(max(low, 1.0)), likely, high)
        return None if first is None else Forecast(None, int(first), None)
    if np.isfinite(likely):
        low, high = low - WIDENING * (likely - low), high + WIDENING * (high - likely)
    low, likely, high = (min(max(value, 1.0), bound) for value in (low, likely, high))
    first, last = shown_interval(np.floor(low), likely, np.ceil(high))
    return Forecast(int(np.rint(likely)), None if first is None else int(first), None if last is None else int(last))


def shown_interval(low: float, middle: float, high: float) -> tuple[float | None, float | None]:
    """The ends of an interval; None for an end that says nothing, since people differ too much.

    >>> shown_interval(8, 12, 20), shown_interval(34, 60, 300), shown_interval(11, 48, 263)
    ((8, 20), (34, None), (None, None))
    """
    if high <= max(MAX_RATIO * low, low + MAX_LENGTH):
        return low, high
    alone = low >= MIN_LOW_ALONE if np.isinf(middle) else low > 1 and middle <= MAX_RATIO_ALONE * low
    return (low if alone and np.isfinite(low) else None), None


def answers_until_stop(runs: Sequence[SimulatedRun], epsilon: float | None = None) -> tuple[float, float, float]:
    """The 10th, 50th and 90th percentile of the answers until the stop; with `epsilon`, until that would be reached.

    >>> answers_until_stop([SimulatedRun("expected", (1.0,) * (count + 1), count) for count in (1, 2, 3, 4, 5)])
    (1.0, 3.0, 5.0)
    """
    ends = [_end(run) if epsilon is None else _crossing(run, epsilon) for run in runs]
    times, finished = np.array(ends, dtype=float).T
    low, middle, high = (censored_quantile(times, finished > 0, np.ones(len(times)), level) for level in LEVELS)
    return low, middle, high


def censored_quantile(times: Floats, finished: Bools, weights: Floats, level: float) -> float:
    """The time by which this share has finished; infinite if never. Unfinished ones were watched until their time.

    Kaplan and Meier's estimate, with a weight for each.

    >>> censored_quantile(np.array([1.0, 2.0, 2.0, 3.0]), np.array([True, False, True, True]), np.ones(4), 0.6)
    3.0
    """
    left = 1.0
    for moment in np.unique(times[finished]):
        left *= 1 - weights[finished & (times == moment)].sum() / weights[times >= moment].sum()
        if left <= 1 - level + 1e-12:
            return float(moment)
    return float("inf")


def _crossing(run: SimulatedRun, epsilon: float) -> tuple[float, bool]:
    """The answers until the diameter was below three quarters of epsilon, where the stopping test passes; and whether
    it was."""
    below = np.flatnonzero(np.asarray(run.diameters) <= 0.75 * epsilon)
    return (float(below[0]), True) if len(below) else (float(run.answers), False)


def _end(run: SimulatedRun) -> tuple[float, bool]:
    return float(run.answers), run.stopped is not None


def _remaining(run: SimulatedRun, diameter: float, answers: int) -> tuple[float, bool, float]:
    """(answers from this diameter to the end, whether the end was the stop, weight)"""
    end, finished = _end(run)
    below = np.flatnonzero(np.asarray(run.diameters) <= diameter)
    start = float(below[0]) if len(below) else end
    difference = np.log((start + ADDED_ANSWERS) / (answers + ADDED_ANSWERS)) / SIMILARITY_WIDTH
    return end - start, finished, float(np.exp(-(difference**2) / 2))
