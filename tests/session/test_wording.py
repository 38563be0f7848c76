"""Wording changes what people read, and neither questions nor answers nor beliefs."""

from __future__ import annotations

import pytest

import askwise
from askwise import SettingError
from askwise.exchange.answers import study_answers_table
from askwise.exchange.studies import copy_study, read_json, write_json
from askwise.storage.address import Address
from askwise.storage.participants import invite
from askwise.storage.store import Store
from tests.storage.earlier import copy_of

DRINKS = ["tea", "coffee", "water", "milk"]


def answered(session, count=4):
    for _ in range(count):
        session.tell("left", session.ask())
    return session


def test_nothing_but_the_text_changes():
    plain = answered(askwise.best_item(DRINKS, seed=3))
    worded = askwise.best_item(DRINKS, seed=3, question="{right}, or {left}?", answers={"left": "A"})
    answered(worded, 2)
    worded.reword(question="Which?", answers=None, instructions="Be quick.")
    answered(worded, 2)
    parts = ("question", "atom", "options", "responses", "codes", "gain", "response")
    assert [{part: event.get(part) for part in parts} for event in plain.log] == [
        {part: event.get(part) for part in parts} for event in worded.log
    ]
    assert plain.diameter == worded.diameter
    assert plain.ask().atom == worded.ask().atom
    first, _, _, _, third = worded.log[:5]
    assert first["text"] == f"{first['options'][1]['name']}, or {first['options'][0]['name']}?"
    assert first["answer_names"] == {"left": "A"}
    assert third["text"] == "Which?"
    assert "answer_names" not in third


def test_an_open_question_keeps_the_text_that_was_shown():
    session = askwise.best_item(DRINKS, seed=3)
    shown = session.ask()
    session.reword(question="Which?")
    assert session.ask().text == shown.text


TABLE = {"name": ["a", "b", "c", "d"], "size": [1.0, 2.0, 4.0, 8.0]}


@pytest.mark.parametrize(
    ("goal", "options", "question"),
    [
        ("best_item", {}, "{left} {right} {names}"),
        ("clusters", {}, "{first} {second} {names}"),
        ("hierarchy", {}, "{first} {second} {third} {names}"),
        ("classifier", {"labels": ["no", "yes"]}, "{name} {names}"),
        ("segments", {"column": "size"}, "{first} {second} {names}"),
    ],
)
def test_every_kind_has_its_placeholders(goal, options, question):
    make = getattr(askwise, goal)
    shown = make(TABLE, **options, question=question).ask()
    *others, last = shown.names
    assert shown.text == " ".join([*shown.names, f"{', '.join(others)} or {last}" if others else last])
    with pytest.raises(SettingError, match=r"question has the placeholder \{row\}; use"):
        make(TABLE, **options, question="{row}")


def test_a_matrix_has_rows_and_columns():
    ratings = {"name": ["Ann", "Ben"], "tea": [3.0, None], "milk": [None, 1.0]}
    shown = askwise.best_column(ratings, question="How does {row} like {column}?").ask()
    assert shown.text == f"How does {shown.names[0]} like {shown.names[1]}?"
    with pytest.raises(SettingError, match="leave out answers"):
        askwise.best_column(ratings, answers={"number": "x"})


def test_names_with_braces_are_not_placeholders():
    session = askwise.best_item(["{right}", "{x}"], question="{left} or {right}?", seed=1)
    assert sorted(session.ask().text.removesuffix("?").split(" or ")) == ["{right}", "{x}"]


@pytest.mark.parametrize(
    ("wording", "sentence"),
    [
        ({"question": 7}, "question is 7; expected a text of at most 500 letters"),
        ({"question": "x" * 501}, "expected a text of at most 500 letters"),
        ({"question": "a\0b"}, "expected a text of at most 500 letters"),
        ({"question": "{}"}, "question has the placeholder {}; use {left} or {right} or {names}"),
        ({"answers": {"lft": "A"}}, "answers names 'lft'; the answers are left and right"),
        ({"answers": "A,B"}, "expected names of answers such as"),
        ({"answers": {"left": ""}}, "each with 1 to 60 letters"),
        ({"answers": {"left": "A", "right": "A"}}, "expected a different name for each answer"),
        ({"title": "A"}, "title is not a part of the wording; the parts are question, answers, instructions"),
    ],
)
def test_bad_wording_is_refused_in_one_sentence_and_changes_nothing(wording, sentence):
    session = askwise.best_item(DRINKS)
    with pytest.raises(SettingError) as refused:
        session.reword(**wording)
    assert sentence in str(refused.value)
    assert session.wording.as_dict() == {}


def test_another_goal_keeps_the_wording():
    session = answered(askwise.best_item(DRINKS, question="Which?", answers={"left": "A"}, epsilon=0.01))
    askwise.change_goal(session, "top_k", k=2)
    assert session.ask().text == "Which?"
    askwise.change_goal(session, "ranking", question="Why?")
    assert (session.ask().text, session.ask().answer_names) == ("Why?", {"left": "A"})


def test_a_study_keeps_what_was_changed(tmp_path):
    session = askwise.best_item(DRINKS, question="Which?", instructions="Be quick.")
    session.reword(question="Why?")
    askwise.save(session, tmp_path / "one.askwise")
    opened = askwise.open(tmp_path / "one.askwise")
    assert opened.wording == session.wording
    opened.reword(answers="left=A, right=B", instructions="")
    expected = {"question": "Why?", "answers": {"left": "A", "right": "B"}}
    assert askwise.open(tmp_path / "one.askwise").wording.as_dict() == expected
    copy_study(tmp_path / "one.askwise", tmp_path / "two.askwise")
    assert askwise.open(tmp_path / "two.askwise").wording.as_dict() == expected
    write_json(opened, tmp_path / "one.json")
    recipe, _ = read_json(tmp_path / "one.json")
    assert {part: recipe["options"][part] for part in expected} == expected


def test_the_logs_of_all_people_have_the_wording_of_their_study(tmp_path):
    askwise.save(askwise.best_item(DRINKS), tmp_path / "one.askwise")
    store = Store.at(Address.of(tmp_path / "one.askwise"))
    log = invite(store, store.record(), "Ann").log
    askwise.open(tmp_path / "one.askwise", log=log).reword(question="Which?")
    assert askwise.open(tmp_path / "one.askwise").ask().text == "Which?"
    assert askwise.open(tmp_path / "one.askwise", log=log).ask().text == "Which?"


def test_exports_are_the_same_whatever_people_read(tmp_path):
    tables = []
    for wording in ({}, {"question": "Which?", "answers": {"left": "A", "right": "B"}}):
        path = tmp_path / f"{len(tables)}.askwise"
        askwise.save(answered(askwise.best_item(DRINKS, seed=3, **wording)), path)
        tables.append(study_answers_table(Store.at(Address.of(path)), 1))
    for table in tables:
        del table["text"], table["time"]
    assert tables[0] == tables[1]


def test_studies_of_earlier_versions_can_be_worded(tmp_path):
    path, _ = copy_of("own_format3", tmp_path)
    session = askwise.open(path)
    assert session.wording.question is None
    session.reword(question="Which?")
    assert askwise.open(path).wording.question == "Which?"
