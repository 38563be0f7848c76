"""Stored files: damaged before they are opened, and taken away, replaced, locked or full while a session goes on.

An acknowledged answer is there afterwards, or the program says in a sentence that something is wrong.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import askwise
from askwise.storage import close
from benchmarks.faults.common import (
    Case,
    Outcome,
    attempt,
    case_rng,
    compare_answers,
    random_response,
    recorded_answers,
)
from benchmarks.faults.damage import BYTES, ROWS
from benchmarks.faults.sessions import ALIKE, KINDS, STORED, Setting, answered
from benchmarks.faults.under_way import limited, under_way

COUNT = 1_000
QUICK = 18


def case(seed: int, number: int) -> Case:
    rng = case_rng(seed, "files", number)
    makers = (_bytes, _rows, _bytes, _rows, under_way, _rows, _bytes, _special, under_way, limited)
    return makers[number % len(makers)](rng)


def warm_up(folder: Path) -> None:
    for kind in STORED:
        session = Setting(kind, 2, True, True).session(folder / f"{kind}.askwise")
        close(session)
        askwise.open(folder / f"{kind}.askwise").ask()


def _whole(rng: random.Random, path: Path) -> tuple[Setting, list[tuple[str, Any]]]:
    """A study in a file, closed, with its answers."""
    setting = Setting(rng.choice(STORED), rng.choice((2, 2, 4)), rng.random() < 0.5, True)
    session = setting.session(path)
    answers = recorded_answers(session.log)
    close(session)
    if rng.random() < 0.4:  # the answers are then worked out again
        edit = sqlite3.connect(path)
        edit.execute("DELETE FROM checkpoints")
        edit.commit()
        edit.close()
    return setting, answers


# ---------------------------------------------------------------------- damaged before


def _bytes(rng: random.Random) -> Case:
    return _damaged(rng, rng.choice(BYTES))


def _rows(rng: random.Random) -> Case:
    return _damaged(rng, rng.choice(ROWS))


def _damaged(rng: random.Random, damage: Callable[[Path, random.Random], str]) -> Case:
    def run(folder: Path, outcome: Outcome) -> None:
        path = folder / "x.askwise"
        _, answers = _whole(rng, path)
        _opened(path, damage(path, rng), answers, outcome, rng)

    return Case(damage.__name__, run)


def _opened(path: Path, how: str, answers: list[tuple[str, Any]], outcome: Outcome, rng: random.Random) -> None:
    """Refused, or as it was before, and able to go on."""
    opened = attempt(outcome, f"open: {how}", lambda: askwise.open(path))
    outcome.refused += opened.refusal is not None
    if not opened.done:
        return
    outcome.accepted += 1
    session = opened.value
    found = Outcome()
    compare_answers(found, answers, session.log)
    if "digests and all" not in how:  # a forger who knows the digests may write other answers
        for failure in found.failures:
            outcome.fail(failure.kind, f"{how}: {failure.what}")
    given = answered(session, outcome, how, rng, 1)
    attempt(outcome, f"certificate: {how}", session.certificate)
    attempt(outcome, f"close: {how}", lambda: close(session))
    if given:
        again = attempt(outcome, f"open again: {how}", lambda: askwise.open(path))
        if again.done:
            compare_answers(outcome, given, again.value.log)


def _special(rng: random.Random) -> Case:
    """Something else where the file should be, or files beside it that belong to another one."""
    ways = tuple(SPECIAL)
    how = rng.choice(ways)

    def run(folder: Path, outcome: Outcome) -> None:
        path = folder / "x.askwise"
        answers = SPECIAL[how](path, rng)
        _opened(path, how, answers, outcome, rng)

    return Case(how, run)


def _killed(path: Path, rng: random.Random) -> list[tuple[str, Any]]:
    """A study whose program was killed: its last answers may still be in the -wal file. What was acknowledged."""
    setting = Setting(rng.choice(ALIKE), 0, False, True)
    askwise.save(KINDS[setting.kind](), path)
    count, report = rng.randint(1, 3), path.with_suffix(".said")
    pid = os.fork()
    if pid == 0:
        try:
            session, given = askwise.open(path), []
            for _ in range(count):
                question = session.ask()
                response = random_response(question, random.Random(0))
                session.tell(response, question)
                given.append((question.id, response))
                report.write_text(json.dumps(given))
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(pid, 0)
    return [tuple(pair) for pair in json.loads(report.read_text())]  # type: ignore[misc]


def _replaced(make: Callable[[Path], Any]) -> Callable[[Path, random.Random], list[tuple[str, Any]]]:
    def way(path: Path, rng: random.Random) -> list[tuple[str, Any]]:
        make(path)
        return []

    return way


def _after_kill(damage: Callable[[Path, random.Random], Any]) -> Callable[[Path, random.Random], list[tuple[str, Any]]]:
    def way(path: Path, rng: random.Random) -> list[tuple[str, Any]]:
        answers = _killed(path, rng)
        damage(path, rng)
        return answers

    return way


def _foreign_wal(path: Path, rng: random.Random) -> None:
    other = path.with_name("other.askwise")
    _killed(other, rng)
    shutil.copy(f"{other}-wal", f"{path}-wal")


def _cut_wal(path: Path, rng: random.Random) -> None:
    wal = Path(f"{path}-wal")
    os.truncate(wal, rng.randrange(wal.stat().st_size))


def _flip_wal(path: Path, rng: random.Random) -> None:
    wal = Path(f"{path}-wal")
    content = bytearray(wal.read_bytes())
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    wal.write_bytes(bytes(content))


SPECIAL: dict[str, Callable[[Path, random.Random], list[tuple[str, Any]]]] = {
    "a folder": _replaced(Path.mkdir),
    "a fifo": _replaced(os.mkfifo),
    "a link to itself": _replaced(lambda path: path.symlink_to(path)),
    "a device": _replaced(lambda path: path.symlink_to("/dev/zero")),
    "nothing": _replaced(lambda path: None),
    "an empty file": _replaced(Path.touch),
    "another database": _replaced(lambda path: sqlite3.connect(path).execute("CREATE TABLE t (x)").connection.close()),
    "the program was killed": _after_kill(lambda path, rng: None),
    "killed, -shm deleted": _after_kill(lambda path, rng: Path(f"{path}-shm").unlink()),
    "killed, -wal deleted": _after_kill(lambda path, rng: Path(f"{path}-wal").unlink()),
    "killed, -wal cut": _after_kill(_cut_wal),
    "killed, bits of -wal flipped": _after_kill(_flip_wal),
    "killed, -wal of another study": _after_kill(_foreign_wal),
    "killed, -wal is a folder": _after_kill(
        lambda path, rng: (Path(f"{path}-wal").unlink(), Path(f"{path}-wal").mkdir())
    ),
}
