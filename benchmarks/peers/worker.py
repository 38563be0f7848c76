"""One run of one peer, and the process that makes several: it prints a JSON line for each.

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
LOOKS = tuple(range(5, QUESTIONS + 1, 5))  # answers after which the errors are kept
Run = Mapping[str, Any]  # errors by name, a number a look, and CPU milliseconds a question


class Learner(Protocol):
    """What a peer is made to look like. One with a posterior has `beliefs()` too: the best item of each draw."""

    def ask(self) -> Any: ...
    def tell(self, question: Any, response: Any) -> None: ...
    def estimate(self) -> Any: ...


def converse(task: Any, learner: Learner, questions: int = QUESTIONS) -> Run:
    """Asks, tells and estimates again and again. The estimate is made after every answer, as people want to see it, and
    its time counts; the simulated person's time does not."""
    asked: Counter[Any] = Counter()
    errors: dict[str, list[float]] = {}
    spent = 0.0
    for number in range(1, questions + 1):
        start = time.process_time()
        question = learner.ask()
        spent += time.process_time() - start
        place = tuple(sorted(question)) if isinstance(question, tuple) else question
        response = task.answer(question, asked[place])
        asked[place] += 1
        start = time.process_time()
        learner.tell(question, response)
        found = learner.estimate()
        spent += time.process_time() - start
        if number in LOOKS:
            now = task.errors(found)
            if hasattr(learner, "beliefs"):
                drawn = [task.errors(best)["wrong"] for best in learner.beliefs()]
                now["belief"] = float(np.mean(drawn))
            for name, value in now.items():
                errors.setdefault(name, []).append(short(value))
    return {"errors": errors, "cpu_ms": round(1000 * spent / questions, 3)}


def short(value: float) -> float:
    """Four decimals, and none where none are needed."""
    return int(value) if value == int(value) else round(value, 4)


def moments(draws: Any, seconds: float) -> Run:
    """What is kept of a sampler's draws (S, D): means and variances, and what they cost."""
    return {
        "mean": [short(value) for value in draws.mean(axis=0).tolist()],
        "variance": [short(value) for value in draws.var(axis=0, ddof=1).tolist()],
        "draws": len(draws),
        "cpu_ms": round(1000 * seconds, 3),
    }


def work(runs: Mapping[str, Callable[[int], Run]], *packages: str) -> None:
    """Does what the command line asks for."""
    peer, *seeds = sys.argv[1:]
    used = ", ".join(f"{package} {version(package)}" for package in packages)
    for seed in map(int, seeds):
        print(
            json.dumps({"peer": peer, "seed": seed, **runs[peer](seed), "with": used}, separators=(",", ":")),
            flush=True,
        )
