"""What a session works out ahead, keys that count once, journals that others write to, and another goal."""

from __future__ import annotations

import numpy as np
import pytest

import askwise
from askwise.errors import AnswerError, SettingError
from tests.helpers import generator, without_times

TABLE = {"name": list("abcdefghij"), **{f"x{j}": generator(900 + j).standard_normal(10).tolist() for j in range(3)}}


class Shared:
    """A journal in memory that several sessions write to."""

    def __init__(self):
        self.events, self.kept = [], 0

    def append(self, position, event):
        if position != len(self.events):
            return False
        self.events.append(event)
        return True

    def since(self, position):
        return self.events[position:]

    def keep(self, session):
        self.kept += 1


def best(**options):
    return askwise.best_item(TABLE, draws=100, seed=5, **options)


def two_on_one():
    journal = Shared()
    sessions = best(), best()
    for session in sessions:
        session.journal = journal
    return *sessions, journal


@pytest.mark.parametrize("goal", ["best_item", "clusters", "hierarchy", "classifier"])
def test_what_was_prepared_is_what_would_have_come(goal):
    plain, ahead = (getattr(askwise, goal)(TABLE, seed=5, draws=40) for _ in range(2))
    for turn in range(5):
        question = ahead.ask()
        assert question == plain.ask()
        ahead.prepare()
        for session in (plain, ahead):
            session.tell(question.responses[turn % 2])
        assert ahead.round.prepared_question is not None
        assert ahead.round.prepared_question[1]["question"] == f"q{turn + 2}"
        assert np.array_equal(ahead.sample.structures, plain.sample.structures)
        assert (ahead.reason, ahead.diameter) == (plain.reason, plain.diameter)
    ahead.ask(), plain.ask()
    assert without_times(ahead.log) == without_times(plain.log)


def test_an_item_s_name_means_its_side():
    session = best()
    question = session.ask()
    session.prepare()
    session.tell(question.options[1].name)
    assert session.round.prepared_question is not None


def test_preparing_changes_nothing_and_is_forgotten_when_something_else_happens():
    plain, ahead = best(), best()
    for session in (plain, ahead):
        session.ask()
        session.tell("left")
        session.ask()
    ahead.prepare()
    assert len(ahead.log) == len(plain.log)
    for session in (plain, ahead):
        session.skip()
        session.ask()
        session.tell("right")
    assert ahead.ask() == plain.ask()


def test_numbers_are_not_prepared():
    session = askwise.best_column((3, 3), draws=8, seed=1)
    session.ask()
    session.prepare()
    assert not session.prepared.rounds


def test_a_key_counts_once():
    session = best()
    session.ask()
    session.tell("left", "q1", key="a")
    session.tell("left", "q1", key="a")
    session.tell("LEFT", key="a")
    assert [event["event"] for event in session.log] == ["ask", "tell"]
    session.undo("q1", key="b")
    session.undo("q1", key="b")
    assert len(session.log) == 3
    for again in (
        lambda: session.tell("right", "q1", key="a"),
        lambda: session.tell("left", "q2", key="a"),
        lambda: session.skip("q1", key="a"),
    ):
        with pytest.raises(AnswerError, match="the key 'a' was used before, to tell question q1"):
            again()
    assert len(session.log) == 3


def test_two_sessions_on_one_journal_take_turns():
    one, two, journal = two_on_one()
    assert one.ask() == two.ask()
    one.tell("left", who="Ann")
    with pytest.raises(AnswerError, match=r"question q1 was answered before \('left' by Ann\) and is not open"):
        two.tell("right", "q1", who="Ben")
    assert two.ask() == one.ask()
    two.tell("right")
    assert one.ask() == two.ask()
    assert one.log == two.log == journal.events
    assert [event["event"] for event in journal.events] == ["ask", "tell"] * 2 + ["ask"]
    assert np.array_equal(one.sample.structures, two.sample.structures)


def test_the_same_key_from_two_processes_is_one_answer():
    one, two, journal = two_on_one()
    one.ask(), two.ask()
    one.tell("left", "q1", key="once")
    two.tell("left", "q1", key="once")
    assert [event["event"] for event in journal.events] == ["ask", "tell"]


def test_answers_to_different_questions_both_count():
    one, two, _ = two_on_one()
    first, second = one.ask(2)
    two.ask(2)
    one.tell("left", first)
    two.tell("right", second)
    one.refresh()
    assert one.log == two.log
    assert len(one.answers) == 2


def test_a_journal_that_fails_leaves_the_session_as_it_was():
    session = best()
    question = session.ask()

    class Full(Shared):
        def append(self, position, event):
            raise OSError("disk full")

        def since(self, position):
            return []

    session.journal = Full()
    before = session.posterior
    with pytest.raises(OSError, match="disk full"):
        session.tell("left")
    assert session.posterior is before
    assert session.ask() == question


def test_another_goal_keeps_every_answer():
    session = best()
    for turn in range(6):
        session.ask()
        session.tell(("left", "right")[turn % 2])
    session.ask()
    posterior = session.posterior
    askwise.change_goal(session, "top_k", k=3, epsilon=0.2)
    assert session.posterior is posterior
    assert len(session.estimate().value) == 3
    assert session.event_log.status["q7"] == "withdrawn"
    assert session.pursued["goal"] == "top_k"
    assert session.pursued["options"]["seed"] == 5
    session.ask()
    session.tell("left")
    again = askwise.from_json(session.to_json())
    assert again.ask() == session.ask()
    assert again.estimate().value == session.estimate().value
    askwise.change_goal(session, "best_item")
    assert session.estimate().value in TABLE["name"]


def test_another_item_s_cluster():
    session = askwise.cluster_of(TABLE, "a", seed=2, draws=16)
    for _ in range(4):
        session.ask()
        session.tell("same")
    askwise.change_goal(session, "cluster_of", item="b")
    assert "b" in session.estimate().value
    askwise.change_goal(session, "clusters")
    assert sum(map(len, session.estimate().value)) == 10


@pytest.mark.parametrize(
    ("goal", "options", "message"),
    [
        ("best", {}, "there is no goal 'best'; the goals are best_column"),
        ("top_k", {"k": 2, "ties": True}, "ties shapes what the answers so far mean; another goal may set k, epsilon"),
        ("top_k", {"k": 2, "item": "a"}, "item is not an option of top_k"),
        ("clusters", {}, "the goal clusters needs other questions than were answered"),
        ("top_k", {"k": 99}, "k is 99; expected a whole number from 1 to 9"),
        ("top_k", {}, "k"),
    ],
)
def test_goals_that_cannot_be_taken_up(goal, options, message):
    session = best()
    question = session.ask()
    with pytest.raises((SettingError, askwise.DataError)) as refusal:
        askwise.change_goal(session, goal, **options)
    assert message in str(refusal.value)
    assert session.ask() == question


def test_a_question_of_one_s_own():
    session = best()
    question = session.pose([2, 5])
    assert {option.name for option in question.options} == {"c", "f"}
    assert question.info == {"posed": True}
    session.tell("c")
    assert session.answers[0].response == 1
    session.pose([2, 5])
    session.tell("f")
    assert len(session.answers) == 2
