"""What the owner of a study may do: make one of a table, invite people, watch, pause, close, download."""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections.abc import AsyncIterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, HTTPException, Request, Response, UploadFile
from fastapi.responses import StreamingResponse

from askwise.errors import AskwiseError
from askwise.server.hub import Hub
from askwise.server.learner import Job
from askwise.server.safety import owner
from askwise.server.shapes import Asked, Invited, NewState, Told, asked
from askwise.study.participants import invite, pause, people, set_mode, set_state, token_of
from askwise.study.store import Store

router = APIRouter(prefix="/api/v1/studies", tags=["owner"], dependencies=[Depends(owner)])
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _.-]{0,59}")
LEAST = 0.5  # seconds between two messages to a dashboard


def hub_of(request: Request) -> Hub:
    found: Hub = request.app.state.hub
    return found


Served = Annotated[Hub, Depends(hub_of)]


@router.get("")
async def studies(hub: Served) -> list[dict[str, Any]]:
    """All studies, with their state."""
    return [await overview(hub, name) for name in await asyncio.to_thread(hub.names)]


@router.post("", status_code=201)
async def create(
    hub: Served,
    table: UploadFile,
    goal: Annotated[str, Form(max_length=40)],
    name: Annotated[str, Form(max_length=60)],
    mode: Annotated[str, Form(max_length=20)] = "own",
    options: Annotated[str, Form(max_length=4000)] = "{}",
) -> dict[str, Any]:
    """Makes a study of an uploaded table."""
    if not NAME.fullmatch(name):
        raise HTTPException(422, "a study's name has letters, digits, spaces, dots and hyphens, 60 at most")
    try:
        chosen = json.loads(options)
        assert isinstance(chosen, dict)
    except (ValueError, AssertionError):
        raise HTTPException(422, 'options are a JSON object such as {"k": 5}') from None
    content, suffix = await table.read(), Path(table.filename or "").suffix.lower()
    return await asyncio.to_thread(_make, hub, name, goal, mode, chosen, content, suffix)


def _make(
    hub: Hub, name: str, goal: str, mode: str, options: dict[str, Any], content: bytes, suffix: str
) -> dict[str, Any]:
    from askwise.study.new import make, understood
    from askwise.study.read import Data, read_table

    if hub.folder is None and hub.place(name).is_file:
        raise HTTPException(409, "one file is served, which holds one study; serve a folder or a database to make more")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{suffix}"
        path.write_bytes(content)
        session = make(goal, Data(read_table(path), Path(f"the table{suffix}")), options)
    assert session.recipe is not None
    found = understood(session).as_dict()
    Store.create(hub.place(name), session.recipe, {})
    set_mode(hub.store(name), hub.record(name).study, mode)
    return {"study": name, **found}


@router.get("/{study}")
async def one(hub: Served, study: str) -> dict[str, Any]:
    """A study: its state, its people, what is learned."""
    return await overview(hub, study)


@router.post("/{study}/state")
async def change(hub: Served, study: str, wanted: NewState) -> dict[str, Any]:
    """Opens, pauses or closes a study."""
    store = hub.store(study)
    await asyncio.to_thread(set_state, store, store.record().study, wanted.state)
    hub.changed(study)
    return await overview(hub, study)


@router.post("/{study}/participants", status_code=201)
async def add(hub: Served, request: Request, study: str, invited: Invited) -> dict[str, Any]:
    """Invites somebody: the link is theirs alone."""
    store = hub.store(study)
    record = store.record()
    made = await asyncio.to_thread(invite, store, record, invited.name, invited.quota)
    token = await asyncio.to_thread(token_of, store, record.study, made.participant)
    hub.changed(study)
    return {"participant": made.participant, "name": made.name, "link": f"{request.base_url}s/{study}/p/{token}"}


@router.post("/{study}/participants/{participant}/pause")
async def rest(hub: Served, study: str, participant: str, paused: bool = True) -> dict[str, Any]:
    """Lets somebody rest, or go on."""
    store = hub.store(study)
    await asyncio.to_thread(pause, store, store.record().study, participant, paused)
    hub.changed(study)
    return await overview(hub, study)


