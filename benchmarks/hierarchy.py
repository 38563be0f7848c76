"""How many triples a hierarchy takes, by rule: python -m benchmarks.hierarchy [--json]

A hidden random binary tree over 50 items, faultless answers, the same posterior and the same candidates for every rule.
The error is the share of all triples on which the posterior's trees differ from the true one. Rules are compared seed
by seed, so differences come with standard errors of their own. The time of a question is taken with 100 items as well.
"""

from __future__ import annotations

import argparse
import json
import os
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from statistics import median
from time import process_time
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from askwise.session import Session
from askwise.simulate.hierarchy import hierarchy
from askwise.simulate.people import answer
from askwise.streams import stream

RULES = ("random", "qbc", "margin", "ndbal", "expected")
MARKS = (100, 200, 300)
CHAINS = 64
OURS = "expected"
TIMED = 100  # items


def run(rule: str, seed: int, items: int = 50, marks: tuple[int, ...] = MARKS) -> dict[str, Any]:
    """The error after each mark, and the CPU time a question took in ms."""
    task = hierarchy(stream(seed, 0, "task"), items=items, chains=CHAINS)
    session = Session(task.problem, task.prior, rule=rule, seed=seed, draws=CHAINS)
    session.sample  # noqa: B018  loads the compiled code before the clock starts
    errors, busy = [], []
    for number in range(marks[-1]):
        start = process_time()
        answer(session, task.person, stream(seed, number, "person"))
        busy.append(1e3 * (process_time() - start))
        if number + 1 in marks:
            errors.append(task.metrics["error"](session.sample))
    return {"rule": rule, "seed": seed, "errors": errors, "milliseconds": median(busy)}


def speed(items: int = TIMED, answers: int = MARKS[-1]) -> dict[str, float]:
    """Median CPU milliseconds of a question, all in, and of the update alone, with the goal's rule."""
    task = hierarchy(stream(1, 0, "task"), items=items, chains=CHAINS)
    session = Session(task.problem, task.prior, rule=OURS, seed=1, draws=CHAINS)
    whole, moves = [], []
    for number in range(answers):
        before, start = session.posterior, process_time()
        answer(session, task.person, stream(1, number, "person"))
        whole.append(1e3 * (process_time() - start))
        start = process_time()
        before.update(session.answers[-1], stream(2, number, "update"))
        moves.append(1e3 * (process_time() - start))
    return {"question_ms": median(whole[10:]), "update_ms": median(moves[10:])}


def compare(runs: list[dict[str, Any]], marks: tuple[int, ...] = MARKS) -> dict[str, Any]:
    """Mean errors by rule, and paired differences from random and from the goal's rule, with standard errors."""
    seeds = sorted({row["seed"] for row in runs})
    errors = {
        rule: np.array([row["errors"] for seed in seeds for row in runs if (row["rule"], row["seed"]) == (rule, seed)])
        for rule in dict.fromkeys(row["rule"] for row in runs)
    }

    def spread(values: np.ndarray[Any, Any]) -> list[float]:
        return (values.std(axis=0, ddof=1) / np.sqrt(len(values))).tolist() if len(values) > 1 else [0.0] * len(marks)

    result: dict[str, Any] = {"seeds": len(seeds), "marks": list(marks), "rules": {}}
    for rule, found in errors.items():
        apart, excess = found - errors["random"], found - errors.get(OURS, found)
        result["rules"][rule] = {
            "error": found.mean(axis=0).tolist(),
            "standard_error": spread(found),
            "minus_random": apart.mean(axis=0).tolist(),
            "minus_random_standard_error": spread(apart),
            "excess": excess.mean(axis=0).tolist(),
            "excess_standard_error": spread(excess),
            "ratio_to_random": (found.mean(axis=0) / errors["random"].mean(axis=0)).tolist(),
            "milliseconds": float(np.mean([row["milliseconds"] for row in runs if row["rule"] == rule])),
        }
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--items", type=int, default=50)
    parser.add_argument("--rules", nargs="+", default=list(RULES))
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--runs", action="store_true", help="with --json: every run as well")
    options = parser.parse_args()
    rules = list(dict.fromkeys(["random", *options.rules]))
    jobs = list(product(rules, range(options.first, options.first + options.seeds)))
    with ProcessPoolExecutor(options.processes) as pool:
        runs = list(pool.map(run, *zip(*jobs, strict=True), [options.items] * len(jobs)))
    result = {**compare(runs), "speed": {str(TIMED): speed()}}
    if options.json:
        print(json.dumps({**result, "runs": runs} if options.runs else result))
        return
    print("rule", *(f"after {mark}" for mark in MARKS), "ratio to random", "ms a question", sep="   ")
    for rule, row in result["rules"].items():
        cells = [f"{error:.4f} ({se:.4f})" for error, se in zip(row["error"], row["standard_error"], strict=True)]
        print(rule, *cells, f"{row['ratio_to_random'][-1]:.3f}", f"{row['milliseconds']:.1f}", sep="   ")
    print(f"n = {TIMED}", *(f"{key} {value:.1f}" for key, value in result["speed"][str(TIMED)].items()), sep="   ")


if __name__ == "__main__":
    main()
