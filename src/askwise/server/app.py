"""The app: routes put together, mistakes as one sentence, pages."""

from __future__ import annotations

import logging
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles

from askwise.errors import AnswerError, AskwiseError, StudyError
from askwise.server import answering, owning, pages
from askwise.server.hub import Hub
from askwise.server.learner import Learner
from askwise.server.safety import Buckets, Guard, sentence_of

HERE = Path(__file__).parent
CODES = {AnswerError: 409, StudyError: 404}


def create_app(target: str, token: str | None = None, workers: int | None = None) -> FastAPI:
    """The app for a study file, a folder of them, or a database; `token` is the owner's."""
    from askwise import __version__

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        app.state.hub = Hub(target, Learner(workers))
        yield
        app.state.hub.close()

    app = FastAPI(title="askwise", version=__version__, lifespan=life, docs_url=None, redoc_url=None,
                  openapi_url="/api/v1/openapi.json")  # fmt: skip
    app.state.token = token or secrets.token_urlsafe(18)
    app.state.buckets = Buckets()
    app.add_middleware(Guard)
    app.include_router(answering.router)
    app.include_router(owning.router)
    app.include_router(pages.router)
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    app.add_exception_handler(AskwiseError, _refused)
    app.add_exception_handler(RequestValidationError, _malformed)
    logging.getLogger("uvicorn.access").disabled = True  # links are secrets, and paths hold them
    return app


async def _refused(request: Request, error: Exception) -> Response:
    code = next((code for kind, code in CODES.items() if isinstance(error, kind)), 422)
    return JSONResponse({"detail": str(error)}, code)


async def _malformed(request: Request, error: Exception) -> Response:
    return JSONResponse({"detail": sentence_of(error)}, 422)
