"""Answers about several items: the posterior against draws of the prior that are weighed by the exact likelihood."""

from __future__ import annotations

import numpy as np
import pytest

from askwise.losses import best_worst, logistic, softmax
from askwise.posteriors.scores import shaped
from askwise.posteriors.scores.kernels import INDIVIDUAL, LINEAR, Shape, factor
from askwise.posteriors.scores.lapse_chains import add_losses
from askwise.posteriors.scores.set_chains import add_set_losses
from askwise.posteriors.scores.set_expectations import expected_set_losses, normal_nodes, scratch_space
from askwise.posteriors.scores.shaped import ShapedScores
from askwise.structures.choice import ChoiceAmongMany, ItemScores
from askwise.structures.item_sets import ItemSets
from askwise.types import Answer

KINDS = [(3, False), (3, True), (4, False), (4, True)]
SHAPES = (LINEAR, Shape("smooth", linear=0.3, smooth=0.7, length=0.7), INDIVIDUAL)
DRAWS = 400_000


def answers_of(family, truth, count, rng):
    """What somebody with that truth answers to random questions."""
    loss, answers = best_worst if family.worst else softmax, []
    for _ in range(count):
        atom = np.sort(rng.choice(len(family.names), family.shown, replace=False))
        chances = loss.shares_by_label(family.predict(truth[None], atom[None]))[:, 0, 0]
        answers.append(Answer(tuple(atom.tolist()), int(rng.choice(len(chances), p=chances / chances.sum()))))
    return answers


def likelihood(prior, answers, scores, lapses):
    """Of scores (S, N) with lapses (S,), by the definition alone."""
    found = np.ones(len(scores))
    for answer in answers:
        z = prior.family.predict(scores, np.asarray([answer.atom]))[:, 0]
        chance = np.exp(-prior.loss.value(z, answer.response))
        found *= (1 - lapses) * chance + lapses / len(prior.family.responses(z))
    return found


@pytest.mark.parametrize(("shown", "worst"), KINDS)
def test_means_and_evidence_of_four_items(shown, worst, monkeypatch):
    monkeypatch.setattr(shaped, "PILOT_DRAWS", 1000)
    monkeypatch.setattr(shaped, "SET_TRAJECTORIES", 8)  # the default leaves one or two hundredths of a deviation
    family = ItemSets(ItemScores(4), shown, worst)
    loss, rng = best_worst if worst else softmax, np.random.default_rng(shown)
    prior = ShapedScores.prior(family, loss, [INDIVIDUAL], [np.eye(4)], np.ones(1), sigma=2.0)
    answers = answers_of(family, np.array([3.0, 1.0, 0.0, -2.0]), 6, rng)
    scores = 2 * rng.standard_normal((DRAWS, 4))
    lapses = rng.choice(shaped.LAPSES, DRAWS, p=shaped.LAPSE_WEIGHTS)
    weights = likelihood(prior, answers, scores, lapses)
    posterior = prior.update_all(answers, rng)
    log_error = weights.std() / weights.mean() / np.sqrt(DRAWS)
    assert posterior.log_weights[0] == pytest.approx(np.log(weights.mean()), abs=4 * log_error + 0.05)
    drawn = posterior.sample(20_000, rng).structures
    weights /= weights.sum()
    for i in range(4):
        mean, spread = weights @ scores[:, i], drawn[:, i].std()
        error = spread * np.sqrt(1 / 20_000 + np.square(weights).sum())
        assert drawn[:, i].mean() == pytest.approx(mean, abs=4 * error), i
    assert posterior.lapse == pytest.approx(weights @ lapses, abs=0.01)


