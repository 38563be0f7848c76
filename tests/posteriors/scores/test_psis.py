"""The Pareto shape of weights whose tail index is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import genpareto

from askwise.posteriors.scores.psis import pareto_shape
from tests.helpers import generator


@pytest.mark.parametrize("shape", [0.2, 0.5, 0.9, 1.5])
def test_generalised_pareto_weights(shape):
    rng = generator(110, int(10 * shape))
    found = []
    for _ in range(20):
        weights = genpareto.rvs(shape, scale=3.0, size=20_000, random_state=rng)
        found.append(pareto_shape(np.log(weights)))
    tail = 3 * np.sqrt(20_000)
    expected = (tail * shape + 5) / (tail + 10)  # ten pseudo-observations at one half
    error = (1 + shape) / np.sqrt(tail) / np.sqrt(20)  # of the mean of 20 fits; asymptotic
    assert abs(np.mean(found) - expected) < 4 * error


@pytest.mark.parametrize(("ratio", "expected"), [(1.5, 1 / 3), (3.0, 2 / 3), (0.8, 0.0)])
def test_a_normal_seen_through_a_narrower_one(ratio, expected):
    """Weights of N(0, ratio) under draws of N(0, 1) have a tail of index 1 - 1 / ratio (variances)."""
    rng = generator(111, int(10 * ratio))
    found = [pareto_shape(-(np.square(rng.standard_normal(50_000)) * (1 / ratio - 1)) / 2) for _ in range(10)]
    if expected:
        assert np.mean(found) == pytest.approx(expected, abs=0.12)  # the tail is Pareto only up to a logarithm
    else:
        assert np.mean(found) < 0.1  # bounded weights


def test_scaling_and_order_do_not_matter():
    rng = generator(112)
    logs = rng.exponential(size=2000)
    shape = pareto_shape(logs)
    assert pareto_shape(rng.permutation(logs) - 700.0) == pytest.approx(shape)


def test_extremes():
    assert pareto_shape(np.zeros(1000)) == 0  # equal weights have no tail
    assert pareto_shape(np.arange(10.0)) == np.inf  # too few to tell
    alone = np.full(1000, -800.0)
    alone[0] = 0.0  # one draw carries everything
    assert pareto_shape(alone) > 0.7
