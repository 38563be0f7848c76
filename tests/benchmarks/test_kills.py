"""The machine that kills writers and servers, in short; and that it finds writers which lose, double or reorder."""

from __future__ import annotations

import json
import time
from contextlib import closing, suppress

import pytest

from askwise.errors import AnswerError
from askwise.storage.store import Store
from benchmarks.kills import __main__ as command
from benchmarks.kills.ledger import Ledger
from benchmarks.kills.postgres import PostgresServer, find_program
from benchmarks.kills.run import run
from benchmarks.kills.writer import Writer
from tests.helpers import SEED

GOOD = {"lost": 0, "doubled": 0, "reordered": 0, "failures": []}


def troubles(kills):
    return {part: value for part, value in kills.result().items() if part in GOOD}


def test_writers_on_sqlite(tmp_path):
    kills = run(50, SEED, str(tmp_path))
    assert troubles(kills) == GOOD
    found = kills.result()
    assert found["kills"] == sum(found["inside"].values()) == 50
    assert found["studies"] == 2
    assert found["acknowledged"] > 50
    assert {"ask", "tell"} < set(found["inside"])


def test_writers_and_server_on_postgresql(tmp_path):
    pytest.importorskip("psycopg", reason="NOT RUN: PostgreSQL's driver is missing; pip install 'askwise[postgres]'")
    if not (find_program("initdb") and find_program("postgres")):
        pytest.skip("NOT RUN: PostgreSQL is not installed; on Debian: apt install postgresql")
    with closing(PostgresServer()) as server:
        kills = run(14, SEED, str(tmp_path), server)
    assert troubles(kills) == GOOD
    assert kills.server_kills >= 2
    assert kills.result()["acknowledged"] > 14


def too_early(address, pipe, name, seed, moment, repeat):
    """Acknowledges each answer before it is written."""
    writer = Writer(address, pipe, name, seed)
    while True:
        question, key = writer.ask(), f"{name}-{len(writer.closed)}"
        writer.closed.append(question)
        writer.send("begin", "tell", key, question=question, response="left")
        writer.send("end", "tell", key)
        time.sleep(0.1)  # longer than the machine waits with its kill
        writer.session.tell("left", question, key=key)


def without_its_key(address, pipe, name, seed, moment, repeat):
    """Sends each answer twice, once as somebody who has no key."""
    writer = Writer(address, pipe, name, seed)
    while True:
        question = writer.ask()
        again = writer.session.pose(writer.session.event_log.ask_events[question]["atom"])
        writer.session.tell("left", again)
        writer.call("tell", question, "left")


def out_of_order(address, pipe, name, seed, moment, repeat):
    """Writes the second of two answers first."""
    writer = Writer(address, pipe, name, seed)
    while True:
        keys = {question.id: f"{name}-{question.id}" for question in writer.session.ask(2)}
        with suppress(AnswerError):  # where another writer was first
            for question in reversed(keys):
                writer.session.tell("left", question, key=keys[question])
        for question, key in keys.items():
            writer.send("begin", "tell", key, question=question, response="left")
            writer.send("end", "tell", key)
        writer.step("tell")


@pytest.mark.parametrize(
    ("write", "trouble"), [(too_early, "lost"), (without_its_key, "doubled"), (out_of_order, "reordered")]
)
def test_a_faulty_writer_is_found(write, trouble, tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.kills.run.MOMENTS", ("tell",))
    assert troubles(run(6, SEED, str(tmp_path), write=write))[trouble] > 0


def test_a_writer_that_fails_is_reported(tmp_path):
    def fails(address, pipe, name, seed, moment, repeat):
        raise RuntimeError("no more paper")

    assert "no more paper" in run(3, SEED, str(tmp_path), write=fails).failures[0]


def test_the_command_says_what_it_found(monkeypatch, capsys):
    assert command.main(["--json", "--count", "2", "--seed", "5"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"kills": 2, "store": "sqlite", "seed": 5, "lost": 0}.items() <= found.items()
    assert found["seconds"] > 0
    monkeypatch.setattr(Store, "append", lambda *_: True)  # a store that writes nothing
    assert command.main(["--json", "--count", "2"]) == 1
    assert json.loads(capsys.readouterr().out)["lost"] > 0
    assert command.main(["--count", "2"]) == 1
    assert "refused_then_present" in capsys.readouterr().out


def called(ledger, kind, key, question, begun, ended=None, response=None):
    line = {"kind": kind, "key": key, "question": question, "response": response}
    ledger.record({**line, "mark": "begin", "at": begun})
    if ended is not None:
        ledger.record({**line, "mark": "end", "at": ended})


def event(kind, question, key=None, response=None):
    parts = {"event": kind, "question": question, "key": key, "response": response}
    return {part: value for part, value in parts.items() if value is not None}


TELLS = [event("tell", "q1", "k1", "left"), event("tell", "q2", "k2", "right")]


def two_calls(end_of_the_second: int | None = 4):
    ledger = Ledger()
    called(ledger, "tell", "k1", "q1", 1, 2, "left")
    called(ledger, "tell", "k2", "q2", 3, end_of_the_second, "right")
    return ledger


@pytest.mark.parametrize(
    ("log", "lost", "doubled", "reordered"),
    [
        (TELLS, set(), set(), set()),
        (TELLS[:1], {"k2"}, set(), set()),
        ([*TELLS[:1], event("tell", "q2", "k2", "left")], {"k2"}, set(), set()),  # another response
        ([*TELLS, TELLS[0]], set(), {"k1", "event 2"}, set()),
        ([*TELLS, event("tell", "q3", response="left")], set(), {"event 2"}, set()),  # nobody's
        (TELLS[::-1], set(), set(), {"k2"}),
    ],
)
def test_the_ledger_finds_lost_doubled_and_reordered_calls(log, lost, doubled, reordered):
    ledger = two_calls()
    ledger.compare(log)
    assert (ledger.lost, ledger.doubled, ledger.reordered) == (lost, doubled, reordered)


def test_calls_at_the_same_time_may_come_in_either_order():
    ledger = Ledger()
    called(ledger, "tell", "k1", "q1", 1, 4, "left")
    called(ledger, "tell", "k2", "q2", 2, 3, "right")
    ledger.compare(TELLS)
    ledger.compare(TELLS[::-1])
    assert not ledger.reordered


def test_a_call_without_reply_may_be_there_once():
    ledger = two_calls(end_of_the_second=None)
    ledger.compare(TELLS[:1])
    assert not ledger.lost | ledger.doubled | ledger.refused_then_present
    ledger.compare(TELLS)
    assert ledger.refused_then_present == {"k2"}
    assert not ledger.lost | ledger.doubled | ledger.reordered
    ledger.compare([*TELLS, event("undo", "q2", "k3"), TELLS[1]])
    assert "k2" in ledger.doubled


def test_a_question_that_was_returned_is_not_lost():
    ledger = Ledger()
    ledger.record({"mark": "end", "kind": "ask", "key": None, "at": 1, "questions": {"q1": "Tea or milk?"}})
    ledger.compare([{"event": "ask", "question": "q1", "text": "Tea or milk?"}])
    assert not ledger.lost
    ledger.compare([{"event": "ask", "question": "q1", "text": "Milk or tea?"}])
    assert ledger.lost == {"q1"}