@pytest.mark.parametrize(("shown", "worst", "seed"), [(3, True, 1), (4, False, 2), (4, False, 3)])
def test_shapes_and_scores_against_a_long_run(shown, worst, seed, monkeypatch):
    monkeypatch.setattr(shaped, "PILOT_DRAWS", 400)
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(6, 2))
    family = ItemSets(ItemScores(6), shown, worst)
    factors = [factor(shape, features) for shape in SHAPES]
    prior = ShapedScores.prior(family, best_worst if worst else softmax, SHAPES, factors, np.array([0.5, 0.3, 0.2]))
    answers = answers_of(family, 4 * np.sin(3 * features[:, 0]), 6, rng)
    cell_weights = np.exp(prior.log_prior).ravel()
    cells = rng.choice(cell_weights.size, DRAWS, p=cell_weights / cell_weights.sum())
    shapes, scales = np.unravel_index(cells, prior.log_prior.shape)
    scores = np.empty((DRAWS, 6))
    for place, found in enumerate(factors):
        mine = shapes == place
        scores[mine] = rng.normal(size=(mine.sum(), found.shape[1])) @ found.T
    scores *= prior.scale_grid[scales][:, None]
    weights = likelihood(prior, answers, scores, rng.choice(shaped.LAPSES, DRAWS, p=shaped.LAPSE_WEIGHTS))
    weights /= weights.sum()
    one_by_one = prior
    for answer in answers:
        one_by_one = one_by_one.update(answer, rng)
    for posterior in (one_by_one, prior.update_all(answers, rng)):
        expected = np.bincount(shapes, weights, len(SHAPES))
        assert np.abs(posterior.shape_weights - expected).sum() / 2 < 0.06
        drawn = posterior.sample(20_000, rng).structures
        for i, j in zip(*np.tril_indices(6, -1), strict=True):
            ours, theirs = np.tanh(drawn[:, i] - drawn[:, j]), np.tanh(scores[:, i] - scores[:, j])
            mean = weights @ theirs
            spread = ours.std() / np.sqrt(20_000) + np.sqrt(weights @ (theirs - mean) ** 2 * np.square(weights).sum())
            assert ours.mean() == pytest.approx(mean, abs=4 * spread + 0.02), (i, j)


def test_weights_of_features_and_their_scores_agree():
    """With the linear shape, weights of features and scores of items are the same beliefs."""
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((6, 2)) / np.sqrt(2)
    scored = ItemSets(ItemScores(6), 4)
    answers = answers_of(scored, 4 * rows[:, 0], 8, rng)
    weighed = ItemSets(ChoiceAmongMany(rows), 4)
    by_weights = ShapedScores.prior(weighed, softmax, [LINEAR], [np.eye(2)], np.ones(1), 3.0).update_all(answers, rng)
    by_scores = ShapedScores.prior(scored, softmax, [LINEAR], [rows], np.ones(1), 3.0).update_all(answers, rng)
    one, two = by_weights.sample(8000, rng).structures @ rows.T, by_scores.sample(8000, rng).structures
    one, two = one - one[:, :1], two - two[:, :1]
    error = np.sqrt((one.var(axis=0) + two.var(axis=0)) / 8000)
    assert (np.abs(one.mean(axis=0) - two.mean(axis=0)) <= 4 * error + 0.03).all()


def test_equal_answers_add_up_and_strengths_are_powers():
    family, rng = ItemSets(ItemScores(4), 3, worst=True), np.random.default_rng(2)
    prior = ShapedScores.prior(family, best_worst, [INDIVIDUAL], [np.eye(4)], np.ones(1), 2.0, lapses=False)
    answer = Answer((0, 1, 3), 1)
    twice, once = prior.update_all([answer, answer], rng), prior.update(answer, rng)
    assert twice.answers.rows.shape[1] == once.answers.rows.shape[1] == 3
    assert twice.answers.strengths.tolist() == [2.0] * 3
    halved = twice.reweighed([answer, answer], np.full(2, 0.5), rng)
    assert halved.answers.strengths.tolist() == [1.0] * 3
    scores = 2 * rng.standard_normal((DRAWS, 4))
    weights = likelihood(prior, [answer, answer], scores, np.zeros(DRAWS))
    drawn = twice.sample(8000, rng).structures
    error = drawn.std(axis=0) * np.sqrt(1 / 8000 + np.square(weights).sum() / weights.sum() ** 2)
    assert (np.abs(drawn.mean(axis=0) - weights @ scores / weights.sum()) < 4 * error + 0.03).all()


def chain_losses(add, margins, lapses, *layout):
    """Losses and slopes of chains with margins (n, T), as compiled code computes them."""
    real, (count, size) = np.float32, margins.shape
    slopes, totals = margins.astype(real), np.zeros((count, len(lapses)), real)
    none, shares = np.zeros(size, real), np.array(lapses, real)
    tied = np.zeros(size, dtype=bool)
    likelihood = np.ones(size, real), np.zeros(0, dtype=int), tied, real(0), shares, real(2)
    bits, own = np.empty((2, size), np.int32), np.zeros(count, np.int64)
    add(slopes, none, none, likelihood, *layout, own, (bits, bits.view(real)), totals, True)
    return totals, slopes


