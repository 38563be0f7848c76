"""What goes wrong, in one sentence: JSON for programs, a page for people."""

from __future__ import annotations

import logging
import reprlib
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi import Request, Response
from fastapi.responses import JSONResponse
from fastapi.templating import Jinja2Templates

from askwise.errors import AnswerError, AskwiseError, StudyError
from askwise.report.templating import TEMPLATES
from askwise.storage.permission import NotNow
from askwise.web.request_language import request_texts
from askwise.web.schemas import RESPONSES
from askwise.web.stored_log import Busy
from askwise.web.studies import NoSuchStudy
from askwise.web.texts import Catalogue, Told


def _root(request: Request) -> dict[str, str]:
    """What stands before every address of a page, for all templates."""
    return {"root": request.app.state.root_path}


templates = Jinja2Templates([Path(__file__).parent / "templates", TEMPLATES], context_processors=[_root])
TITLES = {
    403: "error.title_403",
    404: "error.title_404",
    413: "error.title_413",
    429: "error.title_moment",
    500: "error.title_500",
    503: "error.title_moment",
}
OUTAGE = Told("error.outage")
NOTHING_HERE = Told("error.nothing_here")
WRONG_METHOD = "this address does not take requests of this kind"
UNREADABLE_BODY = "the body of the request cannot be read; send it as the documentation of the API says"
FAILED = Told("error.failed")
FAILED_FOR_OWNERS = "the server made a mistake, which its log describes; nothing is lost"
STOPPED = Told("error.stopped")
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
        return 409, sentence_in(error)
    if isinstance(error, StudyError):
        logger.error("a study cannot be used: %s", error)
        return 503, OUTAGE
    if isinstance(error, AskwiseError):
        return 422, sentence_in(error)
    if isinstance(error, Busy):
        return 503, sentence_in(error)
    logger.error("a worker failed: %s", type(error).__name__)
    return 503, STOPPED


def sentence_in(error: Exception) -> str:
    """What an error says; what is for participants can be translated.

    >>> sentence_in(AnswerError("this is for programs"))
    'this is for programs'
    """
    if isinstance(error, NotNow):
        return Told(f"refused.{error.reason}")
    first = error.args[0] if error.args else ""
    return first if isinstance(first, Told) else str(error)


def reply(request: Request, code: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    """The sentence as a program or a person reads it, in the language of a participant."""
    texts = request_texts(request)
    told = sentence.in_language(texts) if isinstance(sentence, Told) else str(sentence)
    if not wants_page(request.scope["path"], request.headers.get("accept", "")):
        return JSONResponse({"detail": told}, code, headers)
    title = "For the owner" if code == 401 else texts.text(TITLES.get(code, "error.title"))
    ended = told if told.endswith((".", "!", "?", "؟")) else f"{told}."
    shown = {
        "title": title,
        "sentence": ended[:1].upper() + ended[1:],
        "way_back": bool(request.cookies) and code != 401,  # only owners have a cookie
        "try_again": code in (429, 500, 503) and request.method == "GET",
        **page_language(texts),
    }
    return templates.TemplateResponse(request, "message.html", shown, code, headers)


def page_language(texts: Catalogue) -> dict[str, Any]:
    """What a template needs to be shown in a language."""
    return {"t": texts.text, "lang": texts.language, "dir": texts.direction}


def wants_page(path: str, accept: str) -> bool:
    """Whether a person reads the reply: browsers ask for HTML by name, programs for JSON or for anything.

    >>> browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    >>> wants_page("/api/v1/studies", browser), wants_page("/api/v1/studies", "*/*")
    (True, False)
    >>> wants_page("/s/cars", "*/*"), wants_page("/s/cars", "application/json")
    (True, False)
    """
    if "text/html" in accept:
        return True
    return "json" not in accept and not path.startswith(("/api/", "/static/"))


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
    said = first["msg"].removeprefix("Value error, ")
    if where.startswith("response."):  # of several kinds that it may have
        where = "response"
        said = said if isinstance(first["input"], str) else f"expected {RESPONSES}, got {reprlib.repr(first['input'])}"
    return f"{where}: {said}" if where else said
