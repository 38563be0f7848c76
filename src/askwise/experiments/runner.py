"""Sweeps of task x strategy x person, on the cores of this machine or on a cluster.

A run is seeded by its own name, so it gives the same numbers at any time and anywhere on the same kind of machine.
Finished runs are stored in one SQLite file; a sweep that was stopped or killed continues where it was.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from askwise._runtime.cluster import on_cluster
from askwise._runtime.processes import spawn
from askwise._runtime.streams import stream
from askwise.errors import SettingError
from askwise.simulate.curves import mean_curve, measure_task
from askwise.simulate.tasks import TASKS
from askwise.strategies import strategy

Record = dict[str, Any]  # {"metrics": {name: one number a step}, "cpu_s": seconds}
LEARNER_SETTINGS = ("sampler",)  # change how the learner computes, not whom it asks
MAX_POOL_STARTS = 5  # times that a broken pool of workers is started again


@dataclass(frozen=True)
class Run:
    """One simulated person, asked by one strategy.

    >>> Run("choice", "ndbal", 100, 3, settings=(("items", 50),)).name
    'choice items=50 seed=0 person=3 rule=ndbal questions=100'
    """

    task: str
    rule: str
    questions: int
    person: int
    seed: int = 0
    settings: tuple[tuple[str, Any], ...] = ()

    @property
    def person_name(self) -> str:
        """Names the person: the same for every strategy."""
        return f"{self.task}{self._options(learner=False)} seed={self.seed} person={self.person}"

    @property
    def stream_name(self) -> str:
        """Names the random numbers: the same for every sampler."""
        return f"{self.person_name} rule={self.rule} questions={self.questions}"

    @property
    def name(self) -> str:
        return f"{self.stream_name}{self._options(learner=True)}"

    def _options(self, learner: bool) -> str:
        chosen = [(option, value) for option, value in sorted(self.settings) if (option in LEARNER_SETTINGS) == learner]
        return "".join(f" {option}={value}" for option, value in chosen)


def do_run(run: Run) -> Record:
    """Makes one run: the metrics before the first question and after each answer.

    >>> sorted(do_run(Run("line", "ndbal", 2, 0, settings=(("intervals", 4),)))["metrics"])
    ['diameter', 'error']
    """
    started = time.process_time()
    task = TASKS[run.task](stream(crc32(run.person_name.encode()), 0, "task"), **dict(run.settings))
    steps = list(measure_task(task, run.rule, run.questions, crc32(run.stream_name.encode())))
    metrics = {name: [step[name] for step in steps] for name in steps[0]}
    return {"metrics": metrics, "cpu_s": time.process_time() - started}


def sweep(
    runs: Iterable[Run],
    store: Path | None = None,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Callable[[int, int], Any] = lambda finished, total: None,
) -> dict[Run, Record]:
    """Makes every run that the store does not have yet, and returns the records of all.

    - `runs`: what to run.
    - `store`: a SQLite file with finished runs; None to keep them in memory.
    - `workers`: processes on this machine, by default one per core.
    - `cluster`: the address of a Dask scheduler to use instead.
    - `progress`: called with the number of finished runs and of all.

    >>> records = sweep([Run("line", "random", 2, person) for person in range(2)], workers=1)
    >>> [len(record["metrics"]["error"]) for record in records.values()]
    [3, 3]
    """
    wanted = list(dict.fromkeys(runs))
    with _open_store(store) as stored:
        done = {run: record for run in wanted if (record := stored.get(run.name)) is not None}
        progress(len(done), len(wanted))
        for run, record in _do_runs([run for run in wanted if run not in done], workers, cluster):
            stored.put(run.name, record)
            done[run] = record
            progress(len(done), len(wanted))
    return {run: done[run] for run in wanted}


def simulate(
    task: str,
    *,
    rule: str = "expected",
    questions: int = 100,
    runs: int = 10,
    seed: int = 0,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Callable[[int, int], Any] = lambda finished, total: None,
    **settings: Any,
) -> dict[str, Any]:
    """Error curves of a strategy on a task: the mean over people and a 68 % bootstrap interval.

    - `task`: a name in `TASKS`.
    - `rule`: the strategy.
    - `questions`: answers per run.
    - `runs`: how many people.
    - `seed`: the same seed gives the same numbers.
    - `workers`, `cluster`, `progress`: as in `sweep`.
    - `settings`: of the task.

    >>> result = simulate("line", questions=3, runs=2, intervals=4, workers=1)
    >>> sorted(result["metrics"]), len(result["metrics"]["error"]["mean"])
    (['diameter', 'error'], 4)
    """
    if task not in TASKS:
        raise SettingError(f"there is no task {task!r}; choose one of {', '.join(sorted(TASKS))}")
    if questions < 1 or runs < 1 or seed < 0:
        raise SettingError(f"questions and runs must be at least 1, seed at least 0; got {questions}, {runs}, {seed}")
    strategy(rule)
    known = signature(TASKS[task]).parameters
    for option in settings:
        if option not in known:
            users = [name for name, made in sorted(TASKS.items()) if option in signature(made).parameters]
            raise SettingError(f"{option} means nothing to {task}; it is for {', '.join(users) or 'no task'}")
    TASKS[task](stream(0, 0, "trial"), **settings)  # refuses bad settings before a worker starts
    people = [Run(task, rule, questions, person, seed, tuple(sorted(settings.items()))) for person in range(runs)]
    records = sweep(people, workers=workers, cluster=cluster, progress=progress).values()
    names = next(iter(records))["metrics"]
    return {
        "task": task,
        "rule": rule,
        "questions": questions,
        "runs": runs,
        "seed": seed,
        "metrics": {name: mean_curve(np.array([record["metrics"][name] for record in records])) for name in names},
        "cpu_ms_per_question": 1000 * sum(record["cpu_s"] for record in records) / (runs * questions),
    }


def _do_runs(runs: list[Run], workers: int | None, cluster: str | None) -> Iterator[tuple[Run, Record]]:
    """Yields records as they come. If workers die, their runs are made again."""
    left = dict.fromkeys(runs)
    for attempt in range(MAX_POOL_STARTS):
        if not left:
            return
        try:
            with executor(min(_cores() if workers is None else workers, len(left)), cluster) as pool:
                futures = {pool.submit(do_run, run): run for run in left}
                try:
                    for future in as_completed(futures):
                        run = futures[future]
                        yield run, future.result()
                        del left[run]
                finally:
                    for future in futures:
                        future.cancel()
        except BrokenProcessPool:
            if attempt == MAX_POOL_STARTS - 1:
                raise SettingError(
                    f"the worker processes died {MAX_POOL_STARTS} times, last while {len(left)} runs were left; "
                    "use fewer workers, or look for what kills them (memory?)"
                ) from None


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def executor(workers: int, cluster: str | None) -> Iterator[Executor]:
    """Where runs are made: a process pool of the standard library, or a Dask cluster with the same interface."""
    if cluster is None:
        if workers < 1:
            raise SettingError(f"workers must be at least 1, got {workers}")
        # a fork would copy the parent's BLAS threads half alive
        with _one_blas_thread(), ProcessPoolExecutor(workers, spawn, end_with_parent) as pool:
            yield pool
        return
    with on_cluster(cluster) as client:
        yield client


def end_with_parent() -> None:
    """Ends a worker when its parent is killed; it would wait for work forever."""

    def watch() -> None:
        parent = multiprocessing.parent_process()
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _one_blas_thread() -> Iterator[None]:
    """Limits BLAS to one thread in workers, which inherit the environment: there is one process per core already."""
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})


class _RunStore:
    """Records by name. A record is on disk before it counts, so a kill loses only runs that are not finished."""

    def __init__(self, path: Path | None):
        try:
            self.db = sqlite3.connect(path or ":memory:", isolation_level=None)
            self.db.execute("PRAGMA journal_mode = WAL")
            self.db.execute("PRAGMA synchronous = FULL")
            self.db.execute("CREATE TABLE IF NOT EXISTS runs (name TEXT PRIMARY KEY, record TEXT NOT NULL)")
        except sqlite3.Error as refused:
            raise SettingError(f"cannot keep results in {path}: {refused}; choose another file") from None

    def get(self, name: str) -> Record | None:
        row = self.db.execute("SELECT record FROM runs WHERE name = ?", (name,)).fetchone()
        return None if row is None else json.loads(row[0])

    def put(self, name: str, record: Record) -> None:
        self.db.execute("INSERT OR REPLACE INTO runs VALUES (?, ?)", (name, json.dumps(record)))


@contextmanager
def _open_store(path: Path | None) -> Iterator[_RunStore]:
    store = _RunStore(path)
    try:
        yield store
    finally:
        store.db.close()
