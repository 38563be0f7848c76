"""The examples about matrices, in their short form."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", ["drug_screen", "movies"])
def test_the_quick_form_runs_to_its_end(name, tmp_path):
    command = [sys.executable, EXAMPLES / f"{name}.py", "--quick", "--chart", tmp_path / "chart.svg"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "On average over what is still plausible after" in done.stdout
    assert "of the range from the best to the worst column" in done.stdout
    assert "In truth " in done.stdout
    assert done.stderr == ""
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").startswith("<svg")
