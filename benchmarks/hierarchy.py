"""How wrong a hierarchy still is after 100, 200 and 300 answers, by strategy, and what a question costs.

A hidden random binary tree over 50 items, faultless answers, the same posterior and candidates for every strategy; the
error is the share of triples on which the posterior's trees differ from the true one. Strategies are compared seed by
seed, and a question is also timed with 100 items. `python -m benchmarks.hierarchy [--seeds 20] [--workers 2] [--json]`
"""

from __future__ import annotations

import json
import os
from functools import partial
from itertools import product
from statistics import median
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from askwise._runtime.streams import stream
from askwise.simulate.runs import answer_question, person_streams
from askwise.simulate.tasks import hierarchy
from benchmarks.common import benchmark_parser, cpu_milliseconds, run_in_processes, seeds_of, standard_error

RULES = ("random", "qbc", "margin", "ndbal", "expected")
ANSWERS = (100, 200, 300)  # after which the error is measured
CHAINS = 64
GOAL_RULE = "expected"
TIMED_ITEMS = 100


def run(rule: str, seed: int, items: int = 50, answers: tuple[int, ...] = ANSWERS) -> dict[str, Any]:
    """The error after each of these numbers of answers, and the median CPU milliseconds of a question."""
    task = hierarchy(stream(seed, 0, "task"), items=items, chains=CHAINS)
    session = task.session(rule, seed, repeat=False)
    session.sample  # noqa: B018  loads the compiled code before the clock starts
    errors, times = [], []
    for count, rng in enumerate(person_streams(seed, answers[-1]), 1):
        times.append(cpu_milliseconds(partial(answer_question, session, task.person, rng)))
        if count in answers:
            errors.append(task.metrics["error"](session.sample))
    return {"rule": rule, "seed": seed, "errors": errors, "milliseconds": median(times)}


def speed(items: int = TIMED_ITEMS, answers: int = ANSWERS[-1]) -> dict[str, float]:
    """Median CPU milliseconds of a whole question, and of the update alone, with the goal's strategy."""
    task = hierarchy(stream(1, 0, "task"), items=items, chains=CHAINS)
    session = task.session(GOAL_RULE, 1, repeat=False)
    questions, updates = [], []
    for number, rng in enumerate(person_streams(1, answers)):
        before = session.posterior
        questions.append(cpu_milliseconds(partial(answer_question, session, task.person, rng)))
        update = partial(before.update, session.answers[-1], stream(2, number, "update"))
        updates.append(cpu_milliseconds(update))
    return {"question_ms": median(questions[10:]), "update_ms": median(updates[10:])}


def compare(runs: list[dict[str, Any]], answers: tuple[int, ...] = ANSWERS) -> dict[str, Any]:
    """Mean errors by strategy, and paired differences to random and to the goal's strategy, with standard errors."""
    seeds = sorted({row["seed"] for row in runs})
    errors = {
        rule: np.array([row["errors"] for seed in seeds for row in runs if (row["rule"], row["seed"]) == (rule, seed)])
        for rule in dict.fromkeys(row["rule"] for row in runs)
    }

    result: dict[str, Any] = {"seeds": len(seeds), "marks": list(answers), "rules": {}}
    for rule, found in errors.items():
        minus_random, excess = found - errors["random"], found - errors.get(GOAL_RULE, found)
        result["rules"][rule] = {
            "error": found.mean(axis=0).tolist(),
            "standard_error": standard_error(found).tolist(),
            "minus_random": minus_random.mean(axis=0).tolist(),
            "minus_random_standard_error": standard_error(minus_random).tolist(),
            "excess": excess.mean(axis=0).tolist(),
            "excess_standard_error": standard_error(excess).tolist(),
            "ratio_to_random": (found.mean(axis=0) / errors["random"].mean(axis=0)).tolist(),
            "milliseconds": float(np.mean([row["milliseconds"] for row in runs if row["rule"] == rule])),
        }
    return result


def main() -> None:
    parser = benchmark_parser(__doc__, seeds=20, workers=2)
    parser.add_argument("--items", type=int, default=50)
    parser.add_argument("--rules", nargs="+", default=list(RULES))
    parser.add_argument("--runs", action="store_true", help="with --json: every run as well")
    options = parser.parse_args()
    rules = list(dict.fromkeys(["random", *options.rules]))
    runs = run_in_processes(run, product(rules, seeds_of(options), [options.items]), options.workers)
    result = {**compare(runs), "speed": {str(TIMED_ITEMS): speed()}}
    if options.json:
        print(json.dumps({**result, "runs": runs} if options.runs else result))
        return
    print("rule", *(f"after {count}" for count in ANSWERS), "ratio to random", "ms a question", sep="   ")
    for rule, row in result["rules"].items():
        cells = [f"{error:.4f} ({se:.4f})" for error, se in zip(row["error"], row["standard_error"], strict=True)]
        print(rule, *cells, f"{row['ratio_to_random'][-1]:.3f}", f"{row['milliseconds']:.1f}", sep="   ")
    times = (f"{key} {value:.1f}" for key, value in result["speed"][str(TIMED_ITEMS)].items())
    print(f"n = {TIMED_ITEMS}", *times, sep="   ")


if __name__ == "__main__":
    main()
