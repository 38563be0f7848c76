"""Covariances of shapes against the features that they stand for."""

from __future__ import annotations

import numpy as np
import pytest

from askwise.posteriors.scores.answer_coordinates import ShapeFactors
from askwise.posteriors.scores.kernels import (
    LINEAR,
    QUADRATIC,
    SQUARES,
    Shape,
    factor,
    label_shapes,
    pivoted_factor,
    scaled,
    shapes_named,
)


def rows(seed, columns):
    return np.random.default_rng(seed).gamma(2.0, size=(20, columns))


def covariance(shape, features):
    found = factor(shape, features)
    return found @ found.T


def of_columns(columns):
    """The covariance of scores that are linear in these columns, with mean variance 1."""
    found = scaled(columns)
    return found @ found.T


@pytest.mark.parametrize("columns", [1, 4])
def test_squares_are_linear_in_the_squares_of_features(columns):
    features = rows(1, columns)
    squares = np.square(scaled(features))
    expected = 0.5 * of_columns(features) + 0.5 * of_columns(squares)
    assert covariance(SQUARES, features) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("columns", [1, 4])
def test_quadratic_is_linear_in_the_products_of_any_two_features(columns):
    features = rows(2, columns)
    centered = scaled(features)
    products = (centered[:, :, None] * centered[:, None, :]).reshape(len(features), -1)
    expected = 0.5 * of_columns(features) + 0.5 * of_columns(products)
    assert covariance(QUADRATIC, features) == pytest.approx(expected, abs=1e-3)


def test_squares_that_are_constant_leave_straight_lines():
    halves = np.repeat([[0.0], [1.0]], 5, axis=0)
    assert covariance(SQUARES, halves) == pytest.approx(covariance(LINEAR, halves), abs=1e-6)


@pytest.mark.parametrize("name", ["learned", "smooth", ["linear", "smooth", "individual"]])
def test_shapes_of_tastes_have_one_variance_and_weights_of_a_whole(name):
    shapes, weights = shapes_named(name, has_features=True)
    assert weights.sum() == pytest.approx(1)
    for shape in shapes:
        assert covariance(shape, rows(3, 3)).diagonal().mean() == pytest.approx(1, abs=1e-3), shape


def test_labels_refuse_parts_that_landmarks_cannot_have():
    with pytest.raises(ValueError, match="linear and smooth parts only"):
        label_shapes(Shape("squares", linear=0.5, squares=0.5))


@pytest.mark.parametrize("shape", [*label_shapes("learned")[0], SQUARES])
def test_draws_have_the_covariance_of_their_shape(shape):
    features, count = np.random.default_rng(3).normal(size=(30, 2)), 200_000
    made = factor(shape, features, intercept=True)
    known = ShapeFactors(None, (made,), np.zeros((1, 30)))
    noise = np.random.default_rng(4).standard_normal((count, made.shape[1]), dtype=np.float32)
    wanted, found = made @ made.T, np.cov(known.scores(0, noise).T)
    # the variance of an entry of a sample covariance, of normal draws
    error = np.sqrt((np.square(wanted) + np.outer(wanted.diagonal(), wanted.diagonal())) / count)
    assert (np.abs(found - wanted) < 5 * error + 1e-5).all()


@pytest.mark.parametrize("rank", [3, 8])
def test_factors_of_full_rank_are_triangular(rank):
    columns = np.random.default_rng(5).normal(size=(8, rank))
    found = pivoted_factor(columns @ columns.T)
    assert found @ found.T == pytest.approx(columns @ columns.T, abs=1e-3)
    assert found.shape == (8, rank)
    assert bool(np.triu(found, 1).any()) == (rank < 8)
