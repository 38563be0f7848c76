"""Clusterings, hierarchies, matrices and fair classifiers: how wrong each rule still is, what a question costs, and
whether that is what we aimed at.

`python -m benchmarks.structures [--json]` runs the four benchmarks one after another, as `python -m benchmarks.NAME`
would; together they take an hour or more on two cores.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

PARTS = {"cluster_of": "clusters", "hierarchy": "hierarchy", "best_column": "columns", "fair_classifier": "fairness"}


class Aim(NamedTuple):
    """What a part should reach: at most so much."""

    part: str
    words: str
    reached: Callable[[Any], float]  # of what the part prints as JSON
    limit: float


def behind(mean: float, error: float) -> float:
    """By how much a rule may still be behind when it is ahead by `mean`: below 0, ahead beyond two standard errors."""
    return 2 * error - mean


AIMS = (
    Aim("cluster_of", "error after 100 answers with the goal's rule",
        lambda found: found["rules"]["expected"]["mean"][-1], 0.10),
    Aim("cluster_of", "the same over qbc's",
        lambda found: found["rules"]["expected"]["mean"][-1] / found["rules"]["qbc"]["mean"][-1], 0.5),
    Aim("cluster_of", "CPU ms a question, 200 items, 32 chains",
        lambda found: found["speed"]["200"]["question_ms"], 12.0),
    Aim("cluster_of", "CPU ms a question, 500 items, 32 chains",
        lambda found: found["speed"]["500"]["question_ms"], 30.0),
    Aim("hierarchy", "error over random's, after 300 answers",
        lambda found: found["rules"]["expected"]["ratio_to_random"][-1], 0.7),
    Aim("hierarchy", "CPU ms a question, 100 items", lambda found: found["speed"]["100"]["question_ms"], 30.0),
    Aim("best_column", "error less that of the largest variance, plus 2 standard errors, after 250 entries",
        lambda found: behind(*found["minus_expected"]["variance"]["250"]), 0.0),
    Aim("best_column", "CPU ms a question, 40 x 60, 32 chains",
        lambda found: found["cpu_ms_per_question"]["expected"], 20.0),
    Aim("fair_classifier", "violation of equal opportunity less the plain rule's, after 200 answers",
        lambda found: found["violation"]["fair_minus_plain"], 0.0),
    Aim("fair_classifier", "error less the plain rule's, after 200 answers",
        lambda found: found["error"]["fair_minus_plain"], 0.02),
)  # fmt: skip


def judge(results: dict[str, Any]) -> list[dict[str, Any]]:
    """Each aim of the parts that were run: what was reached, and whether that is enough."""
    verdicts = []
    for part, words, reached, limit in AIMS:
        if part in results:
            value = float(reached(results[part]))
            verdicts.append({"part": part, "aim": words, "reached": value, "limit": limit, "met": value <= limit})
    return verdicts


def measure(module: str) -> Any:
    """What the benchmark prints as JSON."""
    command = [sys.executable, "-m", f"benchmarks.{module}", "--json"]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    results = {name: measure(PARTS[name]) for name in options.only}
    verdicts = judge(results)
    if options.json:
        print(json.dumps({**results, "aims": verdicts}))
        return
    for row in verdicts:
        met = "met" if row["met"] else "NOT met"
        print(f"{row['part']}: {row['aim']}: {row['reached']:.4g} (aim: at most {row['limit']:g}), {met}")


if __name__ == "__main__":
    main()
