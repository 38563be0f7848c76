"""How long the first use of each goal takes, with nothing compiled and with everything; and the first questions of
`askwise ask` in a terminal.

A first use is a program of its own: it imports askwise, makes a small study of the goal, answers twice, and asks for
the next question and the result. Some goals have a second study, with features or other kinds of answers. `cold`
starts with an empty folder for compiled code, `warm` with the one that `cold` filled; `compiled` counts the functions
that were compiled. CPU seconds are the program's own; wall seconds depend on what else the machine does.

In the terminal, the clock runs from `askwise ask` to the first question, and from the first key to the next question;
best of 50 items in 10 dimensions; the person reads the first question a while.
`python -m benchmarks.first [--goals best_item clusters] [--times 5] [--json]`
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import pexpect

import askwise
from askwise.simulate.first_use import example_studies
from benchmarks.common import benchmark_parser, random_items

COMMAND = "from askwise.cli import main; main()"
QUESTION_END = "undecided"  # the last word of a question on the screen
READING_SECONDS = 2.5
FIRST_USE = """
import json, sys, time
start = time.monotonic()
from askwise.simulate.first_use import use
use(sys.argv[1])
from askwise._runtime.compiled import compiled_here
found = {"cpu": time.process_time(), "wall": time.monotonic() - start, "compiled": len(compiled_here())}
print(json.dumps(found))
"""


def first_use(goal: str, folder: str) -> dict[str, float]:
    """CPU and wall seconds of a program that uses the goal, with compiled code in that folder."""
    places = {**os.environ, "NUMBA_CACHE_DIR": folder, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", FIRST_USE, goal]
    done = subprocess.run(command, env=places, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    return {name: round(value, 2) for name, value in json.loads(done.stdout).items()}


def measure_goal(goal: str, times: int) -> dict[str, dict[str, float]]:
    """The first use with nothing compiled and with everything: of several, those with the least CPU."""
    found: dict[str, list[dict[str, float]]] = {"cold": [], "warm": []}
    for _ in range(times):
        with tempfile.TemporaryDirectory() as folder:
            found["cold"].append(first_use(goal, folder))
            found["warm"].append(first_use(goal, folder))
    return {kind: min(values, key=lambda value: value["cpu"]) for kind, values in found.items()}


def measure_terminal(study: Path) -> tuple[float, float]:
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
    parser.add_argument("--times", type=int, default=5, help="starts of each kind [5]")
    parser.add_argument("--goals", nargs="*", default=list(example_studies()), help="which example studies [all]")
    options = parser.parse_args()
    goals = {goal: measure_goal(goal, options.times) for goal in options.goals}
    with tempfile.TemporaryDirectory() as folder:
        study = Path(folder) / "new.askwise"
        askwise.save(askwise.best_item(random_items(), seed=1), study)
        found = [
            measure_terminal(Path(shutil.copy(study, f"{folder}/{number}.askwise"))) for number in range(options.times)
        ]
    seconds = dict(zip(("first question", "next question"), zip(*found, strict=True), strict=True))
    if options.json:
        print(json.dumps({"goals": goals, "terminal": seconds}))
        return
    print("| goal | cold, CPU | cold, wall | functions | warm, CPU | warm, wall |\n|---|---:|---:|---:|---:|---:|")
    for goal, kinds in goals.items():
        cold, warm = kinds["cold"], kinds["warm"]
        times = (f"{value:.1f} s" for value in (cold["cpu"], cold["wall"], warm["cpu"], warm["wall"]))
        print("| {} | {} | {} | {} | {} | {} |".format(goal, next(times), next(times), cold["compiled"], *times))
    for question, values in seconds.items():
        print(f"{question}: {min(values):.2f} to {max(values):.2f} s, median {median(values):.2f} s")


if __name__ == "__main__":
    main()
