"""Files hold the table, all of it, and nothing that a spreadsheet would run."""

from __future__ import annotations

import csv
import json
import os
import sys

import openpyxl
import polars as pl
import pytest

from askwise.errors import SettingError, StudyError
from askwise.exchange.files import write_table

ODD = {"name": ['say "hi", you', "two\nlines", "tea\tµ"], "x": [1.5, None, 3.0], "label": ["red", 2, None]}


def test_every_format_holds_the_same_table(tmp_path):
    for ending in ("csv", "tsv", "xlsx", "jsonl", "parquet"):
        write_table(ODD, tmp_path / f"t.{ending}")
    texts = {**ODD, "label": ["red", "2", None]}
    assert pl.read_csv(tmp_path / "t.csv").to_dict(as_series=False) == texts
    assert pl.read_csv(tmp_path / "t.tsv", separator="\t").to_dict(as_series=False) == texts
    assert pl.read_parquet(tmp_path / "t.parquet").to_dict(as_series=False) == texts
    sheet = openpyxl.load_workbook(tmp_path / "t.xlsx").active
    assert [list(row) for row in sheet.values] == [list(ODD), *map(list, zip(*ODD.values(), strict=True))]
    lines = (tmp_path / "t.jsonl").read_text(encoding="utf-8").splitlines()
    assert {name: [json.loads(line)[name] for line in lines] for name in ODD} == ODD
    assert sorted(os.listdir(tmp_path)) == ["t.csv", "t.jsonl", "t.parquet", "t.tsv", "t.xlsx"]


@pytest.mark.parametrize("ending", ["csv", "xlsx", "jsonl", "parquet"])
def test_nothing_is_half_written(ending, tmp_path):
    path = tmp_path / f"t.{ending}"
    path.write_text("before")
    with pytest.raises((TypeError, ValueError)):
        write_table({"x": [1, 2, 3], "y": [1, float("nan"), object()]} | ({"z": [1]} if ending == "csv" else {}), path)
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == [path.name]


def test_paths_that_cannot_be_written_are_refused(tmp_path):
    with pytest.raises(SettingError, match=r"t\.xls ends in \.xls; a table is written as \.csv, \.tsv, \.xlsx, \.jso"):
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


def test_an_excel_file_holds_texts_as_texts(tmp_path):
    write_table(
        {"=1+1": ["=2+2", "+3", "a\x07b", "y" * 40_000], "when": ["2024-01-01", None, "x", "z"]}, tmp_path / "t.xlsx"
    )
    sheet = openpyxl.load_workbook(tmp_path / "t.xlsx").active
    assert {cell.data_type for row in sheet for cell in row} == {"s", "n"}  # n: the empty cell
    assert [cell.value for cell in sheet["A"]][:4] == ["=1+1", "=2+2", "+3", "a\N{REPLACEMENT CHARACTER}b"]
    assert len(sheet["A5"].value) == 32_767


def test_a_table_that_no_sheet_holds_is_refused(tmp_path):
    with pytest.raises(StudyError, match=r"holds 1,048,575 rows and 16,384 columns, and the table has 1 and 16,385"):
        write_table({str(place): [1] for place in range(16_385)}, tmp_path / "t.xlsx")
    assert os.listdir(tmp_path) == []


def test_parquet_without_pyarrow_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(SettingError, match=r"^Parquet files need pyarrow; .* pip install 'askwise\[parquet\]'$"):
        write_table(ODD, tmp_path / "t.parquet")
    assert os.listdir(tmp_path) == []
