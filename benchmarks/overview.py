"""The owner's page of a study with many people: python -m benchmarks.overview [--people 1000] [--answers 20] [--json]

The people are in the store, most with five answers; a real server sends what one page that watches them gets. Then some
more people answer, one after the other. Measured over loopback: the bytes of the first overview and of each message of
changes, the time from the reply to an answer until the page has it (the server sends at most two messages a second),
and the time that the server takes to make one overview.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import secrets
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any

import httpx2
import numpy as np

import askwise
from askwise.storage.address import Address
from askwise.storage.journal import StudyJournal
from askwise.storage.participants import invite_all, token_of
from askwise.storage.store import Store
from benchmarks.common import benchmark_parser
from benchmarks.serve.people import table
from benchmarks.serve.servers import RunningServer

ANSWERS_EACH = 5  # of everybody who has answered before
TOKEN = "of-a-server-that-lives-for-a-minute"
OWNER = {"Authorization": f"Bearer {TOKEN}"}
OVERVIEWS = 10  # that are timed
WAIT_SECONDS = 120.0  # for a message or a question


@dataclass(frozen=True)
class Message:
    """What the page was sent: `overview`, `changes` or `learned`."""

    kind: str
    bytes: int
    body: dict[str, Any]
    received: float


def fill(store: Store, people: int, new: int) -> list[str]:
    """Puts people into a study, all but `new` of them with answers; the paths of those who have none."""
    record = store.record()
    invited = invite_all(store, record, [f"Person {number}" for number in range(people)])
    session = askwise.best_item(table(np.random.default_rng(0)), seed=1)
    for _ in range(ANSWERS_EACH):
        session.tell("left", session.ask())
    for one in invited[new:]:
        StudyJournal(store, store.record(one.log)).append(0, *session.log)
    return [f"/s/many/p/{token_of(store, record.study, one.participant)}" for one in invited[:new]]


def messages(lines: Iterator[str]) -> Iterator[Message]:
    """The messages of a stream of server-sent events."""
    kind = ""
    for line in lines:
        if line.startswith("event: "):
            kind = line.removeprefix("event: ")
        elif line.startswith("data: "):
            size = len(f"event: {kind}\n{line}\n\n".encode())
            yield Message(kind, size, json.loads(line.removeprefix("data: ")), time.monotonic())


def listen(where: str, received: queue.Queue[Message]) -> None:
    """Takes every message until the server ends."""
    with (
        suppress(httpx2.TransportError),
        httpx2.stream("GET", f"{where}/api/v1/studies/many/live", headers=OWNER, timeout=WAIT_SECONDS) as stream,
    ):
        for message in messages(stream.iter_lines()):
            received.put(message)


def watch(
    received: queue.Queue[Message], client: httpx2.Client, paths: list[str]
) -> tuple[Message, list[Message], list[float]]:
    """The first overview, all changes, and the seconds until the page had each answer."""
    first = received.get(timeout=WAIT_SECONDS)
    total, changes, waits = first.body["answers"], [], []
    for number, path in enumerate(paths, 1):
        answer(client, path)
        acknowledged = time.monotonic()
        while not any(one.body.get("answers") == total + number for one in changes):
            message = received.get(timeout=WAIT_SECONDS)
            changes += [message] if message.kind == "changes" else []
        waits.append(max(0.0, changes[-1].received - acknowledged))
    return first, changes, waits


def answer(client: httpx2.Client, path: str) -> None:
    """One person's first answer."""
    end = time.monotonic() + WAIT_SECONDS
    while (question := client.get(f"/api/v1{path}").json()["question"]) is None:
        if time.monotonic() > end:
            raise RuntimeError("there was no question")
        time.sleep(0.1)
    told = {"question": question["id"], "response": question["responses"][0], "key": secrets.token_urlsafe(9)}
    client.post(f"/api/v1{path}/answers", json=told).raise_for_status()


def overview_seconds(client: httpx2.Client) -> float:
    """Until a program that asks for it has the whole overview."""
    begun = time.monotonic()
    client.get("/api/v1/studies/many").raise_for_status()
    return time.monotonic() - begun


def run(options: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        address = f"{folder}/many.askwise"
        askwise.save(askwise.best_item(table(np.random.default_rng(0)), seed=1), address)
        with closing(Store.at(Address.of(address))) as store:
            paths = fill(store, options.people, options.answers)
        server = RunningServer(address, ("--token", TOKEN, "--workers", "1"))
        where = f"http://127.0.0.1:{server.port}"
        received: queue.Queue[Message] = queue.Queue()
        listener = threading.Thread(target=listen, args=(where, received))
        try:
            server.wait_until_ready()
            begun = time.monotonic()
            listener.start()
            with httpx2.Client(base_url=where, headers=OWNER, timeout=WAIT_SECONDS) as client:
                first, changes, waits = watch(received, client, paths)
                seconds = [overview_seconds(client) for _ in range(OVERVIEWS)]
        finally:
            server.kill()
        listener.join()
    sizes = [message.bytes for message in changes]
    return {
        "people": options.people,
        "answers": options.answers,
        "overview_bytes": first.bytes,
        "overview_ms": 1e3 * (first.received - begun),
        "changes": len(changes),
        "changes_bytes": statistics.median(sizes),
        "changes_bytes_most": max(sizes),
        "seen_ms": 1e3 * statistics.median(waits),
        "seen_ms_most": 1e3 * max(waits),
        "one_overview_ms": 1e3 * statistics.median(seconds),
        "load": os.getloadavg()[0],
    }


def parser() -> argparse.ArgumentParser:
    made = benchmark_parser(__doc__)
    made.add_argument("--people", type=int, default=1000)
    made.add_argument("--answers", type=int, default=20, help="new ones, each of somebody else")
    return made


def main() -> None:
    options = parser().parse_args()
    found = run(options)
    if options.json:
        print(json.dumps(found))
    else:
        for name, value in found.items():
            print(f"{name:18} {value if not isinstance(value, float) else round(value, 1)}")


if __name__ == "__main__":
    main()
