"""What the runs say together: means, paired differences with simultaneous intervals, questions needed, effective draws.

A line is one run: its peer, its seed, CPU milliseconds a question, and errors by name for each of MEASURED_ANSWERS.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from benchmarks.peers.worker import MEASURED_ANSWERS

CHECKPOINTS = (10, 25, 50, 75, 100)
LEVEL = 0.95
RESAMPLES = 4000
Lines = Sequence[Mapping[str, Any]]


class Difference(NamedTuple):
    """A peer's error minus ours at each checkpoint, over people both have asked, and an interval that holds for all
    checkpoints at once."""

    people: int
    mean: Any  # (C,)
    low: Any  # (C,)
    high: Any  # (C,)

    @property
    def better(self) -> list[int]:
        """Where the peer is better than chance explains."""
        return [look for look, high in zip(CHECKPOINTS, self.high, strict=True) if high < 0]

    @property
    def worse(self) -> list[int]:
        return [look for look, low in zip(CHECKPOINTS, self.low, strict=True) if low > 0]


def curves(lines: Lines, peer: str, measure: str) -> dict[int, list[float]]:
    """By seed, the errors after each of MEASURED_ANSWERS answers."""
    return {
        line["seed"]: line["errors"][measure]
        for line in lines
        if line["peer"] == peer and measure in line.get("errors", ())
    }


def common(lines: Lines, *peers: str) -> list[Mapping[str, Any]]:
    """The runs of these peers with the people that all of them have asked."""
    asked = [{line["seed"] for line in lines if line["peer"] == peer} for peer in peers]
    return [line for line in lines if line["peer"] in peers and line["seed"] in set.intersection(*asked)]


def at_checkpoints(runs: Iterable[Sequence[float]]) -> Any:
    """(R, C)"""
    return np.array(list(runs), dtype=float)[:, [MEASURED_ANSWERS.index(look) for look in CHECKPOINTS]]


def means(lines: Lines, peer: str, measure: str) -> list[tuple[float, float]]:
    """The mean and its standard error at each checkpoint."""
    found = at_checkpoints(curves(lines, peer, measure).values())
    error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    return list(zip(found.mean(axis=0).tolist(), error.tolist(), strict=True))


def difference(lines: Lines, peer: str, ours: str, measure: str) -> Difference:
    """Paired by person; the intervals are simultaneous over the checkpoints."""
    theirs, mine = curves(lines, peer, measure), curves(lines, ours, measure)
    both = sorted(theirs.keys() & mine.keys())
    gaps = at_checkpoints(theirs[seed] for seed in both) - at_checkpoints(mine[seed] for seed in both)
    low, high = simultaneous_interval(gaps)
    return Difference(len(both), gaps.mean(axis=0), low, high)


def simultaneous_interval(gaps: Any) -> tuple[Any, Any]:
    """(R, C) -> the ends of an interval for each column's mean; together they hold at LEVEL.

    The mean +- c standard errors, where c is the quantile of the largest deviation over the columns when people are
    drawn anew (max-t bootstrap).
    """
    mean, error = gaps.mean(axis=0), gaps.std(axis=0, ddof=1) / np.sqrt(len(gaps))
    moving = error > 0
    if not moving.any():
        return mean, mean
    rows = np.random.default_rng(0).integers(len(gaps), size=(RESAMPLES, len(gaps)))
    off = np.abs(gaps[rows].mean(axis=1) - mean)[:, moving] / error[moving]
    reach = np.quantile(off.max(axis=1), LEVEL) * error
    return mean - reach, mean + reach


def questions_needed(lines: Lines, peer: str, measure: str, target: float) -> float | None:
    """The answers after which the mean error is at most the target for the first time, between looks in a straight
    line; None if never."""
    mean = np.mean(list(curves(lines, peer, measure).values()), axis=0)
    below = np.flatnonzero(mean <= target + 1e-9)  # a target may be one of these means, summed in another order
    if not len(below):
        return None
    place = int(below[0])
    if place == 0:
        return float(MEASURED_ANSWERS[0])
    share = (mean[place - 1] - target) / (mean[place - 1] - mean[place])
    return float(MEASURED_ANSWERS[place - 1] + share * (MEASURED_ANSWERS[place] - MEASURED_ANSWERS[place - 1]))


def cpu(lines: Lines, peer: str) -> float:
    """Milliseconds a question, the median over runs: the first run of a process also loads compiled code."""
    return median(line["cpu_ms"] for line in lines if line["peer"] == peer)


class Draws(NamedTuple):
    """What a sampler's runs are worth. Effective draws: so many independent ones would estimate as well."""

    cpu_ms: float
    mean: float  # effective draws a run, for means
    variance: float  # and for variances
    off: float  # the largest deviation of a coordinate's mean over all runs, in standard deviations of the posterior
    noise: float  # the standard error of such a deviation

    @property
    def per_second(self) -> float:
        """By the worse of the two."""
        return 1000 * min(self.mean, self.variance) / self.cpu_ms


def draws(lines: Lines, peer: str, reference: str) -> Draws:
    """The error of the runs' means and variances against a long run, turned into independent draws.

    The mean of n independent draws errs by v / n in the square, their variance by about 2 v^2 / n (normal tails).
    """
    runs = [line for line in lines if line["peer"] == peer]
    truth = next(line for line in lines if line["peer"] == reference)
    mean, variance = np.array(truth["mean"]), np.array(truth["variance"])
    means, variances = (np.array([line[name] for line in runs]) for name in ("mean", "variance"))
    gaps = means - mean
    scaled = gaps / np.sqrt(variance)
    return Draws(
        cpu(lines, peer),
        float(1 / (gaps**2 / variance).mean()),
        float(1 / ((variances - variance) ** 2 / (2 * variance**2)).mean()),
        float(np.abs(scaled.mean(axis=0)).max()),
        float(scaled.std(axis=0, ddof=1).mean() / np.sqrt(len(runs))),
    )
