"""Goals that ask for the best of several items, or for the best and the worst."""

from __future__ import annotations

import numpy as np
import pytest

import askwise
from askwise.data.tables import table
from askwise.errors import SettingError
from askwise.exchange.answer_rows import apply_rows, parse_rows
from askwise.exchange.answers import answers_table
from askwise.goals.base.shape_check import StraightLineCheck
from askwise.simulate.people import ModelPerson
from askwise.simulate.runs import person_streams, simulate_answers, simulate_person
from askwise.types import Answer

RNG = np.random.default_rng(0)
FEATURES = RNG.standard_normal((9, 2))
TABLE = {"name": [f"item {i}" for i in range(9)], "x": FEATURES[:, 0].tolist(), "y": FEATURES[:, 1].tolist()}
SCORES = 5 * FEATURES[:, 0]
GOALS = {"best_item": (), "top_k": (2,), "top_ranking": (2,), "ranking": ()}
SHAPES = ["learned", "linear", "smooth", "individual"]


def settled(session, scores, count=30):
    person = ModelPerson(session.problem, scores)
    list(simulate_answers(session, person, person_streams(1, count), until_settled=True))
    return session


@pytest.mark.parametrize("worst", [False, True])
@pytest.mark.parametrize("goal", GOALS)
def test_every_goal_about_items_finds_its_answer(goal, worst):
    session = getattr(askwise, goal)(TABLE, *GOALS[goal], shown=4, worst=worst, seed=1, draws=100)
    settled(session, 3 * SCORES)
    order = [TABLE["name"][i] for i in np.argsort(-SCORES)]
    value = session.estimate().value
    assert (value == order[0]) if goal == "best_item" else set(value[:2]) == set(order[:2])
    assert session.certificate().warning is None


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape(shape):
    session = askwise.best_item(TABLE, shown=3, worst=True, shape=shape, seed=2, draws=100)
    truth = np.array([5.0, 0.0]) if shape == "linear" else SCORES
    if shape == "linear":  # weights of features as the table scales them
        truth = np.linalg.lstsq(session.problem.family.pairs.items, SCORES - SCORES.mean(), rcond=None)[0]
    assert settled(session, 2 * truth).estimate().value == TABLE["name"][int(SCORES.argmax())]
    assert session.effects() is not None


def test_names_alone():
    session = askwise.ranking(["tea", "milk", "gin", "rum", "ale"], shown=3, worst=True, seed=1, draws=100)
    assert session.config.repeat
    settled(session, np.array([8.0, 4.0, 0.0, -4.0, -8.0]), 40)
    assert session.estimate().value == ["tea", "milk", "gin", "rum", "ale"]


def test_a_long_table_has_landmarks():
    rows = np.random.default_rng(3).standard_normal((1200, 2))
    long = {"x": rows[:, 0].tolist(), "y": rows[:, 1].tolist()}
    for shape in ("learned", "linear"):
        session = askwise.best_item(long, shown=4, shape=shape, draws=50)
        for _ in range(2):
            session.tell(1, session.ask())
        assert len(session.answers) == 2
    with pytest.raises(SettingError, match="shown takes up to 1,000 items without features, got 1,200"):
        askwise.best_item(long, shown=4, shape="individual")


def test_spacing_holds_for_sets():
    session = askwise.best_item(["tea", "milk", "gin", "rum", "ale"], shown=4, seed=1, draws=50, epsilon=1e-6)
    asked = []
    for _ in range(12):
        question = session.ask()
        assert tuple(question.atom) not in asked[-3:]
        asked.append(tuple(question.atom))
        session.tell(1)
    assert len(set(asked)) < len(asked)  # five sets, so that they repeat


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"worst": True}, "worst asks for the worst of three items or more; give shown=3"),
        ({"shown": 7}, "shown is 7; expected a whole number from 2 to 6"),
        ({"shown": 1}, "shown is 1; expected a whole number from 2 to 6"),
        ({"shown": 3, "ties": True}, "ties are for two items at a time"),
        ({"shown": 3, "noise": 0}, "noise=0 is for two items at a time"),
        ({"shown": 3, "shape": "linear without lapses"}, "is for two items at a time"),
    ],
)
def test_what_does_not_go_together_is_refused(options, message):
    with pytest.raises(SettingError, match=message):
        askwise.best_item(TABLE, **options)


