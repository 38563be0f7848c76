"""askwise answer: a program or a model answers a study, whatever happens to askwise meanwhile."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from shlex import quote

import pytest

import askwise
from tests.oracles.endpoint import ChatEndpoint, options_in

ROOT = Path(__file__).parents[2]
DRINKS = [f"drink {number}" for number in range(9)]
JUDGE = """
import json, sys, time
for line in sys.stdin:
    question = json.loads(line)
    time.sleep(SECONDS)
    best = min(option["name"] for option in question["options"])
    open("replies.txt", "a").write(question["id"] + "\\n")
    print(json.dumps({"question": question["id"], "response": best, "cost": 1}), flush=True)
"""


@pytest.fixture
def study(tmp_path, monkeypatch):
    """A study of nine drinks, and a program that prefers the first by name."""
    monkeypatch.chdir(tmp_path)
    askwise.save(askwise.best_item(DRINKS, seed=1, draws=50), tmp_path / "drinks.askwise")
    return tmp_path / "drinks.askwise"


def judge(seconds=0.0):
    Path("judge.py").write_text(JUDGE.replace("SECONDS", str(seconds)))
    return f"{quote(sys.executable)} judge.py"


def start(*words):
    """The command in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}", "OPENBLAS_NUM_THREADS": "1"}
    code = "from askwise.cli import main; main()"
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-c", code, *map(str, words)], env=environment, **pipes)


def wait_for_replies(process, count):
    while True:
        replies = Path("replies.txt").read_text().split() if Path("replies.txt").exists() else []
        if len(replies) >= count:
            return replies
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)


def told(study):
    return [event for event in askwise.open(study).log if event["event"] == "tell"]


def test_a_program_settles_a_study(run_command, study):
    code, said, _ = run_command("answer", study, "--with", judge(), "--who", "program 1", "--jobs", 2)
    lines = said.splitlines()
    assert code == 0
    assert lines[0].startswith(f"{len(told(study))} answers, 0 skips and 0 failed calls in ")
    assert lines[1].startswith("drink 0 (")
    assert lines[2] == f"Settled after {len(told(study))} answers. We are confident enough to stop."
    assert {event["who"] for event in told(study)} == {"program 1"}
    assert run_command("answer", study, "--with", judge())[1].startswith("0 answers")


def test_a_budget_ends_it_and_holds_over_all_runs(run_command, study):
    for _ in range(2):
        code, said, _ = run_command("answer", study, "--with", judge(), "--budget", 3)
        assert code == 0
        assert "Not settled yet: the budget of 3 answers is used up." in said
    assert len(told(study)) == 3
    code, said, _ = run_command("answer", study, "--with", judge(), "--max-cost", 5)
    assert (code, len(told(study))) == (0, 5)
    assert run_command("export", study, "answers.jsonl")[0] == 0
    rows = [json.loads(line) for line in Path("answers.jsonl").read_text().splitlines()]
    assert [(row["cost"], row["note"]) for row in rows] == [(1.0, None)] * 5


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["--with", "no-such-program"], 2, "there is no program 'no-such-program'"),
        (["--with", "openai:x", "--key-env", "NO_SUCH_KEY"], 2, "the environment variable NO_SUCH_KEY holds no key"),
        (
            ["--with", sys.executable, "--rubric", "none.md"],
            2,
            "the rubric none.md cannot be read (No such file or directory)",
        ),
        (["--with", sys.executable, "--budget", "0"], 2, "invalid value for '--budget'"),
        (["--with", sys.executable, "--max-cost", "-1"], 2, "max_cost is -1.0; expected a number above 0"),
        (["--with", "false"], 3, "false was started 4 times without a reply (it ended with exit code 1)"),
        ([], 2, "missing option '--with'"),
    ],
)
def test_what_cannot_work_is_told_in_one_sentence(run_command, study, monkeypatch, words, code, sentence):
    monkeypatch.setattr("askwise.oracles.loop.FIRST_WAIT_SECONDS", 0.001)
    found, said, error = run_command("answer", study, *words)
    assert (found, said) == (code, "")
    assert sentence in error
    assert error.splitlines()[-1].startswith("askwise: ")


def test_kill_9_loses_nothing_and_doubles_nothing(run_command, study):
    process = start("answer", study, "--with", judge(0.02), "--jobs", 3)
    replies = wait_for_replies(process, 6)
    process.kill()
    process.communicate()
    before = told(study)
    assert len(before) >= len(set(replies)) - 3  # only what was in flight was not recorded
    Path("replies.txt").unlink()
    code, said, error = run_command("answer", study, "--with", judge(), "--jobs", 3)
    assert code == 0, error
    assert "drink 0 (" in said
    after = told(study)
    assert after[: len(before)] == before  # what was on disk is there
    assert len({event["question"] for event in after}) == len({event["key"] for event in after}) == len(after)
    known = {event["question"] for event in before}
    assert not known & set(Path("replies.txt").read_text().split())  # nothing that was recorded is asked again


def test_ctrl_c_keeps_what_was_answered_and_says_where_it_stands(study):
    process = start("answer", study, "--with", judge(0.02))
    wait_for_replies(process, 3)
    process.send_signal(signal.SIGINT)
    said, error = process.communicate()
    count = len(told(study))
    assert (process.returncode, said) == (130, "")
    assert count >= 2
    assert f"stopped: {count} answers of this run kept; the questions in flight stay open" in error
    assert "Traceback" not in error


def test_an_endpoint_answers_and_the_key_stays_secret(run_command, study, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    Path("rubric.md").write_text("Prefer the **first** by name.")

    def prefers(request):
        left, right = options_in(request)
        return {"note": "first", "response": "left" if left < right else "right"}

    with ChatEndpoint(prefers, lambda number: "429" if number == 1 else None) as endpoint:
        words = [
            "--base-url",
            endpoint.url,
            "--rubric",
            "rubric.md",
            "--swap",
            "--key-env",
            "MY_KEY",
            "--temperature",
            0,
        ]
        words += ["--price-in", 1, "--price-out", 2, "--requests-per-minute", 60000, "--timeout", 20]
        code, said, error = run_command("answer", study, "--with", "openai:small", *words)
    assert code == 0, error
    assert "Settled after" in said
    assert {event["who"] for event in told(study)} == {"small"}
    assert {round(event["cost"], 9) for event in told(study)} <= {0.00024, 0.00036}  # 100 tokens in, 10 out, twice
    assert "Prefer the **first** by name." in endpoint.requests[0]["messages"][0]["content"]
    assert endpoint.headers[0]["Authorization"] == "Bearer sk-very-secret"
    assert "sk-very-secret" not in said + error
    assert b"sk-very-secret" not in study.read_bytes()
