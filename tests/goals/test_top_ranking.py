"""The k best in order: found by few questions, and its estimate is what the draws say."""

from __future__ import annotations

import pytest

import askwise
from askwise.goals import goal_of
from tests.helpers import SEED, generator

CARS = {
    "name": list("abcdefghijkl"),
    "price": [3, 1, 4, 1.5, 5, 9, 2, 6, 5.5, 3.5, 8, 7],
    "power": [2, 7, 1, 8, 2.5, 8, 1, 8.5, 2, 8, 4, 5],
}


def test_it_finds_the_best_three_in_order():
    taste = generator(77).standard_normal(2)
    utility = {name: taste @ row for name, *row in zip(CARS["name"], CARS["price"], CARS["power"], strict=True)}
    session = askwise.top_ranking(CARS, 3, seed=SEED, draws=200, epsilon=0.05)
    while not session.done:
        left, right = (option.name for option in session.ask().options)
        session.tell("left" if utility[left] > utility[right] else "right")
    assert session.estimate().value == sorted(utility, key=utility.get, reverse=True)[:3]
    assert "misses" in str(session.certificate())
    found = goal_of(session).result(session, session.sample)
    assert [item.name for item in found.items] == [f"{r}. {n}" for r, n in enumerate(session.estimate().value, 1)]
    assert 3 <= len(found.charts[0].rows) < 12  # those found and their rivals
    assert found.text == ""
    assert found.charts[0].table.headings == ("item", "1st", "2nd", "3rd", "in the top 3")
    assert [row[0] for row in found.charts[0].table.rows[:3]] == session.estimate().value
    assert len(found.charts[0].table.rows) == 12
    assert goal_of(session).headline(["x", "y"]) == "1. x, 2. y"


def test_a_top_ten_of_many_draws_no_more_than_twelve_rows():
    session = askwise.top_ranking([f"item {i}" for i in range(60)], 10, seed=SEED, draws=60)
    chart = goal_of(session).result(session, session.sample).charts[0]
    assert (len(chart.rows), chart.others) == (12, 48)


def test_a_top_one_is_called_the_best():
    session = askwise.top_ranking(CARS, 1, seed=SEED, draws=60)
    goal = goal_of(session)
    assert (
        goal.sentence(12) == goal_of(askwise.top_k(CARS, 1, draws=60)).sentence(12) == "Find the best of the 12 items."
    )
    assert goal.result(session, session.sample).charts[0].table.headings == ("item", "is the best")
    assert goal.certainty(session.certificate()).endswith("sure that this is the best one.")


def test_long_lists_are_compared_on_fewer_draws():
    assert askwise.top_ranking(CARS, 3).recipe["options"]["draws"] == 600
    assert askwise.top_ranking([f"item {i}" for i in range(60)], 51).recipe["options"]["draws"] == 200


def test_other_goals_are_taken_up_on_its_answers():
    session = askwise.top_ranking(CARS, 3, seed=SEED, draws=60)
    for _ in range(4):
        session.ask()
        session.tell("left")
    askwise.change_goal(session, "top_k", k=3)
    best = set(session.estimate().value)
    askwise.change_goal(session, "top_ranking", k=2)
    assert len(session.estimate().value) == 2
    assert len(best) == 3
    with pytest.raises(askwise.SettingError, match=r"^k is 12; expected a whole number from 1 to 11$"):
        askwise.change_goal(session, "top_ranking", k=12)
