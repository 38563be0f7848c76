"""One run of one peer, and a process that makes several runs and prints a JSON line for each.

`python -m benchmarks.peers.MODULE PEER SEED...` in the peer's own environment.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any, Protocol

import numpy as np

QUESTIONS = 100
MEASURED_ANSWERS = tuple(range(5, QUESTIONS + 1, 5))  # numbers of answers after which errors are measured
Run = Mapping[str, Any]  # errors by name, one for each of these numbers, and CPU milliseconds a question


class Learner(Protocol):
    """The interface that every peer gets. One with a posterior also has `beliefs()`: the best item of each draw."""

    def ask(self) -> Any: ...
    def tell(self, question: Any, response: Any) -> None: ...
    def estimate(self) -> Any: ...


def run_learner(task: Any, learner: Learner, questions: int = QUESTIONS) -> Run:
    """Asks, tells and estimates, question by question.

    The learner estimates after every answer, since people want to see it, and that time counts. The simulated
    person's time does not.
    """
    asked: Counter[Any] = Counter()
    errors: dict[str, list[float]] = {}
    seconds = 0.0
    for number in range(1, questions + 1):
        start = time.process_time()
        question = learner.ask()
        seconds += time.process_time() - start
        key = tuple(sorted(question)) if isinstance(question, tuple) else question
        response = task.answer(question, asked[key])
        asked[key] += 1
        start = time.process_time()
        learner.tell(question, response)
        estimate = learner.estimate()
        seconds += time.process_time() - start
        if number in MEASURED_ANSWERS:
            measured = task.errors(estimate)
            if hasattr(learner, "beliefs"):
                wrong = [task.errors(best)["wrong"] for best in learner.beliefs()]
                measured["belief"] = float(np.mean(wrong))
            for name, value in measured.items():
                errors.setdefault(name, []).append(rounded(value))
    return {"errors": errors, "cpu_ms": round(1000 * seconds / questions, 3)}


def rounded(value: float) -> float:
    """Four decimals, or none for a whole number."""
    return int(value) if value == int(value) else round(value, 4)


def sampler_record(draws: Any, seconds: float) -> Run:
    """What is stored of a sampler's draws (S, D): means, variances and CPU time."""
    return {
        "mean": [rounded(value) for value in draws.mean(axis=0).tolist()],
        "variance": [rounded(value) for value in draws.var(axis=0, ddof=1).tolist()],
        "draws": len(draws),
        "cpu_ms": round(1000 * seconds, 3),
    }


def print_runs(runs: Mapping[str, Callable[[int], Run]], *packages: str) -> None:
    """Makes the runs that the command line names, and prints each as JSON."""
    peer, *seeds = sys.argv[1:]
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    for seed in map(int, seeds):
        print(
            json.dumps({"peer": peer, "seed": seed, **runs[peer](seed), "with": versions}, separators=(",", ":")),
            flush=True,
        )
