"""How wrong the posterior still is after some answers, by strategy: segments of a sorted column, or the best in order.

`segments`: 150 items in 6 segments, 5 % wrong answers; neither number is told. `top_ranking`: the 5 best of 50 items in
order, logit choice. All strategies have the same posterior and people, and are compared seed by seed.
`python -m benchmarks.errors segments [--seeds 20] [--workers 1] [--json]`
"""

from __future__ import annotations

import json
import os
from functools import partial
from itertools import product
from statistics import median
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from askwise._runtime.streams import stream
from askwise.simulate.runs import answer_question, person_streams
from askwise.simulate.tasks import TASKS
from benchmarks.common import benchmark_parser, cpu_milliseconds, run_in_processes, seeds_of
from benchmarks.hierarchy import compare

RULES = ("random", "qbc", "ndbal", "expected")
MARKS = {"segments": (20, 40, 60), "top_ranking": (25, 50, 75)}  # answers, after which the error is measured


def run(name: str, rule: str, seed: int, **settings: Any) -> dict[str, Any]:
    """The error at each mark, and the median CPU milliseconds of a question."""
    task = TASKS[name](stream(seed, 0, "task"), **settings)
    session = task.session(rule, seed, repeat=False)
    session.sample  # noqa: B018  loads the compiled code before the clock starts
    errors, times = [], []
    for count, rng in enumerate(person_streams(seed, MARKS[name][-1]), 1):
        times.append(cpu_milliseconds(partial(answer_question, session, task.person, rng)))
        if count in MARKS[name]:
            errors.append(task.metrics["error"](session.sample))
    return {"rule": rule, "seed": seed, "errors": errors, "milliseconds": median(times)}


def main() -> None:
    parser = benchmark_parser(__doc__, seeds=20)
    parser.add_argument("task", choices=MARKS)
    options = parser.parse_args()
    jobs = product([options.task], RULES, seeds_of(options))
    result = compare(run_in_processes(run, jobs, options.workers), MARKS[options.task])
    if options.json:
        print(json.dumps(result))
        return
    print("rule", *(f"after {count}" for count in MARKS[options.task]), "minus expected", "ms a question", sep="   ")
    for rule, row in result["rules"].items():
        cells = [f"{error:.4f} ({se:.4f})" for error, se in zip(row["error"], row["standard_error"], strict=True)]
        excess = f"{row['excess'][-1]:.4f} ({row['excess_standard_error'][-1]:.4f})"
        print(rule, *cells, excess, f"{row['milliseconds']:.1f}", sep="   ")


if __name__ == "__main__":
    main()
