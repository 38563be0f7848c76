"""The goal hierarchy: from names or a table to a tree, and through JSON and back."""

from __future__ import annotations

import json

import numpy as np
import pytest

from askwise.errors import AnswerError, DataError, SettingError
from askwise.goals import hierarchy
from askwise.simulate.people import LabellingPerson
from askwise.simulate.runs import simulate_answers
from askwise.structures.hierarchies import clades, from_nested, random_trees
from tests.helpers import generator

NAMES = ["cat", "dog", "eel", "cod", "ant", "bee", "fly"]


def test_finds_the_tree_of_names():
    session = hierarchy(NAMES, noise=0.0, epsilon=0.01, seed=3)
    truth = random_trees(1, len(NAMES), generator(70))[0]
    person = LabellingPerson(session.problem.family, truth)
    answers = list(simulate_answers(session, person, (generator(71) for _ in range(35)), until_settled=True))
    found = session.estimate()
    assert clades(from_nested(found.value, NAMES)) == clades(truth)
    assert len(answers) < 35
    assert "of all triples" in str(session.certificate())


def test_the_question_is_a_triple_answered_by_name():
    session = hierarchy(NAMES)
    question = session.ask()
    assert question.kind == "triple"
    assert set(question.responses) == {option.name for option in question.options}
    assert question.text.startswith("Which one is the odd one out: ")
    with pytest.raises(AnswerError, match="response 'cow' is not one of"):
        session.tell("cow")
    session.tell(question.responses[0].upper())
    assert len(session.answers) == 1


def test_features_inform_the_first_guess():
    table = {"name": NAMES, "legs": [4.0, 4.0, 0.0, 0.0, 6.0, 6.0, 6.0], "wings": [0, 0, 0, 0, 0, 1, 1]}
    assert hierarchy(table, strength=15.0).diameter < 0.6 * hierarchy(NAMES).diameter


def test_the_log_goes_through_json():
    session = hierarchy({"name": NAMES, "legs": [4.0, 4.0, 0.0, 0.0, 6.0, 6.0, 6.0]}, seed=5)
    for _ in range(4):
        session.tell(session.ask().responses[0])
    state = json.loads(session.to_json())
    assert state["recipe"]["goal"] == "hierarchy"
    again = hierarchy(state["recipe"]["data"], **state["recipe"]["options"])
    again.replay(state["log"])
    assert again.ask() == session.ask()
    assert again.estimate().value == session.estimate().value
    assert json.loads(json.dumps(session.estimate().value)) == session.estimate().value


def test_refuses():
    with pytest.raises(DataError, match="hierarchy needs at least 3 rows, got 2; add more"):
        hierarchy(["cat", "dog"])
    with pytest.raises(SettingError, match=r"noise is 0.7; expected a number of at least 0 and below 0.666667"):
        hierarchy(NAMES, noise=0.7)
    with pytest.raises(DataError, match="missing values"):
        hierarchy({"name": NAMES, "legs": [4.0, np.nan, 0.0, 0.0, 6.0, 6.0, 6.0]})
