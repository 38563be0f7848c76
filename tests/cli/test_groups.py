"""A group that decides together in a real terminal: people pass the keyboard, and somebody never comes."""

from __future__ import annotations

import json

import pytest

import askwise
from tests.cli.test_terminal import talk

DRINKS = ["tea", "coffee", "water", "milk"]
LIKES = {"Ann": DRINKS, "Ben": DRINKS, "Cleo": DRINKS[::-1]}  # best first


@pytest.fixture
def study(tmp_path, run_command):
    (tmp_path / "drinks.csv").write_text("name\n" + "\n".join(DRINKS))
    code, shown, _ = run_command(
        "new", "group-item", "drinks.csv", "--people", "Ann,Ben,Cleo", "--draws", 60, "--seed", 1, "--epsilon", 0.1
    )
    assert code == 0
    assert "People: Ann, Ben, Cleo." in shown
    return tmp_path / "drinks.askwise"


def answered(path):
    """Who answered, in order."""
    session = askwise.storage.open(path)
    found = [answer.who for answer in session.answers]
    askwise.storage.close(session)
    return found


def test_people_pass_the_keyboard(study):
    child = talk(study, "--no-forecast")
    people = []
    for turn in range(4):
        child.expect(r"(?:(Ann|Ben|Cleo), please:|undecided)")
        if child.match[1]:
            people.append(child.match[1])
            child.expect("undecided")
        else:
            people.append(people[-1])
        child.send("1" if turn % 2 else "\x1b[C")  # a digit, and the right arrow
        child.expect("→ ")
    child.expect("undecided")
    child.send("u")
    child.expect("the last answer was taken back")
    child.expect("undecided")
    child.send("q")
    child.expect("3 answers kept")
    assert answered(study) == people[:3]
    assert len(set(people)) > 1


def test_only_one_person_is_asked(study):
    child = talk(study, "--no-forecast", "--who", "Ben")
    child.expect("undecided")
    assert "please:" not in child.before
    for _ in range(2):
        child.send("1")
        child.expect("→ ")
        child.expect("undecided")
    child.send("q")
    child.expect("2 answers kept")
    assert answered(study) == ["Ben", "Ben"]


def test_a_stranger_is_refused(study, run_command):
    code, _, error = run_command("ask", study, "--who", "Zoe", stdin="1\n")
    assert code == 2
    assert "there is no 'Zoe' in this group; the people are Ann, Ben, Cleo" in error


def test_status_says_who_holds_the_study_up_and_how_to_leave_them_out(study, run_command):
    session = askwise.open(study)
    while not askwise.goals.goal_of(session).absence(session).settled_without:
        assert len(session.answers) < 40
        question = session.ask(who="Ann" if len(session.answers) % 2 else "Ben")
        session.tell(min((option.name for option in question.options), key=LIKES[question.who].index), question)
    askwise.storage.close(session)
    shown = run_command("status", study)[1]
    assert "Cleo has not answered" in shown
    assert "Cleo holds the choice up: without Cleo, it would be settled, or nearly so." in shown
    [command] = [line.split(": ", 1)[1] for line in shown.splitlines() if line.startswith("To decide without:")]
    assert command.endswith("group-item --without Cleo")
    absence = json.loads(run_command("status", study, "--json")[1])["absence"]
    assert (absence["silent"], absence["left_out"], absence["settled_without"]) == (["Cleo"], [], True)
    code, shown, _ = run_command(*command.split()[1:])
    assert code == 0
    assert "We are confident enough to stop." in shown
    assert "holds the choice up" not in run_command("status", study)[1]
    assert json.loads(run_command("status", study, "--json")[1])["absence"]["left_out"] == ["Cleo"]
