"""What may be claimed about an estimate, and on what assumptions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.distances import form_of
from askwise.posteriors import Posterior
from askwise.posteriors.chains import independent_draws
from askwise.problem import Problem
from askwise.structures import LinearFamily
from askwise.types import Answer, Floats, Sample

DELTA = 0.05  # one minus the simulation confidence
DRAWS = 4000  # fresh draws behind a certificate: the bound is then within about .005 of the mean
SURPRISE = 0.01  # answers that fit this badly or worse are warned about
PLAIN = "{what} is at distance {loss:.3f} from the truth (0 is exact, 1 the worst)"


@dataclass(frozen=True)
class Estimate:
    """What is closest on average to what is still plausible. `value` is what to read; `structure` what computes.

    >>> print(Estimate(["tea", "milk"], np.array([1.0, 0.5]), expected_distance=0.02))
    tea, milk
    """

    value: Any
    structure: Any
    expected_distance: float

    def __str__(self) -> str:
        return ", ".join(map(str, self.value)) if isinstance(self.value, list | tuple) else str(self.value)


@dataclass(frozen=True)
class Certificate:
    """What is known about the estimate. Printed, it is one plain sentence that is true under its assumptions.

    >>> from askwise.distances import Tabled
    >>> from askwise.posteriors.enumerated import Enumerated
    >>> from askwise.structures.finite import Finite
    >>> family = Finite([[-1.0], [1.0]], responses=[-1, 1])
    >>> problem = Problem(family, Tabled(1.0 - np.eye(2)))
    >>> prior = Enumerated.prior(family, np.arange(2), problem.loss, weights=[0.1, 0.9])
    >>> print(certify(problem, prior, Estimate("yes", 1, 0.1), [], np.random.default_rng(0)))
    On average over what is still plausible after 0 answers, yes is at distance 0.100 from the truth (0 is exact, 1 the
    worst); it is exactly right with probability 90%.
    """

    estimate: Estimate
    expected_distance: float  # the mean over the posterior of the distance to the estimate
    upper_bound: float  # on that mean, at the simulation confidence
    confidence: float  # that drawing structures did not mislead; 1 if every structure was counted
    probability_exact: float  # that the distance is zero: the very item, the very ranking
    fit: float  # posterior predictive p value of the answers; small: they do not fit the model
    answers: int
    assumptions: tuple[str, ...]
    phrase: str

    @property
    def warning(self) -> str | None:
        """Set when the answers do not fit the model, so that the rest should not be trusted."""
        if self.fit >= SURPRISE:
            return None
        return f"the answers do not fit the model (p = {self.fit:.3f}): look for mistakes or a feature that is missing"

    def __str__(self) -> str:
        named = isinstance(self.estimate.value, str) and len(self.estimate.value) <= 60
        what = self.estimate.value if named else "the estimate"
        claim = self.phrase.format(what=what, loss=self.expected_distance)
        bound = (
            ""
            if self.confidence == 1
            else f", at most {self.upper_bound:.3f} (simulation confidence {self.confidence:.0%})"
        )
        right = percent(self.probability_exact, certain=self.confidence == 1)
        exact = f"; it is exactly right with probability {right}" if self.probability_exact else ""
        warning = f"; but {self.warning}" if self.warning else ""
        after = f"{self.answers} answer{'s' if self.answers != 1 else ''}"
        return f"On average over what is still plausible after {after}, {claim}{bound}{exact}{warning}."


def estimate(problem: Problem, sample: Sample) -> tuple[Any, float]:
    """The structure of the sample with the least mean distance to the others, and that distance; or, where structures
    are weights, their mean, if it is closer still.

    >>> from askwise.structures.finite import Finite
    >>> from askwise.distances import Custom
    >>> problem = Problem(Finite(np.eye(3)), Custom(lambda g, h: abs(g - h) / 2))
    >>> estimate(problem, Sample(np.arange(3), np.full(3, 1 / 3), exact=True))
    (np.int64(1), 0.333...)
    """
    means = form_of(problem.distance, sample.structures).apply(sample.weights)
    best = int(means.argmin())
    found = sample.structures[best], float(means[best])
    if sample.exact or not isinstance(problem.family, LinearFamily):
        return found
    middle = sample.weights @ sample.structures
    apart = float(sample.weights @ problem.distance.paired(_repeat(middle, len(sample.weights)), sample.structures))
    return (middle, apart) if apart < found[1] else found


def certify(
    problem: Problem, posterior: Posterior, found: Estimate, answers: Sequence[Answer], rng: Generator
) -> Certificate:
    """Measures the estimate on fresh draws (it was chosen on others, so the bound holds for it)."""
    sample = posterior.sample(DRAWS, rng)
    losses = problem.distance.paired(_repeat(found.structure, len(sample.weights)), sample.structures)
    mean, worth = float(sample.weights @ losses), independent_draws(losses, sample.chains)
    return Certificate(
        estimate=found,
        expected_distance=mean,
        upper_bound=mean if sample.exact else upper_bound(losses, DELTA, worth),
        confidence=1.0 if sample.exact else 1 - DELTA,
        probability_exact=float(sample.weights @ (losses == 0)),
        fit=predictive_check(problem, sample, answers, rng),
        answers=len(answers),
        assumptions=_assumptions(problem, sample, worth),
        phrase=getattr(problem.distance, "phrase", PLAIN),
    )


def percent(chance: float, certain: bool = False) -> str:
    """A probability for people: 0% and 100% only where it is `certain`, not where it is rounded or was not drawn.

    >>> percent(0.004), percent(0.5), percent(0.996), percent(1.0), percent(1.0, certain=True)
    ('less than 1%', '50%', 'more than 99%', 'more than 99%', '100%')
    """
    if certain and chance in (0, 1):
        return f"{chance:.0%}"
    return "less than 1%" if chance < 0.01 else "more than 99%" if chance > 0.99 else f"{chance:.0%}"


def upper_bound(values: Floats, delta: float, worth: float | None = None) -> float:
    """Above the mean of independent values in [0, 1] with probability 1 - delta (the empirical Bernstein inequality).

    Values that are not independent are taken for as many as they are `worth`.

    >>> round(upper_bound(np.zeros(4000), 0.05), 4), round(upper_bound(np.zeros(4000), 0.05, 400.0), 4)
    (0.0022, 0.0216)
    """
    count, tail = len(values) if worth is None else worth, log(2 / delta)
    bound = values.mean() + sqrt(2 * values.var(ddof=1) * tail / count) + 7 * tail / (3 * (count - 1))
    return min(1.0, float(bound))


def predictive_check(problem: Problem, sample: Sample, answers: Sequence[Answer], rng: Generator) -> float:
    """How often answers made up by the model itself are as unlikely, under the same structure, as those that came."""
    if not answers or np.isinf(problem.beta):
        return 1.0
    atoms = np.stack([np.asarray(answer.atom) for answer in answers])
    given = np.array([answer.response for answer in answers])
    predictions = problem.family.predict(sample.structures, atoms)
    responses = problem.family.responses(predictions)
    if np.ndim(responses) != 1:
        return _worst_number(problem, predictions, sample.weights, given, rng)
    chances = problem.chances(predictions)  # (Y, S, T)
    logs = np.log(np.maximum(chances, 1e-300))
    observed = np.take_along_axis(logs, np.array([list(responses).index(y) for y in given])[None, None, :], axis=0)[0]
    drawn = (rng.random(chances.shape[1:]) > np.cumsum(chances, axis=0)[:-1]).sum(axis=0)
    replicated = np.take_along_axis(logs, drawn[None], axis=0)[0]
    as_unlikely = replicated.sum(axis=1) <= observed.sum(axis=1) + 1e-9
    return float(sample.weights @ as_unlikely)


def _worst_number(problem: Problem, predictions: Floats, weights: Floats, given: Floats, rng: Generator) -> float:
    """The same for answers that are numbers, by the worst of them: learned noise fits any sum, but no mistyped one."""
    draw = getattr(problem.family, "draw_responses", None)  # (S, T): one made-up answer for each structure
    if draw is None:
        return 1.0
    observed, replicated = (problem.loss.value(predictions, y).max(axis=1) for y in (given, draw(predictions, rng)))
    return float(weights @ (replicated >= observed))


def _assumptions(problem: Problem, sample: Sample, worth: float) -> tuple[str, ...]:
    noise = (
        "no answer is wrong"
        if np.isinf(problem.beta)
        else f"answers follow the {problem.loss.name} model, beta {problem.beta:g}"
    )
    if sample.exact:
        counted = "every structure was counted"
    elif sample.chains is None:
        counted = f"the {DRAWS} draws behind it are independent and from the posterior"
    else:
        chains = len(np.unique(sample.chains))
        drawn = f"the {DRAWS} draws of {chains} chains behind it are from the posterior"
        counted = f"{drawn} and worth {worth:.0f} independent ones"
    return (f"the truth is one of the structures of {type(problem.family).__name__}", noise, counted)


def _repeat(structure: Any, count: int) -> Any:
    return np.repeat(np.asarray(structure)[None], count, axis=0)
