"""A question in a hurry: where weights are exact it is the one that an update chooses, and it leaves no trace."""

from __future__ import annotations

import numpy as np
import pytest

import askwise
from askwise.distances.labels import Disagreement
from askwise.evaluate import Runs, start
from askwise.losses import zero_one
from askwise.posteriors.enumerated import Enumerated
from askwise.problem import Problem
from askwise.session import Session, recording
from askwise.session.events import new_event
from askwise.session.quick_choice import choose_reweighed
from askwise.structures.finite import Finite
from askwise.types import Answer

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


def test_an_answer_counts_as_far_as_its_author_is_trusted():
    session = askwise.ranking(["tea", "coffee", "water"], anchor="Ann", seed=1)
    for pair in ((0, 1), (0, 2), (1, 2)) * 2:
        session.tell(session.problem.family.names[pair[0]], session.pose(pair), who="Ann")
        session.tell(session.problem.family.names[pair[1]], session.pose(pair), who="bot")
    atom, sample = np.array([0, 1]), session.sample
    chances = session.problem.likelihood(session.problem.family.predict(sample.structures, atom[None]), -1)[:, 0]
    assert 0 < session.people["bot"] < 0.3
    found = session.round.reweighed([Answer(atom, -1, "bot")]).sample.weights
    expected = sample.weights * chances ** session.people["bot"]
    np.testing.assert_allclose(found, expected / expected.sum(), rtol=1e-6)


def test_an_answer_of_a_judge_is_about_what_the_judge_prefers():
    rows = [{"prompt": str(place), "a": "one", "b": "two"} for place in range(4)]
    session = start(Runs.of(rows), human=True, seed=1, draws=100)
    session.tell("left", session.ask(), who="bot")
    atom, sample, family = (0, 0, 1), session.sample, session.problem.family
    found = session.round.reweighed([Answer(np.array(atom), 1, "bot")]).sample.weights
    expected = session.problem.likelihood(family.predict(sample.structures, np.array([[*atom, 0]])), 1)[:, 0]
    np.testing.assert_allclose(found, expected / expected.sum(), rtol=1e-5)


def test_an_answer_of_somebody_who_is_excluded_does_not_count():
    session = askwise.best_item(ITEMS, seed=1)
    recording.apply(session, session.event_log.validate(new_event("people", None, excluded=["Bob"])))
    session.ask(2)
    log = session.event_log.copy()
    events = []
    for who in ("Ann", "Bob"):
        events.append(log.tell_event("left", log.open_questions()[0], who))
        log.append(events[-1])
    chosen = choose_reweighed(session, [valid.event for valid in events])
    assert chosen["info"]["reweighed"] == 1


def test_a_strategy_that_draws_more_knows_the_answers():
    session = askwise.best_item(ITEMS, rule="select", seed=1)
    session.ask()
    told = answered(session, "left")
    log = session.event_log.copy()
    log.extend(told)
    round = session.round.reweighed([log.answers["q1"][1]])
    atom = np.asarray(session.event_log.ask_events["q1"]["atom"])[None]
    fresh, family = round.posterior.sample(4000, np.random.default_rng(0)), session.problem.family
    means = [
        weights @ family.predict(draws, atom)[:, 0] for draws, weights, *_ in (fresh, round.sample, session.sample)
    ]
    assert means[0] == pytest.approx(means[1], abs=0.1)
    assert abs(means[1] - means[2]) > 0.3
