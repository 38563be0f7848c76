"""Forms against the matrix they stand for; tabled and user-written distances; what verify refuses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.distances import Custom, Dense, Grouped, Overlap, TableDistance, form_of, grouped, verify
from askwise.errors import DistanceError
from askwise.testing import check_distance
from tests.helpers import generator, random_distances

seeds = st.integers(0, 2**32 - 1)


@given(
    seed=seeds, size=st.integers(1, 12), groups=st.integers(1, 5), kind=st.sampled_from(["dense", "grouped", "overlap"])
)
def test_form_equals_its_matrix(seed, size, groups, kind):
    rng = np.random.default_rng(seed)
    mass, weights = rng.random((size, 4)), rng.dirichlet(np.ones(size))
    if kind == "dense":
        matrix = random_distances(rng, size)
        form = Dense(matrix)
    elif kind == "grouped":
        group, between = rng.integers(groups, size=size), random_distances(rng, groups)
        matrix, form = between[np.ix_(group, group)], Grouped(group, between)
    else:
        traits = rng.random((size, groups))
        matrix, form = 0.7 - traits @ traits.T, Overlap(traits, 0.7)
    assert form.apply(weights) == pytest.approx(matrix @ weights, abs=1e-12)
    assert form.quadratic(mass) == pytest.approx(np.diagonal(mass.T @ matrix @ mass), abs=1e-12)
    small = form.quadratic(mass.astype(np.float32))
    assert small.dtype == np.float32
    assert small == pytest.approx(np.diagonal(mass.T @ matrix @ mass), abs=1e-4)


def test_grouped_by_value():
    values = np.array([7, 3, 7, 9])
    form = grouped(values, lambda kept: np.abs(kept[:, None] - kept[None, :]) / 10)
    matrix = np.abs(values[:, None] - values[None, :]) / 10
    assert form.apply(np.full(4, 0.25)) == pytest.approx(matrix @ np.full(4, 0.25))


def test_tabled_and_custom():
    table = random_distances(generator(60), 7)
    check_distance(TableDistance(table), np.arange(7))
    own = Custom(lambda g, h: table[int(g), int(h)])
    check_distance(own, np.arange(7))
    chosen = np.array([4, 1, 1, 6])
    assert own.pairwise(chosen) == pytest.approx(TableDistance(table).pairwise(chosen))
    assert form_of(own, chosen).apply(np.ones(4)) == pytest.approx(table[np.ix_(chosen, chosen)].sum(axis=1))


class Broken:
    def __init__(self, paired, pairwise=None):
        self.function, self.matrix = paired, pairwise

    def paired(self, left, right):
        return self.function(left, right)

    def pairwise(self, structures):
        if self.matrix is not None:
            return self.matrix(structures)
        return np.array([self.function(np.full(len(structures), g), structures) for g in structures])


BROKEN = {
    "is not a number": Broken(lambda g, h: np.where(g == h, np.nan, 0.5)),
    r"must lie in \[0, 1\]": Broken(lambda g, h: 3 * np.abs(g - h)),
    "values from -": Broken(lambda g, h: -np.abs(g - h)),
    "not symmetric": Broken(lambda g, h: np.maximum(g - h, 0.0)),
    "to itself is not zero": Broken(lambda g, h: np.full(len(g), 0.5)),
    "paired and pairwise disagree": Broken(lambda g, h: np.abs(g - h), lambda s: 0.5 * np.abs(s[:, None] - s[None, :])),
    "expected one number a pair": Broken(lambda g, h: np.abs(g - h)[:1], lambda s: np.abs(s[:, None] - s[None, :])),
}


@pytest.mark.parametrize("message", BROKEN)
def test_verify_refuses(message):
    with pytest.raises(DistanceError, match=message) as refusal:
        verify(BROKEN[message], np.linspace(0, 1, 5))
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("value", [1.5, -0.1, float("nan")])
def test_custom_refuses(value):
    with pytest.raises(DistanceError, match="distances must be numbers in"):
        Custom(lambda g, h: value).pairwise(np.arange(3))
