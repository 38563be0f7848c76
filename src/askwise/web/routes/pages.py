"""The pages: templates and little else; what moves on them talks to the API."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from askwise.goals import goals
from askwise.storage.usage import answer_counts
from askwise.web.access import COOKIE, OwnerAccess, request_role
from askwise.web.error_pages import reply, templates
from askwise.web.form import form_fields
from askwise.web.items import takes_items
from askwise.web.routes.door import person_page
from askwise.web.routes.participant import CurrentParticipant
from askwise.web.security import owner
from askwise.web.studies import ServedStudies

router = APIRouter(include_in_schema=False)
OLD_LINK = "this link is not valid any more; open the address that askwise serve printed, or ask an owner for a new one"


@router.get("/s/{study}/p/{token}")
async def answer(request: Request, context: CurrentParticipant, token: str) -> HTMLResponse:
    """Where a participant answers."""
    return await person_page(request, context, token)


@router.get("/login")
async def login(request: Request, token: str = "") -> Response:
    """The address that askwise serve prints: keeps the owner's token in a cookie."""
    access: OwnerAccess = request.app.state.access
    if token and access.role(token) is None:
        await asyncio.to_thread(access.read)  # it may be new
    if not token or access.role(token) is None:
        return reply(request, 401, OLD_LINK)
    root = request.app.state.root_path
    response = RedirectResponse(f"{root}/", 303)
    secure = request.url.scheme == "https"
    # lax: people click on the link in their mail, and a strict cookie would not come along to the page behind it
    response.set_cookie(COOKIE, token, path=root or "/", httponly=True, samesite="lax", secure=secure)
    return response


@router.get("/", dependencies=[Depends(owner)])
async def home(request: Request) -> HTMLResponse:
    """All studies; for owners also a form for a new one, and who else has access."""
    shown = {"goals": goals().values(), "fields": form_fields(), "may_change": request_role(request) == "owner"}
    return templates.TemplateResponse(request, "home.html", shown)


@router.get("/s/{study}", dependencies=[Depends(owner)])
async def dashboard(request: Request, study: str) -> HTMLResponse:
    """What is learned, live; while nobody has answered, whom to invite comes first."""
    studies: ServedStudies = request.app.state.studies

    def facts() -> dict[str, object]:
        store, record = studies.store(study), studies.known(study)
        fresh = not any(one.answers for one in answer_counts(store, record.study))
        return {"study": study, "fresh": fresh, "takes_items": takes_items(record.recipe)}

    shown = await asyncio.to_thread(facts) | {"may_change": request_role(request) == "owner"}
    return templates.TemplateResponse(request, "dashboard.html", shown)
