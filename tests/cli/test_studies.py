"""The commands about studies, one after the other as somebody with a table would use them."""

from __future__ import annotations

import csv
import json
import re
import sys

import pytest

import askwise
from askwise.cli import main
from tests.helpers import generator

ROWS = [{"name": f"car {i}", "price": round(5 + 2.3 * i % 17, 2), "mpg": 20 + (7 * i) % 11} for i in range(12)]


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs a command in a folder of its own: (exit code, standard output, standard error)."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments):
        monkeypatch.setattr(sys, "argv", ["askwise", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return ended.value.code, said.out, said.err

    return command


@pytest.fixture
def cars(tmp_path):
    path = tmp_path / "cars.csv"
    write(path, ROWS)
    return path


def write(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


def prefer(question, worse):
    left, right = (option["name"] for option in question["options"])
    return right if worse(left) > worse(right) else left


def by_number(name):
    return int(name.split()[1])


def test_from_a_table_to_an_answer(run, cars, tmp_path):
    code, said, _ = run("new", "best-item", cars, "--seed", 3, "--epsilon", 0.2)
    assert code == 0
    assert said.splitlines()[:3] == [
        "Find the best of the 12 items.",
        "Names: column 'name'.",
        "Features used: price, mpg.",
    ]
    assert "66 are possible" in said
    assert "Now answer: askwise ask cars.askwise" in said
    for _ in range(60):
        status = json.loads(run("status", "cars.askwise", "--json")[1])
        if status["done"]:
            break
        questions = json.loads(run("next", "cars.askwise", "--count", 4, "--json")[1])["questions"]
        assert [sorted(question) for question in questions] == [["id", "kind", "options", "responses", "text"]] * 4
        rows = [{"question": q["id"], "response": prefer(q, by_number)} for q in questions]
        write(tmp_path / "answers.csv", rows)
        assert "4 answers taken" in run("tell", "cars.askwise", "--from", "answers.csv", "--who", "Ann")[1]
    assert status["done"]
    assert "the average diameter is below 0.2" in status["reason"]
    assert {event.get("who") for event in askwise.open(tmp_path / "cars.askwise").log if event["event"] == "tell"} == {
        "Ann"
    }
    assert "Settled: the average diameter is below 0.2" in run("status", "cars.askwise")[1]
    assert run("report", "cars.askwise")[:2] == (0, "Open cars.html\n")
    assert (tmp_path / "cars.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_another_goal(run, cars):
    run("new", "best-item", cars, "--seed", 3)
    for _ in range(3):
        session = askwise.open("cars.askwise")
        session.ask()
        session.tell("left")
    code, said, _ = run("goal", "cars.askwise", "top-k", "--k", 3, "--json")
    found = json.loads(said)
    assert (code, found["goal"], found["answers"], len(found["estimate"])) == (0, "top-k", 3, 3)
    assert "The 3 answers so far speak for" in run("goal", "cars.askwise", "ranking")[1]
    assert run("goal", "cars.askwise", "clusters")[0] == 2
    assert run("goal", "cars.askwise", "top-k")[0] == 2


STUDIES = {
    "best-item": (["--ties"], {"left": "car 1", "right": "car 2", "winner": "equal"}),
    "top-k": (["--k", "2"], {"left": "car 1", "right": "car 2", "winner": "car 2"}),
    "ranking": ([], {"left": "car 1", "right": "car 2", "winner": "left"}),
    "classifier": (["--labels", "cheap,dear"], {"item": "car 4", "label": "dear"}),
    "cluster-of": (["--item", "car 3"], {"a": "car 1", "b": "car 3", "same": "yes"}),
    "clusters": (["--noise", "0.1"], {"a": "car 1", "b": "car 3", "same": "different"}),
    "hierarchy": ([], {"a": "car 1", "b": "car 3", "c": "car 7", "odd": "car 3"}),
    "best-column": (["--rank", "1"], {"row": "car 1", "column": "mpg", "value": "21.5"}),
}


@pytest.mark.parametrize("goal", STUDIES)
def test_every_goal_takes_answers_by_name(goal, run, cars, tmp_path):
    options, row = STUDIES[goal]
    if goal == "best-column":
        write(cars, [{**each, "mpg": "", "price": each["price"] if i % 2 else ""} for i, each in enumerate(ROWS)])
    code, said, error = run("new", goal, cars, *options, "--json")
    assert code == 0, error
    found = json.loads(said)
    assert found["rows"] == 12
    assert found["questions"] == {"classifier": 12, "hierarchy": 220, "best-column": 18}.get(goal, 66)
    write(tmp_path / "a.csv", [{**row, "who": "Ann", "seconds": 3}])
    assert json.loads(run("tell", "cars.askwise", "--from", "a.csv", "--json")[1])["taken"] == 1
    assert json.loads(run("tell", "cars.askwise", "--from", "a.csv", "--json")[1]) == {
        "taken": 0,
        "known": 1,
        "bad": [],
        "answers": 1,
    }
    told = askwise.open("cars.askwise").log[-1]
    assert (told["who"], told["seconds"]) == ("Ann", 3)
    status = json.loads(run("status", "cars.askwise", "--json")[1])
    assert status["answers"] == 1
    assert run("next", "cars.askwise", "--count", 2, "-o", "q.csv")[0] == 0
    with open("q.csv", encoding="utf-8") as file:
        questions = list(csv.DictReader(file))
    assert [question["response"] for question in questions] == ["", ""]
    assert run("report", "cars.askwise", "-o", "r.html")[0] == 0


def test_a_bad_line_is_named_and_nothing_taken(run, cars, tmp_path):
    run("new", "ranking", cars)
    good = {"left": "car 1", "right": "car 2", "winner": "car 2"}
    bad = {
        "there is no item 'car 99'": {**good, "left": "car 99"},
        "winner is 'car 5'": {**good, "winner": "car 5"},
        "'car 2' is named twice": {**good, "left": "car 2"},
        "there is no winner": {**good, "winner": ""},
    }
    for message, row in bad.items():
        write(tmp_path / "a.csv", [good, row, row])
        code, _, error = run("tell", "cars.askwise", "--from", "a.csv")
        assert code == 2
        assert f"line 3: {message}" in error
        assert "1 more bad lines" in error
        assert "\n" not in error.strip()
        assert not askwise.open("cars.askwise").answers
    code, said, error = run("tell", "cars.askwise", "--from", "a.csv", "--skip-bad")
    assert (code, said) == (0, "1 answer taken; the study has 1 now.\n")
    assert error.count("left out, line") == 2


def test_answers_by_question(run, cars, tmp_path):
    run("new", "clusters", cars)
    ids = [
        question["id"] for question in json.loads(run("next", "cars.askwise", "--count", 3, "--json")[1])["questions"]
    ]
    write(tmp_path / "a.csv", [{"question": ids[0], "response": "same"}, {"question": ids[1], "response": ""}])
    assert "1 answer taken" in run("tell", "cars.askwise", "--from", "a.csv")[1]
    write(tmp_path / "b.csv", [{"question": ids[0], "response": "different"}])
    code, _, error = run("tell", "cars.askwise", "--from", "b.csv")
    assert code == 2
    assert f"line 2: question {ids[0]} was answered before ('same')" in error
    write(tmp_path / "c.csv", [{"question": ids[1], "response": "same"}, {"question": ids[1], "response": "same"}])
    assert "line 3: question q2 is answered in line 2 already" in run("tell", "cars.askwise", "--from", "c.csv")[2]
    write(tmp_path / "d.csv", [{"x": 1}])
    assert "expected question, response, or a, b, same" in run("tell", "cars.askwise", "--from", "d.csv")[2]


def test_out_and_in_again(run, cars):
    run("new", "classifier", cars, "--labels", "cheap,dear")
    session = askwise.open("cars.askwise")
    for turn in range(4):
        session.ask()
        session.tell(("cheap", "dear")[turn % 2])
    for out in ("a.csv", "a.tsv", "a.jsonl", "a.parquet", "a.json"):
        assert run("export", "cars.askwise", out)[:2] == (0, f"Wrote {out}\n")
    assert run("export", "cars.askwise", "p.csv", "--what", "predictions")[0] == 0
    assert run("export", "cars.askwise", "d.parquet", "--what", "draws", "--count", 20)[0] == 0
    for wrong in (["x.doc"], ["x.csv", "--what", "dreams"]):
        code, _, error = run("export", "cars.askwise", *wrong)
        assert code == 2
        assert "\n" not in error.strip()
    assert run("import", "a.json", "-o", "b.askwise")[0] == 0
    assert run("copy", "b.askwise", "c.askwise")[0] == 0
    assert askwise.open("c.askwise").ask() == askwise.open("cars.askwise").ask()
    assert run("copy", "b.askwise", "c.askwise")[0] == 2


def test_a_plan_in_no_time(run, cars, monkeypatch):
    run("new", "best-item", cars)
    monkeypatch.setattr("askwise.study.planning.simulate", lambda session, rules, *_: {rule: [] for rule in rules})
    code, _, said = run("plan", "cars.askwise", "--seconds", 1)
    assert code == 2
    assert "nobody could be simulated in 1 seconds; give more time with --seconds" in said


def test_a_plan(run, cars):
    run("new", "best-item", cars, "--epsilon", 0.3)
    found = json.loads(run("plan", "cars.askwise", "--people", 3, "--seconds", 30, "--workers", 1, "--json")[1])
    assert set(found["rules"]) == {"expected", "random"}
    for row in found["rules"].values():
        assert 1 <= row["people"] <= 3
        assert all(count is None or count > 0 for count in row["questions"])
    assert found["epsilon"]["now"] == 0.3
    assert found["advice"]


TABLES = {
    "an empty file": ("", "has no rows"),
    "only a header": ("name,price\n", "has no rows"),
    "one row": ("name,price\nSwift,8\n", "only one row"),
    "a constant column": ("name,price\nSwift,8\nCamry,8\n", "no column can be a feature: 'price' is constant"),
    "the same name twice": ("name,price\nSwift,8\nSwift,9\n", "the name 'Swift' is in rows 1 and 2"),
    "a value missing": ("name,price\nSwift,8\nCamry,\nGeo,3\n", "'price' has missing values, 1 of 3 (row 2)"),
    "not a number": ("name,price\nSwift,8\nCamry,nan\nGeo,3\n", "'price' has missing values, 1 of 3 (row 2)"),
    "a short line": ("name,price\nSwift,8\nCamry\n", "line 3 of cars.csv has 1 values, the header has 2"),
    "a column twice": ("name,price,price\nSwift,8,9\nCamry,1,2\n", "two columns of cars.csv are called 'price'"),
    "an open quote": ('name,price\n"Swift,8\nCamry,9\n', "not well formed"),
    "free text": (
        "name,story\nSwift,it is small and red\nCamry,it is larger and blue\nGeo,a third one\n",
        "--text-features COLUMN",
    ),
}


@pytest.mark.parametrize("case", TABLES)
def test_tables_that_cannot_be_used(case, run, cars, tmp_path):
    content, message = TABLES[case]
    cars.write_text(content, encoding="utf-8")
    code, said, error = run("new", "best-item", cars)
    assert (code, said) == (2, "")
    assert message in error
    assert "\n" not in error.strip()
    assert not list(tmp_path.glob("*.askwise"))


def test_more_that_cannot_be_used(run, cars, tmp_path):
    cars.write_bytes("name,price\nSwift,8\nCitroën,9\n".encode("latin-1"))
    code, _, error = run("new", "best-item", cars)
    assert code == 2
    assert (
        "is not utf-8 text (line 3); save it as CSV UTF-8, or name its encoding, often latin-1, with --encoding"
        in error
    )
    assert run("new", "best-item", cars, "--encoding", "latin-1")[0] == 0
    assert "Citroën" in str(askwise.open("cars.askwise").recipe)
    code, _, error = run("new", "best-item", cars, "--encoding", "latin-1")
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
        code, _, error = run("new", *arguments)
        assert code == 2, arguments
        assert message in error
        assert "\n" not in error.strip()


def test_a_million_rows_are_refused_in_a_moment(run, tmp_path):
    path = tmp_path / "many.csv"
    path.write_text("name,x\n" + "".join(f"n{i},{i % 7}\n" for i in range(1_000_000)), encoding="utf-8")
    code, _, error = run("new", "best-item", path)
    assert code == 2
    assert "many.csv has more than 200,000 rows" in error
    path.write_text("name,x\n" + "".join(f"n{i},{i % 7}\n" for i in range(30_000)), encoding="utf-8")
    assert "many.csv has 30,000 rows; best-item takes up to 10,000" in run("new", "best-item", path)[2]


def test_other_kinds_of_tables(run, cars, tmp_path):
    import pyarrow
    from pyarrow import parquet

    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    parquet.write_table(pyarrow.Table.from_pylist(ROWS), tmp_path / "b.parquet")
    text = "name;price\n" + "".join(f"{row['name']};{str(row['price']).replace('.', ',')}\n" for row in ROWS)
    (tmp_path / "c.csv").write_text(text, encoding="utf-16")
    (tmp_path / "d.tsv").write_text(cars.read_text(encoding="utf-8").replace(",", "\t"), encoding="utf-8")
    for name, features in (("a.jsonl", 2), ("b.parquet", 2), ("c.csv", 1), ("d.tsv", 2)):
        found = json.loads(run("new", "best-item", name, "--json")[1])
        assert (found["rows"], found["name"], len(found["features"])) == (12, "name", features)


def test_texts_can_be_features(run, tmp_path):
    words = ["red wine", "white wine", "green tea", "black tea", "red wine again", "more green tea"]
    write(tmp_path / "t.csv", [{"name": f"n{i}", "story": words[i]} for i in range(6)])
    found = json.loads(run("new", "best-item", "t.csv", "--text-features", "story", "--json")[1])
    assert found["features"][:2] == ["story 1", "story 2"]
    assert found["left_out"] == {"story": "is free text"}


PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360f8cfc0000003010100c9fe92ef"
    "0000000049454e44ae426082"
)


def test_pictures_go_into_the_study(run, tmp_path):
    folder = tmp_path / "cats"
    folder.mkdir()
    for name in ("ada", "bob", "cyd"):
        (folder / f"{name}.png").write_bytes(PNG)
    assert run("new", "clusters", "cats")[0] == 0
    session = askwise.open("cats.askwise")
    option = session.ask().options[0]
    assert option.image == f"{option.name}.png"
    assert session.journal.store.image(1, option.image) == PNG
    write(
        folder / "cats.csv", [{"who": "Ada", "file": "ada.png", "age": 3}, {"who": "Bob", "file": "bob.png", "age": 5}]
    )
    found = run("new", "best-item", "cats", "-o", "b.askwise", "--json")
    assert json.loads(found[1])["features"] == ["age"]
    (folder / "bob.png").unlink()
    assert "names pictures that are not in" in run("new", "best-item", "cats", "-o", "c.askwise")[2]


@pytest.mark.parametrize("command", ["ask", "status", "report", "plan", "next", "goal", "tell", "export", "copy"])
def test_no_study_is_one_sentence(command, run, cars):
    more = {"goal": ["ranking"], "tell": ["--from", cars], "export": ["x.csv"], "copy": ["y.askwise"]}.get(command, [])
    code, said, error = run(command, "none.askwise", *more)
    assert (code, said) == (2, "")
    assert re.fullmatch(r"askwise: there is no study none\.askwise; make one with: askwise new .*\n", error)


def test_studies_in_a_database(run, cars, database):
    code, said, _ = run("new", "best-item", cars, "--store", database)
    assert code == 0
    address = f"{database}#cars"
    assert f"askwise ask {address}" in said
    assert run("copy", address, "local.askwise")[0] == 0
    session = askwise.open("local.askwise")
    session.ask()
    session.tell("left")
    assert run("copy", "local.askwise", f"{database}#back")[0] == 0
    assert askwise.open(f"{database}#back").ask() == session.ask()
    assert json.loads(run("status", f"{database}#back", "--json")[1])["answers"] == 1


def test_names_with_odd_letters_survive(run, tmp_path):
    rng = generator(77)
    odd = ["<script>alert(1)</script>", "naïve, café", '"quoted"', "[bold]x[/]", "emoji 😀", "a;b"]
    write(tmp_path / "o.csv", [{"name": name, "x": float(rng.random())} for name in odd])
    assert run("new", "best-item", "o.csv")[0] == 0
    assert set(askwise.open("o.askwise").problem.family.names) == set(odd)
    assert run("report", "o.askwise")[0] == 0
    assert "<script>alert" not in (tmp_path / "o.html").read_text(encoding="utf-8")
