"""Rounds of writers that are killed; after each the study is read and compared with what was acknowledged."""

from __future__ import annotations

import json
import os
import random
import select
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import text

import askwise
from askwise.errors import StudyError
from askwise.session import Session
from benchmarks.kills.ledger import Ledger
from benchmarks.kills.postgres import PostgresServer
from benchmarks.kills.writer import Write, write_forever

NAMES = [f"item {i}" for i in range(12)]
KILLS_PER_STUDY = 25
MOMENTS = ("tell", "tell", "ask", "skip", "undo", "checkpoint", "close", "open")  # to wait for before a kill
MAX_DELAY_SECONDS = 0.012  # from such a moment to the kill: twice what a call takes
SERVER_KILL_INTERVAL = 3  # rounds between two kills of the database server
STUCK_SECONDS = 120.0  # for a writer to come to the next call


class Child:
    """A writer process, seen from outside."""

    def __init__(self, pid: int, pipe: int, ledger: Ledger):
        self.pid = pid
        self.pipe = pipe
        self.ledger = ledger
        self.rest = b""
        self.inside: list[str] = []  # the calls that it is in, by its messages
        self.error = ""  # its last one
        self.over = False

    def read_messages(self, seconds: float) -> list[dict[str, Any]]:
        """What the writer sends within these seconds; returns as soon as it sends something."""
        if self.over or not select.select([self.pipe], [], [], seconds)[0]:
            return []
        more = os.read(self.pipe, 1 << 16)
        self.over = not more
        *lines, self.rest = (self.rest + more).split(b"\n")
        messages = [json.loads(line) for line in lines]
        for line in messages:
            self.ledger.record(line)
            if line["mark"] == "begin":
                self.inside.append(line["kind"])
            elif line["mark"] in ("error", "retry"):
                self.error = line["kind"]
            else:
                self.inside.pop()
        return messages

    def wait_for(self, mark: str, *kinds: str) -> bool:
        """True once the writer begins or ends such a call; False if it died or never does."""
        end = time.monotonic() + STUCK_SECONDS
        while not self.over and time.monotonic() < end:
            if any(line["mark"] == mark and line["kind"] in kinds for line in self.read_messages(1.0)):
                return True
        return False

    def kill(self) -> str:
        """kill -9; says where the writer was."""
        os.kill(self.pid, signal.SIGKILL)
        while not self.over:
            self.read_messages(1.0)
        os.close(self.pipe)
        os.waitpid(self.pid, 0)
        return self.inside[-1] if self.inside else "between"


