"""Closed forms on the line against counting on a fine grid."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.distances.intervals import IntervalMembership, PairDisagreement
from askwise.structures.intervals import Segmentations, all_clusterings, hard_clusterings, interval_of
from askwise.testing import check_distance
from tests.helpers import generator

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


def test_large_sets_are_worked_through_in_portions(monkeypatch):
    structures, _ = hard_clusterings(8)
    whole = PairDisagreement().pairwise(structures)
    monkeypatch.setattr("askwise.structures.pair_counts.MAX_ITEMS_PER_CALL", 2000)
    assert (PairDisagreement().pairwise(structures) == whole).all()


def test_equal_clusterings_are_at_no_distance():
    """Thirds and sevenths are rounded, but equal ones are equal, however they are padded."""
    family = Segmentations(np.arange(21))
    draws = all_clusterings(family.edges[[3, 6, 7, 9, 14, 15]], most=7, known=(0.0, 0.0))
    distance = PairDisagreement(points=21)
    padded = np.pad(draws, ((0, 0), (0, 2)), constant_values=1.0)
    assert (distance.paired(draws, padded) == 0).all()
    matrix = distance.pairwise(draws)
    assert ((matrix == 0) == np.eye(len(draws), dtype=bool)).all()
    assert matrix[np.triu_indices(len(draws), 1)].min() == pytest.approx(2 / 210)  # an item joins a segment of two


@pytest.mark.parametrize("seed", range(8))
def test_centres_have_the_least_mean_distance_of_all_clusterings(seed):
    """Against the enumeration of all clusterings by six cuts, with unequal masses and weights."""
    rng = generator(seed, 70)
    edges = np.sort(rng.choice(np.arange(1, GRID), 6, replace=False)) / GRID
    every = all_clusterings(edges, most=7, known=(0.0, 0.0))
    draws, weights = every[rng.choice(len(every), 5, replace=False)], rng.dirichlet(np.ones(5))
    for distance in (PairDisagreement(points=GRID), IntervalMembership((rng.integers(GRID) + 0.5) / GRID)):
        means = [distance.paired(np.repeat(row[None], 5, axis=0), draws) @ weights for row in every]
        centre = distance.centre(draws, weights, np.zeros(5))
        found = distance.paired(np.repeat(centre[None], 5, axis=0), draws) @ weights
        assert found == pytest.approx(min(means), abs=1e-12)
