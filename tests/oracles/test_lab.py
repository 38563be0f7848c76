"""The program of docs/robot.md answers as the robot; those of docs/oracles.md and docs/evaluate.md as judges."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from shlex import quote

import askwise
from askwise.evaluate import Runs, start
from askwise.oracles.registry import oracle_named

DOCS = Path(__file__).parents[2] / "docs"


def program_of(page: str, folder: Path) -> str:
    """The command of the one program on a page that reads standard input."""
    blocks = re.findall(r"^```python\n(import json.*?)^```", (DOCS / page).read_text(), flags=re.MULTILINE | re.DOTALL)
    [program] = [block for block in blocks if "sys.stdin" in block]
    (folder / "program.py").write_text(program)
    return f"{quote(sys.executable)} {quote(str(folder / 'program.py'))}"


def test_the_robot_finds_the_best_drug(tmp_path):
    path = tmp_path / "screen.askwise"
    askwise.save(askwise.best_column(askwise.example("screen"), entry_range=5, seed=1), path)
    robot = oracle_named(program_of("robot.md", tmp_path))
    run = askwise.answer(askwise.open(path), robot, who="robot", jobs=1, budget=40)
    robot.close()
    session = askwise.open(path)
    told = [event for event in session.log if event["event"] == "tell"]
    assert session.estimate().value == "drug 7"
    assert run.answers == len(told) <= 40
    assert all(re.fullmatch(r"well \w+/drug \d+", event["note"]) for event in told)
    assert run.cost == len(told)


def test_the_judge_finds_the_cheapest(tmp_path):
    table = {"name": ["tea", "milk", "gin", "water"], "price": [2.0, 1.5, 9.0, 0.5]}
    session = askwise.best_item(table, seed=1, noise=0, shape="linear")
    judge = oracle_named(program_of("oracles.md", tmp_path))
    askwise.answer(session, judge, jobs=1)
    judge.close()
    assert session.estimate().value == "water"


def test_the_judge_of_replies_prefers_the_longer_one(tmp_path):
    session = start(Runs.of(askwise.example("replies")), human=False, seed=1)
    judge = oracle_named(program_of("evaluate.md", tmp_path))
    run = askwise.answer(session, judge, jobs=1, budget=2)
    judge.close()
    assert (run.answers, run.failures) == (2, 0)
