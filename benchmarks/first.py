"""From `askwise ask` to the first question, and from the first key to the next one, in a real terminal.

`python -m benchmarks.first [--times 5]`: best of 50 items in 10 dimensions, by the clock on the wall. The person reads
the first question for READ seconds.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
import pexpect

import askwise

COMMAND = "from askwise.cli import main; main()"
SHOWN = "undecided"  # ends a question on the screen
READ = 2.5


def start(study: Path) -> tuple[float, float]:
    """Seconds to the first question, and from its answer to the second."""
    begun = time.monotonic()
    terminal = pexpect.spawn(sys.executable, ["-c", COMMAND, "ask", str(study)], timeout=60, dimensions=(30, 100))
    terminal.delaybeforesend = None
    terminal.expect(SHOWN)
    first = time.monotonic() - begun
    time.sleep(READ)
    begun = time.monotonic()
    terminal.send("1")
    terminal.expect(SHOWN)
    second = time.monotonic() - begun
    terminal.close(force=True)
    return first, second


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    rows = np.random.default_rng(0).standard_normal((50, 10))
    table = [{"name": f"item {i}", **{f"x{j}": float(x) for j, x in enumerate(row)}} for i, row in enumerate(rows)]
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "made.askwise"
        askwise.save(askwise.best_item(table, seed=1), made)
        found = [start(Path(shutil.copy(made, f"{folder}/{number}.askwise"))) for number in range(options.times)]
    for what, values in zip(("first question", "next question"), zip(*found, strict=True), strict=True):
        print(f"{what}: {min(values):.2f} to {max(values):.2f} s, {median(values):.2f} in the middle")


if __name__ == "__main__":
    main()
