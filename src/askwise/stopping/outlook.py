"""Why a question is asked: how likely each answer is, and what it would settle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from askwise.distances import form_of
from askwise.options import implementing
from askwise.problem import Problem
from askwise.stopping.certificate import Estimate, percent
from askwise.strategies.split import average_diameter
from askwise.structures import DrawsResponses
from askwise.types import Atom, Response, Sample, Structure

SHOWN_QUANTILES = (0.1, 0.5, 0.9)


@dataclass(frozen=True)
class Outlook:
    """One possible answer: its probability, and what would be left undecided and estimated after it.

    >>> print(Outlook("left", 0.7, 0.12, Estimate("tea", None, 0.05)))
    left (70 % likely): undecided 0.120, best guess tea
    """

    response: Response
    chance: float
    diameter: float  # afterwards
    estimate: Estimate  # afterwards

    def __str__(self) -> str:
        guess = str(self.estimate)
        shown = guess if len(guess) <= 60 else f"{guess[:57]}..."
        return f"{self.response} ({percent(self.chance)} likely): undecided {self.diameter:.3f}, best guess {shown}"


def outlook(problem: Problem, sample: Sample, atom: Atom, describe: Callable[[Structure], object]) -> list[Outlook]:
    """One `Outlook` for each response to `atom`; for numbers, at the 10th, 50th and 90th percentile of those expected.

    `describe` turns a structure into what people read.

    >>> from askwise.distances import TableDistance
    >>> from askwise.structures.finite import Finite
    >>> problem = Problem(Finite([[-1.0], [1.0]], responses=[-1, 1]), TableDistance(1.0 - np.eye(2)), beta=2.0)
    >>> half = Sample(np.arange(2), np.full(2, 0.5), exact=True)
    >>> [(found.response, round(found.diameter, 2)) for found in outlook(problem, half, 0, str)]
    [(-1, 0.21), (1, 0.21)]
    """
    predictions = problem.family.predict(sample.structures, np.asarray(atom)[None])
    responses = problem.family.responses(predictions)
    if np.ndim(responses) == 1:
        given = list(responses)
        likely = problem.chances(predictions)[:, :, 0]
    else:
        family = implementing("family", problem.family, DrawsResponses, "one that draws numbers as answers")
        draw = family.draw_responses(predictions, np.random.default_rng(0))
        given = [float(value) for value in np.quantile(draw[:, 0], SHOWN_QUANTILES)]
        likely = np.stack([np.exp(-problem.beta * problem.loss.value(predictions, value)[:, 0]) for value in given])
    form = form_of(problem.distance, sample.structures)
    found = []
    for response, chance in zip(given, likely, strict=True):
        total = float(sample.weights @ chance)
        after = sample.weights * chance / total if total > 0 else sample.weights
        means = form.apply(after)
        best = int(means.argmin())
        guess = Estimate(describe(sample.structures[best]), sample.structures[best], float(means[best]))
        found.append(Outlook(response, total, average_diameter(form, after, sample.exact), guess))
    if np.ndim(responses) == 1:
        return found
    return [Outlook(one.response, 1 / len(found), one.diameter, one.estimate) for one in found]
