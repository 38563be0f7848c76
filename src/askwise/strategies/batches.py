"""Questions worth asking together: what a candidate still adds once the open questions have their answers.

Nobody knows these answers yet, so scenarios stand for them. Some dozens of draws of the posterior are each taken for
the truth and answer every open question; truths that answer alike share a scenario. A scenario holds the draws
reweighed by its answers, or fresh draws where reweighing leaves too few. A candidate's gain is the mean over the
scenarios.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from askwise.posteriors import Posterior, update_all
from askwise.problem import Problem
from askwise.strategies import Strategy
from askwise.structures import DrawsResponses, HasCosts
from askwise.types import Answer, Atoms, Floats, Sample, Scored, Structures

TRUTHS = 32  # draws that answer the open questions
MIN_EFFECTIVE_DRAWS = 50  # or a quarter of all, if that is less: below, a scenario draws afresh
MAX_SCORED_DRAWS = 6400  # in all scenarios together
MIN_DRAWS_PER_SCENARIO = 200  # where there are more
EXHAUSTIVE_SCENARIOS = 4  # that score all candidates
SHORTLIST = 256  # candidates that the other scenarios score


@dataclass(frozen=True)
class Scenario:
    """One way in which the open questions may be answered, and what would be believed then."""

    truths: Structures  # the structures that answer so
    sample: Sample  # reweighed by the answers, or drawn after them
    posterior: Posterior  # updated with all answers but these:
    pending: tuple[Answer, ...] = ()


def initial_scenarios(posterior: Posterior, sample: Sample, rng: Generator) -> list[Scenario]:
    """Before any open question: a single scenario whose truths are spread evenly over the sample.

    >>> from askwise.losses import zero_one
    >>> from askwise.posteriors.enumerated import Enumerated
    >>> from askwise.structures.finite import Finite
    >>> prior = Enumerated.prior(Finite([[0], [1]]), np.arange(2), zero_one, weights=[0.25, 0.75])
    >>> rng = np.random.default_rng(0)
    >>> np.bincount(initial_scenarios(prior, prior.sample(2, rng), rng)[0].truths)
    array([ 8, 24])
    """
    levels = (rng.random() + np.arange(TRUTHS)) / TRUTHS
    places = np.searchsorted(np.cumsum(sample.weights), levels)
    truths = sample.structures[np.minimum(places, len(sample.weights) - 1)]
    return [Scenario(truths, sample, posterior)]


def extend_scenarios(problem: Problem, scenarios: Sequence[Scenario], atom: Any, rng: Generator) -> list[Scenario]:
    """The scenarios after one more open question, about `atom`.

    >>> from askwise.distances import TableDistance
    >>> from askwise.losses import zero_one
    >>> from askwise.posteriors.enumerated import Enumerated
    >>> from askwise.structures.finite import Finite
    >>> problem = Problem(Finite([[0, 0], [0, 1]]), TableDistance(1.0 - np.eye(2)), zero_one, float("inf"))
    >>> prior = Enumerated.prior(problem.family, np.arange(2), zero_one, float("inf"))
    >>> rng = np.random.default_rng(0)
    >>> scenarios = initial_scenarios(prior, prior.sample(2, rng), rng)
    >>> [len(scenario.truths) for scenario in extend_scenarios(problem, scenarios, 1, rng)]
    [16, 16]
    """
    return [after for before in scenarios for after in _answered(problem, before, np.asarray(atom), rng)]


def score_scenarios(
    rule: Strategy, problem: Problem, scenarios: Sequence[Scenario], atoms: Atoms, rng: Callable[[], Generator]
) -> Scored:
    """The strategy's mean gain of each atom. The likeliest scenarios score all atoms, the others the best of these.

    `rng` makes equal generators: all scenarios get the same random numbers, so a random strategy is random once.
    """
    max_draws = max(MAX_SCORED_DRAWS // len(scenarios), MIN_DRAWS_PER_SCENARIO)
    ordered = sorted(scenarios, key=lambda scenario: -len(scenario.truths))

    def mean_gain(some: Sequence[Scenario], over: Atoms) -> Floats:
        total = np.zeros(len(over))
        for scenario in some:
            sample = subsample(scenario.sample, max_draws)
            total += len(scenario.truths) / TRUTHS * rule(problem, Resampled(sample), sample, over, rng()).gain
        return total

    gains = mean_gain(ordered[:EXHAUSTIVE_SCENARIOS], atoms)
    short = np.argsort(-per_cost(problem, gains, atoms), kind="stable")[:SHORTLIST]
    if not gains[short].all():  # a strategy that names one atom ranks no others
        short = np.arange(len(atoms))
    total = np.zeros(len(atoms))
    total[short] = gains[short] + mean_gain(ordered[EXHAUSTIVE_SCENARIOS:], atoms[short])
    return Scored(total, {"branches": len(scenarios)})


def per_cost(problem: Problem, gains: Floats, atoms: Atoms) -> Floats:
    """(A,) -> (A,): the gain per unit of cost, where answers have a cost.

    >>> from askwise.distances.columns import BestColumn
    >>> from askwise.structures.matrices import Matrices, gaussian
    >>> problem = Problem(Matrices((1, 2), costs=[1.0, 2.0]), BestColumn(), gaussian)
    >>> per_cost(problem, np.array([0.4, 0.4]), np.array([[0, 0], [0, 1]]))
    array([0.4, 0.2])
    """
    return gains / problem.family.cost(atoms) if isinstance(problem.family, HasCosts) else gains


@dataclass(frozen=True)
class Resampled:
    """A scenario's draws as the posterior of a strategy that wants more of them.

    >>> drawn = Sample(np.arange(2), np.array([0.0, 1.0]), exact=False)
    >>> Resampled(drawn).sample(3, np.random.default_rng(0)).structures
    array([1, 1, 1])
    """

    drawn: Sample

    def sample(self, count: int, rng: Generator) -> Sample:
        places = rng.choice(len(self.drawn.weights), count, p=self.drawn.weights)
        return Sample(self.drawn.structures[places], np.full(count, 1 / count), exact=False)


def subsample(sample: Sample, max_draws: int) -> Sample:
    """At most `max_draws` draws, in proportion to their weights; most of the light ones are left out.

    >>> fewer = subsample(Sample(np.arange(4), np.array([0.64, 0.3, 0.04, 0.02]), exact=True), 3)
    >>> fewer.structures, fewer.weights.round(2)
    (array([0, 1]), array([0.67, 0.33]))
    """
    if len(sample.weights) <= max_draws:
        return sample
    counts = np.diff(np.ceil(np.cumsum(sample.weights) * max_draws - 0.5), prepend=0.0)
    kept = np.flatnonzero(counts)
    return Sample(sample.structures[kept], counts[kept] / counts.sum(), exact=False)


def effective_size(weights: Floats) -> float:
    """The effective sample size: how many equal weights are worth as much as these (S,).

    >>> effective_size(np.array([0.5, 0.5, 0.0]))
    2.0
    """
    squares = float(weights @ weights)
    return float(weights.sum()) ** 2 / squares if squares else 0.0


def has_enough_draws(weights: Floats) -> bool:
    """Whether reweighed draws (S,) still say enough to choose a question.

    >>> has_enough_draws(np.array([0.9, 0.9, 0.1])), has_enough_draws(np.zeros(3))
    (True, False)
    """
    return effective_size(weights) >= min(MIN_EFFECTIVE_DRAWS, len(weights) / 4)


def _answered(problem: Problem, before: Scenario, atom: Any, rng: Generator) -> Iterator[Scenario]:
    """One scenario for each answer that some of the truths give."""
    predictions = problem.family.predict(before.sample.structures, atom[None])
    responses = _simulated_responses(problem, problem.family.predict(before.truths, atom[None]), rng)
    for response in dict.fromkeys(responses):
        truths = before.truths[np.flatnonzero([own == response for own in responses])]
        weights = before.sample.weights * problem.likelihood(predictions, response)[:, 0]
        after = replace(before, truths=truths, pending=(*before.pending, Answer(atom, response)))
        if before.sample.exact or has_enough_draws(weights):
            yield replace(after, sample=before.sample._replace(weights=weights / weights.sum()))
        else:
            yield _with_fresh_draws(after, rng)


def _with_fresh_draws(scenario: Scenario, rng: Generator) -> Scenario:
    """The same scenario with draws of the posterior that was updated with all its answers."""
    posterior = update_all(scenario.posterior, scenario.pending, rng)
    count = min(len(scenario.sample.weights), MIN_DRAWS_PER_SCENARIO)
    return Scenario(scenario.truths, posterior.sample(count, rng), posterior)


def _simulated_responses(problem: Problem, predictions: Floats, rng: Generator) -> list[Any]:
    """(K,): what each of K truths answers."""
    if isinstance(problem.family, DrawsResponses):
        return list(problem.family.draw_responses(predictions, rng)[:, 0].tolist())
    chances = problem.chances(predictions)[:, :, 0]  # (Y, K)
    count = chances.shape[1]
    levels = (rng.permutation(count) + rng.random(count)) / count  # spread evenly
    places = (levels > np.cumsum(chances, axis=0)[:-1]).sum(axis=0)
    responses = list(problem.family.responses(predictions))
    return [responses[place] for place in places]
