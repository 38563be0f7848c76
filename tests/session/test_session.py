"""Sessions: every transition against a small model, refusals that change nothing, and replays bit for bit."""

from __future__ import annotations

import json
from dataclasses import fields
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import askwise
from askwise.distances import Custom, TableDistance
from askwise.errors import AnswerError, DataError, DistanceError, NothingToAsk, SettingError
from askwise.losses import zero_one
from askwise.posteriors.enumerated import Enumerated
from askwise.problem import Problem
from askwise.session import Session
from askwise.stopping import Budget
from askwise.structures.finite import Finite
from tests.helpers import generator, label_problem, random_distances, without_times


def labels_session(beta=2.0, rule="expected", atoms=7, key=0, **options):
    problem, prior = label_problem(generator(300, key), 3, beta, size=12, atoms=atoms)
    return Session(problem, prior, rule=rule, seed=5, **options)


def state(session):
    """All that can be seen, and the belief."""
    return (
        session.to_json(),
        id(session.posterior),
        len(session.answers),
        session.reason,
        session.estimate().expected_distance,
    )


# ------------------------------------------------------------------ transitions

ops = st.lists(
    st.tuples(
        st.sampled_from(["ask", "batch", "tell", "tell", "tell", "skip", "undo", "undo any"]), st.integers(0, 10**6)
    ),
    max_size=25,
)


class Model:
    """What a session should be, told in the simplest way: statuses of questions, and the answers in force in order."""

    def __init__(self):
        self.status, self.atoms, self.told, self.closed, self.born = {}, {}, {}, {}, {}
        self.clock = 0

    def opened(self):
        return [q for q, s in self.status.items() if s == "open"]

    def undo(self, q):
        for other, born in self.born.items():
            if born > self.closed[q] and self.status[other] == "open":
                self.status[other] = "withdrawn"
        self.status[q] = "open"
        self.told.pop(q, None)


@pytest.mark.parametrize("rule", ["expected", "random"])
@given(ops=ops)
@settings(max_examples=60, deadline=None)
def test_random_walks_follow_the_model(rule, ops):
    session, model = labels_session(rule=rule), Model()
    for op, number in ops:
        model.clock += 1
        closed = [q for q, s in model.status.items() if s in ("answered", "skipped")]
        if op in ("ask", "batch"):
            try:
                questions = [session.ask()] if op == "ask" else session.ask(1 + number % 4)
            except NothingToAsk:
                assert sum(s != "withdrawn" for s in model.status.values()) == 7
                continue
            assert [q.id for q in (questions if op == "batch" else [session.ask()])] == [q.id for q in questions]
            for question in questions:
                if question.id not in model.status:
                    atom = next(e["atom"] for e in session.log if e["question"] == question.id)
                    taken = {model.atoms[q] for q, s in model.status.items() if s != "withdrawn"}
                    assert atom not in taken  # no atom twice, unless withdrawn
                    model.status[question.id], model.atoms[question.id] = "open", atom
                    model.born[question.id] = model.clock
        elif op in ("tell", "skip"):
            if not model.opened():
                with pytest.raises(AnswerError, match="no question is open"):
                    session.tell(0) if op == "tell" else session.skip()
                continue
            q = model.opened()[number % len(model.opened())]
            before = session.posterior
            if op == "tell":
                session.tell(number % 3, question=q, who="Ann")
                model.told[q] = number % 3
            else:
                session.skip(q, reason="blurred")
                assert session.posterior is before  # a skipped question changes no belief
            model.status[q], model.closed[q] = ("answered" if op == "tell" else "skipped"), model.clock
        elif not closed:
            with pytest.raises(AnswerError, match="nothing to undo"):
                session.undo()
        else:
            last = max(closed, key=model.closed.__getitem__)
            q = last if op == "undo" else closed[number % len(closed)]
            session.undo() if op == "undo" else session.undo(q)
            model.undo(q)
        check_against(session, model)
    copy = labels_session(rule=rule)
    copy.replay(json.loads(session.to_json())["log"])
    assert copy.to_json() == session.to_json()
    assert ask_or_none(copy) == ask_or_none(session)
    assert (copy.posterior.log_weights == session.posterior.log_weights).all()


def ask_or_none(session):
    try:
        question = session.ask()
        return question, question.gain, without_times(session.log[-1:])
    except NothingToAsk:
        return None


