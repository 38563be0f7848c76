"""A PostgreSQL server of the tests' own, on loopback, if the machine has the programs for one."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest


def program(name):
    found = [shutil.which(name), *sorted(map(str, Path("/usr/lib/postgresql").glob(f"*/bin/{name}")), reverse=True)]
    return next((path for path in found if path), None)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="session")
def server():
    """The address of an empty server; it ends with the tests."""
    pytest.importorskip("psycopg", reason="NOT RUN: PostgreSQL's driver is missing; pip install 'askwise[postgres]'")
    initdb, postgres = program("initdb"), program("postgres")
    if not (initdb and postgres):
        pytest.skip("NOT RUN: PostgreSQL is not installed; on Debian: apt install postgresql")
    user = {"user": "postgres"} if os.geteuid() == 0 else {}  # the server refuses to run as root
    folder = Path(tempfile.mkdtemp(prefix="askwise-postgres-", dir="/tmp"))
    if user:
        shutil.chown(folder, "postgres")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder, **user}
    subprocess.run([initdb, "-D", folder / "data", "-U", "askwise", "--auth=trust", "-E", "UTF8"], check=True, **quiet)
    port = free_port()
    command = [postgres, "-D", folder / "data", "-p", str(port), "-h", "127.0.0.1", "-k", folder]
    process = subprocess.Popen(list(map(str, command)), **quiet)
    address = f"postgresql://askwise@127.0.0.1:{port}/postgres"
    try:
        wait_for(address)
        yield address
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def wait_for(address, seconds=30):
    import time

    import psycopg

    end = time.monotonic() + seconds
    while True:
        try:
            return psycopg.connect(address).close()
        except psycopg.OperationalError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


@pytest.fixture
def database(server, request):
    """A database of the test's own."""
    import psycopg

    name = f"t{abs(hash(request.node.nodeid))}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}"')
        connection.execute(f'CREATE DATABASE "{name}"')
    return f"{server.rsplit('/', 1)[0]}/{name}"


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path):
    """Where a new study can go, on either kind of store."""
    if request.param == "sqlite":
        return str(tmp_path / "some.askwise")
    return f"{request.getfixturevalue('database')}#some"
