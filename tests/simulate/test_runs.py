"""How a simulated person answers a session, and when a run ends."""

from __future__ import annotations

import time
from itertools import repeat

import pytest

import askwise
from askwise.errors import NothingToAsk
from askwise.simulate.runs import person_from_posterior, person_streams, simulate_answers, simulate_person
from tests.helpers import generator


def best_letter(**options):
    return askwise.best_item(list("abcd"), draws=40, seed=2, **options)


def answer(session, rngs, **options):
    return list(simulate_answers(session, person_from_posterior(session, generator(970)), rngs, **options))


def test_the_session_is_told_what_the_person_says():
    session = best_letter()
    answered = answer(session, person_streams(1, 3))
    told = [(event["question"], event["response"]) for event in session.log if event["event"] == "tell"]
    assert told == [(question.id, response) for question, response in answered]
    assert len(told) == 3


def test_a_run_ends_when_the_session_is_settled():
    session = best_letter(budget=2)
    assert len(answer(session, person_streams(1, 10), until_settled=True)) == 2
    assert len(answer(session, person_streams(1, 2))) == 2  # it can go on


def test_a_run_ends_settled_or_without_questions_but_not_out_of_answers():
    run = simulate_person(best_letter(budget=2, epsilon=1e-9), None, 1, limit=2)
    assert (run.answers, run.stopped) == (2, None)
    every = simulate_person(best_letter(epsilon=1e-9, repeat=False), None, 1, limit=50)
    assert (every.answers, every.stopped) == (6, 6)  # every pair was asked: there is no more to come


def test_a_run_ends_at_its_deadline():
    assert answer(best_letter(), person_streams(1, 10), deadline=time.monotonic()) == []


def test_a_run_ends_when_every_question_was_asked():
    session = askwise.best_item(["a", "b"], draws=40, seed=2, epsilon=1e-9, repeat=False)
    assert len(answer(session, repeat(generator(971), 5), until_settled=True)) == 1
    with pytest.raises(NothingToAsk):
        answer(session, repeat(generator(971), 5))


def test_a_run_is_reproducible_and_leaves_the_session_alone():
    session = askwise.best_item(list("abcdef"), draws=40, seed=2)
    session.ask()
    session.tell("left")
    log, posterior = list(session.log), session.posterior
    one, two = (simulate_person(session, "random", 3, 12) for _ in range(2))
    assert one == two
    assert one != simulate_person(session, "random", 4, 12)
    assert session.log == log
    assert session.posterior is posterior
    assert len(simulate_person(session, None, 3, limit=5).diameters) == 6


def test_numbers_are_simulated_too():
    session = askwise.best_column((3, 3), rank=1, draws=16, seed=2, epsilon=0.3)
    assert len(simulate_person(session, None, 1, limit=4).diameters) >= 2
