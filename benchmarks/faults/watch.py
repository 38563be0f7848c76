"""Runs cases in child processes. One that hangs or dies is counted, and the next case goes on.

The parent keeps the time: compiled code does not react to signals, so an alarm inside the child would not work.
"""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from benchmarks.faults.common import FAULTS, Area, Outcome

CASE_SECONDS = 60.0
WARM_UP_SECONDS = 600.0  # for what is compiled before the first case
MAX_ADDRESS_SPACE = 8 << 30  # bytes; a request for more is an error and does not end the machine
PDEATHSIG, NEWNS = 1, 0x20000  # what Linux calls a signal at the parent's end, and mounts of one's own
Result = tuple[int, str, Outcome]  # the case, what it was, what came of it


@dataclass
class Worker:
    """A child process, the cases it has still to do, and the one it is doing."""

    process: Any
    pipe: Connection
    todo: list[int]
    deadline: float
    current: tuple[int, str] | None = None
    results: list[Result] = field(default_factory=list)


def run(
    area: Area,
    seed: int,
    numbers: Sequence[int],
    workers: int = 1,
    patience: float = CASE_SECONDS,
    progress: Callable[[Result], None] = lambda result: None,
) -> list[Result]:
    """The outcome of every case, in the order of their numbers."""
    with tempfile.TemporaryDirectory(prefix="faults", ignore_cleanup_errors=True) as root:
        results = _run_workers(area, seed, numbers, workers, patience, progress, root)
    return sorted(results, key=lambda result: result[0])


def _run_workers(
    area: Area,
    seed: int,
    numbers: Sequence[int],
    workers: int,
    patience: float,
    progress: Callable[[Result], None],
    root: str,
) -> list[Result]:
    shards = [list(numbers[place::workers]) for place in range(workers)]
    active = [_start(area, seed, shard, root) for shard in shards if shard]
    results: list[Result] = []
    while active:
        now = time.monotonic()
        ready = wait([worker.pipe for worker in active], max(0.0, min(w.deadline for w in active) - now))
        for worker in list(active):
            ended = _receive(worker, patience) if worker.pipe in ready else _check_deadline(worker)
            for result in worker.results:
                results.append(result)
                progress(result)
            worker.results = []
            if ended:
                _kill(worker)
                active.remove(worker)
                _require(root)
                if worker.todo:
                    active.append(_start(area, seed, worker.todo, root))
    return results


def _require(root: str) -> None:
    if not os.path.isdir(root):
        raise RuntimeError(
            f"the scratch folder {root} was removed under way, so what came since means nothing; run again"
        )


def _start(area: Area, seed: int, numbers: Sequence[int], root: str) -> Worker:
    context = get_context("fork")  # what a test has changed in this process is changed in the child, too
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_run_cases, args=(theirs, area, seed, list(numbers), root))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons warn of threads, which this one lacks
        process.start()
    theirs.close()
    return Worker(process, ours, list(numbers), time.monotonic() + WARM_UP_SECONDS)


def _run_cases(pipe: Connection, area: Area, seed: int, numbers: list[int], root: str) -> None:
    """The child: a message before and after each case."""
    os.setpgrp()
    _die_with_parent()
    resource.setrlimit(resource.RLIMIT_AS, (MAX_ADDRESS_SPACE, MAX_ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    with _folder(root) as folder, suppress(Exception):  # what breaks here breaks again in a case, and is counted there
        area.warm_up(folder)
    for number in numbers:
        case = area.case(seed, number)
        pipe.send((number, case.what, None))
        outcome = Outcome()
        with _folder(root) as folder:
            try:
                case.run(folder, outcome)
            except Exception as error:
                outcome.fail("tracebacks", "in the case itself, outside the calls it tries", error)
        pipe.send((number, case.what, outcome))
    pipe.close()
    os._exit(0)  # no clean-up of what odd cases left behind


def _die_with_parent() -> None:
    """If the parent is killed, nobody is left to watch; and what this process mounts ends with it."""
    if sys.platform == "linux":
        system = ctypes.CDLL(None)
        system.prctl(PDEATHSIG, signal.SIGKILL)
        if system.unshare(NEWNS) == 0:
            subprocess.run(["mount", "--make-rprivate", "/"], capture_output=True)


class _folder:
    """An empty folder to work in, gone afterwards."""

    def __init__(self, root: str):
        self.root = root

    def __enter__(self) -> Path:
        self.path = tempfile.mkdtemp(dir=self.root)
        os.chdir(self.path)
        return Path(self.path)

    def __exit__(self, *_: object) -> None:
        os.chdir("/")
        shutil.rmtree(self.path, ignore_errors=True)


def _receive(worker: Worker, patience: float) -> bool:
    """Takes one message; True if it was the last."""
    try:
        number, what, outcome = worker.pipe.recv()
    except EOFError:
        worker.process.join(5)
        if not worker.todo:
            return True
        number, what = worker.current or (worker.todo[0], "before the first case")
        code = worker.process.exitcode
        _record_failure(worker, number, what, "tracebacks", f"the process ended with code {code}")
        return True
    worker.deadline = time.monotonic() + patience
    worker.current = (number, what)
    if outcome is not None:
        worker.todo.remove(number)
        worker.results.append((number, what, outcome))
        worker.current = None
    return False


def _check_deadline(worker: Worker) -> bool:
    """Whether its time is up; if so, its case is counted as a hang."""
    if time.monotonic() < worker.deadline:
        return False
    number, what = worker.current or (worker.todo[0], "before the first case")
    _record_failure(worker, number, what, "hangs", "no end in sight")
    return True


def _record_failure(worker: Worker, number: int, what: str, kind: str, why: str) -> None:
    outcome = Outcome()
    outcome.fail(kind, why)
    worker.todo.remove(number)
    worker.results.append((number, what, outcome))


def _kill(worker: Worker) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(worker.process.pid, signal.SIGKILL)
    with suppress(ProcessLookupError):
        os.kill(worker.process.pid, signal.SIGKILL)
    worker.process.join()
    worker.pipe.close()


def count_outcomes(results: Sequence[Result]) -> Iterator[tuple[str, int]]:
    """The counts of some results, by name."""
    outcomes = [outcome for _, _, outcome in results]
    yield "cases", len(outcomes)
    yield "refused", sum(outcome.refused for outcome in outcomes)
    yield "accepted", sum(outcome.accepted for outcome in outcomes)
    for kind in FAULTS:
        yield kind, sum(failure.kind == kind for outcome in outcomes for failure in outcome.failures)
