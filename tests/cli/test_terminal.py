"""askwise ask in a real terminal: single keys, arrows, undo, why, quit."""

from __future__ import annotations

import io
import os
import re
import sys
import time

import pexpect
import pytest
from rich.console import Console

import askwise
from askwise.cli.ask import explain_wait
from askwise.cli.terminal import image_sequence

WAIT = 60  # seconds, for a machine that is busy
PLAIN = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def talk(path, *options, **environment):
    command = ["-c", "from askwise.cli import main; main()", "ask", str(path), *options]
    return pexpect.spawn(
        sys.executable,
        command,
        encoding="utf-8",
        timeout=WAIT,
        dimensions=(40, 100),
        env={**os.environ, "TERM": "xterm-256color", **environment},
    )


def asked(child):
    """The next question: its number and two items."""
    child.expect(r"(\d+)\.\x1b\[0m Which do you prefer: (.+?) or (.+?)\?\r\n")
    found = child.match.groups()
    child.expect("undecided")
    return found


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "x.askwise"
    items = [f"item {i}" for i in range(7)]
    askwise.save(askwise.best_item(items, shape="linear", draws=40, seed=1), path)  # quick to simulate
    return path


def test_a_person_answers_skips_undoes_and_quits(path):
    child = talk(path, "--who", "Ann", "--no-forecast")
    child.expect("can't tell.*undo.*why.*quit")
    assert asked(child)[0] == "1"
    child.send("1")
    child.expect("→")
    _, left, _ = asked(child)
    child.send("\x1b[D")  # the left arrow
    child.expect(f"→ .*{left}")
    _, _, right = asked(child)
    child.send("\x1b[C")
    child.expect(f"→ .*{right}")
    assert asked(child)[0] == "4"
    child.send("s")
    child.expect("can't tell")
    assert asked(child)[0] == "4"
    child.send("u")
    child.expect("taken back")
    asked(child)
    child.send("u")
    child.expect("taken back")
    assert asked(child)[0] == "3"
    child.send("w")
    child.expect("what each answer would settle")
    child.expect("% likely.*best guess item")
    child.send("z")
    child.expect("'z' is no answer here; press one of 1")
    child.send("2")
    asked(child)
    child.send("q")
    child.expect("3 answers kept. Continue with: askwise ask")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    log = askwise.open(path).log
    told = [event for event in log if event["event"] == "tell"]
    assert len(told) == 4
    assert all(event["who"] == "Ann" and event["seconds"] >= 0 and event["key"] for event in told)
    assert [event["event"] for event in log if event["event"] in ("skip", "undo")] == ["skip", "undo", "undo"]


def test_keys_pressed_before_a_question_are_dropped(path):
    child = talk(path, "--no-forecast")
    child.send("1")  # before anything is shown
    assert asked(child)[0] == "1"
    child.send("q")
    child.expect("0 answers kept")
    child.expect(pexpect.EOF)
    assert not askwise.open(path).answers


def test_ctrl_c_and_a_closed_terminal_keep_everything(path):
    for ending in ("\x03", None):
        child = talk(path, "--no-forecast")
        asked(child)
        child.send("1")
        asked(child)
        child.sendcontrol("c") if ending else child.close(force=True)
        if ending:
            child.expect(pexpect.EOF)
    assert len(askwise.open(path).answers) == 2


def test_the_end_shows_the_result(tmp_path):
    path = tmp_path / "x.askwise"
    askwise.save(askwise.best_item(["tea", "coffee", "water"], draws=100, seed=1, epsilon=0.5), path)
    child = talk(path, "--no-forecast")
    for _ in range(40):
        if child.expect(["undecided", "Settled after"]):
            break
        child.send("1")
    child.expect("askwise report")
    child.expect("c to answer more")
    child.send("x")
    child.expect(pexpect.EOF)
    assert askwise.open(path).done


def test_the_next_question_is_there_at_once(tmp_path):
    """It was worked out while the person thought, so the answer only has to be written down."""
    path = tmp_path / "x.askwise"
    table = [{"name": f"item {i}", **{f"x{j}": (i * (7 + j)) % 11 for j in range(5)}} for i in range(60)]
    askwise.save(askwise.best_item(table, seed=1, epsilon=0.001), path)
    session, plain = askwise.open(path), askwise.best_item(table, seed=1, epsilon=0.001)
    ahead, fresh = [], []
    for _ in range(8):
        for each, times in ((session, ahead), (plain, fresh)):
            question = each.ask()
            if each is session:
                each.prepare()
            start = time.process_time()  # how long the disk takes is not the question
            each.tell("left", question)
            each.ask()
            times.append(time.process_time() - start)
    assert sorted(ahead)[4] < 0.5 * sorted(fresh)[4]


