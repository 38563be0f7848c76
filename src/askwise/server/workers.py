"""Processes that compute, one thing at a time each: what somebody waits for first, then what is worked out ahead."""

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

from askwise.errors import AskwiseError
from askwise.reading import Recipe

LONGEST = 300.0  # seconds for one call; after that others have their turn


class Overtime(Exception):
    """A call that took too long and was stopped."""


class Worker:
    """One process. One that died or that takes too long is replaced, and the next call finds a new one."""

    def __init__(self, patient: bool = False, longest: float = LONGEST):
        self.patient = patient  # computes only when nobody else does
        self.longest = longest
        self._last: asyncio.Future[Any] | None = None  # handed to the process; calls are computed in turn
        self._pool = self._fresh()
        self._waiting: list[tuple[bool, int, asyncio.Future[Any], Any, tuple[Any, ...]]] = []
        self._order = count()
        self._computing: set[asyncio.Task[None]] = set()
        self._ended: WeakSet[ProcessPoolExecutor] = WeakSet()  # because of a call that took too long

    async def run(self, function: Any, *more: Any, urgent: bool = True) -> Any:
        """The function's result. Whoever is cancelled while waiting for their turn costs nothing."""
        found = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (not urgent, next(self._order), found, function, more))
        self._go_on()
        return await found

    def close(self) -> None:
        workers = list(self._pool._processes.values())
        self._pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.terminate()

    def _go_on(self) -> None:
        """Hands on what comes next. What is urgent waits in the process itself, so that it has no pause in between."""
        while self._waiting and len(self._computing) < (1 if self._waiting[0][0] else 2):
            _, _, found, function, more = heappop(self._waiting)
            if not found.cancelled():
                computing = asyncio.create_task(self._compute(found, function, more))
                self._computing.add(computing)
                computing.add_done_callback(self._done)

    def _done(self, computed: asyncio.Task[None]) -> None:
        self._computing.discard(computed)
        self._go_on()

    async def _compute(self, found: asyncio.Future[Any], function: Any, more: tuple[Any, ...]) -> None:
        pool = self._pool
        try:
            result = await self._within(pool, function, more)
            if not found.done():
                found.set_result(result)
        except Exception as error:
            if isinstance(error, BrokenProcessPool | Overtime) and pool is self._pool:
                self._pool = self._fresh()
                self._last = asyncio.wrap_future(self._pool.submit(int))  # the time to start is nobody's
            if isinstance(error, BrokenProcessPool) and pool in self._ended and not found.done():
                # it only waited behind a call that took too long
                heappush(self._waiting, (False, next(self._order), found, function, more))
            elif not found.done():
                found.set_exception(error)

    async def _within(self, pool: ProcessPoolExecutor, function: Any, more: tuple[Any, ...]) -> Any:
        """The result, if it comes in time; the time of a call begins when the one before it is through."""
        computed = asyncio.wrap_future(pool.submit(function, *more))
        before, self._last = self._last, computed
        if before is not None:
            await asyncio.wait({before})
        await asyncio.wait({computed}, timeout=self.longest)
        if not computed.done():
            self._ended.add(pool)
            for process in list(pool._processes.values()):
                process.kill()
            await asyncio.wait({computed})
            computed.exception()  # which it now has
            raise Overtime(f"a call took longer than {self.longest:g} seconds")
        return computed.result()

    def _fresh(self) -> ProcessPoolExecutor:
        spawn = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(1, mp_context=spawn, initializer=_begin, initargs=(self.patient,))


def _begin(patient: bool) -> None:
    """The code is loaded before the first question; answers are written down before new questions are worked out."""
    os.nice(19 if patient else 5)
    if patient and hasattr(os, "SCHED_IDLE"):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    import askwise.goals
    import askwise.study  # noqa: F401

    if not patient:
        threading.Thread(target=_load, daemon=True).start()


def warm(recipes: Iterable[Recipe]) -> None:
    """Compiles what these goals need, unless that was done before: a simulated person gives two answers to each."""
    from askwise.study.forecasts import several

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # who does not want to wait sees no traceback
    for recipe in recipes:
        with suppress(AskwiseError):  # a pool that is gone, say, which the study's own page tells
            several((recipe, [], None), people=1, limit=2, seconds=600.0)


def _load() -> None:
    """Loads compiled code beside the first questions, which need none."""
    from askwise.goals import best_item

    small = best_item(["one", "two", "three"], draws=8)
    small.ask()
    small.tell("left")
