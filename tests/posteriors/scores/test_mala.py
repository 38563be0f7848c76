"""The Langevin chains against a long independent run, and as a posterior that never changes."""

from __future__ import annotations

import numpy as np
import pytest

from askwise.errors import SettingError
from askwise.losses import logistic
from askwise.posteriors.scores.mala import Mala
from askwise.testing import check_posterior
from askwise.types import Answer
from tests.helpers import generator
from tests.posteriors.long_run import Rows, answered, disagreement, long_run, told


@pytest.mark.parametrize(("dimension", "count"), [(5, 10), (10, 25)])
def test_chains_follow_the_posterior(dimension, count):
    rng = generator(130, dimension)
    rows, responses = answered(rng, dimension, count, 1.0)
    posterior = told(Mala.prior(Rows(dimension), logistic, chains=2000), rows, responses, rng)
    errors, ratios = disagreement(posterior.sample(2000, rng).structures, long_run(rows, responses, 1.0, rng))
    assert np.abs(errors).max() < 4
    assert np.abs(ratios - 1).max() < 4 / np.sqrt(2 * 2000) + 0.02  # four standard errors of a standard deviation
    assert 0.5 < posterior.diagnostics()["acceptance"] < 0.7  # two in five refused


def test_more_draws_than_chains_are_draws_too():
    rng = generator(131)
    rows, responses = answered(rng, 3, 6, 1.0)
    posterior = told(Mala.prior(Rows(3), logistic, chains=500), rows, responses, rng)
    few, many = posterior.sample(200, rng).structures, posterior.sample(3200, rng).structures
    assert few.shape == (200, 3)
    assert many.shape == (3200, 3)
    assert len(np.unique(many, axis=0)) > 3000
    errors, _ = disagreement(many, long_run(rows, responses, 1.0, rng))
    assert np.abs(errors).max() < 5  # chains some steps apart are not quite independent


def test_no_answer_is_the_prior():
    draws = Mala.prior(Rows(2), logistic, sigma=3.0).sample(10_000, generator(132)).structures
    assert np.abs(draws.mean(axis=0)).max() < 4 * 3 / 100
    np.testing.assert_allclose(draws.std(axis=0), 3.0, rtol=4 / np.sqrt(20_000))


def test_it_keeps_the_rules_of_a_posterior():
    rows, responses = answered(generator(133), 3, 3, 2.0)
    answers = [Answer(row, int(response)) for row, response in zip(rows, responses, strict=True)]
    check_posterior(Mala.prior(Rows(3), logistic, sigma=2.0, chains=100, steps=10), answers)


@pytest.mark.parametrize("setting", ["beta", "sigma", "chains", "steps"])
def test_senseless_settings_are_refused(setting):
    with pytest.raises(SettingError, match=setting):
        Mala.prior(Rows(2), logistic, **{setting: 0})
