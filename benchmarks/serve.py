"""Many people at once on one server: python -m benchmarks.serve [--people 100] [--seconds 60] [--kills 3] [--json]

Simulated people on loopback, with think times of 1 to 5 seconds, each looking for the best of 50 items with a posterior
of their own; whoever is done is followed by somebody else. Measured: from sending an answer to the next question.
Afterwards the store is read: every answer that was acknowledged must be there, once. With --kills the server is killed
by kill -9 and started again so many times in between; answers that got no reply are sent again with the same key.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from typing import Any

import numpy as np

import askwise
from askwise.storage.address import Address
from askwise.storage.journal import StudyJournal
from askwise.storage.participants import invite, people, token_of
from askwise.storage.store import Store

ITEMS, DIMENSION = 50, 10
PORT = 8471
THINK = (1.0, 5.0)


def table(rng: np.random.Generator) -> list[dict[str, Any]]:
    rows = rng.standard_normal((ITEMS, DIMENSION))
    return [{"name": f"item {i}", **{f"x{j}": float(rows[i, j]) for j in range(DIMENSION)}} for i in range(ITEMS)]


def start(address: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", "from askwise.cli import main; main()", "serve", address, "--port", str(PORT)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    for _ in range(600):
        with suppress(OSError), socket.create_connection(("127.0.0.1", PORT)):
            return process
        time.sleep(0.05)
    raise RuntimeError("the server did not start")


def kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def memory_mb(process: subprocess.Popen[bytes]) -> float:
    """Of the server and its workers together."""
    found = subprocess.run(["ps", "-o", "rss=", "-g", str(process.pid)], capture_output=True, text=True)
    return sum(map(int, found.stdout.split())) / 1024


class Line:
    """One person's connection to the server; plain, so that two hundred people leave the processors to the server."""

    def __init__(self) -> None:
        self._ends: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.retries = 0

    async def sent(self, method: str, path: str, body: Any = None) -> Any:
        """Sends again, with the same key, until there is a reply."""
        content = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        whole = f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content
        while True:
            with suppress(OSError, EOFError, TimeoutError):
                code, reply = await asyncio.wait_for(self._exchange(whole), 10)
                if code == 200:
                    return json.loads(reply)
                if code < 500 and code != 429:
                    raise RuntimeError(reply.decode())
            self.retries += 1
            await asyncio.sleep(0.2)

    async def _exchange(self, whole: bytes) -> tuple[int, bytes]:
        if self._ends is None:
            self._ends = await asyncio.open_connection("127.0.0.1", PORT)
        reader, writer = self._ends
        try:
            writer.write(whole)
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            size = int(head.partition("content-length:")[2].partition("\r\n")[0])
            return int(head.split(" ", 2)[1]), await reader.readexactly(size)
        except BaseException:
            self._ends = None
            writer.close()
            raise


class Crowd:
    """The people, and what they saw."""

    def __init__(self, store: Store, features: np.ndarray[Any, Any], end: float):
        self.store = store
        self.features = features
        self.end = end
        self.waits: list[float] = []
        self.acknowledged: list[tuple[str, str]] = []
        self.fallbacks = 0
        self.retries = 0
        self.finished = 0

    async def person(self, number: int) -> None:
        rng, line = random.Random(number), Line()
        await asyncio.sleep(rng.uniform(0, THINK[1]))
        while time.monotonic() < self.end:
            await self.sitting(line, rng)
        self.retries += line.retries

    async def sitting(self, line: Line, rng: random.Random) -> None:
        """One person from the first question to the stop."""
        made = await asyncio.to_thread(invite, self.store, self.store.record(), "")
        token = await asyncio.to_thread(token_of, self.store, self.store.record().study, made.participant)
        here = f"/api/v1/s/{self.store.address.name}/p/{token}"
        taste = np.random.default_rng(rng.getrandbits(32)).standard_normal(DIMENSION) * 5
        utilities = self.features @ taste
        state = await line.sent("GET", here)
        while state["question"] is not None and time.monotonic() < self.end:
            await asyncio.sleep(rng.uniform(*THINK))
            question = state["question"]
            left, right = (int(option["name"].split()[1]) for option in question["options"])
            sure = 1 / (1 + np.exp(utilities[right] - utilities[left]))
            response, key = "left" if rng.random() < sure else "right", f"{rng.getrandbits(64):016x}"
            told = {"question": question["id"], "response": response, "key": key, "seconds": 2.0}
            begun = time.monotonic()
            state = await line.sent("POST", f"{here}/answers", told)
            self.waits.append(time.monotonic() - begun)
            self.acknowledged.append((made.participant, key))
            self.fallbacks += state["behind"] and state["question"] is not None
        self.finished += state["question"] is None


async def crowd(options: argparse.Namespace, store: Store, address: str, features: Any) -> dict[str, Any]:
    server = start(address)
    watched = Crowd(store, features, time.monotonic() + options.seconds)
    memory = []
    try:
        tasks = [asyncio.create_task(watched.person(number)) for number in range(options.people)]
        for part in range(options.kills + 1):
            for _ in range(4):
                await asyncio.sleep(options.seconds / (options.kills + 1) / 4)
                memory.append(memory_mb(server))
            if part < options.kills:
                kill(server)
                server = await asyncio.to_thread(start, address)
        await asyncio.gather(*tasks)
    finally:
        kill(server)
    return {"crowd": watched, "memory": memory}


def count(store: Store, acknowledged: list[tuple[str, str]]) -> tuple[int, int, int]:
    """(answers in the store, acknowledged ones that are not there, ones that are there twice)"""
    found: Counter[tuple[str, str]] = Counter()
    twice = 0
    for each in people(store, store.record().study):
        log = StudyJournal(store, store.record(each.log)).since(0)
        told = [event for event in log if event["event"] == "tell"]
        found.update((each.participant, event["key"]) for event in told)
        twice += len(told) - len({event["question"] for event in told})
    lost = sum(found[pair] == 0 for pair in acknowledged)
    return sum(found.values()), lost, twice + sum(number - 1 for number in found.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--store", default=None, help="postgresql://host/database; a SQLite file unless given")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    items = table(np.random.default_rng(0))
    features = np.array([[row[f"x{j}"] for j in range(DIMENSION)] for row in items])
    with tempfile.TemporaryDirectory() as folder:
        address = f"{options.store}#crowd{os.getpid()}" if options.store else f"{folder}/crowd.askwise"
        askwise.save(askwise.best_item(items, seed=1), address)
        store = Store.at(Address.of(address))
        found = asyncio.run(crowd(options, store, address, features))
        watched: Crowd = found["crowd"]
        answers, lost, doubled = count(store, watched.acknowledged)
    waits = 1e3 * np.array(watched.waits)
    p50, p95, p99 = (float(np.percentile(waits, level)) for level in (50, 95, 99))
    result = {
        "people": options.people,
        "seconds": options.seconds,
        "kills": options.kills,
        "answers": answers,
        "p50_ms": p50,
        "p95_ms": p95,
        "p99_ms": p99,
        "lost": lost,
        "doubled": doubled,
        "fallback_share": watched.fallbacks / max(len(waits), 1),
        "retries": watched.retries,
        "settled": watched.finished,
        "memory_mb": found["memory"],
    }
    if options.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name:15} {value if not isinstance(value, float) else round(value, 3)}")


if __name__ == "__main__":
    main()
