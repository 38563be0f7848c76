"""The softmax posterior against draws of its prior weighed by the answers, against long runs, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp

from askwise.errors import AnswerError, SettingError
from askwise.losses import softmax
from askwise.posteriors.scores.softmax import SoftmaxPosterior
from askwise.structures.multiclass import SoftmaxPool
from askwise.testing import check_family, check_posterior
from askwise.types import Answer
from tests.helpers import generator


def told(rng, count, features=2, sigma=2.0, fixed=True):
    """A posterior after so many answers of a random classifier, and the answers."""
    family = SoftmaxPool(rng.standard_normal((60, features)), labels=("a", "b", "c"))
    truth = sigma * rng.standard_normal((1, family.dimension))
    posterior, answers = SoftmaxPosterior.prior(family, sigma if fixed else None), []
    for atom in range(count):
        scores = family.predict(truth, np.array([atom]))[0, 0]
        answers.append(Answer(atom, int((scores + rng.gumbel(size=3)).argmax())))
        posterior = posterior.update(answers[-1], rng)
    return posterior, answers


def log_likelihood(family, answers, weights):
    scores = family.predict(weights, np.array([answer.atom for answer in answers]))
    return -softmax.value(scores, np.array([answer.response for answer in answers])).sum(axis=1)


def test_the_potential_by_definition():
    """In the coordinates of the evidence, and its gradient by differences."""
    rng = generator(100)
    posterior, answers = told(rng, 7, features=3)
    evidence = posterior.evidence
    points = rng.standard_normal((4, evidence.rank))
    assert np.allclose(evidence.basis.T @ evidence.basis, np.eye(evidence.rank))
    exact = -log_likelihood(posterior.family, answers, points @ evidence.basis.T)
    value, gradient = evidence.potential_and_gradient(points)
    assert value == pytest.approx(exact, rel=1e-5)
    assert evidence.potential(points) == pytest.approx(value)
    assert evidence.gradient(points) == pytest.approx(gradient)
    for k in range(evidence.rank):
        step = 1e-5 * np.eye(evidence.rank)[k]
        there, back = (
            -log_likelihood(posterior.family, answers, (points + s) @ evidence.basis.T) for s in (step, -step)
        )
        assert gradient[:, k] == pytest.approx((there - back) / 2e-5, abs=1e-3)


def test_the_same_answer_twice_counts_twice():
    rng = generator(104)
    posterior, answers = told(rng, 1)
    twice = posterior.update(answers[0], rng)
    assert twice.evidence.rank == 2
    points = rng.standard_normal((3, 2))
    assert twice.evidence.potential(points) == pytest.approx(2 * posterior.evidence.potential(points), rel=1e-5)


@pytest.mark.parametrize(("features", "count", "sigma"), [(1, 4, 5.0), (1, 12, 2.0), (2, 6, 5.0)])
@pytest.mark.parametrize("at_once", [False, True])
def test_scale_and_weights_against_the_prior_weighed(features, count, sigma, at_once):
    """Draws of the prior, scale and all, weighed by the likelihood: exact but for their number."""
    rng = generator(105, features, count)
    first, answers = told(rng, count, features, sigma, fixed=False)
    size, runs = 300_000, 6
    prior = SoftmaxPosterior.prior(first.family)
    places = rng.choice(len(prior.grid), size, p=np.exp(prior.log_prior))
    weights = prior.grid[places, None] * rng.standard_normal((size, prior.family.dimension))
    logs = log_likelihood(prior.family, answers, weights)
    share = np.exp(logs - logsumexp(logs))
    assert 1 / (share @ share) > 5000
    looked = np.column_stack([np.log(prior.grid[places]), np.log(prior.grid[places]) ** 2, np.tanh(weights / 3)])
    exact = share @ looked
    spread = np.sqrt(share @ looked**2 - exact**2)
    found = []
    for run in range(runs):
        stream = generator(106, features, count, run)
        posterior = prior
        for answer in [] if at_once else answers:
            posterior = posterior.update(answer, stream)
        posterior = posterior.update_all(answers, stream) if at_once else posterior
        draws, logs = posterior.sample(600, stream).structures, np.log(posterior.grid[posterior.places])
        found.append([logs.mean(), (logs**2).mean(), *np.tanh(draws / 3).mean(axis=0)])
    error = spread * np.sqrt(1 / (600 * runs) + share @ share)
    # chains that follow answer by answer may lag by a little: by a tenth of a standard deviation they must not
    assert (np.abs(np.mean(found, axis=0) - exact) < 4 * error + 0.03 * spread).all()


@pytest.mark.parametrize("labels", [3, 5])
def test_the_log_evidence_against_the_mean_likelihood_of_the_prior(labels):
    """Altogether and of each prior scale, after answers that surprise: they are met in parts."""
    rng = generator(109, labels)
    family = SoftmaxPool([[1.0], [-2.0], [3.0], [0.5], [0.0]], labels=range(labels))
    answers = [Answer(0, 1), Answer(2, 1), Answer(0, 0), Answer(1, 2), Answer(2, 0), Answer(4, 1)]
    prior = SoftmaxPosterior.prior(family)
    size, runs = 100_000, 12
    exact, oracle_error, weights = np.empty(13), np.empty(13), rng.standard_normal((size, family.dimension))
    for place, scale in enumerate(prior.grid):
        logs = log_likelihood(family, answers, scale * weights)
        exact[place] = logsumexp(logs) - np.log(size)
        oracle_error[place] = np.exp(logs - exact[place]).std() / np.sqrt(size)
    found, by_scale = [], []
    for run in range(runs):
        posterior, stream = prior, generator(110, labels, run)
        for answer in answers:
            posterior = posterior.update(answer, stream)
        found.append(posterior.log_evidence)
        by_scale.append(posterior.log_evidences())
    error = np.std(found, ddof=1) / np.sqrt(runs)
    assert error < 0.1
    assert abs(np.mean(found) - logsumexp(prior.log_prior + exact)) < 4 * error + 0.03
    usual = prior.log_prior + exact > logsumexp(prior.log_prior + exact) + np.log(0.05)  # enough chains to count
    error = np.sqrt(np.var(np.array(by_scale)[:, usual], axis=0, ddof=1) / runs + oracle_error[usual] ** 2)
    assert (np.abs(np.mean(by_scale, axis=0)[usual] - exact[usual]) < 4 * error + 0.03).all()


def test_surprising_answers_against_the_prior_weighed():
    """Ten labels, each answer another label for nearly the same row: hardly a chain expects the next."""
    rng = generator(111)
    family = SoftmaxPool([[1.0], [1.1], [1.2]], labels=range(10))
    answers = [Answer(0, 0), Answer(0, 0), Answer(1, 1), Answer(2, 2), Answer(1, 3)]
    weights = 3.0 * rng.standard_normal((200_000, 10))
    logs = log_likelihood(family, answers, weights)
    share = np.exp(logs - logsumexp(logs))
    looked = np.tanh(weights / 3)
    exact = share @ looked
    spread = np.sqrt(share @ looked**2 - exact**2)
    found = []
    for run in range(6):
        posterior, stream = SoftmaxPosterior.prior(family, 3.0), generator(112, run)
        for answer in answers:
            posterior = posterior.update(answer, stream)
        found.append(np.tanh(posterior.sample(600, stream).structures / 3).mean(axis=0))
    error = spread * np.sqrt(1 / (600 * 6) + share @ share)
    assert (np.abs(np.mean(found, axis=0) - exact) < 4 * error + 0.03 * spread).all()


def test_chains_do_not_lag_far_behind():
    """Ten features, thirty answers: after each answer's few sweeps against sixty more."""
    rng = generator(107)
    posterior, _ = told(rng, 30, features=10, sigma=3.0, fixed=False)
    long = posterior._swept(60, rng)
    for look in (lambda p: np.log(p.grid[p.places]), lambda p: np.log((p.points**2).sum(axis=1))):
        warm, settled = look(posterior), look(long)
        assert abs(warm.mean() - settled.mean()) < 4 * settled.std() * np.sqrt(2 / 600) + 0.2 * settled.std()


