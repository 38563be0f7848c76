"""What the owner of a study may do: make one of a table, invite people, watch, pause, close, download."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, File, Form, HTTPException, Request, Response, UploadFile
from fastapi.responses import HTMLResponse, StreamingResponse
from pydantic import BaseModel, Field, StrictBool

from askwise.data.media import MEDIA_KINDS, read_media
from askwise.errors import DataError, SettingError
from askwise.storage.create import write_study
from askwise.storage.groups import decides_together
from askwise.storage.participants import (
    change_study_settings,
    invite,
    pause,
    people,
    person,
    require_mode,
    set_state,
    study_settings,
)
from askwise.storage.store import Record, Store
from askwise.web.access import request_role
from askwise.web.create import NewStudy, answers_of, options_of, page_of, read_upload, reword
from askwise.web.form import page_sentence
from askwise.web.learner.dashboard import watch
from askwise.web.learner.learner import Job
from askwise.web.learner.simulation import PEOPLE, simulate
from askwise.web.live_updates import messages
from askwise.web.log_service import LogService
from askwise.web.overview import ListedStudy, StudyOverview, list_study, overview, participant_link, without_links
from askwise.web.respondent import NextQuestion, Respondent
from askwise.web.schemas import AnswerRequest, InvitationRequest, ShownQuestion, StateRequest, Text, shown_question
from askwise.web.security import MAX_TABLE_BYTES, owner, require_change
from askwise.web.studies import ServedStudies
from askwise.web.uploads import UploadedFiles

router = APIRouter(prefix="/api/v1/studies", tags=["owner"], dependencies=[Depends(owner)])
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _.-]{0,59}")


class EventStream(StreamingResponse):
    """Server-sent events."""

    media_type = "text/event-stream"


class CsvResponse(Response):
    """A table."""

    media_type = "text/csv"


class Invitation(BaseModel):
    """Somebody's link; whoever has it answers as them."""

    participant: str
    name: str
    link: str


class SettingsRequest(BaseModel):
    """What the owner decides about a study. What is left out stays as it is."""

    why: StrictBool | None = Field(None, description="Whether people may see what is expected of their answers")
    beyond: StrictBool | None = Field(None, description="Whether to continue although it is settled")
    question: Text | None = Field(None, description="How a question is put; empty: as usual")
    answers: Text | dict[str, Text] | None = Field(None, description="Names of answers, left=Reply A; empty: as usual")
    instructions: Text | None = Field(None, description="What people read first; empty: nothing")


@dataclass(frozen=True)
class OwnedStudy:
    """A study that the owner asks about."""

    studies: ServedStudies
    name: str
    store: Store
    record: Record

    async def changed_overview(self) -> StudyOverview:
        """The study after a change, which those who watch hear of."""
        self.studies.changed(self.name)
        return await overview(self.studies, self.name)

    async def respondent(self) -> Respondent:
        """The owner, or their robot."""
        decided = await asyncio.to_thread(study_settings, self.store, self.record.study)
        refusal = None if decided.state == "open" else "the study takes no answers at the moment"
        wording, together = self.studies.wording(self.name, decided.wording), decides_together(self.record.recipe)
        return Respondent("owner", refusal, beyond=decided.beyond, wording=wording, for_everybody=together)

    async def shown_question(self, service: LogService, shown: NextQuestion) -> ShownQuestion | None:
        """A question with what people see of it."""
        present = await self.studies.presentation(self.name, service.recipe, service.event_log)
        return await asyncio.to_thread(shown_question, shown.event, present)

    async def job(self, log: int | None) -> Job:
        """The log asked for; without one, the study's own."""
        invited = await asyncio.to_thread(people, self.store, self.record.study)
        if log is not None and log not in {self.record.study, *(each.log for each in invited)}:
            raise HTTPException(404, f"there is no log {log} in this study")
        return self.studies.job(self.name, self.record.study if log is None else log)


def served_studies(request: Request) -> ServedStudies:
    found: ServedStudies = request.app.state.studies
    return found


async def owned(request: Request, study: str) -> OwnedStudy:
    studies = served_studies(request)
    store = await asyncio.to_thread(studies.store, study)
    record = await asyncio.to_thread(store.record)
    await studies.follow_edition(study, (await asyncio.to_thread(study_settings, store, record.study)).edition)
    return OwnedStudy(studies, study, store, record)


