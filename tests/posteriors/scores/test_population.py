"""The population of people who answered before: recovery of a known one, and a new person against a long run."""

from __future__ import annotations

import numpy as np
import pytest

from askwise.errors import SettingError
from askwise.losses import logistic
from askwise.posteriors.scores import shaped
from askwise.posteriors.scores.kernels import INDIVIDUAL, LINEAR, factor
from askwise.posteriors.scores.population import (
    MAX_DIRECTIONS,
    POPULATION,
    PersonAnswers,
    Population,
    learn_gaussian,
    learn_population,
    telling_directions,
)
from askwise.posteriors.scores.shaped import ShapedScores
from askwise.structures.choice import ItemScores
from askwise.types import Answer

DRAWS = 1_000_000
PAIRS = np.array([(i, j) for i in range(4) for j in range(i + 1, 4)])


def answered(scores, count, rng, lapse=0.0):
    """One person's answers about random pairs of four items."""
    chosen = PAIRS[rng.integers(len(PAIRS), size=count)]
    rows = np.eye(4)[chosen[:, 0]] - np.eye(4)[chosen[:, 1]]
    chances = (1 - lapse) / (1 + np.exp(-rows @ scores)) + lapse / 2
    return PersonAnswers(rows, np.where(rng.random(count) < chances, 1.0, -1.0))


def crowd(mean, root, people, count, rng):
    return [answered(mean + root @ rng.normal(size=root.shape[1]), count, rng) for _ in range(people)]


def test_a_known_population_is_recovered_within_standard_errors():
    rng = np.random.default_rng(0)
    mean, root = np.array([1.5, 0.5, -0.5, -1.5]), np.array([[1.0, 0], [0, 0.7], [-1.0, 0], [0, -0.7]])
    basis = np.linalg.qr(np.column_stack([np.ones(4), np.eye(4)[:, :3]]))[0][:, 1:]  # the level says nothing
    people = [PersonAnswers(each.rows @ basis, each.responses) for each in crowd(mean, root, 400, 40, rng)]
    none = {"mean_pseudo_people": 0.0, "covariance_pseudo_people": 0.0}
    found = learn_gaussian(people, lapse=0.0, rounds=60, **none)
    true_mean, true = basis.T @ mean, basis.T @ root @ root.T @ basis
    noise = 0.35  # variance that forty answers leave of each coordinate, about
    errors = np.sqrt((np.diag(true) + noise) / 400)
    assert (np.abs(found.mean - true_mean) < 4 * errors).all()
    spread = np.sqrt((np.outer(np.diag(true) + noise, np.diag(true) + noise) + (true + noise) ** 2) / 400)
    assert (np.abs(found.covariance - true) < 4 * spread).all()


def test_in_one_dimension_it_is_the_largest_marginal_likelihood():
    rng = np.random.default_rng(1)
    rows = [rng.normal(size=(8, 1)) * 1.5 for _ in range(60)]
    people = []
    for row in rows:
        z = row[:, 0] * (1.0 + 0.8 * rng.normal())
        people.append(PersonAnswers(row, np.where(rng.random(8) < 1 / (1 + np.exp(-z)), 1.0, -1.0)))
    none = {"mean_pseudo_people": 0.0, "covariance_pseudo_people": 0.0}
    found = learn_gaussian(people, lapse=0.0, rounds=300, **none)
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)

    def log_likelihood(mean, sd):
        total = 0.0
        for person in people:
            z = (person.rows @ (mean + sd * nodes)[None]) * person.responses[:, None]
            total += np.log(np.exp(-np.logaddexp(0, -z).sum(axis=0)) @ weights / weights.sum())
        return total

    grid = [(mean, sd) for mean in np.linspace(0.3, 1.8, 31) for sd in np.linspace(0.05, 1.6, 32)]
    best = max(log_likelihood(*each) for each in grid)
    # the Gaussian posteriors are approximate: a loss of a tenth is far within one standard error (a half)
    assert log_likelihood(found.mean[0], np.sqrt(found.covariance[0, 0])) > best - 0.1


def test_few_people_are_shrunk_and_very_few_do_not_count():
    rng = np.random.default_rng(2)
    mean, root = np.array([3.0, 1.0, -1.0, -3.0]), np.zeros((4, 1))
    everybody = crowd(mean, root, 40, 10, rng)
    assert learn_population(np.eye(4), everybody[:2]) is None
    short = [PersonAnswers(each.rows[:4], each.responses[:4]) for each in everybody]
    assert learn_population(np.eye(4), [*everybody[:2], *short]) is None
    few, many = (learn_population(np.eye(4), everybody[:count]) for count in (3, 40))
    assert np.ptp(few.mean) < np.ptp(many.mean)
    assert np.trace(few.covariance(np.eye(4))) > np.trace(many.covariance(np.eye(4)))
    assert few.weight < many.weight < 1


def test_ties_count_as_equal():
    rng = np.random.default_rng(3)
    people = crowd(np.array([2.0, 1.0, -1.0, -2.0]), np.zeros((4, 1)), 10, 12, rng)
    equal = [PersonAnswers(each.rows, np.zeros(12)) for each in people]
    apart, alike = (learn_population(np.eye(4), some, ties=1.0) for some in (people, equal))
    assert np.ptp(alike.mean) < 0.1 * np.ptp(apart.mean)


