"""How the server listens. It closes connections that do not send a whole request in time."""

from __future__ import annotations

import asyncio
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.auto import AutoHTTPProtocol

MIN_BYTES_PER_SECOND = 16 * 2**10  # of a body


def config(app: FastAPI, behind_proxy: bool = False) -> uvicorn.Config:
    """The configuration of uvicorn. Headers about the origin of a request are trusted only behind a proxy."""
    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        http=TimedConnection,
        proxy_headers=behind_proxy,
        timeout_keep_alive=5,
    )


class TimedConnection(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """A connection with a time limit for the head of a request, and one for its body."""

    seconds = 10.0  # for the head; as many more for the body, and what a slow line takes

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._clock: asyncio.TimerHandle | None = None
        self._timed: object = None  # the request whose body is waited for
        self._wait(self.seconds)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        cycle = self.cycle
        if cycle is None or cycle.response_complete:
            if self._clock is None:
                self._wait(self.seconds)  # the next one has begun
        elif not cycle.more_body:
            self._stop()
        elif self._timed is not cycle:
            self._timed = cycle
            said = dict(cycle.scope["headers"]).get(b"content-length", b"0")
            self._wait(self.seconds + int(said) / MIN_BYTES_PER_SECOND)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def _wait(self, seconds: float) -> None:
        self._stop()
        self._clock = self.loop.call_later(seconds, self.transport.close)

    def _stop(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None
