"""Worker processes. Each computes one call at a time: first what somebody waits for, then what is computed ahead."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from heapq import heappop, heappush
from itertools import count
from typing import Any
from weakref import WeakSet

from askwise._runtime.processes import end_pool
from askwise.errors import AskwiseError
from askwise.session.config import Recipe

MAX_SECONDS = 300.0  # for one call


class WorkerTimeout(Exception):
    """A call that took too long and was stopped."""


class Worker:
    """One process. If it dies or takes too long, the next call gets a new one."""

    def __init__(self, idle_priority: bool = False, max_seconds: float = MAX_SECONDS):
        self.idle_priority = idle_priority  # computes only when nobody else does
        self.max_seconds = max_seconds
        self._last: asyncio.Future[Any] | None = None  # handed to the process; calls are computed in turn
        self._pool = self._new_pool()
        self._waiting: list[tuple[int, int, asyncio.Future[Any], Any, tuple[Any, ...]]] = []
        self._order = count()
        self._computing: set[asyncio.Task[None]] = set()
        self._ended: WeakSet[ProcessPoolExecutor] = WeakSet()  # because of a call that took too long

    async def run(self, function: Any, *more: Any, rank: int = 0) -> Any:
        """The function's result. Calls of a lower rank go first; somebody waits for those of rank 0. A call that is
        cancelled while it waits costs nothing."""
        found = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (rank, next(self._order), found, function, more))
        self._start_next()
        return await found

    @property
    def waiting(self) -> int:
        """Calls that it has not begun."""
        return len(self._waiting)

    def has_waiting(self, rank: int) -> bool:
        """Whether it has not begun some call of this rank or a lower one."""
        return bool(self._waiting) and self._waiting[0][0] <= rank

    def close(self) -> None:
        end_pool(self._pool)

    def _start_next(self) -> None:
        """Starts the next call. An urgent one is queued in the process itself, so that the process never pauses."""
        while self._waiting and len(self._computing) < (1 if self._waiting[0][0] > 0 else 2):
            _, _, found, function, more = heappop(self._waiting)
            if not found.cancelled():
                computing = asyncio.create_task(self._compute(found, function, more))
                self._computing.add(computing)
                computing.add_done_callback(self._done)

    def _done(self, computed: asyncio.Task[None]) -> None:
        self._computing.discard(computed)
        self._start_next()

    async def _compute(self, found: asyncio.Future[Any], function: Any, more: tuple[Any, ...]) -> None:
        pool = self._pool
        try:
            result = await self._within(pool, function, more)
            if not found.done():
                found.set_result(result)
        except Exception as error:
            if isinstance(error, BrokenProcessPool | WorkerTimeout) and pool is self._pool:
                self._pool = self._new_pool()
                self._last = asyncio.wrap_future(self._pool.submit(int))  # no call pays for the start
                self._last.add_done_callback(_retrieve)
            if isinstance(error, BrokenProcessPool) and pool in self._ended and not found.done():
                # it only waited behind a call that took too long
                heappush(self._waiting, (0, next(self._order), found, function, more))
            elif not found.done():
                found.set_exception(error)

    async def _within(self, pool: ProcessPoolExecutor, function: Any, more: tuple[Any, ...]) -> Any:
        """The result, if it comes in time. The clock of a call starts when the call before it ends."""
        computed = asyncio.wrap_future(pool.submit(function, *more))
        before, self._last = self._last, computed
        try:
            if before is not None:
                await asyncio.wait({before})
            await asyncio.wait({computed}, timeout=self.max_seconds)
        except asyncio.CancelledError:  # nobody waits for it any more
            computed.add_done_callback(_retrieve)
            raise
        if not computed.done():
            self._ended.add(pool)
            for process in list(pool._processes.values()):
                process.kill()
            await asyncio.wait({computed})
            computed.exception()  # which it now has
            raise WorkerTimeout(f"a call took longer than {self.max_seconds:g} seconds")
        return computed.result()

    def _new_pool(self) -> ProcessPoolExecutor:
        spawn = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(1, mp_context=spawn, initializer=_begin, initargs=(self.idle_priority,))


def _retrieve(started: asyncio.Future[Any]) -> None:
    """Hears how it ended; a process that dies before its first call is replaced at that call."""
    if not started.cancelled():
        started.exception()


def _begin(idle_priority: bool) -> None:
    """Loads the code before the first question. Workers yield to the server, so that answers are stored first."""
    os.nice(19 if idle_priority else 5)
    if idle_priority and hasattr(os, "SCHED_IDLE"):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    import askwise.goals
    import askwise.storage  # noqa: F401

    if not idle_priority:
        threading.Thread(target=_load, daemon=True).start()


def warm(recipes: Iterable[Recipe]) -> None:
    """Compiles what these goals need, unless that was done before. A simulated person gives two answers to each."""
    from askwise.simulate.workers import PackedSession, simulate_people

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C shows no traceback
    if multiprocessing.parent_process() is not None:
        os.nice(10)  # a server that starts again has people who wait
    for recipe in recipes:
        with suppress(AskwiseError):  # such as a pool that is gone; the study's own page says so
            simulate_people(PackedSession(recipe), people=1, limit=2, seconds=600.0)


def _load() -> None:
    """Loads compiled code beside the first questions, which need none."""
    from askwise.goals import best_item

    small = best_item(["one", "two", "three"], draws=8)
    small.ask()
    small.tell("left")
