"""What is lost when questions are asked in batches, and what a question of a batch costs.

`python -m benchmarks.batches [--json] [--seeds 40] [--workers 1]`: the choice task of `askwise.simulate.tasks` (best of
50 items in 10 dimensions, sigma 5, known), 96 answers in batches of 1, 2, 8 or 32, every row on the same people. Naive
batches are the best few by the rule's own gain, not chosen to complement each other. The errors are the task's own: the
posterior's mean chance of a wrong top item, and its mean distance from the top item to the true one. Differences are
paired by person. `way` is how far from random to one at a time a row gets, with a 95 % bootstrap interval.
`--structures`: instead, what a question costs alone and in a batch of 8 where beliefs are chains.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy loads its BLAS

import numpy as np

from askwise.session import Session
from askwise.simulate.clusters import clusters
from askwise.simulate.columns import columns
from askwise.simulate.hierarchy import hierarchy
from askwise.simulate.people import answer
from askwise.simulate.task import Task
from askwise.simulate.tasks import choice
from askwise.streams import stream
from askwise.types import Floats

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
AIM = 0.75  # of the way from random to one at a time, in batches of 8
RESAMPLES = 4000


def run(row: str, seed: int, answers: int = ANSWERS, items: int = ITEMS) -> list[float]:
    """The errors after the last answer, and the CPU milliseconds of a question, of one person."""
    rule, size, naive = ROWS[row]
    task = choice(stream(seed, 0, "benchmark"), items=items)
    session = Session(task.problem, task.prior, rule=rule, seed=seed, draws=task.draws, repeat=True)
    start = time.process_time()
    for number in range(answers):
        if number % size == 0:
            count = min(size, answers - number)
            if naive:
                for event in session.turn.best(session.conversation, count):
                    session.pose(event["atom"])
            else:
                session.ask(count)
        answer(session, task.person, stream(seed, number, "person"))
    spent = (time.process_time() - start) / answers * 1e3
    return [*(task.metrics[name](session.sample) for name in ERRORS), spent]


def cost(task: Task, seed: int, answers: int = 20, size: int = 8) -> tuple[float, float]:
    """CPU milliseconds of a question after so many answers: of one alone, and of each in a batch."""
    session = Session(task.problem, task.prior, seed=seed, draws=task.draws)
    for number in range(answers):
        answer(session, task.person, stream(seed, number, "person"))
    spent = []
    for count in (1, size):
        start = time.process_time()
        session.ask(count)
        spent.append((time.process_time() - start) * 1e3)
    return spent[0], sum(spent) / size


def compare(found: Floats) -> dict[str, Any]:
    """(rows, seeds, errors and CPU) -> means, standard errors, excess over one at a time, and the way from random."""
    names = list(ROWS)
    one, random = found[names.index("one at a time")], found[names.index("random")]
    some = stream(0, 0, "bootstrap").integers(found.shape[1], size=(RESAMPLES, found.shape[1]))

    def way(runs: Floats, error: int) -> list[float]:
        far, near, here = (kind[:, error] for kind in (random, one, runs))
        shares = [(far[s] - here[s]).mean() / (far[s] - near[s]).mean() for s in (np.arange(len(far)), *some)]
        return [float(shares[0]), *np.percentile(shares[1:], (2.5, 97.5)).tolist()]

    return {
        row: {
            error: {
                "mean": float(runs[:, place].mean()),
                "se": _standard_error(runs[:, place]),
                "excess": float((runs - one)[:, place].mean()),
                "excess_se": _standard_error((runs - one)[:, place]),
                "way": way(runs, place),
            }
            for place, error in enumerate(ERRORS)
        }
        | {"cpu_ms_per_question": float(runs[:, -1].mean())}
        for row, runs in zip(names, found, strict=True)
    }


def verdict(rows: dict[str, Any]) -> str:
    """Whether the aim is met."""
    share = rows["batches of 8"][ERRORS[0]]["way"][0]
    return f"batches of 8 go {share:.2f} of the way; the aim, {AIM}, is {'met' if share >= AIM else 'MISSED'}"


def _standard_error(values: Floats) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--structures", action="store_true")
    options = parser.parse_args()
    if options.structures:
        for make in (clusters, hierarchy, columns):
            alone, together = np.median([cost(make(stream(seed, 0, "benchmark")), seed) for seed in range(5)], axis=0)
            print(f"{make.__name__}: {alone:.0f} CPU ms alone, {together:.0f} in a batch of 8 (median of 5)")
        return
    settings = [(row, seed) for row in ROWS for seed in range(options.seeds)]
    with ProcessPoolExecutor(options.workers) as pool:
        found = list(pool.map(run, *zip(*settings, strict=True)))
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
