"""Excel, JSON and plain lists become tables, and a first line that is no header is never taken for one in silence."""

from __future__ import annotations

import datetime as dt
import json
import sys
from functools import partial

import numpy as np
import openpyxl
import pandas as pd
import pytest

import askwise
from askwise.data.encoding import encode
from askwise.data.files import read, read_file, read_table
from askwise.data.parquet import Pool
from askwise.errors import DataError, SettingError

CARS = {
    "name": ["Swift", "Camry", "Astro"],
    "price": [8.6, 18.2, 16.6],
    "sold": [dt.date(2024, 3, 17), dt.date(2024, 1, 1), dt.date(2023, 5, 6)],
    "van": [False, False, True],
}
MISSING_PYARROW = r"^Parquet files need pyarrow; install it with: pip install 'askwise\[parquet\]'$"
PLAIN = encode({**CARS, "sold": ["2024-03-17", "2024-01-01", "2023-05-06"]})


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("a.xlsx", lambda frame, path: frame.to_excel(path, index=False)),
        ("b.json", lambda frame, path: frame.astype({"sold": str}).to_json(path)),
        ("c.json", lambda frame, path: frame.astype({"sold": str}).to_json(path, orient="records")),
        ("d.json", lambda frame, path: path.write_text(json.dumps(frame.astype({"sold": str}).to_dict("list")))),
        ("e.csv", lambda frame, path: frame.to_csv(path, index=False)),
        ("f.csv", lambda frame, path: frame.to_csv(path, index=False, sep=";", decimal=",")),
        ("g.parquet", lambda frame, path: frame.to_parquet(path, index=False)),
    ],
)
def test_the_same_items_from_every_file(name, write, tmp_path):
    write(pd.DataFrame(CARS), tmp_path / name)
    assert encode(read(tmp_path / name).columns) == PLAIN


def sheet(path, *rows, more=()):
    book = openpyxl.Workbook()
    book.active.title = "Cars"
    for row in rows:
        book.active.append(row)
    for title, hidden in more:
        other = book.create_sheet(title)
        other.append(["note"])
        other.sheet_state = "hidden" if hidden else "visible"
    book.save(path)
    return path


def test_empty_cells_rows_and_columns_of_a_sheet(tmp_path):
    rows = [
        [],
        ["name", "x", None, "size"],
        ["a", 1, None, "5 cm"],
        [],
        ["b", "n/a", None, "6 cm"],
        ["c", 3, None, "7 cm"],
    ]
    found = read_table(sheet(tmp_path / "x.xlsx", *rows))
    assert found == {"name": ["a", "b", "c"], "x": [1, None, 3], "size": ["5 cm", "6 cm", "7 cm"]}
    times = sheet(tmp_path / "t.xlsx", ["name", "at", "y"], ["a", dt.time(9, 30), 1], ["b", dt.time(10), "#DIV/0!"])
    assert read_table(times) == {"name": ["a", "b"], "at": ["09:30:00", "10:00:00"], "y": [1, None]}


def test_other_sheets_are_told(tmp_path):
    path = sheet(tmp_path / "x.xlsx", ["name", "x"], ["a", 1], ["b", 2], more=[("Notes", False), ("Secret", True)])
    assert read(path).remarks == ("Only the sheet 'Cars' was read, and not 'Notes'.",)


def test_sheets_that_cannot_be_read(tmp_path, monkeypatch):
    path = sheet(tmp_path / "x.xlsx", ["name", "x"], ["a", "=1+1"], ["b", 2])
    with pytest.raises(
        DataError, match=r"x\.xlsx has formulas without their values, such as =1\+1; open it in a spread"
    ):
        read(path)
    with pytest.raises(DataError, match=r"x\.xlsx has no rows"):
        read(sheet(path))
    with pytest.raises(DataError, match=r"x\.xlsx has no rows"):
        read(sheet(path, ["name", "x"]))
    with pytest.raises(DataError, match=r"the first line of x\.xlsx holds the number 8\.6; expected names of columns"):
        read(sheet(path, ["Swift", 8.6], ["Camry", 18.2]))
    assert read(path, header=False).columns == {"column 1": ["Swift", "Camry"], "column 2": [8.6, 18.2]}
    for content in (b"", b"PK", b"name,x\na,1\n", path.read_bytes()[:1000], path.read_bytes()[:-200]):
        path.write_bytes(content)
        with pytest.raises(DataError, match=r"x\.xlsx is not an Excel file, or it is damaged; save it again as \.xlsx"):
            read(path)
    monkeypatch.setattr("askwise.data.spreadsheets.MAX_UNPACKED_MB", 0)
    with pytest.raises(DataError, match=r"x\.xlsx holds more than 0 MB; give a smaller table"):
        read(sheet(path, ["name", "x"], ["a", 1]))
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(
        SettingError, match=r"Excel files need openpyxl; install it with: pip install 'askwise\[excel\]'"
    ):
        read(path)
    (tmp_path / "x.ods").touch()
    with pytest.raises(DataError, match=r"x\.ods is not one of .*; save it as \.xlsx or CSV first"):
        read(tmp_path / "x.ods")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not well-formed JSON"),
        ('{"name": ["a"', r"is not well-formed JSON \(line 1\); expected a list of objects"),
        ("[" * 100_000, "is not well-formed JSON"),
        ("[]", "holds no table"),
        ("{}", "holds no table"),
        ("5", "holds no table"),
        ("[1, 2]", "holds no table"),
        ('{"name": "a"}', "holds no table"),
        ('[{"name": "a"}, 5]', "holds no table"),
        ('{"recipe": {}, "log": []}', "is a whole study and not a table; make a study of it with askwise import"),
        ('{"a": [1, 2], "b": [1]}', "columns differ in length"),
        ('[{"a": {"b": 1}}, {"a": {"b": 2}}]', "column 'a' holds dict values"),
    ],
)
def test_odd_json(text, words, tmp_path):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(DataError, match=words):
        read(tmp_path / "x.json")


