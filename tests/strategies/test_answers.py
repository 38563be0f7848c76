"""Strategies that make no sense for some kind of answer are refused before anybody is asked."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import askwise
from askwise.cli.app import app
from askwise.errors import SettingError
from askwise.goals import change_goal, from_json
from askwise.strategies import strategies, strategy
from askwise.strategies.baselines import qbc
from askwise.strategies.select import Select
from askwise.structures.matrices import Matrices

NUMBERS = ("expected", "ndbal", "ndbal-paper", "pdbal", "random", "variance")  # what suits answers that are numbers
OTHERS = sorted(set(strategies()) - set(NUMBERS))
DATA = {"tea": [4.0, None, 3.5], "milk": [None, 2.0, None], "beer": [1.0, None, None]}


@pytest.mark.parametrize("rule", OTHERS)
def test_a_rule_that_counts_answers_is_refused_for_numbers(rule):
    sentence = rf"{rule} .* answers are numbers; choose one of {', '.join(NUMBERS)}"
    if rule == "eubo":
        sentence = "eubo compares items, and Matrices has none; choose expected or another strategy"
    with pytest.raises(SettingError, match=sentence):
        askwise.best_column(DATA, rule=rule)


@pytest.mark.parametrize("rule", [Select(alpha=0.2), qbc])
def test_so_is_the_rule_itself(rule):
    with pytest.raises(SettingError, match="answers are numbers"):
        askwise.best_column(DATA, rule=rule)


@pytest.mark.parametrize("rule", [rule for rule in NUMBERS if rule != "random"])
def test_the_others_tell_entries_apart(rule):
    """An entry that is known for sure gains less than one that is not, in whatever order they come."""
    family = Matrices((4, 5))
    session = askwise.best_column((4, 5), rule=rule, repeat=True, seed=3, draws=100)
    rng = np.random.default_rng(5)
    for place in [[1, 2]] * 8 + [[0, 0], [2, 1], [3, 4], [1, 0]]:
        session.pose(place)
        session.tell(float(rng.normal()))
    atoms = family.draw_atoms(20, None)
    gain = session.config.rule(session.problem, session.posterior, session.sample, atoms, np.random.default_rng(0)).gain
    known = int(np.flatnonzero((atoms == [1, 2]).all(axis=1))[0])
    assert gain[known] < np.median(gain)
    assert len(np.unique(gain)) > 10


def test_eubo_needs_items_and_variance_numbers():
    with pytest.raises(SettingError, match="eubo compares items, and Hierarchies has none"):
        askwise.hierarchy(["cat", "dog", "eel", "cod"], rule="eubo")
    for made in (
        lambda: askwise.hierarchy(["cat", "dog", "eel", "cod"], rule="variance"),
        lambda: askwise.classifier({"size": [1.0, 2.0, 3.0]}, ("a", "b", "c"), rule="variance"),
    ):
        with pytest.raises(SettingError, match="variance needs answers that are numbers or one of two"):
            made()
    assert askwise.classifier({"size": [1.0, 2.0]}, rule="variance").ask()
    assert askwise.best_item(["tea", "milk", "beer"], rule="eubo").ask()


def test_another_goal_or_a_plan_cannot_bring_it_in():
    session = askwise.best_column(DATA, seed=1)
    with pytest.raises(SettingError, match=r"qbc .* answers are numbers"):
        change_goal(session, "best_column", rule="qbc")
    with pytest.raises(SettingError, match=r"bald .* answers are numbers"):
        session.branch(seed=1, rule="bald")
    assert session.log == []


def test_the_command_refuses_it(tmp_path):
    (tmp_path / "taste.csv").write_text("tea,milk\n1,\n,2\n")
    command = ["new", "best-column", str(tmp_path / "taste.csv"), "-o", str(tmp_path / "t.askwise"), "--rule", "select"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 2 or isinstance(done.exception, SettingError)
    assert not (tmp_path / "t.askwise").exists()


def test_a_study_that_was_made_with_such_a_rule_opens():
    """It goes on with the default: what was answered must stay within reach."""
    session = askwise.best_column(DATA, seed=1)
    session.ask()
    session.tell(3)
    state = json.loads(session.to_json())
    state["recipe"]["options"]["rule"] = "select"
    again = from_json(json.dumps(state))
    assert len(again.answers) == 1
    assert again.config.rule is strategy("expected")
    assert again.ask() == session.ask()
    assert again.recipe["options"]["rule"] == "select"  # the study is the one that was saved
    change_goal(again, "best_column", rule="variance")
    assert again.config.rule is strategy("variance")


def test_a_name_alone_is_looked_up_for_any_family():
    assert strategy("select") is not None
    assert strategy("bald", None) is strategy("bald")
    problem = askwise.hierarchy(["cat", "dog", "eel", "cod"]).problem
    with pytest.raises(SettingError, match="there is no strategy 'best'"):
        strategy("best", problem)