def test_more_items_than_there_are():
    with pytest.raises(SettingError, match="shown is 4, and there are 3 items; show 3 at most"):
        askwise.best_item(["tea", "milk", "gin"], shown=4)


def test_two_items_at_a_time_are_the_pairs_of_before():
    sessions = [askwise.best_item(TABLE, seed=3, **options) for options in ({}, {"shown": 2, "worst": False})]
    for session in sessions:
        settled(session, SCORES, 5)
    assert sessions[0].ask() == sessions[1].ask()
    assert sessions[0].ask().kind == "pair"


def test_answers_as_a_table_by_name():
    session = askwise.best_item(TABLE, shown=3, worst=True, draws=50)
    columns = {"a": ["item 1", "item 1", "item 1", "item 9"], "b": ["item 2"] * 4, "c": ["item 3"] * 4}
    columns |= {"best": ["item 2", "item 2", "item 4", "item 2"], "worst": ["item 1", "item 2", "item 1", "item 3"]}
    rows, problems = parse_rows(session, table(columns))
    assert [(row.atom, row.response) for row in rows] == [([1, 2, 3], "item 2 > item 1")]
    assert problems == [
        "line 3: best and worst are both 'item 2'; name two different items",
        "line 4: best is 'item 4'; expected one of item 1, item 2 or item 3",
        "line 5: there is no item 'item 9'; the first are item 0, item 1, item 2",
    ]
    assert list(apply_rows(session, rows, b"file")) == [True]
    exported = answers_table(session)
    assert exported["response"] == ["item 2 > item 1"]
    assert {exported[column][0] for column in "abc"} == {"item 1", "item 2", "item 3"}


def test_the_sentences_say_what_is_asked():
    session = askwise.best_item(TABLE, shown=4, worst=True, draws=50)
    asked = "Each question shows four items and asks for the best and the worst of them. There are 126 such sets."
    assert asked in session.goal.sentences(session)


def test_a_plan_simulates_people_who_answer_about_sets():
    run = simulate_person(askwise.best_item(TABLE, shown=4, worst=True, draws=50), None, person=1, limit=20)
    assert 0 < run.answers <= 20


def test_a_study_with_sets_is_saved_and_goes_on(tmp_path):
    session = askwise.best_item(TABLE, shown=4, worst=True, draws=50)
    session.tell("1 2", session.ask())
    askwise.save(session, tmp_path / "sets.askwise")
    again = askwise.storage.open(tmp_path / "sets.askwise")
    assert again.ask() == session.ask()
    again.tell((2, 3))
    askwise.change_goal(again, "ranking")
    assert again.ask().kind == "best-worst"
    askwise.storage.close(again)


def test_a_careless_person_among_several_is_trusted_less():
    session = askwise.ranking([f"item {i}" for i in range(6)], shown=4, draws=50, seed=4, repeat=True)
    rng = np.random.default_rng(4)
    for turn in range(36):
        question = session.ask()
        careful = min(question.options, key=lambda option: option.name).name
        careless = question.options[int(rng.integers(4))].name
        session.tell(careless if turn % 3 == 2 else careful, who="abc"[turn % 3])
    trusted = session.people
    assert trusted["c"] < min(trusted["a"], trusted["b"])


def test_people_before_help():
    sessions = []
    for seed in range(4):
        session = askwise.best_item(TABLE, shown=4, worst=True, draws=50, seed=seed)
        person = ModelPerson(session.problem, 2 * SCORES)
        list(simulate_answers(session, person, person_streams(seed, 8)))
        sessions.append(session)
    found = askwise.learn_population(sessions)
    assert found.people == 4
    assert np.corrcoef(found.mean, SCORES)[0, 1] > 0.8
    fresh = askwise.best_item(TABLE, shown=4, worst=True, draws=50, population=found)
    assert fresh.diameter < sessions[0].prior.sample(2, np.random.default_rng(0)).weights.sum()  # of a share
    assert fresh.estimate().value == TABLE["name"][int(SCORES.argmax())]


def test_straight_lines_are_checked_on_sets_too():
    rows = np.linspace(-1.0, 1.0, 9)[:, None]
    middle = [Answer((i, j, k), 1) for i in range(3) for j in (4,) for k in range(6, 9)]
    check = StraightLineCheck(rows, sets=(3, False))
    found = check(3 * middle, askwise.best_item(TABLE, draws=50).posterior, np.random.default_rng(0))
    assert "straight lines explain the answers" in found.sentence
