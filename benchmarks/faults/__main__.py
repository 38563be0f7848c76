"""Whether bad input breaks anything: thousands of broken tables, odd calls, odd terminals and damaged files.

There must be no traceback, no hang, no change after a refusal, no lost answer and no wrong one; each failure is listed
with the command that repeats it, and the exit code is 1. The cases depend on the seed, and a whole run takes about a
quarter of an hour. `python -m benchmarks.faults [--json] [--quick] [--seed 0] [--area AREA [--case N]]`
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy loads its BLAS

from benchmarks.faults import api, commands, files, tables
from benchmarks.faults.common import COUNTS, FAULTS, Area, sample_numbers
from benchmarks.faults.watch import CASE_SECONDS, Result, count_outcomes, run

AREAS: dict[str, Area] = {"tables": tables, "api": api, "commands": commands, "files": files}
LISTED = 40  # distinct failures in the table for people


def measure(
    areas: list[str], seed: int, quick: bool, case: int | None = None, patience: float = CASE_SECONDS, workers: int = 1
) -> dict[str, Any]:
    """All counts, and every failure with what repeats it."""
    counts: dict[str, Any] = {}
    failures: list[dict[str, Any]] = []
    for name in areas:
        area, start = AREAS[name], time.monotonic()
        numbers = sample_numbers(area.COUNT, area.QUICK if quick else area.COUNT) if case is None else [case]
        results = run(area, seed, numbers, workers, patience, _Progress(name, len(numbers)))
        counts[name] = {**dict(count_outcomes(results)), "seconds": round(time.monotonic() - start, 1)}
        failures += [failure for result in results for failure in _failures(name, seed, result)]
    total = {count: sum(row[count] for row in counts.values()) for count in COUNTS}
    return {"seed": seed, "quick": quick, **total, "areas": counts, "failures": failures}


def _failures(area: str, seed: int, result: Result) -> list[dict[str, Any]]:
    number, what, outcome = result
    again = f"python -m benchmarks.faults --seed {seed} --area {area} --case {number}"
    head = {"area": area, "case": number, "seed": seed, "description": what, "again": again}
    return [{**head, **vars(failure)} for failure in outcome.failures]


class _Progress:
    """A line that says how far it is, if somebody looks."""

    def __init__(self, name: str, total: int):
        self.name, self.total, self.done, self.failed = name, total, 0, 0

    def __call__(self, result: Result) -> None:
        self.done += 1
        self.failed += bool(result[2].failures)
        if sys.stderr.isatty():
            print(f"\r{self.name}: {self.done} of {self.total}, {self.failed} failed ", end="", file=sys.stderr)
            if self.done == self.total:
                print(file=sys.stderr)


def printed(found: dict[str, Any]) -> None:
    """A table for people: the counts of each area, then each kind of failure once."""
    print(f"{'':28}", *(f"{name:>9}" for name in (*found["areas"], "all")))
    for count in COUNTS:
        row = [areas[count] for areas in found["areas"].values()]
        print(f"{count:28}", *(f"{number:9,}" for number in (*row, found[count])))
    kinds: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for failure in found["failures"]:
        about = failure["where"] or failure["what"]
        kinds.setdefault((failure["kind"], about, failure["exception"].partition(":")[0]), []).append(failure)
    largest = sorted(kinds.values(), key=len, reverse=True)
    for alike in largest[:LISTED]:
        first = alike[0]
        print(f"\n{len(alike)} x {first['kind']}: {first['what']}  {first['where']}")
        print(f"    {first['description']}")
        print(f"    {first['exception']}" if first["exception"] else "", first["again"], sep="\n    ")
    if len(largest) > LISTED:
        print(f"\nand {len(largest) - LISTED} more kinds; --json has them all")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="a few dozen cases of each area")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--area", choices=list(AREAS))
    parser.add_argument("--case", type=int, help="run this one again")
    options = parser.parse_args()
    if options.case is not None and options.area is None:
        parser.error("--case needs --area")
    areas = [options.area] if options.area else list(AREAS)
    found = measure(areas, options.seed, options.quick, options.case, workers=os.cpu_count() or 1)
    if options.json:
        print(json.dumps(found))
    else:
        printed(found)
    sys.exit(any(found[kind] for kind in FAULTS))


if __name__ == "__main__":
    main()
