"""The pages: templates and little else; what moves on them talks to the API."""

from __future__ import annotations

import asyncio
import hmac

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from askwise.goals import goals
from askwise.storage.usage import answer_counts
from askwise.web.error_pages import reply, templates
from askwise.web.form import form_fields
from askwise.web.items import takes_items
from askwise.web.routes.participant import CurrentParticipant
from askwise.web.security import COOKIE, owner
from askwise.web.studies import ServedStudies

router = APIRouter(include_in_schema=False)


@router.get("/s/{study}/p/{token}")
async def answer(request: Request, context: CurrentParticipant, study: str, token: str) -> HTMLResponse:
    """Where a participant answers."""
    return templates.TemplateResponse(request, "answer.html", {"study": study, "token": token})


@router.get("/login")
async def login(request: Request, token: str = "") -> Response:
    """The address that askwise serve prints: keeps the owner's token in a cookie."""
    if not hmac.compare_digest(token.encode(), request.app.state.token.encode()):
        return reply(request, 401, "this address is not valid any more; open the one that askwise serve printed")
    response = RedirectResponse("/", 303)
    response.set_cookie(COOKIE, token, httponly=True, samesite="strict", secure=request.url.scheme == "https")
    return response


@router.get("/", dependencies=[Depends(owner)])
async def home(request: Request) -> HTMLResponse:
    """All studies of the owner, and a form for a new one."""
    return templates.TemplateResponse(request, "home.html", {"goals": goals().values(), "fields": form_fields()})


@router.get("/s/{study}", dependencies=[Depends(owner)])
async def dashboard(request: Request, study: str) -> HTMLResponse:
    """What is learned, live; while nobody has answered, whom to invite comes first."""
    studies: ServedStudies = request.app.state.studies

    def facts() -> dict[str, object]:
        store, record = studies.store(study), studies.known(study)
        fresh = not any(one.answers for one in answer_counts(store, record.study))
        return {"study": study, "fresh": fresh, "takes_items": takes_items(record.recipe)}

    return templates.TemplateResponse(request, "dashboard.html", await asyncio.to_thread(facts))
