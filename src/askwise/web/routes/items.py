"""Which items a study is about: what the owner may see and change while people answer."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, UploadFile
from pydantic import AfterValidator, StringConstraints

from askwise.web.items import Upload, announce_change, apply_change, study_items
from askwise.web.routes.owner import Named
from askwise.web.schemas import StudyItems, Text, storable
from askwise.web.security import owner

Key = Annotated[str, StringConstraints(min_length=8, max_length=80), AfterValidator(storable)]
router = APIRouter(prefix="/api/v1/studies/{study}/items", tags=["owner"], dependencies=[Depends(owner)])


@router.get("")
async def items(study: Named) -> StudyItems:
    """The items of a study, those that retired, and the columns of its table."""
    where, _ = await study.job(None)
    return StudyItems(**await study.studies.background.run(study_items, where))


@router.post("")
async def change(
    study: Named,
    table: UploadFile | None = None,
    rows: Annotated[Text, Form(max_length=1_000_000, description="Rows to add, with a line of headings")] = "",
    retire: Annotated[list[Text], Form(description="The name of an item to retire; may be repeated")] = [],  # noqa: B006
    key: Annotated[Key | None, Form(description="Sent twice, it is one change")] = None,
) -> StudyItems:
    """Adds items to a study, or retires some, for everybody who answers. Answers stay."""
    if study.record.state == "closed":
        raise HTTPException(409, "a closed study stays as it is; copy it to continue")
    where, _ = await study.job(None)
    upload: Upload | None = None
    if table is not None and table.filename:
        upload = table.filename, await table.read()
    found = StudyItems(**await study.studies.background.run(apply_change, where, upload, rows, retire, key))
    await announce_change(study.studies, study.name)
    return found
