"""Every formula of split against a double loop over pairs of structures."""

from __future__ import annotations

import sys
from dataclasses import replace
from math import exp, inf

import numpy as np
import pytest

from askwise.distances import Dense, TableDistance
from askwise.losses import davidson, logistic, softmax
from askwise.problem import Problem
from askwise.strategies.split import average_diameter, split, splitting_index
from askwise.types import Sample
from tests.helpers import exact_sample, generator, label_problem, random_distances, score_problem

CASES = [("labels", labels, beta) for labels in (2, 3, 4) for beta in (0.5, 2.0, 4.0, inf)]
CASES += [("logistic", 2, beta) for beta in (0.5, 1.0, 2.0, 4.0)]
CASES += [("davidson", 3, beta) for beta in (0.5, 1.0, 4.0)]
cases = pytest.mark.parametrize(("kind", "labels", "beta"), CASES)


def make(kind, labels, beta, rng):
    if kind == "labels":
        return label_problem(rng, labels, beta)
    if kind == "logistic":
        return score_problem(rng, beta)
    return score_problem(rng, beta, davidson(0.7), (1, -1, 0))


def kept(kind, z, y, beta):
    """exp(-beta * loss), written out."""
    if kind == "labels":
        return 1.0 if z == y else 0.0 if beta == inf else exp(-beta)
    if kind == "logistic":
        return (1 / (1 + exp(-y * z))) ** beta
    odds = {1: exp(z / 2), -1: exp(-z / 2), 0: 0.7}
    return (odds[y] / sum(odds.values())) ** beta


def brute(kind, problem, weights, exact):
    """(surviving (Y, A), chance (Y, A), average split (A,), expected diameter (A,), diameter) by loops."""
    table, apart, codes = problem.family.table, problem.distance.table, problem.family.responses(None)
    size, atoms = table.shape
    surviving, chance = np.zeros((len(codes), atoms)), np.zeros((len(codes), atoms))
    expected = np.zeros(atoms)
    diameter = sum(weights[g] * weights[h] * apart[g, h] for g in range(size) for h in range(size))
    for a in range(atoms):
        for row, y in enumerate(codes):
            mass = [weights[g] * kept(kind, table[g, a], y, problem.beta) for g in range(size)]
            pairs = 0.0
            for g in range(size):
                total = sum(kept(kind, table[g, a], other, problem.beta) for other in codes)
                chance[row, a] += mass[g] / total
                for h in range(size):
                    surviving[row, a] += mass[g] * mass[h] * apart[g, h]
                    pairs += mass[g] * mass[h] if exact or g != h else 0.0
            expected[a] += chance[row, a] * (surviving[row, a] / pairs if pairs > 0 else 0.0)
    return surviving, chance, 1 - surviving.max(axis=0) / diameter, expected, diameter


@cases
def test_exact_weights(kind, labels, beta):
    for trial in range(3):
        problem, prior = make(kind, labels, beta, generator(10, trial))
        sample = exact_sample(prior)
        found = split(problem, sample, np.arange(6))
        surviving, chance, average, expected, diameter = brute(kind, problem, sample.weights, exact=True)
        assert found.surviving == pytest.approx(surviving, abs=1e-12)
        assert found.chance == pytest.approx(chance, abs=1e-12)
        assert found.chance.sum(axis=0) == pytest.approx(np.ones(6), abs=1e-12)
        assert found.average_split() == pytest.approx(average, abs=1e-12)
        assert found.expected_diameter() == pytest.approx(expected, abs=1e-12)
        assert found.diameter == pytest.approx(diameter, abs=1e-12)
        assert average_diameter(Dense(problem.distance.table), sample.weights, exact=True) == pytest.approx(
            diameter, abs=1e-12
        )


@cases
def test_draws_leave_out_their_distance_to_themselves(kind, labels, beta):
    problem, prior = make(kind, labels, beta, generator(11))
    weights = np.full(9, 1 / 9)
    _, chance, average, expected, diameter = brute(kind, problem, weights, exact=False)
    found = split(problem, Sample(prior.structures, weights, exact=False), np.arange(6))
    assert found.expected_diameter() == pytest.approx(expected, abs=2e-6)  # draws are scored in 32 bits
    assert found.average_split() == pytest.approx(average, abs=2e-6)
    assert found.chance == pytest.approx(chance, abs=2e-6)
    form = Dense(problem.distance.table)
    assert average_diameter(form, weights, exact=False) == pytest.approx(diameter * 9 / 8, abs=1e-12)
    assert average_diameter(form, prior.weights, exact=False) == pytest.approx(
        prior.weights @ problem.distance.table @ prior.weights / (1 - (prior.weights**2).sum()), abs=1e-12
    )


