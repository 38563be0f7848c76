"""For those who run the server: whether it lives, whether it can serve, and figures for Prometheus."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse

from askwise.errors import AskwiseError
from askwise.web.metrics import metrics_text
from askwise.web.security import owner
from askwise.web.studies import ServedStudies

STORE_SECONDS = 5.0  # that a server may take to reach its store
router = APIRouter(include_in_schema=False)


@router.get("/healthz")
async def health() -> PlainTextResponse:
    """Whether the process responds. It says nothing about the database: a restart would not help that."""
    return PlainTextResponse("ok\n")


@router.get("/readyz")
async def readiness(request: Request) -> Response:
    """Whether people should be sent here: the store responds, and the server is not about to stop."""
    studies: ServedStudies = request.app.state.studies
    store = False
    try:
        await asyncio.wait_for(asyncio.to_thread(studies.names), STORE_SECONDS)
        store = True
    except (AskwiseError, OSError, TimeoutError):
        pass
    ready = store and not studies.stopping
    return JSONResponse({"ready": ready, "store": store, "stopping": studies.stopping}, 200 if ready else 503)


@router.get("/metrics")
async def metrics(request: Request, _: Annotated[None, Depends(owner)]) -> PlainTextResponse:
    """Figures for Prometheus, for whoever has the owner's token."""
    text = metrics_text(request.app.state.figures, request.app.state.studies)
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4; charset=utf-8")
