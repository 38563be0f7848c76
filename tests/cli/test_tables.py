"""Which tables and pictures become studies, and one sentence about those that do not."""

from __future__ import annotations

import json

import pytest

import askwise
from tests.cli.tables import ROWS, write_csv

TABLES = {
    "an empty file": ("", "has no rows"),
    "only a header": ("name,price\n", "has no rows"),
    "one row": ("name,price\nSwift,8\n", "only one row"),
    "a constant column": ("name,price\nSwift,8\nCamry,8\n", "no column can be a feature: 'price' is constant"),
    "the same name twice": ("name,price\nSwift,8\nSwift,9\n", "the name 'Swift' is in rows 1 and 2"),
    "a value missing": ("name,price\nSwift,8\nCamry,\nGeo,3\n", "'price' has missing values, 1 of 3 (row 2)"),
    "not a number": ("name,price\nSwift,8\nCamry,nan\nGeo,3\n", "'price' has missing values, 1 of 3 (row 2)"),
    "a short line": ("name,price\nSwift,8\nCamry\n", "line 3 of cars.csv has 1 value, the header has 2"),
    "a column twice": ("name,price,price\nSwift,8,9\nCamry,1,2\n", "two columns of cars.csv are called 'price'"),
    "an open quote": (
        'name,price\n"Swift,8\nCamry,9\n',
        "a quote that opens in line 2 of cars.csv or below is never closed",
    ),
    "a quote in the middle": ('name,price\n"Swift"x,8\nCamry,9\n', "line 2 of cars.csv is not well formed; correct"),
    "no text": ("name,price\nSwi\0ft,8\nCamry,9\n", "cars.csv is not a text file; save the table as CSV UTF-8"),
    "infinite numbers": (
        "name,price\nSwift,8\nCamry,inf\nGeo,-Inf\n",
        "column 'price' holds inf; expected finite numbers",
    ),
    "free text": (
        "name,story\nSwift,it is small and red\nCamry,it is larger and blue\nGeo,a third one\n",
        "--text-features COLUMN",
    ),
}


@pytest.mark.parametrize("case", TABLES)
def test_bad_tables_are_refused_in_one_sentence(case, run_command, cars, tmp_path):
    content, message = TABLES[case]
    cars.write_text(content, encoding="utf-8")
    code, said, error = run_command("new", "best-item", cars)
    assert (code, said) == (2, "")
    assert message in error
    assert "\n" not in error.strip()
    assert not list(tmp_path.glob("*.askwise"))


def test_other_bad_input_is_refused_in_one_sentence(run_command, cars, tmp_path):
    cars.write_bytes("name,price\nSwift,8\nCitroën,9\n".encode("latin-1"))
    code, _, error = run_command("new", "best-item", cars)
    assert code == 2
    assert (
        "is not utf-8 text (line 3); save it as CSV UTF-8, or name its encoding, often latin-1, with --encoding"
        in error
    )
    assert run_command("new", "best-item", cars, "--encoding", "latin-1")[0] == 0
    assert "Citroën" in str(askwise.open("cars.askwise").recipe)
    code, _, error = run_command("new", "best-item", cars, "--encoding", "latin-1")
    assert code == 2
    assert "cars.askwise exists already" in error
    for arguments, message in [
        (["best-thing", cars], "there is no goal 'best-thing'; the goals are best-column, best-item"),
        (["best-item", tmp_path / "none.csv"], "there is no file"),
        (["best-item", tmp_path / "x.xlsx"], "save it as CSV first"),
        (["top-k", cars, "--encoding", "latin-1"], "top-k needs --k"),
        (["cluster-of", cars, "--encoding", "latin-1"], "cluster-of needs --item"),
        (["best-item", cars, "--encoding", "latin-1", "--k", "3"], "best-item has no option --k"),
        (
            ["best-item", cars, "--encoding", "latin-1", "--epsilon", "0"],
            "epsilon is 0.0; expected a number above 0 and at most 1",
        ),
        (["best-item", cars, "--encoding", "latin-1", "--rule", "clever"], "clever"),
        (["best-item", cars, "--encoding", "klingon"], "there is no encoding 'klingon'"),
        (["best-item", cars, "--encoding", "latin-1", "--name-column", "nom"], "names the column 'nom'"),
        (["best-item", cars, "--encoding", "latin-1", "-o", "no/x.askwise"], "there is no folder"),
    ]:
        (tmp_path / "x.xlsx").write_bytes(b"PK")
        code, _, error = run_command("new", *arguments)
        assert code == 2, arguments
        assert message in error
        assert "\n" not in error.strip()


def test_a_million_rows_are_refused_in_a_moment(run_command, tmp_path):
    path = tmp_path / "many.csv"
    path.write_text("name,x\n" + "".join(f"n{i},{i % 7}\n" for i in range(1_000_000)), encoding="utf-8")
    code, _, error = run_command("new", "best-item", path)
    assert code == 2
    assert "many.csv has more than 200,000 rows" in error
    path.write_text("name,x\n" + "".join(f"n{i},{i % 7}\n" for i in range(30_000)), encoding="utf-8")
    assert "many.csv has 30,000 rows; best-item takes up to 10,000" in run_command("new", "best-item", path)[2]


def test_other_kinds_of_tables(run_command, cars, tmp_path):
    import pyarrow
    from pyarrow import parquet

    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    parquet.write_table(pyarrow.Table.from_pylist(ROWS), tmp_path / "b.parquet")
    text = "name;price\n" + "".join(f"{row['name']};{str(row['price']).replace('.', ',')}\n" for row in ROWS)
    (tmp_path / "c.csv").write_text(text, encoding="utf-16")
    (tmp_path / "d.tsv").write_text(cars.read_text(encoding="utf-8").replace(",", "\t"), encoding="utf-8")
    for name, features in (("a.jsonl", 2), ("b.parquet", 2), ("c.csv", 1), ("d.tsv", 2)):
        found = json.loads(run_command("new", "best-item", name, "--json")[1])
        assert (found["rows"], found["name"], len(found["features"])) == (12, "name", features)


def test_texts_can_be_features(run_command, tmp_path):
    words = ["red wine", "white wine", "green tea", "black tea", "red wine again", "more green tea"]
    write_csv(tmp_path / "t.csv", [{"name": f"n{i}", "story": words[i]} for i in range(6)])
    found = json.loads(run_command("new", "best-item", "t.csv", "--text-features", "story", "--json")[1])
    assert found["features"][:2] == ["story 1", "story 2"]
    assert found["left_out"] == {"story": "is free text"}


PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360f8cfc0000003010100c9fe92ef"
    "0000000049454e44ae426082"
)


def test_pictures_go_into_the_study(run_command, tmp_path):
    folder = tmp_path / "cats"
    folder.mkdir()
    for name in ("ada", "bob", "cyd"):
        (folder / f"{name}.png").write_bytes(PNG)
    assert run_command("new", "clusters", "cats")[0] == 0
    session = askwise.open("cats.askwise")
    option = session.ask().options[0]
    assert option.image == f"{option.name}.png"
    assert session.journal.store.image(1, option.image) == PNG
    write_csv(
        folder / "cats.csv", [{"who": "Ada", "file": "ada.png", "age": 3}, {"who": "Bob", "file": "bob.png", "age": 5}]
    )
    found = run_command("new", "best-item", "cats", "-o", "b.askwise", "--json")
    assert json.loads(found[1])["features"] == ["age"]
    (folder / "bob.png").unlink()
    assert "names pictures that are not in" in run_command("new", "best-item", "cats", "-o", "c.askwise")[2]
