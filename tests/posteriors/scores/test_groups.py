"""The scores of a group against draws of the prior weighed by the exact likelihood, and against its two limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from askwise.losses import davidson, logistic
from askwise.posteriors.scores import shaped
from askwise.posteriors.scores.groups import SHARES, group_factor, group_prior, share_weights
from askwise.posteriors.scores.kernels import INDIVIDUAL, LINEAR, factor
from askwise.posteriors.scores.shaped import ShapedScores
from askwise.structures.choice import ItemScores
from askwise.structures.groups import GroupChoice
from askwise.types import Answer
from benchmarks.calibration import draw_truth, respond, shares_below

PEOPLE, ITEMS, DRAWS, OURS = 3, 3, 1_000_000, 20_000
NAMES = ["Ann", "Ben", "Cleo"]


def group(ties=False, features=0, shares=(0.1, 0.5, 0.9), seed=0, **options):
    rows = np.random.default_rng(seed).standard_normal((ITEMS, features))
    shapes, weights = ((LINEAR, INDIVIDUAL), np.array([0.6, 0.4])) if features else ((INDIVIDUAL,), np.ones(1))
    family, loss = GroupChoice(NAMES, ITEMS, ties=ties), davidson() if ties else logistic
    return group_prior(family, loss, PEOPLE, rows, shapes, weights, shares=shares, **options)


def some_answers(rng, count, ties=False, opposed=False, flipped=0.0):
    """Everybody has an order of their own; that of Cleo is like those of the others unless she is `opposed`. A share of
    the answers is `flipped`, so that answers contradict each other."""
    orders = [(0, 1, 2), (0, 2, 1), (2, 1, 0) if opposed else (1, 0, 2)]
    found = []
    for _ in range(count):
        person = int(rng.integers(PEOPLE))
        i, j = sorted(rng.choice(ITEMS, 2, replace=False).tolist())
        prefers = 1 if orders[person].index(i) < orders[person].index(j) else -1
        prefers = -prefers if rng.random() < flipped else prefers
        found.append(Answer((person, i, j), 0 if ties and rng.random() < 0.3 else prefers))
    return found


def updated(prior, answers, rng):
    for answer in answers:
        prior = prior.update(answer, rng)
    return prior


def long_run(prior, answers, rng):
    """Shares, scores and weights of draws of the prior: by the definition alone, without the factors of the code."""
    weights = np.exp(prior.log_prior).ravel()
    cells = rng.choice(weights.size, DRAWS, p=weights / weights.sum())
    shapes, scales = np.unravel_index(cells, prior.log_prior.shape)
    scores = np.empty((DRAWS, PEOPLE, ITEMS))
    shares = np.array([shape.share for shape in prior.shapes])[shapes]
    for kind in {shape.own for shape in prior.shapes}:  # 1: individual, 0: linear
        mine = np.array([shape.own == kind for shape in prior.shapes])[shapes]
        alone = np.eye(ITEMS) if kind else prior.alone
        common, own = (rng.standard_normal((mine.sum(), size, alone.shape[1])) @ alone.T for size in (1, PEOPLE))
        share = shares[mine][:, None, None]
        scores[mine] = np.sqrt(share) * common + np.sqrt(1 - share) * own
    scores *= prior.scale_grid[scales][:, None, None]
    lapses = rng.choice(shaped.LAPSES, DRAWS, p=shaped.LAPSE_WEIGHTS)
    responses, likelihood = 2 if prior.loss is logistic else 3, np.ones(DRAWS)
    for answer in answers:
        person, i, j = answer.atom
        chance = np.exp(-prior.loss.value(scores[:, person, i] - scores[:, person, j], answer.response))
        likelihood *= (1 - lapses) * chance + lapses / responses
    return shares, scores.reshape(DRAWS, -1), likelihood / likelihood.sum()


def check_differences(ours, scores, weights):
    """What everybody thinks of pairs of items and people of each other's: where large scores do not count."""
    for first in range(PEOPLE * ITEMS):
        for second in range(first):
            a, b = np.tanh(ours[:, first] - ours[:, second]), np.tanh(scores[:, first] - scores[:, second])
            mean = weights @ b
            error = a.std() / np.sqrt(len(a)) + np.sqrt(weights @ (b - mean) ** 2 * np.square(weights).sum())
            assert a.mean() == pytest.approx(mean, abs=4 * error), (first, second)


