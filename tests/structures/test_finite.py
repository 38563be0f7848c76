"""Finite families: a table, its responses under any name, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from askwise.errors import SettingError
from askwise.structures import MAX_ATOMS_SCORED_WHOLE, draw_indices, prompt
from askwise.structures.finite import Finite
from askwise.structures.linear import LinearSphere
from askwise.testing import check_family
from tests.helpers import generator


def test_check_family():
    rng = generator(20)
    check_family(Finite(rng.integers(3, size=(5, 7))), np.arange(5))
    check_family(Finite(rng.standard_normal((5, 7)), responses=[-1, 1]), np.arange(5))


def test_predicts_what_the_table_says():
    table = generator(21).integers(4, size=(5, 7))
    family = Finite(table)
    assert (family.predict(np.array([4, 0]), np.array([1, 6, 1])) == table[[4, 0]][:, [1, 6, 1]]).all()
    assert len(family) == 5


def test_decides_for_the_nearest_response():
    family = Finite([[0.2, -3.0, 0.9]], responses=[-1, 1])
    assert family.decide(family.table).tolist() == [[1.0, -1.0, 1.0]]


def test_several_names_for_one_response():
    family = Finite([[0, 1]], responses={"no": 0, "nope": 0, "yes": 1})
    assert family.responses(family.table) == [0, 1]
    shown = family.prompt(1, None)
    assert shown.codes["nope"] == shown.codes["no"] == 0
    assert shown.responses == ("no", "nope", "yes")


@pytest.mark.parametrize("table", [[], [1.0, 2.0], [[1.0, float("nan")]], np.zeros((0, 3)), np.zeros((2, 2, 2))])
def test_refuses(table):
    with pytest.raises(SettingError, match="a finite family needs a table"):
        Finite(table)


def test_small_pools_are_whole_and_large_ones_sampled_without_repeats():
    assert (draw_indices(MAX_ATOMS_SCORED_WHOLE, 10, generator(22)) == np.arange(MAX_ATOMS_SCORED_WHOLE)).all()
    drawn = draw_indices(MAX_ATOMS_SCORED_WHOLE + 1, 500, generator(22))
    assert len(set(drawn.tolist())) == 500
    assert drawn.max() <= MAX_ATOMS_SCORED_WHOLE
    assert (
        draw_indices(MAX_ATOMS_SCORED_WHOLE + 1, MAX_ATOMS_SCORED_WHOLE + 1, generator(22))
        == np.arange(MAX_ATOMS_SCORED_WHOLE + 1)
    ).all()


def test_families_without_a_prompt_show_the_bare_atom():
    shown = prompt(LinearSphere(2), np.array([0.6, 0.8]), generator(23))
    assert shown.options[0].name == "[0.6, 0.8]"
    assert shown.codes == {-1: -1, 1: 1}
