"""Items that are compared within contexts: what is asked and shown, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import askwise
from askwise.errors import DataError, NothingToAsk, SettingError
from askwise.exchange.answer_rows import apply_rows, parse_rows
from askwise.goals import goal_of
from askwise.structures.contexts import ChoiceInContexts

CONTEXTS = [f"prompt {c}" for c in range(30)]
QUALITY = np.array([0.0, 0.5, 1.0, 2.5])


def replies(items=4):
    return {"name": [f"s{i}" for i in range(items)]} | {c: [f"{c} by {i}" for i in range(items)] for c in CONTEXTS}


def test_a_question_shows_what_two_items_did_in_one_context_and_not_their_names():
    session = askwise.best_item(replies(), contexts=CONTEXTS, seed=1)
    question = session.ask()
    context, *pair = question.atom
    assert question.text == f"prompt {context}\n\nWhich is better?"
    assert question.names == ["A", "B"]
    assert sorted(option.body for option in question.options) == [f"prompt {context} by {i}" for i in pair]
    session.reword(question="Which reply would you send?")
    session.tell("left")
    assert session.ask().text.endswith("\n\nWhich reply would you send?")
    assert session.ask().text.startswith("prompt ")


def test_new_contexts_are_preferred_by_their_gain():
    """With the same pair asked in every context before, the next best question is in a context that is new."""
    session = askwise.best_item(replies(2), contexts=CONTEXTS, seed=1, epsilon=0.001, repeat=True)
    for context in range(10):
        session.tell("s1" if context % 3 else "s0", session.pose((context, 0, 1)))
    best = [event["atom"][0] for event in session.round.best(session.event_log, 10)]
    assert sum(context >= 10 for context in best) >= 8


def test_the_best_item_is_found_and_another_goal_goes_on():
    rng = np.random.default_rng(0)
    deviations = rng.standard_normal((len(CONTEXTS), 4))
    session = askwise.best_item(replies(), contexts=CONTEXTS, seed=2)
    while not session.done:
        context, i, j = session.ask().atom
        score = QUALITY[i] - QUALITY[j] + deviations[context, i] - deviations[context, j]
        session.tell(f"s{i if rng.random() < 1 / (1 + np.exp(-2 * score)) else j}")
    assert session.estimate().value == "s3"
    assert "Which of 4 is the best?" in str(goal_of(session).result(session, session.sample))
    assert goal_of(session).summary(session).questions == 6 * len(CONTEXTS)
    again = askwise.from_json(session.to_json())
    assert str(again.certificate()) == str(session.certificate())
    askwise.change_goal(session, "ranking")
    assert session.estimate().value[0] == "s3"
    session.retire("s3")
    assert session.estimate().value[0] != "s3"


def test_answers_of_a_table_name_their_context():
    session = askwise.ranking(replies(), contexts=CONTEXTS, seed=1)
    table = {"context": ["prompt 3", "nothing"], "left": ["s2", "s0"], "right": ["s0", "s1"], "winner": ["left", "s0"]}
    rows, problems = parse_rows(session, table)
    assert len(problems) == 1
    assert "there is no context 'nothing'" in problems[0]
    assert list(apply_rows(session, rows, b"")) == [True]
    assert [(tuple(answer.atom), answer.response) for answer in session.answers] == [((3, 0, 2), -1)]


def test_what_does_not_go_with_contexts_is_refused():
    with pytest.raises(DataError, match="there is no column 'a poem', which contexts names"):
        askwise.best_item(replies(), contexts=["a poem"])
    for options in ({"noise": 0.0}, {"shown": 3}, {"individual": 1.0, "shape": "linear"}):
        with pytest.raises(SettingError, match="does not go with contexts"):
            askwise.best_item(replies(), contexts=CONTEXTS, **options)
    table = replies()
    table["prompt 2"][1] = None
    with pytest.raises(DataError, match="column 'prompt 2' is empty in row 2"):
        askwise.best_item(table, contexts=CONTEXTS)
    many = {"name": ["a", "b"]} | {f"c{c}": ["x", "y"] for c in range(4000)}
    with pytest.raises(DataError, match="2 items take up to 2,999"):
        askwise.best_item(many, contexts=[f"c{c}" for c in range(4000)])


def test_items_that_did_the_same_in_a_context_are_not_compared_there():
    table = {"name": ["a", "b", "c"], "poem": ["x", "x", "y"], "sum": ["4", "4", "4"], "joke": ["1", "2", "3"]}
    session = askwise.best_item(table, contexts=["poem", "sum", "joke"], seed=1)
    family = session.problem.family
    atoms = family.draw_atoms(100, np.random.default_rng(0)).tolist()
    assert atoms == [[0, 0, 2], [0, 1, 2], [2, 0, 1], [2, 0, 2], [2, 1, 2]]
    assert family.atom_count == 5
    same = {"name": ["a", "b"], "poem": ["x", "x"]}
    with pytest.raises(NothingToAsk):
        askwise.best_item(same, contexts=["poem"], seed=1).ask()


def test_proposed_questions_are_about_items_that_did_different_things(monkeypatch):
    monkeypatch.setattr("askwise.structures.contexts.MAX_ATOMS_SCORED_WHOLE", 1)
    contents = [["x", "x", "y"], ["1", "2", "3"]]
    family = ChoiceInContexts(["poem", "joke"], 3, contents=contents)
    found = family.propose_atoms(np.random.default_rng(0).standard_normal((20, 9)), 4)
    assert len(found)
    assert all(contents[c][i] != contents[c][j] for c, i, j in found.tolist())
