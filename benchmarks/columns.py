"""Finding the best column of a matrix: how wrong the posterior still is, by rule, and the cost of a question.

`python -m benchmarks.columns [--json] [--seeds 40] [--first 0] [--workers 2]`: every rule meets the same matrices and
the same known entries, so that differences are paired by seed.
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
from askwise.simulate.columns import columns
from askwise.simulate.people import answer
from askwise.streams import stream

RULES = ("random", "variance", "ndbal", "expected")
STEPS = (50, 100, 250)
CHAINS = 32
AIM = 20.0  # CPU milliseconds a question
Curve = dict[str, float]


def run(rule: str, seed: int, steps: tuple[int, ...] = STEPS, **options: Any) -> Curve:
    """The error after so many entries, and the median CPU milliseconds of a question (without the metric)."""
    task = columns(stream(seed, 0, "task"), **{"chains": CHAINS, **options})
    chains = len(task.prior.chains.level)  # type: ignore[attr-defined]
    session = Session(task.problem, task.prior, rule=rule, seed=seed, draws=chains)
    session.ask()  # compiled code is loaded before the clock starts
    found, spent = {"0": task.metrics["error"](session.sample)}, []
    for number in range(max(steps)):
        start = time.process_time()
        answer(session, task.person, stream(seed, number, "person"))
        session.ask()
        spent.append(1000 * (time.process_time() - start))
        if number + 1 in steps:
            found[str(number + 1)] = task.metrics["error"](session.sample)
    return {**found, "ms": float(np.median(spent))}


def compare(curves: dict[str, list[Curve]], best: str = "expected") -> dict[str, Any]:
    """Means and standard errors by rule, and of each rule minus `best` on the same seeds."""
    steps = [step for step in curves[best][0] if step != "ms"]
    table = {rule: np.array([[curve[step] for step in steps] for curve in runs]) for rule, runs in curves.items()}
    return {
        "seeds": len(curves[best]),
        "error": {rule: _summary(steps, errors) for rule, errors in table.items()},
        f"minus_{best}": {rule: _summary(steps, table[rule] - table[best]) for rule in table if rule != best},
        "cpu_ms_per_question": {
            rule: float(np.median([curve["ms"] for curve in runs])) for rule, runs in curves.items()
        },
    }


def _summary(steps: list[str], values: Any) -> dict[str, tuple[float, float]]:
    error = values.std(axis=0, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.zeros(len(steps))
    return {step: (float(mean), float(e)) for step, mean, e in zip(steps, values.mean(axis=0), error, strict=True)}


def verdict(result: dict[str, Any], last: str) -> str:
    """Whether the goal's rule is ahead of asking where the variance is largest, honestly."""
    mean, error = result["minus_expected"]["variance"][last]
    ahead = "below" if mean > 2 * error else "NOT below"
    return f"expected is {ahead} variance by two standard errors after {last} entries: {mean:.3f} ({error:.3f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--chains", type=int, default=CHAINS)
    parser.add_argument("--rules", nargs="+", default=RULES, help="expected and variance among them")
    parser.add_argument("--raw", action="store_true", help="every run, to put several calls together")
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.seeds)
    with ProcessPoolExecutor(options.workers) as pool:
        jobs = {
            (rule, seed): pool.submit(run, rule, seed, chains=options.chains)
            for seed in seeds
            for rule in options.rules
        }
        curves = {rule: [jobs[rule, seed].result() for seed in seeds] for rule in options.rules}
    result = compare(curves)
    if options.raw:
        print(json.dumps(curves))
        return
    if options.json:
        print(json.dumps(result))
        return
    for part in ("error", "minus_expected"):
        print(part.replace("_", " "))
        for rule, steps in result[part].items():
            print(f"  {rule:9}", *(f"{step}: {mean:.3f} ({e:.3f})" for step, (mean, e) in steps.items()), sep="  ")
    spent = (f"{rule} {ms:.1f}" for rule, ms in result["cpu_ms_per_question"].items())
    print("CPU ms a question", *spent, f"(aim {AIM:g})", sep="  ")
    print(verdict(result, str(STEPS[-1])))


if __name__ == "__main__":
    main()
