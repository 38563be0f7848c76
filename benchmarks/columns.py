"""How wrong the posterior of a matrix still is after 50, 100 and 250 entries, by strategy, and what a question costs.

Every strategy meets the same matrices and the same known entries (`askwise.simulate.tasks.columns`), so differences are
paired by seed. `python -m benchmarks.columns [--seeds 40] [--first 0] [--workers 2] [--json]`
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy loads its BLAS

import numpy as np

from askwise._runtime.streams import stream
from askwise.session import Session
from askwise.simulate.people import SimulatedPerson
from askwise.simulate.runs import answer_question, person_streams
from askwise.simulate.tasks import Task, columns
from benchmarks.common import benchmark_parser, cpu_milliseconds, run_in_processes, seeds_of, standard_error

RULES = ("random", "variance", "ndbal", "expected")
ENTRIES = (50, 100, 250)  # after which the error is measured
CHAINS = 32
TARGET_MS = 20.0  # CPU milliseconds of a question
Curve = dict[str, float]


def run(
    rule: str,
    seed: int,
    entries: tuple[int, ...] = ENTRIES,
    chains: int = CHAINS,
    make_task: Callable[..., Task] = columns,
    **settings: Any,
) -> Curve:
    """The error after each of these numbers of entries, and the median CPU milliseconds of a question."""
    task = make_task(stream(seed, 0, "task"), chains=chains, **settings)
    session = task.session(rule, seed, repeat=False)
    session.ask()  # loads the compiled code before the clock starts
    found, times = {"0": task.metrics["error"](session.sample)}, []
    for count, rng in enumerate(person_streams(seed, max(entries)), 1):
        times.append(cpu_milliseconds(partial(_answer_and_ask, session, task.person, rng)))
        if count in entries:
            found[str(count)] = task.metrics["error"](session.sample)
    return {**found, "ms": float(np.median(times))}


def _answer_and_ask(session: Session, person: SimulatedPerson, rng: np.random.Generator) -> None:
    answer_question(session, person, rng)
    session.ask()


def compare(curves: dict[str, list[Curve]], best: str = "expected") -> dict[str, Any]:
    """Means and standard errors by strategy, and of each one minus `best` on the same seeds."""
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
    figures = zip(steps, values.mean(axis=0), standard_error(values), strict=True)
    return {step: (float(mean), float(error)) for step, mean, error in figures}


def verdict(result: dict[str, Any], last: str) -> str:
    """Whether the goal's strategy is ahead of asking where the variance is largest."""
    mean, error = result["minus_expected"]["variance"][last]
    ahead = "below" if mean > 2 * error else "NOT below"
    return f"expected is {ahead} variance by two standard errors after {last} entries: {mean:.3f} ({error:.3f})"


def main() -> None:
    parser = benchmark_parser(__doc__, seeds=40, workers=2)
    parser.add_argument("--chains", type=int, default=CHAINS)
    parser.add_argument("--rules", nargs="+", default=RULES, help="expected and variance among them")
    parser.add_argument("--raw", action="store_true", help="print every run, to combine several calls")
    options = parser.parse_args()
    jobs = list(product(options.rules, seeds_of(options), [ENTRIES], [options.chains]))
    found = dict(zip(jobs, run_in_processes(run, jobs, options.workers), strict=True))
    curves = {rule: [curve for job, curve in found.items() if job[0] == rule] for rule in options.rules}
    result = compare(curves)
    if options.raw:
        print(json.dumps(curves))
        return
    if options.json:
        print(json.dumps(result))
        return
    print_figures(result)
    print(f"the target is {TARGET_MS:g} ms")
    print(verdict(result, str(ENTRIES[-1])))


def print_figures(result: dict[str, Any], digits: int = 3) -> None:
    """Errors with standard errors, their differences, and times."""
    for part in (name for name in result if name == "error" or name.startswith("minus_")):
        print(part.replace("_", " "))
        for rule, steps in result[part].items():
            figures = (f"{step}: {mean:.{digits}f} ({e:.{digits}f})" for step, (mean, e) in steps.items())
            print(f"  {rule:9}", *figures, sep="  ")
    print("CPU ms a question", *(f"{rule} {ms:.1f}" for rule, ms in result["cpu_ms_per_question"].items()), sep="  ")


if __name__ == "__main__":
    main()
