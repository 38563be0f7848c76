"""Servers in the process of the test, which can be killed, and the people who talk to them."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field

from httpx2 import ASGITransport, AsyncClient

from askwise.server import learner
from askwise.server.safety import Buckets


class InProcess:
    """In place of a worker process: computes at once, so that a sequence of requests always gives the same."""

    _processes = {}  # noqa: RUF012

    def __init__(self, *_, **__):
        pass

    def submit(self, function, *more):
        done = Future()
        try:
            # nobody is simulated for a forecast: that takes long, and nothing here depends on it
            done.set_result((0, []) if function is learner.travel else function(*more))
        except Exception as error:
            done.set_exception(error)
        return done

    def shutdown(self, **_):
        pass


@dataclass
class Person:
    """A participant, and what they know."""

    id: str
    path: str
    log: int
    quota: int | None
    paused: bool = False
    shown: str | None = None  # the question before them
    in_force: dict = field(default_factory=dict)  # by question: (event, response) that were acknowledged
    sent: list = field(default_factory=list)  # requests that were acknowledged: (path, body)

    @property
    def full(self):
        return self.quota is not None and len(self.in_force) >= self.quota


class Server:
    """From the start of an app to its end, or to its death."""

    def __init__(self, app):
        self.app = app
        self.app.state.buckets = Buckets(rate=1e9, burst=1e9)
        self.loop = asyncio.new_event_loop()
        self.life = self.app.router.lifespan_context(self.app)
        self.loop.run_until_complete(self.life.__aenter__())

    async def _reply(self, method, path, body, headers):
        async with AsyncClient(transport=ASGITransport(app=self.app), base_url="http://testserver") as client:
            return await client.request(method, path, json=body, headers=headers)

    async def _rest(self):
        """Until everything is worked out that was begun: the same requests then always lead to the same state."""
        while tasks := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(tasks)

    def send(self, method, path, body=None, headers=None):
        reply = self.loop.run_until_complete(self._reply(method, path, body, headers))
        self.loop.run_until_complete(self._rest())
        return reply

    def begin(self, path, body, seconds):
        """Posts, and waits so long, whether or not there is a reply by then."""
        self._begun = self.loop.create_task(self._reply("POST", path, body, None))
        self.loop.run_until_complete(asyncio.sleep(seconds))

    def stop(self):
        self.loop.run_until_complete(self.life.__aexit__(None, None, None))
        self.kill()

    def kill(self):
        """What it was about to do is not done, and what its workers had in memory is gone."""
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
            with suppress(asyncio.CancelledError):
                self.loop.run_until_complete(task)
        self.loop.run_until_complete(self.loop.shutdown_default_executor())
        self.loop.close()
        for kept in (learner._sessions, learner._stores, learner._beginnings):
            kept.clear()
