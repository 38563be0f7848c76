"""The table of answers says what happened, and can be told to another session."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import askwise
from askwise.data.files import read_table
from askwise.exchange.answer_rows import apply_rows, parse_rows
from askwise.exchange.answers import answers_table
from askwise.exchange.files import write_table
from tests.exchange.sessions import SESSIONS, answer_questions


def test_answers_say_what_happened(eventful_session):
    session, (one, two, three, four) = eventful_session
    table = answers_table(session)
    assert table["question"] == ["q1", "q2", "q3", "q3", "q4"]
    assert table["status"] == ["answered", "skipped", "undone", "answered", "undone"]
    chosen = [one.options[0], None, three.options[1], three.options[0], four.options[0]]
    assert table["response"] == [option and option.name for option in chosen]
    asked = [one, two, three, three, four]
    assert table["a"] == [question.options[0].name for question in asked]
    assert table["b"] == [question.options[1].name for question in asked]
    assert "c" not in table
    assert table["text"] == [question.text for question in asked]
    assert table["kind"] == ["pair"] * 5
    assert table["gain"] == [question.gain for question in asked]
    assert table["who"] == ["Ann", "Ben", None, None, None]
    assert table["seconds"] == [2.5, None, None, None, None]
    assert table["time"] == [event["time"] for event in session.log if event["event"] in ("tell", "skip")]


@pytest.mark.parametrize("goal", SESSIONS)
def test_answers_can_be_told_again(goal, tmp_path):
    session = answer_questions(SESSIONS[goal](), 6)
    write_table(answers_table(session), tmp_path / "answers.csv")
    again = SESSIONS[goal]()
    for row in pl.read_csv(tmp_path / "answers.csv").iter_rows(named=True):
        assert again.ask().id == row["question"]
        again.tell(row["response"], question=row["question"])
    assert len(again.answers) == 6
    for one, two in zip(again.answers, session.answers, strict=True):
        assert np.array_equal(one.atom, two.atom)
        assert one.response == two.response


def test_reasons_and_fallbacks_are_columns():
    session = SESSIONS["best_item"]()
    session.ask()
    session.skip(reason="both unknown")
    session.ask()
    session.tell("left")
    session.event_log.ask_events["q2"]["info"] = {"reserve": True}  # as a server notes it
    table = answers_table(session)
    assert table["reason"] == ["both unknown", None]
    assert table["fallback"] == [False, True]


def test_answers_about_names_that_look_like_formulas_come_back(tmp_path):
    names = ["=1+1", "@x", "tea", "milk"]
    session = askwise.best_item(names, seed=1, draws=8)
    while len(session.answers) < 5:
        session.ask()
        session.tell("left")
    write_table(answers_table(session), tmp_path / "x.csv")
    told = read_table(tmp_path / "x.csv")
    again = askwise.best_item(names, seed=1, draws=8)
    good, bad = parse_rows(again, {"left": told["a"], "right": told["b"], "winner": told["response"]})
    assert not bad
    assert sum(apply_rows(again, good, b"x")) == 5
    assert {(tuple(a.atom), a.response) for a in again.answers} == {
        (tuple(a.atom), a.response) for a in session.answers
    }


def test_without_answers_the_table_is_empty():
    assert {len(column) for column in answers_table(SESSIONS["best_item"]()).values()} == {0}
