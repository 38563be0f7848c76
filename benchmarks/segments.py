"""What certificates of segments state when a session stops, and what is true: for people whom the prior expects or not.

60 items in a row. Truths: drawn from the prior; one segment; 6 segments with cuts at random places; 4 segments of which
three, at the ends, have one or two items; 3 of which the middle one has one item; all items alone. A share of the
answers is wrong, and the goal learns it or is told 0.05.
`python -m benchmarks.segments [--goal segments] [--truths prior one ...] [--wrong 0.05] [--told] [--epsilon 0.02]`
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from itertools import product
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from numpy.random import Generator

from askwise._runtime.streams import stream
from askwise.goals import GOALS
from askwise.posteriors.segmentations.posterior import SegmentationPosterior
from askwise.simulate.people import LabellingPerson
from askwise.simulate.runs import person_streams, simulate_answers
from askwise.structures.intervals import Segmentations
from askwise.types import Floats
from benchmarks.common import benchmark_parser, run_in_processes, seeds_of, standard_error

ITEMS = 60
TOLD_NOISE = 0.05
TRUTHS: dict[str, Callable[[Segmentations, Generator], Floats]] = {
    "prior": lambda family, rng: SegmentationPosterior.prior(family).sample(1, rng).structures[0],
    "one": lambda family, rng: np.ones(1),
    "six": lambda family, rng: np.sort(rng.choice(family.edges[1:-1], 5, replace=False)),
    "unequal": lambda family, rng: family.edges[[1, 2, ITEMS - 2]],
    "speck": lambda family, rng: family.edges[[ITEMS // 2, ITEMS // 2 + 1]],
    "alone": lambda family, rng: family.edges[1:-1],
}


def run(goal: str, truth: str, wrong: float, told: bool, epsilon: float, seed: int) -> dict[str, float]:
    """One person, asked until the goal is settled."""
    rng = stream(seed, 0, "segments")
    options: dict[str, Any] = {"item": int(rng.integers(ITEMS))} if goal == "segment_of" else {}
    options |= {"noise": TOLD_NOISE if told else None, "epsilon": epsilon, "seed": seed}
    session: Any = GOALS[goal]({"x": list(range(ITEMS))}, "x", **options)
    cuts = TRUTHS[truth](session.problem.family, rng)
    person = LabellingPerson(session.problem.family, cuts, wrong)
    for _ in simulate_answers(session, person, person_streams(seed, session.goal.budget), until_settled=True):
        pass
    certificate = session.certificate()
    return {
        "answers": len(session.answers),
        "stated": certificate.expected_distance,
        "true": float(session.problem.distance.paired(certificate.estimate.structure[None], cuts[None])[0]),
        "settled": float(session.reason is not None and session.reason.kind == "settled"),
        "warned": float(certificate.warning is not None),
        "noise": session.posterior.diagnostics()["noise"],
    }


def main() -> None:
    parser = benchmark_parser(__doc__, seeds=24)
    parser.add_argument("--goal", choices=("segments", "segment_of"), default="segments")
    parser.add_argument("--truths", nargs="+", choices=TRUTHS, default=list(TRUTHS))
    parser.add_argument("--wrong", nargs="+", type=float, default=[0.05, 0.15], help="shares of wrong answers")
    parser.add_argument("--told", action="store_true", help=f"tell the goal that the noise is {TOLD_NOISE}")
    parser.add_argument("--epsilon", type=float, default=0.02, help="how undecided it may stay [0.02]")
    options = parser.parse_args()
    for truth, wrong in product(options.truths, options.wrong):
        jobs = [(options.goal, truth, wrong, options.told, options.epsilon, seed) for seed in seeds_of(options)]
        runs = run_in_processes(run, jobs, options.workers)
        columns = {name: np.array([row[name] for row in runs]) for name in runs[0]}
        error = float(standard_error(columns["true"]))
        means = {name: float(values.mean()) for name, values in columns.items()}
        if options.json:
            print(json.dumps({"truth": truth, "wrong": wrong, **means, "true_standard_error": error}), flush=True)
            continue
        told = (f"{name} {value:.4g}" for name, value in means.items())
        print(f"{truth}, {wrong:g} wrong:", *told, f"(standard error of true {error:.2g})", sep="   ", flush=True)


if __name__ == "__main__":
    main()
