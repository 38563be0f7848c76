"""Linear classifiers of a table's rows, and of random directions."""

from __future__ import annotations

import numpy as np
import pytest

from askwise.errors import DataError
from askwise.structures.linear import LinearPool, LinearSphere, unit_rows
from askwise.testing import check_family
from tests.helpers import generator


def test_check_family():
    rng = generator(40)
    check_family(LinearPool(rng.standard_normal((6, 3))), rng.standard_normal((9, 3)))
    check_family(LinearSphere(3), rng.standard_normal((9, 3)))


def test_labels_name_the_signs():
    family = LinearPool([[1.0, 0.0], [0.0, 1.0]], names=["a", "b"], labels=("cat", "dog"))
    shown = family.prompt(1, None)
    assert (shown.responses, shown.codes) == (("cat", "dog"), {"cat": -1, "dog": 1})
    assert family.decide(family.predict(np.array([[2.0, -1.0], [0.0, 0.0]]), np.arange(2))).tolist() == [
        [1, -1],
        [-1, -1],
    ]


def test_sphere_is_uniform():
    points = LinearSphere(3).draw_atoms(20_000, generator(41))
    assert np.linalg.norm(points, axis=1) == pytest.approx(np.ones(20_000))
    error = np.abs(points.mean(axis=0)) / (np.sqrt(1 / 3) / np.sqrt(20_000))
    assert error.max() < 4
    assert abs((np.abs(points[:, 0]) < 0.5).mean() - 0.5) < 4 * 0.5 / np.sqrt(20_000)  # by the hat-box theorem


def test_unit_rows():
    rows = generator(42).standard_normal((5, 4))
    assert unit_rows(rows) * np.linalg.norm(rows, axis=1)[:, None] == pytest.approx(rows)


@pytest.mark.parametrize("points", [[], [1.0, 2.0], [[float("nan")]], np.zeros((3, 0))])
def test_refuses(points):
    with pytest.raises(DataError, match="points must be a table"):
        LinearPool(points)
