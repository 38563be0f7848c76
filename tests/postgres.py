"""PostgreSQL for the tests: a server of their own on loopback, if the machine has the programs for one."""

from __future__ import annotations

from contextlib import closing

import pytest

from benchmarks.kills.postgres import PostgresServer


def started():
    """A server, until the tests are done with it."""
    pytest.importorskip("psycopg", reason="NOT RUN: PostgreSQL's driver is missing; pip install 'askwise[postgres]'")
    try:
        running = PostgresServer()
    except FileNotFoundError as missing:
        pytest.skip(f"NOT RUN: {missing}")
    with closing(running):
        yield running


@pytest.fixture(scope="session")
def server():
    """The address of an empty server; it ends with the tests."""
    for running in started():
        yield running.address


@pytest.fixture
def own_server():
    """A server of one test, which may kill it."""
    yield from started()


@pytest.fixture
def database(server, request):
    """The address of a new database for this test."""
    import psycopg

    name = f"t{abs(hash(request.node.nodeid))}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}"')
        connection.execute(f'CREATE DATABASE "{name}"')
    return f"{server.rsplit('/', 1)[0]}/{name}"


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path):
    """An address for a new study, in a file and in a database."""
    if request.param == "sqlite":
        return str(tmp_path / "some.askwise")
    return f"{request.getfixturevalue('database')}#some"
