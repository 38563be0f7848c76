"""Closed forms on the line against counting on a fine grid."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.distances.intervals import IntervalMembership, PairDisagreement
from askwise.structures.intervals import hard_clusterings, interval_of
from askwise.testing import check_distance

GRID = 64  # cuts lie on multiples of 1 / GRID, so that counting its cells is exact
cuts = st.lists(st.integers(1, GRID).map(lambda i: i / GRID), min_size=3, max_size=3).map(sorted)
clusterings = st.lists(cuts, min_size=2, max_size=6).map(np.array)


@given(structures=clusterings)
def test_pair_disagreement_against_counting(structures):
    check_distance(PairDisagreement(), structures)
    check_distance(PairDisagreement(points=GRID), structures)
    labels = interval_of(structures, (np.arange(GRID) + 0.5) / GRID)
    together = labels[:, :, None] == labels[:, None, :]  # (S, GRID, GRID)
    differ = (together[:, None] != together[None, :]).sum(axis=(2, 3))
    assert PairDisagreement().pairwise(structures) == pytest.approx(differ / GRID**2, abs=1e-12)
    points = PairDisagreement(points=GRID).pairwise(structures)  # pairs of two different points
    assert points == pytest.approx(differ / (GRID * (GRID - 1)), abs=1e-12)


@given(structures=clusterings, cell=st.integers(0, GRID - 1))
def test_interval_membership_against_counting(structures, cell):
    inside = (cell + 0.5) / GRID
    distance = IntervalMembership(inside)
    check_distance(distance, structures)
    labels = interval_of(structures, (np.arange(GRID) + 0.5) / GRID)
    member = labels == labels[:, [cell]]
    expected = (member[:, None] != member[None, :]).mean(axis=2)
    assert distance.pairwise(structures) == pytest.approx(expected, abs=1e-12)


def test_large_sets_are_worked_through_in_blocks(monkeypatch):
    structures, _ = hard_clusterings(8)
    whole = PairDisagreement().pairwise(structures)
    monkeypatch.setattr("askwise.distances.intervals.MAX_NUMBERS_PER_BLOCK", 2000)
    assert (PairDisagreement().pairwise(structures) == whole).all()
