"""Distances between rows of labels against counting members and pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.distances import Grouped
from askwise.distances.clusterings import ClusterOf, ClusterPairs
from askwise.errors import SettingError
from askwise.testing import check_distance
from tests.helpers import generator

row = st.lists(st.integers(0, 4), min_size=6, max_size=6)
clusterings = st.lists(row, min_size=2, max_size=6).map(np.array)


@given(structures=clusterings, item=st.integers(0, 5))
def test_cluster_of_against_counting(structures, item):
    distance = ClusterOf(item)
    check_distance(distance, structures)
    clusters = [{i for i in range(6) if labels[i] == labels[item]} for labels in structures]
    expected = [[1 - len(a & b) / max(len(a), len(b)) for b in clusters] for a in clusters]
    assert distance.pairwise(structures) == pytest.approx(np.array(expected), abs=1e-12)


@given(structures=clusterings)
def test_cluster_pairs_against_counting(structures):
    check_distance(ClusterPairs(), structures)
    together = [{pair for pair in combinations(range(6), 2) if g[pair[0]] == g[pair[1]]} for g in structures]
    expected = [[len(a ^ b) / 15 for b in together] for a in together]
    assert ClusterPairs().pairwise(structures) == pytest.approx(np.array(expected), abs=1e-12)
    assert ClusterPairs().paired(structures[:-1], structures[1:]) == pytest.approx(
        np.array([expected[k][k + 1] for k in range(len(structures) - 1)]), abs=1e-12
    )


def test_names_of_labels_do_not_matter():
    structures = generator(510).integers(4, size=(8, 30))
    renamed = np.array([7, -1, 50, 3])[structures]
    for distance in (ClusterOf(2), ClusterPairs()):
        assert (distance.pairwise(renamed) == distance.pairwise(structures)).all()
        assert distance.paired(renamed, structures) == pytest.approx(np.zeros(8), abs=1e-12)


def test_equal_clusters_are_added_up_first():
    structures = np.repeat(generator(511).integers(3, size=(4, 20)), 8, axis=0)
    form = ClusterOf(0).form(structures)
    assert isinstance(form, Grouped)
    assert len(form.between) <= 4
    check_distance(ClusterOf(0), structures)


def test_large_sets_are_worked_through_in_blocks(monkeypatch):
    structures = generator(512).integers(5, size=(20, 30))
    whole = ClusterPairs().pairwise(structures)
    monkeypatch.setattr("askwise.structures.pair_counts.MAX_ITEMS_PER_CALL", 1500)
    assert (ClusterPairs().pairwise(structures) == whole).all()


def test_an_item_is_a_row():
    with pytest.raises(SettingError, match="item is -1; expected a whole number of at least 0"):
        ClusterOf(-1)
