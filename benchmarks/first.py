"""How long it takes from `askwise ask` to the first question, and from the first key to the next question.

Wall clock in a real terminal, best of 50 items in 10 dimensions; the person reads the first question for a while.
`python -m benchmarks.first [--times 5] [--json]`
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import pexpect

import askwise
from benchmarks.common import benchmark_parser, random_items

COMMAND = "from askwise.cli import main; main()"
QUESTION_END = "undecided"  # the last word of a question on the screen
READING_SECONDS = 2.5


def measure(study: Path) -> tuple[float, float]:
    """Seconds to the first question, and from its answer to the second."""
    start = time.monotonic()
    terminal = pexpect.spawn(sys.executable, ["-c", COMMAND, "ask", str(study)], timeout=60, dimensions=(30, 100))
    terminal.delaybeforesend = None
    terminal.expect(QUESTION_END)
    first = time.monotonic() - start
    time.sleep(READING_SECONDS)
    start = time.monotonic()
    terminal.send("1")
    terminal.expect(QUESTION_END)
    second = time.monotonic() - start
    terminal.close(force=True)
    return first, second


def main() -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        study = Path(folder) / "new.askwise"
        askwise.save(askwise.best_item(random_items(), seed=1), study)
        found = [measure(Path(shutil.copy(study, f"{folder}/{number}.askwise"))) for number in range(options.times)]
    seconds = dict(zip(("first question", "next question"), zip(*found, strict=True), strict=True))
    if options.json:
        print(json.dumps(seconds))
        return
    for question, values in seconds.items():
        print(f"{question}: {min(values):.2f} to {max(values):.2f} s, median {median(values):.2f} s")


if __name__ == "__main__":
    main()
