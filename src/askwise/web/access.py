"""Whose token came with a request, and what they may do: the server's own, or one of those that owners gave out."""

from __future__ import annotations

import asyncio
import hmac
import logging
import time
from collections.abc import Mapping

from fastapi import Request

from askwise.errors import StudyError
from askwise.storage.owners import OwnerTokens, Role, token_hash

COOKIE = "askwise_owner"
FRESH_SECONDS = 2.0  # after which the tokens are read again: so long a revoked one may still be used on another server
logger = logging.getLogger("askwise.web")


class OwnerAccess:
    """Knows the tokens of a server, and looks now and then whether they have changed."""

    def __init__(self, tokens: OwnerTokens, own: str):
        self.tokens = tokens
        self._own = token_hash(own)
        self._roles: Mapping[str, Role] = {}
        self._read_at = float("-inf")

    def role(self, token: str) -> Role | None:
        """What whoever has this token may do; None: nothing."""
        given = token_hash(token)
        if hmac.compare_digest(given, self._own):
            return "owner"
        return self._roles.get(given)

    async def refresh(self, request: Request) -> None:
        """Reads the tokens again, if the request has one that is not the server's own."""
        given = given_token(request)
        if given and token_hash(given) != self._own and time.monotonic() - self._read_at > FRESH_SECONDS:
            await asyncio.to_thread(self.read)

    def read(self) -> None:
        """Reads the tokens."""
        self._read_at = time.monotonic()
        try:
            self._roles = self.tokens.roles()
        except StudyError as error:
            logger.error("the tokens of owners cannot be read: %s", error)


def given_token(request: Request) -> str:
    """The token of a request: a program's header, or the cookie of a browser."""
    return bearer_token(request) or request.cookies.get(COOKIE, "")


def bearer_token(request: Request) -> str:
    """The token in the header of a program; a proxy with a password of its own sends a header of another kind."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def request_role(request: Request) -> Role | None:
    """What whoever sent a request may do; None: they are a stranger."""
    access: OwnerAccess = request.app.state.access
    given = given_token(request)
    return access.role(given) if given else None