Served = Annotated[ServedStudies, Depends(served_studies)]
Named = Annotated[OwnedStudy, Depends(owned)]


@router.get("")
async def list_studies(studies: Served) -> list[ListedStudy]:
    """All studies, with their state."""
    return [await list_study(studies, name) for name in await asyncio.to_thread(studies.names)]


@router.post("", status_code=201)
async def create(
    studies: Served,
    request: Request,
    table: UploadFile,
    goal: Annotated[Text, Form(max_length=40)],
    name: Annotated[Text, Form(max_length=60)],
    mode: Annotated[Text, Form(max_length=20)] = "own",
    options: Annotated[Text, Form(max_length=20_000, description='A JSON object, such as {"k": 5}')] = "{}",
    instructions: Annotated[Text, Form(max_length=4000, description="For the people who answer")] = "",
    files: Annotated[
        list[UploadFile], File(description="Pictures, sounds and films that the table names, also in zip archives")
    ] = [],  # noqa: B006
    preview: Annotated[bool, Form(description="Only say what would be understood")] = False,
) -> NewStudy:
    """Makes a study of an uploaded table and the files that it names: whole, or not at all."""
    if not NAME.fullmatch(name):
        raise HTTPException(422, "a study's name has letters, digits, spaces, dots and hyphens, 60 at most")
    require_mode(mode)
    if studies.folder is None and studies.place(name).is_file:
        raise HTTPException(409, "one file is served, which holds one study; serve a folder or a database to make more")
    if name in await asyncio.to_thread(studies.names):
        raise HTTPException(409, f"a study {name} exists already; choose another name")
    if (table.size or 0) > MAX_TABLE_BYTES:
        raise HTTPException(413, f"the table is too large; send {MAX_TABLE_BYTES // 2**20} MB at most")
    upload = table.filename or "", await table.read()
    try:
        media = await asyncio.to_thread(
            UploadedFiles, [(each.filename or "", each.file) for each in files if each.size]
        )
        given = options_of(options) | ({"instructions": instructions} if instructions.strip() else {})
        recipe, found = await studies.background.run(read_upload, goal, given, *upload, list(media.files))
        chosen = {kind: recipe["options"].get(kind) for kind in MEDIA_KINDS}
        content = await asyncio.to_thread(read_media, media, recipe["data"], chosen)
    except (DataError, SettingError) as error:
        if request.headers.get("X-Askwise") == "page":  # programs know options by their names
            raise type(error)(page_sentence(str(error))) from None
        raise
    if not preview:
        await asyncio.to_thread(write_study, studies.place(name), recipe, content, mode)
    return NewStudy(study=name, made=not preview, **found)


@router.get("/{study}")
async def show_study(study: Named, request: Request) -> StudyOverview:
    """A study: its state, its people, what is known."""
    seen = await overview(study.studies, study.name)
    return seen if request_role(request) == "owner" else without_links(seen)


@router.post("/{study}/state")
async def set_study_state(study: Named, wanted: StateRequest) -> StudyOverview:
    """Opens, pauses or closes a study; a closed one stays closed."""
    if study.record.state == "closed" and wanted.state != "closed":
        raise HTTPException(409, "a closed study stays closed; copy it to continue")
    await asyncio.to_thread(set_state, study.store, study.record.study, wanted.state)
    return await study.changed_overview()


@router.post("/{study}/settings")
async def change_settings(study: Named, wanted: SettingsRequest) -> StudyOverview:
    """Sets whether people may see which answer is expected, whether a settled study continues, and what people read
    from the next question on."""
    wording = wanted.model_dump(exclude_none=True, exclude={"why", "beyond"})
    if wording:
        await study.studies.background.run(reword, await study.job(None), wording)
    decided = {"why": wanted.why, "beyond": wanted.beyond}
    await asyncio.to_thread(partial(change_study_settings, study.store, study.record.study, **decided))
    return await study.changed_overview()


@router.post("/{study}/participants", status_code=201)
async def invite_participant(study: Named, request: Request, invited: InvitationRequest) -> Invitation:
    """Invites somebody: the link is theirs alone."""
    made = await asyncio.to_thread(invite, study.store, study.record, invited.name.strip(), invited.quota)
    where = await asyncio.to_thread(participant_link, study.store, study.name, study.record.study, made.participant)
    study.studies.changed(study.name)
    link = f"{str(request.base_url).rstrip('/')}{study.studies.root_path}{where}"
    return Invitation(participant=made.participant, name=made.name, link=link)


