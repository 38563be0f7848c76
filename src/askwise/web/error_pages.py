"""What goes wrong, in one sentence: JSON for programs, a page for people."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi import Request, Response
from fastapi.responses import JSONResponse
from fastapi.templating import Jinja2Templates

from askwise.errors import AnswerError, AskwiseError, StudyError
from askwise.report.templating import TEMPLATES
from askwise.web.stored_log import Busy
from askwise.web.studies import NoSuchStudy

templates = Jinja2Templates([Path(__file__).parent / "templates", TEMPLATES])
TITLES = {401: "For the owner", 404: "Not found", 429: "One moment", 503: "One moment"}
OUTAGE = "the study cannot be reached at the moment; nothing is lost, try again in a moment"
NOTHING_HERE = "there is nothing at this address; check that it is complete"
WRONG_METHOD = "this address does not take requests of this kind"
STOPPED = "this could not be worked out just now; try again in a moment"
logger = logging.getLogger("askwise.web")


def error_reply(error: Exception) -> tuple[int, str]:
    """The status code and the sentence for an error. The message of a database names its address, so
    nobody but the server's log hears of that.

    >>> error_reply(StudyError("postgresql://ann@lab/cars cannot be used: timeout expired"))[0]
    503
    """
    if isinstance(error, NoSuchStudy):
        return 404, str(error)
    if isinstance(error, AnswerError):
        return 409, str(error)
    if isinstance(error, StudyError):
        logger.error("a study cannot be used: %s", error)
        return 503, OUTAGE
    if isinstance(error, AskwiseError):
        return 422, str(error)
    if isinstance(error, Busy):
        return 503, str(error)
    logger.error("a worker failed: %s", type(error).__name__)
    return 503, STOPPED


def reply(request: Request, code: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    """The sentence as a program or a person reads it."""
    if request.url.path.startswith(("/api/", "/static/")):
        return JSONResponse({"detail": sentence}, code, headers)
    shown = {"title": TITLES.get(code, "This does not work"), "sentence": sentence[:1].upper() + sentence[1:]}
    return templates.TemplateResponse(request, "message.html", shown, code, headers)


def http_sentence(code: int, detail: str) -> str:
    """What the app says about an error of its framework, instead of the name of its status code.

    >>> http_sentence(404, "Not Found")
    'there is nothing at this address; check that it is complete'
    >>> http_sentence(404, "there is no such picture")
    'there is no such picture'
    """
    plain = {404: NOTHING_HERE, 405: WRONG_METHOD}
    return plain.get(code, detail) if detail == HTTPStatus(code).phrase else detail


def sentence_of(error: Any) -> str:
    """The first of the mistakes in a request, in words."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body")
    return f"{where}: {first['msg']}" if where else str(first["msg"])
