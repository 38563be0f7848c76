"""Every figure on tiny settings: the numbers against committed ones, and files that are what they claim."""

import csv
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from askwise.errors import SettingError
from askwise.experiments import figures
from askwise.experiments.reproduce import NAMES, reproduce
from askwise.experiments.runner import sweep

WHERE = ("metric", "rule", "answers")
COMMITTED = Path(__file__).parent / "figure_numbers.csv"


@cache
def small(name):
    """Two people and three answers for the two cheapest rules."""
    rules = ("random", "expected")
    records = sweep(figures.runs_of(name, rules, 3, 2), workers=1)
    return figures.table_of(name, records, rules, 3, 2)


@pytest.mark.parametrize("name", figures.FIGURES)
def test_numbers_are_the_committed_ones(name):
    """The same code, the same people: sampling is seeded, so only the last digits may differ between machines."""
    with COMMITTED.open(encoding="utf-8") as file:
        committed = [row for row in csv.DictReader(file) if row["figure"] == name]
    found = small(name)
    assert len(found) == len(committed)
    for row, expected in zip(found, committed, strict=True):
        assert (row["metric"], row["rule"], str(row["answers"])) == (
            expected["metric"],
            expected["rule"],
            expected["answers"],
        )
        for edge in ("mean", "low", "high"):
            assert row[edge] == pytest.approx(float(expected[edge]), abs=0.01)


def test_a_figure_has_every_curve_band_and_one_legend():
    rows = small("classification")
    figure = figures.draw("classification", rows, "a note")
    assert len(figure.axes) == 6
    for ax in figure.axes:
        assert len(ax.lines) == 2
        assert len(ax.collections) == 2  # the bands
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["random", "expected"]
    assert len(figure.legends) == 1
    tops = [ax.get_ylim()[1] for ax in figure.axes]
    assert len(set(tops[:3])) == len(set(tops[3:])) == 1  # the same y axis in a row
    drawn = figure.axes[0].lines[0].get_ydata()
    first = [row["mean"] for row in rows[:4]]
    assert np.allclose(drawn, first)


def test_the_paper_settings_are_all_there():
    def settings(name):
        return {(p.task, *dict(p.settings).values(), p.metric) for row in figures.FIGURES[name] for p in row}

    assert settings("classification") == {("classify", d, s, "error") for d in (5, 10) for s in (1.0, 5.0, 10.0)}
    assert settings("choice") == {
        ("choice", 10, n, s, m)
        for n in (10, 50, 100)
        for s in (1.0, 5.0)
        for m in ("top_item_error", "distance_to_best")
    }
    assert ("classify", 10, 10.0, "error") in settings("figure1")
    runs = figures.runs_of("figure1", figures.PAPER_RULES, 100, 50)
    assert len(set(runs)) == 4 * 4 * 50  # two classification and two choice tasks, four rules, fifty people
    assert "eubo" not in {run.rule for run in figures.runs_of("classification", ("eubo", "random"), 2, 1)}


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setattr("askwise.experiments.reproduce.QUICK", {"questions": 2, "runs": 1})


def test_reproduce_writes_pictures_and_numbers(tmp_path, tiny):
    written = reproduce(["figure1", "intervals"], tmp_path, quick=True, rules=["random"], workers=1)
    assert [path.name for path in written] == [
        "figure1.csv",
        "figure1.png",
        "figure1.pdf",
        "figure1_savings.csv",
        "intervals.png",
        "intervals.pdf",
    ]
    assert (tmp_path / "figure1.png").read_bytes()[:4] == b"\x89PNG"
    assert (tmp_path / "intervals.pdf").read_bytes()[:4] == b"%PDF"


def test_reproduce_checks_the_theory(tmp_path):
    written = reproduce(["theory"], tmp_path, quick=True, workers=1)
    names = {path.name for path in written}
    assert {"lemmas.csv", "guarantees.csv", "consistency.csv", "line.csv", "ranking.csv", "line.png"} <= names
    with (tmp_path / "line.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:3] == ["k", "questions_dc", "questions_dI"]
    assert [(row["k"], row["questions_dc"]) for row in rows] == [("8", "8"), ("16", "17"), ("32", "34")]
    with (tmp_path / "lemmas.csv").open() as file:
        checks = {row["name"]: row["holds"] for row in csv.DictReader(file)}
    assert checks.pop("potential decrease, k=2, at the Bayes beta") == "False"
    assert checks.pop("version space, printed, fewer atoms than dimensions") == "False"
    assert set(checks.values()) == {"True"}
    with (tmp_path / "guarantees.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if "chains" not in row["name"]]  # which are not promised anything
    assert len(rows) > 16
    assert all(float(row["high"]) >= float(row["promised"]) for row in rows)


def test_unknown_figures_and_places_are_refused(tmp_path):
    with pytest.raises(SettingError, match=f"there is no figure 'figure9'; choose some of {', '.join(NAMES)}"):
        reproduce(["figure9"], tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingError, match="cannot write to"):
        reproduce(["intervals"], tmp_path / "file" / "folder")
