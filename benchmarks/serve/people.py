"""Simulated people who talk to servers, and what they saw."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from askwise.storage.participants import invite, token_of
from askwise.storage.store import Store

ITEMS, DIMENSION = 50, 10
THINK_SECONDS = (1.0, 5.0)
REPLY_SECONDS = 10.0  # after which a request is sent again
MAX_REFUSALS = 20  # of one person, who then gives up


def table(rng: np.random.Generator) -> list[dict[str, Any]]:
    rows = rng.standard_normal((ITEMS, DIMENSION))
    return [{"name": f"item {i}", **{f"x{j}": float(rows[i, j]) for j in range(DIMENSION)}} for i in range(ITEMS)]


class Refused(Exception):
    """A request that the server refused for good."""


class Line:
    """One person's connections to the servers; plain, so that two hundred people leave the processors to the servers.

    A proxy would do the same: the person stays with a server until it does not respond, or with `alternate`, every
    request goes to the next one."""

    def __init__(self, ports: Sequence[int], first: int, alternate: bool):
        self.ports = ports
        self.alternate = alternate
        self.retries = 0
        self._next = first % len(ports)
        self._ends: dict[int, tuple[asyncio.StreamReader, asyncio.StreamWriter]] = {}

    async def sent(self, method: str, path: str, body: Any = None) -> Any:
        """Sends again, with the same key, until there is a reply."""
        content = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        whole = f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content
        if self.alternate:
            self._next = (self._next + 1) % len(self.ports)
        while True:
            with suppress(OSError, EOFError, TimeoutError):
                code, reply = await asyncio.wait_for(self._exchange(self.ports[self._next], whole), REPLY_SECONDS)
                if code == 200:
                    return json.loads(reply)
                if code < 500 and code != 429:
                    raise Refused(reply.decode())
            self.retries += 1
            self._next = (self._next + 1) % len(self.ports)
            await asyncio.sleep(0.2)

    async def _exchange(self, port: int, whole: bytes) -> tuple[int, bytes]:
        if port in self._ends and self._ends[port][0].at_eof():  # the server ended a line that rested too long
            self._ends.pop(port)[1].close()
        if port not in self._ends:
            self._ends[port] = await asyncio.open_connection("127.0.0.1", port)
        reader, writer = self._ends[port]
        try:
            writer.write(whole)
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            size = int(head.partition("content-length:")[2].partition("\r\n")[0])
            return int(head.split(" ", 2)[1]), await reader.readexactly(size)
        except BaseException:
            self._ends.pop(port, None)
            writer.close()
            raise

    def close(self) -> None:
        for _, writer in self._ends.values():
            writer.close()


@dataclass
class Crowd:
    """The people, and what they saw."""

    store: Store
    features: np.ndarray[Any, Any]
    ports: Sequence[int]
    end: float  # by the monotonic clock
    alternate: bool = False
    think_seconds: Sequence[float] = THINK_SECONDS
    waits: list[float] = field(default_factory=list)
    acknowledged: list[tuple[str, str]] = field(default_factory=list)  # participant and key
    refusals: list[str] = field(default_factory=list)  # of questions that were shown to the person
    fallbacks: int = 0
    retries: int = 0
    finished: int = 0

    async def person(self, number: int) -> None:
        rng, line = random.Random(number), Line(self.ports, number, self.alternate)
        await asyncio.sleep(rng.uniform(0, self.think_seconds[1]))
        while time.monotonic() < self.end:
            await self.sitting(line, rng)
        self.retries += line.retries
        line.close()

    async def sitting(self, line: Line, rng: random.Random) -> None:
        """One person from the first question to the stop."""
        record = await asyncio.to_thread(self.store.record)
        made = await asyncio.to_thread(invite, self.store, record, "")
        token = await asyncio.to_thread(token_of, self.store, record.study, made.participant)
        here = f"/api/v1/s/{self.store.address.name}/p/{token}"
        taste = np.random.default_rng(rng.getrandbits(32)).standard_normal(DIMENSION) * 5
        utilities = self.features @ taste
        state, refused = await line.sent("GET", here), 0
        while state["question"] is not None and time.monotonic() < self.end and refused < MAX_REFUSALS:
            await asyncio.sleep(rng.uniform(self.think_seconds[0], self.think_seconds[1]))
            question = state["question"]
            left, right = (int(option["name"].split()[1]) for option in question["options"])
            sure = 1 / (1 + np.exp(utilities[right] - utilities[left]))
            response, key = "left" if rng.random() < sure else "right", f"{rng.getrandbits(64):016x}"
            told = {"question": question["id"], "response": response, "key": key, "seconds": 2.0}
            begun = time.monotonic()
            try:
                state = await line.sent("POST", f"{here}/answers", told)
            except Refused as refusal:
                refused += 1
                self.refusals.append(str(refusal))
                state = await line.sent("GET", here)
                continue
            self.waits.append(time.monotonic() - begun)
            self.acknowledged.append((made.participant, key))
            self.fallbacks += state["behind"] and state["question"] is not None
        self.finished += state["question"] is None