@pytest.mark.parametrize(
    ("seed", "options", "told"),
    [
        (1, {}, {}),
        (2, {}, {"opposed": True}),
        (3, {"ties": True}, {"ties": True}),
        (4, {"features": 2}, {}),
        (5, {}, {"flipped": 0.25}),
        (6, {"ties": True}, {"ties": True, "flipped": 0.25}),
        (6, {"features": 2}, {"flipped": 0.25}),  # large scales have modes that their own references miss
        (18, {"features": 2}, {"flipped": 0.25}),
    ],
)
def test_shares_and_scores_against_a_long_run(seed, options, told, monkeypatch):
    monkeypatch.setattr(shaped, "PILOT_DRAWS", 200)  # the noise of the weights, not their bias, is set by the draws
    monkeypatch.setattr(shaped, "TRAJECTORIES", 8)  # the default leaves one or two hundredths
    prior = group(seed=seed, **options)
    rng = np.random.default_rng(seed)
    answers = some_answers(rng, 12, **told)
    posterior = updated(prior, answers, rng)
    if "features" in options:
        rows = np.random.default_rng(seed).standard_normal((ITEMS, options["features"]))
        object.__setattr__(prior, "alone", factor(LINEAR, rows))
    shares, scores, weights = long_run(prior, answers, rng)
    found = share_weights(posterior)
    expected = {share: float(weights[shares == share].sum()) for share in found}
    assert sum(abs(found[share] - expected[share]) for share in found) / 2 < 0.03
    check_differences(posterior.sample(OURS, rng).structures, scores, weights)


def test_with_all_in_common_it_is_the_pooled_study():
    rng = np.random.default_rng(5)
    answers = some_answers(rng, 12)
    together = updated(group(shares=(1.0,)), answers, rng)
    pooled = ShapedScores.prior(ItemScores(ITEMS), logistic, (INDIVIDUAL,), [np.eye(ITEMS)], np.ones(1))
    pooled = updated(pooled, [Answer(answer.atom[1:], answer.response) for answer in answers], rng)
    ours, theirs = together.sample(OURS, rng).structures, pooled.sample(OURS, rng).structures
    assert np.abs(ours.reshape(OURS, PEOPLE, ITEMS) - ours[:, None, :ITEMS]).max() < 1e-4
    check_differences(ours, np.tile(theirs, PEOPLE), np.full(OURS, 1 / OURS))


def test_with_nothing_in_common_it_is_a_study_for_each(monkeypatch):
    """Scale and lapses are the same for all, so they are fixed here."""
    monkeypatch.setattr(shaped, "LAPSES", np.array([0.05]))
    monkeypatch.setattr(shaped, "LAPSE_WEIGHTS", np.ones(1))
    rng = np.random.default_rng(6)
    answers = some_answers(rng, 14, opposed=True)
    together = updated(group(shares=(0.0,), sigma=2.0), answers, rng).sample(OURS, rng).structures
    for person in range(PEOPLE):
        own = [Answer(answer.atom[1:], answer.response) for answer in answers if answer.atom[0] == person]
        alone = ShapedScores.prior(ItemScores(ITEMS), logistic, (INDIVIDUAL,), [np.eye(ITEMS)], np.ones(1), 2.0)
        theirs = updated(alone, own, rng).sample(OURS, rng).structures
        mine = together[:, person * ITEMS : (person + 1) * ITEMS]
        for i, j in ((0, 1), (0, 2), (1, 2)):
            a, b = np.tanh(mine[:, i] - mine[:, j]), np.tanh(theirs[:, i] - theirs[:, j])
            error = np.hypot(a.std(), b.std()) / np.sqrt(OURS)
            assert a.mean() == pytest.approx(b.mean(), abs=4 * error + 0.01)


def test_the_covariance_is_that_of_the_model():
    alone = np.random.default_rng(0).standard_normal((4, 2))
    for share in (0.0, 0.3, 1.0):
        found = group_factor(alone, 3, share)
        expected = np.kron(share + (1 - share) * np.eye(3), alone @ alone.T)
        assert np.allclose(found @ found.T, expected)


def test_many_shapes_of_little_weight_are_looked_at():
    """No pair of a shape and a share has the weight from which a shape of one person is looked at every time."""
    shapes = (LINEAR, INDIVIDUAL) * 6
    rows, rng = np.random.default_rng(0).standard_normal((ITEMS, 2)), np.random.default_rng(7)
    prior = group_prior(GroupChoice(NAMES, ITEMS), logistic, PEOPLE, rows, shapes, np.full(12, 1 / 12))
    assert updated(prior, some_answers(rng, 14), rng).count == 14


def test_shares_below_the_truth_are_uniform():
    """Simulation-based calibration, in short: of scores, scale, likelihood and lapses."""
    found = []
    for seed in range(120):
        rng = np.random.default_rng(seed)
        prior = group(shares=SHARES)
        truth, answers = draw_truth(prior, rng), []
        for _ in range(12):
            atom = (int(rng.integers(PEOPLE)), *sorted(rng.choice(ITEMS, 2, replace=False).tolist()))
            answers.append(Answer(atom, respond(prior, truth, atom, rng)))
        posterior = prior.update_all(answers[:6], rng).update_all(answers[6:], rng)
        found.append(shares_below(truth, posterior, answers, rng))
    for quantity in ("difference", "scale", "likelihood", "lapse"):
        assert stats.kstest([each[quantity] for each in found], "uniform").pvalue > 1e-3, quantity
