"""The column-selection distance, written out by hand and in bulk."""

from __future__ import annotations

import numpy as np
import pytest

from askwise.distances.columns import BestColumn
from askwise.errors import DistanceError, SettingError
from askwise.structures.matrices import pack
from askwise.testing import check_distance
from tests.helpers import generator


def by_hand(left, right, score, common=None):
    """The larger of both regrets, each over its own range or over a common one."""
    loss = []
    for own, other in ((left, right), (right, left)):
        scores, chosen = [score(column) for column in own.T], max(range(own.shape[1]), key=lambda j: score(other[:, j]))
        wide = max(scores) - min(scores) if common is None else common
        loss.append(min(1.0, (max(scores) - scores[chosen]) / wide) if wide else 0.0)
    return max(loss)


@pytest.mark.parametrize("common", [None, 1.2, 50.0])
@pytest.mark.parametrize(("score", "plain"), [("mean", np.mean), ("max", np.max), ("min", np.min)])
def test_against_the_definition(score, plain, common):
    matrices = generator(1).standard_normal((8, 3, 4))
    distance, structures = BestColumn(score, entry_range=common), pack(matrices, np.ones(8))
    exact = np.array([[by_hand(left, right, plain, common) for right in matrices] for left in matrices])
    assert np.allclose(distance.pairwise(structures), exact)
    assert np.allclose(distance.paired(structures[:4], structures[4:]), np.diagonal(exact[:4, 4:]))


def test_a_common_range_makes_small_differences_small():
    """Where all columns are about as good, the own range calls a tiny loss large."""
    left, right = np.array([[[0.01, 0.0]]]), np.array([[[0.0, 0.01]]])
    assert BestColumn().paired(left, right) == 1
    assert np.isclose(BestColumn(entry_range=4).paired(left, right), 0.01 / 4)


def test_only_the_rows_that_matter_count():
    matrices = generator(2).standard_normal((6, 5, 4))
    assert np.array_equal(BestColumn(rows=[1, 3]).pairwise(matrices), BestColumn().pairwise(matrices[:, [1, 3]]))


def test_a_score_of_one_s_own():
    matrices = generator(3).standard_normal((6, 5, 4))
    own = BestColumn(lambda some: some.mean(axis=1))
    assert np.array_equal(own.pairwise(matrices), BestColumn().pairwise(matrices))


def test_columns_that_score_alike_lose_nothing():
    flat, steep = np.ones((1, 2, 3)), np.arange(6.0).reshape(1, 2, 3)
    assert BestColumn().paired(flat, flat) == 0
    assert BestColumn().paired(flat, steep) == 1  # the first of equal columns is the worst of the other matrix


@pytest.mark.parametrize("score", ["mean", "max", "min"])
def test_the_shipped_check(score):
    rng = generator(4)
    check_distance(BestColumn(score, rows=[0, 2]), pack(rng.standard_normal((12, 3, 4)), np.ones(12)))
    check_distance(BestColumn(score, entry_range=2), pack(rng.standard_normal((12, 3, 4)), np.ones(12)))
    check_distance(BestColumn(score), np.repeat(rng.standard_normal((3, 3, 4)), 2, axis=0))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"score": "median"}, "score is 'median'; expected 'mean', 'max' or 'min'"),
        ({"rows": []}, "list of row numbers"),
        ({"rows": [-1]}, "rows is -1; expected a whole number of at least 0"),
    ],
)
def test_bad_settings_are_refused(options, words):
    with pytest.raises(SettingError, match=words):
        BestColumn(**options)


@pytest.mark.parametrize("score", [lambda some: some.mean(axis=2), lambda some: np.nan * some.mean(axis=1)])
def test_a_score_that_is_none_is_refused(score):
    with pytest.raises(DistanceError, match="expected one finite number a column"):
        BestColumn(score).pairwise(np.ones((2, 3, 4)))
