"""Expected: the gain is what enumerating the answers and updating on each gives."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from askwise.distances.fairness import EqualOpportunity
from askwise.distances.labels import Disagreement
from askwise.errors import AnswerError
from askwise.losses import davidson, logistic
from askwise.problem import Problem
from askwise.strategies.baselines import margin
from askwise.strategies.expected import asks_even_bets, expected, expected_margin
from askwise.structures.linear import RowScores
from askwise.types import Answer, Sample
from tests.helpers import SampledPosterior, exact_sample, generator, label_problem, score_problem

CASES = [("labels", labels, beta) for labels in (2, 3, 4) for beta in (0.5, 2.0, 4.0, inf)]
CASES += [("logistic", 2, 1.0), ("logistic", 2, 2.0), ("davidson", 3, 1.0), ("davidson", 3, 0.5)]


def diameter(problem, posterior):
    return posterior.weights @ problem.distance.table @ posterior.weights


@pytest.mark.parametrize(("kind", "labels", "beta"), CASES)
def test_equals_the_enumerated_expectation(kind, labels, beta):
    if kind == "labels":
        problem, prior = label_problem(generator(90), labels, beta)
    elif kind == "logistic":
        problem, prior = score_problem(generator(90), beta, logistic)
    else:
        problem, prior = score_problem(generator(90), beta, davidson(2.0), (1, -1, 0))
    chances = problem.chances(problem.family.table)  # (Y, G, A)
    after = np.zeros(6)
    for row, y in enumerate(problem.family.responses(None)):
        for a in range(6):
            try:
                posterior = prior.update(Answer(a, y), None)
            except AnswerError:  # nobody would give this answer
                assert prior.weights @ chances[row, :, a] == 0
                continue
            after[a] += prior.weights @ chances[row, :, a] * diameter(problem, posterior)
    scored = expected(problem, prior, exact_sample(prior), np.arange(6), None)
    assert scored.gain == pytest.approx(np.maximum(diameter(problem, prior) - after, 0.0), abs=1e-12)
    assert scored.info["diameter"] == pytest.approx(diameter(problem, prior), abs=1e-12)


def test_many_draws_agree_with_enumeration():
    problem, prior = label_problem(generator(91), 3, 2.0)
    exact = expected(problem, prior, exact_sample(prior), np.arange(6), None).gain
    found = np.array(
        [
            expected(
                problem, prior, SampledPosterior(prior.weights).sample(300, generator(92, i)), np.arange(6), None
            ).gain
            for i in range(60)
        ]
    )
    allowed = 5 * found.std(axis=0) / np.sqrt(len(found)) + 1e-6  # 5: the ratio leaves a bias of order 1 / 300
    assert (np.abs(found.mean(axis=0) - exact) < allowed).all()


def test_one_structure_left_is_no_gain():
    problem, prior = label_problem(generator(93))
    for exact in (True, False):
        sample = Sample(np.array([2]), np.ones(1), exact=exact)
        assert (expected(problem, prior, sample, np.arange(6), None).gain == 0).all()


# ------------------------------------------------------------------ times the margin


def label_scores(rows, draws, distance=Disagreement):
    """A problem about the labels of rows, and draws of their scores."""
    family = RowScores(rows)
    scores = 3 * generator(93).standard_normal((draws, rows)) + np.linspace(-4, 4, rows)
    sample = Sample(scores, np.full(draws, 1 / draws), exact=False)
    return Problem(family, distance(family, np.arange(rows)), logistic), sample


def test_of_two_labels_the_gain_counts_by_the_margin():
    problem, sample = label_scores(12, 150)
    atoms = np.arange(12)
    scored = expected_margin(problem, None, sample, atoms, None)
    gain, even = (rule(problem, None, sample, atoms, None).gain for rule in (expected, margin))
    assert scored.gain == pytest.approx(gain * even, abs=1e-12)
    assert not np.allclose(scored.gain, gain)


@pytest.mark.parametrize("labels", [2, 3])
def test_of_other_distances_and_answers_it_is_expected(labels):
    problem, prior = label_problem(generator(90), labels, 2.0)
    scored, known = (
        rule(problem, prior, exact_sample(prior), np.arange(6), None) for rule in (expected_margin, expected)
    )
    assert scored.gain.tolist() == known.gain.tolist()
    assert not asks_even_bets(problem)


def test_it_is_expected_where_groups_should_be_treated_alike():
    group = np.arange(12) % 2 == 0
    problem, sample = label_scores(12, 150, lambda family, rows: EqualOpportunity(family, rows, group, 1.0))
    scored, known = (rule(problem, None, sample, np.arange(12), None) for rule in (expected_margin, expected))
    assert scored.gain.tolist() == known.gain.tolist()
