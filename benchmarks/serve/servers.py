"""Real servers, each with its workers in a process group of its own, which can be killed and started again."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
START_SECONDS = 120.0
READY_SECONDS = 600.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class RunningServer:
    """`askwise serve` on a port of its own."""

    def __init__(self, address: str, more: tuple[str, ...] = ()):
        self.port = free_port()
        program = [sys.executable, "-c", "from askwise.cli import main; main()", "serve", address]
        self.command = [*program, "--port", str(self.port), *more]
        self.cpu_seconds = 0.0  # of the processes that were killed
        self.start()

    def start(self) -> None:
        """Returns when it listens. Requests wait until it is ready."""
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(self.command, stdout=quiet, stderr=quiet, start_new_session=True)
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise RuntimeError("the server did not start")

    def wait_until_ready(self) -> None:
        """Until it replies: after an installation it compiles first."""
        with socket.create_connection(("127.0.0.1", self.port), READY_SECONDS) as line:
            line.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
            line.recv(1)

    def kill(self) -> None:
        """kill -9 of the server and its workers."""
        self.cpu_seconds += self._running_cpu_seconds()
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def memory_mb(self) -> float:
        """Of the server and its workers together."""
        found = subprocess.run(["ps", "-o", "rss=", "-g", str(self.process.pid)], capture_output=True, text=True)
        return sum(map(int, found.stdout.split())) / 1024

    def total_cpu_seconds(self) -> float:
        """Of the server and its workers since it was first started, with those that were killed."""
        return self.cpu_seconds + self._running_cpu_seconds()

    def _running_cpu_seconds(self) -> float:
        found = subprocess.run(["ps", "-o", "pid=", "-g", str(self.process.pid)], capture_output=True, text=True)
        total = 0
        for pid in found.stdout.split():
            with suppress(OSError):
                parts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                total += sum(map(int, parts[11:15]))  # own and of children that ended
        return total / TICKS
