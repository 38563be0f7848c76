"""What the server logs: lines for people, or one JSON object a line. Links, tokens and passwords are struck out."""

from __future__ import annotations

import json
import logging
import re
from datetime import UTC, datetime
from typing import Any, Literal

LogFormat = Literal["text", "json"]
SECRETS = (  # what stands before a secret, and the secret
    re.compile(r"(/p/)[\w.%-]+"),
    re.compile(r"(token=)[^\s&\"']+"),
    re.compile(r"(Bearer )\S+"),
    re.compile(r"(://[^\s:/@]+:)[^\s@]+(?=@)"),
)
PARTS = ("method", "route", "status", "ms")  # of a request


def without_secrets(text: str) -> str:
    """
    >>> without_secrets("GET /s/cars/p/a1.b2 from postgresql://ann:hunter2@db/lab")
    'GET /s/cars/p/*** from postgresql://ann:***@db/lab'
    """
    for secret in SECRETS:
        text = secret.sub(r"\1***", text)
    return text


class TextFormatter(logging.Formatter):
    """One line for people."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))


class JsonFormatter(logging.Formatter):
    """One JSON object a line.

    >>> record = logging.LogRecord("askwise.web", logging.INFO, "", 0, "at %s", ("/s/cars/p/a1.b2",), None)
    >>> sorted(json.loads(JsonFormatter().format(record)).items())[1:]
    [('logger', 'askwise.web'), ('message', 'at /s/cars/p/***'), ('time', '...')]
    """

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        found: dict[str, Any] = {"time": time, "level": record.levelname.lower(), "logger": record.name}
        found["message"] = without_secrets(record.getMessage())
        found |= {part: getattr(record, part) for part in PARTS if hasattr(record, part)}
        if record.exc_info:
            found["error"] = without_secrets(self.formatException(record.exc_info))
        return json.dumps(found)


def json_line(message: str, **parts: str) -> str:
    """What a server prints when it starts, as a line of its log.

    >>> sorted(json.loads(json_line("Serving studies/.", token="in token")).items())[:3]
    [('level', 'info'), ('logger', 'askwise.web'), ('message', 'Serving studies/.')]
    """
    time = datetime.now(UTC).isoformat(timespec="milliseconds")
    return json.dumps({"time": time, "level": "info", "logger": "askwise.web", "message": message, **parts})


def set_up_logs(kind: LogFormat, requests: bool) -> None:
    """Sends what the server and uvicorn log to standard error. `requests` logs each request by its route, which has
    placeholders where an address has names and tokens."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter() if kind == "json" else TextFormatter())
    for name in ("askwise", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.WARNING)
    logging.getLogger("askwise.web.requests").setLevel(logging.INFO if requests else logging.WARNING)
