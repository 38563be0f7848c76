"""Fields in the terminal, in pipes, in tables of questions and as JSON."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from rich.console import Console

from askwise.cli.fields import differing_line, fields_table
from askwise.types import Option, Question
from tests.cli.tables import write_csv

ROWS = [
    {"name": f"car {i}", "price ($)": f"{5 + 2.3 * i % 17:.2f}", "doors": 3 + 2 * (i % 2), "note": f"<b>[red]{i}[/red]"}
    for i in range(12)
]
PAIR = Question(
    "q1",
    "pair",
    (
        Option("[b]tea[/b]", fields={"price ($)": "$2.50", "hot": "yes"}),
        Option("milk\x1b[2J", fields={"price ($)": "$1.00", "hot": "yes"}),
    ),
    ("left", "right"),
    "Which?",
)


@pytest.fixture
def table(tmp_path):
    write_csv(tmp_path / "cars.csv", ROWS)
    return tmp_path / "cars.csv"


def drawn(question, width=80, **options):
    console = Console(width=width, file=io.StringIO(), highlight=False, **options)
    console.print(fields_table(question))
    return console.file.getvalue()


def test_fields_stand_in_columns_and_equal_ones_have_a_mark():
    assert drawn(PAIR).splitlines() == [
        "           [b]tea[/b]  milk?[2J",
        "    price  $2.50       $1.00   ",
        "  = hot    yes         yes     ",
    ]
    assert differing_line(PAIR) == "price $2.50 or $1.00"


def test_differing_fields_are_bold_and_equal_ones_dim():
    printed = drawn(PAIR, force_terminal=True, color_system="standard", no_color=True)
    assert re.search(r"\x1b\[1m\$2\.50", printed)
    assert re.search(r"\x1b\[2myes", printed)


def test_a_narrow_terminal_wraps():
    lines = drawn(PAIR, width=24).splitlines()
    assert max(map(len, lines)) <= 24
    assert "$2.50" in "".join(lines)


def test_without_fields_nothing_is_printed():
    assert fields_table(Question("q1", "pair", (Option("a"), Option("b")), ("left", "right"), "Which?")) is None


def test_questions_carry_fields_and_come_back_answered(run_command, table, tmp_path):
    code, said, _ = run_command("new", "best-item", table, "--show", "price ($),note", "--seed", 1)
    assert code == 0
    assert "Each question shows two items with price ($), note. There are 66 such pairs." in said
    [question] = json.loads(run_command("next", "cars.askwise", "--json")[1])["questions"]
    for option in question["options"]:
        row = ROWS[option["row"]]
        fields = {"price ($)": f"${row['price ($)']}", "note": row["note"]}
        media = dict.fromkeys(("image", "body", "audio", "video"))
        assert option == {
            "name": row["name"],
            "row": option["row"],
            "fields": fields,
            "body_format": "markdown",
            **media,
        }
    run_command("next", "cars.askwise", "--count", 3, "-o", "questions.csv")
    with open("questions.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    fields = ["a", "a.price ($)", "a.note", "b", "b.price ($)", "b.note"]
    assert list(rows[0]) == ["question", "text", *fields, "answers", "response"]
    assert rows[0]["a.price ($)"] == question["options"][0]["fields"]["price ($)"]
    write_csv(tmp_path / "answered.csv", [{**row, "response": "left"} for row in rows])
    assert run_command("tell", "cars.askwise", "--from", "answered.csv")[1].startswith("3 answers imported.")


def test_what_is_shown_changes_with_one_command(run_command, table):
    run_command("new", "best-item", table, "--seed", 1, "--epsilon", 0.3)
    question = run_command("next", "cars.askwise")[1]
    assert run_command("goal", "cars.askwise", "best-item", "--show", "doors")[0] == 0
    assert run_command("next", "cars.askwise")[1] == question
    code, said, _ = run_command("ask", "cars.askwise", stdin="q\n")
    assert code == 0
    assert re.search(r"^  [ =] doors  \d", said, re.MULTILINE)
    assert "price" not in said
    assert run_command("goal", "cars.askwise", "best-item", "--show", "")[0] == 0
    assert "doors" not in run_command("ask", "cars.askwise", stdin="q\n")[1]
    code, _, error = run_command("goal", "cars.askwise", "best-item", "--show", "prize")
    known = "'name', 'price ($)', 'doors', 'note'"
    assert (code, error) == (2, f"askwise: show= names the column 'prize', but the table has only {known}\n")
    assert json.loads(run_command("status", "cars.askwise", "--json")[1])["answers"] == 0
