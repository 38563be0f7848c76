"""The benchmark of few names: its people's studies end, and it says whether they are right."""

from __future__ import annotations

import numpy as np

from benchmarks.few import cases, outcome, with_error


def test_every_case_runs_to_its_end():
    for name in ("best of 2, deviation 4", "order of 5, deviation 4", "tree of 5, noise 0.05"):
        found = outcome(cases()[name], 1, {})
        assert found.settled
        assert found.right == (found.error == 0)
        assert 0 < found.stated <= 1
        assert 0 <= found.stated_error < 0.1


def test_without_repeats_one_pair_is_one_question():
    found = outcome(cases()["best of 2, deviation 1.5"], 1, {"repeat": False})
    assert (found.questions, found.settled) == (1, False)


def test_a_mean_with_its_standard_error():
    assert with_error(np.array([1.0, 2.0, 3.0, 4.0])) == "2.500 (0.645)"
