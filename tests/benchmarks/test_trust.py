"""People of all kinds are as described, a short run works, and the aims are judged right on made-up runs."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import askwise
from benchmarks.common import run_or_recall, shape_options, stored_lines, takes_shape
from benchmarks.trust import __main__ as command
from benchmarks.trust import bent, summary
from benchmarks.trust.people import CONSISTENCY, KINDS, LAPSES, TABLES, TablePerson, consistency, kinds_of, table_named
from benchmarks.trust.runs import CHECKPOINTS, Job, jobs_of, run


@pytest.mark.parametrize("table", TABLES)
def test_everybody_is_equally_decided(table):
    for kind in kinds_of(table):
        assert consistency(TablePerson.of(table, kind, 1).utilities) == pytest.approx(CONSISTENCY, abs=1e-3)


def test_the_tables_have_their_sizes():
    assert [table_named(name).features.shape for name in TABLES] == [(93, 6), (40, 8), (178, 13), (24, 0)]
    assert all(len(set(table_named(name).item_names)) == len(table_named(name).features) for name in TABLES)


def test_only_linear_people_are_linear():
    features = table_named("cars").features
    columns = np.column_stack([features, np.ones(len(features))])
    for kind in KINDS:
        utilities = TablePerson.of("cars", kind, 0).utilities
        _, residual, *_ = np.linalg.lstsq(columns, utilities, rcond=None)
        assert (residual[0] < 1e-6 * utilities @ utilities) == (kind in ("linear", "lapses"))


def test_answers_are_logit_with_lapses():
    person = TablePerson.of("cars", "lapses", 0)
    best, worst = int(person.utilities.argmax()), int(person.utilities.argmin())
    said = np.array([person.answer((best, worst), times) for times in range(4000)])
    error = np.sqrt(LAPSES / 2 / len(said))
    assert abs((said == worst).mean() - LAPSES / 2) < 4 * error
    careful = TablePerson.of("cars", "linear", 0)
    np.testing.assert_array_equal(careful.utilities, person.utilities)
    assert all(careful.answer((best, worst), times) == best for times in range(100))


def test_the_goal_is_told_the_shape_only_if_it_knows_it():
    def shaped(data, shape="learned"):
        pass

    assert shape_options(shaped, "default") == {}
    assert shape_options(shaped, "smooth") == {"shape": "smooth"}
    assert shape_options(lambda data: None, "linear") == {}
    with pytest.raises(SystemExit, match="no option shape="):
        shape_options(lambda data: None, "smooth")


def test_a_run_says_what_was_stated_and_what_is_true():
    line = run(Job("laptops", "ideal point", 0, "default", budget=16, answers=15))
    assert line["questions"] <= 16
    assert 0 <= line["regret"] <= line["true"] <= 1
    assert 0 < line["stated"] < 1
    assert list(line["regret_after"]) == ["15"]
    assert (line["regret"] == 0) == bool(line["right"])


def test_stored_people_are_not_run_again(tmp_path):
    jobs = jobs_of({"names": ["individual"]}, ["default"], people=2, budget=3)
    store = tmp_path / "lines.jsonl"
    first = run_or_recall(run, jobs[:1], store)
    assert first[0]["questions"] <= 3
    with store.open("a") as file:
        file.write('{"table": "na')  # interrupted
    assert stored_lines(store) == first
    both = run_or_recall(run, jobs, store)
    assert both[0] == first[0]
    assert stored_lines(store) == both
    assert run_or_recall(lambda job: pytest.fail("was stored"), jobs, store) == both


def test_the_command_prints_rows_and_aims(capsys, monkeypatch):
    options = "--people 2 --tables names --kinds individual linear --shape default --budget 4"
    monkeypatch.setattr(sys, "argv", ["trust", *options.split(), "--json"])
    command.main()
    found = json.loads(capsys.readouterr().out)
    assert [(row["table"], row["kind"], row["people"]) for row in found["rows"]] == [("names", "individual", 2)]
    assert found["rows"][0]["shape"] == ("default" if takes_shape(askwise.best_item) else "linear")
    assert len(found["aims"]) == 3 + len(CHECKPOINTS)
    monkeypatch.setattr(sys, "argv", ["trust", *options.split()])
    command.main()
    assert "met in" in capsys.readouterr().out


def made_up(kind, shape, *, questions=10, true=0.01, right=1.0, regret=0.0):
    """Ten people, half of whom do a little better."""
    return [
        {"table": "cars", "kind": kind, "shape": shape, "seed": seed, "questions": questions, "settled": True}
        | {"true": true + 0.001 * (seed % 2), "stated": 0.012, "right": right, "stated_right": 0.95, "regret": regret}
        | {"regret_after": {str(n): regret + 0.001 * (seed % 2) for n in CHECKPOINTS}, "warned": False}
        | {"cpu_seconds": 1.0}
        for seed in range(10)
    ]


def test_aims_are_met_or_missed():
    lines = made_up("linear", "default", questions=16) + made_up("linear", "linear")
    lines += made_up("threshold", "default", true=0.2, right=0.5, regret=0.1)
    botorch = made_up("threshold", "")[:5]
    rows = summary.rows_of(lines, botorch)
    assert [row["people"] for row in rows] == [10, 10, 10]
    assert rows[-1]["botorch"]["people"] == 5
    assert rows[-1]["botorch"]["15"]["difference"] == pytest.approx(0.1)
    missed = [aim["missed"] for aim in summary.aims(rows)]
    assert missed == [["threshold (cars)"], ["threshold (cars)"], ["linear (cars)"], *[["threshold (cars)"]] * 3]
    assert [aim["rows"] for aim in summary.aims(rows)] == [2, 2, 1, 1, 1, 1]
    few = summary.rows_of(lines, botorch[:4])
    assert [aim["rows"] for aim in summary.aims(few)] == [2, 2, 1, 0, 0, 0]


def test_kinds_are_pooled_by_seed():
    """Two kinds that share their people are not counted as independent."""
    noise = np.random.default_rng(3).standard_normal((2, 40))
    ours = [
        {
            "table": "cars",
            "kind": kind,
            "seed": seed,
            "regret_after": {str(n): 0.5 + noise[row, seed] for n in CHECKPOINTS},
        }
        for row, kind in enumerate(("linear", "threshold"))
        for seed in range(40)
    ]
    theirs = [line | {"regret_after": {str(n): 0.0 for n in CHECKPOINTS}} for line in ours[:70]]
    found = bent.pooled(ours, theirs, ("linear", "threshold"), 15)
    assert found.people == 30
    assert found.difference == pytest.approx(0.5 + noise[:, :30].mean())
    assert found.standard_error == pytest.approx(noise[:, :30].mean(axis=0).std(ddof=1) / np.sqrt(30))
    twice = [line | {"kind": "lapses"} for line in ours[:40]] + ours[:40]
    both = bent.pooled(twice, [line | {"regret_after": {"15": 0.0}} for line in twice], ("linear", "lapses"), 15)
    assert both.standard_error == pytest.approx(noise[0].std(ddof=1) / np.sqrt(40))
    rows = bent.rows_of(ours, theirs)
    assert [(row.name, row.people) for row in rows] == [("linear", 40), ("threshold", 30)]
    assert bent.table([]) == ""


def test_the_pages_have_the_table_of_the_stored_runs():
    rows = bent.stored_rows()
    assert [row.name for row in rows[-2:]] == ["the five bent kinds together", "all seven together"]
    for page in ("peers", "measurements"):
        assert bent.table(rows) in Path(f"docs/{page}.md").read_text()
