"""How the server listens and stops. It closes connections that do not send a whole request in time."""

from __future__ import annotations

import asyncio
from ipaddress import ip_network
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from askwise.errors import SettingError

STOP_SECONDS = 20  # for the requests that are under way when the server stops
MIN_BYTES_PER_SECOND = 16 * 2**10  # of a body


def config(app: FastAPI, behind_proxy: bool = False, trusted_proxies: str | None = None) -> uvicorn.Config:
    """The configuration of uvicorn. Headers about the origin of a request are trusted only if they come from a proxy:
    one on this machine, or one of those named."""
    return uvicorn.Config(
        app,
        log_config=None,  # see logs.py
        access_log=False,
        http=TimedConnection,
        proxy_headers=behind_proxy or trusted_proxies is not None,
        forwarded_allow_ips=trusted_proxies,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=STOP_SECONDS,
    )


def checked_proxies(text: str) -> str:
    """Addresses and networks of proxies, with commas between.

    >>> checked_proxies("10.0.0.0/8, 127.0.0.1")
    '10.0.0.0/8,127.0.0.1'
    """
    found = [part.strip() for part in text.split(",") if part.strip()]
    for part in found:
        try:
            ip_network(part)
        except ValueError:
            told = f"{part!r} is no address of a proxy"
            raise SettingError(f"{told}; give addresses or networks such as 10.0.0.7,192.168.1.0/24") from None
    if not found:
        raise SettingError("no proxy is named; give addresses or networks such as 10.0.0.7,192.168.1.0/24")
    return ",".join(found)


class GracefulServer(uvicorn.Server):
    """Finishes the requests that are under way when it is told to stop. Streams to pages that watch end at once."""

    def handle_exit(self, sig: int, frame: Any) -> None:
        super().handle_exit(sig, frame)
        studies = getattr(self.config.app.state, "studies", None)  # type: ignore[union-attr]
        if studies is not None and not self.force_exit:
            self.loop.call_soon_threadsafe(studies.stop)

    async def startup(self, sockets: Any = None) -> None:
        self.loop = asyncio.get_running_loop()
        await super().startup(sockets)


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