@dataclass
class Kills:
    """The writers and servers killed so far, and what came of it."""

    rng: random.Random
    folder: str
    server: PostgresServer | None
    write: Write = write_forever
    kills: int = 0
    server_kills: int = 0
    inside: Counter[str] = field(default_factory=Counter)
    ledgers: list[Ledger] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    writers: int = 0
    rounds: int = 0

    def study(self, kills: int) -> None:
        """A new study, and rounds until so many kills have been."""
        name = f"study{len(self.ledgers)}"
        address = f"{self.folder}/{name}.askwise" if self.server is None else f"{self.server.address}#{name}"
        askwise.save(askwise.best_item(NAMES, draws=8, seed=1, budget=10**6, repeat=True), address)
        self.ledgers.append(Ledger())
        end = self.kills + kills
        while self.kills < end and not self.failures:
            self.rounds += 1
            if self.server is not None and self.rounds % SERVER_KILL_INTERVAL == 0:
                self.kill_server(address)
            else:
                self.kill_writers(address, 1 if self.rng.random() < 0.7 else min(3, end - self.kills))
            self.compare(address)
        if not self.failures:
            self.check_replay(address)

    def start(self, address: str, moment: str) -> Child:
        """A writer in a process of its own. The calls that got no reply before are repeated by it."""
        self.writers += 1
        ledger = self.ledgers[-1]
        seed, repeat = self.rng.getrandbits(32), ledger.in_doubt()
        reading, writing = os.pipe()
        pid = os.fork()
        if not pid:
            try:
                self.write(address, writing, f"w{self.writers}", seed, moment, repeat)
            except BaseException as error:
                message = {"mark": "error", "kind": f"{type(error).__name__}: {error}", "key": None}
                os.write(writing, json.dumps(message).encode() + b"\n")
            finally:
                os._exit(1)
        os.close(writing)
        return Child(pid, reading, ledger)

    def require(self, child: Child, mark: str, *kinds: str) -> None:
        if not child.wait_for(mark, *kinds):
            where = " in ".join(reversed(child.inside)) or "no call"
            self.failures.append(f"a writer did not {mark} {' or '.join(kinds)}, it was in {where}; {child.error}")

    def kill_writers(self, address: str, count: int) -> None:
        """Starts writers and kills them one after another, each at a random moment of a call chosen at random."""
        moments = [self.rng.choice(MOMENTS) for _ in range(count)]
        children = [self.start(address, moment) for moment in moments]
        for child, moment in zip(children, moments, strict=True):
            self.require(child, "begin", moment)
            time.sleep(self.rng.random() * MAX_DELAY_SECONDS)
            self.inside[child.kill()] += 1
            self.kills += 1

    def kill_server(self, address: str) -> None:
        """Kills the database server under its writers; they must go on when it is back, and then they are killed."""
        assert self.server is not None
        moment = self.rng.choice(MOMENTS)
        children = [self.start(address, moment) for _ in range(self.rng.choice((1, 2)))]
        self.require(children[0], "begin", moment)
        time.sleep(self.rng.random() * MAX_DELAY_SECONDS)
        self.server.kill()
        self.server.start()
        self.server_kills += 1
        self.kills += 1
        for child in children:
            child.read_messages(0.0)
            self.require(child, "end", "tell")
            self.inside[child.kill()] += 1
            self.kills += 1

    def compare(self, address: str) -> None:
        """Compares the study, opened as anybody opens it, with what was acknowledged."""
        ledger = self.ledgers[-1]
        try:
            with self.opened(address) as session:
                ledger.compare(session.log)
                self.check_positions(session)
        except StudyError as error:
            ledger.compare([])  # what cannot be read is lost
            self.failures.append(str(error))
        if ledger.refused_but_there:
            self.failures.append(f"refused, and in the log all the same: {', '.join(ledger.refused_but_there)}")

    def check_positions(self, session: Session) -> None:
        """Checks that the positions of the events are 0, 1, ... without a gap."""
        name = f"study{len(self.ledgers) - 1}"
        query = "SELECT count(*), max(position) FROM events JOIN studies USING (study) WHERE name = :name"
        with session.journal.store.engine.begin() as connection:  # type: ignore[union-attr]
            count, last = connection.execute(text(query), {"name": name}).one()
        if count != len(session.log) or (count and last != count - 1):
            self.failures.append(f"{count} events have positions up to {last}, and {len(session.log)} were read")

    def check_replay(self, address: str) -> None:
        """The whole log leads to the same state as the checkpoint did."""
        with self.opened(address) as session:
            again = askwise.from_json(session.to_json())
            same = again.event_log.status == session.event_log.status and again.diameter == session.diameter
            if not same:
                self.failures.append(f"the replay of {len(session.log)} events leads to another state")

    @contextmanager
    def opened(self, address: str) -> Iterator[Session]:
        """Closed before the next writer is forked: a connection must not be in two processes."""
        session = askwise.open(address)
        try:
            yield session
        finally:
            session.journal.store.close()  # type: ignore[union-attr]

    def result(self) -> dict[str, Any]:
        return {
            "kills": self.kills,
            "server_kills": self.server_kills,
            "studies": len(self.ledgers),
            "inside": dict(self.inside.most_common()),
            "acknowledged": sum(ledger.acknowledged for ledger in self.ledgers),
            **{
                part: sum(len(getattr(ledger, part)) for ledger in self.ledgers)
                for part in ("lost", "doubled", "reordered", "refused_then_present")
            },
            "failures": self.failures,
        }


def run(
    count: int, seed: int, folder: str, server: PostgresServer | None = None, write: Write = write_forever
) -> Kills:
    """So many kills, on SQLite files in the folder or on the server."""
    load_compiled_code()
    kills = Kills(random.Random(seed), folder, server, write)
    while kills.kills < count and not kills.failures:
        kills.study(min(KILLS_PER_STUDY, count - kills.kills))
    return kills


def load_compiled_code() -> None:
    """Loads compiled code once, for all processes that are forked later."""
    session = askwise.best_item(NAMES, draws=8, seed=1)
    session.ask()
    session.tell("left")
