"""The fair classifier of arrests, in its short form."""

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "fair_arrests.py"


def test_a_short_run_compares_both(tmp_path):
    command = [sys.executable, EXAMPLE, "--quick", "--chart", tmp_path / "chart.svg"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").startswith("<svg")
    assert "plain: wrong on" in done.stdout
    assert "fair: wrong on" in done.stdout
    assert "unequal between the groups" in done.stdout
