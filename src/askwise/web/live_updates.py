"""Server-sent events for a dashboard: the overview at most twice a second, what is learned every few seconds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import contextmanager
from datetime import UTC, datetime
from time import monotonic
from typing import Any

from askwise.web.error_pages import error_reply
from askwise.web.learner.dashboard import watch
from askwise.web.learner.learner import Job
from askwise.web.overview import StudyOverview, overview
from askwise.web.studies import ServedStudies

MIN_SECONDS = 0.5  # between two messages
SNAPSHOT_SECONDS = 3.0  # between two computations of what is learned, which take a worker's time
UNDRAWN = ("charts", "curve", "minutes")  # numbers that the page needs only as charts
KEEPALIVE_SECONDS = 15.0  # of silence before a comment is sent


async def messages(studies: ServedStudies, study: str, job: Job, number: int) -> AsyncIterator[str]:
    """For as long as somebody listens: `overview` whenever something changed, `learned` while answers come."""
    shown: Any = None  # the state of the study at the last snapshot
    started = -SNAPSHOT_SECONDS
    snapshot: asyncio.Task[dict[str, Any]] | None = None
    with contextmanager(studies.listen)(study) as changed:
        try:
            while True:
                changed.clear()
                seen = await overview(studies, study)
                yield _overview_message(seen)
                if snapshot is not None and snapshot.done():
                    found, snapshot = _result(snapshot), None
                    shown = None if found["replaying"] else shown
                    yield _message("learned", {part: value for part, value in found.items() if part not in UNDRAWN})
                minute = datetime.now(UTC).minute if seen.answers else None  # the pace changes with each
                mark = seen.answers, seen.last, len(seen.participants), minute
                due = SNAPSHOT_SECONDS - (monotonic() - started)
                if mark != shown and snapshot is None and due <= 0:
                    shown, started = mark, monotonic()
                    snapshot = asyncio.create_task(studies.background.run(watch, job, number))
                    snapshot.add_done_callback(lambda _: changed.set())
                try:
                    waits = mark != shown and snapshot is None
                    await asyncio.wait_for(changed.wait(), max(due, 0.0) if waits else KEEPALIVE_SECONDS)
                except TimeoutError:
                    yield ": still here\n\n"
                await asyncio.sleep(MIN_SECONDS)
        finally:
            if snapshot is not None:
                snapshot.cancel()


def _overview_message(seen: StudyOverview) -> str:
    """The overview without what may be long."""
    if seen.progress is not None:
        seen.progress.estimate = None
    return _message("overview", seen.model_dump())


def _result(snapshot: asyncio.Task[dict[str, Any]]) -> dict[str, Any]:
    """What was found; if it failed, a sentence. The next snapshot gets a new worker."""
    error = snapshot.exception()
    if error is None:
        return snapshot.result()
    return {"trouble": error_reply(error if isinstance(error, Exception) else Exception())[1], "replaying": False}


def _message(kind: str, body: dict[str, Any]) -> str:
    return f"event: {kind}\ndata: {json.dumps(body)}\n\n"
