"""Feature-based rankings: how the questions grow as the wanted Kendall distance shrinks, for NDBAL and random pairs.

Items are spherically symmetric, so a pair (x, y) is the direction of x - y, uniform on the sphere, and the Kendall
distance of two tastes is their angle over pi (theorem ranking index). Answers have no noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, NamedTuple

import numpy as np

from askwise._runtime.streams import stream
from askwise.distances.labels import Angle
from askwise.errors import SettingError
from askwise.losses import zero_one
from askwise.posteriors.scores.version_space import VersionSpace
from askwise.problem import Problem
from askwise.strategies import strategy
from askwise.structures.linear import LinearSphere, unit_rows
from askwise.types import Answer, Floats

LEVELS = (0.2, 0.14, 0.1, 0.07, 0.05, 0.035, 0.025, 0.018, 0.014, 0.01)
DRAWS = 400
CANDIDATES = 1000  # at least 1 / tau of them, and tau shrinks with epsilon


def error_curve(rule: str, dimension: int, goal: float, most: int, seed: int, candidates: int = CANDIDATES) -> Floats:
    """The posterior's mean Kendall distance to the truth before each question, until it is below `goal`."""
    rng = stream(seed, dimension, f"ranking {rule}")
    truth = unit_rows(stream(seed, dimension, "ranking truth").standard_normal((1, dimension)))
    family, ask = LinearSphere(dimension), strategy(rule)
    problem, posterior = Problem(family, Angle(), zero_one, inf), VersionSpace.prior(family, DRAWS)
    errors: list[float] = []
    while True:
        sample = posterior.sample(DRAWS, rng)
        errors.append(float(Angle().paired(sample.structures, np.repeat(truth, len(sample.weights), axis=0)).mean()))
        if errors[-1] <= goal or len(errors) > most:
            return np.array(errors)
        atoms = family.draw_atoms(1 if rule == "random" else candidates, rng)
        atom = atoms[int(ask(problem, posterior, sample, atoms, rng).gain.argmax())]
        posterior = posterior.update(Answer(atom, int(family.decide(truth @ atom)[0])), rng)


class QuestionsNeeded(NamedTuple):
    """Questions until the error is first below each level: mean and standard error over the runs, and every curve."""

    rule: str
    levels: Floats  # (L,)
    mean: Floats  # (L,); infinite where a run did not get there
    error: Floats  # (L,)
    curves: list[Floats]


class Growth(NamedTuple):
    """How the questions grow with 1 / epsilon.

    A power law has the same slope `early` and `late`; the slope of a power of the logarithm falls towards 0.
    """

    power: float  # slope of log questions in log 1 / epsilon
    early: float  # the same over the coarser half of the levels
    late: float  # over the finer half
    per_halving: float  # questions that halving epsilon costs, over the finer half
    fit_power: float  # R^2 of questions = c (1 / epsilon)^power
    fit_log: float  # R^2 of questions = a + b log 1 / epsilon


def questions_needed(
    rule: str, dimension: int = 3, levels: Sequence[float] = LEVELS, runs: int = 16, most: int = 2000, seed: int = 0
) -> QuestionsNeeded:
    """Questions that a strategy needs on random truths.

    >>> result = questions_needed("random", levels=(0.3, 0.2), runs=2)
    >>> bool(result.mean[0] <= result.mean[1])
    True
    """
    if not (dimension >= 2 and runs >= 2 and all(0 < level < 0.5 for level in levels)):
        raise SettingError(f"dimension and runs must be at least 2, levels between 0 and 0.5; got {dimension}, {runs}")
    ordered = np.sort(np.asarray(levels, dtype=float))[::-1]
    curves = [error_curve(rule, dimension, float(ordered[-1]), most, seed * 1009 + run) for run in range(runs)]
    first = np.array([[_first(curve, level) for level in ordered] for curve in curves])  # (R, L)
    return QuestionsNeeded(rule, ordered, first.mean(axis=0), first.std(axis=0, ddof=1) / np.sqrt(runs), curves)


def growth(levels: Floats, questions: Floats) -> Growth:
    """Slopes of a curve of questions.

    >>> levels = np.array([0.2, 0.1, 0.05, 0.025])
    >>> found = growth(levels, 3 / levels)
    >>> round(found.power, 6), round(found.early, 6), round(found.late, 6)
    (1.0, 1.0, 1.0)
    """
    x, y = np.log(1 / np.asarray(levels)), np.asarray(questions, dtype=float)
    middle = len(x) // 2
    parts = [slice(0, middle + 1), slice(middle, None)] if len(x) > 3 else [slice(None)] * 2
    power, early, late = (float(np.polyfit(x[part], np.log(y[part]), 1)[0]) for part in [slice(None), *parts])
    slope, start = np.polyfit(x, y, 1)
    exponent, scale = np.polyfit(x, np.log(y), 1)
    halving = float(np.polyfit(x[parts[1]], y[parts[1]], 1)[0] * np.log(2))
    return Growth(
        power, early, late, halving, _explained(y, np.exp(scale + exponent * x)), _explained(y, start + slope * x)
    )


def compare(
    dimension: int = 3, runs: int = 16, seed: int = 0, **settings: Any
) -> dict[str, tuple[QuestionsNeeded, Growth]]:
    """NDBAL and random side by side."""
    results = {
        rule: questions_needed(rule, dimension, runs=runs, seed=seed, **settings) for rule in ("ndbal", "random")
    }
    return {rule: (found, growth(found.levels, found.mean)) for rule, found in results.items()}


def _first(curve: Floats, level: float) -> float:
    below = np.flatnonzero(curve <= level)
    return float(below[0]) if len(below) else inf


def _explained(y: Floats, fitted: Floats) -> float:
    return float(1 - ((y - fitted) ** 2).sum() / ((y - y.mean()) ** 2).sum())
