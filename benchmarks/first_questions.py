"""How good the item named after the first questions is, by strategy.

The people are those of `benchmarks.peers`: the best of 50 items on the sphere in ten dimensions, linear tastes of scale
5, logit answers. All strategies ask the same people and are compared with `expected`, person by person. Also: how
likely it was that one of the two items of a question is the best, as the posterior had it when the question was chosen.

`python -m benchmarks.first_questions [--seeds 100] [--first 0] [--rules expected expected-capped] [--answers 25]
[--shape default] [--workers 1] [--json]`
"""

from __future__ import annotations

import json
import os
from itertools import product
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import askwise
from benchmarks.common import DEFAULT_SHAPE, benchmark_parser, run_in_processes, seeds_of, shape_options
from benchmarks.peers.ours import BestItemLearner
from benchmarks.peers.tasks import Choice
from benchmarks.peers.worker import MEASURED_ANSWERS, run_learner

REFERENCE = "expected"


class WatchedLearner(BestItemLearner):
    """It also records the probability that one of the two items it asks about is the best."""

    def __init__(self, task: Choice, **options: Any):
        super().__init__(task, **options)
        self.chances: list[float] = []

    def ask(self) -> tuple[int, int]:
        question = super().ask()
        self.chances.append(float(np.isin(super().beliefs(), question).mean()))
        return question


def run(rule: str, seed: int, shape: str, answers: int) -> dict[str, Any]:
    """The regret after each of MEASURED_ANSWERS, and the chances of the questions before."""
    task = Choice.of(seed)
    learner = WatchedLearner(task, rule=rule, **shape_options(askwise.best_item, shape))
    found = run_learner(task, learner, answers)
    return {"rule": rule, "seed": seed, "regret": found["errors"]["regret"], "chances": learner.chances}


def compare(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """By strategy: mean regrets, what they are more than those of `expected`, and standard errors.

    >>> runs = [{"rule": rule, "seed": seed, "regret": [regret + seed / 10], "chances": [0.5, 0.7]}
    ...         for rule, regret in (("expected", 0.2), ("eubo", 0.1)) for seed in range(2)]
    >>> found = compare(runs)["eubo"]
    >>> [[round(value, 3) for value in found[name]] for name in ("regret", "more", "more_error")], found["chance"]
    ([[0.15], [-0.1], [0.0]], [0.6])
    """
    by_rule = {one["rule"]: [other for other in runs if other["rule"] == one["rule"]] for one in runs}
    known = np.array([one["regret"] for one in by_rule[REFERENCE]])
    found = {}
    for rule, mine in by_rule.items():
        regrets = np.array([one["regret"] for one in mine])
        steps = np.array_split(np.mean([one["chances"] for one in mine], axis=0), regrets.shape[1])
        more = regrets - known
        found[rule] = {
            "regret": regrets.mean(axis=0).tolist(),
            "regret_error": _standard_errors(regrets),
            "more": more.mean(axis=0).tolist(),
            "more_error": _standard_errors(more),
            "chance": [float(step.mean()) for step in steps],
        }
    return found


def _standard_errors(values: Any) -> list[float]:
    """(S, M) -> (M,)"""
    errors: list[float] = (values.std(axis=0, ddof=1) / np.sqrt(len(values))).tolist()
    return errors


def main() -> None:
    parser = benchmark_parser(__doc__, seeds=100)
    parser.add_argument("--rules", nargs="+", default=[REFERENCE, "expected-capped"], help=f"with {REFERENCE}")
    parser.add_argument("--answers", type=int, default=25, help="of a person [25]")
    parser.add_argument("--shape", default=DEFAULT_SHAPE, help="[default]")
    options = parser.parse_args()
    rules = list(dict.fromkeys([REFERENCE, *options.rules]))
    jobs = [(rule, seed, options.shape, options.answers) for seed, rule in product(seeds_of(options), rules)]
    result = compare(run_in_processes(run, jobs, options.workers))
    if options.json:
        print(json.dumps(result))
        return
    measured = [number for number in MEASURED_ANSWERS if number <= options.answers]
    for rule, row in result.items():
        for place, number in enumerate(measured):
            regret = f"{row['regret'][place]:.3f} ({row['regret_error'][place]:.3f})"
            more = f"{row['more'][place]:+.3f} ({row['more_error'][place]:.3f})"
            print(f"{rule:16} after {number:3}: regret {regret}, minus {REFERENCE} {more},", end=" ")
            print(f"one of the two asked was the best with probability {row['chance'][place]:.2f}")


if __name__ == "__main__":
    main()