def check_against(session, model):
    """As if only the answers in force had ever been given, in their order."""
    posterior = session.prior
    for q, said in model.told.items():
        posterior = posterior.update(askwise.Answer(np.asarray(model.atoms[q]), said), None)
    assert (session.posterior.log_weights == posterior.log_weights).all()
    assert [(int(a.atom), a.response) for a in session.answers] == [(model.atoms[q], y) for q, y in model.told.items()]
    if model.opened():
        assert [q.id for q in session.ask(len(model.opened()))] == model.opened()


def test_undo_reaches_beyond_what_is_kept(monkeypatch):
    monkeypatch.setattr("askwise.session.beliefs.MAX_TRAIL_ANSWERS", 2)
    session = labels_session()
    for y in (0, 1, 2, 0, 1, 2):
        session.ask()
        session.tell(y)
    for place in ("q2", "q5", "q1"):
        session.undo(place)
        posterior = session.prior
        for answer in session.answers:
            posterior = posterior.update(answer, None)
        assert (session.posterior.log_weights == posterior.log_weights).all()


def test_states_kept_for_an_undo_are_few_and_hold_nothing_that_can_be_computed_again():
    def answered(session, count):
        for number in range(count):
            session.ask()
            session.tell("left" if number % 3 else "right")
        return session

    table = [{"name": f"item {i}", "x": (7 * i) % 11, "y": (5 * i) % 13} for i in range(12)]
    session = answered(askwise.best_item(table, draws=40, seed=2, epsilon=1e-6), 18)
    trail = session.round.beliefs.trail
    assert [kept.answers for kept in trail] == [4, 8, 12, 15, 16, 17, 18]

    def computed(posterior):
        return {*vars(posterior)} - {field.name for field in fields(posterior)} | {*posterior.maps}

    assert computed(trail[-2].posterior)
    assert not any(computed(kept.posterior) for kept in trail[:-2])
    for _ in range(4):  # to between two that were kept
        session.undo()
    again = answered(askwise.best_item(table, draws=40, seed=2, epsilon=1e-6), 14)
    assert list(session.round.beliefs.told) == list(again.round.beliefs.told)
    assert (
        session.posterior.sample(50, generator(5)).structures == again.posterior.sample(50, generator(5)).structures
    ).all()


def test_a_batch_runs_out_without_complaint():
    session = labels_session(atoms=7)
    assert len(session.ask(5)) == 5
    assert len(session.ask(50)) == 7
    for _ in range(7):
        session.tell(1)
    assert session.done
    assert session.reason == "every question was asked"
    before = state(session)
    with pytest.raises(NothingToAsk, match="every candidate question was asked"):
        session.ask(2)
    assert state(session) == before
    session.undo()
    assert not session.done


def test_answers_may_repeat_if_allowed():
    session = labels_session(atoms=4, repeat=True)
    for _ in range(9):
        session.ask()
        session.tell(1)
    assert len(session.answers) == 9


def test_answers_by_any_of_their_names():
    family = Finite([[0, 1], [1, 0]], responses={"No": 0, "Yes": 1})
    prior = Enumerated.prior(family, np.arange(2), zero_one, 2.0)
    for said in ("Yes", "yes", " YES "):
        session = Session(Problem(family, TableDistance(1 - np.eye(2)), zero_one, 2.0), prior)
        session.tell(said, question=session.ask())
        assert session.answers[0].response == 1
        assert session.log[-1]["response"] == "Yes"


def test_budget_and_estimate():
    session = labels_session(stop=Budget(3), describe=lambda structure: f"structure {structure}")
    while not session.done:
        session.ask()
        session.tell(0)
    assert session.reason == "the budget of 3 answers is used up"
    means = session.posterior.weights @ session.problem.distance.table
    assert session.estimate().value == f"structure {means.argmin()}"
    assert session.certificate().expected_distance == pytest.approx(means.min())
    assert session.certificate().answers == 3


# ------------------------------------------------------------------ refusals


def asked(**options):
    session = labels_session(**options)
    session.ask()
    session.tell(1)
    session.ask()
    return session


