"""What happens to the file of a study while a session goes on: it is deleted, replaced, locked, or the disk is full."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import askwise
from askwise.storage import close
from askwise.storage import connection as connect
from benchmarks.faults.common import Case, Outcome, attempt, compare_answers, random_response, recorded_answers
from benchmarks.faults.sessions import KINDS, STORED, answered


def under_way(rng: random.Random) -> Case:
    """Something happens to the file between two answers."""
    how, kind = rng.choice(list(UNDER_WAY)), rng.choice(STORED)
    before, after = rng.randint(0, 2), rng.randint(1, 3)

    def run(folder: Path, outcome: Outcome) -> None:
        path = folder / "x.askwise"
        connect.LOCK_SECONDS = 1  # for a lock, instead of half a minute
        askwise.save(KINDS[kind](), path)
        session = askwise.open(path)
        given = answered(session, outcome, "before", rng, before)
        undo = UNDER_WAY[how](path)
        told_now = answered(session, outcome, how, rng, after)
        outcome.accepted += len(told_now) == after
        outcome.refused += len(told_now) < after
        attempt(outcome, f"close: {how}", lambda: close(session))
        if undo is not None:
            undo()
        _kept(path, how, given if how in SPARED else [], told_now, outcome)

    return Case(f"{how} after {before} answers to {kind}", run)


def _kept(path: Path, how: str, before: list[Any], after: list[Any], outcome: Outcome) -> None:
    """The answers acknowledged after it happened are in the file, and so are those from before if it was spared."""
    again = attempt(outcome, f"open again: {how}", lambda: askwise.open(path))
    if again.refusal is not None and after:
        outcome.fail("silent_losses", f"{how}: {len(after)} answers were acknowledged into a file that is no more")
    elif again.done:
        found = Outcome()
        compare_answers(found, [*before, *after], again.value.log)
        for failure in found.failures:
            outcome.fail(failure.kind, f"{how}: {failure.what}")


def _other_study(path: Path) -> None:
    other = path.with_name("other.askwise")
    askwise.save(askwise.best_item(["one", "two", "three"], draws=8), other)
    os.replace(other, path)


def _copied(path: Path) -> None:
    shutil.copy(path, f"{path}.2")
    os.replace(f"{path}.2", path)


def _another_writer(path: Path) -> None:
    other = askwise.open(path)
    with suppress(askwise.NothingToAsk):
        question = other.ask()
        other.tell(random_response(question, random.Random(1)), question)
    close(other)


def _without_rows(statement: str) -> Callable[[Path], None]:
    def edit(path: Path) -> None:
        connection = sqlite3.connect(path)
        connection.execute(statement)
        connection.commit()
        connection.close()

    return edit


def _locked(path: Path) -> Callable[[], None]:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    return connection.close


UNDER_WAY: dict[str, Callable[[Path], Callable[[], None] | None]] = {
    "the file is deleted": lambda path: path.unlink(),
    "the file is renamed": lambda path: path.rename(path.with_name("renamed.askwise")) and None,
    "the file is replaced by another study": _other_study,
    "the file is replaced by a copy": _copied,
    "the file is emptied": lambda path: os.truncate(path, 0),
    "the file is cut": lambda path: os.truncate(path, path.stat().st_size // 2),
    "the file is overwritten": lambda path: path.write_bytes(b"x" * 9000) and None,
    "the -wal file is deleted": lambda path: Path(f"{path}-wal").unlink(missing_ok=True),
    "the -shm file is deleted": lambda path: Path(f"{path}-shm").unlink(missing_ok=True),
    "the file is read-only": lambda path: path.chmod(0o444),
    "another program answers": _another_writer,
    "another program holds the lock": _locked,
    "the study row is deleted": _without_rows("DELETE FROM studies"),
    "the events are deleted": _without_rows("DELETE FROM events"),
    "the events table is dropped": _without_rows("DROP TABLE events"),
    "the recipe changes": _without_rows("UPDATE studies SET recipe = x'00'"),
}
# what does nothing to the answers given before
SPARED = (
    "another program answers",
    "another program holds the lock",
    "the file is read-only",
    "the -shm file is deleted",
)


# ---------------------------------------------------------------------- full disks

ITEMS = [f"item {place}" for place in range(12)]
ENDLESS: dict[str, Callable[[], askwise.Session]] = {  # sessions that do not run out of questions
    "pair": lambda: askwise.best_item(ITEMS, draws=8, repeat=True, budget=10**6),
    "label": lambda: askwise.classifier({"name": ITEMS, "x": list(range(12))}, draws=8, repeat=True, budget=10**6),
    "same": lambda: askwise.clusters(ITEMS, draws=8, repeat=True, budget=10**6),
}


def limited(rng: random.Random) -> Case:
    """A disk that fills up at some point, or a process that may not write larger files."""
    kind, mounted, room = (
        rng.choice(list(ENDLESS)),
        rng.random() < 0.5,
        rng.choice((rng.randrange(0, 60, 2), rng.randrange(60, 500, 20))),
    )
    what = f"{'a full disk' if mounted else 'a limit on file sizes'}, {room} kB left, {kind}"

    def run(folder: Path, outcome: Outcome) -> None:
        disk = folder / "disk"
        disk.mkdir()
        with _small_disk(disk) if mounted else nullcontext(False) as there:
            path = disk / "x.askwise"
            askwise.save(ENDLESS[kind](), path)
            given = _forked(lambda: _filled(path, room, there, rng), outcome, what)
            rest = disk / "filler"
            rest.unlink(missing_ok=True)
            again = attempt(outcome, f"open again: {what}", lambda: askwise.open(path))
            if again.refusal is not None:
                outcome.fail("silent_losses", f"{what}: the study cannot be opened any more", again.refusal)
            elif again.done:
                found = recorded_answers(again.value.log)
                compare_answers(outcome, given, again.value.log)
                outcome.expect(
                    len(found) <= len(given), "state_changed_after_refusal", f"{what}: a refused answer was recorded"
                )
                again.value.journal.store.close()

    return Case(what, run)


def _filled(path: Path, room: int, mounted: bool, rng: random.Random) -> tuple[list[Any], list[Any]]:
    """Answers until there is no room; what was acknowledged, and what failed."""
    outcome = Outcome()
    session = askwise.open(path)
    if mounted:
        free = shutil.disk_usage(path.parent).free
        (path.parent / "filler").write_bytes(bytes(max(0, free - room * 1024)))
    else:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        limit = path.stat().st_size + room * 1024
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    given = answered(session, outcome, "until it is full", rng, 60)
    attempt(outcome, "close", lambda: close(session))
    return given, [vars(failure) for failure in outcome.failures]


def _forked(work: Callable[[], tuple[list[Any], list[Any]]], outcome: Outcome, what: str) -> list[tuple[str, Any]]:
    """The work in a process of its own, whose limits end with it."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(writer, json.dumps(work()).encode())
        except BaseException as error:
            os.write(writer, json.dumps([[], [{"kind": "tracebacks", "what": repr(error)}]]).encode())
        finally:
            os._exit(0)
    os.close(writer)
    content = b""
    while piece := os.read(reader, 1 << 16):
        content += piece
    os.close(reader)
    os.waitpid(pid, 0)
    given, failures = json.loads(content)
    for failure in failures:
        outcome.fail(failure["kind"], f"{what}: {failure['what']}", failure.get("exception", ""))
    outcome.accepted += len(given)
    outcome.refused += 1
    return [tuple(pair) for pair in given]  # type: ignore[misc]


@contextmanager
def _small_disk(folder: Path) -> Iterator[bool]:
    """A disk of 1 MB, if this may mount one; else the limit on sizes stands for it."""
    words = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]
    done = subprocess.run(words, capture_output=True).returncode == 0
    try:
        yield done
    finally:
        if done:
            subprocess.run(["umount", "-l", folder], capture_output=True)
