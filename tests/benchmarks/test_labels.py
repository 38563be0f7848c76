"""The data sets are as described, short runs work, and the aims are judged right on made-up runs."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from benchmarks import labels
from benchmarks.labels import CHECKPOINTS, DATA, LOOPS, OURS, REAL, Job, aims, rows_of, run, task_of

CHEAP_LOOPS = ("logistic margin", "SVC margin")


@pytest.mark.parametrize("data", DATA)
def test_every_data_set_can_be_read(data):
    clean, noisy = task_of(data, 1, 0.0), task_of(data, 1, 0.05)
    assert 150 <= len(clean.truth) <= 400
    np.testing.assert_allclose(clean.features.std(axis=0), 1.0)
    assert 0.05 < clean.truth.mean() < 0.95
    np.testing.assert_array_equal(clean.answers, clean.truth)
    np.testing.assert_array_equal(noisy.features, clean.features)
    wrong, rows = (noisy.answers != noisy.truth).sum(), len(noisy.truth)
    assert abs(wrong - 0.05 * rows) < 4 * np.sqrt(0.05 * 0.95 * rows)


def test_there_are_ten_real_data_sets():
    assert len(REAL) == 10


def test_a_loop_learns_circles():
    found = run(Job("circles", "SVC margin", 0, 0.0))
    assert list(found["error_after"]) == ["25", "50", "100"]
    assert found["error_after"]["100"] < 0.02


@pytest.mark.parametrize("learner", [OURS, "logistic margin", "forest margin"])
def test_a_short_run(learner, monkeypatch):
    monkeypatch.setitem(LOOPS, "forest margin", lambda seed: RandomForestClassifier(5, random_state=seed))
    found = run(Job("crabs, species", learner, 0, 0.05, answers=25, budget=26))
    assert 0 <= found["error_after"]["25"] < 0.5
    if learner == OURS:
        assert found["questions"] <= 26
        assert 0 <= found["stated"] < 0.5


def test_the_command_prints_rows_and_aims(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(labels, "LOOP_LINES", tmp_path / "loops.jsonl")
    sizes = ["--seeds", "1", "--data", "circles", "--noise", "0", "--budget", "100"]
    options = ["labels", *sizes, "--loops", *CHEAP_LOOPS]
    monkeypatch.setattr(sys, "argv", [*options, "--json"])
    labels.main()
    found = json.loads(capsys.readouterr().out)
    assert [row["data"] for row in found["rows"]] == ["circles"]
    assert found["rows"][0]["after"]["100"]["best_loop"] == "SVC margin"
    assert len((tmp_path / "loops.jsonl").read_text().splitlines()) == 2


def made_up(data, ours, loops, true=0.02):
    """Four seeds with these errors after any number of answers."""
    return [
        {"data": data, "learner": name, "seed": seed, "noise": 0.0, "questions": 30, "settled": True}
        | {"true": true, "stated": 0.02 + 0.001 * (seed % 2)}
        | {"error_after": {str(n): error + 0.001 * (seed % 2) * (name == OURS) for n in CHECKPOINTS}}
        for name, error in {OURS: ours, **dict.fromkeys(LOOPS, loops)}.items()
        for seed in range(4)
    ]


def test_aims_are_met_or_missed(capsys):
    good, close, bad = list(REAL)[:3]
    rows = rows_of(made_up(good, 0.01, 0.02) + made_up(close, 0.025, 0.02) + made_up(bad, 0.05, 0.02, true=0.1))
    verdicts = aims(rows)
    assert [aim["missed"] for aim in verdicts] == [[close, bad], [bad]] * 3 + [[bad]]
    assert not any(aim["met"] for aim in verdicts)
    assert all(aim["met"] for aim in aims(rows[:1]))
    labels.print_tables(rows, verdicts)
    assert "NOT met: noise 0: after 25 answers" in capsys.readouterr().out
