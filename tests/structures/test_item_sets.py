"""Questions about sets of items: the chances of the answers, by the definition, and how they are worded."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from askwise.distances.items import BestItem
from askwise.errors import DataError, SettingError
from askwise.losses import best_worst, best_worst_places, logistic, softmax
from askwise.problem import Problem
from askwise.structures.choice import Choice, ItemScores
from askwise.structures.item_sets import MAX_LISTED_SETS, RANDOM_SETS, ItemSets
from askwise.testing import check_family

KINDS = [(shown, worst) for shown in (3, 4, 6) for worst in (False, True)]


def problem(shown, worst, items=7):
    family = ItemSets(ItemScores(items), shown, worst)
    return Problem(family, BestItem(np.eye(items), scored=True), best_worst if worst else softmax)


def chance(scores, shown, worst, response):
    """Sequential choices by softmax, by the definition."""
    best, last = best_worst_places(response, shown) if worst else (response, None)
    found = np.exp(scores[best]) / np.exp(scores).sum()
    if worst:
        rest = np.delete(scores, best)
        found *= np.exp(-scores[last]) / np.exp(-rest).sum()
    return found


@pytest.mark.parametrize(("shown", "worst"), KINDS)
def test_the_chances_are_sequential_choices_and_sum_to_one(shown, worst):
    rng = np.random.default_rng(1)
    tastes, known = 3 * rng.standard_normal((5, 7)), problem(shown, worst)
    atoms = known.family.draw_atoms(10, rng)[:4]
    chances = known.chances(known.family.predict(tastes, atoms))
    assert chances.sum(axis=0) == pytest.approx(1.0)
    for s in range(5):
        for a, atom in enumerate(atoms):
            exact = [chance(tastes[s, atom], shown, worst, y) for y in range(len(chances))]
            assert chances[:, s, a] == pytest.approx(exact)


@pytest.mark.parametrize("scale", [100.0, 1e4])
def test_the_chances_of_far_scores_are_numbers(scale):
    scores = scale * np.array([[1.0, 0.0, -1.0, 0.5]])
    for loss in (softmax, best_worst):
        assert loss.shares_by_label(scores).sum(axis=0) == pytest.approx(1.0)
        assert np.isfinite(loss.value(scores, 2)).all()


@pytest.mark.parametrize("loss", [softmax, best_worst])
def test_the_losses_are_convex_with_these_slopes(loss):
    rng, step = np.random.default_rng(2), 1e-4
    for y in (0, 2, 1):
        z = 2 * rng.standard_normal(4)
        slopes = [(loss.value(z + step * e, y) - loss.value(z - step * e, y)) / (2 * step) for e in np.eye(4)]
        assert loss.slope(z, y) == pytest.approx(slopes, abs=1e-6)
        bend = np.array([(loss.slope(z + step * e, y) - loss.slope(z - step * e, y)) / (2 * step) for e in np.eye(4)])
        assert np.diagonal(bend) == pytest.approx(loss.curvature(z, y), abs=1e-6)
        assert np.linalg.eigvalsh((bend + bend.T) / 2).min() > -1e-6
        # off the diagonal all are negative: the curvature is that of a graph of pairs
        assert (bend - np.diag(np.diagonal(bend)) < 1e-9).all()


def test_of_two_items_the_softmax_is_the_logistic_loss():
    scores = np.random.default_rng(3).standard_normal((20, 2))
    assert softmax.value(scores, 0) == pytest.approx(logistic.value(scores[:, 0] - scores[:, 1], 1))


@pytest.mark.parametrize(("shown", "worst"), KINDS)
def test_the_family_keeps_its_promises(shown, worst):
    rng = np.random.default_rng(4)
    check_family(problem(shown, worst).family, rng.standard_normal((6, 7)))
    check_family(ItemSets(Choice(rng.standard_normal((7, 3))), shown, worst), rng.standard_normal((6, 3)))


@pytest.mark.parametrize(("shown", "worst"), KINDS)
def test_an_answer_names_the_differences_that_its_chance_depends_on(shown, worst):
    rng, known = np.random.default_rng(5), problem(shown, worst)
    taste, atom = rng.standard_normal((1, 7)), np.arange(7)[-shown:]
    chances = known.chances(known.family.predict(taste, atom[None]))[:, 0, 0]
    for y, exact in enumerate(chances):
        pairs = known.family.differences(atom, y)
        assert len(pairs) == shown * (shown - 1) // 2
        z = taste[0, pairs[:, 0]] - taste[0, pairs[:, 1]]
        parts = [z[: shown - 1], z[shown - 1 : 2 * shown - 3] if worst else z[:0]]
        assert np.prod([1 / (1 + np.exp(-part).sum()) for part in parts]) == pytest.approx(exact)


def test_many_sets_are_drawn_at_random_and_few_are_listed():
    rng = np.random.default_rng(6)
    assert len(ItemSets(ItemScores(8), 4).draw_atoms(500, rng)) == 70
    many = ItemSets(ItemScores(30), 4).draw_atoms(500, rng)
    assert len(many) <= RANDOM_SETS < MAX_LISTED_SETS
    assert (np.diff(many, axis=1) > 0).all()


def test_a_prompt_shows_the_items_in_random_order():
    family = ItemSets(ItemScores(4, names=["tea", "milk", "gin", "rum"]), 3)
    prompts = [family.prompt([0, 1, 3], np.random.default_rng(seed)) for seed in range(60)]
    orders = {tuple(option.name for option in prompt.options) for prompt in prompts}
    assert orders == set(permutations(["tea", "milk", "rum"]))
    assert all(prompt.codes == {"tea": 0, "milk": 1, "rum": 2} for prompt in prompts)
    assert all(prompt.responses == tuple(option.name for option in prompt.options) for prompt in prompts)


def test_a_prompt_for_the_worst_has_a_response_for_each_ordered_pair():
    family = ItemSets(ItemScores(4, names=["tea", "milk", "gin", "rum"]), 3, worst=True)
    prompt = family.prompt([0, 1, 3], np.random.default_rng(0))
    for text, code in prompt.codes.items():
        best, worst = best_worst_places(code, 3)
        assert text == f"{family.names[[0, 1, 3][best]]} > {family.names[[0, 1, 3][worst]]}"
    assert set(prompt.codes.values()) == set(range(6))


def test_names_and_atoms_that_cannot_be_are_refused():
    with pytest.raises(DataError, match="'tea > milk', and an answer is written"):
        ItemSets(ItemScores(3, names=["tea > milk", "gin", "rum"]), 3, worst=True)
    with pytest.raises(SettingError, match="expected 3 different whole numbers from 0 to 4"):
        ItemSets(ItemScores(5), 3).checked_atom([0, 1])
