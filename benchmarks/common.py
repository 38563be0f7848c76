"""What the benchmarks share: their options, stored results, standard errors, clocks and a table of random items."""

from __future__ import annotations

import argparse
import inspect
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from askwise.types import Floats

DEFAULT_SHAPE = "default"  # what a goal does when nobody names a shape


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


def takes_shape(goal: Callable[..., Any]) -> bool:
    """Whether the goal has the option `shape`."""
    return "shape" in inspect.signature(goal).parameters


def shape_options(goal: Callable[..., Any], shape: str) -> dict[str, Any]:
    """The options that give a goal this shape; several shapes have + between. A goal without the option is linear.

    >>> shape_options(lambda data, shape="learned": None, "linear+smooth")
    {'shape': ['linear', 'smooth']}
    """
    if shape == DEFAULT_SHAPE:
        return {}
    if takes_shape(goal):
        return {"shape": shape.split("+") if "+" in shape else shape}
    if shape != "linear":
        raise SystemExit(f"this version of the goal knows no shape {shape!r}: it has no option shape=; use linear")
    return {}


def known_shapes(goal: Callable[..., Any], shapes: Iterable[str]) -> list[str]:
    """The shapes that are tried, each once. A goal without the option is linear by default."""
    known = takes_shape(goal)
    return list(dict.fromkeys("linear" if shape == DEFAULT_SHAPE and not known else shape for shape in shapes))


def stored_lines(path: Path | None) -> list[dict[str, Any]]:
    """The lines of a JSON-lines file, without a last line that was cut off."""
    texts = path.read_text(encoding="utf-8").split("\n")[:-1] if path is not None and path.exists() else []
    return [json.loads(text) for text in texts]


def append_line(path: Path | None, line: dict[str, Any]) -> None:
    """Adds a line to the file, if there is one. A line that was cut off before is removed first."""
    if path is None:
        return
    with path.open("ab+") as file:
        if file.tell() and not _ends_with_newline(file):
            file.seek(0)
            file.truncate(file.read().rfind(b"\n") + 1)
        file.write(json.dumps(line).encode() + b"\n")


def _ends_with_newline(file: BinaryIO) -> bool:
    file.seek(-1, os.SEEK_END)
    return file.read(1) == b"\n"


def results_as_they_come(run: Callable[[Any], Any], jobs: Iterable[Any], workers: int) -> Iterator[Any]:
    """What `run` returns for each job, in the order in which they end."""
    if workers == 1:
        yield from map(run, jobs)
        return
    with ProcessPoolExecutor(workers) as pool:
        for future in as_completed([pool.submit(run, job) for job in jobs]):
            yield future.result()


def run_or_recall(
    run: Callable[[Any], dict[str, Any]], jobs: Sequence[Any], store: Path | None = None, workers: int = 1
) -> list[dict[str, Any]]:
    """A line for each job, in their order: those that are stored, and the others, which are then stored too.

    A job is a named tuple, and its line contains its fields.
    """
    kind = type(jobs[0])
    known = {kind(**{field: line[field] for field in kind._fields}): line for line in stored_lines(store)}
    for line in results_as_they_come(run, [job for job in jobs if job not in known], workers):
        append_line(store, line)
        known[kind(**{field: line[field] for field in kind._fields})] = line
    return [known[job] for job in jobs]


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