@pytest.mark.parametrize("answers", [3, 30])
def test_a_long_random_walk_agrees(answers):
    """With the scale fixed."""
    rng = generator(101, answers)
    posterior, said = told(rng, answers)
    chains, family = 600, posterior.family
    draws = posterior.sample(chains, rng).structures
    step = np.linalg.cholesky(np.cov(draws.T)).T

    def log_density(weights):
        return log_likelihood(family, said, weights) - (weights**2).sum(axis=1) / 8

    here = 2.0 * rng.standard_normal(draws.shape)
    value = log_density(here)
    for _ in range(600):
        there = here + 0.6 * rng.standard_normal(here.shape) @ step
        new = log_density(there)
        taken = np.log(rng.random(chains)) < new - value
        here, value = np.where(taken[:, None], there, here), np.where(taken, new, value)
    error = np.sqrt((draws.var(axis=0) + here.var(axis=0)) / chains)
    assert (np.abs(draws.mean(axis=0) - here.mean(axis=0)) / error).max() < 4
    assert draws.std(axis=0) / here.std(axis=0) == pytest.approx(np.ones(6), abs=4 * np.sqrt(1 / chains))


def test_draws_of_one_chain_are_hardly_alike():
    """Draws beyond the number of chains: what a certificate adds up, some sweeps apart."""
    rng = generator(108)
    posterior, _ = told(rng, 40, features=5, sigma=3.0, fixed=False)
    atoms, labels = np.arange(60), []
    for _ in range(8):
        posterior = posterior._swept(6, rng)
        inside = posterior.points @ posterior.evidence.basis.T
        labels.append(posterior.family.decide(posterior.family.predict(inside, atoms)))
    wrong = np.array([(batch != labels[0][0]).mean(axis=1) for batch in labels])
    off = wrong - wrong.mean()
    assert (off[1:] * off[:-1]).mean() / (off**2).mean() < 0.1 + 2 / np.sqrt(600 * 7)
    assert len(posterior.sample(1500, rng).structures) == 1500


def test_checks():
    rng = generator(102)
    family = SoftmaxPool(rng.standard_normal((20, 3)), labels=("a", "b", "c", "d"))
    check_family(family, rng.standard_normal((5, 12)))
    check_posterior(SoftmaxPosterior.prior(family), [Answer(0, 1), Answer(3, 2), Answer(3, 0)])
    diagnostics = SoftmaxPosterior.prior(family).update(Answer(0, 1), rng).diagnostics()
    assert diagnostics["answers"] == 1


def test_refuses():
    family = SoftmaxPool(np.eye(3))
    with pytest.raises(SettingError, match="sigma is 0; expected a number"):
        SoftmaxPosterior.prior(family, 0)
    with pytest.raises(AnswerError, match="0 to 2, got 3"):
        SoftmaxPosterior.prior(family).update(Answer(0, 3), generator(103))
    with pytest.raises(SettingError, match="two different labels"):
        SoftmaxPool(np.eye(3), labels=("a", "a"))
