"""The hierarchy of animals, in its short form."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_short_run_prints_a_tree_and_draws_the_one_of_the_documentation(tmp_path):
    command = [sys.executable, ROOT / "examples" / "animals.py", "--quick", "--picture", tmp_path / "tree.svg"]
    command += ["--chart", tmp_path / "chart.svg"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    drawn, shown = tmp_path / "tree.svg", ROOT / "docs" / "images" / "animals.svg"
    assert drawn.read_text(encoding="utf-8") == shown.read_text(encoding="utf-8")
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").startswith("<svg")
    assert "still undecided" in done.stdout
    assert all(name in done.stdout for name in ("chimpanzee", "salmon", "└─ ", "of the triples"))
    assert "On average over what is still plausible after" in done.stdout
