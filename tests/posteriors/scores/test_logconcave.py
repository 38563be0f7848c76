"""The log-concave sampler against long independent runs, closed forms and integration on a grid."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from askwise.errors import AnswerError, SettingError
from askwise.losses import davidson, logistic, softmax, squared, zero_one
from askwise.posteriors.scores.logconcave import PRIOR_SCALES, LogConcave, systematic_counts
from askwise.testing import check_posterior
from askwise.types import Answer
from tests.helpers import generator
from tests.posteriors.long_run import Rows, answered, disagreement, long_run, told


@pytest.mark.parametrize("scale", [1.0, 4.0])
@pytest.mark.parametrize(("dimension", "count"), [(5, 10), (10, 100), (50, 200)])
def test_draws_follow_the_posterior(dimension, count, scale):
    if dimension == 50:
        scale /= 4  # fifty features make larger scores at the same scale
    rng = generator(80, dimension, int(4 * scale))
    rows, responses = answered(rng, dimension, count, scale)
    posterior = told(LogConcave.prior(Rows(dimension), logistic, sigma=scale), rows, responses, rng)
    draws = posterior.sample(20_000, rng).structures
    reference = long_run(rows, responses, scale, rng)
    errors, ratios = disagreement(draws, reference)
    assert np.abs(errors).max() < 4
    assert np.abs(ratios - 1).max() < 0.05


def test_rounds_share_nothing():
    rng = generator(81)
    rows, responses = answered(rng, 10, 40, 3.0)
    posterior = told(LogConcave.prior(Rows(10), logistic), rows[:-1], responses[:-1], rng)
    before = posterior.sample(4000, rng).structures
    after = told(posterior, rows[-1:], responses[-1:], rng).sample(4000, rng).structures
    across = np.corrcoef(before.T, after.T)[:10, 10:]
    assert np.abs(np.diag(across)).max() < 0.1
    neighbours = np.corrcoef(after[:-1].T, after[1:].T)[:10, 10:]  # and draws of a round are in random order
    assert np.abs(np.diag(neighbours)).max() < 0.1


def grid_weights(rows, responses, loss=logistic):
    """Posterior weights of the scales by integration over a fine grid of two weights."""
    evidence = []
    for scale in PRIOR_SCALES:
        axis = scale * np.linspace(-6, 6, 401)
        points = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
        log_density = -np.square(points / scale).sum(axis=1) / 2
        for row, response in zip(rows, responses, strict=True):
            log_density = log_density - loss.value(points @ row, float(response))
        evidence.append(np.exp(log_density).sum() * 0.03**2 / (2 * np.pi))
    weights = np.array(evidence) * PRIOR_SCALES / (1 + (PRIOR_SCALES / 5) ** 2)
    return weights / weights.sum()


@pytest.mark.parametrize(
    ("count", "scale"), [(1, 3.0), (5, 0.5), (5, 3.0), (5, 15.0), (20, 0.5), (20, 3.0), (20, 15.0), (60, 3.0)]
)
def test_scales_weigh_what_integration_says(count, scale):
    rng = generator(82, count, int(scale))
    rows, responses = answered(rng, 2, count, scale)
    posterior = told(LogConcave.prior(Rows(2), logistic), rows, responses, rng)
    weights = np.zeros(len(PRIOR_SCALES))
    weights[posterior.active] = posterior.pilot.weights
    exact = grid_weights(rows, responses)
    assert np.abs(weights - exact).sum() / 2 < 0.05
    start = np.log(PRIOR_SCALES) - np.log1p((PRIOR_SCALES / 5) ** 2)
    prior = np.exp(start) / np.exp(start).sum()
    if count == 60:  # the test could not fail if the answers said nothing about the scale
        assert np.abs(prior - exact).sum() / 2 > 0.15


def joint_run(rows, responses, rng, chains=2000, length=1800):
    """Scales (chains,) after a long joint chain: random walk in (w, log scale on the grid), nothing shared with us."""
    signed = rows * responses[:, None]
    prior = np.log(PRIOR_SCALES) - np.log1p((PRIOR_SCALES / 5) ** 2)
    place = rng.integers(len(PRIOR_SCALES), size=chains)
    noise = rng.standard_normal((chains, rows.shape[1]))  # weights = scale * noise

    def log_density(place, noise):
        margins = PRIOR_SCALES[place][:, None] * (noise @ signed.T)
        likelihood = np.minimum(margins, 0.0) - np.log1p(np.exp(-np.abs(margins)))
        return prior[place] + likelihood.sum(axis=1) - np.square(noise).sum(axis=1) / 2

    now = log_density(place, noise)
    for turn in range(length):
        step = (0.1, 0.3, 0.8)[turn % 3]
        pilot = np.cos(step) * noise + np.sin(step) * rng.standard_normal(noise.shape)
        moved, shift = place + rng.integers(-1, 2, size=chains), 0.0
        valid = (moved >= 0) & (moved < len(PRIOR_SCALES))
        moved = np.clip(moved, 0, len(PRIOR_SCALES) - 1)
        if turn % 2:  # the same weights under another scale
            pilot = noise * (PRIOR_SCALES[place] / PRIOR_SCALES[moved])[:, None]
            shift = rows.shape[1] * np.log(PRIOR_SCALES[place] / PRIOR_SCALES[moved])
            ahead = log_density(moved, pilot)
            log_ratio = ahead - now + shift
        else:  # a prior-preserving rotation of the noise, at the old or a new scale
            ahead = log_density(moved, pilot)
            log_ratio = ahead + np.square(pilot).sum(axis=1) / 2 - now - np.square(noise).sum(axis=1) / 2
        accept = valid & (np.log(rng.random(chains)) < log_ratio)
        place, now = np.where(accept, moved, place), np.where(accept, ahead, now)
        noise = np.where(accept[:, None], pilot, noise)
    return place


@pytest.mark.parametrize("scale", [1.0, 5.0])
def test_scales_agree_with_a_long_joint_run(scale):
    rng = generator(83, int(scale))
    rows, responses = answered(rng, 10, 10, scale)
    posterior = told(LogConcave.prior(Rows(10), logistic), rows, responses, rng)
    weights = np.zeros(len(PRIOR_SCALES))
    weights[posterior.active] = posterior.pilot.weights
    exact = np.bincount(joint_run(rows, responses, rng), minlength=len(PRIOR_SCALES)) / 2000
    noise = np.sqrt(exact * (1 - exact) / 2000).sum() / 2
    assert np.abs(weights - exact).sum() / 2 < 0.1 + noise


def test_squared_loss_is_exact():
    rng = generator(84)
    rows, beta, scale = rng.standard_normal((12, 4)), 8.0, 2.0
    responses = rows @ np.array([1.0, -2.0, 0.5, 0.0]) + rng.normal(0, 0.25, 12)
    posterior = LogConcave.prior(Rows(4), squared, beta=beta, sigma=scale)
    for row, response in zip(rows, responses, strict=True):
        posterior = posterior.update(Answer(row, response), rng)
    precision = 2 * beta * rows.T @ rows + np.eye(4) / scale**2
    center = np.linalg.solve(precision, 2 * beta * rows.T @ responses)
    basis = posterior.evidence.basis
    np.testing.assert_allclose(basis @ posterior.reference.centers[0], center, rtol=1e-8)
    np.testing.assert_allclose(basis @ posterior.reference.precisions[0] @ basis.T, precision, rtol=1e-8, atol=1e-8)
    assert posterior.diagnostics()["acceptance"] == pytest.approx(1.0)
    draws = posterior.sample(20_000, rng).structures
    covariance = np.linalg.inv(precision)
    errors = (draws.mean(axis=0) - center) / np.sqrt(np.diag(covariance) / 20_000)
    assert np.abs(errors).max() < 4
    np.testing.assert_allclose(np.cov(draws.T), covariance, atol=0.05 * np.diag(covariance).max())


def test_squared_loss_gives_the_evidence_of_each_scale():
    rng = generator(85)
    rows, beta = rng.standard_normal((6, 3)), 4.0
    responses = rows @ np.array([2.0, -1.0, 3.0])
    posterior = LogConcave.prior(Rows(3), squared, beta=beta)
    for row, response in zip(rows, responses, strict=True):
        posterior = posterior.update(Answer(row, response), rng)
    logs = []
    for scale in PRIOR_SCALES:  # the responses are normal with this covariance, whatever the weights
        covariance = scale**2 * rows @ rows.T + np.eye(6) / (2 * beta)
        fit = responses @ np.linalg.solve(covariance, responses)
        logs.append(-np.linalg.slogdet(covariance)[1] / 2 - fit / 2 + np.log(scale) - np.log1p((scale / 5) ** 2))
    exact = np.exp(np.array(logs) - max(logs))
    exact /= exact.sum()
    np.testing.assert_allclose(posterior.pilot.weights, exact[posterior.active], atol=0.01)
    assert exact[posterior.active].sum() > 0.999


def test_davidson_answers_move_scores_as_integration_says():
    rng = generator(86)
    loss, row = davidson(ties=1.5), np.array([2.0, 0.0])
    posterior = LogConcave.prior(Rows(2), loss, sigma=1.5)
    for response in (1, 0, 0, 1, 1):
        posterior = posterior.update(Answer(row, response), rng)
    assert posterior.evidence.strengths.tolist() == [3.0, 2.0]  # equal answers are merged
    axis = np.linspace(-12, 12, 4001)
    log_density = -np.square(axis / 1.5) / 2 - 3 * loss.value(2 * axis, 1.0) - 2 * loss.value(2 * axis, 0.0)
    density = np.exp(log_density) / np.exp(log_density).sum()
    mean, deviation = density @ axis, np.sqrt(density @ axis**2 - (density @ axis) ** 2)
    draws = posterior.sample(20_000, rng).structures
    assert abs(draws[:, 0].mean() - mean) < 4 * deviation / np.sqrt(20_000)
    assert draws[:, 0].std() == pytest.approx(deviation, rel=0.05)
    assert draws[:, 1].std() == pytest.approx(1.5, rel=0.05)  # no answer spoke about the second weight
    assert abs(draws[:, 1].mean()) < 4 * 1.5 / np.sqrt(20_000)


def test_no_answer_is_the_prior():
    rng = generator(87)
    draws = LogConcave.prior(Rows(3), logistic).sample(26_000, rng).structures
    weights = PRIOR_SCALES / (1 + (PRIOR_SCALES / 5) ** 2)
    variance = weights @ PRIOR_SCALES**2 / weights.sum()
    fourth = 3 * weights @ PRIOR_SCALES**4 / weights.sum()
    error = np.sqrt((fourth - variance**2) / 26_000)
    assert np.abs(np.square(draws).mean(axis=0) - variance).max() < 4 * error
    assert LogConcave.prior(Rows(3), logistic, sigma=2.0).sample(5, rng).structures.shape == (5, 3)


def test_separable_answers_stay_proper():
    rng = generator(88)
    truth = np.array([3.0, -2.0, 1.0])
    rows = rng.standard_normal((150, 3))
    posterior = told(LogConcave.prior(Rows(3), logistic), rows, np.where(rows @ truth > 0, 1, -1), rng)
    sample = posterior.sample(2000, rng)
    assert np.isfinite(sample.structures).all()
    cosine = sample.structures @ truth / np.linalg.norm(sample.structures, axis=1) / np.linalg.norm(truth)
    assert np.median(cosine) > 0.98
    assert posterior.diagnostics()["scale"] > 4  # nothing contradicts: the answers speak for large weights
    assert posterior.diagnostics()["acceptance"] > 0.6


def test_repeated_answers_cost_one_row():
    rng = generator(89)
    posterior = LogConcave.prior(Rows(2), logistic, sigma=1.0)
    for turn in range(120):
        posterior = posterior.update(Answer(np.array([1.0, float(turn % 2)]), 1 if turn % 3 else -1), rng)
    assert posterior.evidence.rows.shape == (4, 2)
    assert posterior.evidence.strengths.sum() == 120
    draws = posterior.sample(20_000, rng).structures
    rows = np.array([[1.0, turn % 2] for turn in range(120)])
    responses = np.array([1 if turn % 3 else -1 for turn in range(120)])
    errors, ratios = disagreement(draws, long_run(rows, responses, 1.0, rng, chains=400))
    assert np.abs(errors).max() < 4
    assert np.abs(ratios - 1).max() < 0.05


@pytest.mark.parametrize(("dimension", "count"), [(1, 30), (500, 6)])
def test_dimensions_from_one_to_five_hundred(dimension, count):
    rng = generator(90, dimension)
    rows, responses = answered(rng, dimension, count, 1.0)
    posterior = told(LogConcave.prior(Rows(dimension), logistic), rows, responses, rng)
    sample = posterior.sample(300, rng)
    assert sample.structures.shape == (300, dimension)
    assert posterior.evidence.rank == min(dimension, count)  # answers speak only about the span of their rows
    agreement = np.sign(sample.structures @ rows.T) == responses
    assert agreement.mean() > 0.6


def test_same_generators_same_posterior_and_nothing_changes():
    rows, responses = answered(generator(91), 4, 8, 2.0)
    first = told(LogConcave.prior(Rows(4), logistic), rows, responses, generator(92))
    second = told(LogConcave.prior(Rows(4), logistic), rows, responses, generator(92))
    draws = first.sample(50, generator(93)).structures
    assert np.array_equal(draws, second.sample(50, generator(93)).structures)
    assert not np.array_equal(draws, second.sample(50, generator(94)).structures)
    seen = dict(first.diagnostics())
    first.update(Answer(rows[0], -int(responses[0])), generator(95))
    assert np.array_equal(draws, first.sample(50, generator(93)).structures)
    assert seen == first.diagnostics()
    with pytest.raises(dataclasses.FrozenInstanceError):
        first.beta = 2.0


@pytest.mark.parametrize("sigma", [None, 2.0])
def test_it_keeps_the_rules_of_a_posterior(sigma):
    rows, responses = answered(generator(101), 3, 4, 2.0)
    answers = [Answer(row, int(response)) for row, response in zip(rows, responses, strict=True)]
    check_posterior(LogConcave.prior(Rows(3), logistic, sigma=sigma), answers)


def test_an_atom_without_features_teaches_nothing():
    prior = LogConcave.prior(Rows(2), logistic)
    after = prior.update(Answer(np.zeros(2), 1), generator(96))
    assert after.diagnostics()["answers"] == 1
    assert np.array_equal(prior.sample(9, generator(97)).structures, after.sample(9, generator(97)).structures)


def test_hard_posteriors_get_more_steps():
    rng = generator(98)
    rows, responses = answered(rng, 20, 40, 10.0)
    hard = told(LogConcave.prior(Rows(20), logistic, sigma=10.0), rows, responses, rng).diagnostics()
    easy = told(LogConcave.prior(Rows(20), logistic, sigma=0.2), rows, responses, rng).diagnostics()
    assert easy["steps"] == 2
    assert easy["effective_sample_size"] > 300
    assert hard["steps"] > 3
    assert hard["acceptance"] > 0.7
    assert hard["effective_sample_size"] < 200


def test_shares_are_within_one_of_their_expectation():
    rng = generator(99)
    weights = rng.dirichlet(np.ones(7))
    shares = np.array([systematic_counts(weights, 100, rng) for _ in range(500)])
    assert (shares.sum(axis=1) == 100).all()
    assert np.abs(shares - 100 * weights).max() < 1
    assert np.abs(shares.mean(axis=0) - 100 * weights).max() < 4 * 0.5 / np.sqrt(500)


@pytest.mark.parametrize("setting", [{"beta": float("inf")}, {"beta": 0.0}, {"sigma": -1.0}, {"sigma": float("nan")}])
def test_senseless_settings_are_refused(setting):
    with pytest.raises(SettingError, match=next(iter(setting))):
        LogConcave.prior(Rows(2), logistic, **setting)


@pytest.mark.parametrize("loss", [zero_one, softmax])
def test_losses_of_no_single_score_are_refused(loss):
    with pytest.raises(SettingError, match=loss.name):
        LogConcave.prior(Rows(2), loss)


@pytest.mark.parametrize(
    "answer", [Answer((1.0, 0.0), "left"), Answer((1.0, 0.0), float("nan")), Answer((1.0, np.inf), 1)]
)
def test_answers_that_are_no_numbers_are_refused(answer):
    with pytest.raises(AnswerError):
        LogConcave.prior(Rows(2), logistic).update(answer, generator(100))