def test_draws_are_unbiased():
    """The mean over many samples of the corrected diameter is the posterior's own."""
    rng = generator(12)
    problem, prior = label_problem(rng)
    exact = average_diameter(Dense(problem.distance.table), prior.weights, exact=True)
    draws = rng.choice(9, (4000, 5), p=prior.weights)
    found = np.array(
        [average_diameter(Dense(problem.distance.pairwise(d)), np.full(5, 0.2), exact=False) for d in draws]
    )
    assert abs(found.mean() - exact) < 4 * found.std() / np.sqrt(len(found))
    assert abs(0.8 * found.mean() - exact) > 4 * found.std() / np.sqrt(len(found))  # what it would be uncorrected


def test_two_sided_shortcut_is_the_plain_way():
    plain = replace(logistic, proper=False)
    for trial in range(20):
        problem, prior = score_problem(generator(13, trial))
        sample = exact_sample(prior)
        fast, slow = (split(p, sample, np.arange(6)) for p in (problem, replace(problem, loss=plain)))
        for part in ("surviving", "mass", "squared", "chance"):
            assert getattr(fast, part) == pytest.approx(getattr(slow, part), abs=1e-13)
        assert fast.expected_diameter() == pytest.approx(slow.expected_diameter(), abs=1e-12)


class Scores:
    """A finite family with three scores for every structure and atom."""

    def __init__(self, scores):
        self.scores = scores

    def draw_atoms(self, count, rng):
        return np.arange(self.scores.shape[1])

    def predict(self, structures, atoms):
        return self.scores[np.asarray(structures)[:, None], np.asarray(atoms)[None, :]]

    def decide(self, predictions):
        return predictions.argmax(axis=-1)

    def responses(self, predictions):
        return [0, 1, 2]


@pytest.mark.parametrize("beta", [0.5, 1.0, 4.0])
def test_softmax_of_three_labels(beta):
    rng = generator(14)
    scores, weights = rng.standard_normal((6, 4, 3)), rng.dirichlet(np.ones(6))
    apart = random_distances(rng, 6)
    problem = Problem(Scores(scores), TableDistance(apart), softmax, beta)
    found = split(problem, Sample(np.arange(6), weights, exact=True), np.arange(4))
    shares = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    powers = shares**beta
    for y in range(3):
        mass = weights[:, None] * powers[..., y]
        assert found.surviving[y] == pytest.approx(np.einsum("sa,st,ta->a", mass, apart, mass), abs=1e-12)
        assert found.chance[y] == pytest.approx(weights @ (powers[..., y] / powers.sum(axis=-1)), abs=1e-12)


@pytest.mark.parametrize("block", [1, 4, 5, 6])
def test_blocks_of_atoms_make_no_difference(block, monkeypatch):
    for problem, prior in (score_problem(generator(17)), label_problem(generator(17), 3, 2.0)):
        at_once = split(problem, exact_sample(prior), np.arange(6))
        monkeypatch.setattr(sys.modules[split.__module__], "MIN_ATOMS_PER_BLOCK", block)
        for part, expected in zip(split(problem, exact_sample(prior), np.arange(6)), at_once, strict=True):
            assert part == pytest.approx(expected, abs=1e-15)
        monkeypatch.undo()


def test_nothing_left_to_split():
    problem, _ = label_problem(generator(15))
    one = Sample(np.array([3]), np.ones(1), exact=True)
    found = split(problem, one, np.arange(6))
    assert (found.average_split() == 0).all()
    assert (found.expected_diameter() == 0).all()
    assert average_diameter(Dense(np.zeros((1, 1))), np.ones(1), exact=False) == 0.0


def test_splitting_index_is_a_share():
    problem, prior = label_problem(generator(16))
    sample = exact_sample(prior)
    average = split(problem, sample, np.arange(6)).average_split()
    for rho in np.linspace(0.05, 0.9, 9):
        assert splitting_index(problem, sample, np.arange(6), rho) == sum(a >= rho for a in average) / 6
