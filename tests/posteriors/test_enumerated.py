"""The exact posterior against Bayes' rule by enumeration, and at its extremes."""

from __future__ import annotations

from math import exp, inf

import numpy as np
import pytest

from askwise.errors import AnswerError, SettingError
from askwise.losses import davidson, logistic, zero_one
from askwise.posteriors.enumerated import MAX_EXACT_STRUCTURES, Enumerated
from askwise.structures.finite import Finite
from askwise.testing import check_posterior
from askwise.types import Answer
from tests.helpers import chi_square, generator, label_problem, score_problem


def told(posterior, answers):
    for atom, response in answers:
        posterior = posterior.update(Answer(np.asarray(atom), response), None)
    return posterior


@pytest.mark.parametrize("beta", [0.5, 2.0, 4.0, inf])
@pytest.mark.parametrize("labels", [2, 3, 4])
def test_zero_one_updates_are_bayes_rule(labels, beta):
    rng = generator(70, labels)
    problem, prior = label_problem(rng, labels, beta)
    truth = int(rng.choice(9, p=prior.weights))
    atoms = rng.integers(6, size=5)
    answers = [(a, problem.family.table[truth, a]) for a in atoms]
    if beta < inf:
        answers.append((0, (answers[0][1] + 1) % labels))  # a wrong one
    mass = []
    for g in range(9):
        wrong = sum(problem.family.table[g, a] != y for a, y in answers)
        mass.append(prior.weights[g] * (float(wrong == 0) if beta == inf else exp(-beta * wrong)))
    assert told(prior, answers).weights == pytest.approx(np.array(mass) / sum(mass), abs=1e-13)


@pytest.mark.parametrize("beta", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("loss", [logistic, davidson(0.7)], ids=lambda loss: loss.name)
def test_general_updates_are_bayes_rule(loss, beta):
    problem, prior = score_problem(generator(71), beta, loss, (1, -1, 0) if loss.name == "davidson" else (1, -1))
    answers = [(0, 1), (3, -1), (3, -1), (5, 1)]
    mass = []
    for g in range(9):
        chance = prior.weights[g]
        for a, y in answers:
            z = problem.family.table[g, a]
            ties = 0.7 if loss.name == "davidson" else 0.0
            chance *= (exp(y * z / 2) / (exp(z / 2) + exp(-z / 2) + ties)) ** beta
        mass.append(chance)
    assert told(prior, answers).weights == pytest.approx(np.array(mass) / sum(mass), abs=1e-13)


def test_ten_thousand_strong_answers_do_not_underflow():
    problem, prior = label_problem(generator(72), 2, 50.0, size=4, atoms=3)
    rng = generator(73)
    atoms, said = rng.integers(3, size=10_000), rng.integers(2, size=10_000)
    posterior = told(prior, zip(atoms, said, strict=True))
    wrong = (problem.family.table[:, atoms] != said).sum(axis=1)
    raw = prior.log_weights - 50.0 * wrong
    assert raw.min() < -200_000
    assert posterior.log_weights == pytest.approx(raw - raw.max() - np.log(np.exp(raw - raw.max()).sum()), rel=1e-9)
    assert posterior.weights.sum() == pytest.approx(1.0)


def test_contradiction_is_refused_and_changes_nothing():
    family = Finite([[0, 0, 1], [0, 1, 1]])
    posterior = told(Enumerated.prior(family, np.arange(2), zero_one, inf), [(1, 0)])
    before = posterior.log_weights.copy()
    with pytest.raises(AnswerError, match="contradicts the earlier ones"):
        posterior.update(Answer(2, 0), None)
    assert (posterior.log_weights == before).all()
    assert told(posterior, [(2, 1)]).weights.tolist() == [1.0, 0.0]


def test_check_posterior():
    _, prior = label_problem(generator(74), 3, 2.0)
    check_posterior(prior, [Answer(0, 1), Answer(3, 2), Answer(0, 1)])
    family = Finite(np.arange(2 * MAX_EXACT_STRUCTURES)[:, None] % 2)
    check_posterior(Enumerated.prior(family, np.arange(2 * MAX_EXACT_STRUCTURES), zero_one, 2.0), [Answer(0, 1)])


def test_structures_without_weight_are_left_out_of_samples():
    posterior = told(label_problem(generator(75))[1], [(0, 1)])
    sample = posterior.sample(2, None)
    assert sample.exact
    assert (sample.weights > 0).all()
    assert len(sample.structures) == np.count_nonzero(posterior.weights) < 9


def test_large_families_give_draws_whatever_the_count():
    """A count above the size must not turn draws into a list of all, each once."""
    size = MAX_EXACT_STRUCTURES + 1
    family, weights = Finite(np.arange(size)[:, None] % 2), np.ones(size)
    weights[0] = size
    prior = Enumerated.prior(family, np.arange(size), zero_one, 2.0, weights)
    for count in (100, 4 * size):
        sample = prior.sample(count, generator(76))
        assert not sample.exact
        assert sample.structures.shape == sample.weights.shape == (count,)
    heavy = (sample.structures == 0).sum()
    spread = np.bincount(1 + (sample.structures[sample.structures > 0] - 1) * 10 // MAX_EXACT_STRUCTURES, minlength=11)
    assert chi_square([heavy, *spread[1:]], [size] + [MAX_EXACT_STRUCTURES / 10] * 10) > 1e-4


def test_diagnostics():
    family = Finite(np.eye(4))
    assert Enumerated.prior(family, np.arange(4), zero_one).diagnostics() == {
        "effective_structures": pytest.approx(4.0)
    }


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0], [0.0, 0.0], [1.0, float("nan")], [1.0, inf], [[1.0, 1.0]]])
def test_refuses_weights(weights):
    with pytest.raises(SettingError, match="prior weights must be 2 numbers"):
        Enumerated.prior(Finite([[0], [1]]), np.arange(2), zero_one, weights=weights)


@pytest.mark.parametrize(("loss", "beta"), [(zero_one, 0.0), (zero_one, -1.0), (logistic, inf)])
def test_refuses_beta(loss, beta):
    with pytest.raises(SettingError, match="beta"):
        Enumerated.prior(Finite([[0], [1]]), np.arange(2), loss, beta)
