"""What people see can change at any time; questions and beliefs do not."""

from __future__ import annotations

import numpy as np
import pytest

import askwise
from askwise.errors import AnswerError, DataError, SettingError

TABLE = {"name": list("abcdefgh"), "x": [(7 * i) % 11 for i in range(8)], "y": [(5 * i) % 13 for i in range(8)],
         "note": [f"note {i}" for i in range(8)]}  # fmt: skip
SETTINGS = {"draws": 60, "seed": 2, "epsilon": 0.001}


def answered(changes):
    """The atoms that a session asks for, with changes of what is shown after some answers."""
    session = askwise.best_item(TABLE, **SETTINGS)
    for number in range(6):
        if number in changes:
            askwise.change_goal(session, "best_item", show=changes[number])
        session.ask()
        if number + 0.5 in changes:
            askwise.change_goal(session, "best_item", show=changes[number + 0.5])
        session.tell("left")
    return session


def test_the_same_is_asked_whatever_is_shown():
    plain, changed = answered({}), answered({0: ["y"], 2.5: [], 4: None})
    asked = [[event["atom"] for event in session.log if event["event"] == "ask"] for session in (plain, changed)]
    assert asked[0] == asked[1]
    assert changed.diameter == plain.diameter
    assert [event["options"] for event in changed.log if event["event"] == "show"] == [
        {"show": ["y"]}, {"show": []}, {"show": None}
    ]  # fmt: skip


def test_what_was_computed_stays():
    session = answered({})
    question, sample = session.ask(), session.sample
    askwise.change_goal(session, "best_item", show=["note", "x"])
    assert session.sample is sample
    shown = session.ask()
    assert (shown.id, list(shown.options[0].fields)) == (question.id, ["note", "x"])
    assert session.pursued["options"]["show"] == ["note", "x"]
    assert session.pursued["options"]["epsilon"] == 0.001


def test_a_log_remembers_what_is_shown(tmp_path):
    session = answered({1: ["y"], 3: ["note"]})
    assert askwise.from_json(session.to_json()).ask() == session.ask()
    askwise.save(session, tmp_path / "study.askwise")
    assert list(askwise.open(tmp_path / "study.askwise").ask().options[0].fields) == ["note"]
    askwise.change_goal(session, "top_k", k=2)  # another goal keeps it
    assert list(session.ask().options[0].fields) == ["note"]
    assert list(session.branch(seed=3).ask().options[0].fields) == ["note"]


def test_the_log_keeps_names_and_rows_alone():
    session = answered({})
    assert {frozenset(option) for event in session.log if event["event"] == "ask" for option in event["options"]} == {
        frozenset({"name", "image", "row"})
    }
    for option in session.ask().options:
        assert TABLE["name"][option.row] == option.name
        assert option.fields == {"x": str(TABLE["x"][option.row]), "y": str(TABLE["y"][option.row])}


def test_what_makes_no_sense_is_refused_and_changes_nothing():
    session = answered({})
    events = len(session.log)
    with pytest.raises(DataError, match="show= names the column 'z', but the table has only 'name', 'x', 'y', 'note'"):
        askwise.change_goal(session, "best_item", show=["z"])
    with pytest.raises(SettingError, match="show is 7; expected a list of names of columns"):
        session.show({"show": 7})
    with pytest.raises(SettingError, match="epsilon does not say what people see; expected body_format, show"):
        session.show({"epsilon": 0.1})
    with pytest.raises(SettingError, match="show no table"):
        askwise.best_column((3, 3)).show({"show": []})
    with pytest.raises(AnswerError, match="there is no question 'q99'; expected the id of one that was asked"):
        session.question("q99")
    assert len(session.log) == events
    session.show({"show": np.array(["x"])})
    assert session.log[-1]["options"] == {"show": ["x"]}
