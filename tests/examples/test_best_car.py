"""The example as a person would use it: typed answers, a typo, a skip, an undo, and the end of the input."""

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "best_car.py"


def test_typed_answers_find_a_car():
    typed = "left\nlefft\nskip\nundo\n" + "right\nLEFT\n" * 6
    command = [sys.executable, EXAMPLE]
    done = subprocess.run(command, input=typed, capture_output=True, text=True, timeout=60, check=True)
    assert "Which do you prefer: " in done.stdout
    assert "response 'lefft' is not one of 'left', 'right'; question q2 stays open" in done.stdout
    assert "On average over what is still plausible after 13 answers" in done.stdout
    assert done.stdout.count("best guess") == 15  # 13 answers, one skip and one undo
