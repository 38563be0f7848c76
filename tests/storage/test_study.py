"""A study is its session, whatever happens in between: reopened, replayed, shared, changed, killed."""

from __future__ import annotations

import os
import random
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import askwise
from askwise.errors import AnswerError, StudyError
from askwise.session import recording
from askwise.storage import close, journal
from askwise.storage.address import Address
from askwise.storage.store import Store
from tests.helpers import SEED, generator, without_times

TABLE = {"name": list("abcdefgh"), **{f"x{j}": generator(940 + j).standard_normal(8).tolist() for j in range(3)}}
SMALL = {"draws": 24, "seed": 4}
GOALS = {
    "best_item": lambda: askwise.best_item(TABLE, **SMALL),
    "best_item, names": lambda: askwise.best_item(TABLE["name"], ties=True, **SMALL),
    "top_k": lambda: askwise.top_k(TABLE, 3, **SMALL),
    "ranking": lambda: askwise.ranking(TABLE, **SMALL),
    "classifier": lambda: askwise.classifier(TABLE, ("no", "yes"), **SMALL),
    "classifier of three": lambda: askwise.classifier(TABLE, ("red", "green", "blue"), **SMALL),
    "cluster_of": lambda: askwise.cluster_of(TABLE, "c", **SMALL),
    "clusters": lambda: askwise.clusters(TABLE, **SMALL),
    "segment_of": lambda: askwise.segment_of(TABLE, "x0", "c", **SMALL),
    "segments": lambda: askwise.segments(TABLE, "x0", **SMALL),
    "hierarchy": lambda: askwise.hierarchy(TABLE, **SMALL),
    "best_column": lambda: askwise.best_column(TABLE, known=[("a", "x0", 1.0)], repeat=True, **SMALL),
    "matrix": lambda: askwise.matrix(TABLE, known=[("a", "x0", 1.0)], repeat=True, **SMALL),
}


def respond(session, turns, start=0):
    for turn in range(start, start + turns):
        question = session.ask()
        session.tell(1.5 * turn if question.kind == "number" else question.responses[turn % len(question.responses)])


def same(one, two):
    assert np.array_equal(one.sample.structures, two.sample.structures)
    assert one.ask() == two.ask()
    assert one.ask().gain == two.ask().gain
    assert one.estimate().value == two.estimate().value


@pytest.mark.parametrize("goal", GOALS)
def test_a_study_goes_on_where_it_was(goal, tmp_path):
    path = tmp_path / "x.askwise"
    plain = GOALS[goal]()
    askwise.save(plain, path)
    session = askwise.open(path)
    for each in (plain, session):
        respond(each, 6)
        each.undo("q3")
        respond(each, 1)
    again = askwise.open(path)  # no checkpoint yet: replayed
    same(again, plain)
    close(session)
    checkpointed = askwise.open(path)
    assert checkpointed.round.beliefs.trail
    same(checkpointed, plain)
    for each in (plain, checkpointed):
        each.undo("q2")
        respond(each, 2)
    same(checkpointed, plain)
    assert without_times(checkpointed.log) == without_times(plain.log)


