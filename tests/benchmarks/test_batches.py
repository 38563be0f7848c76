"""The benchmark on few items, and its comparison by hand."""

from __future__ import annotations

import numpy as np

from askwise.simulate.tasks import hierarchy
from benchmarks.batches import ERRORS, ROWS, compare, cost, run, verdict
from tests.helpers import generator


def test_a_small_run_of_every_row():
    found = np.array([[run(row, seed, answers=5, items=5) for seed in range(2)] for row in ROWS])
    assert found.shape == (len(ROWS), 2, len(ERRORS) + 1)
    assert (found[:, :, 0] >= 0).all()
    assert (found[:, :, 0] <= 1).all()
    assert (found[:, :, -1] > 0).all()


def test_the_cost_of_chains():
    alone, together = cost(hierarchy(generator(5), items=8, chains=8), 0, answers=2, size=2)
    assert alone > 0
    assert together > 0


def test_comparison_is_paired_and_the_verdict_honest():
    one, random = np.array([0.1, 0.2, 0.3]), np.array([0.5, 0.7, 0.9])
    errors = dict.fromkeys(ROWS, one) | {"random": random, "batches of 8": one + 0.1, "naive top 8": random[::-1]}
    rows = compare(np.stack([np.stack([error, error, np.full(3, 7.0)], axis=1) for error in errors.values()]))
    eight = rows["batches of 8"]["top_item_error"]
    assert np.isclose(eight["excess"], 0.1)
    assert np.isclose(eight["excess_se"], 0.0)
    assert np.isclose(eight["way"][0], 0.8)
    assert rows["random"]["top_item_error"]["way"] == [0.0, 0.0, 0.0]
    assert np.isclose(rows["naive top 8"]["top_item_error"]["excess_se"], np.std([0.8, 0.5, 0.2], ddof=1) / np.sqrt(3))
    assert rows["random"]["cpu_ms_per_question"] == 7.0
    assert "is met" in verdict(rows)
    eight["way"][0] = 0.7
    assert "MISSED" in verdict(rows)
