"""Clusterings as functions from pairs to same or different, and how candidate pairs are drawn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.errors import DataError, SettingError
from askwise.structures import prompt
from askwise.structures.clusterings import Clusterings, compact
from askwise.testing import check_family
from tests.helpers import generator

rows = st.integers(1, 5).flatmap(
    lambda count: st.integers(1, 7).flatmap(
        lambda items: st.lists(
            st.lists(st.integers(-3, 9), min_size=items, max_size=items), min_size=count, max_size=count
        )
    )
)


def test_check_family():
    rng = generator(500)
    for family in (Clusterings(7), Clusterings(200), Clusterings(200, around=17)):
        check_family(family, rng.integers(4, size=(6, family.count)))


def test_few_pairs_are_all_candidates_and_many_are_drawn():
    assert len(Clusterings(80).draw_atoms(10, generator(501))) == 80 * 79 // 2
    drawn = Clusterings(300).draw_atoms(500, generator(501))
    assert drawn.shape == (500, 2)
    assert (drawn[:, 0] < drawn[:, 1]).all()
    assert len({*map(tuple, drawn.tolist())}) == 500


@pytest.mark.parametrize(("items", "with_item"), [(150, 149), (600, 250)])
def test_half_of_the_candidates_are_about_the_item(items, with_item):
    drawn = Clusterings(items, around=9).draw_atoms(500, generator(502))
    assert drawn.shape == (500, 2)
    assert (drawn[:, 0] < drawn[:, 1]).all()
    assert (drawn == 9).any(axis=1).sum() == with_item
    assert len({*map(tuple, drawn.tolist())}) == 500


def test_every_pair_without_the_item_can_be_drawn():
    family = Clusterings(100, around=0)
    seen = {tuple(pair) for key in range(60) for pair in family.draw_atoms(500, generator(503, key)).tolist()}
    assert len(seen) > 0.98 * 100 * 99 / 2
    assert max(max(pair) for pair in seen) == 99


def test_prompt_shows_both_in_random_order():
    family = Clusterings(3, ["ant", "bee", "cat"], ["a.png", None, "c.png"])
    shown = [prompt(family, np.array([0, 2]), generator(504, key)) for key in range(20)]
    assert {p.text for p in shown} == {"Do ant and cat belong together?", "Do cat and ant belong together?"}
    assert {p.options[0].image for p in shown} == {"a.png", "c.png"}
    assert all(p.responses == ("same", "different") and p.codes == {"same": 1, "different": 0} for p in shown)


@given(rows)
def test_compact_keeps_who_is_together(labels):
    labels = np.array(labels)
    found = compact(labels)
    assert ((found[:, :, None] == found[:, None, :]) == (labels[:, :, None] == labels[:, None, :])).all()
    for row in found:
        first = [row.tolist().index(label) for label in range(row.max() + 1)]
        assert first == sorted(first)  # 0, 1, ... in the order they appear


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda: Clusterings(1), SettingError),
        (lambda: Clusterings(2.5), SettingError),
        (lambda: Clusterings(3, names=["a"]), DataError),
        (lambda: Clusterings(2, images=["a"]), DataError),
        (lambda: Clusterings(3, around=3), SettingError),
    ],
)
def test_bad_input_gets_one_sentence(call, kind):
    with pytest.raises(kind, match=r"^[^\n]{20,}$"):
        call()