def test_a_checkpoint_is_only_believed_for_its_own_log(tmp_path, monkeypatch):
    path = tmp_path / "x.askwise"
    askwise.save(GOALS["best_item"](), path)
    session = askwise.open(path)
    respond(session, 3)
    close(session)
    resumed = []
    monkeypatch.setattr(recording, "resume", lambda *args: resumed.append(args) or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        askwise.open(path)
    monkeypatch.setattr(journal, "made_by", lambda: "askwise 99")
    assert len(askwise.open(path).answers) == 3  # another version computes anew
    assert len(resumed) == 1


def test_checkpoints_come_by_themselves(tmp_path, monkeypatch):
    monkeypatch.setattr(journal, "CHECKPOINT_EVERY", 4)
    path = tmp_path / "x.askwise"
    askwise.save(GOALS["best_item"](), path)
    session = askwise.open(path)
    respond(session, 3)
    assert session.journal.store.checkpoint(1) is None
    respond(session, 2)
    assert session.journal.store.checkpoint(1).position == 8  # ask and tell, four times
    same(askwise.open(path), session)


def test_a_replay_shows_its_progress(tmp_path):
    path = tmp_path / "x.askwise"
    session = GOALS["best_item"]()
    respond(session, 3)
    askwise.save(session, path)
    with Store.at(Address.of(path)).engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM checkpoints")
    seen = []

    def progress(events):
        for event in events:
            seen.append(event["event"])
            yield event

    again = askwise.open(path, progress)
    assert seen == ["ask", "tell"] * 3
    same(again, session)


def test_saving_again_adds_what_is_new_and_never_overwrites(place):
    session = GOALS["best_item"]()
    askwise.save(session, place)
    respond(session, 2)
    askwise.save(session, place)
    askwise.save(session, place)
    again = askwise.open(place)
    assert again.log == session.log
    respond(again, 1)
    session.ask()
    session.tell("right")
    with pytest.raises(StudyError, match="has other answers than this session"):
        askwise.save(session, place)
    with pytest.raises(StudyError, match="holds another study"):
        askwise.save(GOALS["top_k"](), place)
    assert len(askwise.open(place).answers) == 3


def test_sessions_that_no_file_can_hold(tmp_path):
    session = askwise.best_column((3, 3), score=lambda some: some.mean(axis=1), **SMALL)
    with pytest.raises(StudyError, match="which a file cannot hold"):
        askwise.save(session, tmp_path / "x.askwise")
    assert not list(tmp_path.iterdir())


def test_another_goal_lasts(place):
    askwise.save(GOALS["best_item"](), place)
    session = askwise.open(place)
    respond(session, 4)
    askwise.change_goal(session, "top_k", k=2)
    respond(session, 2, start=1)
    same(askwise.open(place), session)
    close(session)
    again = askwise.open(place)
    assert again.pursued["goal"] == "top_k"
    assert len(again.estimate().value) == 2
    assert len(again.answers) == 6


def test_who_and_how_long_are_kept(place):
    askwise.save(GOALS["clusters"](), place)
    session = askwise.open(place)
    session.ask()
    session.tell("same", who="Ann", seconds=2.5, key="k1")
    session.ask()
    session.skip(reason="no idea", who="Ben", seconds=1.0)
    with pytest.raises(AnswerError, match="no answer or skip of Cy is in force"):
        session.undo(who="Cy")
    session.undo(who="Ben")
    log = askwise.open(place).log
    assert [(event["event"], event.get("who"), event.get("seconds")) for event in log if event["event"] != "ask"] == [
        ("tell", "Ann", 2.5),
        ("skip", "Ben", 1.0),
        ("undo", "Ben", None),
    ]
    assert all(event["time"].endswith("+00:00") for event in log)


def test_two_processes_on_one_study(place):
    askwise.save(GOALS["best_item"](), place)
    one, two = askwise.open(place), askwise.open(place)
    assert one.ask() == two.ask()
    one.tell("left", who="Ann")
    with pytest.raises(AnswerError, match=r"q1 was answered before \('left' by Ann\)"):
        two.tell("right", "q1")
    respond(two, 2)
    respond(one, 2)
    two.refresh()
    same(one, two)
    assert one.log == two.log


def write_in_turns(place, name, turns):
    session = askwise.open(place)
    for turn in range(turns):
        question = session.ask()
        try:
            session.tell("left", question, who=name, key=f"{name}{turn}")
        except AnswerError:
            continue


def test_many_writers_leave_one_clean_log(place):
    askwise.save(askwise.best_item(list("abcdefghijkl"), draws=8, seed=1), place)
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(write_in_turns, place, name, 8) for name in ("Ann", "Ben", "Cy", "Di")]:
            done.result()
    session = askwise.open(place)
    told = [event["question"] for event in session.log if event["event"] == "tell"]
    assert len(told) == len(set(told)) >= 8
    same(session, askwise.from_json(session.to_json()))


def writer(place, pipe):
    """Answers for ever, and says so after each answer that was acknowledged."""
    session = askwise.open(place)
    for turn in range(10**6):
        question = session.ask()
        response = question.responses[(turn + os.getpid()) % 2]
        session.tell(response, question, key=f"{os.getpid()}-{turn}")
        os.write(pipe, f"{question.id} {response}\n".encode())


def kill_at_random(place, times, rng):
    """What was acknowledged by writers that are killed, one after another, at random moments."""
    acknowledged = []
    for _ in range(times):
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            try:
                writer(place, writing)
            finally:
                os._exit(1)
        os.close(writing)
        with os.fdopen(reading) as said:
            if rng.random() < 0.7:  # else it may be killed while it opens the study
                acknowledged.append(said.readline().strip())
            time.sleep(rng.random() * 0.2)
            os.kill(child, signal.SIGKILL)
            acknowledged += said.read().splitlines()
        assert os.waitpid(child, 0)[1] == signal.SIGKILL
    return acknowledged


@pytest.mark.parametrize(("kind", "times"), [("sqlite", 8), ("postgresql", 4)])
def test_nothing_acknowledged_is_lost_by_kill_9(kind, times, tmp_path, request):
    place = str(tmp_path / "x.askwise") if kind == "sqlite" else f"{request.getfixturevalue('database')}#x"
    names = [f"item {i}" for i in range(60)]
    askwise.save(askwise.best_item(names, draws=8, seed=1, budget=10**6), place)
    acknowledged = kill_at_random(place, times, random.Random(SEED))
    session = askwise.open(place)
    told = [(event["question"], event["response"]) for event in session.log if event["event"] == "tell"]
    assert len(acknowledged) >= times / 2
    assert len(told) == len({question for question, _ in told})
    assert {tuple(line.split()) for line in acknowledged if line.count(" ") == 1} <= set(told)
    assert len(told) <= len(acknowledged) + times  # at most one a kill was on disk and not yet acknowledged
    with session.journal.store.engine.begin() as connection:
        positions = [row[0] for row in connection.exec_driver_sql("SELECT position FROM events ORDER BY position")]
    assert positions == list(range(len(session.log)))
    same(session, askwise.from_json(session.to_json()))


def test_the_order_of_options_makes_no_other_study(tmp_path):
    session = GOALS["best_item"]()
    options = dict(reversed(session.recipe["options"].items()))
    place = tmp_path / "study.askwise"
    Store.create(Address.of(place), {**session.recipe, "options": options}, {})
    answered = askwise.from_json(session.to_json())
    answered.ask()
    answered.tell("left")
    askwise.save(answered, place)
    assert len(askwise.open(place).answers) == 1
