"""Short forms of the benchmarks of segments and of the best items in order."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import errors, segments
from benchmarks.hierarchy import compare


@pytest.mark.parametrize(
    ("task", "settings"), [("segments", {"items": 40, "intervals": 3}), ("top_ranking", {"items": 8, "dim": 2, "k": 2})]
)
def test_fewer_errors_than_at_random(task, settings, monkeypatch):
    monkeypatch.setitem(errors.MARKS, task, (8, 16))
    runs = [errors.run(task, rule, seed, **settings) for rule in ("random", "expected") for seed in (0, 1, 2)]
    found = compare(runs, (8, 16))["rules"]
    assert all(len(row["errors"]) == 2 for row in runs)
    assert found["expected"]["error"][-1] < found["random"]["error"][-1]


@pytest.mark.parametrize("goal", ["segments", "segment_of"])
@pytest.mark.parametrize("truth", ["one", "six"])
def test_stated_and_true(goal, truth, monkeypatch):
    monkeypatch.setattr(segments, "ITEMS", 20)
    row = segments.run(goal, truth, 0.0, True, 0.05, 3)
    assert row["settled"] == 1
    assert row["true"] <= 0.1
    assert 0 < row["stated"] < 0.05
    assert row["noise"] == pytest.approx(segments.TOLD_NOISE)
    assert np.isfinite(list(row.values())).all()
