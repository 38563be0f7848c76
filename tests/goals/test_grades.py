"""Graded answers: what can be said, how it is recorded, and where grades are refused."""

from __future__ import annotations

import numpy as np
import pytest

import askwise
from askwise.errors import AnswerError, DataError, SettingError
from askwise.exchange.answer_rows import apply_rows, parse_rows
from askwise.exchange.answers import answers_table
from askwise.simulate.people import ModelPerson
from askwise.simulate.runs import answer_question

NAMES = ["tea", "coffee", "water", "milk"]
GRADES = ("slightly", "clearly", "much")
TABLE = {"name": list("abcdefgh"), "x": [float(x) for x in range(8)], "y": [1.0, 5, 2, 8, 3, 9, 4, 7]}


def test_an_answer_is_a_side_or_a_name_with_its_grade():
    session = askwise.best_item(NAMES, grades=GRADES, ties=True, seed=1)
    question = session.ask()
    sides = [f"left, {grade}" for grade in reversed(GRADES)], [f"right, {grade}" for grade in GRADES]
    assert list(question.responses) == [*sides[0], "equal", *sides[1]]
    with pytest.raises(AnswerError, match="response 'left' is not one of 'left, much', "):
        session.tell("left")
    session.tell(f"{question.options[1].name}, CLEARLY")
    told = session.log[-1]
    assert told["response"] == f"{question.options[1].name}, clearly"
    side = 1 if session.problem.family.names[question.atom[1]] == question.options[1].name else -1
    assert session.answers[0].response == -2 * side
    assert answers_table(session)["response"] == [told["response"]]


@pytest.mark.parametrize(
    ("goal", "shape"),
    [
        (askwise.best_item, "learned"),
        (askwise.ranking, "linear"),
        (lambda *a, **o: askwise.top_k(*a, 2, **o), "individual"),
    ],
)
def test_grades_go_with_goals_and_shapes_and_find_what_is_true(goal, shape):
    session = goal(TABLE, grades=GRADES, shape=shape, seed=1, draws=200)
    rows = session.problem.family.items if shape == "linear" else np.zeros((8, 8))
    truth = np.array([3.0, 0.0]) if shape == "linear" else np.arange(8.0)
    assert rows.shape[1] == len(truth) or shape != "linear"
    person, rng = ModelPerson(session.problem, truth), np.random.default_rng(0)
    for _ in range(40):
        session.ask()
        answer_question(session, person, rng)
    believed = session.problem.family.utilities(session.sample.structures).mean(axis=0)
    assert np.corrcoef(believed, np.arange(8))[0, 1] > 0.8


def test_a_session_with_grades_goes_on_elsewhere():
    session = askwise.best_item(TABLE, grades=GRADES, seed=3, draws=100)
    for said in ("left, much", "right, slightly", "left, clearly"):
        session.tell(said, session.ask())
    session.undo()
    other = askwise.from_json(session.to_json())
    assert other.ask().atom == session.ask().atom
    assert other.problem.loss == session.problem.loss
    assert np.array_equal(other.sample.structures, session.sample.structures)
    fresh = askwise.best_item(TABLE, grades=GRADES, seed=3, draws=100)
    for said in ("left, much", "right, slightly"):
        fresh.tell(said, fresh.ask())
    assert np.array_equal(fresh.posterior.weights, session.posterior.weights)


def test_labels_with_grades():
    session = askwise.classifier(TABLE, grades="probably, surely", seed=1, draws=200)
    assert session.ask().responses == ("surely no", "probably no", "probably yes", "surely yes")
    for row in (0, 1, 6, 7):
        session.tell("surely yes" if row > 3 else "surely no", session.pose(row))
    assert [session.estimate().value[row] for row in (0, 1, 6, 7)] == ["no", "no", "yes", "yes"]
    assert [answer.response for answer in session.answers] == [-2, -2, 2, 2]


def test_tables_of_graded_answers():
    session = askwise.ranking(NAMES, grades=GRADES, ties=True, seed=1)
    columns = {
        "left": ["tea", "tea", "milk", "milk"],
        "right": ["coffee", "water", "water", "tea"],
        "winner": ["left, much", "water, slightly", "equal", "milk"],
    }
    rows, problems = parse_rows(session, columns)
    assert [row.response for row in rows] == ["tea, much", "water, slightly", "equal"]
    assert [problem.split(";")[0] for problem in problems] == ["line 5: winner is 'milk'"]
    assert list(apply_rows(session, rows, b"a file")) == [True] * 3
    assert [answer.response for answer in session.answers] == [3, -1, 0]


def test_people_with_grades_are_learned_from():
    sessions = [askwise.ranking(NAMES, grades=GRADES, repeat=True, draws=50, seed=seed) for seed in range(3)]
    for session in sessions:
        for pair in [(0, 1), (1, 2), (0, 2)] * 2:
            first = session.pose(pair).options[0].name == NAMES[pair[0]]
            session.tell("left, clearly" if first else "right, clearly")
    found = askwise.learn_population(sessions)
    assert found.people == 3
    assert found.mean[0] > found.mean[1] > found.mean[2]
    assert askwise.ranking(NAMES, grades=GRADES, population=found, seed=1).ask()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: askwise.best_item(NAMES, grades=["much"]), "grades is .*; expected two to four different words"),
        (lambda: askwise.best_item(NAMES, grades=["much", "Much"]), "two to four different words"),
        (lambda: askwise.best_item(NAMES, grades=["a, b", "c"]), "two to four different words"),
        (lambda: askwise.best_item(NAMES, grades=3), "grades is 3; expected a list of words"),
        (lambda: askwise.best_item(NAMES, grades=GRADES, noise=0), "with noise=0 an answer has no grades"),
        (lambda: askwise.classifier(TABLE, labels="abc", grades=GRADES), "expected a list"),
        (lambda: askwise.classifier(TABLE, labels=list("abc"), grades=GRADES), "grades need two labels"),
        (lambda: askwise.classifier(TABLE, noise=0, grades=GRADES), "with noise=0 an answer has no grades"),
        (lambda: askwise.best_item([str(n) for n in range(1001)], grades=GRADES), "take up to 1,000 of them"),
    ],
)
def test_grades_that_make_no_sense(make, message):
    with pytest.raises((SettingError, DataError), match=message):
        make()
