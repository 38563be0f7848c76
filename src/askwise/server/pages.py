"""The pages: templates and little else; what moves on them talks to the API."""

from __future__ import annotations

import asyncio
import hmac
from pathlib import Path

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse

from askwise.server.answering import Who
from askwise.server.hub import Hub
from askwise.server.replies import reply, templates
from askwise.server.safety import COOKIE, owner
from askwise.study.work import work

router = APIRouter(include_in_schema=False)


@router.get("/s/{study}/p/{token}")
async def answer(request: Request, seat: Who, study: str, token: str) -> HTMLResponse:
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
    return templates.TemplateResponse(request, "home.html", {})


@router.get("/s/{study}", dependencies=[Depends(owner)])
async def dashboard(request: Request, study: str) -> HTMLResponse:
    """What is learned, live; while nobody has answered, whom to invite comes first."""
    hub: Hub = request.app.state.hub

    def new() -> bool:
        store = hub.store(study)
        return not any(one.answers for one in work(store, hub.known(study).study))

    fresh = await asyncio.to_thread(new)
    return templates.TemplateResponse(request, "dashboard.html", {"study": study, "fresh": fresh})


@router.get("/static/plotly.js")
async def plotly() -> Response:
    """The charts' script, from the installed package."""
    import plotly as package

    script = Path(package.__file__).parent / "package_data" / "plotly.min.js"
    return FileResponse(script, media_type="text/javascript", headers={"Cache-Control": "max-age=86400"})
