"""Expected: the gain is what enumerating the answers and updating on each gives."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from askwise.distances.fairness import EqualOpportunity
from askwise.distances.items import BestItem, ItemRegret
from askwise.distances.labels import Disagreement
from askwise.errors import AnswerError
from askwise.losses import davidson, logistic
from askwise.problem import Problem
from askwise.strategies.baselines import margin
from askwise.strategies.expected import (
    MAX_COUNTED_REGRET,
    MIN_QUESTIONS,
    WIDE,
    asks_even_bets,
    expected,
    expected_capped,
    expected_margin,
)
from askwise.structures.choice import ItemScores, pairs_at
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


# ------------------------------------------------------------------ with a cap on regrets


def item_problem(scores, distance=ItemRegret):
    """A problem about the best item, and all its questions."""
    count = scores.shape[1]
    problem = Problem(ItemScores(count), distance(np.eye(count), scored=True), logistic)
    return problem, pairs_at(np.arange(count * (count - 1) // 2), count)


def test_the_capped_gain_equals_the_enumerated_expectation():
    rng = generator(94)
    scores = np.array([1.0, 0.7, 0.5, 0, -1]) + rng.standard_normal((12, 5))  # every answer is likely enough
    weights = rng.dirichlet(np.ones(12))
    problem, atoms = item_problem(scores)
    distances = np.array([[max(_regret(s, t.argmax()), _regret(t, s.argmax())) for t in scores] for s in scores])
    counted = np.minimum(distances, MAX_COUNTED_REGRET)
    assert weights @ distances @ weights > WIDE
    assert ((distances > 0) & (distances < MAX_COUNTED_REGRET)).any()
    gains = []
    for i, j in atoms:
        chance = 1 / (1 + np.exp(scores[:, j] - scores[:, i]))
        left, right = weights * chance, weights * (1 - chance)
        after = sum(mass @ counted @ mass / mass.sum() for mass in (left, right))
        gains.append(weights @ counted @ weights - after)
    scored = expected_capped(problem, None, Sample(scores, weights, exact=True), atoms, None)
    assert scored.gain == pytest.approx(np.array(gains), abs=1e-6)  # regrets have 32 bits
    assert scored.info["diameter"] == pytest.approx(weights @ distances @ weights, abs=1e-6)


def _regret(scores, item):
    return (scores.max() - scores[item]) / np.ptp(scores)


def test_capped_it_compares_likely_best_items_and_not_good_with_bad_ones():
    scores = np.array([[10.0, 7, 0, 0], [7, 10, 0, 0], [0, 0, 10, 7], [0, 0, 7, 10]])
    problem, atoms = item_problem(scores)
    sample = Sample(scores, np.array([0.4, 0.4, 0.1, 0.1]), exact=True)
    capped, plain = (rule(problem, None, sample, atoms, None).gain for rule in (expected_capped, expected))
    assert atoms[capped.argmax()].tolist() == [0, 1]  # one of the two is the best at 80 %
    assert atoms[plain.argmax()].tolist() == [0, 2]


def test_the_cap_is_lifted_when_the_average_regret_is_small():
    scores = np.array([[10.0, 7, 0, 0], [7, 10, 0, 0], [0, 0, 10, 7], [0, 0, 7, 10]])
    problem, atoms = item_problem(scores)
    sample = Sample(scores, np.array([0.48, 0.48, 0.02, 0.02]), exact=True)
    capped, plain = (rule(problem, None, sample, atoms, None) for rule in (expected_capped, expected))
    assert capped.info["diameter"] < WIDE
    assert capped.gain.tolist() == plain.gain.tolist()


def test_of_other_distances_than_regret_the_cap_changes_nothing():
    scores = 3 * generator(95).standard_normal((600, 31))
    problem, atoms = item_problem(scores, BestItem)
    sample = Sample(scores, np.full(600, 1 / 600), exact=False)
    capped, plain = (rule(problem, None, sample, atoms, generator(96)) for rule in (expected_capped, expected))
    assert capped.info["diameter"] > WIDE
    assert capped.gain.tolist() == plain.gain.tolist()


def test_of_many_questions_the_short_list_has_the_cap_too():
    scores = 3 * generator(97).standard_normal((600, 31)) + np.linspace(0, 9, 31)
    problem, atoms = item_problem(scores)
    sample = Sample(scores, np.full(600, 1 / 600), exact=False)
    listed = expected_capped(problem, None, sample, atoms, generator(98)).gain
    every = np.concatenate(
        [expected_capped(problem, None, sample, atoms[k : k + 93], None).gain for k in range(0, 465, 93)]
    )
    assert len(atoms) > MIN_QUESTIONS
    best = np.argsort(-listed)[:50]
    assert listed[best] == pytest.approx(every[best], abs=1e-6)
    assert every[listed.argmax()] > 0.9 * every.max()
