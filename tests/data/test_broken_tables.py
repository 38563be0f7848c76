"""A table that is broken in any way is refused in one sentence."""

from __future__ import annotations

import datetime as dt
import json
import os
import random

import pyarrow as pa
import pytest
from pyarrow import parquet

from askwise.data.encoding import encode
from askwise.data.files import read, read_table
from askwise.errors import AskwiseError, DataError
from askwise.goals import best_column, classifier, goal_of

NAMES = [f"n{i}" for i in range(8)]
ROWS = [
    {"name": name, "price": 1.5 * i, "kind": "ab"[i % 2], "seen": f"2024-05-{i + 1:02d}"}
    for i, name in enumerate(NAMES)
]
TEXT = "name,price,kind,seen\n" + "".join(",".join(map(str, row.values())) + "\n" for row in ROWS)
PIECES = [
    b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\xc3", b'"', b"\n", b"\r", b",", b"9" * 400, b"9" * 5000, b"1e999", b"NaN",
    b"Infinity", b"[" * 3000, b'{"a":' * 3000, b"\\ud800", b"\\u0000", b"0001-01-01T00:00+14:00", b"x" * 5000,
    b"\xe2\x80\xa8", b"column 1", b"image", b"\x1b[2J", "²".encode(), "٣".encode(),
]  # fmt: skip


def refused(path, **options):
    with pytest.raises(DataError) as caught:
        encode(read(path, **options).columns)
    said = str(caught.value)
    assert "\n" not in said
    assert len(said) < 500
    return said


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def a_parquet_file(path, **options):
    columns = {
        "name": NAMES,
        "price": [1.5 * i for i in range(8)],
        "day": [dt.date(2024, 5, i + 1) for i in range(8)],
        "moment": pa.array([dt.datetime(2024, 5, i + 1) for i in range(8)], pa.timestamp("us", tz="Europe/Berlin")),
        "kind": pa.array(["a", "b"] * 4).dictionary_encode(),
    }
    parquet.write_table(pa.table(columns), path, **options)
    return path


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "plain.parquet", "packed.parquet"])
def test_damaged_bytes(name, tmp_path):
    """The same damage every time: bytes changed, cut out, doubled, or something odd put in."""
    path = tmp_path / name
    if path.suffix == ".parquet":
        a_parquet_file(path, compression="none" if name == "plain.parquet" else "gzip")
    else:
        written(path, TEXT if name == "a.csv" else "".join(json.dumps(row) + "\n" for row in ROWS))
    whole, rng, good = path.read_bytes(), random.Random(7), 0
    said: list[str] = []
    for _ in range(250):
        content = bytearray(whole)
        for _ in range(rng.choice([1, 1, 2, 4])):
            place = rng.randrange(len(content))
            way = rng.randrange(4)
            if way == 0:
                content[place] = rng.choice([0, 255, rng.randrange(256)])
            elif way == 1:
                content[place:place] = rng.choice(PIECES)
            elif way == 2:
                del content[place : place + rng.randrange(1, 40)]
            else:
                content[-1 - place // 8] ^= 1 << rng.randrange(8)  # the end of a Parquet file says what is in it
        path.write_bytes(content)
        try:
            encode(read(path).columns, missing="impute")
            good += 1
        except AskwiseError as error:
            said.append(str(error))
    assert 0 < good < 250
    assert not any("\n" in sentence for sentence in said)


def test_dates_beyond_what_python_knows(tmp_path):
    path = tmp_path / "dates.parquet"
    for values in (pa.array([0, 2**31 - 1], pa.date32()), pa.array([0, 2**50], pa.timestamp("s"))):
        parquet.write_table(pa.table({"name": ["a", "b"], "day": values}), path)
        assert "column 'day' of dates.parquet holds a date that cannot be read" in refused(path)


def test_parquet_types_that_are_no_features(tmp_path):
    path = tmp_path / "odd.parquet"
    for values in ([["p", "q"]] * 2, [{"a": 1}] * 2, [b"\xff\x00", b""], [dt.time(1)] * 2):
        parquet.write_table(pa.table({"name": ["a", "b"], "odd": values}), path)
        assert "column 'odd' holds" in refused(path)
    twice = pa.Table.from_arrays([pa.array(["a", "b"]), pa.array([1, 2]), pa.array([1, 2])], names=["name", "x", "x"])
    parquet.write_table(twice, path)
    assert "two columns of the table have the same name" in refused(path)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name,,column 2\na,1,2\nb,2,3\n", "two columns of x.csv are called 'column 2'"),
        ("name,x,x\na,1,2\nb,2,3\n", "two columns of x.csv are called 'x'"),
        ("name,x\na\0b,1\nc,2\n", "x.csv is not a text file; save the table as CSV UTF-8"),
        ("name,x\0\na,1\nc,2\n", "x.csv is not a text file"),
        (f"name,x\na,{'9' * 5000}\nb,2\n", "column 'x' is infinite in row 1"),
        (f"name,x\na,{'9' * 400}\nb,2\n", "column 'x' is infinite in row 1"),
        (f"name,image\na,{'y' * 5000}\nb,z\n", "column 'image' names pictures that are not in"),
        ("Swift,8.6,31\nCamry,18.2,23\n", "the first line of x.csv holds the number 8.6; expected names of columns"),
        ("Swift,8,31\nCamry,6,40\nGeo,9,20\n", "the first line of x.csv holds the number 8; expected names"),
        ("Swift;8,6;x\nCamry;18,2;y\n", "the first line of x.csv holds the number 8,6; expected names of columns"),
    ],
)  # fmt: skip
def test_odd_csv(text, sentence, tmp_path):
    assert sentence in refused(written(tmp_path / "x.csv", text))


