"""Clusterings of the line: membership against counting, the sets of clusterings against enumeration."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.errors import SettingError
from askwise.structures.intervals import IntervalClusterings, all_clusterings, hard_clusterings, interval_of
from askwise.testing import check_family
from tests.helpers import generator

cuts = st.lists(
    st.lists(st.sampled_from([i / 16 for i in range(1, 17)]), min_size=3, max_size=3), min_size=1, max_size=6
)


def test_check_family():
    structures, points = hard_clusterings(4)
    check_family(IntervalClusterings(points), structures)
    check_family(IntervalClusterings(), structures)


@given(rows=cuts, positions=st.lists(st.sampled_from([i / 32 for i in range(32)]), min_size=1, max_size=8))
def test_interval_is_the_number_of_cuts_passed(rows, positions):
    structures = np.sort(np.array(rows), axis=1)
    expected = [[sum(cut <= x for cut in row) for x in positions] for row in structures]
    assert interval_of(structures, np.array(positions)).tolist() == expected


def test_same_or_different():
    family = IntervalClusterings(points=[0.9, 0.1, 0.3])
    shown = family.prompt(family.draw_atoms(9, None)[0], None)
    assert (shown.responses, shown.codes) == (("same", "different"), {"same": 1, "different": 0})
    assert [o.name for o in shown.options] == ["0.1", "0.3"]


def test_all_clusterings_are_all():
    grid = [0.1, 0.3, 0.5, 0.7, 0.9]
    found = all_clusterings(grid, most=3, known=(0.25, 0.35))
    free = [0.1, 0.5, 0.7, 0.9]
    expected = {(1.0, 1.0)} | {(c, 1.0) for c in free} | set(combinations(free, 2))
    assert {tuple(row) for row in found.tolist()} == expected
    assert len(found) == len(expected)
    assert all_clusterings(grid, most=1, known=(0.0, 0.05)).shape == (1, 0)


@pytest.mark.parametrize("k", [2, 5, 8])
def test_hard_set(k):
    structures, points = hard_clusterings(k, alpha=0.4)
    assert len(structures) == k * (k + 3) // 2
    assert len(np.unique(structures, axis=0)) == len(structures)
    assert (structures[:, 0] >= 0.4 - 1e-12).all()  # I = [0, alpha] is never cut
    family = IntervalClusterings(points)
    patterns = family.predict(structures, family.draw_atoms(10**6, generator(50)))
    assert len(np.unique(patterns, axis=0)) == len(structures)  # the questions tell all of them apart


@pytest.mark.parametrize("points", [[0.5], [0.5, 1.0], [-0.1, 0.5]])
def test_refuses(points):
    with pytest.raises(SettingError, match=r"at least two positions in \[0, 1\)"):
        IntervalClusterings(points)
