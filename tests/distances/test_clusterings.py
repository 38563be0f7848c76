"""Distances between rows of labels against counting members and pairs."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.distances import Grouped
from askwise.distances.clusterings import MIN_CHANCE, ClusterOf, ClusterPairs
from askwise.errors import SettingError
from askwise.structures.clusterings import compact
from askwise.testing import check_distance
from tests.helpers import generator
from tests.posteriors.six_items import PARTITIONS

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


@given(structures=clusterings, seed=st.integers(0, 999))
def test_no_move_of_an_item_brings_the_centre_closer(structures, seed):
    """Against all 203 clusterings: the centre has no more groups than half of the draws, and no neighbour is better,
    unless items are left alone. That makes it closer still."""
    weights = np.random.default_rng(seed).dirichlet(np.ones(len(structures)))
    means = ClusterPairs().pairwise(structures) @ weights
    centre = ClusterPairs().centre(structures, weights, means)
    groups = np.array([len(set(labels)) for labels in structures.tolist()])
    most = min(count for count in groups if weights[groups <= count].sum() >= 0.5 - 1e-9)
    few = PARTITIONS[PARTITIONS.max(axis=1) < most]
    expected = sum(
        w * ClusterPairs().paired(few, np.tile(g, (len(few), 1))) for w, g in zip(weights, structures, strict=True)
    )
    here = float(weights @ ClusterPairs().paired(np.tile(centre, (len(structures), 1)), structures))
    allowed = groups <= most
    assert here <= means[allowed].min() + 1e-9
    together = sum(w * (labels[:, None] == labels) for w, labels in zip(weights, structures, strict=True))
    for i in range(6):
        mine = np.flatnonzero((centre == centre[i]) & (np.arange(6) != i))
        assert not len(mine) or together[i, mine].mean() >= MIN_CHANCE - 1e-9
    if len(set(centre.tolist())) > most:
        return
    others = [np.delete(few, i, axis=1) for i in range(6)]
    for i in range(6):
        rest = np.delete(centre, i)[None]
        neighbours = ClusterPairs().paired(others[i], np.repeat(rest, len(few), axis=0)) == 0  # only item i may differ
        assert here <= expected[neighbours].min() + 1e-9


def test_the_centre_of_noisy_draws_is_what_they_vary_around():
    rng = generator(513)
    truth = np.repeat(np.arange(5), 12)
    draws = np.where(rng.random((64, 60)) < 0.25, rng.integers(8, size=(64, 60)), truth)
    weights = np.full(64, 1 / 64)
    means = ClusterPairs().pairwise(draws) @ weights
    centre = ClusterPairs().centre(draws, weights, means)
    assert ClusterPairs().paired(centre[None], truth[None]) == 0.0
    assert ClusterPairs().paired(draws[[means.argmin()]], truth[None]) > 0.05


def test_items_that_are_probably_alone_are_alone():
    """Every draw has three groups: two of four items are together, each two in a sixth of the draws."""
    draws = np.tile(np.arange(4), (36, 1))
    for draw, (one, other) in enumerate(list(combinations(range(4), 2)) * 6):
        draws[draw, other] = one
    weights, means = np.full(36, 1 / 36), ClusterPairs().pairwise(draws).mean(axis=1)
    assert ClusterPairs().centre(draws, weights, means).tolist() == [0, 1, 2, 3]


def test_clusterings_into_very_many_groups_stay_as_they_start(monkeypatch):
    draws = generator(514).integers(5, size=(6, 30))
    weights, means = np.full(6, 1 / 6), ClusterPairs().pairwise(draws).mean(axis=1)
    moved = ClusterPairs().centre(draws, weights, means)
    monkeypatch.setattr("askwise.structures.consensus.MAX_CELLS", 10)
    stayed = ClusterPairs().centre(draws, weights, means)
    assert (stayed == compact(draws[[means.argmin()]])[0]).all()
    assert (moved != stayed).any()


@given(structures=clusterings, seed=st.integers(0, 999), item=st.integers(0, 5))
def test_the_centre_is_the_best_cluster_of_any_size_in_the_draws(structures, seed, item):
    """Against all clusters of the item."""
    weights = np.random.default_rng(seed).dirichlet(np.ones(len(structures)))
    distance = ClusterOf(item)
    centre = distance.centre(structures, weights, distance.pairwise(structures) @ weights)
    sizes = set(distance.members(structures).sum(axis=1).tolist())
    clusters = [np.array(inside) for inside in product((0, 1), repeat=6) if inside[item] == 0]
    mean = {
        inside.tobytes(): float(weights @ distance.paired(np.tile(inside, (len(structures), 1)), structures))
        for inside in clusters
        if (inside == 0).sum() in sizes
    }
    own = np.where(centre == centre[item], 0, 1)
    assert mean[own.tobytes()] == pytest.approx(min(mean.values()))
