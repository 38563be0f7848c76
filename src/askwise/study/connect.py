"""Connections to the database of a study, and what goes wrong with them in one sentence."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event, exc

from askwise.errors import StudyError
from askwise.study.address import Address

MAGIC = b"SQLite format 3\0"
WAIT = 30  # seconds for another program to finish writing
READING = "askwise_reading"  # the option of a connection that will not write
SENTENCES = {  # what SQLite says -> what we say
    "disk is full": "the disk is full: nothing was added, and what was saved before is safe; free some space",
    "disk i/o error": "the disk cannot be written: nothing was added, and what was saved before is safe",
    "readonly": "{where} cannot be written; check its permissions, or copy it to a folder of yours",
    "unable to open": "{where} cannot be opened for writing, or its folder cannot; copy it to a folder of yours",
    "locked": "another program has been writing to {where} for 30 seconds; try again when it is done",
    "malformed": "{where} is damaged; take a copy of it from before",
    "could not decode": "{where} is damaged; take a copy of it from before",
    "codec can't decode": "{where} is damaged; take a copy of it from before",
    "not a database": "{where} is not a study, or it is damaged; expected a file made by askwise new",
}


def connect(address: Address) -> Engine:
    """A database, made ready: SQLite in WAL mode, with every commit on disk before it returns."""
    if not address.is_file:
        return _server(address)
    path = Path(address.where)
    if not writable(path):
        if Path(f"{path}-wal").exists():  # what was acknowledged may still be in there
            raise StudyError(
                f"{path} was not closed and cannot be written; copy it with its -wal file to a folder of yours"
            )
        return create_engine(f"sqlite:///file:{path.absolute()}?mode=ro&immutable=1&uri=true")
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": WAIT})

    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # transactions begin when we say so
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def on_begin(connection: Any) -> None:
        # who will write waits for the lock at once: a reader that turns into a writer may be refused without waiting
        reading = connection.get_execution_options().get(READING)
        connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")

    return engine


def writable(path: Path) -> bool:
    """Whether a study file can be added to, which takes its folder too."""
    return os.access(path.absolute().parent, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))


def inspected(path: Path) -> None:
    """Refuses what is no SQLite file at all, or only the first part of one."""
    if not path.exists():
        raise StudyError(f"there is no study {path}; make one with: askwise new GOAL TABLE -o {path}")
    if path.is_dir():
        raise StudyError(f"{path} is a folder; give the file of a study, such as cars.askwise")
    try:
        with path.open("rb") as file:
            head = file.read(100)
    except OSError as error:
        raise StudyError(f"{path} cannot be read: {error.strerror}") from None
    if len(head) < 100 or not head.startswith(MAGIC):
        raise StudyError(SENTENCES["not a database"].format(where=path))
    size = int.from_bytes(head[16:18], "big") * int.from_bytes(head[28:32], "big")  # of a page, times pages
    if path.stat().st_size < size and not Path(f"{path}-wal").exists():
        raise StudyError(f"{path} is cut short: {path.stat().st_size} of {size} bytes; take a copy of it from before")


@contextmanager
def speaking(address: Address) -> Iterator[None]:
    """What the database says, in one sentence of ours."""
    try:
        yield
    except (exc.IntegrityError, StudyError):
        raise
    except (exc.SQLAlchemyError, OSError, UnicodeDecodeError) as error:
        said = str(getattr(error, "orig", None) or error).strip()
        for sign, sentence in SENTENCES.items():
            if address.is_file and sign in said.lower():
                raise StudyError(sentence.format(where=address)) from error
        first = said.splitlines()[0] if said else type(error).__name__
        raise StudyError(f"{address} cannot be used: {first}") from error


def _server(address: Address) -> Engine:
    try:
        return create_engine(address.where.replace("postgresql://", "postgresql+psycopg://"), pool_pre_ping=True)
    except ModuleNotFoundError:
        raise StudyError("PostgreSQL needs its driver; install it with: pip install 'askwise[postgres]'") from None
