"""The softmax posterior against a long run of its own density, against the derivative, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from askwise.errors import AnswerError, SettingError
from askwise.losses import softmax
from askwise.posteriors.softmax import SoftmaxPosterior
from askwise.structures.multiclass import SoftmaxPool
from askwise.testing import check_family, check_posterior
from askwise.types import Answer
from tests.helpers import generator


def told(rng, count, sigma=2.0):
    family = SoftmaxPool(rng.standard_normal((60, 2)), labels=("a", "b", "c"))
    truth = sigma * rng.standard_normal((1, family.dimension))
    posterior = SoftmaxPosterior.prior(family, sigma)
    for atom in range(count):
        scores = family.predict(truth, np.array([atom]))[0, 0]
        said = int((scores + rng.gumbel(size=3)).argmax())
        posterior = posterior.update(Answer(atom, said), rng)
    return posterior


def test_the_density_by_definition():
    rng = generator(100)
    posterior = told(rng, 7)
    weights = rng.standard_normal((4, 6))
    scores = posterior.family.predict(weights, np.arange(7))
    expected = softmax.value(scores, posterior.labels).sum(axis=1) + (weights**2).sum(axis=1) / 8
    value, gradient = posterior.potential_and_gradient(weights)
    assert value == pytest.approx(expected)
    for k in range(6):
        step = 1e-6 * np.eye(6)[k]
        slope = (posterior.potential_and_gradient(weights + step)[0] - value) / 1e-6
        assert gradient[:, k] == pytest.approx(slope, abs=1e-4)


@pytest.mark.parametrize("answers", [3, 30])
def test_a_long_random_walk_agrees(answers):
    rng = generator(101, answers)
    posterior = told(rng, answers)
    chains = 1000
    here = posterior.mode + rng.standard_normal((chains, 6)) @ posterior.root
    value = posterior.potential_and_gradient(here)[0]
    for _ in range(300):
        there = here + 0.6 * rng.standard_normal(here.shape) @ posterior.root
        new = posterior.potential_and_gradient(there)[0]
        taken = np.log(rng.random(chains)) < value - new
        here, value = np.where(taken[:, None], there, here), np.where(taken, new, value)
    draws = posterior.sample(chains, rng).structures
    error = np.sqrt((draws.var(axis=0) + here.var(axis=0)) / chains)
    assert (np.abs(draws.mean(axis=0) - here.mean(axis=0)) / error).max() < 4
    assert draws.std(axis=0) / here.std(axis=0) == pytest.approx(np.ones(6), abs=4 * np.sqrt(1 / chains))


def test_checks():
    rng = generator(102)
    family = SoftmaxPool(rng.standard_normal((20, 3)), labels=("a", "b", "c", "d"))
    check_family(family, rng.standard_normal((5, 12)))
    check_posterior(SoftmaxPosterior.prior(family), [Answer(0, 1), Answer(3, 2), Answer(3, 0)])


def test_refuses():
    family = SoftmaxPool(np.eye(3))
    with pytest.raises(SettingError, match="sigma must be a positive number, got 0"):
        SoftmaxPosterior.prior(family, 0)
    with pytest.raises(AnswerError, match="0 to 2, got 3"):
        SoftmaxPosterior.prior(family).update(Answer(0, 3), generator(103))
    with pytest.raises(SettingError, match="two different labels"):
        SoftmaxPool(np.eye(3), labels=("a", "a"))
