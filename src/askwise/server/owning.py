"""What the owner of a study may do: make one of a table, invite people, watch, pause, close, download."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Form, HTTPException, Request, Response, UploadFile
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from askwise.errors import AskwiseError, StudyError
from askwise.server.hub import Hub
from askwise.server.learner import Job
from askwise.server.live import messages
from askwise.server.making import Made, answers_of, page_of, read_upload
from askwise.server.overviews import Listed, Overview, link, listed, overview
from askwise.server.safety import owner
from askwise.server.shapes import Asked, Invited, NewState, Told, asked
from askwise.server.simulating import PEOPLE, simulate
from askwise.server.watching import watch
from askwise.study.new import write
from askwise.study.participants import MODES, invite, pause, people, person, set_state

router = APIRouter(prefix="/api/v1/studies", tags=["owner"], dependencies=[Depends(owner)])
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _.-]{0,59}")


class Invitation(BaseModel):
    """Somebody's link; whoever has it answers as them."""

    participant: str
    name: str
    link: str


def hub_of(request: Request) -> Hub:
    found: Hub = request.app.state.hub
    return found


Served = Annotated[Hub, Depends(hub_of)]


@router.get("")
async def studies(hub: Served) -> list[Listed]:
    """All studies, with their state."""
    return [await listed(hub, name) for name in await asyncio.to_thread(hub.names)]


@router.post("", status_code=201)
async def create(
    hub: Served,
    table: UploadFile,
    goal: Annotated[str, Form(max_length=40)],
    name: Annotated[str, Form(max_length=60)],
    mode: Annotated[str, Form(max_length=20)] = "own",
    options: Annotated[str, Form(max_length=4000, description='A JSON object, such as {"k": 5}')] = "{}",
    instructions: Annotated[str, Form(max_length=4000, description="For the people who answer")] = "",
    preview: Annotated[bool, Form(description="Only say what would be understood")] = False,
) -> Made:
    """Makes a study of an uploaded table."""
    if not NAME.fullmatch(name):
        raise HTTPException(422, "a study's name has letters, digits, spaces, dots and hyphens, 60 at most")
    if mode not in MODES:
        raise HTTPException(422, f"people have their own posterior (own) or share one (pooled), not {mode!r}")
    if hub.folder is None and hub.place(name).is_file:
        raise HTTPException(409, "one file is served, which holds one study; serve a folder or a database to make more")
    if name in await asyncio.to_thread(hub.names):
        raise HTTPException(409, f"a study {name} exists already; choose another name")
    content, suffix = await table.read(), Path(table.filename or "").suffix.lower()
    recipe, found = await hub.aside.run(read_upload, ("", 0), goal, _options(options), content, suffix)
    if not preview:
        await asyncio.to_thread(write, hub.place(name), recipe, {}, mode, instructions)
    return Made(study=name, made=not preview, **found)


