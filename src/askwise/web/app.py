"""The app: routes put together, mistakes as one sentence, pages."""

from __future__ import annotations

import logging
import secrets
from collections.abc import AsyncIterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from askwise.errors import AskwiseError
from askwise.web.error_pages import error_reply, http_sentence, reply, sentence_of
from askwise.web.learner.learner import Learner
from askwise.web.learner.workers import WorkerTimeout
from askwise.web.routes import items, media, owner, pages, participant
from askwise.web.security import Guard, RateLimiter
from askwise.web.stored_log import Busy
from askwise.web.studies import ServedStudies

HERE = Path(__file__).parent


def create_app(target: str, token: str | None = None, workers: int | None = None) -> FastAPI:
    """The app for a study file, a folder of them, or a database; `token` is the owner's."""
    from askwise import __version__

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        app.state.studies = ServedStudies(target, Learner(workers))
        yield
        app.state.studies.close()

    app = FastAPI(title="askwise", version=__version__, lifespan=life, docs_url=None, redoc_url=None,
                  openapi_url="/api/v1/openapi.json")  # fmt: skip
    app.state.token = token or secrets.token_urlsafe(18)
    app.state.rate_limiter = RateLimiter()
    app.add_middleware(Guard)
    for routes in (participant, media, owner, items, pages):
        app.include_router(routes.router)
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    for kind in (AskwiseError, BrokenProcessPool, Busy, WorkerTimeout):
        app.add_exception_handler(kind, _refused)
    app.add_exception_handler(HTTPException, _failed)
    app.add_exception_handler(RequestValidationError, _malformed)
    logging.getLogger("uvicorn.access").disabled = True  # links are secrets, and paths hold them
    return app


async def _refused(request: Request, error: Exception) -> Response:
    code, sentence = error_reply(error)
    return reply(request, code, sentence)


async def _malformed(request: Request, error: Exception) -> Response:
    return reply(request, 422, sentence_of(error))


async def _failed(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return reply(request, error.status_code, http_sentence(error.status_code, str(error.detail)), error.headers)
