"""The commands about studies, one after the other as somebody with a table would use them."""

from __future__ import annotations

import csv
import json
import re

import pytest

import askwise
from askwise.storage.address import Address
from askwise.storage.participants import invite
from askwise.storage.store import Store
from tests.cli.tables import ROWS, write_csv
from tests.helpers import generator


def prefer(question, worse):
    left, right = (option["name"] for option in question["options"])
    return right if worse(left) > worse(right) else left


PRICES = {row["name"]: row["price"] for row in ROWS}


def by_number(name):
    return int(name.split()[1])


def test_from_a_table_to_an_answer(run_command, cars, tmp_path):
    code, said, _ = run_command("new", "best-item", cars, "--seed", 3, "--epsilon", 0.03)
    assert code == 0
    assert said.splitlines()[:3] == [
        "Find the best of the 12 items.",
        "Names: column 'name'.",
        "Features used: price, mpg.",
    ]
    assert "There are 66 such pairs." in said
    assert "Now answer: askwise ask cars.askwise" in said
    for _ in range(60):
        status = json.loads(run_command("status", "cars.askwise", "--json")[1])
        if status["done"]:
            break
        questions = json.loads(run_command("next", "cars.askwise", "--count", 4, "--json")[1])["questions"]
        parts = ["answer_names", "id", "kind", "options", "responses", "text"]
        assert [sorted(question) for question in questions] == [parts] * 4
        rows = [{"question": q["id"], "response": prefer(q, PRICES.get)} for q in questions]
        write_csv(tmp_path / "answers.csv", rows)
        assert "4 answers imported" in run_command("tell", "cars.askwise", "--from", "answers.csv", "--who", "Ann")[1]
    assert status["done"]
    assert "undecided is below 0.03" in status["reason"]
    assert {event.get("who") for event in askwise.open(tmp_path / "cars.askwise").log if event["event"] == "tell"} == {
        "Ann"
    }
    brief, details = run_command("status", "cars.askwise")[1], run_command("status", "cars.askwise", "--details")[1]
    assert "We are confident enough to stop." in brief
    assert "askwise status cars.askwise --details" in brief
    assert "average" not in brief
    mattered = [line for line in brief.splitlines() if line.startswith("What mattered: ")]
    assert mattered == [f"What mattered: {sentence}" for sentence in status["what_mattered"]]
    assert 1 <= len(mattered) <= 3
    assert "undecided is below 0.03" in details
    assert "On average over what is still plausible after" in details
    assert run_command("report", "cars.askwise")[:2] == (0, "Open cars.html\n")
    assert (tmp_path / "cars.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_another_goal_keeps_the_answers(run_command, cars):
    run_command("new", "best-item", cars, "--seed", 3)
    for _ in range(3):
        session = askwise.open("cars.askwise")
        session.ask()
        session.tell("left")
    code, said, _ = run_command("goal", "cars.askwise", "top-k", "--k", 3, "--json")
    found = json.loads(said)
    assert (code, found["goal"], found["answers"], len(found["estimate"])) == (0, "top-k", 3, 3)
    assert "Best guess after 3 answers: " in run_command("goal", "cars.askwise", "ranking")[1]
    assert run_command("goal", "cars.askwise", "clusters")[0] == 2
    assert run_command("goal", "cars.askwise", "top-k")[0] == 2


STUDIES = {
    "best-item": (["--ties"], {"left": "car 1", "right": "car 2", "winner": "equal"}),
    "top-k": (["--k", "2"], {"left": "car 1", "right": "car 2", "winner": "car 2"}),
    "ranking": ([], {"left": "car 1", "right": "car 2", "winner": "left"}),
    "classifier": (["--labels", "cheap,dear"], {"item": "car 4", "label": "dear"}),
    "cluster-of": (["--item", "car 3"], {"a": "car 1", "b": "car 3", "same": "yes"}),
    "clusters": (["--noise", "0.1"], {"a": "car 1", "b": "car 3", "same": "different"}),
    "hierarchy": ([], {"a": "car 1", "b": "car 3", "c": "car 7", "odd": "car 3"}),
    "best-column": (["--rank", "1"], {"row": "car 1", "column": "mpg", "value": "21.5"}),
    "matrix": (["--rank", "1", "--entry-range", "30"], {"row": "car 1", "column": "mpg", "value": "21.5"}),
}


@pytest.mark.parametrize("goal", STUDIES)
def test_every_goal_takes_answers_by_name(goal, run_command, cars, tmp_path):
    options, row = STUDIES[goal]
    if goal in ("best-column", "matrix"):
        write_csv(cars, [{**each, "mpg": "", "price": each["price"] if i % 2 else ""} for i, each in enumerate(ROWS)])
    code, said, error = run_command("new", goal, cars, *options, "--json")
    assert code == 0, error
    found = json.loads(said)
    assert found["rows"] == 12
    assert found["questions"] == {"classifier": 12, "hierarchy": 220, "best-column": 18, "matrix": 18}.get(goal, 66)
    write_csv(tmp_path / "a.csv", [{**row, "who": "Ann", "seconds": 3}])
    assert json.loads(run_command("tell", "cars.askwise", "--from", "a.csv", "--json")[1])["taken"] == 1
    assert json.loads(run_command("tell", "cars.askwise", "--from", "a.csv", "--json")[1]) == {
        "taken": 0,
        "known": 1,
        "bad": [],
        "answers": 1,
    }
    told = askwise.open("cars.askwise").log[-1]
    assert (told["who"], told["seconds"]) == ("Ann", 3)
    status = json.loads(run_command("status", "cars.askwise", "--json")[1])
    assert status["answers"] == 1
    assert run_command("next", "cars.askwise", "--count", 2, "-o", "q.csv")[0] == 0
    with open("q.csv", encoding="utf-8") as file:
        questions = list(csv.DictReader(file))
    assert [question["response"] for question in questions] == ["", ""]
    assert run_command("report", "cars.askwise", "-o", "r.html")[0] == 0


def test_a_bad_line_is_named_and_nothing_is_imported(run_command, cars, tmp_path):
    run_command("new", "ranking", cars)
    good = {"left": "car 1", "right": "car 2", "winner": "car 2"}
    bad = {
        "there is no item 'car 99'": {**good, "left": "car 99"},
        "winner is 'car 5'": {**good, "winner": "car 5"},
        "'car 2' is named twice": {**good, "left": "car 2"},
        "there is no winner": {**good, "winner": ""},
    }
    for message, row in bad.items():
        write_csv(tmp_path / "a.csv", [good, row, row])
        code, _, error = run_command("tell", "cars.askwise", "--from", "a.csv")
        assert code == 2
        assert f"line 3: {message}" in error
        assert "1 more bad lines" in error
        assert "\n" not in error.strip()
        assert not askwise.open("cars.askwise").answers
    code, said, error = run_command("tell", "cars.askwise", "--from", "a.csv", "--skip-bad")
    assert (code, said) == (0, "1 answer imported. The study now has 1.\n")
    assert error.count("left out, line") == 2


def test_answers_by_question(run_command, cars, tmp_path):
    run_command("new", "clusters", cars)
    ids = [
        question["id"]
        for question in json.loads(run_command("next", "cars.askwise", "--count", 3, "--json")[1])["questions"]
    ]
    write_csv(tmp_path / "a.csv", [{"question": ids[0], "response": "same"}, {"question": ids[1], "response": ""}])
    assert "1 answer imported" in run_command("tell", "cars.askwise", "--from", "a.csv")[1]
    write_csv(tmp_path / "b.csv", [{"question": ids[0], "response": "different"}])
    code, _, error = run_command("tell", "cars.askwise", "--from", "b.csv")
    assert code == 2
    assert f"line 2: question {ids[0]} was answered before ('same')" in error
    write_csv(tmp_path / "c.csv", [{"question": ids[1], "response": "same"}, {"question": ids[1], "response": "same"}])
    assert (
        "line 3: question q2 is answered in line 2 already" in run_command("tell", "cars.askwise", "--from", "c.csv")[2]
    )
    write_csv(tmp_path / "d.csv", [{"x": 1}])
    assert "expected question, response, or a, b, same" in run_command("tell", "cars.askwise", "--from", "d.csv")[2]


def test_what_is_exported_can_be_imported(run_command, cars):
    run_command("new", "classifier", cars, "--labels", "cheap,dear")
    session = askwise.open("cars.askwise")
    for turn in range(4):
        session.ask()
        session.tell(("cheap", "dear")[turn % 2])
    for out in ("a.csv", "a.tsv", "a.xlsx", "a.jsonl", "a.parquet", "a.json"):
        assert run_command("export", "cars.askwise", out)[:2] == (0, f"Wrote {out}\n")
    assert run_command("export", "cars.askwise", "p.csv", "--what", "predictions")[0] == 0
    assert run_command("export", "cars.askwise", "d.parquet", "--what", "draws", "--count", 20)[0] == 0
    for wrong in (["x.doc"], ["x.csv", "--what", "dreams"]):
        code, _, error = run_command("export", "cars.askwise", *wrong)
        assert code == 2
        assert "\n" not in error.strip()
    assert run_command("import", "a.json", "-o", "b.askwise")[0] == 0
    assert run_command("copy", "b.askwise", "c.askwise")[0] == 0
    assert askwise.open("c.askwise").ask() == askwise.open("cars.askwise").ask()
    assert run_command("copy", "b.askwise", "c.askwise")[0] == 2


def test_a_plan_without_enough_time_is_refused(run_command, cars, monkeypatch):
    run_command("new", "best-item", cars)
    monkeypatch.setattr("askwise.simulate.plan.simulate_arms", lambda start, rules, *_: {rule: [] for rule in rules})
    code, _, said = run_command("plan", "cars.askwise", "--seconds", 1)
    assert code == 2
    assert "nobody could be simulated in 1 seconds; give more time with --seconds" in said


def test_a_plan(run_command, cars):
    run_command("new", "best-item", cars, "--epsilon", 0.5, "--draws", 60, "--shape", "linear")
    found = json.loads(run_command("plan", "cars.askwise", "--people", 3, "--seconds", 30, "--workers", 1, "--json")[1])
    assert set(found["rules"]) == {"expected-capped", "random"}
    for row in found["rules"].values():
        assert 1 <= row["people"] <= 3
        assert all(count is None or count > 0 for count in row["questions"])
    assert found["epsilon"]["now"] == 0.5
    assert found["advice"]
    assert "People before" not in run_command("status", "cars.askwise")[1]


def test_a_plan_and_the_status_say_what_people_before_save(run_command, cars):
    run_command("new", "best-item", cars, "--epsilon", 0.4, "--draws", 60)
    store = Store.at(Address.of("cars.askwise"))
    for name in ("Ann", "Ben", "Cem"):
        session = askwise.storage.open("cars.askwise", log=invite(store, store.record(), name).log)
        for _ in range(8):
            first, second = (option.name for option in session.ask().options)
            session.tell("left" if first < second else "right")
    said = run_command("plan", "cars.askwise", "--people", 6, "--seconds", 120, "--workers", 1)[1]
    assert "starting from the 3 people before" in " ".join(said.split())
    (sentence,) = re.findall(r"^People before .*\.$", said, re.MULTILINE)
    assert sentence in run_command("status", "cars.askwise")[1].splitlines()
    assert json.loads(run_command("status", "cars.askwise", "--json")[1])["people_before"] == sentence
    assert "People before" not in run_command("status", "cars.askwise", "--person", "Ann")[1]


@pytest.mark.parametrize("command", ["ask", "status", "report", "plan", "next", "goal", "tell", "export", "copy"])
def test_a_missing_study_is_refused_in_one_sentence(command, run_command, cars):
    more = {"goal": ["ranking"], "tell": ["--from", cars], "export": ["x.csv"], "copy": ["y.askwise"]}.get(command, [])
    code, said, error = run_command(command, "none.askwise", *more)
    assert (code, said) == (2, "")
    assert re.fullmatch(r"askwise: there is no study none\.askwise; make one with: askwise new .*\n", error)


def test_studies_in_a_database(run_command, cars, database):
    code, said, _ = run_command("new", "best-item", cars, "--store", database)
    assert code == 0
    address = f"{database}#cars"
    assert f"askwise ask {address}" in said
    assert run_command("copy", address, "local.askwise")[0] == 0
    session = askwise.open("local.askwise")
    session.ask()
    session.tell("left")
    assert run_command("copy", "local.askwise", f"{database}#back")[0] == 0
    assert askwise.open(f"{database}#back").ask() == session.ask()
    assert json.loads(run_command("status", f"{database}#back", "--json")[1])["answers"] == 1


def test_names_with_odd_letters_survive(run_command, tmp_path):
    rng = generator(77)
    odd = ["<script>alert(1)</script>", "naïve, café", '"quoted"', "[bold]x[/]", "emoji 😀", "a;b"]
    write_csv(tmp_path / "o.csv", [{"name": name, "x": float(rng.random())} for name in odd])
    assert run_command("new", "best-item", "o.csv")[0] == 0
    assert set(askwise.open("o.askwise").problem.family.names) == set(odd)
    assert run_command("report", "o.askwise")[0] == 0
    assert "<script>alert" not in (tmp_path / "o.html").read_text(encoding="utf-8")


def test_the_result_of_one_person(run_command, cars, tmp_path):
    """Names stand on the page, no ids; and the command on it makes the same page again."""
    run_command("new", "best-item", cars)
    path = tmp_path / "cars.askwise"
    store = Store.at(Address.of(path))
    ann, ben, other = (invite(store, store.record(), name) for name in ("Ann Lee", "Ben", "Ben"))
    for person in (ann, ben):
        session = askwise.storage.open(path, log=person.log)
        session.ask()
        session.tell("left", who=person.participant)
        askwise.storage.close(session)
    assert run_command("report", "cars.askwise", "--person", "Ann Lee")[:2] == (0, "Open cars Ann Lee.html\n")
    page = (tmp_path / "cars Ann Lee.html").read_text(encoding="utf-8")
    assert "<title>cars: Ann Lee</title>" in page
    assert ann.participant not in page
    assert "askwise report cars.askwise --person &#39;Ann Lee&#39; -o report.html" in page
    assert json.loads(run_command("status", "cars.askwise", "--person", "Ann Lee", "--json")[1])["answers"] == 1
    assert json.loads(run_command("status", "cars.askwise", "--json")[1])["answers"] == 0
    assert "--person 'Ann Lee' --details" in run_command("status", "cars.askwise", "--person", "Ann Lee")[1]
    code, _, said = run_command("report", "cars.askwise", "--person", "Ben")
    assert (code, ben.participant in said, other.participant in said) == (2, True, True)
    assert run_command("report", "cars.askwise", "--person", ben.participant, "-o", "ben.html")[0] == 0
    assert f"--person {ben.participant} " in (tmp_path / "ben.html").read_text(encoding="utf-8")
    assert "invited: Ann Lee, Ben, Ben" in run_command("status", "cars.askwise", "--person", "Cem")[2]
