"""What the benchmarks share: their options, standard errors, clocks and a table of random items."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np

from askwise.types import Floats


def benchmark_parser(doc: str | None, *, seeds: int | None = None, workers: int = 1) -> argparse.ArgumentParser:
    """Options that benchmarks have in common; with `seeds`, those of a benchmark that compares people by seed."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print every figure as JSON")
    if seeds is not None:
        parser.add_argument("--seeds", type=int, default=seeds, help=f"how many people or data sets [{seeds}]")
        parser.add_argument("--first", type=int, default=0, help="the first seed [0]")
        parser.add_argument("--workers", type=int, default=workers, help=f"processes [{workers}]")
    return parser


def seeds_of(options: argparse.Namespace) -> range:
    """The seeds that the options ask for."""
    return range(options.first, options.first + options.seeds)


def run_in_processes(function: Callable[..., Any], jobs: Iterable[tuple[Any, ...]], workers: int) -> list[Any]:
    """What the function returns for each tuple of arguments, in their order."""
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(function, *zip(*jobs, strict=True)))


def standard_error(runs: Floats) -> Floats:
    """(R, ...) -> (...): the standard error of the mean over R runs; 0 for one run.

    >>> float(standard_error(np.array([1.0, 3.0])))
    1.0
    """
    if len(runs) < 2:
        return np.zeros(runs.shape[1:])
    error: Floats = runs.std(axis=0, ddof=1) / np.sqrt(len(runs))
    return error


def cpu_milliseconds(work: Callable[[], Any]) -> float:
    """How long the work takes, in CPU time of this process."""
    start = time.process_time()
    work()
    return 1e3 * (time.process_time() - start)


def random_items(seed: int = 0, items: int = 50, features: int = 10) -> list[dict[str, Any]]:
    """A table of items with standard normal features.

    >>> [list(row) for row in random_items(items=1, features=2)]
    [['name', 'x0', 'x1']]
    """
    rows = np.random.default_rng(seed).standard_normal((items, features))
    return [{"name": f"item {i}", **{f"x{j}": float(x) for j, x in enumerate(row)}} for i, row in enumerate(rows)]
