"""Choices between items: pairs, prompts in random order, and what is refused."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import askwise
from askwise.errors import DataError
from askwise.structures.choice import Choice, ItemScores, pairs_at
from askwise.testing import check_family
from tests.helpers import generator


def test_check_family():
    rng = generator(30)
    check_family(Choice(rng.standard_normal((6, 3))), rng.standard_normal((9, 3)))
    check_family(Choice(rng.standard_normal((6, 3)), ties=True), rng.standard_normal((9, 3)))


@pytest.mark.parametrize("size", [2, 3, 10, 91])
def test_pairs_in_order(size):
    assert pairs_at(np.arange(size * (size - 1) // 2), size).tolist() == [list(p) for p in combinations(range(size), 2)]


def test_pairs_of_very_many_items():
    size = 100_000
    last = size * (size - 1) // 2 - 1
    assert pairs_at(np.array([0, size - 2, size - 1, last]), size).tolist() == [
        [0, 1],
        [0, size - 1],
        [1, 2],
        [size - 2, size - 1],
    ]


def test_many_pairs_are_sampled():
    atoms = Choice(np.eye(100)).draw_atoms(300, generator(31))
    assert atoms.shape == (300, 2)
    assert (atoms[:, 0] < atoms[:, 1]).all()
    assert len({tuple(atom) for atom in atoms.tolist()}) == 300


def test_score_is_the_difference_of_utilities():
    rng = generator(32)
    family, tastes = Choice(rng.standard_normal((6, 3))), rng.standard_normal((4, 3))
    liked = family.utilities(tastes)
    for a, (i, j) in enumerate(family.draw_atoms(20, rng)):
        assert family.predict(tastes, family.draw_atoms(20, rng))[:, a] == pytest.approx(liked[:, i] - liked[:, j])


def test_pairs_near_the_top_are_proposed_where_not_all_are_candidates():
    scores = np.zeros((50, 200))
    for draw in range(50):  # one item is always first, two take turns behind it, others are anywhere
        scores[draw] = generator(34, draw).standard_normal(200)
        scores[draw, [7, 30 + draw % 2, 31 - draw % 2]] = [9, 8, 7]
    proposed = [tuple(pair) for pair in ItemScores(200).propose_atoms(scores, 20).tolist()]
    assert 0 < len(proposed) <= 20
    assert {(7, 30), (7, 31), (30, 31)} <= {*proposed}
    assert all(first < second for first, second in proposed)
    assert len(ItemScores(20).propose_atoms(scores[:, :20], 20)) == 0


def test_a_session_scores_the_proposed_pairs_but_asks_at_random_where_it_should():
    chosen = ItemScores(200).propose_atoms
    for rule in ("expected", "random"):
        session = askwise.best_item([f"item {place}" for place in range(200)], rule=rule, draws=50, seed=3)
        atoms = {tuple(pair) for pair in session.round.fresh_atoms(session.event_log).tolist()}
        proposed = {tuple(pair) for pair in chosen(session.round.sample.structures, 250).tolist()}
        assert (proposed <= atoms) == (rule == "expected")


def test_prompt_means_the_same_whichever_is_left():
    family = Choice(np.eye(3), names=["tea", "coffee", "water"], ties=True)
    sides = set()
    for trial in range(40):
        shown = family.prompt([0, 1], generator(33, trial))
        sides.add(shown.options[0].name)
        better = {"tea": 1, "coffee": -1}
        assert shown.codes["left"] == better[shown.options[0].name]
        assert shown.codes["right"] == better[shown.options[1].name]
        assert (shown.codes["tea"], shown.codes["coffee"], shown.codes["equal"]) == (1, -1, 0)
    assert sides == {"tea", "coffee"}


def test_an_item_may_not_be_called_like_an_answer():
    with pytest.raises(DataError, match="an item is called 'Right', which is also what people answer"):
        Choice(np.eye(2), names=["wrong", "Right"])


@pytest.mark.parametrize("items", [[], [[1.0]], [1.0, 2.0], [[1.0], [float("inf")]]])
def test_refuses(items):
    with pytest.raises(DataError, match="at least two items"):
        Choice(items)
