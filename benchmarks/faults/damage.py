"""Ways to damage the file of a study, byte by byte and row by row."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import zlib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

PAGE = 4096
GARBAGE: tuple[Any, ...] = (
    None, 0, -1, 99, 2**62, 1.5, float("nan"), "", "x", "\ud800", "\0", b"", b"\xff\xfe", b"\0" * 50, "x" * 10_000,
    "[]", "{}", "null", '{"event": "tell"}', "[" * 5000, "1e999",
)  # fmt: skip


def flip_bits(path: Path, rng: random.Random) -> str:
    content = bytearray(path.read_bytes())
    places = [rng.randrange(len(content)) for _ in range(rng.choice((1, 1, 3, 20)))]
    for place in places:
        content[place] ^= 1 << rng.randrange(8)
    path.write_bytes(bytes(content))
    return f"bits flipped at {places[:3]}"


def overwrite(path: Path, rng: random.Random) -> str:
    content = bytearray(path.read_bytes())
    place, size = rng.randrange(len(content)), rng.choice((1, 16, 100, 1000))
    content[place : place + size] = rng.randbytes(len(content[place : place + size]))
    path.write_bytes(bytes(content))
    return f"{size} bytes of noise at {place}"


def truncate(path: Path, rng: random.Random) -> str:
    size = path.stat().st_size
    kept = rng.choice(
        (0, 1, 15, 16, 99, 100, 101, 511, 512, size - 1, rng.randrange(size), PAGE * rng.randrange(size // PAGE))
    )
    os.truncate(path, kept)
    return f"cut to {kept} of {size} bytes"


def zero_page(path: Path, rng: random.Random) -> str:
    content = bytearray(path.read_bytes())
    page = rng.randrange(len(content) // PAGE)
    content[page * PAGE : (page + 1) * PAGE] = bytes(PAGE)
    path.write_bytes(bytes(content))
    return f"page {page + 1} is zeros"


def swap_pages(path: Path, rng: random.Random) -> str:
    content = path.read_bytes()
    pages = [content[start : start + PAGE] for start in range(0, len(content), PAGE)]
    one, other = rng.sample(range(len(pages)), 2)
    pages[one], pages[other] = pages[other], pages[one]
    path.write_bytes(b"".join(pages))
    return f"pages {one + 1} and {other + 1} change places"


def append(path: Path, rng: random.Random) -> str:
    added = rng.choice((b"\0", rng.randbytes(100), bytes(PAGE), path.read_bytes()))
    path.write_bytes(path.read_bytes() + added)
    return f"{len(added)} bytes more"


BYTES: tuple[Callable[[Path, random.Random], str], ...] = (
    flip_bits, flip_bits, overwrite, truncate, truncate, zero_page, swap_pages, append,
)  # fmt: skip


def garbage_in_a_column(path: Path, rng: random.Random) -> str:
    """Any column of any table."""
    with _edited(path) as edit:
        tables = [row[0] for row in edit.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        filled = [table for table in tables if edit.execute(f"SELECT count(*) FROM {table}").fetchone()[0]]
        table = rng.choice(filled)
        column = rng.choice([row[1] for row in edit.execute(f"PRAGMA table_info({table})")])
        value = rng.choice(GARBAGE)
        rows = [row[0] for row in edit.execute(f"SELECT rowid FROM {table} ORDER BY rowid")]
        where = f"WHERE rowid = {rng.choice(rows)}" if rng.random() < 0.7 else ""
        _execute(edit, f"UPDATE {table} SET {column} = ? {where}", (_storable(value),))
        return f"{table}.{column} = {value!r:.30} {where}"


def garbage_in_an_event(path: Path, rng: random.Random) -> str:
    """An event that nobody could have written, with digests that fit: what another program may have left."""
    from benchmarks.faults.odd import mutate

    with _edited(path) as edit:
        bodies = [json.loads(row[0]) for row in edit.execute("SELECT body FROM events ORDER BY position")]
        changed, how = mutate(bodies, rng)
        recipe = edit.execute("SELECT recipe FROM studies").fetchone()[0]
        _rewrite(edit, changed, recipe)
        edit.execute("DELETE FROM checkpoints")
        return f"an event changed, digests and all: {how}"


def garbage_in_the_recipe(path: Path, rng: random.Random) -> str:
    """Another goal, table or option, with digests that fit."""
    from benchmarks.faults.odd import mutate

    with _edited(path) as edit:
        recipe = json.loads(zlib.decompress(edit.execute("SELECT recipe FROM studies").fetchone()[0]))
        bodies = [json.loads(row[0]) for row in edit.execute("SELECT body FROM events ORDER BY position")]
        changed, how = mutate(recipe, rng)
        packed = zlib.compress(json.dumps(changed).encode())
        edit.execute("UPDATE studies SET recipe = ?", (packed,))
        _rewrite(edit, bodies, packed)
        return f"the recipe changed, digests and all: {how}"


def remove_rows(path: Path, rng: random.Random) -> str:
    statements = (
        "DELETE FROM events WHERE position = 0", "DELETE FROM events WHERE position = 2", "DELETE FROM events",
        "DELETE FROM events WHERE position = (SELECT max(position) FROM events)", "DELETE FROM studies",
        "DELETE FROM events WHERE position >= 2", "DELETE FROM askwise", "DROP TABLE events", "DROP TABLE studies",
        "DROP TABLE checkpoints", "DROP TABLE askwise", "DROP TABLE participants", "DROP TABLE forecasts",
        "DROP TABLE images", "ALTER TABLE events DROP COLUMN body", "ALTER TABLE studies DROP COLUMN state",
        "ALTER TABLE events DROP COLUMN seconds", "ALTER TABLE studies RENAME TO other",
    )  # fmt: skip
    chosen = rng.choice(statements)
    with _edited(path) as edit:
        _execute(edit, chosen)
    return chosen


def change_format(path: Path, rng: random.Random) -> str:
    value = rng.choice((0, 1, 99, -1, 2**40, "abc", "2", 1.5, None))
    with _edited(path) as edit:
        edit.execute("PRAGMA ignore_check_constraints = 1")
        _execute(edit, "UPDATE askwise SET version = ?", (value,))
        if rng.random() < 0.2:
            _execute(edit, "INSERT INTO askwise VALUES (7)")
    return f"format {value!r}"


def double_rows(path: Path, rng: random.Random) -> str:
    """A second study, events out of place, a checkpoint of another log, one of noise whose digest fits."""
    statements: dict[str, tuple[str, tuple[Any, ...]]] = {
        "a second study": (
            "INSERT INTO studies (study, name, created, askwise, recipe) "
            "SELECT study + 1, name || '2', created, askwise, recipe FROM studies", ()),
        "events further on": ("UPDATE events SET position = position + 100", ()),
        "events in another order": ("UPDATE events SET position = 1000 - position", ()),
        "the checkpoint further on": ("UPDATE checkpoints SET position = 99", ()),
        "the checkpoint before all": ("UPDATE checkpoints SET position = -1", ()),
        "a checkpoint of nothing": ("UPDATE checkpoints SET content = ?", (_digested(b""),)),
        "a checkpoint of noise": ("UPDATE checkpoints SET content = ?", (_digested(rng.randbytes(300)),)),
        "a short checkpoint": ("UPDATE checkpoints SET content = x'00'", ()),
        "the study is a participant's": ("UPDATE studies SET parent = 1", ()),
        "no such state": ("UPDATE studies SET state = 'x', mode = 'y'", ()),
    }  # fmt: skip
    how = rng.choice(list(statements))
    with _edited(path) as edit:
        _execute(edit, *statements[how])
    return how


ROWS: tuple[Callable[[Path, random.Random], str], ...] = (
    garbage_in_a_column, garbage_in_a_column, garbage_in_an_event, garbage_in_an_event, garbage_in_the_recipe,
    remove_rows, remove_rows, change_format, double_rows,
)  # fmt: skip


class _edited:
    """The database, opened by another program and closed properly."""

    def __init__(self, path: Path):
        self.connection = sqlite3.connect(path)
        self.connection.execute("PRAGMA foreign_keys = OFF")

    def __enter__(self) -> sqlite3.Connection:
        return self.connection

    def __exit__(self, *_: object) -> None:
        self.connection.commit()
        self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.connection.close()


def _execute(edit: sqlite3.Connection, statement: str, values: tuple[Any, ...] = ()) -> None:
    """The statement, if the database lets it be: not every garbage fits every column."""
    try:
        edit.execute(statement, values)
    except sqlite3.Error:
        edit.rollback()


def _storable(value: Any) -> Any:
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) and not value.isprintable() else value


def _rewrite(edit: sqlite3.Connection, bodies: Any, recipe: bytes) -> None:
    edit.execute("DELETE FROM events")
    digest = sha256(recipe).hexdigest()
    for position, event in enumerate(bodies if isinstance(bodies, list) else []):
        body = json.dumps(event)
        digest = sha256(f"{digest}\n{body}".encode()).hexdigest()
        edit.execute(
            "INSERT INTO events (study, position, event, time, body, digest) VALUES (1, ?, 'x', '', ?, ?)",
            (position, body, digest),
        )


def _digested(content: bytes) -> bytes:
    return sha256(content).digest() + content
