"""PDBAL (Tosh, Tec and Tansey 2022): ask what leaves the least distance between two draws after a third one's answer.

A question scores E d(1, 2) p1(y) p2(y) e^(2 H3), where y is the answer of a third draw and H3 the entropy of that
draw's answer: without the factor, questions whose answers are mere noise would look as good as those that tell much.

>>> from askwise.distances import TableDistance
>>> from askwise.losses import zero_one
>>> from askwise.structures.finite import Finite
>>> problem = Problem(Finite([[0, 0], [0, 1]]), TableDistance(1.0 - np.eye(2)), zero_one, beta=3.0)
>>> sample = Sample(np.arange(2), np.full(2, 0.5), exact=True)
>>> pdbal(problem, None, sample, np.arange(2), np.random.default_rng(0)).gain.argmax()
np.int64(1)
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.random import Generator

from askwise.distances import Form, HasMatrix, form_of
from askwise.errors import StrategyError
from askwise.posteriors import Drawn
from askwise.problem import Problem
from askwise.strategies.baselines import entropy
from askwise.strategies.split import average_diameter, blocks, predictions_of
from askwise.structures import Family, HasNormalAnswers
from askwise.types import Atoms, Floats, Sample, Scored


def pdbal(problem: Problem, posterior: Drawn, sample: Sample, atoms: Atoms, rng: Generator) -> Scored:
    """How much less of the average diameter each question leaves than one that tells nothing.

    For normal answers the three draws are different ones, and the integral over the answer is exact to about 0.3 %.
    Where answers can be listed, the third draw may be one of the two, which matters little unless draws are few.
    """
    form = form_of(problem.distance, sample.structures)
    diameter = average_diameter(form, sample.weights, sample.exact)
    if np.ndim(problem.family.responses(problem.family.predict(sample.structures, atoms[:1]))) == 2:
        useless, left = _left_by_numbers(problem, sample, atoms, form)
    else:
        share, left = _left_by_choices(problem, sample, atoms, form)
        useless = share * diameter
    return Scored(np.maximum(useless - left, 0.0), {"diameter": diameter})


def _left_by_choices(problem: Problem, sample: Sample, atoms: Atoms, form: Form) -> tuple[float, Floats]:
    """What a useless question leaves at most, as a share, and what each question leaves (A,)."""
    left, count = [], 1
    for some in blocks(atoms, len(sample.weights)):
        chances = problem.chances(predictions_of(problem, sample, some))  # (Y, S, A)
        weights, noise = sample.weights.astype(chances.dtype)[:, None], np.exp(2 * entropy(chances))
        count, total = len(chances), np.zeros(len(some))
        for chance in chances:
            held = weights * chance
            total += np.asarray(form.quadratic(held), dtype=float) * (held * noise).sum(axis=0)
        left.append(total)
    pairs = 1.0 if sample.exact else 1.0 - float(sample.weights @ sample.weights)
    return _useless(count), np.concatenate(left) / (pairs if pairs > 0 else 1.0)


def _left_by_numbers(problem: Problem, sample: Sample, atoms: Atoms, form: Form) -> tuple[float, Floats]:
    """What a question leaves to which all draws expect the same answer, and what each question leaves (A,)."""
    from askwise.strategies.normal_triples import surviving_triples

    family = require_normal_answers(problem.family)
    means, precision = family.normal_answers(problem.family.predict(sample.structures, atoms))
    distances = form.to_matrix() if isinstance(form, HasMatrix) else problem.distance.pairwise(sample.structures)
    with_useless = np.column_stack([means, np.zeros(len(means))])
    left = surviving_triples(with_useless, precision, sample.weights, distances, not sample.exact)
    return float(left[-1]), left[:-1]


def require_normal_answers(family: Family) -> HasNormalAnswers:
    """The family, if it says how its answers, which are numbers, are distributed; else it is refused."""
    if not isinstance(family, HasNormalAnswers):
        raise StrategyError(
            f"pdbal needs to know how answers that are numbers are distributed, and {type(family).__name__} has no "
            "normal_answers; choose expected or another strategy"
        )
    return family


@lru_cache(maxsize=8)
def _useless(responses: int) -> float:
    """The largest sum of p^3 e^(2 H), over chances p of which all but one are equal: what an answer leaves that all
    draws give with the same chances. It is 1 for even chances and for certain answers.

    >>> round(_useless(2), 3)
    1.438
    """
    first = np.linspace(1 / responses, 1.0, 1001)
    chances = np.array([first, *[(1 - first) / max(responses - 1, 1)] * (responses - 1)])
    return float(((chances**3).sum(axis=0) * np.exp(2 * entropy(chances))).max())