REFUSED = {
    "an unknown response": (
        lambda s: s.tell("maybe"),
        AnswerError,
        "'maybe' is not one of 0, 1, 2; question q2 stays open",
    ),
    "no response": (lambda s: s.tell(None), AnswerError, "None is not one of"),
    "a number too many": (lambda s: s.tell(3), AnswerError, "3 is not one of"),
    "not a number": (lambda s: s.tell(float("nan")), AnswerError, "nan is not one of"),
    "an unknown question": (lambda s: s.tell(1, "q9"), AnswerError, "there is no question 'q9'; the open ones are"),
    "an answered question": (
        lambda s: s.tell(1, "q1"),
        AnswerError,
        "q1 was answered before (1) and is not open; undo it",
    ),
    "skip an answered one": (lambda s: s.skip("q1"), AnswerError, "q1 was answered before"),
    "skip an unknown one": (lambda s: s.skip("q9"), AnswerError, "there is no question 'q9'"),
    "undo an open one": (lambda s: s.undo("q2"), AnswerError, "q2' has no answer to undo; it is open"),
    "undo an unknown one": (lambda s: s.undo("q9"), AnswerError, "it is unknown"),
    "ask for none": (lambda s: s.ask(0), SettingError, "count is 0; expected a whole number from 1 to 1000"),
    "ask for half": (lambda s: s.ask(1.5), SettingError, "count is 1.5; expected a whole number from 1 to 1000"),
    "replay on top": (lambda s: s.replay(s.log), SettingError, "a log is replayed on a new session; this one has 3"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_input_leaves_everything_as_it_was(case):
    call, kind, message = REFUSED[case]
    session = asked()
    before, question = state(session), session.ask()
    with pytest.raises(kind) as refusal:
        call(session)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert state(session) == before
    assert session.ask() == question


def test_a_contradiction_is_refused():
    family = Finite([[0, 0], [0, 1]], responses=[0, 1])
    problem = Problem(family, TableDistance(random_distances(generator(301), 2)), zero_one, inf)
    session = Session(problem, Enumerated.prior(family, np.arange(2), zero_one, inf))
    other = next(q for q in session.ask(2) if next(e for e in session.log if e["question"] == q.id)["atom"] == 0)
    before = state(session)
    with pytest.raises(AnswerError, match="contradicts"):
        session.tell(1, question=other)
    assert state(session) == before
    session.tell(0, question=other)


def test_withdrawn_questions_are_closed():
    session = asked()
    session.undo("q1")
    with pytest.raises(AnswerError, match="q2 was withdrawn before and is not open; a new question took its place"):
        session.tell(1, "q2")


@pytest.mark.parametrize("options", [{"draws": 1}, {"candidates": 0}, {"seed": -1}, {"rule": "best"}])
def test_refuses_settings(options):
    problem, prior = label_problem(generator(302))
    with pytest.raises(SettingError):
        Session(problem, prior, **options)


def test_refuses_what_is_not_a_distance():
    problem, prior = label_problem(generator(303))
    with pytest.raises(DistanceError, match="not symmetric"):
        Session(Problem(problem.family, Custom(lambda g, h: float(g > h)), zero_one, inf), prior)


GOOD = asked().log
BROKEN_LOGS = {
    "not a list": 5,
    "not events": ["ask"],
    "an unknown event": [{"event": "guess", "question": "q1"}],
    "an answer to nothing": [{"event": "tell", "question": "q1", "response": 1, "who": None}],
    "half an event": [{"event": "ask", "question": "q1"}],
    "an answer twice": [*GOOD[:2], GOOD[1]],
    "a question twice": [GOOD[0], GOOD[0]],
    "an unknown response": [GOOD[0], {**GOOD[1], "response": "maybe"}],
    "undo of nothing": [GOOD[0], {"event": "undo", "question": "q1"}],
}


@pytest.mark.parametrize("case", BROKEN_LOGS)
def test_a_log_it_could_not_have_written_is_refused_whole(case):
    session = labels_session()
    before = state(session)
    with pytest.raises(DataError, match="of the log cannot be replayed"):
        session.replay(BROKEN_LOGS[case])
    assert state(session) == before
    session.replay(GOOD)
    assert session.log == GOOD


def test_a_log_may_use_any_name_of_a_response():
    session = labels_session()
    session.replay([GOOD[0], {**GOOD[1], "response": " 1"}])
    assert session.answers[0].response == 1
