"""Disagreement against counting, angles against geometry."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.distances.labels import Angle, Disagreement
from askwise.structures.finite import Finite
from askwise.structures.linear import LinearPool, LinearSphere
from askwise.testing import check_distance
from tests.helpers import generator

seeds = st.integers(0, 2**32 - 1)


@given(seed=seeds, labels=st.integers(1, 4), size=st.integers(2, 9), atoms=st.integers(1, 12))
def test_disagreement_is_the_share_of_different_labels(seed, labels, size, atoms):
    table = np.random.default_rng(seed).integers(labels, size=(size, atoms))
    distance = Disagreement(Finite(table, responses=range(max(labels, 2))), np.arange(atoms))
    check_distance(distance, np.arange(size))
    expected = [[np.mean([a != b for a, b in zip(g, h, strict=True)]) for h in table] for g in table]
    assert distance.pairwise(np.arange(size)) == pytest.approx(np.array(expected), abs=1e-12)


@given(seed=seeds, size=st.integers(2, 9), dimension=st.integers(1, 5))
def test_angle(seed, size, dimension):
    vectors = np.random.default_rng(seed).standard_normal((size, dimension))
    check_distance(Angle(), vectors)
    check_distance(Angle(), np.concatenate([vectors, 2 * vectors, -vectors, np.zeros((1, dimension))]))
    assert Angle().paired(vectors, 3 * vectors) == pytest.approx(np.zeros(size), abs=1e-7)
    assert Angle().paired(vectors, -vectors) == pytest.approx(np.ones(size), abs=1e-7)


def test_angle_is_the_disagreement_on_the_sphere():
    rng = generator(61)
    family, pair = LinearSphere(4), rng.standard_normal((2, 4))
    exact = float(Angle().paired(pair[:1], pair[1:])[0])
    found = float(Disagreement(family, family.draw_atoms(40_000, rng)).paired(pair[:1], pair[1:])[0])
    assert abs(found - exact) < 4 * np.sqrt(exact * (1 - exact) / 40_000)


def test_disagreement_of_classifiers_both_ways():
    """Few points make an overlap form, many a dense one; both are checked."""
    rng = generator(62)
    for points in (5, 60):
        distance = Disagreement(LinearPool(rng.standard_normal((points, 3))), np.arange(points))
        check_distance(distance, rng.standard_normal((20, 3)))