def test_about_how_many_more_questions(tmp_path):
    path = tmp_path / "x.askwise"
    askwise.save(askwise.best_item(list("abcdefg"), shape="linear", draws=40, seed=1, epsilon=0.4), path)
    child = talk(path)
    for _ in range(60):
        asked(child)
        if child.expect(["about .+ more question", "or more", "\r\n"]) < 2:
            break
        time.sleep(0.5)
        child.send("s")
    else:
        pytest.fail("no forecast was shown")
    child.send("q")
    child.expect(pexpect.EOF)


def test_pictures_where_the_terminal_can_show_them(tmp_path, monkeypatch):
    from askwise.storage.address import Address
    from askwise.storage.store import Store

    png = b"\x89PNG\r\n\x1a\nnot really"
    path = tmp_path / "x.askwise"
    table = {"name": ["ada", "bob", "cyd"], "image": ["a.png", "b.png", "c.png"]}
    recipe = askwise.clusters(table, image="image", draws=8).recipe
    Store.create(Address.of(path), recipe, dict.fromkeys(table["image"], png))
    nothing = {"TERM_PROGRAM": "", "KITTY_WINDOW_ID": "", "TERM": "xterm"}
    for environment, shown in (({"TERM_PROGRAM": "iTerm.app"}, r"\x1b\]1337;File=inline=1"), ({}, r"[abc]\.png")):
        child = talk(path, "--no-forecast", **{**nothing, **environment})
        child.expect(shown)
        child.expect("undecided")
        child.send("q")
        child.expect(pexpect.EOF)
    for environment, shown in (({"KITTY_WINDOW_ID": "1"}, True), ({"TERM": "xterm-kitty"}, True), ({}, False)):
        for name, value in {**nothing, **environment}.items():
            monkeypatch.setenv(name, value)
        assert (image_sequence(png) or "").startswith("\x1b_Ga=T,f=100") is shown


def test_a_long_wait_is_explained():
    """Compiling takes seconds, once; who waits is told, who does not is not."""
    said = []
    for work in (0.0, 0.3):
        console = Console(file=io.StringIO())
        with explain_wait(console, seconds=0.1):
            time.sleep(work)
        said.append("one moment" in console.file.getvalue())
    assert said == [False, True]


ROWS = {"name": list("abcdefgh"), "x": [float(i) for i in range(8)], "y": [float(3 * i % 8) for i in range(8)]}


def labelling(folder, *labels):
    path = folder / "labels.askwise"
    askwise.save(askwise.classifier(ROWS, labels, draws=16, epsilon=0.001), path)
    return path


def recorded(path):
    return [event.get("response", event["event"]) for event in askwise.open(path).log if event["event"] != "ask"]


def press(child, *keys):
    """Each key once its question is there."""
    for key in keys:
        child.expect("Which label")
        child.expect("undecided")
        child.send(key)


@pytest.mark.parametrize(
    ("labels", "pressed", "told"),
    [
        (["0", "1", "2"], ["2", "1", "0", "s", "u", "q"], ["2", "1", "0", "skip", "undo"]),
        (["10", "1"], ["1\n", "10\n", "a", "b", "1\x7fb", "10\x7f\n", "q"], ["1", "10", "10", "1", "1", "1"]),
        (["right", "left"], ["\x1b[D", "\x1bOC", "1", "q"], ["left", "right", "right"]),
        (
            ["s", "u", "A", "a", "é", "weiß nicht"],
            ["s", "u", "a", "A", "é", "weiß nicht\n", ":s", ":u", ":q"],
            ["s", "u", "a", "A", "é", "weiß nicht", "skip", "undo"],
        ),
    ],
    ids=str,
)
def test_the_label_that_was_pressed_is_recorded(tmp_path, labels, pressed, told):
    path = labelling(tmp_path, *labels)
    child = talk(path, "--no-forecast")
    press(child, *pressed)
    child.expect("kept. Continue with")
    child.expect(pexpect.EOF)
    assert recorded(path) == told


def test_keys_without_a_letter_answer_nothing(tmp_path):
    """A function key sends digits, which are labels here."""
    path = labelling(tmp_path, *"0123456789")
    child = talk(path, "--no-forecast")
    press(child, "\x1b[15~\x1b[1;5D\x1bOP\x1b[3~\x1b5\x1b[A\t\n7")
    child.expect("→ .*7")
    press(child, "\x04")
    child.expect(pexpect.EOF)
    assert recorded(path) == ["7"]


def test_text_that_is_no_label_is_refused(tmp_path):
    path = labelling(tmp_path, "no", "yes")
    child = talk(path, "--no-forecast")
    press(child, "yx")
    child.expect("'yx' is not one of 'no', 'yes'")
    child.send("ye\n")
    child.expect("'ye' is not one of 'no', 'yes'")
    child.send("YES\n")
    child.expect("→ .*yes")
    press(child, "q")
    child.expect(pexpect.EOF)
    assert recorded(path) == ["yes"]
