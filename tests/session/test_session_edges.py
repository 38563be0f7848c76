"""What a session refuses in one sentence, whose answer an undo takes back, and several threads at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import numpy as np
import pytest

import askwise
from askwise.errors import AnswerError, AskwiseError, DataError, SettingError
from tests.helpers import without_times

NAMES = ["tea", "coffee", "water", "milk", "juice", "cocoa"]


@pytest.fixture
def session():
    return askwise.best_item(NAMES, draws=16, seed=1)


def answer(session, *people):
    for who in people:
        session.ask()
        session.tell("left", who=who)


def by_person(session):
    return [answer.who for answer in session.answers]


# ------------------------------------------------------------------ whose answer is taken back


def test_undo_by_name_takes_back_ones_own_answer(session):
    answer(session, "Ann", "Ben", "Ann", "Ben")
    session.undo(who="Ann")
    assert by_person(session) == ["Ann", "Ben", "Ben"]
    session.undo(who="Ann")
    assert by_person(session) == ["Ben", "Ben"]
    before = session.to_json()
    with pytest.raises(AnswerError, match="no answer or skip of Ann is in force"):
        session.undo(who="Ann")
    assert session.to_json() == before


def test_undo_by_name_and_question_is_of_ones_own(session):
    answer(session, "Ann", "Ben")
    with pytest.raises(AnswerError, match="question q2 was not answered by Ann"):
        session.undo("q2", who="Ann")
    session.undo("q1", who="Ann")
    assert by_person(session) == ["Ben"]


def test_an_undo_without_a_name_is_noted_with_the_name_of_the_answer(session):
    """Work is counted by person: an answer that was taken back is nobody's."""
    answer(session, "Ann", "Ben")
    session.undo()
    assert session.log[-1]["who"] == "Ben"
    assert by_person(session) == ["Ann"]


def test_a_skip_is_taken_back_by_name(session):
    answer(session, "Ann")
    session.ask()
    session.skip(who="Ben")
    answer(session, "Ann")
    session.undo(who="Ben")
    assert list(session.event_log.status.values()).count("answered") == 2
    assert "skipped" not in session.event_log.status.values()


# ------------------------------------------------------------------ what comes with an answer

WRONG = {
    "who": [object(), 7, b"Ann", "", "A\0", "\ud800", "x" * 300, ["Ann"], True],
    "key": [1, 1.5, object(), "", "\0", "\udfff", "x" * 300, ("a",)],
    "seconds": [float("nan"), float("inf"), -1, 10**400, "2", True, 1e300, object(), 2j],
    "cost": [float("nan"), float("inf"), -1, 10**400, "2", True, 1e300, object(), 2j],
}


@pytest.mark.parametrize(("part", "value"), [(part, value) for part, values in WRONG.items() for value in values])
def test_details_that_cannot_be_kept_are_refused(session, part, value):
    question = session.ask()
    before = session.to_json()
    for call in (lambda **more: session.tell("left", question, **more), lambda **more: session.skip(question, **more)):
        with pytest.raises(AnswerError, match=rf"^{part} is .*; expected") as refused:
            call(**{part: value})
        assert len(str(refused.value)) < 200
    assert session.to_json() == before
    session.tell("left", question)


def test_a_reason_is_text(session):
    session.ask()
    for reason in (7, "\ud800", "x" * 3000):
        with pytest.raises(AnswerError, match=r"^reason is"):
            session.skip(reason=reason)
    session.skip(reason="")


def test_a_note_is_text(session):
    session.ask()
    for note in (7, "\ud800", "x" * 3000):
        with pytest.raises(AnswerError, match=r"^note is"):
            session.tell("left", note=note)
    session.tell("left", note="", cost=np.float32(0.5))
    assert (session.log[-1]["note"], session.log[-1]["cost"]) == ("", 0.5)


def test_numbers_of_numpy_are_plain_in_the_log(session):
    session.ask()
    session.tell(np.str_("left"), who=np.str_("Ann"), seconds=np.float32(2.5), key=np.str_("k1"))
    event = session.log[-1]
    assert {part: type(event[part]) for part in ("response", "who", "seconds", "key")} == {
        "response": str,
        "who": str,
        "seconds": float,
        "key": str,
    }


@pytest.mark.parametrize("response", [None, [], {}, object(), b"left", float("nan"), "no", 3, ["left"]])
def test_responses_that_are_none_are_refused(session, response):
    session.ask()
    before = session.to_json()
    with pytest.raises(AnswerError, match="question q1 stays open"):
        session.tell(response)
    assert session.to_json() == before


@pytest.mark.parametrize(
    "response", [None, [1.0], object(), True, np.bool_(True), "x", 10**400, "nan", 2j, np.zeros(1)]
)
def test_numbers_that_are_none_are_refused(response):
    session = askwise.best_column((2, 2), draws=8)
    session.ask()
    with pytest.raises(AnswerError, match="question q1 stays open"):
        session.tell(response)
    session.tell(Decimal("1.5"))
    assert session.log[-1]["response"] == 1.5


