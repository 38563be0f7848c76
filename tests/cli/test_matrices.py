"""Commands about matrices: plates, completed tables, and backtests."""

from __future__ import annotations

import json

import pytest

SCREEN = "line,d0,d1,d2\nA,1.5,,\nB,,2.5,\nC,,,0.5\nD,2.0,,\n"
KNOWN = "line,d0,d1,d2\nA,1.5,2.0,0.1\nB,1.0,2.5,\nC,0.7,1.9,0.5\nD,2.0,3.0,1.0\n"


@pytest.fixture
def study(run_command, tmp_path):
    (tmp_path / "screen.csv").write_text(SCREEN)
    code, _, error = run_command("new", "matrix", "screen.csv", "-o", "s.askwise", "--rank", 1, "--costs", "1,1,5")
    assert code == 0, error
    return "s.askwise"


def test_plates_by_rules(run_command, study):
    found = json.loads(run_command("next", study, "--count", 9, "--per-row", 1, "--per-column", 2, "--json")[1])
    rows, columns = ([question["options"][side]["name"] for question in found["questions"]] for side in (0, 1))
    assert sorted(rows) == ["A", "B", "C", "D"]
    assert max(map(columns.count, columns)) <= 2
    assert "plate" not in found


def test_whole_plates(run_command, study, tmp_path):
    (tmp_path / "plates.csv").write_text("plate,row,column\n1,A,d1\n1,B,d1\n1,B,d0\n2,A,d0\n")
    found = json.loads(run_command("next", study, "--plates", "plates.csv", "--json")[1])
    assert found["plate"] == "1"  # the only entry of plate 2 is known
    assert [[option["name"] for option in question["options"]] for question in found["questions"]] == [
        ["A", "d1"],
        ["B", "d0"],
    ]
    code, said, _ = run_command("next", study, "--plates", "rows")
    assert (code, said.splitlines()[0]) == (0, "Plate 1:")  # open ones first
    for options, words in [
        (["--plates", "rows", "--count", 2], "give --plates without --count"),
        (["--plates", "none.csv"], "there is no table none.csv"),
    ]:
        code, _, error = run_command("next", study, *options)
        assert code == 2
        assert words in error


def test_a_completed_table_can_be_exported(run_command, study, tmp_path):
    assert run_command("export", study, "-o", "full.csv", "--what", "estimate")[0] == 0
    lines = (tmp_path / "full.csv").read_text().splitlines()
    assert lines[0] == "line,d0,d1,d2"
    assert all(cell for line in lines for cell in line.split(","))
    assert "Best guess: line: A, B, C, D; d0: " in run_command("status", study)[1]


def test_backtest(run_command, tmp_path):
    (tmp_path / "known.csv").write_text(KNOWN)
    options = ["--rules", "variance,random", "--runs", 2, "--questions", 5, "--workers", 1, "--rank", 1]
    code, said, error = run_command("backtest", "known.csv", *options, "-o", "page.html", "--plates", "columns")
    assert code == 0, error
    assert "variance" in said
    assert "<h1>known.csv</h1>" in (tmp_path / "page.html").read_text()
    found = json.loads(run_command("backtest", "known.csv", *options, "--goal", "matrix", "--rows", "A,B", "--json")[1])
    assert list(found["arms"]) == ["variance", "random"]
    assert found["options"]["rows"] == ["A", "B"]
    code, _, error = run_command("backtest", "known.csv", "--rules", "qbc")
    assert code == 2
    assert error.startswith("askwise: ")
    assert error.count("\n") == 1
