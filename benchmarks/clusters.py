"""How fast the rules find a cluster, or all clusters, and what a question costs.

`python -m benchmarks.clusters [--json] [--goal clusters] [--seeds 24]`: the task of `askwise.simulate.clusters` (150
items, 8 clusters, 5 % wrong answers, scales learned), every rule on the same people, the mean distance from the
posterior to the truth. Differences to the goal's rule are paired by person. CPU time is of one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from concurrent.futures import ProcessPoolExecutor
from statistics import median
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy loads its BLAS

import numpy as np

from askwise.session import Session
from askwise.simulate.clusters import clusters
from askwise.simulate.people import answer
from askwise.simulate.tasks import Task
from askwise.streams import stream

RULES = ("random", "qbc", "ndbal", "expected", "margin")
OURS = "expected"
STEPS = (25, 50, 100)
CHAINS = 64


def session_of(task: Task, rule: str, seed: int, chains: int) -> Session:
    """One draw a chain; questions may repeat, since answers are noisy."""
    return Session(task.problem, task.prior, rule=rule, seed=seed, draws=chains, repeat=True)


def errors(setting: tuple[str, str, int]) -> list[float]:
    """The mean posterior distance to the truth of one person, after each of STEPS answers."""
    goal, rule, seed = setting
    task = clusters(stream(seed, 0, "benchmark"), goal=goal, chains=CHAINS)
    session = session_of(task, rule, seed, CHAINS)
    found = []
    for number in range(max(STEPS)):
        answer(session, task.person, stream(seed, number, "person"))
        if number + 1 in STEPS:
            found.append(task.metrics["error"](session.sample))
    return found


def compare(goal: str, seeds: int, workers: int) -> dict[str, Any]:
    """Mean and standard error of each rule, and of its excess over the goal's rule."""
    settings = [(goal, rule, seed) for rule in RULES for seed in range(seeds)]
    with ProcessPoolExecutor(workers) as pool:
        found = np.array(list(pool.map(errors, settings))).reshape(len(RULES), seeds, len(STEPS))
    ours = found[RULES.index(OURS)]
    return {
        rule: {
            "mean": curves.mean(axis=0).tolist(),
            "se": _standard_error(curves),
            "excess": (curves - ours).mean(axis=0).tolist(),
            "excess_se": _standard_error(curves - ours),
        }
        for rule, curves in zip(RULES, found, strict=True)
    }


def speed(items: int, chains: int = 32, answers: int = 60) -> dict[str, float]:
    """Median CPU milliseconds of a question, all in, and of the update alone, with the goal's rule."""
    task = clusters(stream(1, 0, "benchmark"), items=items, chains=chains)
    session = session_of(task, OURS, 1, chains)
    whole, moves = [], []
    for number in range(answers):
        start = time.process_time_ns()
        answer(session, task.person, stream(1, number, "person"))
        whole.append((time.process_time_ns() - start) / 1e6)
        posterior, told = session.posterior, session.answers[-1]
        start = time.process_time_ns()
        posterior.update(told, stream(2, number, "update"))
        moves.append((time.process_time_ns() - start) / 1e6)
    return {"question_ms": median(whole[10:]), "update_ms": median(moves[10:])}


def _standard_error(curves: Any) -> list[float]:
    return (curves.std(axis=0, ddof=1) / np.sqrt(len(curves))).tolist()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--goal", choices=("cluster_of", "clusters"), default="cluster_of")
    parser.add_argument("--seeds", type=int, default=24)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--speed-only", action="store_true")
    options = parser.parse_args()
    result: dict[str, Any] = {"goal": options.goal, "seeds": options.seeds, "steps": STEPS, "chains": CHAINS}
    result["speed"] = {str(items): speed(items) for items in (200, 500)}
    result["rules"] = {} if options.speed_only else compare(options.goal, options.seeds, options.workers)
    if options.json:
        print(json.dumps(result))
        return
    for items, row in result["speed"].items():
        print(f"n = {items}", *(f"{key} {value:.1f}" for key, value in row.items()), sep="  ")
    for rule, row in result["rules"].items():
        shown = [f"{mean:.3f} ({se:.3f})" for mean, se in zip(row["mean"], row["se"], strict=True)]
        more = [f"{mean:+.3f} ({se:.3f})" for mean, se in zip(row["excess"], row["excess_se"], strict=True)]
        print(f"{rule:9}", *shown, " against expected:", *more)


if __name__ == "__main__":
    main()