@pytest.mark.parametrize("question", [7, object(), [], b"q1", "\ud800", "x" * 1000, "q9"])
def test_questions_that_are_none_are_refused(session, question):
    session.ask()
    for call in (
        lambda: session.tell("left", question),
        lambda: session.skip(question),
        lambda: session.undo(question),
    ):
        with pytest.raises(AnswerError) as refused:
            call()
        assert len(str(refused.value)) < 200


def test_a_key_belongs_to_who_used_it(session):
    question = session.ask()
    session.tell("left", question, "Ann", key="k1")
    session.tell("left", question, "Ann", key="k1")
    with pytest.raises(AnswerError, match="'k1' was used before"):
        session.tell("left", question, "Ben", key="k1")
    assert len(session.answers) == 1


# ------------------------------------------------------------------ logs that no session wrote


@pytest.mark.parametrize(
    "harm",
    [
        {"atom": ""},
        {"atom": []},
        {"atom": [0]},
        {"atom": [0, 99]},
        {"options": None},
        {"options": [None]},
        {"options": [{"colour": "red"}]},
        {"codes": [1]},
        {"codes": [[1]]},
        {"responses": None},
        {"text": 7},
        {"info": None},
        {"kind": []},
        {"time": 0},
        {"time": {}},
    ],
)
def test_a_question_that_is_none_is_not_replayed(session, harm):
    answer(session, "Ann", "Ben")
    askwise.change_goal(session, "top_k", k=2)
    answer(session, "Ann")
    log = [dict(event) for event in session.log]
    log[-2] |= harm
    new = askwise.best_item(NAMES, draws=16, seed=1)
    with pytest.raises(DataError, match=r"^event 6 of the log cannot be replayed|^event 7 of the log"):
        new.replay(log)
    assert new.log == []
    assert new.problem.distance.phrase == askwise.best_item(NAMES).problem.distance.phrase
    answer(new, "Ann")


@pytest.mark.parametrize("events", [7, [7], [{}], [None], ["ask"], [{"event": []}], [{"event": "goal"}]])
def test_what_is_no_log_is_not_replayed(session, events):
    with pytest.raises(DataError, match="cannot be replayed"):
        session.replay(events)
    assert session.log == []


# ------------------------------------------------------------------ questions of one's own choice


@pytest.mark.parametrize(
    ("make", "good", "bad"),
    [
        (lambda: askwise.best_item(NAMES, draws=8), [4, 1], [[2, 2], [-1, 0], [0, 99], [0], 3, None, "x", [0.5, 1]]),
        (lambda: askwise.clusters(NAMES, draws=8), [0, 5], [[2, 2], [-1, 0], [0, 6], [[0, 1]], [True, False]]),
        (lambda: askwise.hierarchy(NAMES, draws=8), [3, 1, 2], [[1, 2], [1, 1, 2], [0, 1, 6], [-1, 0, 1]]),
        (lambda: askwise.classifier({"x": [1.0, 2.0, 3.0]}, draws=8), 2, [3, -1, [0], 0.5, None]),
        (lambda: askwise.classifier({"x": [1.0, 2.0, 3.0]}, ("a", "b", "c"), draws=8), 2, [3, -1, [0], 0.5]),
        (lambda: askwise.best_column((2, 3), draws=8), [1, 2], [[2, 0], [0, 3], [-1, 0], 1]),
    ],
)
def test_only_atoms_that_exist_are_posed(make, good, bad):
    session = make()
    for atom in bad:
        with pytest.raises(SettingError, match=r"^the atom is .*; expected"):
            session.pose(atom)
    assert session.log == []
    question = session.pose(good)
    assert question.atom == (sorted(good) if question.kind in ("pair", "same", "triple") else good)
    session.tell(1.0 if question.kind == "number" else question.responses[0])


@pytest.mark.parametrize("count", [0, -1, True, 1.5, "2", float("nan")])
def test_a_count_is_a_whole_number(session, count):
    with pytest.raises(SettingError, match=r"count is .*; expected a whole number"):
        session.ask(count)
    assert session.log == []


# ------------------------------------------------------------------ several threads


def test_threads_take_turns():
    """Whatever they do at once, the log is one that a single thread could have written."""
    session, again = (askwise.best_item(NAMES, draws=16, seed=1, repeat=True) for _ in range(2))

    def work(number):
        for _ in range(6):
            try:
                session.tell(("left", "right")[number % 2], session.ask(), who=f"person {number}")
                session.prepare()
                if number == 3:
                    session.undo(who="person 3")
            except AnswerError:
                continue  # somebody else answered the question first

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    again.replay(session.log)
    assert (again.sample.structures == session.sample.structures).all()
    assert without_times(again.log) == without_times(session.log)
    assert len(session.answers) == list(session.event_log.status.values()).count("answered") > 0


def test_a_session_is_whole_after_threads_collided(session):
    with ThreadPoolExecutor(8) as pool:
        asked = list(pool.map(lambda _: session.ask(), range(8)))
        assert len({question.id for question in asked}) == 1
        told = list(pool.map(lambda _: _told(session, asked[0]), range(8)))
    assert told.count(True) == 1
    answer(session, "Ann")
    assert len(session.answers) == 2


def _told(session, question):
    try:
        session.tell("left", question)
    except AskwiseError:
        return False
    return True
