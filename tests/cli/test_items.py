"""askwise items: add, retire, list, and refuse in one sentence."""

from __future__ import annotations

import json

import askwise
from tests.cli.tables import ROWS, write_csv

NEW = [{"name": "van 1", "price": 9.5, "mpg": 31}, {"name": "van 2", "price": 12.0, "mpg": 18}]


def test_items_come_and_go_between_answers(run_command, cars, tmp_path):
    assert run_command("new", "best-item", cars, "--seed", 3)[0] == 0
    run_command("ask", "cars.askwise", stdin="1\n2\n1\n")
    write_csv(tmp_path / "more.csv", NEW)
    code, said, _ = run_command("items", "cars.askwise", "--add", "more.csv", "--retire", "car 3", "--retire", "car 4")
    assert code == 0
    assert said == "The study now has 12 items, and 2 that retired. All answers stay.\n"
    listed = run_command("items", "cars.askwise")[1].splitlines()
    assert listed[-4:] == ["van 1", "van 2", "car 3 (retired)", "car 4 (retired)"]
    assert len(listed) == len(ROWS) + len(NEW)
    found = json.loads(run_command("items", "cars.askwise", "--json")[1])
    assert found["retired"] == ["car 3", "car 4"]
    assert json.loads(run_command("status", "cars.askwise", "--json")[1])["answers"] == 3
    questions = json.loads(run_command("next", "cars.askwise", "--count", 6, "--json")[1])["questions"]
    shown = {option["name"] for question in questions for option in question["options"]}
    assert not {"car 3", "car 4"} & shown
    run_command("report", "cars.askwise", "-o", "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Items that came and went" in page
    assert "2 items: van 1, van 2" in page
    assert "Which of 12 is the best?" in page
    run_command("export", "cars.askwise", "-o", "copy.json")
    assert run_command("copy", "cars.askwise", "copy.askwise")[0] == 0
    assert askwise.open(tmp_path / "copy.askwise").ask().text == askwise.open(tmp_path / "cars.askwise").ask().text


def test_what_cannot_be_done_is_said_in_one_sentence(run_command, cars, tmp_path):
    run_command("new", "best-item", cars)
    write_csv(tmp_path / "bad.csv", [{"name": "van", "price": 9.5}])
    before = (tmp_path / "cars.askwise").read_bytes()
    for arguments, sentence in (
        (("--add", "bad.csv"), "the new rows lack the column 'mpg'; give the columns 'name', 'price', 'mpg'"),
        (("--add", "cars.csv"), "an item 'car 0' is there already; give new items names of their own"),
        (("--add", "none.csv"), "there is no file none.csv"),
        (("--retire", "van"), "there is no item 'van'; the first are car 0, car 1, car 2"),
        ([part for row in ROWS[1:] for part in ("--retire", row["name"])], "1 item would be left"),
    ):
        code, said, refused = run_command("items", "cars.askwise", *arguments)
        assert (code, said) == (2, "")
        assert refused.startswith(f"askwise: {sentence}")
        assert refused.count("\n") == 1
    assert (tmp_path / "cars.askwise").read_bytes() == before
