"""Plates: rules for what may be asked together, whole plates against enumeration, and stopping by cost."""

from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import pytest

import askwise
from askwise import CostLimits, NothingToAsk, Plate, Problem, Session, SettingError
from askwise.distances import TableDistance
from askwise.exchange.plates import plates_by, plates_from
from askwise.losses import zero_one
from askwise.posteriors.enumerated import Enumerated
from askwise.session.plates import plate_gains, questions_cost
from askwise.strategies.batches import per_cost
from askwise.strategies.expected import expected
from askwise.structures.finite import Finite
from askwise.types import Sample
from tests.helpers import generator

SMALL = {"draws": 16, "rank": 1, "seed": 3}
# questions 0 and 1 ask the same, question 2 something else
STRUCTURES = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]]
SAME, DIFFERENT = [0, 1], [0, 2]


class Costly(Finite):
    """Question 2 is dear."""

    def cost(self, atoms):
        return np.where(np.asarray(atoms) == 2, 30.0, 1.0)


def finite_session(family=None, **options):
    family = Finite(STRUCTURES) if family is None else family
    problem = Problem(family, TableDistance(1.0 - np.eye(4)), zero_one, float("inf"))
    return Session(problem, Enumerated.prior(family, np.arange(4), zero_one, float("inf")), **options)


@pytest.mark.parametrize("plate", [Plate(per_row=1, per_column=2), Plate(per_column=1), Plate(per_row=2)])
def test_a_plate_keeps_its_limits_and_is_plain_data(plate):
    again = Plate(**json.loads(json.dumps(asdict(plate))))
    questions = askwise.best_column((4, 5), **SMALL).ask(12, eligible=again)
    for side, limit in enumerate((plate.per_row, plate.per_column)):
        if limit is not None:
            assert np.bincount([question.atom[side] for question in questions]).max() <= limit
    most = min(12, 4 * (plate.per_row or 5), 5 * (plate.per_column or 4))
    assert len(questions) == most


def test_bad_plates_are_refused():
    with pytest.raises(SettingError, match="per_row is 0; expected a whole number of at least 1"):
        Plate(per_row=0)
    with pytest.raises(SettingError, match="about the entries of a matrix"):
        askwise.classifier({"x": [1.0, 2.0, 3.0]}, draws=20).ask(2, eligible=Plate(per_row=1))
    session = askwise.best_column((2, 3), **SMALL)
    with pytest.raises(SettingError, match="give plates alone"):
        session.ask(2, plates={"a": [[0, 0]]})
    for plates, words in [
        ([[0, 0]], "plates is .*; expected the questions of each plate by its name"),
        ({"a": 3}, "the plate 'a' is 3"),
        ({"a": [[0, 9]]}, "9"),
    ]:
        with pytest.raises(SettingError, match=words):
            session.ask(plates=plates)
    assert not session.log


@pytest.mark.parametrize("plate", [SAME, DIFFERENT, [2], [0, 1, 2]])
def test_gains_are_those_of_enumeration(plate):
    """Answers without noise: each truth leaves those that answer alike."""
    session = finite_session()
    left = [[all(s[a] == t[a] for a in plate) for s in STRUCTURES] for t in STRUCTURES]
    after = np.mean([1 - 1 / sum(alike) for alike in left])
    sample = session.prior.sample(4, generator(1))
    found = plate_gains(session.problem, session.prior, sample, [np.array(plate)], lambda: generator(2))
    assert np.isclose(found[0], 0.75 - after)


def test_noisy_answers_of_labels_are_simulated():
    """One question, answered wrongly with probability q: the diameter after it in closed form."""
    family, wrong = Finite([[0], [1]]), 0.1
    problem = Problem(family, TableDistance(1.0 - np.eye(2)), zero_one, askwise.noise_beta(wrong))
    prior = Enumerated.prior(family, np.arange(2), zero_one, problem.beta)
    sample = Sample(np.arange(2), np.full(2, 0.5), exact=True)
    found = [plate_gains(problem, prior, sample, [np.array([0])], lambda s=s: generator(s))[0] for s in range(20)]
    assert np.allclose(found, 0.5 - 2 * wrong * (1 - wrong))  # the same after either answer


