"""A program answers: one process, JSON lines, whatever it does."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from shlex import quote

import pytest

import askwise
from askwise._runtime import plugins
from askwise.errors import OracleError, PluginError, SettingError
from askwise.oracles import command, loop
from askwise.oracles.messages import read_reply
from askwise.oracles.protocol import RefusedReply
from askwise.oracles.registry import GROUP, OracleSettings, oracle_named

DRINKS = ["tea", "coffee", "water", "milk", "juice"]
HEAD = """
import json, os, sys, time
price = {"tea": 0, "coffee": 1, "water": 2, "milk": 3, "juice": 4}
def reply(question, **others):
    best = min((option["name"] for option in question["options"]), key=price.get)
    print(json.dumps({"question": question["id"], "response": best, **others}), flush=True)
def once(name):
    try:
        os.close(os.open(name, os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False
"""


@pytest.fixture
def judge(tmp_path, monkeypatch):
    """Makes an oracle of a program whose text is given."""
    monkeypatch.setattr(loop, "FIRST_WAIT_SECONDS", 0.001)
    monkeypatch.chdir(tmp_path)
    made = []

    def make(text, timeout=20.0):
        (tmp_path / "judge.py").write_text(HEAD + textwrap.dedent(text))
        made.append(oracle_named(f"{quote(sys.executable)} judge.py", OracleSettings(timeout=timeout)))
        return made[-1]

    yield make
    for oracle in made:
        oracle.close()


def session_of(**options):
    return askwise.best_item(DRINKS, **{"seed": 1, "draws": 50, **options})


def test_one_process_answers_everything(judge, tmp_path, capfd):
    oracle = judge("""
        print("ready", file=sys.stderr)
        for line in sys.stdin:
            reply(json.loads(line), cost=0.5, note="cheaper ✓")
    """)
    session = session_of(noise=0)
    run = askwise.answer(session, oracle, jobs=1)
    oracle.close()
    assert (session.estimate().value, run.cost) == ("tea", 0.5 * run.answers)
    assert {event["note"] for event in session.log if event["event"] == "tell"} == {"cheaper ✓"}
    assert capfd.readouterr().err.count("ready") == 1


def test_replies_may_come_in_any_order(judge):
    oracle = judge("""
        while True:
            four = [json.loads(sys.stdin.readline()) for _ in range(4)]
            for question in reversed(four):
                reply(question)
    """)
    session = session_of()
    run = askwise.answer(session, oracle, jobs=4, budget=4)
    told = [event for event in session.log if event["event"] == "tell"]
    assert (run.answers, run.failures) == (4, 0)
    for event in told:
        names = [option["name"] for option in session.event_log.ask_events[event["question"]]["options"]]
        assert event["response"] == min(names, key=DRINKS.index)


def test_bad_lines_are_sent_back_with_the_reason_and_asked_again(judge, caplog):
    oracle = judge("""
        bad = ["left", "[1]", '{"question": "q1"}', '{"question": "q99", "response": "tea"}', "good",
               '{"question": "q2", "response": "tea", "cost": "much"}',
               '{"question": "q2", "response": "tea", "note": 3}',
               '{"question": "q2", "response": "lemonade"}', '{"question": "q2", "response": ["tea"]}', "good"]
        errors = []
        for line in sys.stdin:
            question, next_line = json.loads(line), bad.pop(0)
            errors += [question["error"]] if "error" in question else []
            if next_line == "good":
                reply(question, note=" | ".join(errors))
            else:
                print(next_line, flush=True)
    """)
    session = session_of()
    run = askwise.answer(session, oracle, jobs=1, budget=2)
    notes = [event["note"] for event in session.log if event["event"] == "tell"]
    assert run.failures == 8
    for sentence in (
        "the line 'left' is not JSON; expected",
        "the line '[1]' lacks question or response",
        "there is no open question 'q99'",
        "the cost of q2 is 'much'; expected a number",
        "the note of q2 is no text",
        "response 'lemonade' is not one of 'left', 'right'; question q2 stays open",
    ):
        assert sentence in notes[-1]
        assert sentence in caplog.text  # which Python prints on standard error


def test_a_python_program_need_not_flush(judge, monkeypatch):
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    oracle = judge("""
        for line in sys.stdin:
            print(json.dumps({"question": json.loads(line)["id"], "response": "left"}))
    """)
    assert askwise.answer(session_of(), oracle, jobs=1, budget=2).answers == 2


def test_null_skips(judge):
    oracle = judge("""
        for line in sys.stdin:
            question = json.loads(line)
            print(json.dumps({"question": question["id"], "response": None, "note": "odd"}), flush=True)
    """)
    session = session_of()
    run = askwise.answer(session, oracle, jobs=1, budget=2)
    assert (run.answers, run.skips) == (0, 2)
    assert session.log[-1]["reason"] == "odd"


def test_a_program_that_dies_is_started_again(judge):
    oracle = judge("""
        for number, line in enumerate(sys.stdin):
            if number == 2:
                sys.exit(3)
            reply(json.loads(line))
    """)
    session = session_of()
    run = askwise.answer(session, oracle, jobs=1, budget=5)
    assert (run.answers, run.failures) == (5, 2)


def test_a_program_that_always_dies_is_started_a_few_times(judge, tmp_path):
    oracle = judge("""
        open("starts", "a").write("x")
        sys.exit(3)
    """)
    with pytest.raises(
        OracleError, match=r"was started 4 times without a reply .it ended with exit code 3.; run it by"
    ):
        askwise.answer(session_of(), oracle, jobs=1)
    assert (tmp_path / "starts").read_text() == "x" * (1 + command.MAX_RESTARTS)


def test_a_program_that_hangs_is_ended_and_started_again(judge, tmp_path):
    oracle = judge(
        """
        open("pids", "a").write(f"{os.getpid()} ")
        for line in sys.stdin:
            if once("hung"):
                time.sleep(3600)
            reply(json.loads(line))
        """,
        timeout=3.0,
    )
    run = askwise.answer(session_of(), oracle, jobs=2, budget=3)
    oracle.close()
    started = [int(number) for number in (tmp_path / "pids").read_text().split()]
    assert run.answers == 3
    assert run.failures >= 2  # both questions in flight were put again
    assert len(started) >= 2
    for number in started:
        with pytest.raises(ProcessLookupError):
            os.kill(number, 0)


def test_a_program_that_goes_on_when_its_input_ends_is_killed(judge, monkeypatch):
    monkeypatch.setattr(command, "CLOSING_SECONDS", 0.05)
    oracle = judge("""
        reply(json.loads(sys.stdin.readline()))
        time.sleep(3600)
    """)
    askwise.answer(session_of(), oracle, jobs=1, budget=1)
    process = oracle._judge.process
    oracle.close()
    assert process.wait(30) == -9


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("no-such-program", "there is no program 'no-such-program'"),
        ("openia:small", "there is no program 'openia:small' .* such as openai:MODEL"),
        ("", "the command is empty"),
        ("python 'judge.py", "check its quotes"),
    ],
)
def test_what_cannot_be_started_is_refused(name, sentence):
    with pytest.raises(SettingError, match=sentence):
        askwise.answer(session_of(), oracle_named(name))


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """Installs a package that registers two prefixes, as pip would leave it."""
    facts = tmp_path / "askwise_coin-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: askwise-coin\nVersion: 1.0\n")
    names = "first = askwise_coin:first\nbroken = askwise_coin:nothing\nempty = askwise_coin:empty\n"
    (facts / "entry_points.txt").write_text(f"[{GROUP}]\n{names}")
    made = "def first(rest, settings):\n    return lambda question: question.responses[int(rest)]\n"
    (tmp_path / "askwise_coin.py").write_text(f"{made}\ndef empty(rest, settings): ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    plugins.registered.cache_clear()
    yield
    plugins.registered.cache_clear()


def test_a_plug_in_registers_a_prefix(plugin):
    session = session_of()
    askwise.answer(session, oracle_named("first:1"), jobs=1, budget=2)
    assert [event["response"] for event in session.log if event["event"] == "tell"] == ["right", "right"]
    with pytest.raises(PluginError, match="the plug-in askwise-coin cannot load 'broken'"):
        oracle_named("broken:1")
    with pytest.raises(SettingError, match="the plug-in askwise-coin made no oracle for 'empty:1'"):
        oracle_named("empty:1")


def test_a_cost_too_large_for_any_number_is_refused():
    line = json.dumps({"question": "q1", "response": "left", "cost": 10**400})
    with pytest.raises(RefusedReply, match=r"the cost of q1 is 1000.*; expected a number, such as 0\.02"):
        read_reply(line)
