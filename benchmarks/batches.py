"""What is lost when questions are asked in batches, and what a question of a batch costs.

People look for the best of 50 items and answer 96 questions in batches of 1, 2, 8 or 32, or at random; the error after
the last answer is compared person by person. `python -m benchmarks.batches [--seeds 40] [--workers 1] [--json]`

The task is `askwise.simulate.tasks.choice` (10 dimensions, sigma 5, known). The two errors are the task's own: the
probability of a wrong top item, and the distance from the top item to the true one. Naive batches are the questions
with the largest gains, not chosen to complement each other. `way` is how far a row gets from random questions to one
question at a time, with a 95 % bootstrap interval. With `--structures`, the benchmark measures instead what a question
costs alone and in a batch of 8 where the posterior consists of chains.
"""

from __future__ import annotations

import json
import os
import time
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy loads its BLAS

import numpy as np

from askwise._runtime.streams import stream
from askwise.simulate.runs import answer_question, person_streams, simulate_answers
from askwise.simulate.tasks import Task, choice, clusters, columns, hierarchy
from askwise.types import Floats
from benchmarks.common import benchmark_parser, cpu_milliseconds, run_in_processes, seeds_of, standard_error

ROWS = {  # rule, questions of a batch, naive
    "one at a time": ("expected", 1, False),
    "batches of 2": ("expected", 2, False),
    "batches of 8": ("expected", 8, False),
    "batches of 32": ("expected", 32, False),
    "naive top 8": ("expected", 8, True),
    "naive top 32": ("expected", 32, True),
    "random": ("random", 1, False),
}
ERRORS = ("top_item_error", "distance_to_best")
ANSWERS = 96
ITEMS = 50
TARGET = 0.75  # of the way from random to one at a time, for batches of 8
RESAMPLES = 4000


def run(row: str, seed: int, answers: int = ANSWERS, items: int = ITEMS) -> list[float]:
    """The errors after the last answer of one person, and the CPU milliseconds of a question."""
    rule, size, naive = ROWS[row]
    task = choice(stream(seed, 0, "benchmark"), items=items)
    session = task.session(rule, seed)
    start = time.process_time()
    for number in range(answers):
        if number % size == 0:
            count = min(size, answers - number)
            if naive:
                for event in session.round.best(session.event_log, count):
                    session.pose(event["atom"])
            else:
                session.ask(count)
        answer_question(session, task.person, stream(seed, number, "person"))
    milliseconds = (time.process_time() - start) / answers * 1e3
    return [*(task.metrics[name](session.sample) for name in ERRORS), milliseconds]


def cost(task: Task, seed: int, answers: int = 20, size: int = 8) -> tuple[float, float]:
    """CPU milliseconds of a question after these answers: of one alone, and of each in a batch."""
    session = task.session("expected", seed, repeat=False)
    for _ in simulate_answers(session, task.person, person_streams(seed, answers)):
        pass
    alone = cpu_milliseconds(lambda: session.ask(1))
    rest = cpu_milliseconds(lambda: session.ask(size))  # the first one is open already
    return alone, (alone + rest) / size


def compare(found: Floats) -> dict[str, Any]:
    """(rows, seeds, errors and CPU) -> means, standard errors, excess over one at a time, and the way from random."""
    names = list(ROWS)
    one, random = found[names.index("one at a time")], found[names.index("random")]
    resamples = stream(0, 0, "bootstrap").integers(found.shape[1], size=(RESAMPLES, found.shape[1]))

    def way(runs: Floats, error: int) -> list[float]:
        far, near, here = (kind[:, error] for kind in (random, one, runs))
        shares = [(far[s] - here[s]).mean() / (far[s] - near[s]).mean() for s in (np.arange(len(far)), *resamples)]
        return [float(shares[0]), *np.percentile(shares[1:], (2.5, 97.5)).tolist()]

    return {
        row: {
            error: {
                "mean": float(runs[:, place].mean()),
                "se": float(standard_error(runs[:, place])),
                "excess": float((runs - one)[:, place].mean()),
                "excess_se": float(standard_error((runs - one)[:, place])),
                "way": way(runs, place),
            }
            for place, error in enumerate(ERRORS)
        }
        | {"cpu_ms_per_question": float(runs[:, -1].mean())}
        for row, runs in zip(names, found, strict=True)
    }


def verdict(rows: dict[str, Any]) -> str:
    """Whether the target is met."""
    share = rows["batches of 8"][ERRORS[0]]["way"][0]
    return f"batches of 8 go {share:.2f} of the way; the target, {TARGET}, is {'met' if share >= TARGET else 'MISSED'}"


def main() -> None:
    parser = benchmark_parser(__doc__, seeds=40)
    parser.add_argument("--structures", action="store_true")
    options = parser.parse_args()
    if options.structures:
        for make in (clusters, hierarchy, columns):
            alone, together = np.median([cost(make(stream(seed, 0, "benchmark")), seed) for seed in range(5)], axis=0)
            print(f"{make.__name__}: {alone:.0f} CPU ms alone, {together:.0f} in a batch of 8 (median of 5)")
        return
    found = run_in_processes(run, [(row, seed) for row in ROWS for seed in seeds_of(options)], options.workers)
    rows = compare(np.array(found).reshape(len(ROWS), options.seeds, len(ERRORS) + 1))
    if options.json:
        print(json.dumps({"seeds": options.seeds, "answers": ANSWERS, "rows": rows}))
        return
    for error in ERRORS:
        print(f"{error} after {ANSWERS} answers, {options.seeds} people: mean, excess over one at a time, way")
        for row, found_row in rows.items():
            mean, se, excess, excess_se, (share, low, high) = found_row[error].values()
            shown = f"{mean:.3f} ({se:.3f})  {excess:+.3f} ({excess_se:.3f})"
            print(f"{row:14} {shown}  {share:.2f} [{low:.2f}, {high:.2f}]")
    print("CPU ms a question:", *(f"{row} {found_row['cpu_ms_per_question']:.1f}," for row, found_row in rows.items()))
    print(verdict(rows))


if __name__ == "__main__":
    main()