def test_it_is_stored_as_plain_lists():
    found = learn_population(np.eye(4), crowd(np.arange(4.0), np.eye(4), 5, 10, np.random.default_rng(4)))
    again = Population.from_plain(found.plain())
    assert again.plain() == found.plain()
    np.testing.assert_allclose(again.mean, found.mean, atol=1e-4)
    for broken in ({}, {**found.plain(), "rest": 0}, {**found.plain(), "mean": ["a"]}):
        with pytest.raises(SettingError):
            Population.from_plain(broken)


def test_populations_of_earlier_versions_say_nothing_of_less():
    known = {"people": 4, "mean": [1.0, -1.0], "factor": [[0.5], [0.0]], "rest": 2.0}
    found = Population.from_plain(known)
    assert found.plain() == known
    np.testing.assert_allclose(found.covariance(np.eye(2)), [[4.25, 0], [0, 4]])


def test_what_is_well_known_does_not_share_the_spread_of_what_nobody_was_asked():
    """Features act on all items, and many people agree about them; nobody was asked about most items' own appeal."""
    rng = np.random.default_rng(7)
    turn = np.linalg.qr(rng.normal(size=(30, 30)))[0]
    variances = np.repeat([9.0, 0.1], [3, 27])  # in scores: of three features, and of what is each item's own
    mixed = np.diag(np.sqrt(variances)) @ turn
    covariance = np.diag(np.concatenate([[2.0, 3.0, 4.0], np.linspace(7.0, 10.0, 27)]))
    more, less, spread = telling_directions(covariance, variances)
    found = more @ more.T - less @ less.T + spread**2 * np.eye(30)
    assert np.linalg.eigvalsh(found)[0] > 0
    exact, kept = (mixed.T @ each @ mixed for each in (covariance, found))  # of scores
    assert np.trace(kept) == pytest.approx(np.trace(exact))
    assert np.linalg.norm(kept - exact) < 0.02 * np.linalg.norm(exact)
    assert more.shape[1] + less.shape[1] == MAX_DIRECTIONS


def test_a_new_person_against_a_long_run(monkeypatch):
    """The population is one shape of several; draws of the prior are weighed by the exact likelihood."""
    monkeypatch.setattr(shaped, "PILOT_DRAWS", 400)
    rng = np.random.default_rng(5)
    features = rng.normal(size=(6, 2))
    shapes, weights = (LINEAR, INDIVIDUAL), np.array([0.6, 0.4])
    population = Population(12, np.array([2.0, 1, 0, 0, -1, -2]), 0.7 * rng.normal(size=(6, 2)), 0.6)
    factors = [factor(each, features) for each in shapes]
    prior = ShapedScores.prior(ItemScores(6), logistic, shapes, factors, weights, population=population)
    assert prior.shapes[-1] is POPULATION
    assert prior.shape_weights == pytest.approx([0.15, 0.1, 0.75])
    pairs = [(0, 5), (1, 4), (2, 3), (0, 1), (0, 2), (3, 5), (1, 3), (2, 5)]
    answers = [Answer(pair, 1 if place != 3 else -1) for place, pair in enumerate(pairs)]
    posterior = prior
    for answer in answers:
        posterior = posterior.update(answer, rng)

    cells = rng.choice(prior.log_prior.size, DRAWS, p=np.exp(prior.log_prior).ravel())
    chosen, scales = np.unravel_index(cells, prior.log_prior.shape)
    scores = np.empty((DRAWS, 6))
    for place, found in enumerate(prior.known.factors):
        mine = chosen == place
        drawn = rng.normal(size=(mine.sum(), found.shape[1])) @ found.T
        scores[mine] = drawn * prior.scale_grid[scales[mine]][:, None] + prior.known.means[place]
    lapses = rng.choice(shaped.LAPSES, DRAWS, p=shaped.LAPSE_WEIGHTS)
    likelihood = np.ones(DRAWS)
    for answer in answers:
        z = scores[:, answer.atom[0]] - scores[:, answer.atom[1]]
        likelihood *= (1 - lapses) / (1 + np.exp(-z * answer.response)) + lapses / 2
    exact = likelihood / likelihood.sum()
    assert np.abs(posterior.shape_weights - np.bincount(chosen, exact, 3)).sum() / 2 < 0.03
    drawn = posterior.sample(20_000, rng).structures
    for i in range(6):
        for j in range(i):
            ours, theirs = np.tanh(drawn[:, i] - drawn[:, j]), np.tanh(scores[:, i] - scores[:, j])
            assert ours.mean() == pytest.approx(exact @ theirs, abs=0.035), (i, j)


def test_somebody_unlike_the_others_is_served_by_other_shapes():
    rng = np.random.default_rng(6)
    population = Population(40, np.array([4.0, 2, 0, 0, -2, -4]), np.zeros((6, 1)), 0.3)
    prior = ShapedScores.prior(ItemScores(6), logistic, [INDIVIDUAL], [np.eye(6)], np.ones(1), population=population)
    reverse = [Answer((i, j), -1) for i in range(6) for j in range(i + 1, 6)]
    posterior = prior.update_all(reverse, rng)
    assert posterior.shape_weights[-1] < 0.05
    assert posterior.people_before == 40
    mean = posterior.sample(2000, rng).structures.mean(axis=0)
    assert mean[5] > mean[0]
