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
from starlette.routing import Match

from askwise.errors import AskwiseError
from askwise.storage.address import Address
from askwise.storage.owners import OwnerTokens
from askwise.web.access import OwnerAccess, request_role
from askwise.web.api_description import describe_api
from askwise.web.change_listener import follow_changes
from askwise.web.error_pages import (
    FAILED,
    FAILED_FOR_OWNERS,
    UNREADABLE_BODY,
    error_reply,
    http_sentence,
    reply,
    sentence_of,
)
from askwise.web.learner.cluster import ClusterLearner
from askwise.web.learner.learner import Learner
from askwise.web.learner.workers import WorkerTimeout
from askwise.web.metrics import RequestFigures
from askwise.web.prefix import Prefix, checked_prefix
from askwise.web.routes import (
    crowd,
    door,
    group,
    items,
    media,
    operations,
    owner,
    owners,
    pages,
    participant,
    people,
    preview,
    shown,
)
from askwise.web.security import HEADERS, Guard, RateLimiter
from askwise.web.stored_log import Busy
from askwise.web.studies import ServedStudies

HERE = Path(__file__).parent


def create_app(
    target: str,
    token: str | None = None,
    workers: int | None = None,
    root_path: str = "",
    cluster: str | None = None,
) -> FastAPI:
    """The app for a study file, a folder of them, or a database; `token` is the owner's. Behind a proxy that serves it
    under a prefix, `root_path` is the prefix. `cluster` is the address of a Dask scheduler whose workers are the
    learner's."""
    from askwise import __version__

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        learner = Learner(workers) if cluster is None else ClusterLearner(cluster)
        app.state.studies = ServedStudies(target, learner, app.state.root_path)
        if not Address.of(target).is_file:
            app.state.studies.start(follow_changes(app.state.studies, Address.of(target)))
        yield
        await app.state.studies.finish()
        app.state.studies.close()
        app.state.access.tokens.close()

    app = FastAPI(title="askwise", version=__version__, lifespan=life, docs_url=None, redoc_url=None,
                  openapi_url="/api/v1/openapi.json")  # fmt: skip
    app.state.token = token or secrets.token_urlsafe(18)
    app.state.access = OwnerAccess(OwnerTokens(target), app.state.token)
    app.state.rate_limiter = RateLimiter()
    app.state.figures = RequestFigures()
    app.state.root_path = checked_prefix(root_path)
    app.add_middleware(Guard)
    if app.state.root_path:
        app.add_middleware(Prefix, root_path=app.state.root_path)
        app.servers = [{"url": app.state.root_path}]
    for_owners = (owner, items, shown, group, crowd, people, owners, preview)
    for routes in (participant, media, *for_owners, door, pages, operations):
        app.include_router(routes.router)
    describe_api(app)
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    for kind in (AskwiseError, BrokenProcessPool, Busy, WorkerTimeout):
        app.add_exception_handler(kind, _refused)
    app.add_exception_handler(HTTPException, _failed)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(Exception, _broken)
    logging.getLogger("uvicorn.access").disabled = True  # links are secrets, and paths hold them
    return app


async def _refused(request: Request, error: Exception) -> Response:
    code, sentence = error_reply(error)
    return reply(request, code, sentence)


async def _malformed(request: Request, error: Exception) -> Response:
    return reply(request, 422, sentence_of(error))


async def _broken(request: Request, error: Exception) -> Response:
    """A mistake of ours: the server's log has the details."""
    sentence = FAILED if request_role(request) is None else FAILED_FOR_OWNERS
    return reply(request, 500, sentence, HEADERS)  # the guard does not see this reply


async def _failed(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code, headers = error.status_code, error.headers
    if code == 400:  # as the framework calls a body that it cannot read
        return reply(request, 422, UNREADABLE_BODY)
    if code == 405:
        headers = {"Allow": ", ".join(_methods(request))}
    return reply(request, code, http_sentence(code, error.detail), headers)


def _methods(request: Request) -> list[str]:
    """Those that the address of a request takes, whichever routes they belong to."""
    found: set[str] = set()
    for method in ("GET", "HEAD", "POST"):
        scope = {**request.scope, "method": method}
        if any(route.matches(scope)[0] == Match.FULL for route in request.app.routes):
            found.add(method)
    return sorted(found)
