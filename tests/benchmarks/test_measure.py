"""`make measure`: what is finished is not run again, what fails is not kept, and every command exists."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
from pathlib import Path

import pytest

from benchmarks import measure
from benchmarks.measure import MEASUREMENTS, Measurement

TINY = Measurement("hops", "calls of one answer")


def test_the_list_and_the_commands_of_the_page_are_the_same():
    page = Path("docs/measurements.md").read_text()
    shown = set(re.findall(r"`python -m benchmarks\.([^`]*)`", page))
    listed = [wanted.words for wanted in MEASUREMENTS.values()]
    assert len(listed) == len(set(listed))
    assert shown - set(listed) == set(), "on the page and not in benchmarks/measure.py"
    assert set(listed) - shown == set(), "in benchmarks/measure.py and not on the page"


@pytest.mark.parametrize("name", MEASUREMENTS)
def test_every_benchmark_has_the_options_it_is_given(name):
    """By its help: nothing is measured."""
    wanted = MEASUREMENTS[name]
    module = shlex.split(wanted.words)[0]
    found = importlib.util.find_spec(f"benchmarks.{module}")
    assert found
    origin = Path(found.origin or "")
    text = (origin if origin.stem != "__init__" else origin.with_name("__main__.py")).read_text()
    common = {"--json", "--seeds", "--first", "--workers"} if "benchmark_parser" in text else set()
    known = common | set(re.findall(r'"(--[a-z-]+)"', text))
    given = [word for word in shlex.split(f"{wanted.words} {wanted.more} {wanted.store}") if word.startswith("--")]
    assert set(given) <= known
    assert ("--json" in known) == wanted.json


def test_what_is_finished_is_not_run_again(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(measure, "MEASUREMENTS", {"tiny": TINY})
    kept = tmp_path / "tiny.json"
    kept.write_text(json.dumps({"found": ["as before"]}))
    assert measure.run(["tiny"], again=False, folder=tmp_path) == []
    assert "measured before" in capsys.readouterr().out
    assert json.loads(kept.read_text())["found"] == ["as before"]


def test_what_fails_is_not_kept_and_the_others_are_run(tmp_path, monkeypatch):
    broken, done = Measurement("no_such_module", ""), []
    monkeypatch.setattr(measure, "MEASUREMENTS", {"broken": broken, "tiny": TINY})
    monkeypatch.setattr(measure, "forget", lambda name, folder: done.append(name))
    (tmp_path / "tiny.json").write_text("{}")
    assert measure.run(["broken", "tiny"], again=True, folder=tmp_path) == ["broken"]
    assert done == ["broken", "tiny"]
    assert not (tmp_path / "broken.json").exists()


@pytest.mark.parametrize("name", ["speed", "people"])
def test_results_on_the_way_are_kept_where_the_benchmark_can(name, tmp_path, monkeypatch):
    commands = []

    class Done:
        stdout = '{"figure": 1}\n'

    def note(command, **options):
        commands.append(command)
        return Done()

    monkeypatch.setattr(measure.subprocess, "run", note)
    found = json.loads(measure.measure(name, tmp_path).read_text())
    assert found["found"] == [{"figure": 1}]
    assert ("--store" in commands[0]) == bool(MEASUREMENTS[name].store)
    assert commands[0][-1] == "--json"


def test_lines_are_kept_of_what_prints_no_json(tmp_path, monkeypatch):
    commands = []

    class Done:
        stdout = "| 0.05 | 1 |\n| 0.1 | 2 |\n"

    def note(command, **options):
        commands.append(command)
        return Done()

    monkeypatch.setattr(measure.subprocess, "run", note)
    found = json.loads(measure.measure("few-again", tmp_path).read_text())
    assert found["found"] == ["| 0.05 | 1 |", "| 0.1 | 2 |"]
    assert commands[0][-5:] == ["best of 8, deviation 4", "--first", "60", "--people", "180"]