def test_lists(tmp_path):
    (tmp_path / "a.json").write_text('["tea", "milk"]')
    (tmp_path / "b.txt").write_text("tea\r\n\r\n milk \r\n", encoding="utf-8-sig")
    assert read(tmp_path / "a.json").columns == read(tmp_path / "b.txt").columns == {"name": ["tea", "milk"]}
    (tmp_path / "c.txt").write_text(" \n")
    with pytest.raises(DataError, match=r"c\.txt has no lines; expected one item a line"):
        read(tmp_path / "c.txt")


def test_notes_beside_pictures_are_no_tables(tmp_path):
    from tests.media import PNG

    for name in ("a.png", "b.png"):
        (tmp_path / name).write_bytes(PNG)
    (tmp_path / "README.txt").write_text("two pictures")
    (tmp_path / "settings.json").write_text("{}")
    assert read(tmp_path).columns["name"] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Swift,red\nCamry,blue\nGeo,red\n", "holds 'red', which is also a value below it; expected names of columns"),
        ("Swift,$5\nCamry,$6\n", r"holds '\$5', a value like those below it"),
        ("Swift,17.03.2024\nCamry,18.03.2024\n", "holds '17.03.2024', a value like those below it"),
        ("Swift,2024-03-17\nCamry,2024-03-18\n", "holds '2024-03-17', a value like those below it"),
        (f"{'a long text ' * 12}\nand another one\n", "which is too long for the name of a column"),
    ],
)
def test_a_first_line_of_values_is_no_header(text, words, tmp_path):
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(
        DataError, match=rf"the first line of x\.csv {words}.*use header=False if there are none|{words}"
    ):
        read(tmp_path / "x.csv")
    found = read(tmp_path / "x.csv", header=False).columns
    assert len(found["column 1"]) == len(text.strip().split("\n"))


def test_items_may_be_called_like_columns_of_answers(tmp_path):
    (tmp_path / "x.csv").write_text("a,b,same\na,b,yes\nb,c,no\n")
    assert list(read(tmp_path / "x.csv").columns) == ["a", "b", "same"]


def test_texts_alone_leave_it_open_and_that_is_told(tmp_path):
    (tmp_path / "x.csv").write_text("tea\nmilk\nwater\n")
    assert read_file(tmp_path / "x.csv").remarks == (
        "The first line, 'tea', was taken for the names of columns. If it is a row, use header=False.",
    )
    for text in ("name\ntea\nmilk\n", "drink,price\ntea,1\nmilk,2\n", "drink,price\ntea,$1\nmilk,$2\n"):
        (tmp_path / "x.csv").write_text(text)
        assert read_file(tmp_path / "x.csv").remarks == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name;x\na;1.234\nb;999\n", [1234, 999]),  # as spreadsheets export German numbers
        ("name;x\na;1.234,5\nb;2,5\n", [1234.5, 2.5]),
        ("name;x\na;1,5\nb;2\n", [1.5, 2]),
        ("name;x\na;1.5\nb;2.25\n", [1.5, 2.25]),
        ('name,x\na,"1,234"\nb,999\n', [1234, 999]),
        ("name,x\na,1.234\nb,999\n", [1.234, 999]),  # a comma between columns: a point before decimals
        ("name,x\na,12 %\nb,3%\n", [12, 3]),
    ],
)
def test_numbers_by_the_marks_of_their_file(text, expected, tmp_path):
    (tmp_path / "x.csv").write_text(text)
    found, plain = encode(read(tmp_path / "x.csv").columns), encode({"name": ["a", "b"], "x": expected})
    column = found.encoding[0]
    assert np.ldexp(column.raw(read(tmp_path / "x.csv").columns["x"])[:, 0], column.exponent) == pytest.approx(expected)
    assert np.allclose(found.features, plain.features)


def test_words_for_missing_values_among_amounts(tmp_path):
    (tmp_path / "x.csv").write_text("name,x\na,$5\nb,n/a\nc,-\nd,$7.50\n")
    assert read(tmp_path / "x.csv").columns["x"] == ["$5", None, None, "$7.50"]


def test_parquet_without_pyarrow_names_the_extra(tmp_path, monkeypatch):
    (tmp_path / "pool").mkdir()
    for path in (tmp_path / "cars.parquet", tmp_path / "pool" / "rows.parquet"):
        pd.DataFrame(CARS).to_parquet(path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    classify = partial(askwise.classifier, labels=("car", "van"))
    table, pool = tmp_path / "cars.parquet", tmp_path / "pool"
    for use, path in ((read, table), (read_table, table), (Pool, pool), (classify, table), (classify, pool)):
        with pytest.raises(SettingError, match=MISSING_PYARROW):
            use(path)
