"""What workers compute: people who begin alike share it, but nobody's answers become somebody else's."""

from __future__ import annotations

import pytest

import askwise
from askwise.posteriors.scores import shape_chains, shaped
from askwise.session.events import new_event
from askwise.storage.address import Address
from askwise.storage.participants import invite
from askwise.storage.store import Store
from askwise.web.learner import learner
from askwise.web.learner.workers import warm
from tests.web.test_api import TABLE


@pytest.fixture
def jobs(tmp_path):
    """Two people of one study, as workers know them."""
    path = tmp_path / "cars.askwise"
    askwise.save(askwise.best_item(TABLE, draws=60, seed=2, epsilon=0.01), path)
    store = Store.at(Address.of(path))
    yield [(str(path), invite(store, store.record(), name).log) for name in ("Ann", "Ben")]
    for kept in (learner._sessions, learner._stores, learner._beginnings):
        kept.clear()


def answer(job, who, count):
    """The person answers "left" so often, as the service would have it."""
    for _ in range(count):
        session = learner._session(job)
        event = learner.compute_state(job, pooled=False).question
        asked = {**event, "question": f"q{len(session.event_log.ask_events) + 1}"}
        assert session.journal.append(len(session.log), asked)
        position = len(learner._session(job).log)
        assert learner.compute_state_after(job, position, "left", who) is not None
        assert session.journal.append(position, new_event("tell", asked["question"], response="left", who=who))
    return learner._session(job)


def test_who_begins_alike_shares_what_was_worked_out_but_not_the_name(jobs, monkeypatch):
    ann = answer(jobs[0], "ann", 3)
    worked_out = []
    monkeypatch.setattr(
        "askwise.session.round.Round.after", lambda *_: worked_out.append(1) or pytest.fail("worked out again")
    )
    ben = answer(jobs[1], "ben", 3)
    assert not worked_out
    assert ben.round.posterior is ann.round.posterior
    assert [{answer.who for answer in session.answers} for session in (ann, ben)] == [{"ann"}, {"ben"}]
    monkeypatch.undo()
    ben = answer(jobs[1], "ben", 5)  # further than what is shared
    assert {answer.who for answer in ben.answers} == {"ben"}
    assert not ben.people


def test_the_likeliest_answer_is_worked_out_first(jobs):
    session = answer(jobs[0], "ann", 4)
    state = learner.compute_state(jobs[0], pooled=False)
    session.ask()
    by_chance = sorted(session.why(), key=lambda found: -found.chance)
    assert list(state.likely) == [found.response for found in by_chance]


def test_before_people_come_every_study_s_sampler_has_run_and_one_that_is_broken_stops_nobody(monkeypatch):
    ran = []
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setattr(shaped, "draw", lambda *state: ran.append(state) or shape_chains.draw(*state))
    sound = askwise.best_item(TABLE, draws=60, seed=2).recipe
    warm([{**sound, "goal": "gone"}, sound])
    assert ran


def test_a_log_that_is_behind_is_caught_up_in_parts(jobs):
    known = len(answer(jobs[0], "ann", 1).answers)
    elsewhere = askwise.storage.open(jobs[0][0], log=jobs[0][1])
    for _ in range(3):
        elsewhere.tell("left", elsewhere.ask(), who="ann")
    assert learner.catch_up(jobs[0], 2)
    assert len(learner._sessions[jobs[0]].answers) == known + 2
    assert not learner.catch_up(jobs[0], 2)
    caught_up = learner._sessions[jobs[0]]
    assert caught_up.log == elsewhere.log
    assert caught_up.diameter == elsewhere.diameter
