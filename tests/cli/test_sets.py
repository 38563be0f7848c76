"""The best of several items in the terminal and in tables to fill in: one key, or two for the best and the worst."""

from __future__ import annotations

import json

import pytest

import askwise
from askwise.cli.keys import keyboard_for
from tests.cli.test_terminal import talk


def study(tmp_path, **options):
    path = tmp_path / "sets.askwise"
    session = askwise.best_item([f"item {i}" for i in range(7)], draws=40, seed=1, **options)
    askwise.save(session, path)
    return path, session.ask()


def answered(path):
    session = askwise.storage.open(path)
    found = [event["response"] for event in session.log if event["event"] == "tell"]
    askwise.storage.close(session)
    return found


def test_one_key_names_the_best(tmp_path):
    path, question = study(tmp_path, shown=4)
    child = talk(path, "--no-forecast")
    child.expect("undecided")
    child.send("3")
    child.expect(f"→ .*{question.options[2].name}")
    child.expect("undecided")
    child.send("q")
    child.expect("1 answer kept")
    assert answered(path) == [question.options[2].name]


def test_two_keys_name_the_best_and_the_worst(tmp_path):
    path, question = study(tmp_path, shown=4, worst=True)
    child = talk(path, "--no-forecast")
    child.expect("the best first, then the worst")
    child.send("2")
    child.expect("and the worst")
    child.send("\x1b")  # another best
    child.expect("choose the best again")
    child.send("1")
    child.expect("and the worst")
    child.send("1")  # the same item is no answer
    child.send("4")
    child.expect("→ ")
    child.expect("undecided")
    child.send("q")
    child.expect("1 answer kept")
    assert answered(path) == [f"{question.options[0].name} > {question.options[3].name}"]


def test_why_lists_each_that_may_be_the_best(tmp_path, run_command):
    path, question = study(tmp_path, shown=6, worst=True)
    shown = run_command("ask", path, stdin="w\nq\n")[1]
    rows = [line.strip() for line in shown.splitlines() if "likely): undecided" in line]
    assert [row.split(" (")[0] for row in rows] == [option.name for option in question.options]
    assert "each choice of the best" in shown


def test_commands_work_with_half_an_answer(tmp_path):
    path, _ = study(tmp_path, shown=3, worst=True)
    child = talk(path, "--no-forecast")
    child.expect("the best first, then the worst")
    child.send("2")
    child.expect("and the worst")
    child.send("q")
    child.expect("0 answers kept")
    assert answered(path) == []


def test_lines_and_tables(tmp_path, run_command):
    path, question = study(tmp_path, shown=4, worst=True)
    first, *_, last = (option.name for option in question.options)
    assert "→ " in run_command("ask", path, stdin="1 4\nq\n")[1]
    assert answered(path) == [f"{first} > {last}"]
    table = tmp_path / "questions.csv"
    assert run_command("next", path, "--count", 2, "-o", table)[0] == 0
    head, *rows = table.read_text().splitlines()
    assert head == "question,text,a,b,c,d,answers,response"
    table.write_text("\n".join([head, rows[0] + "2 1", rows[1]]) + "\n")
    assert run_command("tell", path, "--from", table)[1].startswith("1 answer imported")
    assert len(answered(path)) == 2


def test_questions_as_json(tmp_path, run_command):
    path, question = study(tmp_path, shown=3)
    found = json.loads(run_command("next", path, "--json")[1])["questions"][0]
    assert found["kind"] == "set"
    assert found["responses"] == [option["name"] for option in found["options"]]
    printed = run_command("next", path)[1]
    assert printed.strip().endswith(f"[{'/'.join(map(str, question.responses))}]")


@pytest.mark.parametrize("option", ["--shown 4 --worst", "--shown 3"])
def test_new_studies(tmp_path, option, run_command):
    made = tmp_path / "made.askwise"
    table = tmp_path / "drinks.csv"
    table.write_text("name\ntea\nmilk\ngin\nrum\nale\n")
    assert "items and asks for the best" in run_command("new", "best-item", table, *option.split(), "-o", made)[1]
    assert "→ " in run_command("ask", made, stdin="1 3\n" if "worst" in option else "2\n")[1]


def test_the_keys_of_two_choices_are_those_of_the_options():
    question = askwise.best_item(["tea", "milk", "gin"], shown=3, worst=True).ask()
    keys = keyboard_for(question)
    assert [keys.find_response(key) for key in "123"] == [option.name for option in question.options]
    assert keys.find_response("4") is None
