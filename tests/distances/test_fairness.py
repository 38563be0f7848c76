"""Equal opportunity: against its definition in plain Python, where groups are empty, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from askwise.distances.fairness import EqualOpportunity
from askwise.distances.labels import Disagreement
from askwise.errors import SettingError
from askwise.structures.finite import Finite
from askwise.structures.linear import LinearPool
from askwise.testing import check_distance
from tests.helpers import generator


def by_definition(one, two, group, weight):
    def gap(truth, guess):
        shares = []
        for side in (True, False):
            found = [g for g, t, s in zip(guess, truth, group, strict=True) if t == 1 and s == side]
            if not found:
                return 0.0
            shares.append(sum(found) / len(found))
        return abs(shares[0] - shares[1])

    apart = np.mean([a != b for a, b in zip(one, two, strict=True)])
    return max(apart, min(1.0, weight * max(gap(one, two), gap(two, one))))


@pytest.mark.parametrize("weight", [0.3, 1.0, 4.0])
def test_the_definition(weight):
    rng = generator(90)
    table, group = rng.integers(2, size=(7, 9)), rng.random(9) < 0.4
    group[:2] = True, False
    table[0, group] = 0  # nobody positive in one group
    distance = EqualOpportunity(Finite(table, [0, 1]), np.arange(9), group, weight)
    expected = [[by_definition(one, two, group, weight) for two in table] for one in table]
    assert distance.pairwise(np.arange(7)) == pytest.approx(np.array(expected), abs=1e-6)


def test_check_distance():
    rng = generator(91)
    points = rng.standard_normal((40, 3))
    distance = EqualOpportunity(LinearPool(points), np.arange(40), points[:, 0] > 0.5, 2.0)
    check_distance(distance, rng.standard_normal((15, 3)))


def test_a_small_weight_leaves_disagreement():
    rng = generator(92)
    points, tastes = rng.standard_normal((30, 3)), rng.standard_normal((8, 3))
    family = LinearPool(points)
    fair = EqualOpportunity(family, np.arange(30), points[:, 0] > 0, 1e-6)
    assert fair.pairwise(tastes) == pytest.approx(Disagreement(family, np.arange(30)).pairwise(tastes), abs=1e-5)


@pytest.mark.parametrize("weight", [0.3, 1.0, 5.0])
def test_within_epsilon_errors_and_gap_are_small_in_the_users_units(weight):
    """Closer than epsilon: fewer rows than epsilon differ, and the gap is below epsilon / weight, at any weight."""
    rng = generator(93)
    points = rng.standard_normal((200, 3))
    family, middle = LinearPool(points), rng.standard_normal(3)
    near = middle + np.geomspace(0.001, 1, 60)[:, None] * rng.standard_normal((60, 3))
    fair = EqualOpportunity(family, np.arange(200), points[:, 0] > 0, weight)
    apart = fair.paired(near, np.repeat(middle[None], 60, axis=0))
    differ = Disagreement(family, np.arange(200)).paired(near, np.repeat(middle[None], 60, axis=0))
    gaps = fair.violation(near, middle[None])
    assert len(np.unique(apart)) > 10
    for epsilon in (0.01, 0.05, 0.2, 0.7):
        close = apart <= epsilon
        assert (differ[close] <= epsilon + 1e-6).all()
        assert (weight * gaps[close] <= epsilon + 1e-6).all()


def test_a_fifth_of_the_rows_is_a_fifth_at_any_weight():
    """Two classifiers that differ evenly on 20 % of the rows are not settled at epsilon .05."""
    table = np.ones((2, 20), dtype=int)
    table[1, [0, 1, 10, 11]] = 0  # two of each group
    for weight in (0.5, 1.0, 5.0, 100.0):
        fair = EqualOpportunity(Finite(table, [0, 1]), np.arange(20), np.arange(20) < 10, weight)
        assert fair.pairwise(np.arange(2))[0, 1] == pytest.approx(0.2)


def test_the_phrase_names_the_weight():
    family, atoms, group = Finite([[0, 1], [1, 1]]), np.arange(2), [True, False]
    said = [EqualOpportunity(family, atoms, group, w).phrase.format(what="it", loss=0.05) for w in (1, 5)]
    assert said[0] == "it is wrong about labels or unequal between the groups by 0.050"
    assert said[1] == "it is wrong about labels or, counted 5 times, unequal between the groups by 0.050"


def test_violation_against_the_truth():
    family = Finite([[1, 1, 1, 1], [1, 1, 0, 0], [0, 1, 0, 1]])
    fair = EqualOpportunity(family, np.arange(4), [True, False, True, False])
    assert fair.violation(np.array([1, 2]), np.array([0])).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("group", "weight", "sentence"),
    [
        ([True], 1.0, "one value for each of 2 atoms"),
        ([True, True], 1.0, "all atoms on one side"),
        ([True, False], 0.0, "weight is 0.0; expected a number above 0 and at most"),
    ],
)
def test_refuses(group, weight, sentence):
    with pytest.raises(SettingError, match=sentence):
        EqualOpportunity(Finite([[0, 1], [1, 1]]), np.arange(2), group, weight)
