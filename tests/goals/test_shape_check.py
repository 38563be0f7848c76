"""The warning of a certificate where a goal was told that features act in straight lines."""

from __future__ import annotations

import numpy as np
import pytest

import askwise
from askwise.goals.base.shape_check import WARNING_ODDS, StraightLineCheck
from askwise.posteriors.scores.kernels import factor, shapes_named
from askwise.types import Answer

ROWS = 12


def choices(utilities, rng, count=60):
    """Which of two random rows is preferred, so often."""
    pairs = [tuple(map(int, rng.choice(ROWS, 2, replace=False))) for _ in range(count)]
    chances = [1 / (1 + np.exp(utilities[j] - utilities[i])) for i, j in pairs]
    return [Answer(pair, 1 if rng.random() < chance else -1) for pair, chance in zip(pairs, chances, strict=True)]


def importance_odds(features, answers, rng, draws=200_000):
    """The odds against straight lines from draws of the prior, weighed by the likelihood: by the definition alone."""
    shapes, weights = shapes_named("learned", has_features=True)
    prior = StraightLineCheck(features)._prior(features)
    scale_weights = np.exp(prior.log_prior[0]) / np.exp(prior.log_prior[0]).sum()
    lapses, lapse_weights = prior.answers.lapses, np.exp(prior.answers.log_lapse_prior)
    evidence = []
    for shape in shapes:
        root = factor(shape, features)
        scales = rng.choice(prior.scale_grid, draws, p=scale_weights)
        scores = rng.standard_normal((draws, root.shape[1])) @ root.T * scales[:, None]
        lapse = rng.choice(lapses, draws, p=lapse_weights)
        likelihood = np.ones(draws)
        for (i, j), sign, *_ in answers:
            likelihood *= (1 - lapse) / (1 + np.exp(-sign * (scores[:, i] - scores[:, j]))) + lapse / 2
        evidence.append(likelihood.mean())
    return float((weights[1:] / weights[1:].sum()) @ evidence[1:] / evidence[0])


@pytest.mark.parametrize("seed", [0, 1])
def test_the_odds_against_an_independent_estimate(seed):
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((ROWS, 1))
    answers = choices(3 * np.cos(2 * features[:, 0]), rng, count=10)
    expected = importance_odds(features, answers, rng)
    found = np.mean([np.log(StraightLineCheck(features).odds(answers, rng)) for _ in range(8)])
    assert found == pytest.approx(np.log(expected), abs=0.5)  # references of large scales can be at a wrong mode


def test_an_ideal_point_is_noticed_and_a_line_is_not():
    rng = np.random.default_rng(2)
    features = np.linspace(-1.5, 1.5, ROWS)[:, None]
    check = StraightLineCheck(features)
    objection = check(choices(-4 * features[:, 0] ** 2, rng), None, rng)
    assert objection is not None
    assert objection.other is None
    assert objection.sentence.endswith('times less well than other shapes: set shape to "learned"')
    straight = choices(3 * features[:, 0], np.random.default_rng(100))  # whatever the check has drawn before
    assert check(straight, None, rng) is None
    assert check([], None, rng) is None


def test_rows_that_were_not_asked_change_little():
    """Of a long table, the rows asked about and some others are looked at."""
    rng = np.random.default_rng(3)
    features = np.concatenate([np.linspace(-1.5, 1.5, ROWS)[:, None], rng.uniform(-1.5, 1.5, (5000, 1))])
    answers = choices(-4 * features[:ROWS, 0] ** 2, rng)
    assert StraightLineCheck(features).odds(answers, rng) > WARNING_ODDS


@pytest.mark.parametrize(
    ("options", "checked"),
    [
        ({"shape": "linear"}, True),
        ({"shape": "linear", "ties": True}, True),
        ({"shape": "linear", "individual": 0.5}, False),
        ({}, False),
    ],
)
def test_only_straight_lines_are_checked(options, checked):
    session = askwise.best_item({"x": [1.0, 2.0, 3.0], "y": [1.0, 4.0, 2.0]}, draws=20, **options)
    assert (session.config.model_check is not None) == checked


def test_a_certificate_warns_and_says_what_to_do():
    table = {"x": np.linspace(-1, 1, 20).tolist()}
    session = askwise.classifier(table, shape="linear", draws=100)
    for row in range(0, 20, 2):
        session.tell("yes" if 6 <= row <= 13 else "no", session.pose(row))
    assert session.certificate().warning.startswith("straight lines explain the answers ")
    assert "But straight lines explain the answers" in str(session.certificate())


def test_rows_that_are_all_the_same_say_nothing():
    same = StraightLineCheck(np.ones((4, 2)))
    assert same.odds([Answer((0, 1), 1)], np.random.default_rng(0)) == 1.0
