"""Columns of vectors, such as embeddings: the directions that differ most between rows are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from askwise.data.tables import rows_named
from askwise.errors import DataError
from askwise.types import Floats

MAX_DIRECTIONS = 32  # of a vector that are features: `python -m benchmarks.embed --directions` compares other numbers
MAX_FITTED_ROWS = 2_000  # evenly spaced, from which directions are computed
DIGITS = 6  # that a study keeps of each number
SMALLEST_SHARE = 1e-9  # of the variance along the first direction


def vector_reading(values: Sequence[Any]) -> dict[str, Any]:
    """How long the vectors of a column are and, beyond `MAX_DIRECTIONS` numbers, the directions that are kept: those
    along which the rows differ most (principal components).

    >>> vector_reading([[1.0, 2.0], [3.0, 4.0]])
    {'kind': 'vector', 'size': 2}
    """
    known = [value for value in values if value is not None]
    size = len(known[0])
    if size <= MAX_DIRECTIONS:
        return {"kind": "vector", "size": size}
    places = np.unique(np.linspace(0, len(known) - 1, MAX_FITTED_ROWS).astype(int))
    points = np.array([known[place] for place in places], dtype=float)
    mean = points.mean(axis=0)
    directions = principal_directions(points - mean, MAX_DIRECTIONS)
    directions = directions if len(directions) else np.eye(1, size)  # all are the same
    return {
        "kind": "vector",
        "size": size,
        "mean": rounded(mean).tolist(),
        "directions": rounded(directions).tolist(),
    }


def principal_directions(centred: Floats, count: int) -> Floats:
    """(k, D): at most `count` orthonormal directions along which centred rows (N, D) vary, the largest variance first.

    The sign of each is such that its largest number is positive.

    >>> principal_directions(np.array([[2.0, 2.0], [-2.0, -2.0], [0.0, 0.0]]), 2).round(3).tolist()
    [[0.707, 0.707]]
    """
    largest = np.abs(centred).max(initial=0.0)
    if largest == 0:
        return np.empty((0, centred.shape[1]))
    scaled = centred / largest
    if len(scaled) <= scaled.shape[1]:
        sizes, axes = np.linalg.eigh(scaled @ scaled.T)
    else:
        sizes, axes = np.linalg.eigh(scaled.T @ scaled)
    kept = np.argsort(-sizes)[:count]
    kept = kept[sizes[kept] > SMALLEST_SHARE * sizes[-1]]
    directions = axes[:, kept].T
    if len(scaled) <= scaled.shape[1]:
        directions = directions @ scaled / np.sqrt(sizes[kept])[:, None]
    largest_at = np.abs(directions).argmax(axis=1)
    return directions * np.where(directions[np.arange(len(kept)), largest_at] < 0, -1.0, 1.0)[:, None]


def apply_vector_reading(column: str, values: list[Any], reading: Mapping[str, Any]) -> list[Any]:
    """Vectors as a study keeps them; those that were reduced before stay as they are.

    >>> apply_vector_reading("v", [[1.0, 2.0], None], {"kind": "vector", "size": 2})
    [[1.0, 2.0], None]
    """
    present = [value for value in values if value is not None]
    if not present:
        return values
    if not isinstance(present[0], list | np.ndarray):
        raise DataError(
            f"column {column!r} holds no vectors, as it did before; give vectors of {reading['size']} numbers"
        )
    size = len(present[0])
    directions = reading.get("directions")
    if size == (reading["size"] if directions is None else len(directions)):
        return [value if value is None else [float(number) for number in value] for value in values]
    if size != reading["size"]:
        odd = rows_named([next(i for i, value in enumerate(values) if value is not None)])
        problem = f"column {column!r} has a vector of {size} numbers in {odd}"
        raise DataError(f"{problem}; expected {reading['size']}, as before")
    kept = iter(rounded((np.array(present, dtype=float) - np.array(reading["mean"])) @ np.array(directions).T).tolist())
    return [None if value is None else next(kept) for value in values]


def rounded(numbers: Floats) -> Floats:
    """Numbers with `DIGITS` digits after those of the largest: a study on disk keeps no more.

    >>> rounded(np.array([123.456789, 0.123456789])).tolist()
    [123.457, 0.123]
    """
    largest = float(np.abs(numbers).max(initial=0.0))
    decimals = DIGITS - 1 - int(np.floor(np.log10(largest))) if largest > 0 else 0
    return numbers.round(min(decimals, 300)) if np.isfinite(largest) else numbers
