"""The cost of one question: update, draws, scores and choice, and how each grows.

`python -m benchmarks.round [--json]`: one thread, CPU time, median of many rounds. Every figure is also a ratio to the
floor of the same run: one product of the (S, S) distances by the (S, A) masses in the precision used.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from statistics import median
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy loads its BLAS

import numpy as np

from askwise.posteriors.logconcave import LogConcave
from askwise.session import Session
from askwise.simulate.people import answer
from askwise.simulate.tasks import Task, choice, classify
from askwise.split import split
from askwise.streams import stream
from askwise.types import Answer

DRAWS = 600
ATOMS = 500
SETTINGS: dict[str, dict[str, Any]] = {
    "classify_d10_t100": {"task": "classify", "dim": 10, "answers": 100},
    "choice_d10_t100": {"task": "choice", "dim": 10, "answers": 100},
    "classify_d100_t1000": {"task": "classify", "dim": 100, "answers": 1000},
}


def milliseconds(call: Callable[[int], Any], times: int) -> float:
    """The median CPU time of `times` calls, after one to warm up."""
    call(0)
    spent = []
    for number in range(times):
        start = time.process_time_ns()
        call(number + 1)
        spent.append((time.process_time_ns() - start) / 1e6)
    return median(spent)


def make(task: str, dim: int) -> Task:
    """The task of the paper's experiments with sigma = 5; a choice is among 50 items, all 1,225 pairs scored."""
    rng = stream(0, 0, "benchmark")
    return classify(rng, dim=dim) if task == "classify" else choice(rng, items=50, dim=dim)


def answered(task: Task, prior: Any, answers: int) -> tuple[Any, Answer]:
    """The posterior after random questions, and one more answer to come."""
    family, posterior = task.problem.family, prior
    for number in range(answers + 1):
        atom = family.draw_atoms(ATOMS, stream(1, number, "atoms"))[-1 - number % ATOMS]
        told = Answer(atom, task.person.respond(atom, stream(1, number, "person")))
        if number < answers:
            posterior = posterior.update(told, stream(1, number, "update"))
    return posterior, told


def measure(task: str, dim: int, answers: int, times: int, draws: int = DRAWS, atoms: int = ATOMS) -> dict[str, float]:
    """All figures of one setting."""
    made = make(task, dim)
    family = made.problem.family
    posterior, told = answered(made, made.prior, answers)
    learned, _ = answered(made, LogConcave.prior(family, made.problem.loss), answers)

    def sampler(start: Any) -> Callable[[int], Any]:
        return lambda n: start.update(told, stream(2, n, "update")).sample(draws, stream(2, n, "sample"))

    sample = posterior.sample(draws, stream(2, 0, "sample"))
    pool = family.draw_atoms(atoms, stream(2, 0, "atoms"))[:atoms]
    matrix = np.asarray(made.problem.distance.pairwise(sample.structures), dtype=np.float32)
    mass = stream(2, 0, "mass").random((draws, len(pool)), dtype=np.float32)
    session = Session(made.problem, posterior, seed=3, draws=draws, candidates=atoms, repeat=True)

    def round_of(number: int) -> None:
        answer(session, made.person, stream(4, number, "person"))

    return {
        "round_ms": milliseconds(round_of, times),
        "sampler_ms": milliseconds(sampler(posterior), times),
        "learned_sampler_ms": milliseconds(sampler(learned), times),
        "scoring_ms": milliseconds(lambda n: split(made.problem, sample, pool).expected_diameter(), times),
        "gemm_ms": milliseconds(lambda n: matrix @ mass, times),
    }


def growth(times: int) -> dict[str, dict[str, dict[str, float]]]:
    """Classification at d = 10, t = 100, S = 600, A = 500, one of them varied at a time."""
    base = {"dim": 10, "answers": 100, "draws": DRAWS, "atoms": ATOMS}
    varied = {"draws": (300, 600, 1200), "atoms": (250, 500, 1000), "dim": (5, 10, 20, 50), "answers": (10, 100, 500)}
    return {
        name: {str(value): measure("classify", times=times, **{**base, name: value}) for value in values}
        for name, values in varied.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--times", type=int, default=60, help="rounds behind each median")
    options = parser.parse_args()
    result: dict[str, Any] = {name: measure(times=options.times, **setting) for name, setting in SETTINGS.items()}
    result["growth"] = growth(max(3, options.times // 4))
    if options.json:
        print(json.dumps(result))
        return
    for name in SETTINGS:
        print(name, *(f"{key} {value:.2f}" for key, value in result[name].items()), sep="  ")
    for name, rows in result["growth"].items():
        for value, row in rows.items():
            print(f"{name} = {value}", *(f"{key} {number:.2f}" for key, number in row.items()), sep="  ")


if __name__ == "__main__":
    main()
