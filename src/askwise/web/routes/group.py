"""Who counts in a group that decides together: what the owner may change while people answer."""

from __future__ import annotations

from fastapi import APIRouter, Depends, HTTPException
from pydantic import BaseModel, Field

from askwise.storage.groups import decides_together
from askwise.web.create import count_without
from askwise.web.items import announce_change
from askwise.web.overview import StudyOverview, overview
from askwise.web.routes.owner import Named
from askwise.web.schemas import Text
from askwise.web.security import owner

router = APIRouter(prefix="/api/v1/studies/{study}/group", tags=["owner"], dependencies=[Depends(owner)])


class GroupRequest(BaseModel):
    """Who of a group does not count."""

    without: list[Text] = Field(max_length=20, description="Names of people; none: everybody counts")


@router.post("")
async def change_group(study: Named, wanted: GroupRequest) -> StudyOverview:
    """Leaves people out who will not answer, or counts them again. All answers stay."""
    if not decides_together(study.record.recipe):
        raise HTTPException(409, "the people of this study do not decide together, so nobody can be left out")
    if study.record.state == "closed":
        raise HTTPException(409, "a closed study stays as it is; copy it to continue")
    await study.studies.background.run(count_without, await study.job(None), wanted.without)
    await announce_change(study.studies, study.name)
    return await overview(study.studies, study.name)
