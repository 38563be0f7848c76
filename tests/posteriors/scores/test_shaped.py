"""Scores of learned shape against a long independent run: draws of the prior, weighed by the exact likelihood."""

from __future__ import annotations

import numpy as np
import pytest

from askwise.losses import davidson, logistic
from askwise.posteriors.scores import shaped
from askwise.posteriors.scores.kernels import INDIVIDUAL, LINEAR, Shape, factor
from askwise.posteriors.scores.shaped import ShapedScores
from askwise.structures.choice import ItemScores
from askwise.structures.linear import RowScores
from askwise.types import Answer

SHAPES = (LINEAR, Shape("smooth", linear=0.3, smooth=0.7, length=0.7), INDIVIDUAL)
PRIOR = np.array([0.5, 0.3, 0.2])
DRAWS = 1_000_000


def problem(kind, seed):
    """A prior, and answers that a bent person might give."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(6, 2))
    loss = davidson() if kind == "ties" else logistic
    family = RowScores(6) if kind == "labels" else ItemScores(6, ties=kind == "ties")
    prior = ShapedScores.prior(family, loss, SHAPES, [factor(shape, features) for shape in SHAPES], PRIOR)
    truth = 4 * np.sin(3 * features[:, 0])
    answers = []
    for _ in range(9):
        i, j = sorted(rng.choice(6, 2, replace=False).tolist())
        if kind == "labels":
            answers.append(Answer(i, 1 if truth[i] > 0 else -1))
        else:
            tied = kind == "ties" and rng.random() < 0.3
            answers.append(Answer((i, j), 0 if tied else 1 if truth[i] > truth[j] else -1))
    return prior, answers


def reference_run(prior, answers, rng):
    """Weights of draws of the prior, with their shapes, lapses and scores: by the definition alone."""
    weights = np.exp(prior.log_prior).ravel()
    cells = rng.choice(weights.size, DRAWS, p=weights / weights.sum())
    shapes, scales = np.unravel_index(cells, prior.log_prior.shape)
    scores = np.empty((DRAWS, 6))
    for place, found in enumerate(prior.known.factors):
        mine = shapes == place
        scores[mine] = rng.normal(size=(mine.sum(), found.shape[1])) @ found.T
    scores *= prior.scale_grid[scales][:, None]
    lapses = rng.choice(shaped.LAPSES, DRAWS, p=shaped.LAPSE_WEIGHTS)
    responses = 3 if prior.loss is not logistic else 2
    likelihood = np.ones(DRAWS)
    for answer in answers:
        z = prior.family.predict(scores, np.asarray([answer.atom]))[:, 0]
        chance = np.exp(-prior.loss.value(z, answer.response))
        likelihood *= (1 - lapses) * chance + lapses / responses
    return shapes, lapses, scores, likelihood / likelihood.sum()


def check(prior, answers, posterior, rng):
    shapes, lapses, scores, weights = reference_run(prior, answers, rng)
    expected = np.bincount(shapes, weights, len(SHAPES))
    assert np.abs(posterior.shape_weights - expected).sum() / 2 < 0.03
    assert posterior.lapse == pytest.approx(weights @ lapses, abs=0.008)
    # what pairs of items are thought of: differences, on a scale where the tails of large scores do not count
    drawn = posterior.sample(20_000, rng).structures
    pairs = [(i, j) for i in range(6) for j in range(i)]
    for i, j in pairs:
        ours, theirs = np.tanh(drawn[:, i] - drawn[:, j]), np.tanh(scores[:, i] - scores[:, j])
        mean = weights @ theirs
        spread = ours.std() / np.sqrt(20_000) + np.sqrt(weights @ (theirs - mean) ** 2 * np.square(weights).sum())
        assert ours.mean() == pytest.approx(mean, abs=4 * spread + 0.02), (i, j)


@pytest.mark.parametrize("kind", ["pairs", "ties", "labels"])
@pytest.mark.parametrize("seed", [1, 2])
def test_shapes_lapses_and_scores_against_a_long_run(kind, seed, monkeypatch):
    monkeypatch.setattr(shaped, "PILOT_DRAWS", 400)  # the noise of the weights, not their bias, is set by the draws
    prior, answers = problem(kind, seed)
    rng = np.random.default_rng(seed)
    posterior = prior
    for answer in answers:
        posterior = posterior.update(answer, rng)
    check(prior, answers, posterior, rng)
    check(prior, answers, prior.update_all(answers, rng), rng)


@pytest.mark.parametrize("seed", [0, 1, 4])
@pytest.mark.parametrize("at_once", [False, True])
def test_the_evidence_of_straight_lines_against_quadrature_where_answers_contradict_them(seed, at_once, monkeypatch):
    """Answers of a taste that bends: at large scales some are lapses, and the posterior is narrow in part, and wide."""
    monkeypatch.setattr(shaped, "PILOT_DRAWS", 400)
    rng = np.random.default_rng(seed)
    column = np.sort(rng.normal(size=(12, 1)), axis=0)
    line, truth = factor(LINEAR, column), -4 * (column[:, 0] - np.median(column)) ** 2
    prior = ShapedScores.prior(ItemScores(12), logistic, [LINEAR], [line], np.ones(1))
    pairs = [sorted(rng.choice(12, 2, replace=False).tolist()) for _ in range(10)]
    answers = [Answer((i, j), 1 if truth[i] > truth[j] else -1) for i, j in pairs]
    places = np.linspace(-7, 7, 100_001)
    density = np.exp(-(places**2) / 2) / np.exp(-(places**2) / 2).sum()
    evidence = 0.0
    for scale, weight in zip(prior.scale_grid, np.exp(prior.log_prior[0]), strict=True):
        for lapse, share in zip(shaped.LAPSES, shaped.LAPSE_WEIGHTS, strict=True):
            likelihood = density.copy()
            for answer in answers:
                margin = answer.response * scale * (line[answer.atom[0], 0] - line[answer.atom[1], 0]) * places
                likelihood *= (1 - lapse) * np.exp(-np.logaddexp(0, -margin)) + lapse / 2
            evidence += weight * share * likelihood.sum()
    posterior = prior.update_all(answers, rng) if at_once else prior
    for answer in [] if at_once else answers:
        posterior = posterior.update(answer, rng)
    assert np.logaddexp.reduce(posterior.log_weights) == pytest.approx(np.log(evidence), abs=0.03)
