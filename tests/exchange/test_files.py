"""Files hold the table, all of it, and nothing that a spreadsheet would run."""

from __future__ import annotations

import csv
import json
import os

import polars as pl
import pytest

from askwise.errors import SettingError, StudyError
from askwise.exchange.files import write_table

ODD = {"name": ['say "hi", you', "two\nlines", "tea\tµ"], "x": [1.5, None, 3.0], "label": ["red", 2, None]}


def test_every_format_holds_the_same_table(tmp_path):
    for ending in ("csv", "tsv", "jsonl", "parquet"):
        write_table(ODD, tmp_path / f"t.{ending}")
    texts = {**ODD, "label": ["red", "2", None]}
    assert pl.read_csv(tmp_path / "t.csv").to_dict(as_series=False) == texts
    assert pl.read_csv(tmp_path / "t.tsv", separator="\t").to_dict(as_series=False) == texts
    assert pl.read_parquet(tmp_path / "t.parquet").to_dict(as_series=False) == texts
    lines = (tmp_path / "t.jsonl").read_text(encoding="utf-8").splitlines()
    assert {name: [json.loads(line)[name] for line in lines] for name in ODD} == ODD
    assert sorted(os.listdir(tmp_path)) == ["t.csv", "t.jsonl", "t.parquet", "t.tsv"]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_nothing_is_half_written(ending, tmp_path):
    path = tmp_path / f"t.{ending}"
    path.write_text("before")
    with pytest.raises((TypeError, ValueError)):
        write_table({"x": [1, 2, 3], "y": [1, float("nan"), object()]} | ({"z": [1]} if ending == "csv" else {}), path)
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == [path.name]


def test_paths_that_cannot_be_written_are_refused(tmp_path):
    with pytest.raises(SettingError, match=r"t\.xls ends in \.xls; a table is written as \.csv, \.tsv, \.jsonl, \.par"):
        write_table(ODD, tmp_path / "t.xls")
    with pytest.raises(SettingError, match="ends in nothing"):
        write_table(ODD, tmp_path / "t")
    with pytest.raises(StudyError, match=r"t\.csv cannot be written: No such file or directory"):
        write_table(ODD, tmp_path / "none" / "t.csv")


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_a_spreadsheet_runs_no_text_as_a_formula(suffix, tmp_path):
    risky = ["=1+1", '=HYPERLINK("http://x")', "+x", "-x", "@sum", "\tx", "\rx", "=a,b"]
    tame = ["-3.5", "+7", "tea", "a=b", "'", None]
    write_table({"=name": [*risky, *tame], "number": list(range(14))}, tmp_path / f"x{suffix}")
    with (tmp_path / f"x{suffix}").open(newline="") as file:
        header, *rows = csv.reader(file, delimiter="," if suffix == ".csv" else "\t")
    assert header == ["'=name", "number"]
    assert [row[0] for row in rows] == [f"'{cell}" for cell in risky] + ["-3.5", "+7", "tea", "a=b", "'", ""]
