"""The benchmark on a matrix small enough for a test."""

from __future__ import annotations

import numpy as np

from askwise.goals import goals
from askwise.goals.base.options import default_of
from benchmarks import matrix
from benchmarks.columns import RULES, compare, print_figures, run, verdict


def test_a_small_run_of_every_rule():
    small = {"rows": 4, "columns": 5, "targets": 2, "rank": 1, "chains": 8}
    curves = {rule: [run(rule, seed, (2, 4), **small) for seed in range(3)] for rule in RULES}
    result = compare(curves)
    assert result["seeds"] == 3
    assert {curve["0"] for curve in curves["random"]} == {curve["0"] for curve in curves["expected"]}
    differences = [a["4"] - b["4"] for a, b in zip(curves["variance"], curves["expected"], strict=True)]
    mean, error = result["minus_expected"]["variance"]["4"]
    assert np.isclose(mean, np.mean(differences))
    assert np.isclose(error, np.std(differences, ddof=1) / np.sqrt(3))
    assert verdict(result, "4").startswith("expected is ")
    assert all(ms > 0 for ms in result["cpu_ms_per_question"].values())


def test_the_benchmark_of_whole_matrices_runs(capsys):
    small = {"rows": 4, "columns": 5, "rank": 1, "chains": 8}
    curves = {rule: [matrix.run(rule, seed, (2, 4), **small) for seed in range(2)] for rule in matrix.RULES}
    result = compare(curves, matrix.GOAL_RULE)
    assert result["error"]["random"]["4"][0] > 0
    print_figures(result)
    assert "minus ndbal" in capsys.readouterr().out
    assert default_of(goals()["matrix"], "rule") == matrix.GOAL_RULE


def test_the_verdict_is_honest():
    def told(mean, error):
        return verdict({"minus_expected": {"variance": {"9": (mean, error)}}}, "9")

    assert "is below" in told(0.1, 0.04)
    assert "NOT below" in told(0.1, 0.06)
    assert "NOT below" in told(-0.1, 0.01)
