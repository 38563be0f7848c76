"""The Gaussian reference: expectations against quadrature, and the fixed point against its definition."""

from __future__ import annotations

from itertools import pairwise
from math import exp, pi, sqrt

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from askwise.losses import davidson, logistic, squared
from askwise.posteriors.scores.bridge import log_evidences
from askwise.posteriors.scores.evidence import Evidence
from askwise.posteriors.scores.reference import TOLERANCE, expectations, fit
from askwise.posteriors.scores.triangular import lower_inverse
from tests.helpers import generator
from tests.posteriors.long_run import answered, long_run


@pytest.mark.parametrize(
    ("loss", "response"),
    [(logistic, 1.0), (logistic, -1.0), (davidson(1.0), 0.0), (davidson(0.3), 1.0), (davidson(5.0), -1.0)],
)
@pytest.mark.parametrize("spread", [0.01, 0.5, 1.49, 1.51, 4.0, 60.0])
@pytest.mark.parametrize("mean", [-9.0, 2.5])
def test_expectations_against_quadrature(loss, response, mean, spread):
    found = expectations(loss, np.array([response]), np.array([[mean]]), np.array([[spread]]))
    edges = np.unique(
        np.clip(
            [mean - 10 * spread, -20, -5, 0, 5, 20, mean, mean + 10 * spread], mean - 10 * spread, mean + 10 * spread
        )
    )
    for part, function in zip(found, (loss.value, loss.slope, loss.curvature), strict=True):

        def integrand(z, function=function):
            bell = exp(-(((z - mean) / spread) ** 2) / 2) / (spread * sqrt(2 * pi))
            return float(function(np.float64(z), response)) * bell

        exact = sum(quad(integrand, a, b, limit=200)[0] for a, b in pairwise(edges))
        assert part[0, 0] == pytest.approx(exact, rel=1e-3, abs=2e-5)


def test_expectations_of_the_squared_loss_are_exact():
    found = expectations(squared, np.array([1.0, -2.0]), np.array([[3.0, 50.0]]), np.array([[0.5, 40.0]]))
    np.testing.assert_allclose(found.value, [[4.25, 52.0**2 + 40.0**2]])
    np.testing.assert_allclose(found.slope, [[4.0, 104.0]])
    np.testing.assert_allclose(found.curvature, [[2.0, 2.0]])


def evidence_of(rows, responses, loss=logistic):
    return Evidence.empty(loss, rows.shape[1]).add(rows, np.asarray(responses, dtype=float), np.ones(len(rows)))


def cold(evidence, scales):
    rank = evidence.rank
    return np.zeros((len(scales), rank)), np.array([np.eye(rank) / scale**2 for scale in scales])


def test_fixed_point_at_all_scales_at_once():
    rows, responses = answered(generator(120), 6, 25, 3.0)
    evidence, scales = evidence_of(rows, responses), np.array([0.3, 1.0, 5.0, 30.0])
    reference = fit(evidence, scales, *cold(evidence, scales))
    for k, scale in enumerate(scales):
        covariance = reference.roots[k].T @ reference.roots[k]
        np.testing.assert_allclose(covariance @ reference.precisions[k], np.eye(6), atol=1e-6)
        noise = generator(121).standard_normal((200_000, 6))
        scores = reference.draw(k, noise) @ evidence.rows.T  # Monte Carlo in place of every quadrature
        slopes = logistic.slope(scores, evidence.responses)
        gradient = slopes.mean(axis=0) @ evidence.rows + reference.centers[k] / scale**2
        error = slopes.std(axis=0) @ np.abs(evidence.rows) / np.sqrt(200_000)
        assert np.linalg.norm(reference.roots[k] @ gradient) < 0.05 * np.sqrt(6) + np.linalg.norm(
            np.abs(reference.roots[k]) @ error
        )
        curvature = logistic.curvature(scores, evidence.responses).mean(axis=0)
        expected = (evidence.rows.T * curvature) @ evidence.rows + np.eye(6) / scale**2
        relative = reference.roots[k] @ expected @ reference.roots[k].T
        # a variance that is off by x costs the bound about x^2 / 4, and the fit ends when less than TOLERANCE is left
        np.testing.assert_allclose(relative, np.eye(6), atol=2 * np.sqrt(TOLERANCE))


def test_reference_sits_at_the_posterior_mean():
    rng = generator(122)
    rows, responses = answered(rng, 10, 100, 1.0)
    evidence = evidence_of(rows, responses)
    reference = fit(evidence, np.ones(1), *cold(evidence, np.ones(1)))
    draws = long_run(rows, responses, 1.0, rng).reshape(-1, 10) @ evidence.basis
    shift = (reference.centers[0] - draws.mean(axis=0)) / draws.std(axis=0)
    assert np.abs(shift).max() < 0.1