@pytest.mark.parametrize("text", ["1,2\n3,4\n5,6\n", "7\n8\n9\n", "10;20;40\n1;2;3\n4;5;6\n"])
def test_a_first_line_of_numbers_alone_is_no_header(text, tmp_path):
    with pytest.raises(DataError, match=r"the first line of x\.csv holds the number .*; expected names of columns"):
        read_table(written(tmp_path / "x.csv", text))


@pytest.mark.parametrize("header", ["name,2019,2020,2021", "name,1,2,3", "name,10,50,200", "id,x1,x2,x3"])
def test_numbers_that_are_names_of_columns(header, tmp_path):
    found = read_table(written(tmp_path / "x.csv", f"{header}\na,2019,.7,.1\nb,2020,.4,.2\n"))
    assert list(found) == header.split(",")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('{"name": "\\ud800", "x": 3}', "column 'name' in row 3 is '\\ud800', which is not a valid text"),
        ('{"name": "c", "x": 3, "\\udfff": 1}', "the name of column 3 is '\\udfff'"),
        ('{"name": "c\\u0000", "x": 3}', "which is not a valid text"),
        ('{"name": "c", "x": ' + "[" * 100_000, "line 3 of x.jsonl is not a JSON object"),
        ('{"name": "c", "x": ' + "9" * 5000 + "}", "line 3 of x.jsonl is not a JSON object"),
        ('{"name": "c", "x": ' + "9" * 400 + "}", "column 'x' is infinite in row 3"),
        ('{"name": "c", "x": Infinity}', "column 'x' is infinite in row 3"),
        ('{"name": "c", "x": [1]}', "column 'x' holds list values"),
        ('{"name": "c", "x": {"y": 1}}', "column 'x' holds dict values"),
    ],
)
def test_odd_json_lines(line, sentence, tmp_path):
    good = '{"name": "a", "x": 1}\n{"name": "b", "x": 2}\n'
    assert sentence in refused(written(tmp_path / "x.jsonl", f"{good}{line}\n"))


def test_json_texts_may_hold_other_ends_of_lines(tmp_path):
    path = written(tmp_path / "x.jsonl", '{"name": "a\u2028b", "x": 1}\r\n{"name": "c\x85d", "x": NaN}\n')
    assert read_table(path) == {"name": ["a\u2028b", "c\x85d"], "x": [1, None]}


def test_numbers_in_texts_that_are_too_large():
    with pytest.raises(DataError, match="column 'x' holds 1e999, which is too large; expected finite numbers"):
        encode({"name": ["a", "b"], "x": ["1e999", "2"]})


def test_pipes_and_folders_are_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "x.csv")
    assert "x.csv is not a file" in refused(tmp_path / "x.csv")
    (tmp_path / "y.csv").mkdir()
    with pytest.raises(DataError, match=r"y\.csv is not a file"):
        read_table(tmp_path / "y.csv")
    assert "cannot be read: File name too long" in refused(tmp_path / ("x" * 5000 + ".csv"))


def test_pictures_with_names_that_are_no_text(tmp_path):
    for name in (b"\xff.png", b"b.png"):
        with open(os.path.join(os.fsencode(tmp_path), name), "wb") as file:
            file.write(b"png")
    assert "is '\\udcff.png', which is not a valid text" in refused(tmp_path)


@pytest.mark.parametrize("encoding", ["undefined", "hex", "", "a\0b", "utf-33"])
def test_encodings_that_are_none(encoding, tmp_path):
    assert "there is no encoding" in refused(written(tmp_path / "x.csv", "name,x\nä,1\nb,2\n"), encoding=encoding)


def test_the_way_out_is_named_without_an_option(tmp_path):
    """The same sentence serves the command and the browser, where there are no options."""
    (tmp_path / "x.csv").write_bytes("name,x\nCitroën,1\nb,2\n".encode("latin-1"))
    assert refused(tmp_path / "x.csv").endswith("save it as CSV UTF-8, or name its encoding, often latin-1")


def test_labels_are_a_list():
    table = {"x": [1.0, 2.0, 3.0], "y": [2.0, 1.0, 1.0]}
    for labels in ("os", b"os", 3, None):
        with pytest.raises(AskwiseError, match=r"^labels is .*; expected a list such as \['no', 'yes'\]$"):
            classifier(table, labels=labels)
    for labels in (["a", ""], ["a", " "]):
        with pytest.raises(AskwiseError, match="a label cannot be empty"):
            classifier(table, labels=labels)
    for labels in ([1, "1"], ["a", "a "], ["a"]):
        with pytest.raises(AskwiseError, match="two different labels"):
            classifier(table, labels=labels)
    with pytest.raises(AskwiseError, match=r"label 2 is '\\ud800', which is not a valid text"):
        classifier(table, labels=["a", "\ud800"])


def test_a_full_matrix_leaves_nothing_to_ask():
    session = best_column({"name": ["x", "y"], "a": [1, 2], "b": [3, 4]}, draws=8)
    with pytest.raises(
        DataError, match="all 4 entries of the matrix are known, so there is nothing to ask; leave those"
    ):
        goal_of(session).sentences(session)
