"""The event log: the status of every question, what may come next, and how answers are matched."""

from __future__ import annotations

import numpy as np
import pytest

from askwise.errors import AnswerError
from askwise.session.event_log import EventLog
from askwise.session.events import ask_event, hashable_atom, match_response
from askwise.types import Option, Prompt, Scored

SHOWN = Prompt("label", (Option("x"),), ("Yes", "no", 2), {"Yes": 1, "no": -1, "nope": -1, 2: 0}, "Is x good?")


def ask(id, atom=0):
    return ask_event(id, atom, SHOWN, Scored(np.array([0.5]), {"pairs": 3}), 0)


def tell(id, response="Yes"):
    return {"event": "tell", "question": id, "response": response, "who": None}


def logged(*events):
    log = EventLog()
    for event in events:
        log.append(log.validate(event))
    return log


def test_status_of_every_question():
    undo = {"event": "undo", "question": "q1"}
    skip = {"event": "skip", "question": "q2", "reason": None}
    log = logged(ask("q1"), ask("q2", 1), tell("q1"), skip, ask("q3", 2), ask("q4", [3, 4]), tell("q4"), undo)
    assert log.status == {"q1": "open", "q2": "skipped", "q3": "withdrawn", "q4": "answered"}
    assert log.open_questions() == ["q1"]
    assert log.unavailable_atoms(repeat=False) == {0, 1, (3, 4)}
    assert log.unavailable_atoms(repeat=True) == {0, 1}
    assert log.require_closed(None) == "q4"
    assert len(log.events) == 8


def test_a_question_keeps_everything():
    question = logged(ask("q1")).question("q1")
    assert (question.id, question.kind, question.text) == ("q1", "label", "Is x good?")
    assert (question.options, question.responses) == (SHOWN.options, SHOWN.responses)
    assert (question.gain, question.info) == (0.5, {"pairs": 3})


@pytest.mark.parametrize(
    ("said", "known", "code"),
    [("Yes", "Yes", 1), (" yES ", "Yes", 1), ("nope", "nope", -1), (2, 2, 0), ("2", 2, 0), (np.int64(2), 2, 0)],
)
def test_matching(said, known, code):
    assert match_response(ask("q1"), said)[:2] == (known, code)


@pytest.mark.parametrize("said", ["maybe", "", None, True, 1, 2.5, ["Yes"], float("nan")])
def test_no_match(said):
    with pytest.raises(AnswerError, match="is not one of 'Yes', 'no', 2; question q1 stays open"):
        match_response(ask("q1"), said)


@pytest.mark.parametrize(
    ("past", "event"),
    [
        ([], tell("q1")),
        ([ask("q1")], ask("q1")),
        ([], {"event": "ask", "question": "q1"}),
        ([ask("q1"), tell("q1")], tell("q1")),
        ([ask("q1")], tell("q1", "maybe")),
        ([ask("q1")], {"event": "undo", "question": "q1"}),
        ([ask("q1")], {"event": "guess", "question": "q1"}),
    ],
)
def test_refuses_what_cannot_come_next(past, event):
    with pytest.raises(AnswerError):
        logged(*past).validate(event)


def test_hashable_atom():
    assert hashable_atom([1, 2]) == (1, 2)
    assert hashable_atom(3) == 3
