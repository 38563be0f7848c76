"""Clusterings, hierarchies, matrices and fair classifiers: how wrong each rule still is, and what a question costs.

`python -m benchmarks.structures [--json]` runs the four benchmarks one after another, as `python -m benchmarks.NAME`
would; together they take the better part of an hour on two cores.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from typing import Any

PARTS = {"cluster_of": "clusters", "hierarchy": "hierarchy", "best_column": "columns", "fair_classifier": "fairness"}


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
    print(json.dumps(results) if options.json else json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
