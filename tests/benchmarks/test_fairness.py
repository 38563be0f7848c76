"""The fairness benchmark on a few rows, and its comparison by hand."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.fairness import compare, run, violation


@pytest.mark.parametrize("data", ["arrests", "recid"])
def test_a_small_run(data):
    found = run(1, data=data, answers=3, rows=120)
    assert set(found) == {"seed", "plain", "fair", "hindsight"}
    for name in ("plain", "fair", "hindsight"):
        assert all(0 <= value <= 1 for value in found[name].values())
    assert found["hindsight"]["error"] <= 0.45  # better than chance on either table


def test_violation():
    good, group = np.array([1, 1, 1, 1, 0], bool), np.array([1, 1, 0, 0, 0], bool)
    assert violation(np.array([1, 0, 1, 1, 1], bool), good, group) == 0.5


def test_differences_are_paired():
    def row(plain, fair):
        return {name: {"error": x, "violation": x / 2, "distance": x} for name, x in
                (("plain", plain), ("fair", fair), ("hindsight", 0.1))}  # fmt: skip

    result = compare([row(0.3, 0.2), row(0.5, 0.2)])
    assert result["error"]["fair_minus_plain"] == pytest.approx(-0.2)
    assert result["error"]["standard_error"] == pytest.approx(0.1)
    assert result["violation"]["best_in_hindsight"] == pytest.approx(0.05)
