"""Rows of numbers to cluster by, from features or from a similarity matrix.

Features of many dimensions are projected on their leading principal axes: with spherical clouds, hundreds of columns
would drown any answer. A similarity matrix becomes features by classical scaling (its leading eigenvectors).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise.errors import DataError, SettingError
from askwise.options import numbers, whole_number
from askwise.types import Floats

MAX_COMPONENTS = 8  # principal axes of the features
MAX_FEATURE = 1e100  # its square and that of its inverse are still numbers


def feature_rows(count: int, features: Any, similarity: Any, components: int) -> Floats:
    """(N, D): the centred features to cluster by, in at most `components` dimensions; (N, 0) if there are none.

    >>> feature_rows(2, [[1.0, 5.0], [3.0, 5.0]], None, 8).tolist()
    [[-1.0], [1.0]]
    """
    if features is not None and similarity is not None:
        raise SettingError("give features or a similarity matrix, not both")
    components = whole_number("components", components, at_least=1)
    if similarity is not None:
        return classical_scaling(similarity, count, components)
    rows: Floats = np.empty((count, 0)) if features is None else numbers("features", features, "rows of numbers")
    if rows.ndim != 2 or len(rows) != count or not np.isfinite(rows).all():
        raise DataError(f"features must be {count} rows of finite numbers, one an item; got shape {rows.shape}")
    if not rows.shape[1]:
        return rows
    largest = np.abs(rows).max()
    if largest > MAX_FEATURE:
        raise DataError(f"features must lie from -{MAX_FEATURE:g} to {MAX_FEATURE:g}, got {largest:g}")
    rows -= rows.mean(axis=0)
    if rows.shape[1] > components:
        left, lengths, _ = np.linalg.svd(rows, full_matrices=False)
        rows = left[:, :components] * lengths[:components]
    return np.ascontiguousarray(rows[:, np.abs(rows).max(axis=0) > 1 / MAX_FEATURE])


def classical_scaling(similarity: Any, count: int, components: int = MAX_COMPONENTS) -> Floats:
    """Classical scaling: rows whose inner products are closest to a symmetric similarity matrix, doubly centred.

    >>> classical_scaling([[1.0, 0.0], [0.0, 1.0]], 2).round(3).tolist() in ([[0.707], [-0.707]], [[-0.707], [0.707]])
    True
    """
    matrix: Floats = numbers("similarity", similarity, "a symmetric matrix of numbers, one row an item")
    if matrix.shape != (count, count) or not np.isfinite(matrix).all() or not np.allclose(matrix, matrix.T):
        raise DataError(
            f"similarity must be a symmetric matrix of finite numbers, {count} by {count}; got shape {matrix.shape}"
        )
    centred = matrix - matrix.mean(axis=0) - matrix.mean(axis=1)[:, None] + matrix.mean()
    values, vectors = np.linalg.eigh((centred + centred.T) / 2)
    kept = np.argsort(-values)[:components]
    kept = kept[values[kept] > 1e-9 * max(values.max(), 1e-300)]
    return np.ascontiguousarray(vectors[:, kept] * np.sqrt(values[kept]))
