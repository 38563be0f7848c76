"""Fast normal numbers against the normal distribution."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from askwise._runtime.normals import standard_normals

COUNT = 1_000_000


@pytest.fixture(scope="module")
def numbers():
    return standard_normals((COUNT,), np.random.default_rng(1)).astype(float)


def test_they_are_normal(numbers):
    assert stats.kstest(numbers, "norm").pvalue > 1e-4
    assert stats.kstest(np.square(numbers[: COUNT // 2]) + np.square(numbers[COUNT // 2 :]), "chi2", (2,)).pvalue > 1e-4


@pytest.mark.parametrize("power", [1, 2, 3, 4, 6])
def test_moments(numbers, power):
    def moment(n):
        return float(stats.norm.moment(n))

    error = np.sqrt((moment(2 * power) - moment(power) ** 2) / COUNT)
    assert np.mean(numbers**power) == pytest.approx(moment(power), abs=4 * error)


def test_tails_have_their_share(numbers):
    for bound in (2.0, 3.0, 4.0):
        share = 2 * stats.norm.sf(bound)
        assert np.mean(np.abs(numbers) > bound) == pytest.approx(share, abs=4 * np.sqrt(share / COUNT))


@pytest.mark.parametrize("lag", [1, 2, 3, 500, COUNT // 2])  # two that are half of all apart have one length
def test_numbers_do_not_depend_on_each_other(numbers, lag):
    first, second = numbers[:-lag], numbers[lag:]
    for change in (np.asarray, np.abs, np.square, np.sign):
        assert abs(np.corrcoef(change(first), change(second))[0, 1]) < 4.5 / np.sqrt(len(first))


def test_calls_do_not_depend_on_each_other():
    rng = np.random.default_rng(2)
    first, second = (standard_normals((1000, 101), rng) for _ in range(2))
    assert abs(np.corrcoef(first.ravel(), second.ravel())[0, 1]) < 4.5 / np.sqrt(first.size)


@pytest.mark.parametrize("shape", [(0,), (1,), (3,), (2, 5), (0, 4)])
def test_any_shape_the_same_from_the_same_stream(shape):
    one, two = (standard_normals(shape, np.random.default_rng(3)) for _ in range(2))
    assert one.shape == shape
    np.testing.assert_array_equal(one, two)
