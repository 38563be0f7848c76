"""A question in a hurry: where weights are exact it is the one that an update chooses, and it leaves no trace."""

from __future__ import annotations

import numpy as np
import pytest

import askwise
from askwise.distances.labels import Disagreement
from askwise.losses import zero_one
from askwise.posteriors.enumerated import Enumerated
from askwise.problem import Problem
from askwise.session import Session
from askwise.session.quick_choice import choose_reweighed
from askwise.structures.finite import Finite

ITEMS = [{"name": f"item {place}", "x": np.sin(place), "y": np.cos(3.0 * place)} for place in range(8)]


def thresholds():
    """Where 0 turns to 1 in twelve places; one answer in ten is wrong."""
    labels = np.array([[int(place >= cut) for place in range(12)] for cut in range(13)])
    family = Finite(labels)
    problem = Problem(family, Disagreement(family, np.arange(12)), zero_one, beta=2.2)
    return Session(problem, Enumerated.prior(family, np.arange(13), zero_one, 2.2), seed=3)


def answered(session, *responses):
    """The events of these answers to the open questions, none of which the session has yet."""
    log, events = session.event_log.copy(), []
    for response in responses:
        event = log.tell_event(response, log.open_questions()[0])
        log.append(event)
        events.append(event.event)
    return events


def test_with_exact_weights_it_is_what_an_update_chooses():
    quick, full = thresholds(), thresholds()
    for truth in (0, 1, 1, 0):
        quick.ask()
        full.ask()
        told = answered(quick, truth)
        chosen = choose_reweighed(quick, told)
        assert len(quick.answers) == len(full.answers)  # nothing was told yet
        quick.tell(truth)
        full.tell(truth)
        assert chosen["atom"] == full.round.choose(full.event_log)["atom"]
        assert chosen["question"] == f"q{len(full.log) // 2 + 1}"
        assert chosen["info"]["reweighed"] == 1


def test_several_answers_reweigh_the_draws_by_all_of_them():
    session = askwise.best_item(ITEMS, seed=1)
    session.ask(3)
    told = answered(session, "left", "right", "left")
    chosen = choose_reweighed(session, told)
    assert chosen["info"]["reweighed"] == 3
    weights, sample = np.ones(session.config.draws), session.round.sample
    for event in told:
        atom = np.asarray(session.event_log.ask_events[event["question"]]["atom"])
        code = dict(session.event_log.ask_events[event["question"]]["codes"])[event["response"]]
        weights *= session.problem.likelihood(session.problem.family.predict(sample.structures, atom[None]), code)[:, 0]
    log = session.event_log.copy()
    log.extend(told)
    answers = [log.answers[event["question"]][1] for event in told]
    found = session.round.reweighed(answers).sample
    np.testing.assert_allclose(found.weights, weights / weights.sum(), rtol=1e-6)
    assert found.structures is sample.structures


def test_a_prepared_answer_is_applied_and_not_reweighed():
    session = askwise.best_item(ITEMS, seed=1)
    session.ask()
    session.prepared.add_all(session.round, session.event_log, None)
    chosen = choose_reweighed(session, answered(session, "left"))
    assert (len(session.answers), chosen["info"]["reweighed"]) == (1, 0)
    assert chosen["atom"] == session.round.choose(session.event_log)["atom"]


@pytest.mark.parametrize("why", ["open", "undo", "contradicted"])
def test_it_says_so_where_the_draws_say_too_little(why):
    session = askwise.best_item(ITEMS, seed=1)
    session.ask(2)
    told = answered(session, "left")
    if why == "undo":
        log = session.event_log.copy()
        log.extend(answered(session, "left", "left"))
        told = [*answered(session, "left", "left"), log.undo_event(None, None).event]
    elif why == "contradicted":
        sure = session.round.sample._replace(weights=np.eye(session.config.draws)[0])
        vars(session.round)["sample"] = sure
        told = answered(session, "left", "left")
    assert choose_reweighed(session, told) is None
