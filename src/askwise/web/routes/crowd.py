"""The door of a study, for its owner: who may join by the open link, and several invitations at once."""

from __future__ import annotations

import asyncio
from dataclasses import fields

from fastapi import APIRouter, Depends, HTTPException, Request, Response

from askwise.exchange.files import csv_text
from askwise.storage.crowd import CrowdSettings
from askwise.storage.finishing import joined_people
from askwise.storage.joining import change_crowd, crowd_settings
from askwise.storage.participants import invite_all, people
from askwise.web.access import request_role
from askwise.web.crowd_schemas import CrowdOverview, CrowdRequest, InvitationsRequest
from askwise.web.overview import join_link, participant_link
from askwise.web.routes.owner import CsvResponse, Invitation, Named, OwnedStudy, attachment
from askwise.web.security import owner
from askwise.web.texts import languages

router = APIRouter(prefix="/api/v1/studies/{study}", tags=["crowd"], dependencies=[Depends(owner)])


@router.get("/crowd")
async def show_crowd(study: Named, request: Request) -> CrowdOverview:
    """The door of a study: its link, its settings and how many came."""
    return await asyncio.to_thread(_overview, study, site(study, request))


@router.post("/crowd")
async def set_crowd(study: Named, request: Request, wanted: CrowdRequest) -> CrowdOverview:
    """Changes who may join, and what they meet."""
    changes = wanted.model_dump(exclude_unset=True)
    await asyncio.to_thread(change_crowd, study.store, study.record.study, changes)
    study.studies.changed(study.name)
    return await asyncio.to_thread(_overview, study, site(study, request))


@router.post("/invitations", status_code=201)
async def invite_several(study: Named, request: Request, wanted: InvitationsRequest) -> list[Invitation]:
    """Invites several people: all of them, or none. Each gets a link of their own."""

    def make() -> list[Invitation]:
        made = invite_all(study.store, study.record, wanted.names, wanted.quota)
        return [
            Invitation(
                participant=one.participant, name=one.name, link=site(study, request) + _link(study, one.participant)
            )
            for one in made
        ]

    found = await asyncio.to_thread(make)
    study.studies.changed(study.name)
    return found


@router.get("/links.csv", response_class=CsvResponse)
async def links(study: Named, request: Request) -> Response:
    """The links of everybody who was invited by name, as CSV; only for owners."""
    if request_role(request) != "owner":
        raise HTTPException(403, "whoever has a link answers as that person; only owners see them")

    def rows() -> str:
        invited = [one for one in people(study.store, study.record.study) if not one.joined]
        where = [site(study, request) + _link(study, one.participant) for one in invited]
        return csv_text({"name": [one.name for one in invited], "link": where})

    return CsvResponse(await asyncio.to_thread(rows), headers=attachment(study.name, "links.csv"))


def site(study: OwnedStudy, request: Request) -> str:
    """The address of this server as people reach it."""
    return f"{str(request.base_url).rstrip('/')}{study.studies.root_path}"


def _link(study: OwnedStudy, participant: str) -> str:
    return participant_link(study.store, study.name, study.record.study, participant)


def _overview(study: OwnedStudy, where: str) -> CrowdOverview:
    found = crowd_settings(study.store, study.record.study)
    values = {each.name: getattr(found, each.name) for each in fields(CrowdSettings)}
    return CrowdOverview(
        link=where + join_link(study.name),
        settings={**values, "checks": [{**vars(one), "options": list(one.options)} for one in found.checks]},
        consent_version=found.consent_version,
        people=joined_people(study.store, study.record),
        languages=list(languages()),
    )
