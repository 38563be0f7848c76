"""What the owner may do about people: see how carefully they answered, exclude, export, erase; and delete a study."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Depends, HTTPException, Request, Response
from pydantic import BaseModel, Field, StrictBool

from askwise.exchange.files import csv_text
from askwise.exchange.people import people_table
from askwise.storage.actions import actions_of
from askwise.storage.erasure import delete_study, erase_participant
from askwise.storage.exclusion import exclude
from askwise.storage.participants import person
from askwise.storage.personal_data import person_data, study_data
from askwise.storage.quality import answer_quality
from askwise.web.overview import StudyOverview
from askwise.web.routes.owner import CsvResponse, Named, OwnedStudy, attachment, sees_parameters
from askwise.web.schemas import Text
from askwise.web.security import owner

router = APIRouter(prefix="/api/v1/studies/{study}", tags=["people"], dependencies=[Depends(owner)])


class PersonQuality(BaseModel):
    """How carefully somebody answered."""

    participant: str
    name: str
    status: str | None
    answers: int
    checks: int
    checks_passed: int
    repeats: int
    repeats_same: int
    seconds: float | None = Field(description="The median of an answer")
    same_place: float | None = Field(description="The share of the place that they chose most often")
    flags: list[str] = Field(description="failed checks, inconsistent, fast, same place")
    done: str | None = Field(description="Why they are done, such as quota reached; nothing if they are not")
    finished_at: str | None


class NotedAction(BaseModel):
    """Something that was done about people."""

    time: str
    kind: str
    participant: str | None
    detail: dict[str, Any]


class ExclusionRequest(BaseModel):
    """Whether somebody's answers do not count, and why."""

    excluded: StrictBool = True
    reason: Text = Field("", max_length=500)


class DeletionRequest(BaseModel):
    """The name of the study once more, so that nobody deletes one by mistake."""

    name: Text


async def _require(study: OwnedStudy, participant: str) -> None:
    if await asyncio.to_thread(person, study.store, study.record.study, participant) is None:
        raise HTTPException(404, f"nobody here is {participant}")


@router.get("/quality")
async def quality(study: Named) -> list[PersonQuality]:
    """How carefully everybody answered: checks, repeated questions, speed, and whether all answers are in one place."""
    found = await asyncio.to_thread(answer_quality, study.store, study.record)
    return [PersonQuality(**{**asdict(one), "flags": list(one.flags)}) for one in found]


@router.get("/actions")
async def actions(study: Named) -> list[NotedAction]:
    """What was done about people: who joined, accepted, finished, was excluded or erased, and when."""
    found = await asyncio.to_thread(actions_of, study.store, study.record.study)
    return [NotedAction(**{**asdict(one), "detail": dict(one.detail)}) for one in found]


@router.post("/participants/{participant}/exclude")
async def exclude_participant(study: Named, participant: str, wanted: ExclusionRequest) -> StudyOverview:
    """Leaves somebody's answers out, or counts them again. Everything is computed anew, and it is noted."""
    await _require(study, participant)
    await asyncio.to_thread(exclude, study.store, study.record, participant, wanted.excluded, wanted.reason)
    if study.record.mode == "pooled":
        await (await study.studies.service(study.name)).catch_up()
    return await study.changed_overview()


@router.post("/participants/{participant}/erase")
async def erase(study: Named, participant: str) -> StudyOverview:
    """Erases what somebody said, their name and their parameters. It cannot be taken back."""
    await _require(study, participant)
    await asyncio.to_thread(erase_participant, study.store, study.record, participant)
    await study.studies.forget_logs(study.name)
    return await study.changed_overview()


@router.get("/participants/{participant}/data.json")
async def export_person(study: Named, request: Request, participant: str) -> Response:
    """Everything that the study holds about somebody; for viewers without the parameters of their link."""
    await _require(study, participant)
    wanted = study.store, study.record, participant, sees_parameters(request)
    return _json(study, await asyncio.to_thread(person_data, *wanted), "person.json")


@router.get("/data.json")
async def export_study(study: Named, request: Request) -> Response:
    """Everything that the study holds; for viewers without the parameters of people's links."""
    found = await asyncio.to_thread(study_data, study.store, study.record, sees_parameters(request))
    return _json(study, found, "data.json")


@router.get("/people.csv", response_class=CsvResponse)
async def export_people(study: Named, request: Request) -> Response:
    """Everybody: their parameters (only for owners), their consent, their completion code and how carefully they
    answered."""
    shown = sees_parameters(request)
    text = await asyncio.to_thread(lambda: csv_text(people_table(study.store, study.record, shown)))
    return CsvResponse(text, headers=attachment(study.name, "people.csv"))


@router.post("/delete")
async def delete(study: Named, wanted: DeletionRequest) -> dict[str, str]:
    """Deletes a study with all its answers. It cannot be taken back."""
    if wanted.name != study.name:
        raise HTTPException(409, f"to delete this study, send its name: {study.name}")
    if study.studies.folder is None and study.store.address.is_file:
        raise HTTPException(409, "only this file is served; stop the server and use askwise delete")
    await asyncio.to_thread(delete_study, study.store, study.record)
    await study.studies.forget_study(study.name)
    return {"deleted": study.name}


def _json(study: OwnedStudy, found: Any, name: str) -> Response:
    text = json.dumps(found, indent=1, ensure_ascii=False)
    return Response(text, media_type="application/json", headers=attachment(study.name, name))
