"""`make measure`: what is finished is not run again, what fails is not kept, and every command exists."""

from __future__ import annotations

import argparse
import importlib
import json
import re
import shlex
import sys
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


class Parsed(BaseException):
    """The options were read; nothing is to be measured."""


@pytest.mark.parametrize("name", MEASUREMENTS)
def test_every_benchmark_takes_the_options_it_is_given(name, tmp_path, monkeypatch):
    wanted, read = MEASUREMENTS[name], argparse.ArgumentParser.parse_args
    module, *words = shlex.split(wanted.words)

    def parse_only(parser, *arguments):
        read(parser, *arguments)
        raise Parsed

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parse_only)
    options = [*wanted.more.split(), *([wanted.store, str(tmp_path / "x")] if wanted.store else [])]
    monkeypatch.setattr(sys, "argv", [module, *words, *options, *(["--json"] if wanted.json else [])])
    found = importlib.import_module(f"benchmarks.{module}")
    command = importlib.import_module(f"{found.__name__}.__main__") if hasattr(found, "__path__") else found
    with pytest.raises(Parsed):
        command.main()


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