@router.post("/{study}/participants/{participant}/pause")
async def pause_participant(study: Named, participant: str, paused: bool = True) -> StudyOverview:
    """Pauses a person, or lets them continue."""
    number = study.record.study
    if await asyncio.to_thread(person, study.store, number, participant) is None:
        raise HTTPException(404, f"nobody here is {participant}")
    await asyncio.to_thread(pause, study.store, number, participant, paused)
    return await study.changed_overview()


@router.get("/{study}/questions", dependencies=[Depends(require_change)])  # the log notes that it is asked
async def questions(study: Named) -> ShownQuestion | None:
    """The next question of the study's own log: for a lab robot. Nothing if it is time to stop."""
    respondent = await study.respondent()
    if respondent.refusal:
        raise HTTPException(409, respondent.refusal)
    service = await study.studies.service(study.name)
    shown = await service.show(respondent)
    return await study.shown_question(service, shown)


@router.post("/{study}/answers")
async def answers(study: Named, told: AnswerRequest) -> ShownQuestion | None:
    """An answer to the study's own log; the reply is the next question."""
    service = await study.studies.service(study.name)
    shown = await service.tell(await study.respondent(), told.question, told.response, told.key, told.seconds)
    return await study.shown_question(service, shown)


@router.get("/{study}/learned")
async def learned(study: Named, log: int | None = None) -> dict[str, Any]:
    """What is found in the study's own log, or in one participant's: the numbers behind the dashboard's charts."""
    found: dict[str, Any] = await study.studies.background.run(watch, await study.job(log), study.record.study)
    return {part: value for part, value in found.items() if part != "html"}


@router.get("/{study}/live", response_class=EventStream)
async def live(study: Named, request: Request, log: int | None = None) -> EventStream:
    """Server-sent events: `overview` at the start, `changes` of it at once, `learned` every few seconds."""
    role, access = request_role(request), request.app.state.access
    job, number = await study.job(log), study.record.study

    async def while_allowed() -> AsyncIterator[str]:
        """The messages, until the token is revoked."""
        async with aclosing(messages(study.studies, study.name, job, number, role == "owner")) as stream:
            async for message in stream:
                await access.refresh(request)
                if request_role(request) != role:
                    return
                yield message

    return EventStream(while_allowed(), headers={"Cache-Control": "no-store"})


@router.post("/{study}/plan", status_code=202)
async def plan(study: Named) -> dict[str, int]:
    """Simulates people, with the study's strategy and at random; the overview then says what is saved."""
    job = await study.job(None)
    if study.name in study.studies.plans:
        raise HTTPException(409, "people are being simulated already")
    study.studies.plans[study.name] = 0, PEOPLE  # at once, so that nobody else starts it
    study.studies.start(simulate(study.studies, study.name, job))
    return {"people": PEOPLE}


@router.get("/{study}/report.html", response_class=HTMLResponse)
async def report(study: Named, log: int | None = None) -> Response:
    """The report of the study's own log, or of one participant's."""
    text = await study.studies.background.run(page_of, await study.job(log))
    return HTMLResponse(text)


@router.get("/{study}/answers.csv", response_class=CsvResponse)
async def download(study: Named, request: Request, log: int | None = None) -> Response:
    """All answers of the study, or those of one participant's log; for owners with the parameters of people's links."""
    more = study.record.study, sees_parameters(request)
    text = await study.studies.background.run(answers_of, await study.job(log), *more)
    return CsvResponse(text, headers=attachment(study.name, "answers.csv"))


def sees_parameters(request: Request) -> bool:
    """Whether whoever sent a request sees the parameters of people's links: with them, the open link leads to the page
    where one answers as that person."""
    return request_role(request) == "owner"


def attachment(study: str, name: str) -> dict[str, str]:
    """Headers with which a browser saves a reply as a file of a study; its answers have the name of the study alone.

    >>> attachment("cars", "people.csv")["Content-Disposition"].partition("; ")[2]
    'filename="people.csv"; filename*=UTF-8\\'\\'cars%20people.csv'
    """
    file = quote(f"{study}.csv" if name == "answers.csv" else f"{study} {name}", safe="")
    return {"Content-Disposition": f"attachment; filename=\"{name}\"; filename*=UTF-8''{file}"}
