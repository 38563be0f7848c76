"""Distances over items against loops, and Kendall's against SciPy."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from askwise.distances.items import BestItem, BestItemDistance, ItemRegret, KendallTau, TopK, TopKendall
from askwise.errors import DataError, SettingError
from askwise.testing import check_distance

seeds = st.integers(0, 2**32 - 1)
KINDS = {
    "best": BestItem,
    "near the best": BestItemDistance,
    "regret": ItemRegret,
    "top 2": lambda items: TopK(items, 2),
    "kendall": KendallTau,
    "kendall of the top 2": lambda items: TopKendall(items, 2),
}


def draw(seed, size=8, items=6, dimension=3, duplicates=False):
    rng = np.random.default_rng(seed)
    table, tastes = rng.standard_normal((items, dimension)), rng.standard_normal((size, dimension))
    if duplicates:
        table[2:4] = table[1]
        table[4] = table[1] + 1e-12
        tastes[1] = tastes[0]
        tastes[2] = 0.0
    return table, tastes


@pytest.mark.parametrize("kind", KINDS)
@given(seed=seeds, duplicates=st.booleans())
def test_check_distance(kind, seed, duplicates):
    table, tastes = draw(seed, duplicates=duplicates)
    check_distance(KINDS[kind](table), tastes)


@given(seed=seeds)
def test_best_item_regret_and_top_against_loops(seed):
    table, tastes = draw(seed)
    liked = [[sum(w * x for w, x in zip(taste, item, strict=True)) for item in table] for taste in tastes]
    best = [max(range(6), key=row.__getitem__) for row in liked]
    tops = [set(sorted(range(6), key=lambda i, row=row: -row[i])[:2]) for row in liked]
    far = max(np.linalg.norm(a - b) for a in table for b in table)
    size = len(tastes)

    def lost(s, item):
        return (max(liked[s]) - liked[s][item]) / (max(liked[s]) - min(liked[s]))

    loops = {
        "best": lambda s, t: float(best[s] != best[t]),
        "near the best": lambda s, t: np.linalg.norm(table[best[s]] - table[best[t]]) / far,
        "regret": lambda s, t: max(lost(s, best[t]), lost(t, best[s])),
        "top 2": lambda s, t: 1 - len(tops[s] & tops[t]) / 2,
    }
    for kind, loop in loops.items():
        expected = np.array([[loop(s, t) for t in range(size)] for s in range(size)])
        assert KINDS[kind](table).pairwise(tastes) == pytest.approx(expected, abs=1e-9), kind


@given(seed=seeds)
def test_kendall_without_ties(seed):
    table, tastes = draw(seed)
    distance, liked = KendallTau(table), tastes @ table.T
    for s, t in combinations(range(len(tastes)), 2):
        tau = kendalltau(liked[s], liked[t]).statistic
        assert distance.paired(tastes[s : s + 1], tastes[t : t + 1])[0] == pytest.approx((1 - tau) / 2, abs=1e-12)


def test_regret_of_a_taste_without_likes_is_zero():
    flat = ItemRegret(np.eye(3)).paired(np.zeros((1, 3)), np.array([[1.0, 0.0, 0.5]]))
    assert flat == pytest.approx([0.0])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("items", [[[1.0, 2.0]], [1.0, 2.0]])
def test_refuses_too_few_items(kind, items):
    with pytest.raises(DataError, match="at least two rows"):
        KINDS[kind](items)


@pytest.mark.parametrize("k", [0, 3, -1, 1.5])
def test_top_k_refuses(k):
    with pytest.raises(SettingError, match=r"k is .*; expected a whole number from 1 to 2"):
        TopK(np.eye(3), k)


def test_best_item_distance_refuses_equal_items():
    with pytest.raises(DataError, match="all items have the same features"):
        BestItemDistance(np.ones((3, 2)))


def shared_statements(one, two, k, decay):
    """What two orders say alike, pair by pair, as the definition has it."""
    total = 0.0
    for i in one[:k]:
        if i in two[:k]:
            weight = ((one.index(i) + 1) * (two.index(i) + 1)) ** (-decay / 2)
            total += weight * sum(one.index(j) > one.index(i) and two.index(j) > two.index(i) for j in one)
    return total


@pytest.mark.parametrize(("k", "decay"), [(1, 1.0), (2, 1.0), (3, 0.5), (3, 0.0), (4, 2.0)])
def test_top_kendall_on_all_orders(k, decay):
    """Every order of five items against every other one: the definition, its bounds, and 0 only for the same top."""
    orders = list(permutations(range(5)))
    tastes = np.array([[-order.index(item) for item in range(5)] for order in orders], dtype=float)
    found = TopKendall(np.eye(5), k, decay).pairwise(tastes)
    whole = shared_statements(orders[0], orders[0], k, decay)
    expected = [[1 - shared_statements(one, two, k, decay) / whole for two in orders] for one in orders]
    assert found == pytest.approx(np.array(expected), abs=1e-6)
    assert (found == found.T).all()
    assert found.min() >= 0
    assert found.max() <= 1
    same = np.array([[one[:k] == two[:k] for two in orders] for one in orders])
    assert ((found < 1e-6) == same).all()
    apart = np.array([[not set(one[:k]) & set(two[:k]) for two in orders] for one in orders])
    assert (found[apart] == 1).all()
    left, right = np.repeat(tastes, len(tastes), axis=0), np.tile(tastes, (len(tastes), 1))
    assert TopKendall(np.eye(5), k, decay).paired(left, right) == pytest.approx(found.ravel(), abs=1e-6)


@given(seed=seeds)
def test_top_kendall_of_all_places_is_kendall(seed):
    table, tastes = draw(seed)
    plain = TopKendall(table, len(table) - 1, decay=0.0)
    assert plain.pairwise(tastes) == pytest.approx(KendallTau(table).pairwise(tastes), abs=1e-6)


def test_top_kendall_in_blocks_and_bad_options(monkeypatch):
    table, tastes = draw(7)
    whole = TopKendall(table, 3).paired(tastes[:4], tastes[4:])
    monkeypatch.setattr("askwise.distances.items.MAX_COMPARED", 9)
    assert (TopKendall(table, 3).paired(tastes[:4], tastes[4:]) == whole).all()
    assert TopKendall(table, 3).paired(tastes[:0], tastes[:0]).shape == (0,)
    for k, decay in ((0, 1.0), (6, 1.0), (2, -1.0), (2, np.nan)):
        with pytest.raises(SettingError, match=r"^(k|decay) is "):
            TopKendall(table, k, decay)
