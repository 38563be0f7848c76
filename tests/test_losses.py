"""Losses: derivatives against finite differences, probabilities that sum to one, extremes that do not overflow."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.errors import SettingError
from askwise.losses import (
    Softmax,
    davidson,
    logistic,
    ordered_logit,
    sigmoid,
    softmax,
    squared,
    value_and_slope,
    zero_one,
)

SCORED = {
    "logistic": (logistic, (-1, 1)),
    "davidson": (davidson(), (-1, 0, 1)),
    "davidson, few ties": (davidson(0.05), (-1, 0, 1)),
    "davidson, many ties": (davidson(100.0), (-1, 0, 1)),
    "two grades": (ordered_logit([0.0, 1.5]), (-2, -1, 1, 2)),
    "grades and ties": (ordered_logit([0.3, 1.0, 4.0]), (-3, -2, -1, 0, 1, 2, 3)),
    "squared": (squared, (-1.5, 0.0, 2.0)),
}
scored = pytest.mark.parametrize(("loss", "responses"), SCORED.values(), ids=SCORED)
scores = st.floats(-20, 20)


@scored
@given(z=scores)
def test_slope_and_curvature_are_the_derivatives(loss, responses, z):
    step = 1e-5
    for y in responses:
        low, high = np.array(z - step), np.array(z + step)
        assert loss.slope(np.array(z), y) == pytest.approx(
            (loss.value(high, y) - loss.value(low, y)) / 2 / step, abs=1e-7
        )
        assert loss.curvature(np.array(z), y) == pytest.approx(
            (loss.slope(high, y) - loss.slope(low, y)) / 2 / step, abs=1e-7
        )


@scored
@given(left=scores, right=scores)
def test_convex(loss, responses, left, right):
    for y in responses:
        ends = loss.value(np.array([left, right]), y)
        assert loss.value(np.array((left + right) / 2), y) <= ends.mean() + 1e-12
        assert (loss.curvature(np.array([left, right]), y) >= 0).all()


@scored
@given(z=scores)
def test_proper_losses_are_probabilities(loss, responses, z):
    total = sum(np.exp(-loss.value(np.array(z), y)) for y in responses)
    assert (abs(total - 1) < 1e-12) == loss.proper


@scored
@pytest.mark.parametrize("z", [-1e4, -745.0, -80.0, 0.0, 80.0, 745.0, 1e4])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_no_overflow(loss, responses, z, dtype):
    z = np.array([z], dtype=dtype)
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        for y in responses:
            for part in (loss.value(z, y), loss.slope(z, y), loss.curvature(z, y), *value_and_slope(loss, z, dtype(y))):
                assert np.isfinite(part).all()


@given(z=scores)
def test_grades_by_the_definition(z):
    """P(y >= g) = sigmoid(z - cut), the same for the other side; the loss is minus the log of the differences."""
    loss, at_least = ordered_logit([0.3, 1.0, 4.0]), lambda end: 1 / (1 + np.exp(end - z))
    ends = [-np.inf, -4.0, -1.0, -0.3, 0.3, 1.0, 4.0, np.inf]
    responses = (-3, -2, -1, 0, 1, 2, 3)
    expected = [at_least(low) - at_least(high) for low, high in itertools.pairwise(ends)]
    assert [float(np.exp(-loss.value(np.array(z), y))) for y in responses] == pytest.approx(expected, abs=1e-12)
    assert [float(each) for each in loss.shares_by_response(np.array(z), responses)] == pytest.approx(
        expected, abs=1e-12
    )


@pytest.mark.parametrize("cuts", [[], [1.0, 1.0], [2.0, 1.0], [-1.0, 1.0], [0.0, np.inf]])
def test_cuts_rise(cuts):
    with pytest.raises(SettingError):
        ordered_logit(cuts)


@pytest.mark.parametrize("z", [-1e4, -30.0, -1.0, 0.0, 1.0, 30.0, 1e4])
def test_logistic_in_its_tails(z):
    assert logistic.value(np.array(z), 1) == pytest.approx(max(-z, 0.0) + np.log1p(np.exp(-abs(z))), rel=1e-14)
    assert sigmoid(np.array(z)) == pytest.approx(float(np.exp(-logistic.value(np.array(z), 1))), rel=1e-12)


@scored
@given(z=scores)
def test_fused_value_and_slope(loss, responses, z):
    for y in responses:
        value, slope = value_and_slope(loss, np.array([z]), float(y))
        assert value == pytest.approx(loss.value(np.array([z]), y), abs=1e-12)
        assert slope == pytest.approx(loss.slope(np.array([z]), y), abs=1e-12)


@scored
def test_curvature_fades_where_the_loss_is_flat(loss, responses):
    if np.isfinite(loss.flat_beyond):
        z = loss.flat_beyond * np.array([-2.0, -1.0001, 1.0001, 2.0])
        assert all((loss.curvature(z, y) < 1e-8).all() for y in responses)
    else:
        assert loss.curvature(np.array(1e6), 0.0) > 1e-8


@given(z=scores)
def test_davidson_without_ties_is_logistic(z):
    rare = davidson(1e-12)
    for y in (-1, 1):
        for part in ("value", "slope", "curvature"):
            assert getattr(rare, part)(np.array(z), y) == pytest.approx(
                getattr(logistic, part)(np.array(z), y), abs=1e-7
            )


def test_equal_items_tie_one_time_in_three():
    assert [float(np.exp(-davidson().value(np.array(0.0), y))) for y in (-1, 0, 1)] == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize("ties", [0.0, -1.0, float("inf"), float("nan")])
def test_davidson_refuses(ties):
    with pytest.raises(SettingError, match=r"ties is .*; expected a number above 0"):
        davidson(ties)


def test_zero_one():
    assert zero_one.value(np.array([[0.0, 1.0], [2.0, 1.0]]), np.array([0, 1])).tolist() == [[0, 0], [1, 0]]
    assert zero_one.slope(np.zeros((2, 3)), 1).shape == zero_one.curvature(np.zeros((2, 3)), 1).shape == (2, 3)


@given(z=st.lists(st.floats(-1e4, 1e4), min_size=2, max_size=5))
def test_softmax_is_a_probability_and_does_not_overflow(z):
    z = np.array(z)
    values = np.array([softmax.value(z, y) for y in range(len(z))])
    assert np.exp(-values).sum() == pytest.approx(1.0, abs=1e-12)
    assert np.isfinite(values).all()


def test_softmax_derivatives():
    z, step = np.array([[0.3, -1.2, 2.0], [0.0, 0.0, 1.0]]), 1e-5
    labels = np.array([2, 0])
    for k in range(3):
        bump = step * (np.arange(3) == k)
        slope = (softmax.value(z + bump, labels) - softmax.value(z - bump, labels)) / 2 / step
        assert softmax.slope(z, labels)[:, k] == pytest.approx(slope, abs=1e-8)
        curvature = (softmax.slope(z + bump, labels) - softmax.slope(z - bump, labels))[:, k] / 2 / step
        assert softmax.curvature(z, labels)[:, k] == pytest.approx(curvature, abs=1e-8)
    two = Softmax()
    assert two.value(np.array([1.5, 0.0]), 0) == pytest.approx(logistic.value(np.array(1.5), 1))
