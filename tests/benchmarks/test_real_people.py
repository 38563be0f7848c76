"""Predictions are chances of the right answers, and the summary is right on made-up people."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

import askwise
from benchmarks import real_people
from benchmarks.real_people import (
    AFTER,
    OURS,
    Traveller,
    all_chances,
    atoms_of,
    botorch_chances,
    calibration,
    eligible_travellers,
    other_half,
    predicted_chances,
    summary,
    travellers,
)


def test_the_people_are_those_of_the_table():
    assert len(travellers()) == 235
    assert sum(len(person.chose_first) for person in travellers()) == 2929
    assert min(len(person.chose_first) for person in eligible_travellers()) == 10
    person = travellers()[0]
    atoms = atoms_of(person, person.journeys)
    np.testing.assert_array_equal(person.journeys[atoms[:, 0]], person.first)
    np.testing.assert_array_equal(person.journeys[atoms[:, 1]], person.second)
    assert person.id not in {other.id for other in other_half(person)}


def test_chances_follow_the_answers_and_the_order_of_the_pair():
    session = askwise.best_item({"name": ["a", "b", "c"], "price": [1.0, 2.0, 3.0]}, draws=50)
    for _ in range(4):
        session.tell("a", session.pose((0, 1)))
    chances = predicted_chances(session, np.array([[0, 2], [2, 0], [1, 2]]))
    assert chances[0] > 0.8
    assert chances[0] + chances[1] == pytest.approx(1)
    assert chances[0] > chances[2] > 0.5


def test_one_person_with_all_models():
    person = eligible_travellers(1)[0]
    found = all_chances(person, "default", "person")
    assert {"coin", "pooled logistic", "own logistic", OURS} <= set(found)
    for chances in found.values():
        assert [len(chances[number]) for number in AFTER] == [len(person.chose_first) - number for number in AFTER]
        assert all(((values > 0) & (values < 1)).all() for values in chances.values())


def test_log_loss_and_calibration_of_made_up_people():
    rng = np.random.default_rng(0)
    people, found = [], []
    for number in range(200):
        chances = rng.random(15)
        people.append(Traveller(number, np.zeros((15, 4)), np.ones((15, 4)), rng.random(15) < chances))
        right = {after: chances[after:] for after in AFTER}
        found.append({OURS: right, "coin": {after: np.full(15 - after, 0.5) for after in AFTER}})
    rows = summary(people, found)
    assert [(row["model"], row["after"]) for row in rows] == [
        (name, after) for name in (OURS, "coin") for after in AFTER
    ]
    ours, fair = rows[0], rows[len(AFTER)]
    assert fair["log_loss"] == pytest.approx(np.log(2))
    assert fair["standard_error"] == pytest.approx(0, abs=1e-12)
    assert abs(ours["log_loss"] - 0.5) < 4 * ours["standard_error"]  # the mean entropy of a uniform chance is 1/2
    assert fair["minus_askwise"] == pytest.approx(fair["log_loss"] - ours["log_loss"])
    for each in ours["bins"]:
        assert abs(each["predicted"] - each["observed"]) < 4 * np.sqrt(0.25 / each["answers"])
    assert [each["answers"] for each in calibration(np.array([0.0, 0.5, 1.0]), np.array([False, True, True]))] == [
        1,
        1,
        1,
    ]


def test_stored_chances_are_of_what_was_chosen():
    person = Traveller(7, np.zeros((5, 4)), np.ones((5, 4)), np.array([True, True, True, True, False]))
    found = botorch_chances(
        person, [{"id": 7, "after": 3, "chances": [0.9, 0.8]}, {"id": 8, "after": 3, "chances": []}]
    )
    np.testing.assert_allclose(found[3], [0.9, 0.2])


def test_the_command_prints_every_model(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["real_people", "--people", "2", "--json"])
    real_people.main()
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["after"] for row in rows if row["model"] == OURS} == set(AFTER)
    monkeypatch.setattr(sys, "argv", ["real_people", "--people", "1"])
    real_people.main()
    assert "pooled logistic" in capsys.readouterr().out
