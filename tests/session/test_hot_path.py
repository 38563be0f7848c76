"""What makes a question quick, against the plain way: products that skip zero blocks, a short list, forces."""

from __future__ import annotations

import numpy as np
import pytest

from askwise.distances import Dense, Multipartite, form_of
from askwise.distances.items import ItemRegret
from askwise.distances.labels import Angle
from askwise.losses import davidson, logistic, squared
from askwise.posteriors.scores.evidence import Evidence
from askwise.posteriors.scores.hmc import Target
from askwise.posteriors.scores.reference import fit
from askwise.problem import Problem
from askwise.strategies.expected import MIN_QUESTIONS, exhaustive, expected, subsample_by_distance
from askwise.structures.choice import Choice
from askwise.structures.linear import LinearSphere
from askwise.types import Sample
from tests.helpers import generator
from tests.posteriors.long_run import answered


@pytest.mark.parametrize("size", [2, 95, 96, 97, 300])
@pytest.mark.parametrize("sharpness", [0.1, 30.0])  # many small groups; nearly all tastes in one
@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_regrets_multiply_like_their_matrix(size, sharpness, real):
    rng = generator(400, size)
    items = rng.standard_normal((20, 3))
    tastes = sharpness * np.ones(3) + rng.standard_normal((size, 3))
    distance, mass = ItemRegret(items), rng.random((size, 7)).astype(real)
    form, matrix = distance.form(tastes), distance.pairwise(tastes)
    assert isinstance(form, Multipartite)
    tolerance = 1e-5 if real is np.float32 else 1e-12
    plain = np.einsum("sa,st,ta->a", mass.astype(float), matrix, mass.astype(float))
    np.testing.assert_allclose(Dense(matrix).quadratic(mass), plain, rtol=tolerance, atol=tolerance)
    tolerance = max(tolerance, 1e-6)  # the form keeps its distances in 32 bits
    np.testing.assert_allclose(form.quadratic(mass), plain, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(form.apply(mass[:, 0]), matrix @ mass[:, 0], rtol=tolerance)


def choices(seed, items=50, draws=600, sharpness=1.0):
    rng = generator(401, seed)
    rows = rng.standard_normal((items, 6))
    family = Choice(rows)
    tastes = 3 * (sharpness * rng.standard_normal(6) + rng.standard_normal((draws, 6)))
    sample = Sample(tastes, np.full(draws, 1 / draws), exact=False)
    return Problem(family, ItemRegret(rows)), sample, family.draw_atoms(10**6, rng)


@pytest.mark.parametrize("sharpness", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_short_list_holds_what_scoring_all_would_ask(seed, sharpness):
    problem, sample, atoms = choices(seed, sharpness=sharpness)
    assert len(atoms) > MIN_QUESTIONS  # else there is no list
    plain = exhaustive(problem, None, sample, atoms, None).gain
    quick = expected(problem, None, sample, atoms, generator(405, seed)).gain
    assert quick.argmax() == plain.argmax()
    listed = np.argsort(-quick, kind="stable")[: len(atoms) // 8 - 1]  # others may tie with the last
    np.testing.assert_allclose(quick[listed], plain[listed], rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_the_short_list_of_points_gains_as_much(seed):
    """Among points on the sphere many are nearly as good; the list may miss the very best, not its gain."""
    rng = generator(404, seed)
    family = LinearSphere(6)
    weights = 3 * (rng.standard_normal(6) + rng.standard_normal((600, 6)))
    problem, sample = Problem(family, Angle()), Sample(weights, np.full(600, 1 / 600), exact=False)
    atoms = family.draw_atoms(500, rng)
    plain = exhaustive(problem, None, sample, atoms, None).gain
    assert plain[expected(problem, None, sample, atoms, generator(405, seed)).gain.argmax()] >= 0.95 * plain.max()


def settled(seed, others):
    """Choices where all draws agree but for some that like another item best."""
    problem, sample, atoms = choices(seed)
    best = problem.distance.best(sample.structures)
    tastes = np.repeat(sample.structures[:1], 600, axis=0)
    tastes[:others] = sample.structures[best != best[0]][:others]
    return problem, sample._replace(structures=generator(406, seed).permutation(tastes)), atoms


@pytest.mark.parametrize("others", [2, 5, 20])
@pytest.mark.parametrize("seed", range(4))
def test_few_draws_that_differ_are_among_those_that_choose(seed, others):
    problem, sample, atoms = settled(seed, others)
    plain = exhaustive(problem, None, sample, atoms, None).gain
    assert plain[expected(problem, None, sample, atoms, generator(405, seed)).gain.argmax()] >= 0.99 * plain.max() > 0


def test_where_all_draws_agree_no_question_gains():
    problem, sample, atoms = settled(0, 0)
    scored = expected(problem, None, sample, atoms, generator(405))
    plain = exhaustive(problem, None, sample, atoms, None)
    assert not scored.gain.any()
    assert not plain.gain.any()
    assert scored.info == plain.info == {"diameter": 0.0}


@pytest.mark.parametrize("others", [5, 100])
def test_thinned_draws_have_the_diameter_of_all_on_average(others):
    problem, sample, _ = settled(1, others)
    sample = sample._replace(weights=generator(407).dirichlet(np.full(600, 5.0)))
    form = problem.distance.form(sample.structures)
    far = form.apply(sample.weights)
    whole, rng, found = sample.weights @ far, generator(408), []
    for _ in range(400):
        some = subsample_by_distance(sample, far, 200, rng)
        assert len(some.weights) <= 201
        found.append(some.weights @ problem.distance.form(some.structures).apply(some.weights))
    error = np.std(found) / np.sqrt(len(found))
    assert np.mean(found) == pytest.approx(whole, abs=3 * error + 0.01 * whole)  # sums to one: a ratio, slightly biased
    assert np.std(found) < 0.03 * whole  # that of a random third: some 60 % and 15 %


def test_scoring_keeps_the_distances_that_others_will_want():
    problem, sample, atoms = choices(9)
    form = form_of(problem.distance, sample.structures)
    expected(problem, None, sample, atoms, generator(405))
    assert form_of(problem.distance, sample.structures) is form


@pytest.mark.parametrize("loss", [logistic, davidson(0.7), squared])
def test_forces_are_what_differences_of_the_potential_say(loss):
    rows, responses = answered(generator(402), 4, 12, 2.0)
    evidence = Evidence.empty(loss, 4).add(rows, responses.astype(float), np.full(len(rows), 1.5))
    scales = np.array([0.5, 2.0, 8.0])
    start = np.zeros((3, 4)), np.array([np.eye(4) / scale**2 for scale in scales])
    reference = fit(evidence, scales, *start)
    counts = np.array([3, 0, 5])
    target, which = Target(evidence, reference, counts), np.repeat(np.arange(3), counts)
    whitened = generator(403).standard_normal((8, 4)).astype(evidence.precision)
    places = target.times(whitened, target.roots)
    np.testing.assert_allclose(target.times(places, target.inverses), whitened, atol=1e-4)

    def potential(points):
        told = (1.5 * loss.value(points @ evidence.rows.T, evidence.responses)).sum(axis=1)
        return told + np.square(points).sum(axis=1) / (2 * scales[which] ** 2)

    points, step = (places + target.centers).astype(float), 1e-5
    slopes = np.stack(
        [(potential(points + step * way) - potential(points - step * way)) / (2 * step) for way in np.eye(4)], axis=1
    )
    covariances = np.linalg.inv(reference.precisions)[which]
    exact = np.einsum("sr,srq->sq", slopes, covariances) - (points - reference.centers[which])
    np.testing.assert_allclose(target.force(places), exact, rtol=2e-3, atol=2e-3)
    np.testing.assert_allclose(target.chains(places).residual, exact, rtol=2e-3, atol=2e-3)
    np.testing.assert_allclose(target.chains(places).potential, potential(points), rtol=1e-4)
    np.testing.assert_allclose(target.tail(3).force(places[3:]), target.force(places)[3:], rtol=1e-4, atol=1e-5)
