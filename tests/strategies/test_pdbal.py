"""PDBAL: the score is what loops over three structures and all answers give."""

from __future__ import annotations

from math import e, exp, log, pi, sqrt

import numpy as np
import pytest

from askwise.distances import Custom, TableDistance
from askwise.errors import StrategyError
from askwise.losses import davidson, logistic, softmax
from askwise.problem import Problem
from askwise.strategies import strategy
from askwise.strategies.normal_triples import surviving_triples
from askwise.strategies.pdbal import _useless, pdbal
from askwise.structures.matrices import Matrices, gaussian, pack
from askwise.types import Sample
from tests.helpers import exact_sample, generator, label_problem, random_distances, score_problem
from tests.strategies.test_split import Scores

CASES = [("labels", labels, beta) for labels in (2, 3) for beta in (0.5, 2.0, np.inf)]
CASES += [("logistic", 2, 1.0), ("logistic", 2, 2.0), ("davidson", 3, 1.0), ("davidson", 3, 0.5)]


def left_by_loops(chances, weights, apart):
    """(A,): E d(g, h) p_g(y) p_h(y) p_t(y) e^(2 H_t)."""
    answers, size, atoms = chances.shape
    left = np.zeros(atoms)
    for a in range(atoms):
        for t in range(size):
            entropy = -sum(p * log(p) for p in chances[:, t, a] if p > 0)
            for y in range(answers):
                for g in range(size):
                    for h in range(size):
                        triple = weights[g] * weights[h] * weights[t] * apart[g, h] * exp(2 * entropy)
                        left[a] += triple * chances[y, g, a] * chances[y, h, a] * chances[y, t, a]
    return left


@pytest.mark.parametrize(("kind", "labels", "beta"), CASES)
def test_equals_the_loop_over_triples(kind, labels, beta):
    if kind == "labels":
        problem, prior = label_problem(generator(400), labels, beta)
    elif kind == "logistic":
        problem, prior = score_problem(generator(400), beta, logistic)
    else:
        problem, prior = score_problem(generator(400), beta, davidson(2.0), (1, -1, 0))
    chances, apart = problem.chances(problem.family.table), problem.distance.table
    left = left_by_loops(chances, prior.weights, apart)
    found = pdbal(problem, prior, exact_sample(prior), np.arange(6), None)
    useless = _useless(len(chances)) * (prior.weights @ apart @ prior.weights)
    assert found.gain == pytest.approx(useless - left, abs=1e-12)
    even = Sample(prior.structures, np.full(9, 1 / 9), exact=False)  # draws: the pair are two different ones
    left, pairs = left_by_loops(chances, even.weights, apart), 1 - 1 / 9
    useless = _useless(len(chances)) * (even.weights @ apart @ even.weights) / pairs
    found = pdbal(problem, prior, even, np.arange(6), None)
    assert found.gain == pytest.approx(np.maximum(useless - left / pairs, 0.0), abs=2e-6)  # scored in 32 bits


def test_softmax_of_three_labels():
    rng = generator(401)
    scores, weights, apart = rng.standard_normal((6, 4, 3)), rng.dirichlet(np.ones(6)), random_distances(rng, 6)
    problem = Problem(Scores(scores), TableDistance(apart), softmax)
    chances = np.moveaxis(np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True), -1, 0)
    found = pdbal(problem, None, Sample(np.arange(6), weights, exact=True), np.arange(4), None)
    useless = _useless(3) * (weights @ apart @ weights)
    assert found.gain == pytest.approx(useless - left_by_loops(chances, weights, apart), abs=1e-12)


def closed_form(means, precision, weights, apart, distinct):
    """(A,): the mean over triples, by the integral of three normal densities."""
    size, left, mass = len(means), np.zeros(means.shape[1]), 0.0
    for g in range(size):
        for h in range(size):
            for t in range(size):
                if distinct and len({g, h, t}) < 3:
                    continue
                chance = weights[g] * weights[h] * weights[t]
                mass += chance
                one, two, three = precision[[g, h, t]]
                total = one + two + three
                spread = one * two * (means[g] - means[h]) ** 2 + one * three * (means[g] - means[t]) ** 2
                spread += two * three * (means[h] - means[t]) ** 2
                density = sqrt(one * two * three / total) / (2 * pi) * np.exp(-spread / total / 2)
                left += chance * apart[g, h] * density * 2 * pi * e / three  # e^(2 H) of a normal answer
    return left / mass


@pytest.mark.parametrize("noise", [1e-6, 0.05, 0.5, 5.0, 1e6])
@pytest.mark.parametrize("distinct", [True, False])
def test_normal_answers_have_the_closed_form(noise, distinct):
    rng = generator(402, distinct)
    means, precision = 100.0 + rng.standard_normal((12, 5)), rng.gamma(4.0, 0.25, size=12) / noise**2
    weights, apart = rng.dirichlet(np.ones(12)), random_distances(rng, 12)
    wanted = closed_form(means, precision, weights, apart, distinct)
    fine = surviving_triples(means, precision, weights, apart, distinct, step=0.25)
    assert fine == pytest.approx(wanted, rel=5e-3, abs=2e-5)  # draws beyond the reach are left out
    found = surviving_triples(means, precision, weights, apart, distinct)
    assert found == pytest.approx(wanted, rel=2e-2, abs=2e-4)


def test_normal_answers_agree_with_a_dense_quadrature():
    rng = generator(403)
    means, precision = rng.standard_normal((9, 4)), rng.gamma(4.0, 0.5, size=9)
    weights, apart = np.full(9, 1 / 9), random_distances(rng, 9)
    answers = np.linspace(-12, 12, 4001)
    off = answers[:, None, None] - means
    densities = np.sqrt(precision / (2 * pi))[:, None] * np.exp(-precision[:, None] / 2 * off**2) * weights[:, None]
    third = (densities * (2 * pi * e / precision)[:, None]).sum(axis=1)
    pair = np.einsum("ysa,st,yta->ya", densities, apart, densities)
    wanted = (pair * third).sum(axis=0) * (answers[1] - answers[0])
    assert surviving_triples(means, precision, weights, apart, False) == pytest.approx(wanted, rel=1e-2)


def test_an_entry_that_tells_nothing_gains_nothing():
    rng = generator(404)
    matrices = rng.standard_normal((20, 2, 2))
    matrices[:, 0, 0] = 3.0  # all agree
    precision = 25.0 * rng.gamma(2.0, 0.5, size=20)  # some are ten times as sharp as others
    draws = Sample(pack(matrices, precision), np.full(20, 0.05), exact=False)
    problem = Problem(
        Matrices((2, 2)), Custom(lambda g, h: min(1.0, abs(g["matrix"][1, 1] - h["matrix"][1, 1]) / 5)), gaussian
    )
    found = pdbal(problem, None, draws, np.array([[0, 0], [0, 1], [1, 1]]), None)
    assert found.gain[0] == pytest.approx(0.0, abs=1e-6)
    assert found.gain[2] > found.gain[1] > found.gain[0]  # the entry that the distance is about gains most


def test_numbers_without_a_distribution_are_refused():
    class Numbers:
        draw_atoms = predict = decide = lambda *_: np.zeros((0, 1))

        def responses(self, predictions):
            return np.zeros((3, 1))

    problem = Problem(Numbers(), TableDistance(np.zeros((2, 2))), gaussian)
    with pytest.raises(StrategyError, match="Numbers has no normal_answers; choose expected"):
        strategy("pdbal", problem)
