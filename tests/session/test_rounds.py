"""Every look at the evidence is a round of its own: undo and a change of goal spend no share of delta twice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import askwise
import askwise.session.round
from askwise.goals import change_goal
from askwise.session.round import Round
from askwise.stopping import Budget
from askwise.storage import close


class Recording:
    """A reason to stop that never comes, and what it was asked with."""

    def __init__(self):
        self.seen = []

    def __call__(self, problem, posterior, sample, answers, round, rng):
        self.seen.append((answers, round, rng.random(), float(np.sum(sample.structures))))


def watched(session, recording):
    session.config = replace(session.config, stop=recording)
    session.round = Round(session.config, session.round.beliefs)


def test_no_round_comes_twice(monkeypatch):
    """Two answers, one taken back, one more, another goal: the answers in force go up and down, the round only up."""
    recording = Recording()
    monkeypatch.setattr("askwise.goals.base.goal.any_of", lambda *rules: recording)
    session = askwise.best_item(["tea", "coffee", "water", "milk"], seed=1, draws=50)
    moves = [lambda: session.tell("left"), lambda: session.tell("left"), lambda: session.undo()]
    moves += [lambda: session.tell("right"), lambda: change_goal(session, "ranking"), lambda: session.tell("left")]
    moves += [lambda: change_goal(session, "best_item", epsilon=0.5)]
    assert session.reason is None
    for move in moves:
        session.ask()
        move()
        assert session.reason is None
    answers, rounds, chances, draws = zip(*recording.seen, strict=True)
    assert answers == (0, 1, 2, 1, 2, 2, 3, 3)
    assert rounds == (1, 2, 3, 4, 5, 6, 7, 8)
    # who changes the goal has seen what was drawn for the last one: the next test must not stand on the same draws
    assert len(set(chances)) == len(set(draws)) == len(rounds)


def test_a_session_that_is_resumed_goes_on_in_the_same_round(tmp_path):
    session = askwise.best_item(["tea", "coffee", "water", "milk"], seed=1, draws=50)
    askwise.save(session, tmp_path / "drinks.askwise")
    session = askwise.open(tmp_path / "drinks.askwise")
    for _ in range(2):
        session.ask()
        session.tell("left")
        session.undo()
        change_goal(session, "ranking")
        change_goal(session, "best_item")
    close(session)
    again = askwise.open(tmp_path / "drinks.askwise")
    assert again.round.number == session.round.number == 8
    assert np.array_equal(again.sample.structures, session.sample.structures)


def test_a_turn_computes_each_thing_once(monkeypatch):
    counted = []
    for name in ("certify", "estimate", "average_diameter"):
        own = getattr(askwise.session.round, name)
        monkeypatch.setattr(
            f"askwise.session.round.{name}", lambda *given, own=own, name=name: counted.append(name) or own(*given)
        )
    session = askwise.best_item(["tea", "coffee", "water", "milk"], seed=1, draws=50)
    for _ in range(3):
        assert session.sample is session.sample
        session.certificate(), session.estimate(), session.diameter, session.reason
    assert sorted(counted) == ["average_diameter", "certify", "estimate"]


def test_a_budget_counts_the_answers_in_force():
    session = askwise.best_item(["tea", "coffee", "water", "milk"], seed=1, draws=50, budget=2)
    watched(session, Budget(2))
    for _ in range(3):  # taken back each time
        session.ask()
        session.tell("left")
        session.undo()
    assert session.reason is None
    for _ in range(2):
        assert session.reason is None
        session.ask()
        session.tell("left")
    assert session.reason == "the budget of 2 answers is used up"


@pytest.mark.parametrize("answers", [0, 3])
def test_a_branch_goes_on_counting(answers):
    session = askwise.best_item(["tea", "coffee", "water", "milk"], seed=1, draws=50)
    for _ in range(answers):
        session.ask()
        session.tell("left")
    change_goal(session, "ranking")
    assert session.branch(seed=5).round.number == answers + 1
