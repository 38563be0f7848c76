"""Triplet disagreement: against counting, as a distance, and in its two forms."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from askwise.distances import Dense, Overlap, form_of
from askwise.distances.hierarchies import TripletDisagreement
from askwise.errors import SettingError
from askwise.structures.hierarchies import Hierarchies, all_trees, random_trees
from askwise.testing import check_distance
from tests.helpers import generator


def test_counts_triples():
    family = Hierarchies(6)
    trees = random_trees(8, 6, generator(50))
    triples = np.array(list(combinations(range(6), 3)))
    answers = family.predict(trees, triples)
    counted = (answers[:, None] != answers[None]).mean(axis=2)
    assert TripletDisagreement(family).pairwise(trees) == pytest.approx(counted)


@pytest.mark.parametrize("items", [3, 8, 70])
def test_check_distance(items):
    check_distance(TripletDisagreement(Hierarchies(items)), random_trees(20, items, generator(51)))


def test_both_forms_are_the_matrix():
    distance = TripletDisagreement(Hierarchies(5))
    few, many = all_trees(5)[:10], all_trees(5)
    assert isinstance(form_of(distance, few), Dense)
    assert isinstance(form_of(distance, many), Overlap)
    check_distance(distance, many)


def test_some_triples_stand_for_all():
    family = Hierarchies(70)
    trees = random_trees(30, 70, generator(52))
    half = TripletDisagreement(family).triples
    assert half.shape == (20_000, 3)
    assert len(np.unique(half, axis=0)) == 20_000
    rest = TripletDisagreement(family, family.draw_atoms(20_000, generator(53)))
    assert np.abs(TripletDisagreement(family).pairwise(trees) - rest.pairwise(trees)).max() < 4 * np.sqrt(2 / 4 / 2e4)


@pytest.mark.parametrize(
    ("triples", "sentence"),
    [([], "at least one"), ([[0, 1]], r"got shape \(1, 2\)"), ([[0, 1, 4]], "items from 0 to 3, got 4")],
)
def test_refuses(triples, sentence):
    with pytest.raises(SettingError, match=sentence):
        TripletDisagreement(Hierarchies(4), triples)
