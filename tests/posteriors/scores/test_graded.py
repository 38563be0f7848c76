"""Scores from graded answers and of people who prefer a side, against draws of the prior weighed by definition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from askwise.losses import logistic, ordered_logit
from askwise.posteriors.scores import shaped
from askwise.posteriors.scores.kernels import INDIVIDUAL
from askwise.posteriors.scores.position import BIAS_SPREAD, MIN_ANSWERS_ALONE
from askwise.posteriors.scores.shaped import ShapedScores
from askwise.structures.choice import ItemScores
from askwise.structures.linear import RowScores
from askwise.types import Answer

DRAWS = 1_000_000
ITEMS = 3
GRADES = ["slightly", "clearly", "much"]


def prior_of(kind, learns_bias=False):
    grades, ties = ([], False) if kind == "plain" else (GRADES, kind == "ties")
    loss = logistic if kind == "plain" else ordered_logit([1 / 3 if ties else 0.0, 1.0, 2.0])
    family = RowScores(ITEMS, grades=grades) if kind == "labels" else ItemScores(ITEMS, ties=ties, grades=grades)
    one = [INDIVIDUAL], [np.eye(ITEMS)], np.ones(1)
    return ShapedScores.prior(family, loss, *one, learns_bias=learns_bias)


def graded_answers(prior, seed, count=12):
    """Answers of somebody who likes the first item best, and now and then says too much."""
    rng = np.random.default_rng(seed)
    truth, found = np.array([3.0, 1.0, 0.0]), []
    for _ in range(count):
        atom = sorted(rng.choice(ITEMS, 2, replace=False).tolist())
        atom = atom if isinstance(prior.family, ItemScores) else atom[0]
        z = prior.family.predict(truth[None], np.array([atom]))[0, 0] + rng.logistic()
        level = 1 + int(abs(z) > 1.0) + int(abs(z) > 2.5)
        tied = prior.loss.cuts[0] > 0 and abs(z) < 0.4
        found.append(Answer(tuple(atom) if np.ndim(atom) else atom, 0 if tied else int(np.sign(z)) * level))
    return found


def reference_run(prior, answers, rng, bias=0.0):
    """Draws of the prior with their scores and cuts, and their weights: by the definition alone."""
    weights = np.exp(prior.log_prior).ravel()
    cells = rng.choice(weights.size, DRAWS, p=weights / weights.sum())
    cut, scale = np.unravel_index(cells, prior.log_prior.shape)  # of one shape
    scores = prior.scale_grid[scale][:, None] * rng.standard_normal((DRAWS, ITEMS))
    lapses = rng.choice(shaped.LAPSES, DRAWS, p=shaped.LAPSE_WEIGHTS)
    graded = prior.cut_grid is not None
    cuts = prior.cut_grid.cuts[cut] if graded else np.zeros((DRAWS, 1))
    responses = 2 * cuts.shape[1] + bool(cuts[0, 0] > 0)
    people = sorted({answer.who or "" for answer in answers})
    biases = bias * prior.scale_grid[scale][:, None] * rng.standard_normal((DRAWS, len(people)))
    likelihood = np.ones(DRAWS)
    for answer in answers:
        z = prior.family.predict(scores, np.asarray([answer.atom]))[:, 0]
        z = z + answer.left * biases[:, people.index(answer.who or "")]
        level, side = abs(int(answer.response)), -1 if answer.response < 0 else 1
        low = -cuts[:, 0] if level == 0 else cuts[:, level - 1]
        at_least = 1 / (1 + np.exp(low - side * z))
        ends = cuts[:, 0] if level == 0 else cuts[:, level] if level < cuts.shape[1] else np.full(DRAWS, np.inf)
        chance = at_least - 1 / (1 + np.exp(np.minimum(ends - side * z, 700.0)))
        likelihood *= (1 - lapses) * chance + lapses / responses
    return scores, cuts, biases, likelihood / likelihood.sum()


def check_scores(drawn, scores, weights):
    for i in range(ITEMS):
        for j in range(i):
            ours, theirs = np.tanh(drawn[:, i] - drawn[:, j]), np.tanh(scores[:, i] - scores[:, j])
            mean = weights @ theirs
            spread = ours.std() / np.sqrt(len(ours)) + np.sqrt(
                weights @ (theirs - mean) ** 2 * np.square(weights).sum()
            )
            assert ours.mean() == pytest.approx(mean, abs=4 * spread + 0.01), (i, j)


@pytest.mark.parametrize("kind", ["pairs", "ties", "labels"])
def test_grades_against_draws_of_the_prior(kind, monkeypatch):
    monkeypatch.setattr(shaped, "PILOT_DRAWS", 400)
    prior, rng = prior_of(kind), np.random.default_rng(3)
    answers = graded_answers(prior, seed=3)
    posterior = prior.update_all(answers[:4], rng)
    for answer in answers[4:]:
        posterior = posterior.update(answer, rng)
    scores, cuts, _, weights = reference_run(prior, answers, rng)
    check_scores(posterior.sample(20_000, rng).structures, scores, weights)
    logs = np.log(cuts[:, 1:])
    error = np.sqrt((weights @ (logs - weights @ logs) ** 2) * np.square(weights).sum())
    assert np.all(np.abs(np.log(posterior.loss.cuts[1:]) - weights @ logs) < 4 * error + 0.05)


@pytest.mark.parametrize("kind", ["plain", "pairs"])
def test_bias_against_draws_of_the_prior(kind, monkeypatch):
    monkeypatch.setattr(shaped, "PILOT_DRAWS", 400)
    prior, rng = prior_of(kind, learns_bias=True), np.random.default_rng(4)
    answers = graded_answers(prior_of("pairs"), seed=4, count=14)
    sides = np.random.default_rng(1).choice([1, -1], 14)
    plain = (lambda response: int(np.sign(response))) if kind == "plain" else int
    who = ["Ann", "Ben"] * 7
    told = [Answer(a.atom, plain(a.response), w, int(s)) for a, w, s in zip(answers, who, sides, strict=True)]
    told[1::2] = [one._replace(response=one.left * abs(one.response)) for one in told[1::2]]  # Ben says left
    posterior = prior
    for answer in told:
        posterior = posterior.update(answer, rng)
    scores, _, biases, weights = reference_run(prior, told, rng, BIAS_SPREAD)
    check_scores(posterior.sample(20_000, rng).structures, scores, weights)
    drawn = posterior.sample_with_biases(20_000, rng)[1]
    for person, name in enumerate(["Ann", "Ben"]):
        ours, theirs = np.tanh(drawn[name]), np.tanh(biases[:, person])
        mean = weights @ theirs
        spread = ours.std() / np.sqrt(20_000) + np.sqrt(weights @ (theirs - mean) ** 2 * np.square(weights).sum())
        assert ours.mean() == pytest.approx(mean, abs=4 * spread + 0.01)
        assert posterior.biases[name] == pytest.approx(drawn[name].mean(), abs=float(0.25 * drawn[name].std()))
    assert posterior.biases["Ben"] > abs(posterior.biases["Ann"])


def test_bias_waits_for_a_second_person_or_enough_answers():
    prior, rng = prior_of("plain", learns_bias=True), np.random.default_rng(0)
    alone = [Answer((0, 1), 1, "Ann", side) for side in [1, -1] * (MIN_ANSWERS_ALONE // 2)]
    few, off = prior.update_all(alone[:-1], np.random.default_rng(5)), replace(prior, learns_bias=False)
    same = off.update_all(alone[:-1], np.random.default_rng(5))
    assert few.biases == {}
    assert np.array_equal(
        few.sample(50, np.random.default_rng(1)).structures, same.sample(50, np.random.default_rng(1)).structures
    )
    assert few.update(alone[-1], rng).biases.keys() == {"Ann"}
    assert few.update(Answer((0, 1), 1, "Ben", 1), rng).biases.keys() == {"Ann", "Ben"}
    unknown = [one._replace(left=0) for one in [*alone, *alone]]  # answers collected elsewhere
    assert prior.update_all(unknown, rng).biases == {}


def test_always_left_says_nothing_about_items():
    """The order of items stays as open as before, although one person answered forty times."""
    prior, rng = prior_of("plain", learns_bias=True), np.random.default_rng(0)
    pairs = [(0, 1), (0, 2), (1, 2)]
    told = [Answer(pairs[n % 3], side := int(rng.choice([1, -1])), "Ann", side) for n in range(40)]
    drawn = prior.update_all(told, rng).sample(4000, rng).structures
    assert np.bincount(drawn.argmax(axis=1), minlength=3) / 4000 == pytest.approx(1 / 3, abs=0.12)
    believed = replace(prior, learns_bias=False).update_all([one._replace(response=1) for one in told], rng)
    assert (believed.sample(4000, rng).structures.argmax(axis=1) == 0).mean() > 0.9  # what answers could say


def test_grades_change_nothing_before_an_answer():
    rng = np.random.default_rng(0)
    assert [prior_of(kind).answers.responses for kind in ("plain", "pairs", "ties")] == [2, 6, 7]
    drawn = [np.tanh(prior_of(kind).sample(20_000, rng).structures / 5) for kind in ("plain", "pairs")]
    spread = np.sqrt(2 * np.square(drawn[0]).var() / 20_000 / ITEMS)
    assert abs(np.square(drawn[0]).mean() - np.square(drawn[1]).mean()) < 4 * spread
