"""Which tables and pictures become studies, and one sentence about those that do not."""

from __future__ import annotations

import json

import numpy as np
import openpyxl
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
        "or let texts become numbers with --embed",
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
        (["best-item", tmp_path / "x.xlsx"], "x.xlsx is not an Excel file, or it is damaged"),
        (["best-item", tmp_path / "x.ods"], "save it as .xlsx or CSV first"),
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
        for name in ("x.xlsx", "x.ods"):
            (tmp_path / name).write_bytes(b"PK")
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
    found = json.loads(
        run_command("new", "best-item", "t.csv", "--embed", "story", "--embed-model", "ngrams", "--json")[1]
    )
    assert found["features"] == ["story (embedded) (5 of 1024 numbers)"]
    assert found["left_out"] == {}
    assert found["shown"] == ["story"]


def test_a_list_of_texts_is_labelled_and_exported(run_command, tmp_path):
    words = ["red wine", "white wine", "green tea", "black tea", "red wine again", "more green tea"]
    (tmp_path / "drinks.txt").write_text("\n".join(words))
    options = ["--embed", "name", "--embed-model", "ngrams", "--labels", "wine,tea"]
    code, said, _ = run_command("new", "classifier", "drinks.txt", *options)
    assert code == 0
    assert "Features used: name (embedded) (5 of 1024 numbers)." in said
    assert run_command("ask", "drinks.askwise", "--no-forecast", stdin="wine\ntea\n")[0] == 0
    assert run_command("export", "drinks.askwise", "labels.xlsx", "--what", "predictions")[0] == 0
    rows = list(openpyxl.load_workbook(tmp_path / "labels.xlsx").active.values)
    assert rows[0][:2] == ("name", "label")
    assert [row[0] for row in rows[1:]] == words
    (tmp_path / "more.txt").write_text("green wine\n")
    assert "now has 7 items" in run_command("items", "drinks.askwise", "--add", "more.txt")[1]


def test_pictures_can_be_features(run_command, tmp_path):
    from PIL import Image

    (tmp_path / "tiles").mkdir()
    for name, colour in (("red", (200, 0, 0)), ("blue", (0, 0, 200)), ("pink", (200, 90, 90))):
        Image.new("RGB", (9, 9), colour).save(tmp_path / "tiles" / f"{name}.png")
    found = json.loads(run_command("new", "best-item", "tiles", "--embed", "image", "--json")[1])
    assert found["features"] == ["image (embedded) (2 of 384 numbers)"]
    Image.new("RGB", (9, 9), (0, 0, 190)).save(tmp_path / "tiles" / "navy.png")
    write_csv(tmp_path / "tiles" / "more.csv", [{"name": "navy", "image": "navy.png"}])
    assert run_command("items", "tiles.askwise", "--add", "tiles/more.csv")[0] == 0
    vectors = askwise.open("tiles.askwise").pursued["data"]["image (embedded)"]
    apart = np.linalg.norm(np.array(vectors[:3]) - vectors[3], axis=1)
    assert apart.argmin() == 0  # blue comes first in the folder
    (tmp_path / "tiles" / "more.csv").unlink()
    code, _, error = run_command("new", "best-item", "tiles", "--embed", "image", "--embed-model", "ngrams", "-o", "x")
    assert (code, error.count("\n")) == (2, 1)
    assert "pictures need the path of an .onnx file as their model, got 'ngrams'" in error


def test_amounts_and_vectors_in_files(run_command, tmp_path):
    rows = [["name", "price", "takes"], ["a", "$1,234", "4.5 h"], ["b", "$99", "1h 30min"], ["c", "$5.50", "30 min"]]
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "trips.xlsx")
    np.save(tmp_path / "trips.npy", np.random.default_rng(0).normal(size=(3, 50)))
    code, said, _ = run_command("new", "best-item", "trips.xlsx")
    assert code == 0
    assert "Features used: price, takes, trips.npy (2 of 50 numbers).\n" in said
    assert "Texts read as numbers and dates: price ('$1,234' is 1234), takes ('4.5 h' is 4.5 h).\n" in said
    shown = json.loads(run_command("next", "trips.askwise", "--json")[1])
    assert "$" in json.dumps(shown)


def test_a_table_without_a_header(run_command, tmp_path):
    (tmp_path / "cars.csv").write_text("Swift,8.6\nCamry,18.2\nGeo,9\n")
    code, _, error = run_command("new", "best-item", "cars.csv")
    assert code == 2
    assert "change that name, or use --no-header if there are none" in error
    found = json.loads(run_command("new", "best-item", "cars.csv", "--no-header", "--json")[1])
    assert (found["rows"], found["name"], found["features"]) == (3, "column 1", ["column 2"])
    (tmp_path / "drinks.csv").write_text("tea\nmilk\nwater\n")
    said = run_command("new", "best-item", "drinks.csv")[1]
    assert "The first line, 'tea', was taken for the names of columns. If it is a row, use --no-header." in said


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