def _options(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise HTTPException(422, 'options are a JSON object such as {"k": 5}')
    return found


@router.get("/{study}")
async def one(hub: Served, study: str) -> Overview:
    """A study: its state, its people, what is known."""
    return await overview(hub, study)


@router.post("/{study}/state")
async def change(hub: Served, study: str, wanted: NewState) -> Overview:
    """Opens, pauses or closes a study; a closed one stays closed."""
    store = hub.store(study)
    try:
        await asyncio.to_thread(set_state, store, store.record().study, wanted.state)
    except StudyError as error:
        raise HTTPException(409, str(error)) from None
    hub.changed(study)
    return await overview(hub, study)


@router.post("/{study}/participants", status_code=201)
async def add(hub: Served, request: Request, study: str, invited: Invited) -> Invitation:
    """Invites somebody: the link is theirs alone."""
    store = hub.store(study)
    record = store.record()
    made = await asyncio.to_thread(invite, store, record, invited.name.strip(), invited.quota)
    where = await asyncio.to_thread(link, store, study, record.study, made.participant)
    hub.changed(study)
    return Invitation(participant=made.participant, name=made.name, link=f"{str(request.base_url).rstrip('/')}{where}")


@router.post("/{study}/participants/{participant}/pause")
async def rest(hub: Served, study: str, participant: str, paused: bool = True) -> Overview:
    """Lets somebody rest, or go on."""
    store = hub.store(study)
    number = store.record().study
    if await asyncio.to_thread(person, store, number, participant) is None:
        raise HTTPException(404, f"nobody here is {participant}")
    await asyncio.to_thread(pause, store, number, participant, paused)
    hub.changed(study)
    return await overview(hub, study)


@router.get("/{study}/questions")
async def questions(hub: Served, study: str) -> Asked | None:
    """The next question of the study's own log: for a lab robot. Nothing if it is time to stop."""
    _open(hub, study)
    shown = await hub.desk(study).show("owner")
    return None if shown.question is None else asked(shown.question)


@router.post("/{study}/answers")
async def answers(hub: Served, study: str, told: Told) -> Asked | None:
    """An answer to the study's own log; the reply is the next question."""
    _open(hub, study)
    shown = await hub.desk(study).tell("owner", told.question, told.response, told.key, told.seconds)
    return None if shown.question is None else asked(shown.question)


@router.get("/{study}/learned")
async def learned(hub: Served, study: str, log: int | None = None) -> dict[str, Any]:
    """What is found in the study's own log, or in one participant's: the numbers behind the dashboard's charts."""
    job = await asyncio.to_thread(_job, hub, study, log)
    found: dict[str, Any] = await hub.aside.run(watch, job, hub.record(study).study)
    return found


@router.get("/{study}/live")
async def live(hub: Served, study: str, log: int | None = None) -> StreamingResponse:
    """Server-sent events: `overview` whenever something changed, `learned` every few seconds while it does."""
    job = await asyncio.to_thread(_job, hub, study, log)
    stream = messages(hub, study, job, hub.record(study).study)
    return StreamingResponse(stream, media_type="text/event-stream", headers={"Cache-Control": "no-store"})


@router.post("/{study}/plan", status_code=202)
async def plan(hub: Served, request: Request, study: str) -> dict[str, int]:
    """Lets simulated people answer, by the study's rule and at random; the overview then says what is saved."""
    if study in hub.plans:
        raise HTTPException(409, "people are being simulated already")
    job = await asyncio.to_thread(_job, hub, study, None)
    request.app.state.simulation = asyncio.create_task(simulate(hub, study, job))  # held, so that it is not dropped
    return {"people": PEOPLE}


@router.get("/{study}/report.html")
async def report(hub: Served, study: str, log: int | None = None) -> Response:
    """The report of the study's own log, or of one participant's."""
    text = await hub.aside.run(page_of, await asyncio.to_thread(_job, hub, study, log))
    return Response(text, media_type="text/html")


@router.get("/{study}/answers.csv")
async def download(hub: Served, study: str, log: int | None = None) -> Response:
    """All answers of the study, or those of one participant's log."""
    job = await asyncio.to_thread(_job, hub, study, log)
    text = await hub.aside.run(answers_of, job, hub.record(study).study)
    named = {
        "Content-Disposition": f"attachment; filename=\"answers.csv\"; filename*=UTF-8''{quote(study, safe='')}.csv"
    }
    return Response(text, media_type="text/csv; charset=utf-8", headers=named)


def _open(hub: Hub, study: str) -> None:
    if hub.record(study).state != "open":
        raise HTTPException(409, "the study takes no answers at the moment")


def _job(hub: Hub, study: str, log: int | None) -> Job:
    """The log asked for; without one, the study's own."""
    try:
        store = hub.store(study)
    except AskwiseError as error:
        raise HTTPException(404, str(error)) from None
    record = store.record()
    logs = {record.study, *(each.log for each in people(store, record.study))}
    if log is not None and log not in logs:
        raise HTTPException(404, f"there is no log {log} in this study")
    return hub.job(study, record.study if log is None else log)
