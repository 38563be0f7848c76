"""Clusterings of the line: membership against counting, the sets of clusterings against enumeration."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.errors import DataError, SettingError
from askwise.structures.intervals import (
    IntervalClusterings,
    Segmentations,
    all_clusterings,
    hard_clusterings,
    interval_of,
)
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


SORTED = Segmentations([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0])


def test_segments_are_runs_of_values():
    """Against counting: two items are together exactly if no cut is between their values."""
    cuts = all_clusterings(SORTED.edges[1:-1], most=6, known=(0.0, 0.0))
    atoms = SORTED.draw_atoms(99, generator(0))
    assert len(atoms) == 20  # of 21 pairs, one has equal values
    values = np.array([3, 1, 4, 1, 5, 9, 2])
    below = np.array([(values < v).mean() for v in values])  # the mass below each item: where its value begins
    for row, predicted in zip(cuts, SORTED.predict(cuts, atoms), strict=True):
        for (i, j), same in zip(atoms, predicted, strict=True):
            low, high = sorted((below[i], below[j]))
            assert same == (not any(low < cut - 1e-9 and cut <= high + 1e-9 for cut in row))


@pytest.mark.parametrize("around", [None, 150])
def test_candidates_of_a_long_table(around):
    values = np.repeat(np.arange(100), 3)
    family = Segmentations(values, around=around)
    atoms = family.draw_atoms(400, generator(1))
    assert (values[atoms[:, 0]] != values[atoms[:, 1]]).all()
    assert 380 <= len(atoms) <= 400
    if around is not None:
        assert (atoms == around).any(axis=1).sum() >= 99  # all its pairs of values


def test_proposed_pairs_halve_what_is_open():
    """Draws that disagree about one place: some proposed pair splits them evenly."""
    family = Segmentations(np.arange(200))
    draws = np.stack([np.full(40, 0.25), np.arange(100, 140) / 200], axis=1)
    for around, pair in ((None, (50, 120)), (60, (60, 120))):
        family = Segmentations(np.arange(200), around=around)
        proposed = family.propose_atoms(draws, 30)
        assert 0 < len(proposed) <= 30
        assert np.abs(family.predict(draws, proposed).mean(axis=0) - 0.5).min() <= 0.026
        assert any(abs(i - pair[0]) + abs(j - pair[1]) <= 1 for i, j in proposed)
    assert len(Segmentations(np.arange(60)).propose_atoms(draws, 30)) == 0  # all pairs are candidates


@pytest.mark.parametrize("values", [[1.0], [2.0, 2.0], [1.0, np.nan], [[1.0, 2.0]]])
def test_segments_need_two_values(values):
    with pytest.raises(DataError, match="one finite number an item, and at least two different ones"):
        Segmentations(values)
