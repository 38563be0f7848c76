"""What `/api/v1/openapi.json` says about every operation besides what its route declares: who may call it, and each
status that it can reply with."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from askwise.web.access import COOKIE
from askwise.web.security import OWNER_PATHS

ERROR = {"type": "object", "properties": {"detail": {"type": "string"}}, "required": ["detail"]}
SECURITY = {
    "ownerToken": {
        "type": "http",
        "scheme": "bearer",
        "description": "The owner's token, as `askwise serve` prints it or as its file holds it",
    },
    "ownerCookie": {
        "type": "apiKey",
        "in": "cookie",
        "name": COOKIE,
        "description": "The same in a browser; requests that change something also send `X-Askwise: page`",
    },
}
SENTENCES = {
    "401": "The owner's token is missing",
    "403": "The request came from a page of another site, or the owner does not allow it",
    "404": "There is nothing at this address",
    "409": "This cannot be done now",
    "413": "The request is too large, or does not say its length",
    "416": "The file has no such part",
    "422": "The request makes no sense",
    "429": "There are too many requests",
    "503": "The database or a worker does not respond; send the request again",
}
ALWAYS = ("413", "422", "429", "503")  # a body may come with any request
OF_OWNER, OF_PARTICIPANT = ("401", "403", "404", "409"), ("403", "404", "409")


def describe_api(app: FastAPI) -> None:
    """Completes the description of the app's operations, once they are all there."""
    plain = app.openapi

    def completed() -> dict[str, Any]:
        if app.openapi_schema is None:
            found = plain()
            parts = found.setdefault("components", {})
            parts.setdefault("schemas", {})["Error"] = ERROR
            parts["securitySchemes"] = SECURITY
            for path, operations in found["paths"].items():
                for operation in operations.values():
                    _complete(path, operation)
            for gone in ("HTTPValidationError", "ValidationError"):  # mistakes are one sentence here
                parts["schemas"].pop(gone, None)
        assert app.openapi_schema is not None
        return app.openapi_schema

    app.openapi = completed  # type: ignore[method-assign]


def _complete(path: str, operation: dict[str, Any]) -> None:
    owned = path.startswith(OWNER_PATHS)
    if owned:
        operation["security"] = [{scheme: []} for scheme in SECURITY]
    replies = operation["responses"]
    replies.pop("422", None)  # as the framework words it
    for status in sorted({*ALWAYS, *(OF_OWNER if owned else OF_PARTICIPANT)} - set(replies)):
        replies[status] = {"description": SENTENCES[status]}
    for status, reply in replies.items():
        if "text/event-stream" in reply.get("content", {}):
            reply["content"]["text/event-stream"] = {}  # many events, of two kinds
        if status in SENTENCES:
            reply["content"] = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
