"""The database of a study: one SQLite file for each study, or a PostgreSQL server with many."""

from __future__ import annotations

import json
import os
import secrets
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any
from weakref import finalize

from sqlalchemy import (
    Connection,
    Engine,
    LargeBinary,
    Select,
    Table,
    bindparam,
    delete,
    exc,
    func,
    insert,
    select,
    update,
)

from askwise.errors import StudyError
from askwise.session.config import Recipe
from askwise.session.events import Event
from askwise.session.wording import USUAL, Wording, wording_from, wording_of
from askwise.storage.address import Address
from askwise.storage.changes import announce
from askwise.storage.connection import (
    LOCK_SECONDS,
    connect,
    require_in_place,
    require_sqlite,
    translate_database_errors,
)
from askwise.storage.files import put_in_place, require_free_path
from askwise.storage.groups import decides_together
from askwise.storage.permission import require_permission
from askwise.storage.schema import (
    bring_up_to_date,
    checkpoints,
    events,
    forecasts,
    images,
    is_current,
    schema,
    studies,
)
from askwise.storage.serialization import event_rows, pack_recipe, unpack_recipe

MAX_CHECKED_MB = 200  # a larger file is not checked page by page when it is opened
EVENTS = (  # (body, digest) of the events of a study from a position on
    select(events.c.body, events.c.digest)
    .where(events.c.study == bindparam("study"), events.c.position >= bindparam("since"))
    .order_by(events.c.position)
)
HEAD = update(studies).where(studies.c.study == bindparam("log")).values(head=bindparam("last"))
RECIPE = (  # locked: until the first event is there, another server may let the log start from other people
    select(studies.c.recipe, func.length(studies.c.recipe).label("size"))
    .where(studies.c.study == bindparam("study"))
    .with_for_update()
)
DIGEST = (
    select(events.c.digest, func.length(studies.c.recipe).label("size"))
    .join(studies, studies.c.study == events.c.study)
    .where(events.c.study == bindparam("study"), events.c.position == bindparam("last"))
    .with_for_update(of=studies)  # the log is written by one program at a time
)


@dataclass(frozen=True)
class Record:
    """One study, as its row says."""

    study: int
    name: str
    created: str
    askwise: str
    recipe: Mapping[str, Any]
    digest: str  # of the recipe; the log's begins with it
    parent: int | None = None  # the study that one participant's log belongs to
    state: str = "open"
    mode: str = "own"
    head: str | None = None  # the digest of the last event; None: there is none yet
    size: int = 0  # bytes of the recipe
    wording: str | None = None  # JSON, if it was changed; of a participant's log, that of its study counts


@dataclass(frozen=True)
class Checkpoint:
    """Posteriors, and the log they stand for."""

    position: int
    digest: str
    made_by: str
    content: bytes


