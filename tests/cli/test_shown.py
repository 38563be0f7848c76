"""Long texts and the owner's own words at the command line."""

from __future__ import annotations

import csv
import json
import os
import re
import sys

import pexpect
import pytest
from typer.testing import CliRunner

import askwise
from askwise.cli.app import app
from askwise.cli.bodies import MAX_LINES
from tests.media import wav

WAIT = 60  # seconds, for a machine that is busy
LONG = "\n\n".join(f"Paragraph {number}." for number in range(40))


def run(*words, text=None):
    done = CliRunner().invoke(app, [str(word) for word in words], input=text)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.output


@pytest.fixture
def study(tmp_path):
    rows = [
        {"name": "one", "text": LONG + "\x1b[2J", "words": 1},
        {"name": "two", "text": "Dear *Ann*,\n<b>yes</b>", "words": 2},
    ]
    (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, rows)))
    path = tmp_path / "replies.askwise"
    wording = ["--question", "Which would you send?", "--answers", "left=Reply A,right=Reply B"]
    table = tmp_path / "replies.jsonl"
    told = run("new", "best-item", table, "-o", path, "--body-column", "text", "--draws", 40, "--seed", 1, *wording)
    assert "Long texts: column 'text'." in told
    return path


def test_a_pipe_gets_the_whole_text_and_takes_names_of_answers(study):
    shown = run("ask", study, text="reply b\nq\n")
    assert "1. Which would you send?" in shown
    assert "Paragraph 39." in shown
    assert "\x1b[2J" not in shown
    assert "    Dear Ann," in shown
    assert "    <b>yes</b>" in shown
    assert re.search(r"→ Reply B: (one|two)", shown)
    (told,) = [event for event in askwise.open(study).log if event["event"] == "tell"]
    assert told["response"] == "right"


def test_programs_get_texts_and_names(study):
    (question,) = json.loads(run("next", study, "--json"))["questions"]
    assert question["answer_names"] == {"left": "Reply A", "right": "Reply B"}
    assert {option["name"]: option["body"][:9] for option in question["options"]} == {
        "one": "Paragraph",
        "two": "Dear *Ann",
    }


def test_tables_to_fill_in_have_the_texts(study, tmp_path):
    table = tmp_path / "questions.csv"
    run("next", study, "-o", table)
    with table.open(newline="") as file:
        [row] = csv.DictReader(file)
    texts = {row[side]: row[f"{side}.text"] for side in "ab"}
    assert texts == {"one": LONG + "\x1b[2J", "two": "Dear *Ann*,\n<b>yes</b>"}
    assert {row["a.words"], row["b.words"]} == {"1", "2"}
    with table.open("w", newline="") as file:
        writer = csv.DictWriter(file, row)
        writer.writeheader()
        writer.writerow({**row, "response": "left"})
    assert "1 answer imported" in run("tell", study, "--from", table)


def test_a_terminal_cuts_long_texts_and_pages_them(study):
    command = ["-c", "from askwise.cli import main; main()", "ask", str(study), "--no-forecast"]
    environment = {**os.environ, "TERM": "xterm-256color", "PAGER": "cat", "COLUMNS": "100"}
    child = pexpect.spawn(
        sys.executable, command, encoding="utf-8", timeout=WAIT, dimensions=(80, 100), env=environment
    )
    child.expect("r read in full")
    child.expect("press r to read in full")
    shown = child.before
    assert f"Paragraph {MAX_LINES // 2 - 1}." in shown
    assert "Paragraph 20." not in shown
    child.expect("undecided")
    child.send("r")
    child.expect(r"Paragraph 39\.")
    child.send("1")
    child.expect("→ .*Reply A")
    child.expect("undecided")  # keys pressed before the next question are dropped
    child.send("q")
    child.expect(pexpect.EOF)


def test_the_wording_changes_later(study, tmp_path):
    before = json.loads(run("next", study, "--json"))["questions"][0]["text"]
    (tmp_path / "told.txt").write_text("Be quick.\nAnd kind.")
    shown = run("wording", study, "--question", "{left}?", "--answers", "", "--instructions", tmp_path / "told.txt")
    assert shown.splitlines() == [
        "Question: {left}?",
        "Answers: as usual",
        "Instructions: Be quick. And kind.",
        "This holds from the next question on. A question that is open keeps its text.",
    ]
    assert json.loads(run("next", study, "--json"))["questions"][0]["text"] == before
    asked = run("ask", study, text="1\nq\n")
    assert asked.startswith("Be quick.\nAnd kind.\n")
    assert json.loads(run("wording", study, "--json")) == {
        "question": "{left}?",
        "instructions": "Be quick.\nAnd kind.",
    }
    run("goal", study, "best-item", "--question", "")
    assert askwise.open(study).wording.question is None
    assert askwise.open(study).event_log.goal_events == []  # the goal is the same, and so is how it is pursued


def test_sounds_are_kept_in_the_study_and_named(tmp_path):
    (tmp_path / "a.wav").write_bytes(wav())
    (tmp_path / "calls.csv").write_text("name,clip,size\none,a.wav,1\ntwo,a.wav,2\n")
    path = tmp_path / "calls.askwise"
    run("new", "best-item", tmp_path / "calls.csv", "-o", path, "--audio-column", "clip", "--draws", 40)
    assert "one: a.wav" in run("ask", path, text="q\n")
    assert askwise.open(path).journal.store.images(1) == {"a.wav": wav()}
