"""Which columns of the table questions show: what the owner may see and change while people answer."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter, Depends
from pydantic import BaseModel, Field

from askwise.data.presentation import Presentation
from askwise.web.routes.owner import Named
from askwise.web.schemas import Text
from askwise.web.security import owner

router = APIRouter(prefix="/api/v1/studies/{study}/shown", tags=["owner"], dependencies=[Depends(owner)])


class ShowRequest(BaseModel):
    """The columns to show, in order; none hides them all, and null means the most telling ones."""

    show: list[Text] | None = Field(max_length=1000)


class ShownColumns(BaseModel):
    """Columns of the table."""

    columns: list[str] = Field(description="Those that questions can show")
    shown: list[str] = Field(description="Those that they show, in order")


@router.get("")
async def shown_columns(study: Named) -> ShownColumns:
    """The columns of the table that questions can show, and those that they show now."""
    service = await study.studies.service(study.name)
    await service.log.catch_up()
    present = await study.studies.presentation(study.name, service.recipe, service.event_log)
    if not isinstance(present, Presentation):
        return ShownColumns(columns=[], shown=[])
    return ShownColumns(columns=present.offered, shown=present.shown)


@router.post("")
async def show_columns(study: Named, wanted: ShowRequest) -> ShownColumns:
    """Chooses the columns that questions show from now on, to everybody. Nothing is computed again."""
    service = await study.studies.service(study.name)
    await service.change_shown({"show": wanted.show}, partial(study.studies.presentation, study.name, service.recipe))
    study.studies.changed(study.name)
    return await shown_columns(study)
