"""Simulation-based calibration, in short: the truth is one more draw of the posterior, and a wrong prior shows.

`python -m benchmarks.calibration` is the long form.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from askwise.losses import logistic
from askwise.posteriors.scores.kernels import INDIVIDUAL, LINEAR, Shape, factor
from askwise.posteriors.scores.shaped import ShapedScores
from askwise.structures.choice import ItemScores
from askwise.types import Answer
from benchmarks.calibration import draw_truth, respond, shares_below

SHAPES = (LINEAR, Shape("smooth", linear=0.3, smooth=0.7, length=0.7), INDIVIDUAL)
ROWS, ANSWERS, PEOPLE = 6, 10, 120
LEVEL = 1e-3  # of each test; seeds are fixed


def shares(believed):
    """Quantity -> shares (P,) of people whose learner has the prior that `believed` makes of the true one."""
    found = []
    for seed in range(PEOPLE):
        rng = np.random.default_rng(seed)
        features = rng.standard_normal((ROWS, 2))
        factors = [factor(shape, features) for shape in SHAPES]
        prior = ShapedScores.prior(ItemScores(ROWS), logistic, SHAPES, factors, np.array([0.5, 0.3, 0.2]))
        truth, answers = draw_truth(prior, rng), []
        for _ in range(ANSWERS):
            atom = tuple(sorted(rng.choice(ROWS, 2, replace=False).tolist()))
            answers.append(Answer(atom, respond(prior, truth, atom, rng)))
        posterior = believed(prior)
        for start in range(0, ANSWERS, 5):  # some at once, to be quick
            posterior = posterior.update_all(answers[start : start + 5], rng)
        found.append(shares_below(truth, posterior, answers, rng))
    return {quantity: [each[quantity] for each in found] for quantity in found[0]}


def p_value(found):
    return stats.kstest(found, "uniform").pvalue


def test_shares_below_the_truth_are_uniform():
    assert {
        quantity: p_value(found) > LEVEL for quantity, found in shares(lambda prior: prior).items()
    } == dict.fromkeys(("difference", "scale", "bent", "likelihood", "lapse"), True)


def _large_scales(prior):
    """Twice the weight a step of the grid."""
    tilted = prior.log_prior + np.log(2) * np.arange(prior.log_prior.shape[1])
    return replace(prior, log_prior=tilted, log_weights=tilted.ravel().copy())


def _many_lapses(prior):
    lapses = np.log(prior.answers.log_lapse_prior.size * [1 / prior.answers.log_lapse_prior.size])
    answers = replace(prior.answers, log_lapse_prior=lapses)
    return replace(prior, coordinates=replace(prior.coordinates, answers=answers))


@pytest.mark.parametrize(("believed", "quantity"), [(_large_scales, "scale"), (_many_lapses, "lapse")])
def test_a_wrong_prior_shows(believed, quantity):
    assert p_value(shares(believed)[quantity]) < LEVEL
