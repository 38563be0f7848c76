"""Whether clusterings, hierarchies, matrices, fair classifiers, segments and short rankings meet their targets.

Runs the benchmarks one after the other and compares their figures with the targets; that takes an hour or more on
two cores. `python -m benchmarks.structures [--only PART ...] [--json]`
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from benchmarks.common import benchmark_parser

PARTS = {
    "cluster_of": "clusters",
    "hierarchy": "hierarchy",
    "best_column": "columns",
    "fair_classifier": "fairness",
    "segments": "errors segments",
    "top_ranking": "errors top_ranking",
    "matrix": "matrix",
}


class Target(NamedTuple):
    """What a benchmark should reach: a figure of at most `limit`."""

    part: str
    description: str
    figure: Callable[[Any], float]  # of what the benchmark prints as JSON
    limit: float


def behind(mean: float, error: float) -> float:
    """An upper bound on how far a strategy is behind when it seems ahead by `mean`; below 0, it is ahead beyond two
    standard errors."""
    return 2 * error - mean


def behind_qbc(qbc: dict[str, Any]) -> float:
    """How far `expected` is behind query by committee after the second number of answers."""
    return behind(qbc["excess"][1], qbc["excess_standard_error"][1])


TARGETS = (
    Target("cluster_of", "error after 100 answers with the goal's rule",
        lambda found: found["rules"]["expected"]["mean"][-1], 0.10),
    Target("cluster_of", "the same over qbc's",
        lambda found: found["rules"]["expected"]["mean"][-1] / found["rules"]["qbc"]["mean"][-1], 0.5),
    Target("cluster_of", "CPU ms a question, 200 items, 32 chains",
        lambda found: found["speed"]["200"]["question_ms"], 12.0),
    Target("cluster_of", "CPU ms a question, 500 items, 32 chains",
        lambda found: found["speed"]["500"]["question_ms"], 30.0),
    Target("hierarchy", "error over random's, after 300 answers",
        lambda found: found["rules"]["expected"]["ratio_to_random"][-1], 0.7),
    Target("hierarchy", "CPU ms a question, 100 items", lambda found: found["speed"]["100"]["question_ms"], 30.0),
    Target("best_column", "error less that of the largest variance, plus 2 standard errors, after 250 entries",
        lambda found: behind(*found["minus_expected"]["variance"]["250"]), 0.0),
    Target("best_column", "CPU ms a question, 40 x 60, 32 chains",
        lambda found: found["cpu_ms_per_question"]["expected"], 20.0),
    Target("matrix", "error less that of random entries, plus 2 standard errors, after 120 entries",
        lambda found: behind(*found["minus_ndbal"]["random"]["120"]), 0.0),
    Target("fair_classifier", "violation of equal opportunity less the plain rule's, after 200 answers",
        lambda found: found["violation"]["fair_minus_plain"], 0.0),
    Target("fair_classifier", "error less the plain rule's, after 200 answers",
        lambda found: found["error"]["fair_minus_plain"], 0.02),
    Target("segments", "error over random's, after 60 answers",
        lambda found: found["rules"]["expected"]["ratio_to_random"][-1], 0.25),
    Target("segments", "error less that of qbc, plus 2 standard errors, after 40 answers",
        lambda found: behind_qbc(found["rules"]["qbc"]), 0.0),
    Target("segments", "CPU ms a question, 150 items", lambda found: found["rules"]["expected"]["milliseconds"], 20.0),
    Target("top_ranking", "error over random's, after 75 answers",
        lambda found: found["rules"]["expected"]["ratio_to_random"][-1], 0.7),
    Target("top_ranking", "error less that of qbc, plus 2 standard errors, after 50 answers",
        lambda found: behind_qbc(found["rules"]["qbc"]), 0.0),
)  # fmt: skip


def judge(results: dict[str, Any]) -> list[dict[str, Any]]:
    """For each target of these benchmarks: the figure, and whether the target is met."""
    verdicts = []
    for part, description, figure, limit in TARGETS:
        if part in results:
            value = float(figure(results[part]))
            verdict = {"part": part, "target": description, "reached": value, "limit": limit, "met": value <= limit}
            verdicts.append(verdict)
    return verdicts


def measure(module: str) -> Any:
    """What the benchmark, a module with its arguments, prints as JSON."""
    command = [sys.executable, "-m", *f"benchmarks.{module}".split(), "--json"]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)


def main() -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    results = {name: measure(PARTS[name]) for name in options.only}
    verdicts = judge(results)
    if options.json:
        print(json.dumps({**results, "targets": verdicts}))
        return
    for row in verdicts:
        met = "met" if row["met"] else "NOT met"
        print(f"{row['part']}: {row['target']}: {row['reached']:.4g} (target: at most {row['limit']:g}), {met}")


if __name__ == "__main__":
    main()
