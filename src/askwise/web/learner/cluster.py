"""The learner on a Dask cluster: its workers compute what is known of logs, on any number of machines.

A log stays with one worker, which keeps its session in memory, while that worker lives. All servers of a database
choose the same worker for a new log. If a worker dies, its calls are sent to another one; people get fallback questions
meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import OrderedDict
from concurrent.futures import CancelledError
from contextlib import suppress
from hashlib import sha256
from typing import Any
from uuid import uuid4

from askwise.errors import SettingError
from askwise.web.learner.learner import MAX_SECONDS, STATE_RANK, URGENT_RANK, Job, Learner
from askwise.web.learner.workers import WorkerTimeout

POLL_SECONDS = 0.5  # between two looks whether a worker lives
ADDRESSES_SECONDS = 0.2  # for which a list of workers is good
GIVE_UP_SECONDS = 30.0  # without a worker that computes
CONNECT_SECONDS = 10.0
MAX_HOMES = 100_000  # logs whose worker is remembered
logger = logging.getLogger("askwise.web")
_computing = threading.Lock()  # of a worker with several threads: sessions are changed by one call at a time


class ClusterError(WorkerTimeout):
    """A call that no worker of the cluster computed."""


class _WorkerGone(Exception):
    """A worker that died, or a scheduler that does not respond."""


class ClusterLearner(Learner):
    """The learner whose workers are those of the Dask scheduler at an address."""

    def __init__(self, address: str):
        super().__init__(0)
        self.address = address
        self._client: Any = None
        self._connecting = asyncio.Lock()
        self._homes: OrderedDict[Job, str] = OrderedDict()  # by log: the address of its worker
        self._known: tuple[float, list[str]] = -ADDRESSES_SECONDS, []  # when, and which workers there were
        self._running = 0
        self._behind = 0  # those that people wait for, and those of logs whose state is behind

    @property
    def waiting(self) -> int:
        """Calls that are computed, or wait for a worker."""
        return self._running

    def is_behind(self, job: Job) -> bool:
        """Whether the workers have more states to compute than they can at once."""
        return self._behind > len(self._known[1])

    async def run(self, function: Any, job: Job, *more: Any, rank: int = URGENT_RANK) -> Any:
        """What the function finds out about a log, by the worker of that log."""
        end = time.monotonic() + GIVE_UP_SECONDS
        self._running += 1
        self._behind += rank <= STATE_RANK
        try:
            while True:
                try:
                    return await self._run_at(await self._worker_of(job), rank, function, job, *more)
                except _WorkerGone:
                    self._homes.pop(job, None)
                    if time.monotonic() > end:
                        raise ClusterError("no worker of the cluster computed a call") from None
                    await asyncio.sleep(ADDRESSES_SECONDS)
        finally:
            self._running -= 1
            self._behind -= rank <= STATE_RANK

    async def stop(self) -> None:
        if self._client is not None:
            await _close(self._client)

    async def _run_at(self, worker: str, rank: int, function: Any, *more: Any) -> Any:
        client = await self._connected()
        options = {"workers": [worker], "allow_other_workers": False, "pure": False, "retries": 0}
        future = client.submit(run_call, function, *more, key=f"askwise-{uuid4().hex}", priority=-rank, **options)
        found = asyncio.ensure_future(future.result())
        end = time.monotonic() + MAX_SECONDS
        try:
            while not found.done():
                await asyncio.wait({found}, timeout=POLL_SECONDS)
                if not found.done() and worker not in await self._workers_now():
                    raise _WorkerGone
                if not found.done() and time.monotonic() > end:
                    with suppress(Exception):
                        await client.restart_workers([worker], raise_for_error=False)
                    raise WorkerTimeout(f"a call took longer than {MAX_SECONDS:g} seconds")
            raised, value = _outcome(found)
        finally:
            found.cancel()
            future.release()
        if raised:
            raise value
        return value

    async def _worker_of(self, job: Job) -> str:
        """The worker that has the log; for a new log, the one that all servers choose."""
        workers = await self._workers_now()
        if not workers:
            raise _WorkerGone
        if self._homes.get(job) not in workers:
            self._homes[job] = chosen_worker(job, workers)
        self._homes.move_to_end(job)
        while len(self._homes) > MAX_HOMES:
            self._homes.popitem(last=False)
        return self._homes[job]

    async def _workers_now(self) -> list[str]:
        when, known = self._known
        if time.monotonic() - when < ADDRESSES_SECONDS:
            return known
        client = await self._connected()
        try:
            told = await asyncio.wait_for(client.scheduler.identity(), CONNECT_SECONDS)
        except Exception:  # the scheduler is away; the next call connects again
            await self._disconnect(client)
            raise _WorkerGone from None
        self._known = time.monotonic(), sorted(told["workers"])
        return self._known[1]

    async def _connected(self) -> Any:
        async with self._connecting:
            if self._client is None:
                from distributed import Client

                try:
                    self._client = await Client(  # type: ignore[no-untyped-call]
                        self.address, asynchronous=True, timeout=CONNECT_SECONDS, set_as_default=False
                    )
                except (OSError, ValueError):
                    raise _WorkerGone from None
            return self._client

    async def _disconnect(self, client: Any) -> None:
        if self._client is client:
            self._client = None
        await _close(client)


def _outcome(found: asyncio.Future[tuple[bool, Any]]) -> tuple[bool, Any]:
    """What a worker sent. What the function raised comes as a value, so any error is the cluster's."""
    from distributed import KilledWorker

    error = None if found.cancelled() else found.exception()
    if error is None and not found.cancelled():
        return found.result()
    if error is None or isinstance(error, KilledWorker | OSError | CancelledError):
        raise _WorkerGone
    logger.error("a worker of the cluster cannot compute: %s: %s", type(error).__name__, error)
    raise ClusterError("a worker of the cluster cannot compute; does it have the same askwise?")


async def _close(client: Any) -> None:
    with suppress(Exception):
        await asyncio.wait_for(client.close(), CONNECT_SECONDS)


def chosen_worker(job: Job, workers: list[str]) -> str:
    """The same worker on every server, and another one for few logs when a worker comes or goes.

    >>> chosen_worker(("cars.askwise", 3), ["tcp://a:1", "tcp://b:2"])
    'tcp://...'
    """
    return max(workers, key=lambda worker: sha256(f"{worker} {job[0]} {job[1]}".encode()).digest())


def run_call(function: Any, *more: Any) -> tuple[bool, Any]:
    """Whether the function raised, and what it raised or found; in a worker."""
    with _computing:
        try:
            return False, function(*more)
        except Exception as error:
            return True, error


def require_cluster(address: str) -> None:
    """Refuses an address where no Dask scheduler responds."""
    from askwise._runtime.cluster import on_cluster

    if "://" not in address:
        raise SettingError(f"{address!r} is no address of a Dask scheduler; expected tcp://host:8786")
    with on_cluster(address):
        pass
