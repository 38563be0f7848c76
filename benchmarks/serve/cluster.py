"""A Dask scheduler and workers on this machine, as processes that can be killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

from askwise.errors import StudyError
from benchmarks.serve.servers import free_port

START_SECONDS = 60.0


class RunningCluster:
    """A scheduler, and the workers that were added, each with one thread."""

    def __init__(self) -> None:
        port = free_port()
        self.address = f"tcp://127.0.0.1:{port}"
        self._scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
        self.workers: list[subprocess.Popen[bytes]] = []
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                return
            time.sleep(0.05)
        raise RuntimeError("the scheduler did not start")

    def add_worker(self) -> subprocess.Popen[bytes]:
        """One more; `dask worker` would start it again if it died, which --no-nanny leaves to others."""
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0", "--host", "127.0.0.1")
        self.workers.append(self._start("worker", self.address, *options))
        return self.workers[-1]

    def close(self) -> None:
        for process in (*self.workers, self._scheduler):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    @staticmethod
    def _start(*command: str) -> subprocess.Popen[bytes]:
        quiet = subprocess.DEVNULL
        program = [sys.executable, "-m", "dask", *command]
        return subprocess.Popen(program, stdout=quiet, stderr=quiet, start_new_session=True)


def process_of(job: Any) -> int:
    """The process that computes for a log; in a worker."""
    return os.getpid()


def failing(job: Any) -> None:
    """What a worker finds when a study is gone."""
    raise StudyError("the study is gone")
