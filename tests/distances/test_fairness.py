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
    return max(apart, weight * gap(one, two), weight * gap(two, one)) / max(1.0, weight)


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


def test_violation_against_the_truth():
    family = Finite([[1, 1, 1, 1], [1, 1, 0, 0], [0, 1, 0, 1]])
    fair = EqualOpportunity(family, np.arange(4), [True, False, True, False])
    assert fair.violation(np.array([1, 2]), np.array([0])).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("group", "weight", "sentence"),
    [
        ([True], 1.0, "one value for each of 2 atoms"),
        ([True, True], 1.0, "all atoms on one side"),
        ([True, False], 0.0, "weight must be a positive number, got 0.0"),
    ],
)
def test_refuses(group, weight, sentence):
    with pytest.raises(SettingError, match=sentence):
        EqualOpportunity(Finite([[0, 1], [1, 1]]), np.arange(2), group, weight)
