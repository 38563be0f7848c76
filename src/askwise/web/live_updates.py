"""Server-sent events for a dashboard: changes of the overview twice a second, what is learned every few seconds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from time import monotonic
from typing import Any

from askwise.errors import AskwiseError
from askwise.storage.participants import keep_reason
from askwise.web.error_pages import error_reply
from askwise.web.learner.dashboard import watch
from askwise.web.learner.learner import Job
from askwise.web.overview import StudyOverview, overview, without_links
from askwise.web.studies import ServedStudies

MIN_SECONDS = 0.5  # between two messages
SNAPSHOT_SECONDS = 3.0  # between two computations of what is learned, which take a worker's time
UNDRAWN = ("charts", "curve", "minutes")  # numbers that the page needs only as charts
KEEPALIVE_SECONDS = 15.0  # of silence before a comment is sent


async def messages(
    studies: ServedStudies, study: str, job: Job, number: int, links: bool = True
) -> AsyncGenerator[str]:
    """For as long as somebody listens: `overview` once, `changes` whenever something changed, `learned` while answers
    come."""
    told: dict[str, Any] | None = None  # the overview as it was sent last
    shown: Any = None  # the state of the study at the last snapshot
    started = -SNAPSHOT_SECONDS
    snapshot: asyncio.Task[dict[str, Any]] | None = None
    await asyncio.to_thread(studies.known, study)  # what other servers write is told by its number
    with contextmanager(studies.listen)(study) as changed:
        try:
            while not studies.stopping:
                changed.clear()
                try:
                    seen = await overview(studies, study)
                except AskwiseError as error:
                    error_reply(error)  # which logs it; the page connects again
                    return
                seen = seen if links else without_links(seen)
                before = told
                told = _overview_values(seen)
                if before is None:
                    yield _message("overview", told)
                elif changes := overview_changes(before, told):
                    yield _message("changes", changes)
                if snapshot is not None and snapshot.done():
                    found, snapshot = _result(snapshot), None
                    await _note_reason(studies, study, job, found)
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


def _overview_values(seen: StudyOverview) -> dict[str, Any]:
    """The overview without what may be long."""
    if seen.progress is not None:
        seen.progress.estimate = None
    return seen.model_dump()


def overview_changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """What changed: parts of the overview, people who are new or changed, and the ids of people who are gone.

    >>> ann, ben = {"participant": "a", "answers": 1}, {"participant": "b", "answers": 0}
    >>> before = {"state": "open", "answers": 1, "participants": [ann, ben]}
    >>> overview_changes(before, {**before, "answers": 2, "participants": [ann, {**ben, "answers": 1}]})
    {'answers': 2, 'participants': [{'participant': 'b', 'answers': 1}]}
    >>> overview_changes(before, before)
    {}
    """
    found = {part: value for part, value in now.items() if part != "participants" and value != before[part]}
    known = {person["participant"]: person for person in before["participants"]}
    changed = [person for person in now["participants"] if known.pop(person["participant"], None) != person]
    more = {"participants": changed, "gone": list(known)}
    return found | {part: value for part, value in more.items() if value}


def _result(snapshot: asyncio.Task[dict[str, Any]]) -> dict[str, Any]:
    """What was found; if it failed, a sentence. The next snapshot gets a new worker."""
    error = snapshot.exception()
    if error is None:
        return snapshot.result()
    return {"trouble": error_reply(error if isinstance(error, Exception) else Exception())[1], "replaying": False}


async def _note_reason(studies: ServedStudies, study: str, job: Job, found: dict[str, Any]) -> None:
    """Notes whether a log is settled if nobody answers it here: they may have answered in a terminal."""
    if "reason" not in found or job[1] in {service.states.job[1] for service in studies.services(study)}:
        return
    if await asyncio.to_thread(keep_reason, studies.store(study), job[1], found["reason"]):
        studies.changed(study)


def _message(kind: str, body: dict[str, Any]) -> str:
    return f"event: {kind}\ndata: {json.dumps(body)}\n\n"
