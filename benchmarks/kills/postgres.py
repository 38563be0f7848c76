"""A PostgreSQL server that can be killed, with all its processes, and started again."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

START_SECONDS = 60.0  # with recovery


def find_program(name: str) -> str | None:
    found = [shutil.which(name), *sorted(map(str, Path("/usr/lib/postgresql").glob(f"*/bin/{name}")), reverse=True)]
    return next((path for path in found if path), None)


class PostgresServer:
    """A server on loopback, in a folder of its own."""

    def __init__(self) -> None:
        initdb, postgres = find_program("initdb"), find_program("postgres")
        if initdb is None or postgres is None:
            raise FileNotFoundError("PostgreSQL is not installed; on Debian: apt install postgresql")
        self.folder = Path(tempfile.mkdtemp(prefix="askwise-kills-", dir="/tmp"))
        user: dict[str, Any] = {"user": "postgres"} if os.geteuid() == 0 else {}  # the server refuses to run as root
        if user:
            shutil.chown(self.folder, "postgres")
        self._quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": self.folder, **user}
        data = str(self.folder / "data")
        subprocess.run([initdb, "-D", data, "-U", "askwise", "--auth=trust", "-E", "UTF8"], check=True, **self._quiet)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.address = f"postgresql://askwise@127.0.0.1:{port}/postgres"
        self._command = [postgres, "-D", data, "-p", str(port), "-h", "127.0.0.1", "-k", str(self.folder)]
        self.start()

    def start(self) -> None:
        """Returns when it takes connections, after recovery if it was killed."""
        import psycopg

        self._process = subprocess.Popen(self._command, **self._quiet)
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                return psycopg.connect(self.address).close()
            except psycopg.OperationalError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.02)

    def kill(self) -> None:
        """kill -9 of the server and every process that it started."""
        os.kill(self._process.pid, signal.SIGSTOP)  # so that it starts no more of them meanwhile
        started = [self._process.pid, *_children(self._process.pid)]
        for pid in started:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()
        while set(started) & _running():  # a new server refuses to start beside them
            time.sleep(0.005)

    def close(self) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def _processes() -> list[tuple[int, int, str]]:
    """(process, parent, state) of all."""
    shown = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,stat="], capture_output=True, text=True, check=True).stdout
    return [(int(pid), int(parent), state) for pid, parent, state in map(str.split, shown.splitlines())]


def _children(parent: int) -> list[int]:
    return [pid for pid, of, _ in _processes() if of == parent]


def _running() -> set[int]:
    """Without those that are over and only wait to be collected."""
    return {pid for pid, _, state in _processes() if not state.startswith("Z")}
