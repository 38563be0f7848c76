"""Who may see and change the studies of this server."""

from __future__ import annotations

import asyncio
from typing import Literal

from fastapi import APIRouter, Depends, HTTPException, Request
from pydantic import BaseModel, Field

from askwise.errors import SettingError
from askwise.storage.owners import OwnerTokens
from askwise.web.access import OwnerAccess, given_token, request_role
from askwise.web.schemas import Text
from askwise.web.security import owner

router = APIRouter(prefix="/api/v1/owners", tags=["owner"], dependencies=[Depends(owner)])


class OwnerRequest(BaseModel):
    """Somebody who shall see studies, or change them, too."""

    name: Text = Field(min_length=1, max_length=60, json_schema_extra={"pattern": r"^[^\x00]*[^\x00\s][^\x00]*$"})
    role: Literal["owner", "viewer"] = "viewer"


class ListedOwner(BaseModel):
    name: str
    role: Literal["owner", "viewer"]
    created: str
    you: bool = Field(description="Whether the request came with this token")


class NewOwner(BaseModel):
    """A new token. It is shown this once."""

    name: str
    role: Literal["owner", "viewer"]
    token: str
    link: str = Field(description="The address with which they log in; it is dropped from the browser's at once")


def _tokens(request: Request) -> OwnerTokens:
    if request_role(request) != "owner":
        raise HTTPException(403, "only owners see who has a token")
    access: OwnerAccess = request.app.state.access
    return access.tokens


def _listed(tokens: OwnerTokens, token: str) -> list[ListedOwner]:
    own = tokens.name_of(token)
    return [ListedOwner(**vars(one), you=one.name == own) for one in tokens.listed()]


@router.get("")
async def list_owners(request: Request) -> list[ListedOwner]:
    """Everybody who was given a token. The one that the server was started with is not among them."""
    return await asyncio.to_thread(_listed, _tokens(request), given_token(request))


@router.post("", status_code=201)
async def add_owner(request: Request, wanted: OwnerRequest) -> NewOwner:
    """Makes a token for somebody: a viewer sees everything but the links of participants; an owner may change it."""
    tokens = _tokens(request)
    try:
        token = await asyncio.to_thread(tokens.add, wanted.name, wanted.role)
    except SettingError as taken:
        raise HTTPException(409, str(taken)) from None
    await asyncio.to_thread(request.app.state.access.read)
    where = f"{str(request.base_url).rstrip('/')}{request.app.state.root_path}"
    return NewOwner(name=wanted.name.strip(), role=wanted.role, token=token, link=f"{where}/login?token={token}")


@router.post("/{name:path}/revoke")
async def revoke_owner(request: Request, name: str) -> list[ListedOwner]:
    """Takes somebody's token away, also one's own; the others who have one."""
    tokens = _tokens(request)
    try:
        await asyncio.to_thread(tokens.revoke, name)
    except SettingError as unknown:
        raise HTTPException(404, str(unknown)) from None
    access: OwnerAccess = request.app.state.access
    await asyncio.to_thread(access.read)
    return await asyncio.to_thread(_listed, tokens, given_token(request))
