"""A short form of the benchmark of the first questions."""

from __future__ import annotations

import numpy as np

from benchmarks.first_questions import compare, run


def test_strategies_are_compared_person_by_person():
    runs = [run(rule, seed, "linear", 5) for rule in ("expected", "expected-capped") for seed in (1, 3)]
    found, regrets = compare(runs), np.array([one["regret"] for one in runs]).reshape(2, 2)
    assert found["expected"]["more"] == [0]
    assert np.allclose(found["expected-capped"]["more"], regrets[1].mean() - regrets[0].mean())
    assert all(len(one["chances"]) == 5 and min(one["chances"]) > 0 for one in runs)
    assert runs[0]["chances"] != runs[2]["chances"]  # other questions to the same person
