"""The benchmark of kinds of questions on people few enough for a test."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

from benchmarks import questions


def test_the_same_people_answer_every_kind(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(questions, "ANSWERS", 3)
    monkeypatch.setattr(questions, "DRAWS", 40)
    command = ["questions", "--json", "--people", "1", "--kinds", "graded pairs", "best of 3", "best and worst of 4"]
    monkeypatch.setattr(sys, "argv", [*command, "--store", str(tmp_path / "runs.jsonl")])
    questions.main()
    rows = json.loads(capsys.readouterr().out)
    assert [row["kind"] for row in rows] == ["pairs", "graded pairs", "best of 3", "best and worst of 4"]
    assert [row["seconds_each"] for row in rows] == [6.0, 6.5, 8.0, 11.0]
    assert all(row["people"] == len(questions.TASTES) for row in rows)
    monkeypatch.setattr(questions, "run_person", None)  # nothing is run again
    monkeypatch.setattr(sys, "argv", [word for word in sys.argv if word != "--json"])
    questions.main()
    assert "more than 3" in capsys.readouterr().out


def test_questions_seconds_and_break_even():
    pairs = np.array([[0.5, 0.4, 0.3, 0.2, 0.09]] * 2)
    sets = np.array([[0.5, 0.3, 0.05, 0.2, 0.04]] * 2)
    found = questions.summarise("best of 4", sets, pairs)["0.1"]
    assert found["questions"] == 4  # it was above again after three
    assert found["seconds"] == 40.0
    assert found["share_of_pairs"] == pytest.approx([40 / 24] * 3)
    assert found["break_even"] == 0.0
    assert questions.summarise("best of 4", sets, pairs)["0.02"]["questions"] is None
