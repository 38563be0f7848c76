"""The scores of items in contexts against draws of the prior weighed by the exact likelihood, and against limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from askwise.losses import davidson, logistic
from askwise.posteriors.scores import shaped
from askwise.posteriors.scores.contexts import TASTES, context_factor, context_prior
from askwise.posteriors.scores.groups import SHARES, share_weights
from askwise.posteriors.scores.kernels import INDIVIDUAL, LINEAR, factor
from askwise.posteriors.scores.shaped import ShapedScores
from askwise.structures.choice import ItemScores
from askwise.structures.contexts import ChoiceInContexts
from askwise.types import Answer
from benchmarks.calibration import draw_truth, respond, shares_below

CONTEXTS, ITEMS, DRAWS, OURS = 3, 3, 1_000_000, 20_000


def beliefs(ties=False, features=0, shares=(0.1, 0.5, 0.9), seed=0, contexts=CONTEXTS, **options):
    rows = np.random.default_rng(seed).standard_normal((ITEMS, features))
    shapes, weights = ((LINEAR, INDIVIDUAL), np.array([0.6, 0.4])) if features else ((INDIVIDUAL,), np.ones(1))
    family = ChoiceInContexts([f"context {c}" for c in range(contexts)], ITEMS, ties=ties)
    loss = davidson() if ties else logistic
    return context_prior(family, loss, contexts, rows, shapes, weights, shares=shares, **options), rows


def some_answers(rng, count, ties=False, turned=False, contexts=CONTEXTS):
    """The same order in all contexts; with `turned`, the other way round in one of them."""
    found = []
    for _ in range(count):
        context = int(rng.integers(contexts))
        i, j = sorted(rng.choice(ITEMS, 2, replace=False).tolist())
        prefers = -1 if turned and context == 0 else 1
        found.append(Answer((context, i, j), 0 if ties and rng.random() < 0.3 else prefers))
    return found


def updated(prior, answers, rng):
    for answer in answers:
        prior = prior.update(answer, rng)
    return prior


def long_run(prior, rows, answers, rng):
    """Shares, scores in general and in contexts, and weights of draws of the prior, by the definition alone."""
    weights = np.exp(prior.log_prior).ravel()
    cells = rng.choice(weights.size, DRAWS, p=weights / weights.sum())
    shapes, scales = np.unravel_index(cells, prior.log_prior.shape)
    shares = np.array([shape.share for shape in prior.shapes])[shapes]
    scores = np.empty((DRAWS, 1 + CONTEXTS, ITEMS))
    for kind in {shape.own for shape in prior.shapes}:  # 1: individual, 0: linear
        mine = np.array([shape.own == kind for shape in prior.shapes])[shapes]
        alone = np.eye(ITEMS) if kind else factor(LINEAR, rows)
        share = shares[mine][:, None, None]
        drawn = rng.standard_normal((mine.sum(), 1 + CONTEXTS, alone.shape[1])) @ alone.T
        general = np.sqrt(share) * drawn[:, :1]
        scores[mine] = np.concatenate([general, general + np.sqrt(1 - share) * drawn[:, 1:]], axis=1)
    scores *= prior.scale_grid[scales][:, None, None]
    lapses = rng.choice(shaped.LAPSES, DRAWS, p=shaped.LAPSE_WEIGHTS)
    responses, likelihood = 2 if prior.loss is logistic else 3, np.ones(DRAWS)
    for answer in answers:
        context, i, j = answer.atom
        difference = scores[:, 1 + context, i] - scores[:, 1 + context, j]
        likelihood *= (1 - lapses) * np.exp(-prior.loss.value(difference, answer.response)) + lapses / responses
    return shares, scores.reshape(DRAWS, -1), likelihood / likelihood.sum()


def check_differences(ours, scores, weights, slack=0.01):
    for first in range(ours.shape[1]):
        for second in range(first):
            a, b = np.tanh(ours[:, first] - ours[:, second]), np.tanh(scores[:, first] - scores[:, second])
            mean = weights @ b
            error = a.std() / np.sqrt(len(a)) + np.sqrt(weights @ (b - mean) ** 2 * np.square(weights).sum())
            assert a.mean() == pytest.approx(mean, abs=4 * error + slack), (first, second)


@pytest.mark.parametrize(
    ("seed", "options", "told"),
    [(2, {}, {"turned": True}), (3, {"ties": True}, {"ties": True}), (4, {"features": 2}, {})],
)
def test_shares_and_scores_against_a_long_run(seed, options, told, monkeypatch):
    monkeypatch.setattr(shaped, "PILOT_DRAWS", 400)  # the noise of the weights, not their bias, is set by the draws
    prior, rows = beliefs(seed=seed, **options)
    rng = np.random.default_rng(seed)
    answers = some_answers(rng, 10, **told)
    posterior = updated(prior, answers, rng)
    shares, scores, weights = long_run(prior, rows, answers, rng)
    found = share_weights(posterior)
    expected = {share: float(weights[shares == share].sum()) for share in found}
    assert sum(abs(found[share] - expected[share]) for share in found) / 2 < 0.03
    check_differences(posterior.sample(OURS, rng).structures, scores, weights)


def long_run_with_judges(prior, answers, rng, judges):
    """Tastes, scores in general and weights of draws of the prior, by the definition alone."""
    weights = np.exp(prior.log_prior).ravel()
    cells = rng.choice(weights.size, DRAWS, p=weights / weights.sum())
    shapes, scales = np.unravel_index(cells, prior.log_prior.shape)
    share, taste = (np.array([getattr(s, part) for s in prior.shapes])[shapes][:, None] for part in ("share", "taste"))
    scale = prior.scale_grid[scales][:, None]
    general = np.sqrt(share) * scale * rng.standard_normal((DRAWS, ITEMS))
    within = [general + np.sqrt(1 - share) * scale * rng.standard_normal((DRAWS, ITEMS)) for _ in range(CONTEXTS)]
    own = {name: np.sqrt(taste * share) * scale * rng.standard_normal((DRAWS, ITEMS)) for name in judges}
    lapses, likelihood = rng.choice(shaped.LAPSES, DRAWS, p=shaped.LAPSE_WEIGHTS), np.ones(DRAWS)
    for (context, i, j), response, who, _ in answers:
        thinks = within[context] + own.get(who, 0.0)
        likelihood *= (1 - lapses) / (1 + np.exp(-response * (thinks[:, i] - thinks[:, j]))) + lapses / 2
    return taste[:, 0], general, likelihood / likelihood.sum()


def anchored():
    family = ChoiceInContexts([f"context {c}" for c in range(CONTEXTS)], ITEMS, judges=2)
    known = family, logistic, CONTEXTS, np.zeros((ITEMS, 0)), [INDIVIDUAL], np.ones(1)
    return context_prior(*known, shares=(0.3, 0.8), anchor="ann")


@pytest.mark.parametrize("seed", [1, 2])
def test_tastes_of_judges_against_a_long_run(seed, monkeypatch):
    """One judge agrees with the anchor, and another prefers the opposite."""
    monkeypatch.setattr(shaped, "PILOT_DRAWS", 400)
    rng, prior = np.random.default_rng(seed), anchored()
    told = {"ann": (3, 1), "fair": (4, 1), "odd": (4, -1)}
    answers = [
        answer._replace(who=who, response=side * answer.response)
        for who, (count, side) in told.items()
        for answer in some_answers(rng, count)
    ]
    posterior = prior.update_all(answers, rng)  # one by one, light shapes are looked at now and then
    tastes, general, weights = long_run_with_judges(prior, answers, rng, ("fair", "odd"))
    found = np.array([shape.taste for shape in posterior.shapes])
    for taste in TASTES:
        ours, mine = posterior.shape_weights[found == taste].sum(), tastes == taste
        expected = weights[mine].sum()
        error = np.sqrt(np.square(weights * (mine - expected)).sum())
        assert ours == pytest.approx(expected, abs=4 * error + 0.01)
        assert error < 0.015
    check_differences(posterior.sample(OURS, rng).structures[:, :ITEMS], general, weights)


def test_no_number_of_answers_of_a_judge_settles_what_the_anchor_thinks():
    rng, chance = np.random.default_rng(3), {}
    for who in ("judge", "ann"):
        answers = [Answer((context, 0, 1), 1, who) for context in range(CONTEXTS) for _ in range(20)]
        scores = anchored().update_all(answers, rng).sample(OURS, rng).structures
        chance[who] = float((scores[:, 0] > scores[:, 1]).mean())
    assert 0.7 < chance["judge"] < chance["ann"] - 0.02


def test_a_judge_keeps_the_place_of_the_first_answer():
    rng = np.random.default_rng(4)
    posterior = anchored().update_all([Answer((0, 0, 1), 1, who) for who in ("b", "ann", "a", None)], rng)
    assert posterior.judges.tolist() == ["b", "a"]
    later = posterior.update(Answer((0, 0, 1), 1, "c"), rng).update(Answer((0, 0, 2), 1, "b"), rng)
    atoms = np.array([[0, 0, 1]])
    places = [int(later.atoms_of(who, atoms)[0, 3]) for who in ("b", "a", "c", "ann")]
    assert places == [0, 1, 1, 2]  # there are two places for judges


def test_without_deviations_it_is_the_study_without_contexts():
    rng = np.random.default_rng(5)
    answers = some_answers(rng, 12, turned=True)
    within = updated(beliefs(shares=(1.0,))[0], answers, rng)
    plain = ShapedScores.prior(ItemScores(ITEMS), logistic, (INDIVIDUAL,), [np.eye(ITEMS)], np.ones(1))
    plain = updated(plain, [Answer(answer.atom[1:], answer.response) for answer in answers], rng)
    ours, theirs = within.sample(OURS, rng).structures, plain.sample(OURS, rng).structures
    assert np.abs(ours.reshape(OURS, 1 + CONTEXTS, ITEMS) - ours[:, None, :ITEMS]).max() < 1e-4
    check_differences(ours[:, :ITEMS], theirs, np.full(OURS, 1 / OURS))


def test_answers_in_one_context_say_less_than_the_same_in_many():
    """Ten answers in one context are about that context; they cannot settle how good an item is in general."""
    rng, prior = np.random.default_rng(6), beliefs(contexts=10, shares=(0.5,))[0]
    chance = {}
    for name, contexts in {"one": [0] * 10, "many": range(10)}.items():
        posterior = updated(prior, [Answer((context, 0, 1), 1) for context in contexts], rng)
        scores = posterior.sample(OURS, rng).structures
        chance[name] = float((scores[:, 0] > scores[:, 1]).mean())
    assert chance["one"] < 0.85 < 0.95 < chance["many"]


def test_the_covariance_is_that_of_the_model():
    alone = np.random.default_rng(0).standard_normal((4, 2))
    for share in (0.0, 0.3, 1.0):
        found = context_factor(alone, 3, share).toarray()
        expected = np.kron(share + (1 - share) * np.diag([0.0, 1.0, 1.0, 1.0]), alone @ alone.T)
        assert np.allclose(found @ found.T, expected)


def test_shares_below_the_truth_are_uniform():
    """Simulation-based calibration, in short: of scores, scale, likelihood and lapses."""
    found = []
    for seed in range(80):
        rng, prior = np.random.default_rng(seed), beliefs(shares=SHARES)[0]
        truth, answers = draw_truth(prior, rng), []
        for _ in range(12):
            atom = (int(rng.integers(CONTEXTS)), *sorted(rng.choice(ITEMS, 2, replace=False).tolist()))
            answers.append(Answer(atom, respond(prior, truth, atom, rng)))
        posterior = prior.update_all(answers[:6], rng).update_all(answers[6:], rng)
        found.append(shares_below(truth, posterior, answers, rng))
    for quantity in ("difference", "scale", "likelihood", "lapse"):
        assert stats.kstest([each[quantity] for each in found], "uniform").pvalue > 1e-3, quantity
