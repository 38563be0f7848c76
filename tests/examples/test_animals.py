"""The hierarchy of animals, in its short form."""

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "animals.py"


def test_a_short_run_prints_a_tree():
    done = subprocess.run([sys.executable, EXAMPLE, "--quick"], capture_output=True, text=True, timeout=300, check=True)
    assert "still undecided" in done.stdout
    assert all(name in done.stdout for name in ("chimpanzee", "salmon", "└─ ", "of the triples"))
    assert "On average over what is still plausible after" in done.stdout
