"""Problem: likelihoods, chances, and the betas that make no posterior."""

from __future__ import annotations

from math import inf, log, nan

import numpy as np
import pytest

from askwise.errors import SettingError
from askwise.losses import davidson, logistic, squared, zero_one
from askwise.problem import Problem, noise_beta, potential
from tests.helpers import generator, label_problem, score_problem


@pytest.mark.parametrize("beta", [0.5, 2.0, 4.0, 50.0])
@pytest.mark.parametrize("labels", [2, 3, 4])
def test_chances_by_hand(labels, beta):
    problem, _ = label_problem(generator(1, labels), labels, beta)
    predictions = problem.family.table
    chances = problem.chances(predictions)
    right = 1 / (1 + (labels - 1) * np.exp(-beta))
    for y in range(labels):
        expected = np.where(predictions == y, right, (1 - right) / (labels - 1))
        assert chances[y] == pytest.approx(expected, rel=1e-12)


def test_likelihood_of_the_fast_way_is_that_of_the_plain_way():
    problem, _ = score_problem(generator(2))
    predictions = problem.family.table
    for y in (-1, 1):
        plain = np.exp(-potential(problem.family, logistic, 1.0, predictions, y))
        assert problem.likelihood(predictions, y) == pytest.approx(plain, rel=1e-13)
    assert problem.chances(predictions).sum(axis=0) == pytest.approx(np.ones(predictions.shape))


def test_infinite_beta_is_zero_or_one():
    problem, _ = label_problem(generator(3), 3, inf)
    kept = problem.likelihood(problem.family.table, 1)
    assert (kept == (problem.family.table == 1)).all()


def test_normalised():
    assert score_problem(generator(4))[0].normalised
    assert score_problem(generator(4), loss=davidson(), responses=(1, -1, 0))[0].normalised
    assert not score_problem(generator(4), beta=2.0)[0].normalised
    assert not label_problem(generator(4), beta=1.0)[0].normalised


@pytest.mark.parametrize("beta", [0.0, -1.0, nan])
def test_refuses_beta(beta):
    problem, _ = label_problem(generator(5))
    with pytest.raises(SettingError, match=r"beta is .*; expected a number above 0"):
        Problem(problem.family, problem.distance, zero_one, beta)


@pytest.mark.parametrize("loss", [logistic, davidson(), squared], ids=lambda loss: loss.name)
def test_refuses_infinite_beta_without_decisions(loss):
    problem, _ = label_problem(generator(6))
    with pytest.raises(SettingError, match="needs the zero_one loss"):
        Problem(problem.family, problem.distance, loss, inf)


@pytest.mark.parametrize("responses", [2, 3, 7])
@pytest.mark.parametrize("noise", [0.01, 0.1, 0.3])
def test_noise_beta_is_bayes_rule(noise, responses):
    beta = noise_beta(noise, responses)
    assert 1 / (1 + (responses - 1) * np.exp(-beta)) == pytest.approx(1 - noise)
    assert noise_beta(noise) == pytest.approx(log((1 - noise) / noise))


@pytest.mark.parametrize(("noise", "responses"), [(0.5, 2), (-0.1, 2), (1.0, 3), (nan, 2), (0.0, 1), (0.1, 0)])
def test_noise_beta_refuses(noise, responses):
    with pytest.raises(SettingError):
        noise_beta(noise, responses)


def test_frozen():
    problem, _ = label_problem(generator(7))
    with pytest.raises(AttributeError):
        problem.beta = 2.0