@router.get("/{study}/questions")
async def questions(hub: Served, study: str) -> Asked | None:
    """The next question of the study's own log: for a lab robot."""
    shown = await hub.desk(study).show("owner")
    return None if shown.question is None else asked(shown.question)


@router.post("/{study}/answers")
async def answers(hub: Served, study: str, told: Told) -> Asked | None:
    """An answer to the study's own log; the reply is the next question."""
    shown = await hub.desk(study).tell("owner", told.question, told.response, told.key, told.seconds)
    return None if shown.question is None else asked(shown.question)


@router.get("/{study}/live")
async def live(hub: Served, study: str) -> StreamingResponse:
    """Server-sent events: the overview whenever something changed."""
    hub.store(study)

    async def messages() -> AsyncIterator[str]:
        with contextmanager(hub.listen)(study) as listener:
            while True:
                listener.clear()
                yield f"data: {json.dumps(await overview(hub, study))}\n\n"
                try:
                    await asyncio.wait_for(listener.wait(), 20)
                except TimeoutError:
                    yield ": still here\n\n"
                await asyncio.sleep(LEAST)

    return StreamingResponse(messages(), media_type="text/event-stream", headers={"Cache-Control": "no-store"})


@router.get("/{study}/report.html")
async def report(hub: Served, study: str, log: int | None = None) -> Response:
    """The report of the study, or of one participant's log."""
    text = await hub.learner.run(page_of, _job(hub, study, log))
    return Response(text, media_type="text/html")


@router.get("/{study}/answers.csv")
async def download(hub: Served, study: str, log: int | None = None) -> Response:
    """The answers of the study, or of one participant's log."""
    text = await hub.learner.run(answers_of, _job(hub, study, log))
    named = {"Content-Disposition": f'attachment; filename="{study}.csv"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=named)


def page_of(job: Job) -> str:
    """The report page of a log; in a worker."""
    from askwise import study
    from askwise.report.page import page

    return page(study.open(job[0], log=job[1]))


def answers_of(job: Job) -> str:
    """The answers of a log as CSV; in a worker."""
    from askwise import study
    from askwise.study.exchange import answers_table
    from askwise.study.files import write

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answers.csv"
        write(answers_table(study.open(job[0], log=job[1])), path)
        return path.read_text(encoding="utf-8")


async def overview(hub: Hub, study: str) -> dict[str, Any]:
    """What the dashboard shows."""

    def read() -> dict[str, Any]:
        store = hub.store(study)
        record = store.record()
        everybody = [vars(each) for each in people(store, record.study)]
        links = {each["participant"]: token_of(store, record.study, each["participant"]) for each in everybody}
        return {"study": study, "goal": record.recipe["goal"], "state": record.state, "mode": record.mode,
                "log": record.study, "created": record.created, "participants": everybody, "tokens": links}  # fmt: skip

    found = await asyncio.to_thread(read)
    desks = {desk.job[1]: desk for desk in hub.desks(study)}
    for each in found["participants"]:
        desk = desks.get(each["log"])
        standing = desk.standing if desk else None
        each["answers"] = len(desk.mine(each["participant"])) if desk else None
        each["diameter"] = standing.diameter if standing else None
        each["done"] = standing.done if standing else None
        each["estimate"] = standing.estimate if standing else None
        each["link"] = f"/s/{study}/p/{found['tokens'][each['participant']]}"
    own = desks.get(found["log"])
    found["standing"] = None if own is None or own.standing is None else vars(own.standing) | {"event": None}
    found["fallbacks"] = sum(desk.fallbacks for desk in desks.values())
    found["behind"] = any(desk.failures for desk in desks.values())
    del found["tokens"]
    return found


def _job(hub: Hub, study: str, log: int | None) -> Job:
    try:
        store = hub.store(study)
    except AskwiseError as error:
        raise HTTPException(404, str(error)) from None
    record = store.record()
    logs = {record.study, *(each.log for each in people(store, record.study))}
    if log is not None and log not in logs:
        raise HTTPException(404, f"there is no log {log} in this study")
    return hub.desk(study).job[0], record.study if log is None else log
