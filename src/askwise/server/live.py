"""Server-sent events for a dashboard: the overview at most twice a second, what is learned every few seconds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from askwise.server.hub import Hub
from askwise.server.learner import Job
from askwise.server.overviews import Overview, overview
from askwise.server.replies import said
from askwise.server.watching import watch

LEAST = 0.5  # seconds between two messages
EVERY = 3.0  # seconds between two looks at what is learned, which take a worker's time
QUIET = 15.0  # seconds after which a sign of life is sent


async def messages(hub: Hub, study: str, job: Job, number: int) -> AsyncIterator[str]:
    """For as long as somebody listens: `overview` whenever something changed, `learned` while answers come."""
    shown: Any = None  # the state of the study that was looked at last
    looked = -EVERY
    looking: asyncio.Task[dict[str, Any]] | None = None
    with contextmanager(hub.listen)(study) as changed:
        try:
            while True:
                changed.clear()
                seen = await overview(hub, study)
                yield _glance(seen)
                if looking is not None and looking.done():
                    found, looking = _result(looking), None
                    shown = None if found["replaying"] else shown
                    yield _message("learned", found)
                mark = seen.answers, seen.last, len(seen.participants)
                due = EVERY - (monotonic() - looked)
                if mark != shown and looking is None and due <= 0:
                    shown, looked = mark, monotonic()
                    looking = asyncio.create_task(hub.aside.run(watch, job, number))
                    looking.add_done_callback(lambda _: changed.set())
                try:
                    waits = mark != shown and looking is None
                    await asyncio.wait_for(changed.wait(), max(due, 0.0) if waits else QUIET)
                except TimeoutError:
                    yield ": still here\n\n"
                await asyncio.sleep(LEAST)
        finally:
            if looking is not None:
                looking.cancel()


def _glance(seen: Overview) -> str:
    """The overview without what may be long."""
    if seen.standing is not None:
        seen.standing.estimate = None
    return _message("overview", seen.model_dump())


def _result(looking: asyncio.Task[dict[str, Any]]) -> dict[str, Any]:
    """What was found; if it failed, a sentence. The next look finds a new worker."""
    error = looking.exception()
    if error is None:
        return looking.result()
    return {"trouble": said(error if isinstance(error, Exception) else Exception())[1], "replaying": False}


def _message(kind: str, body: dict[str, Any]) -> str:
    return f"event: {kind}\ndata: {json.dumps(body)}\n\n"
