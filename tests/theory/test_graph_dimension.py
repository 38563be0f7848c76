"""The graph dimension against its definition, and known values against the search."""

from __future__ import annotations

from itertools import combinations, product
from math import comb

import numpy as np
import pytest

from askwise.errors import SettingError
from askwise.structures.clusterings import Clusterings
from askwise.structures.intervals import IntervalClusterings, all_clusterings
from askwise.structures.multiclass import SoftmaxPool
from askwise.theory import clustering_dimension, graph_dimension, line_dimension, linear_dimension
from tests.helpers import generator


def by_definition(table):
    """Is there an f on some set of atoms with, for every subset, a structure equal to f there and different off it?"""
    table = np.asarray(table)
    atoms, values = range(table.shape[1]), np.unique(table)
    for size in range(table.shape[1], 0, -1):
        for chosen in combinations(atoms, size):
            for f in product(values, repeat=size):
                if len({tuple(row) for row in table[:, chosen] == np.array(f)}) == 2**size:
                    return size
    return 0


@pytest.mark.parametrize("trial", range(30))
def test_the_search_is_the_definition(trial):
    rng = generator(940, trial)
    size, atoms, responses = int(rng.integers(1, 40)), int(rng.integers(1, 6)), int(rng.integers(1, 5))
    table = rng.integers(responses, size=(size, atoms))
    expected = by_definition(table)
    assert graph_dimension(table) == (expected, expected)


def test_more_structures_than_one_can_count_on_fingers():
    """All 2^10 patterns on ten atoms, hidden among 30 that repeat them or are constant."""
    cube = np.array(list(product((0, 1), repeat=10)))
    table = np.hstack([cube, np.zeros((1024, 5), dtype=int), 1 - cube, cube[:, :5]])
    assert graph_dimension(table) == (10, 10)


@pytest.mark.parametrize(("points", "k"), [(7, 2), (7, 3), (10, 4)])
def test_intervals_of_the_line(points, k):
    places = (np.arange(points) + 0.5) / points
    family = IntervalClusterings(places)
    structures = all_clusterings((np.arange(1, points) / points).tolist(), most=k, known=(0, 0))
    assert len(structures) == sum(comb(points - 1, cuts) for cuts in range(k))
    table = family.predict(structures, family.draw_atoms(1, generator(941)))
    assert graph_dimension(table) == line_dimension(k) == (2 * (k - 1), 2 * (k - 1))


@pytest.mark.parametrize(("points", "k"), [(4, 3), (5, 4), (6, 3), (6, 6)])
def test_few_points_have_at_most_the_dimension_of_the_line(points, k):
    places = (np.arange(points) + 0.5) / points
    family = IntervalClusterings(places)
    structures = all_clusterings((np.arange(1, points) / points).tolist(), most=k, known=(0, 0))
    table = family.predict(structures, family.draw_atoms(1, generator(942)))
    assert graph_dimension(table).at_most <= min(line_dimension(k).at_most, points - 1)


@pytest.mark.parametrize(("items", "clusters"), [(2, 2), (4, 2), (5, 2), (5, 5)])
def test_clusterings_of_items(items, clusters):
    labels = np.array(list(product(range(clusters), repeat=items)))
    family = Clusterings(items)
    table = family.predict(labels, family.draw_atoms(1, generator(943)))
    assert graph_dimension(table) == clustering_dimension(items) == (items - 1, items - 1)


@pytest.mark.parametrize("dimension", [1, 2, 3, 4])
def test_linear_scores(dimension):
    """Many random weights show every pattern of a few points often enough."""
    rng = generator(944, dimension)
    points, weights = rng.standard_normal((6, dimension)), rng.standard_normal((4000, dimension))
    assert graph_dimension(weights @ points.T > 0) == linear_dimension(dimension) == (dimension, dimension)


@pytest.mark.parametrize(("dimension", "labels"), [(1, 3), (2, 3), (2, 4), (3, 3)])
def test_linear_scores_of_many_labels_stay_within_their_bounds(dimension, labels):
    rng = generator(945, dimension)
    family = SoftmaxPool(rng.standard_normal((7, dimension)), labels=list(range(labels)))
    weights = rng.standard_normal((4000, labels * dimension))
    found = graph_dimension(family.decide(family.predict(weights, np.arange(7))))
    bounds = linear_dimension(dimension, labels)
    assert bounds.at_least <= found.at_least == found.at_most <= bounds.at_most


def test_a_search_that_is_too_long_gives_bounds():
    table = generator(946).integers(2, size=(4000, 60))
    found = graph_dimension(table, max_entries=10**7)
    assert 0 < found.at_least < found.at_most == 11  # 2^11 < 4000 < 2^12
    cube = list(product((0, 1), repeat=3))
    assert graph_dimension(cube, max_entries=1).at_most == 3


@pytest.mark.parametrize("table", [[], [[]], [0, 1], np.zeros((0, 3))])
def test_what_is_no_table_is_refused(table):
    with pytest.raises(SettingError, match="a family is a table of responses, structures by atoms; got shape"):
        graph_dimension(table)


@pytest.mark.parametrize("known", [line_dimension, clustering_dimension, linear_dimension])
def test_senseless_counts_are_refused(known):
    for count in (0, -1, 1.5):
        with pytest.raises(SettingError, match="must be a whole number of at least 1"):
            known(count)
    with pytest.raises(SettingError, match="labels must be a whole number of at least 2"):
        linear_dimension(3, labels=1)
