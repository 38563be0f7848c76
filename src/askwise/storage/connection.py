"""Connections to the database of a study, and one sentence for each of their errors."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, QueuePool, create_engine, event, exc

from askwise.errors import StudyError
from askwise.storage.address import Address

MIN_BYTES = 512  # of a database: one page
LOCK_SECONDS = 30  # that we wait for another program to finish writing
CONNECT_SECONDS = 10  # that we wait for a server
LINE = {  # to a server; a dead one is found by these seconds, and milliseconds for tcp_user_timeout
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
    "client_encoding": "utf8",  # else a database in SQL_ASCII gives bytes for texts
}
FILES = "askwise_files"  # of a connection: its files as they were when it was last used
SENTENCES = {  # what SQLite says -> what we say
    "disk is full": "the disk is full: nothing was added, and what was saved before is safe; free some space",
    "disk i/o error": "the disk cannot be written: nothing is acknowledged, and what was saved before is safe",
    "readonly": "{where} cannot be written; check its permissions, or copy it to a folder of yours",
    "unable to open": "{where} cannot be opened for writing, or its folder cannot; copy it to a folder of yours",
    "locked": "another program has been writing to {where} for 30 seconds; try again when it is done",
    "malformed": "{where} is damaged or cut short; take a copy of it from before",
    "could not decode": "{where} is damaged; take a copy of it from before",
    "codec can't decode": "{where} is damaged; take a copy of it from before",
    "not a database": "{where} is not a study, or it is damaged; expected a file made by askwise new",
}


def connect(address: Address, wal_pages: int = 1) -> Engine:
    """An engine for the database. SQLite runs in WAL mode, and every commit is on disk before it returns."""
    if not address.is_file:
        return _server(address)
    path = Path(address.where).absolute()  # whatever folder the program goes to later
    if not writable(path):
        if Path(f"{path}-wal").exists():  # what was acknowledged may still be in there
            raise StudyError(
                f"{path} was not closed and cannot be written; copy it with its -wal file to a folder of yours"
            )
        read_only = f"file:{quote(str(path))}?mode=ro&immutable=1"
        return _engine(lambda: sqlite3.connect(read_only, uri=True, check_same_thread=False))
    engine = _engine(lambda: sqlite3.connect(path, timeout=LOCK_SECONDS, check_same_thread=False))

    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, record: Any) -> None:
        connection.isolation_level = None  # transactions begin when `Store.begin` says so
        settings = (
            "journal_mode = WAL",
            "synchronous = FULL",
            "foreign_keys = ON",
            f"wal_autocheckpoint = {wal_pages}",
        )
        for setting in settings:
            connection.execute(f"PRAGMA {setting}")
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()  # opens the other two files
        record.info[FILES] = _files(path)

    return engine


def _engine(open_connection: Any) -> Engine:
    """An engine of SQLite connections. They are opened by a function, since not every path fits into a URL."""
    return create_engine("sqlite://", creator=open_connection, poolclass=QueuePool)


def _files(path: Path) -> dict[str, os.stat_result]:
    """Those of the three files of an open study that exist now."""
    found = {}
    for name in (f"{path}", f"{path}-wal", f"{path}-shm"):
        with suppress(OSError):
            found[name] = os.stat(name)
    return found


def require_in_place(connection: Connection) -> None:
    """Refuses a study whose files were deleted, renamed, replaced or cut short since they were opened: SQLite would go
    on writing to what is no longer there. Not to be called in a transaction."""
    before: dict[str, os.stat_result] = connection.info.get(FILES, {})
    if not before:
        return  # a database server, or a file that is only read
    path = Path(next(iter(before)))
    now = _files(path)
    for name, was in before.items():
        if name not in now or not os.path.samestat(was, now[name]) or now[name].st_size < was.st_size:
            with suppress(sqlite3.Error):  # what was acknowledged goes into the file itself, wherever it is now
                opened: Any = connection.connection.driver_connection
                opened.execute("PRAGMA wal_checkpoint(PASSIVE)")
            told = f"{name} was deleted, moved, replaced or cut short while {path.name} was open"
            raise StudyError(f"{told}: the last answer is not acknowledged; put it back, or open the study anew")
    connection.info[FILES] = now


def writable(path: Path) -> bool:
    """Whether a study file and its folder can be written."""
    return os.access(path.absolute().parent, os.W_OK) and (not os.path.exists(path) or os.access(path, os.W_OK))


def require_sqlite(path: Path) -> None:
    """Refuses what cannot be a study. The file is not opened for it: closing it again would take away the locks that
    other sessions of this process hold on it (POSIX drops them all)."""
    try:
        found = path.stat()
    except FileNotFoundError:
        raise StudyError(f"there is no study {path}; make one with: askwise new GOAL TABLE -o {path}") from None
    except OSError as error:
        raise StudyError(f"{path!s:.100} cannot be read: {error.strerror}") from None
    if stat.S_ISDIR(found.st_mode):
        raise StudyError(f"{path} is a folder; give the file of a study, such as cars.askwise")
    if not stat.S_ISREG(found.st_mode) or found.st_size < MIN_BYTES:
        raise StudyError(SENTENCES["not a database"].format(where=path))
    if not os.access(path, os.R_OK):
        raise StudyError(f"{path} cannot be read: Permission denied")


@contextmanager
def translate_database_errors(address: Address) -> Iterator[None]:
    """Turns the errors of a database into `StudyError`s of one sentence."""
    try:
        yield
    except (exc.IntegrityError, StudyError):
        raise
    except (exc.SQLAlchemyError, OSError, OverflowError, UnicodeError) as error:
        said = address.without_password(str(getattr(error, "orig", None) or error)).strip()
        for sign, sentence in SENTENCES.items():
            if address.is_file and sign in said.lower():
                raise StudyError(sentence.format(where=address)) from error
        first = said.splitlines()[0] if said else type(error).__name__
        raise StudyError(f"{address} cannot be used: {first}") from error


def _server(address: Address) -> Engine:
    try:
        url, within = address.url.set(drivername="postgresql+psycopg"), {"connect_timeout": CONNECT_SECONDS, **LINE}
        return create_engine(url, pool_pre_ping=True, connect_args=within)
    except ModuleNotFoundError:
        raise StudyError("PostgreSQL needs its driver; install it with: pip install 'askwise[postgres]'") from None