@pytest.mark.parametrize("lapses", [(0.0,), (0.005, 0.05, 0.15)])
def test_of_two_items_the_compiled_likelihood_is_that_of_pairs(lapses):
    margins = 4 * np.random.default_rng(3).standard_normal((5, 12))
    pairs, sets = chain_losses(add_losses, margins, lapses), chain_losses(add_set_losses, margins, lapses, (1, 0, 1))
    assert sets[0] == pytest.approx(pairs[0], rel=1e-4)
    assert sets[1] == pytest.approx(pairs[1], abs=1e-5)


@pytest.mark.parametrize("lapse", [0.0, 0.1])
def test_of_two_items_the_expectations_are_those_of_pairs(lapse):
    from askwise.posteriors.scores.lapse_expectations import QUADRATURE, expected_losses

    means, spread = np.array([-1.0, 0.5, 2.0]), 0.7
    found, exact = np.zeros((3, 1, 3)), np.zeros((3, 1, 3))
    expected_set_losses(
        0, means, np.full((3, 1), spread), (1, 0), 1, (lapse, 2.0), normal_nodes(1), scratch_space(1), found
    )
    tied = np.zeros(3, dtype=bool)
    table = np.empty((2, 2, len(QUADRATURE[2])))
    expected_losses(means[None], np.full((1, 3), spread), tied, 0.0, np.array([lapse]), 2.0, QUADRATURE, table, exact)
    assert found == pytest.approx(exact, abs=0.02)


@pytest.mark.parametrize(("shown", "worst"), KINDS)
def test_the_curvature_of_a_reference_is_that_of_the_loss(shown, worst):
    """Where scores hardly spread, the rows' curvatures add up to the second derivatives of the loss."""
    rng = np.random.default_rng(4)
    family, loss = ItemSets(ItemScores(shown), shown, worst), best_worst if worst else softmax
    scores, step, y = rng.standard_normal(shown), 1e-4, 1
    pairs = family.differences(np.arange(shown), y)
    rows = np.eye(shown)[pairs[:, 0]] - np.eye(shown)[pairs[:, 1]]
    whole = np.zeros((3, 1, len(rows)))
    layout = (shown - 1, shown - 2 if worst else 0), len(rows)
    nodes, work = normal_nodes(shown - 1), scratch_space(shown - 1)
    expected_set_losses(0, rows @ scores, 0.01 * rows, *layout, (0.0, 1.0), nodes, work, whole)
    found = whole[:, 0]
    exact = [(loss.slope(scores + step * e, y) - loss.slope(scores - step * e, y)) / (2 * step) for e in np.eye(shown)]
    assert found[0, 0] == pytest.approx(loss.value(scores, y), abs=1e-3)
    assert found[1] @ rows == pytest.approx(loss.slope(scores, y), abs=1e-3)
    assert rows.T @ (found[2][:, None] * rows) == pytest.approx(np.array(exact), abs=1e-3)


def test_losses_that_do_not_fit_are_refused():
    for family, loss in ((ItemSets(ItemScores(4), 3), logistic), (ItemScores(4), softmax)):
        with pytest.raises(shaped.SettingError, match=f"for more, not {loss.name}"):
            ShapedScores.prior(family, loss, [INDIVIDUAL], [np.eye(4)], np.ones(1))
    prior = ShapedScores.prior(ItemSets(ItemScores(4), 3), softmax, [INDIVIDUAL], [np.eye(4)], np.ones(1))
    with pytest.raises(ValueError, match="the response is 3; expected a number from 0 to 2"):
        prior.update(Answer((0, 1, 2), 3), np.random.default_rng(0))


def test_ranks_of_the_truth_are_even():
    """Calibration: the rank of a truth that was drawn from the prior, among draws of its posterior, is uniform."""
    family, rng = ItemSets(ItemScores(5), 4, worst=True), np.random.default_rng(5)
    prior = ShapedScores.prior(family, best_worst, [INDIVIDUAL], [np.eye(5)], np.ones(1), 2.0)
    ranks = []
    for _ in range(150):
        truth = 2 * rng.standard_normal(5)
        lapse = rng.choice(shaped.LAPSES, p=shaped.LAPSE_WEIGHTS)
        told = answers_of(family, truth, 5, rng)
        told = [one._replace(response=int(rng.integers(12))) if rng.random() < lapse else one for one in told]
        drawn = prior.update_all(told, rng).sample(63, rng).structures
        ranks.append((drawn[:, 0] - drawn[:, 1] < truth[0] - truth[1]).sum())
    shares = np.histogram(ranks, bins=8, range=(0, 64))[0]
    assert np.square(shares - 150 / 8).sum() / (150 / 8) < 24.3  # one in a thousand, of 7 degrees of freedom