def test_bounds_are_below_the_evidence_and_exact_for_the_squared_loss():
    rng = generator(123)
    rows = rng.standard_normal((5, 2))
    responses, scales = rows @ np.array([1.0, 2.0]), np.array([0.5, 2.0])
    evidence = evidence_of(rows, responses, squared)
    reference = fit(evidence, scales, *cold(evidence, scales))
    for scale, bound in zip(scales, reference.bounds, strict=True):
        covariance = scale**2 * rows @ rows.T + np.eye(5) / 2
        exact = -np.linalg.slogdet(2 * covariance)[1] / 2 - responses @ np.linalg.solve(covariance, responses) / 2
        assert bound == pytest.approx(exact, abs=1e-6)
    rows, responses = answered(rng, 1, 4, 4.0)
    evidence = evidence_of(rows, responses)
    for scale in (1.0, 20.0):
        bound = fit(evidence, np.array([scale]), *cold(evidence, np.array([scale]))).bounds[0]
        axis = scale * np.linspace(-9, 9, 20_001)
        log_density = -np.logaddexp(0, -np.outer(axis, rows[:, 0] * responses)).sum(axis=1) + norm.logpdf(
            axis, 0, scale
        )
        exact = np.log(np.exp(log_density).sum() * (axis[1] - axis[0]))
        assert exact - 0.5 < bound < exact + 1e-3


def test_log_density_is_the_normal_density():
    rows, responses = answered(generator(124), 3, 9, 2.0)
    evidence, scales = evidence_of(rows, responses), np.array([1.0, 4.0])
    reference = fit(evidence, scales, *cold(evidence, scales))
    points = generator(125).standard_normal((5, 3))
    from scipy.stats import multivariate_normal

    for k in range(2):
        exact = multivariate_normal(reference.centers[k], np.linalg.inv(reference.precisions[k])).logpdf(points)
        np.testing.assert_allclose(reference.log_density(points)[k] - 1.5 * np.log(2 * np.pi), exact)


def test_bridge_finds_constants_that_importance_weights_miss():
    rng = generator(126)
    dimension, count = 12, 4000
    narrow = 0.7 * rng.standard_normal((count, dimension))  # the reference is too narrow for its target
    target = rng.standard_normal((count, dimension))
    size = np.square(np.concatenate([narrow, target])).sum(axis=1)
    proposal = np.log(count) - dimension * np.log(0.7) - size / (2 * 0.49)
    found = log_evidences(proposal, 3.0 - size[None] / 2, np.array([count]), np.zeros(1))
    assert found[0] == pytest.approx(3.0, abs=0.1)


@pytest.mark.parametrize("start", [np.zeros(3), np.array([40.0, -40.0, 5.0])])
def test_constants_solve_their_equations_wherever_they_start(start):
    rng, count, centers = generator(128), 40, np.array([0.0, 0.3, 4.0])  # the last one hardly meets the others
    draws = np.concatenate([rng.normal(0, 1, (3, count)), rng.normal(centers[:, None], 1, (3, count))]).ravel()
    proposal = np.log(3 * count) - np.square(draws) / 2
    targets = np.array([1.0, -2.0, 3.0])[:, None] - np.square(draws - centers[:, None]) / 2
    found, counts = log_evidences(proposal, targets, np.full(3, count), start), np.full(3, count)
    own = targets + (np.log(counts) - found)[:, None]
    shares = np.exp(own - np.logaddexp(proposal, np.logaddexp.reduce(own)))
    np.testing.assert_allclose(shares.sum(axis=1), counts, rtol=1e-3)


def test_evidence_matches_its_sum_and_merges():
    rng = generator(127)
    rows, responses = answered(rng, 4, 7, 1.0)
    evidence = evidence_of(np.vstack([rows, rows[:2]]), np.append(responses, responses[:2]))
    assert len(evidence.rows) == 7
    np.testing.assert_allclose(evidence.basis.T @ evidence.basis, np.eye(4), atol=1e-12)
    weights = 3 * rng.standard_normal((50, 4))
    margins = (weights @ rows.T) * responses
    total = np.logaddexp(0, -margins) @ np.array([2, 2, 1, 1, 1, 1, 1])
    points = (weights @ evidence.basis).astype(evidence.precision)
    potential, slopes = evidence.potential_and_gradient(points)
    np.testing.assert_allclose(potential, total, rtol=1e-4)
    np.testing.assert_allclose(evidence.potential(points), total, rtol=1e-4)
    np.testing.assert_allclose(evidence.gradient(points), slopes, rtol=1e-4, atol=1e-5)
    shares = -responses / (1 + np.exp(margins)) * np.array([2, 2, 1, 1, 1, 1, 1])
    np.testing.assert_allclose(slopes @ evidence.basis.T, shares @ rows, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("size", [1, 40, 41, 83, 200])
def test_inverse_of_a_triangle(size):
    lower = np.tril(generator(129).standard_normal((size, size)), -1) / size + np.diag(1 + np.arange(size) % 3)
    np.testing.assert_allclose(lower_inverse(lower) @ lower, np.eye(size), atol=1e-12)
    assert not np.triu(lower_inverse(lower), 1).any()