class Store:
    """An open database."""

    def __init__(self, address: Address, engine: Engine):
        self.address = address
        self.engine = engine
        self.has_listeners = not address.is_file  # other servers may follow a database
        self.secrets: dict[int, bytes] = {}  # of studies, once they were read
        self._writing = threading.Lock()  # threads take turns: SQLite itself lets them sleep and try again
        finalize(self, engine.dispose)  # a session that is forgotten lets go of its file

    @staticmethod
    def at(address: Address, wal_pages: int = 1) -> Store:
        """Opens a database, and migrates an older format. SQLite merges its -wal file into the study file once it has
        `wal_pages` pages."""
        if address.is_file:
            require_sqlite(Path(address.where))
        store = Store(address, connect(address, wal_pages))
        with translate_database_errors(address), store.engine.connect() as connection:
            small = address.is_file and Path(address.where).stat().st_size < MAX_CHECKED_MB * 2**20
            if small and connection.exec_driver_sql("PRAGMA quick_check(1)").scalar() != "ok":
                raise StudyError(f"{address} is damaged; take a copy of it from before")
            current = is_current(connection)
        if not current:
            with store.begin() as connection:
                bring_up_to_date(connection, str(address))
        return store

    @staticmethod
    def create(
        address: Address, recipe: Mapping[str, Any], images: Mapping[str, bytes], log: Iterable[Event] = ()
    ) -> None:
        """A new study, whole or not at all."""
        if not address.is_file:
            store = Store.at(address)
            try:
                with store.begin() as connection:
                    _put_in(connection, address, recipe, images, log)
            except exc.IntegrityError:
                raise StudyError(f"somebody made a study {address.name!r} just now; choose another name") from None
            return store.close()
        path = Path(address.where)
        require_free_path(path)
        partial = path.with_name(f".askwise-{secrets.token_hex(8)}")
        with translate_database_errors(address):
            os.close(os.open(partial, os.O_CREAT | os.O_EXCL, 0o600))  # it will hold the secret that signs links
        draft = Store(address, connect(Address(str(partial), address.name)))
        try:
            with draft.begin() as connection:
                bring_up_to_date(connection, str(address))
                _put_in(connection, address, recipe, images, log)
                connection.execute(update(schema).values(digest=sha256(pack_recipe(recipe)).hexdigest()))
            draft.close()
            with translate_database_errors(address):
                put_in_place(partial, path)
        finally:
            draft.close()
            for rest in ("", "-wal", "-shm"):
                Path(f"{partial}{rest}").unlink(missing_ok=True)

    def names(self) -> list[str]:
        """The names of the studies."""
        query = select(studies.c.name).where(studies.c.parent.is_(None)).order_by(studies.c.study)
        return [row.name for row in self.read(query)]

    def holds(self, study: int) -> bool:
        """Whether the study of that number is there."""
        return bool(self.read(select(studies.c.study).where(studies.c.study == study)))

    def is_in_place(self) -> bool:
        """Whether its files are still those that were opened."""
        try:
            with translate_database_errors(self.address), self.engine.connect() as connection:
                require_in_place(connection)
        except StudyError:
            return False
        return True

    def record(self, study: int | None = None) -> Record:
        """The study of that number, else the one that the address names; the only one if it names none."""
        query = select(studies).where(studies.c.parent.is_(None) if study is None else studies.c.study == study)
        if study is None and not self.address.is_file and self.address.name is not None:
            query = query.where(studies.c.name == self.address.name)
        found = self.read(query)
        if study is not None and not found:
            raise StudyError(f"the study is gone from {self.address}")
        if len(found) != 1:
            there = ", ".join(self.names()) or "none"
            raise StudyError(f"name one study after a #, as in postgresql://host/database#cars; there: {there}")
        row = found[0]
        try:
            recipe = unpack_recipe(row.recipe)
            digest = sha256(row.recipe).hexdigest()
            recipe["goal"], recipe["data"], recipe["options"]
        except (KeyError, RecursionError, TypeError, ValueError, zlib.error):
            raise StudyError(f"{self.address} is damaged; take a copy of it from before") from None
        head = row.study, row.name, row.created, row.askwise
        if study is None and self.address.is_file and self.read(select(schema))[0].digest not in (None, digest):
            told = f"{self.address} holds another study than it was made for, as with the -wal file of another one"
            raise StudyError(f"{told}; take a copy from before")
        mode = "pooled" if decides_together(recipe) else row.mode
        state: Any = row.parent, row.state, mode, row.head, len(row.recipe), row.wording
        return Record(*head, recipe, digest, *state)

    def append(self, record: Record, position: int, before: str, rows: Sequence[Mapping[str, Any]]) -> bool:
        """Adds events together: True once they are on disk; False if a position or a key is taken.

        `before` is the digest that the log must have there: nothing is added to a log that others have shortened.
        """
        last = {"study": record.study, "last": position - 1}
        try:
            with self.begin() as connection:
                named = decides_together(record.recipe) or "anchor" in record.recipe["options"]
                if record.parent is not None:  # the row of the study is locked before that of a log, as others do
                    require_permission(connection, record.parent, rows, named)
                found = connection.execute(DIGEST if position else RECIPE, last).first()
                digest = None if found is None else found.digest if position else sha256(found.recipe).hexdigest()
                if found is None or (digest, found.size) != (before, record.size):
                    told = f"the study or a part of its log is gone from {self.address}"
                    raise StudyError(f"{told}, or was replaced; nothing was added: open it again")
                if record.parent is None:
                    require_permission(connection, record.study, rows, named)
                connection.execute(insert(events), rows)
                connection.execute(HEAD, {"log": record.study, "last": rows[-1]["digest"]})
                if self.has_listeners:
                    announce(connection, record.study, position + len(rows))
        except exc.IntegrityError:
            return False
        return True

    def image(self, study: int, name: str) -> bytes | None:
        query = select(images.c.content).where(images.c.study == study, images.c.name == name)
        return next((row.content for row in self.read(query)), None)

    def images(self, study: int) -> dict[str, bytes]:
        return {row.name: row.content for row in self.read(select(images).where(images.c.study == study))}

    def media_size(self, study: int, name: str) -> int | None:
        """The bytes of a sound or a film; None if there is none of that name."""
        query = select(func.length(images.c.content)).where(images.c.study == study, images.c.name == name)
        return next((int(row[0]) for row in self.read(query)), None)

    def media_part(self, study: int, name: str, start: int, length: int) -> bytes:
        """A part of it, from a byte counted from 0."""
        part = func.substr(images.c.content, start + 1, length, type_=LargeBinary)
        return bytes(self.read(select(part).where(images.c.study == study, images.c.name == name))[0][0])

    def wording(self, record: Record) -> Wording:
        """What people read in a study or in one of its logs: as it was last changed, or as the recipe says."""
        study = record if record.parent is None else self.record(record.parent)
        return stored_wording(study.recipe, study.wording)

    def keep_wording(self, study: int, wording: Wording) -> None:
        with self.begin() as connection:
            text = json.dumps(wording.as_dict())
            connection.execute(update(studies).where(studies.c.study == study).values(wording=text))
            announce(connection, study)

    def checkpoint(self, study: int) -> Checkpoint | None:
        """The one kept last; None if there is none, or none that can be read."""
        for row in self.read(select(checkpoints).where(checkpoints.c.study == study)):
            if isinstance(row.position, int) and isinstance(row.content, bytes):
                return Checkpoint(row.position, row.digest, row.made_by, row.content)
        return None

    def keep_checkpoint(self, study: int, kept: Checkpoint) -> None:
        """In place of the one before."""
        self._replace(checkpoints, {"study": study}, vars(kept))

    def forecast(self, study: int, goal: str) -> Any:
        """What simulated people took for that goal, or None if nobody was simulated yet."""
        query = select(forecasts.c.body).where(forecasts.c.study == study, forecasts.c.goal == goal)
        with suppress(TypeError, ValueError):  # one that cannot be read is worked out again
            return next((json.loads(row.body) for row in self.read(query)), None)
        return None

    def keep_forecast(self, study: int, goal: str, body: Any) -> None:
        self._replace(forecasts, {"study": study, "goal": goal}, {"body": json.dumps(body)})

    def close(self) -> None:
        self.engine.dispose()

    def _replace(self, table: Table, keys: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        with suppress(exc.IntegrityError), self.begin() as connection:  # another program's of just now is as good
            connection.execute(delete(table).where(*(table.c[key] == value for key, value in keys.items())))
            connection.execute(insert(table).values(**keys, **values))

    def read(self, query: Select[Any], **values: Any) -> list[Any]:
        """All rows of a query. A query that is built once, with parameters, is faster than one built each time."""
        with translate_database_errors(self.address), self.engine.connect() as connection:
            return list(connection.execute(query, values))

    def read_study(self, query: Select[Any]) -> Any:
        """The one row of a query about a study, which may have been deleted meanwhile."""
        found = self.read(query)
        if not found:
            raise StudyError(f"the study is gone from {self.address}")
        return found[0]

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """A transaction that writes. When the block is left, what it wrote is on disk."""
        with translate_database_errors(self.address), self.engine.connect() as connection:
            require_in_place(connection)
            with self._turn(), connection.begin():
                if connection.dialect.name == "sqlite":
                    # a transaction that reads first and writes later may be refused without waiting
                    connection.exec_driver_sql("BEGIN IMMEDIATE")
                yield connection
            require_in_place(connection)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """This thread's turn to write to a file. After a long wait it goes on, and SQLite says who has the file."""
        taken = self.address.is_file and self._writing.acquire(timeout=LOCK_SECONDS)
        try:
            yield
        finally:
            if taken:
                self._writing.release()


def stored_wording(recipe: Recipe, changed: str | None) -> Wording:
    """What people read, by the recipe of a study and what its row says was changed.

    >>> stored_wording({"options": {"question": "Which one?"}}, '{"instructions": "Be quick."}').as_dict()
    {'instructions': 'Be quick.'}
    """
    with suppress(ValueError, AttributeError):
        return wording_of(recipe) if changed is None else wording_from(json.loads(changed))
    return USUAL


def _put_in(
    connection: Connection,
    address: Address,
    recipe: Mapping[str, Any],
    pictures: Mapping[str, bytes],
    log: Iterable[Event],
) -> None:
    from askwise import __version__

    name = address.name or "study"
    content = pack_recipe(recipe)
    if connection.execute(select(func.count()).where(studies.c.name == name)).scalar_one():
        raise StudyError(f"there is a study {name!r} already; choose another name after the #")
    row = {"name": name, "created": datetime.now(UTC).isoformat(timespec="seconds"), "askwise": __version__}
    study = connection.execute(insert(studies).values(**row, recipe=content)).inserted_primary_key[0]  # type: ignore[index]
    for picture, data in pictures.items():
        connection.execute(insert(images).values(study=study, name=picture, content=data))
    rows = event_rows(study, 0, sha256(content).hexdigest(), log)
    if rows:
        connection.execute(insert(events), rows)
        connection.execute(HEAD, {"log": study, "last": rows[-1]["digest"]})
