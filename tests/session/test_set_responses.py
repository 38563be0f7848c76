"""What people may say to questions about several items, and what the log keeps of it."""

from __future__ import annotations

import json

import pytest

import askwise
from askwise.errors import AnswerError

DRINKS = ["tea", "milk", "gin", "rum", "water"]


def asked(names=DRINKS, **options):
    session = askwise.best_item(list(names), seed=1, draws=40, **options)
    return session, session.ask()


@pytest.mark.parametrize("spelling", [str.upper, lambda name: f" {name} ", str])
def test_the_best_by_name(spelling):
    session, question = asked(shown=3)
    session.tell(spelling(question.options[1].name))
    assert session.log[-1]["response"] == question.options[1].name
    assert session.answers[0].response == sorted(question.atom).index(DRINKS.index(question.options[1].name))


@pytest.mark.parametrize("number", [2, "2", " 2 "])
def test_the_best_by_number(number):
    session, question = asked(shown=3)
    session.tell(number)
    assert session.log[-1]["response"] == question.options[1].name


def test_a_name_that_is_a_number_is_a_name():
    session, _ = asked(["3", "2", "1"], shown=3)
    session.tell("1")
    assert session.log[-1]["response"] == "1"


@pytest.mark.parametrize("said", ["names", "text", "narrow", "numbers", "digits", "comma", "list"])
def test_the_best_and_the_worst(said):
    session, question = asked(shown=4, worst=True)
    best, worst = question.options[2].name, question.options[0].name
    spelled = {
        "names": (best, worst),
        "list": [best, worst],
        "text": f"{best} > {worst}",
        "narrow": f"{best.upper()}>{worst}",
        "numbers": (3, 1),
        "digits": "3 1",
        "comma": "3,1",
    }
    session.tell(spelled[said])
    assert session.log[-1]["response"] == f"{best} > {worst}"
    assert json.loads(json.dumps(session.log)) == session.log
    again = askwise.best_item(DRINKS, seed=1, draws=40, shown=4, worst=True)
    again.replay(json.loads(json.dumps(session.log)))
    assert again.answers[0].response == session.answers[0].response
    assert again.diameter == session.diameter


@pytest.mark.parametrize(
    "said", ["tea", 7, ("tea", "tea"), ("tea",), "1 1", "1 9", "tea > coffee", None, True, 2.5, [1]]
)
def test_other_answers_are_refused_in_one_sentence(said):
    session, _ = asked(shown=4, worst=True)
    with pytest.raises(
        AnswerError, match=r"is not the best and the worst of '.*', such as '.* > .*'; question q1 stays"
    ):
        session.tell(said)
    assert session.answers == []


@pytest.mark.parametrize("said", [0, 4, "coffee", None, True, ("tea", "milk")])
def test_other_best_ones_are_refused(said):
    session, _ = asked(shown=3)
    with pytest.raises(AnswerError, match="is not one of '"):
        session.tell(said)


def test_the_same_key_is_one_answer_however_it_is_said():
    session, question = asked(shown=4, worst=True)
    session.tell((1, 2), question, key="a")
    session.tell(f"{question.options[0].name} > {question.options[1].name}", question, key="a")
    assert len(session.answers) == 1
    with pytest.raises(AnswerError, match="key 'a' was used before"):
        session.tell((2, 1), question, key="a")


def test_an_undo_brings_the_question_back():
    session, question = asked(shown=4, worst=True)
    before = session.diameter
    session.tell("1 2")
    session.undo()
    assert session.ask() == question
    assert len(session.answers) == 0
    assert session.diameter == pytest.approx(before, abs=0.2)
