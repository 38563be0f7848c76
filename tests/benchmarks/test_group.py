"""The benchmark of groups, short."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import group


@pytest.mark.parametrize("method", group.METHODS)
def test_a_small_run_of_every_method(method, monkeypatch):
    for name, value in {"ITEMS": 6, "CHECKPOINTS": (3, 6), "MAX_ANSWERS": 8, "DRAWS": 30}.items():
        monkeypatch.setattr(group, name, value)
    found = group.run("two camps", method, 0)
    assert {"mean after 3", "worst-off after 6"} <= set(found)
    assert all(0 <= value <= 1 for name, value in found.items() if "after" in name and name != "settled after")


def test_a_summary_counts_settled_runs_alone():
    found = group.summary([{"mean after 20": 0.2}, {"mean after 20": 0.4, "settled after": 9}])
    assert found["groups"] == 2
    assert found["settled"] == 1
    assert found["settled after"] == (9.0, 0.0)
    assert found["mean after 20"] == pytest.approx((0.3, 0.1))


def test_camps_are_opposed():
    rng = np.random.default_rng(0)
    truth = group.group_truth("two camps", rng.standard_normal((group.ITEMS, 3)), rng).reshape(5, -1)
    correlations = np.corrcoef(truth)
    assert correlations[0, 1] > 0.5
    assert correlations[0, 4] < -0.5