def test_the_plate_with_most_to_tell_is_asked_whole():
    plates = {"same": SAME, "different": DIFFERENT}
    session = finite_session()
    questions = session.ask(plates=plates)
    assert [question.atom for question in questions] == DIFFERENT
    assert questions[0].info["plate"] == "different"
    assert sum(question.gain for question in questions) == pytest.approx(0.75)
    assert session.ask(plates={"same": SAME}) == questions  # open ones first
    assert [question.atom for question in finite_session(Costly(STRUCTURES)).ask(plates=plates)] == SAME
    session.tell(0, questions[0])
    assert session.ask(plates=plates) == questions[1:]
    session.tell(1, questions[1])
    assert [question.atom for question in session.ask(plates=plates)] == [1]
    session.skip()
    with pytest.raises(NothingToAsk, match="every question of every plate"):
        session.ask(plates=plates)


def test_of_many_plates_the_strategy_chooses_a_few(monkeypatch):
    session = askwise.best_column((3, 9), **SMALL)
    plates, tried = plates_by(session, "columns"), []

    def counted(problem, posterior, sample, atoms, rng):
        tried.append(len(atoms))
        return np.arange(len(atoms), dtype=float)

    monkeypatch.setattr("askwise.session.plates.plate_gains", counted)
    assert len({question.atom[1] for question in session.ask(plates=plates)}) == 1
    assert tried == [6]
    taken = {
        askwise.best_column((3, 9), draws=8, rule="random", seed=s).ask(plates=plates)[0].atom[1] for s in range(9)
    }
    assert len(taken) > 2
    assert tried == [6]  # random simulates nothing


def test_plates_of_a_matrix():
    session = askwise.best_column({"who": ["Ann", "Ben"], "tea": [3.0, None], "milk": [None, None]}, **SMALL)
    assert plates_by(session, "rows") == {"Ann": [[0, 1]], "Ben": [[1, 0], [1, 1]]}
    table = {"plate": [1, 1, 2], "row": ["Ann", "Ben", "Ben"], "column": ["tea", "milk", "tea"]}
    assert plates_from(session, table) == {"1": [[1, 1]], "2": [[1, 0]]}
    with pytest.raises(askwise.DataError, match="plate, row and column; row is missing"):
        plates_from(session, {"plate": [1]})
    with pytest.raises(askwise.AskwiseError, match="there is no row 'Cy'"):
        plates_from(session, {"plate": [1], "row": ["Cy"], "column": ["tea"]})
    with pytest.raises(SettingError, match="only goals about a matrix"):
        plates_by(askwise.best_item(["tea", "milk"], draws=8), "rows")


def test_it_stops_when_no_question_is_worth_its_cost():
    """At every step: exactly when the best expected gain per unit of cost is below the limit."""
    rng, limit = generator(5), 0.006
    truth = rng.standard_normal((3, 1)) + np.arange(4.0)
    options = {"costs": [1.0, 2.0, 3.0, 4.0], "epsilon": 1e-6, "rule": "variance", **SMALL}
    session, stops = askwise.best_column((3, 4), min_gain_per_cost=limit, **options), []
    for _ in range(11):
        log, problem = session.event_log, session.problem
        atoms = session.round.fresh_atoms(log)
        gains = expected(problem, session.posterior, session.sample, atoms, rng).gain
        stops.append(session.done)
        assert session.done == (per_cost(problem, gains, atoms).max() < limit)
        session.tell(truth[tuple(session.ask().atom)])
    assert not stops[0]
    assert stops[-1]
    assert session.reason.kind == "budget"
    assert "no question is expected to lower undecided by 0.006 per unit of cost (the best one by" in session.reason
    left = plates_by(session, "columns")
    with pytest.raises(NothingToAsk, match=r"no plate is expected to lower undecided by 0\.006 per unit of cost"):
        session.ask(plates=left)


def test_it_stops_when_enough_was_spent():
    session = askwise.best_column((3, 4), costs=[1.0, 2.0, 3.0, 4.0], max_cost=5, epsilon=1e-6, **SMALL)
    spent = 0.0
    while not session.done:
        assert spent < 5
        question = session.ask()
        spent += questions_cost(session.problem.family, np.array([question.atom]))
        session.tell(1.5)
    assert spent >= 5
    assert session.reason.startswith(f"the answers have cost {spent:g}")
    again = askwise.from_json(session.to_json())
    assert again.reason == session.reason
    lines = askwise.goals.goal_of(session).sentences(session)
    assert lines[-1] == "It also stops when the answers have cost 5."


@pytest.mark.parametrize("limits", [{"max_cost": 0}, {"min_gain_per_cost": "much"}])
def test_limits_are_positive_numbers(limits):
    with pytest.raises(SettingError, match="expected a number above 0"):
        CostLimits(**limits)
    with pytest.raises(SettingError, match="expected a number"):
        askwise.matrix((2, 2), entry_range=1, **limits)
