"""Taking back is a function of the log alone: the same live, resumed from a checkpoint, and replayed."""

from __future__ import annotations

import json

import numpy as np
import pytest

import askwise
from askwise import storage
from askwise.goals import remake
from askwise.session import recording
from askwise.storage.checkpoints import dump_posteriors, load_posteriors
from tests.helpers import generator

NAMES = [f"i{i}" for i in range(7)]
TABLE = {
    "name": NAMES,
    "size": [0.3, 1.2, -0.7, 2.2, 0.1, -1.5, 0.9],
    "age": [1.0, -0.2, 0.4, 0.8, -2.0, 1.1, 0.0],
}
GOALS = {
    "best_item": (TABLE, {}),
    "top_k": (NAMES, {"k": 2}),
    "ranking": (NAMES, {}),
    "classifier": (TABLE, {"labels": ["no", "yes"], "repeat": True}),
    "classifier of three": (TABLE, {"labels": ["a", "b", "c"], "repeat": True}),
    "cluster_of": (TABLE, {"item": "i0"}),
    "clusters": (NAMES, {}),
    "segment_of": (TABLE, {"column": "age", "item": "i0"}),
    "segments": (TABLE, {"column": "size"}),
    "hierarchy": (TABLE, {}),
    "best_column": ((12, 9), {}),
    "matrix": ((12, 9), {"entry_range": 4.0}),
}


def started(goal):
    data, options = GOALS[goal]
    return askwise.goals.GOALS[goal.split()[0]](data, **options, seed=3, draws=24)


def tell(session, rng, people):
    question = session.ask()
    response = float(rng.standard_normal()) if question.kind == "number" else question.responses[0]
    if question.kind != "number" and rng.random() < 0.4:
        response = question.responses[-1]
    session.tell(response, who=people[int(rng.integers(len(people)))])


def undo(session, rng):
    """The last answer, or any."""
    told = list(session.round.beliefs.told)
    session.undo(None if rng.random() < 0.4 else told[int(rng.integers(len(told)))])


def resumed(session):
    """The session as a checkpoint and its log bring it back."""
    again = remake(session.recipe)
    kept = dump_posteriors(session.round.beliefs, session.prior)
    assert recording.resume(again, json.loads(json.dumps(session.log)), lambda prior: load_posteriors(kept, prior))
    return again


def replayed(session):
    again = remake(session.recipe)
    again.replay(json.loads(json.dumps(session.log)))
    return again


def state(session):
    """What anybody can see of it, bit for bit."""
    return (
        session.sample.structures.tobytes(),
        session.diameter,
        dict(session.people),
        session.round.beliefs.revision,
        list(session.round.beliefs.told),
    )


@pytest.mark.parametrize("people", [[None], ["a", "b", "c"]], ids=["one person", "three people"])
@pytest.mark.parametrize("goal", GOALS)
def test_undo_is_the_same_live_resumed_and_replayed(goal, people):
    live, rng = started(goal), generator(900, len(people))
    for _ in range(7):
        tell(live, rng, people)
    for _ in range(2):
        again, choice = resumed(live), int(rng.integers(2**30))
        for session in (live, again):
            undo(session, np.random.default_rng(choice))
        assert state(again) == state(live)
        for session in (live, again):
            tell(session, np.random.default_rng(choice), people)
        assert state(again) == state(live)
        assert again.ask().atom == live.ask().atom
    assert state(replayed(live)) == state(live)


def test_taking_back_leaves_no_trace_of_what_several_people_said():
    """With an answer and without it again, the beliefs are those of never having had it."""
    live, rng = started("clusters"), generator(901)
    for _ in range(8):
        tell(live, rng, ["a", "b"])
    before = live.round.beliefs
    tell(live, rng, ["a", "b"])
    tell(live, rng, ["a", "b"])
    ninth, tenth = list(live.round.beliefs.told)[-2:]
    live.undo(ninth)
    live.undo(tenth)
    assert np.array_equal(live.round.beliefs.posterior.labels, before.posterior.labels)
    assert live.people == before.reliability


def test_a_reopened_study_of_several_people_takes_back_as_the_open_one_does(tmp_path):
    path = tmp_path / "drinks.askwise"
    askwise.save(started("clusters"), path)
    live, rng = storage.open(path), generator(902)
    for _ in range(15):
        tell(live, rng, ["a", "b", "c"])
    storage.close(live)
    again = storage.open(path)
    assert len(again.round.beliefs.trail) < len(live.round.beliefs.trail)  # a checkpoint keeps a few
    assert state(again) == state(live)
    for session in (live, again):
        session.undo(list(session.round.beliefs.told)[-3])
    assert state(again) == state(live)


def test_taking_back_the_last_answer_learns_nothing_anew(monkeypatch):
    """With one person and with several, the posterior before is at hand."""
    for people in ([None], ["a", "b"]):
        live, rng = started("best_item"), generator(903)
        for _ in range(6):
            tell(live, rng, people)
        monkeypatch.setattr(type(live.prior), "update", None)
        live.undo()
        monkeypatch.undo()
        assert len(live.answers) == 5
