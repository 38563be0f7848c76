"""Choices between items: pairs, prompts in random order, and what is refused."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from askwise.errors import DataError
from askwise.structures.choice import Choice, pairs_at
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
