"""How far the entries of a matrix are still off after 30, 60 and 120 of them, by strategy.

Every strategy meets the same matrices and the same known entries (`askwise.simulate.tasks.matrix`), so differences are
paired by seed. Query by committee needs labels to disagree about, so it is not for numbers.
`python -m benchmarks.matrix [--seeds 24] [--first 0] [--workers 2] [--json]`
"""

from __future__ import annotations

import json
from itertools import product
from typing import Any

from askwise.simulate.tasks import matrix
from benchmarks import columns
from benchmarks.common import benchmark_parser, run_in_processes, seeds_of

RULES = ("random", "variance", "ndbal", "expected")
GOAL_RULE = "ndbal"  # the default of the goal matrix
ENTRIES = (30, 60, 120)  # of 300, after which the error is measured
CHAINS = 64  # as the goal has


def run(
    rule: str, seed: int, entries: tuple[int, ...] = ENTRIES, chains: int = CHAINS, **settings: Any
) -> columns.Curve:
    """The error after each of these numbers of entries, and the median CPU milliseconds of a question."""
    return columns.run(rule, seed, entries, chains, matrix, **settings)


def main() -> None:
    options = benchmark_parser(__doc__, seeds=24, workers=2).parse_args()
    jobs = list(product(RULES, seeds_of(options)))
    found = dict(zip(jobs, run_in_processes(run, jobs, options.workers), strict=True))
    result = columns.compare({rule: [found[rule, seed] for seed in seeds_of(options)] for rule in RULES}, GOAL_RULE)
    if options.json:
        print(json.dumps(result))
    else:
        columns.print_figures(result, digits=4)


if __name__ == "__main__":
    main()
