"""`make measure`: what is finished is not run again, what fails is not kept, and every command exists."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest

from benchmarks import measure
from benchmarks.measure import MEASUREMENTS, Measurement

TINY = Measurement("hops", "calls of one answer")


def test_every_benchmark_exists_and_is_on_the_page():
    page = Path("docs/measurements.md").read_text()
    for wanted in MEASUREMENTS.values():
        module = wanted.words.split()[0]
        assert importlib.util.find_spec(f"benchmarks.{module}"), module
        assert re.search(rf"benchmarks\.{module}\b", page), module


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
    assert ("--store" in commands[0]) == MEASUREMENTS[name].keeps_lines
    assert commands[0][-1] == "--json"
