"""What keeps the app safe by default: headers, limits on size and rate, and the owner's token."""

from __future__ import annotations

import hmac
import time
from collections import OrderedDict

from fastapi import HTTPException, Request, Response
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from askwise.web.error_pages import reply

MAX_ANSWER_BYTES, MAX_TABLE_BYTES = 64 * 2**10, 64 * 2**20  # of a body: an answer, a table
MAX_UPLOAD_BYTES = 256 * 2**20  # of a table with its files
RATE, BURST = 20.0, 60.0  # requests of one client: a second, and at once
STATIC_FILE_COST = 0.05  # of a request; a page loads a dozen scripts, and a class may share one address
MAX_CLIENTS = 10_000  # whose requests are counted
VERIFIED_LINK = "askwise_verified_link"  # of a request: the study and the token that were checked
COOKIE = "askwise_owner"
OWNER_PATHS = "/api/v1/studies"  # and everything below it: for the owner
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "media-src 'self'; connect-src 'self'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class RateLimiter:
    """A leaky bucket for each client: `burst` requests at once, `rate` a second after that.

    >>> buckets = RateLimiter(rate=1.0, burst=2.0)
    >>> [buckets.allow("here", now=0.0) for _ in range(3)], buckets.allow("here", now=5.0)
    ([True, True, False], True)
    """

    def __init__(self, rate: float = RATE, burst: float = BURST):
        self.rate = rate
        self.burst = burst
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allow(self, place: str, now: float | None = None, cost: float = 1.0) -> bool:
        now = time.monotonic() if now is None else now
        level, then = self._levels.pop(place, (0.0, now))
        level = max(0.0, level - (now - then) * self.rate)
        allowed = level + cost <= self.burst
        self._levels[place] = (level + cost if allowed else level, now)
        while len(self._levels) > MAX_CLIENTS:
            self._levels.popitem(last=False)
        return allowed


class Guard:
    """Sizes, rates and headers of every request."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = _refusal(Request(scope)) if scope["type"] == "http" else None
        await (refusal or self.app)(scope, receive, safely)


def owner(request: Request) -> None:
    """Lets only the owner pass: by a program's header, or by the cookie of a page that also sends our own header."""
    if not is_owner(request):
        raise HTTPException(401, "this is for the owner of the study; open the address that askwise serve printed")
    if _bearer(request) or request.method in ("GET", "HEAD") or request.headers.get("x-askwise") == "page":
        return  # another site's form cannot send that header
    raise HTTPException(403, "the request did not come from askwise's own page")


def is_owner(request: Request) -> bool:
    """Whether the owner's token came along, in a header or in the cookie of a browser."""
    return _bearer(request) or _same(request.cookies.get(COOKIE, ""), request.app.state.token)


def _bearer(request: Request) -> bool:
    given = request.headers.get("authorization", "").removeprefix("Bearer ").strip()
    return _same(given, request.app.state.token)


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


def _refusal(request: Request) -> Response | None:
    """Why a request is not let in, if it is not; its body was not read by then."""
    path = request.url.path
    if "\0" in path:
        return _refused(request, 422, "an address may not contain the character NUL")
    cost = STATIC_FILE_COST if path.startswith("/static/") else 1.0
    if not request.app.state.rate_limiter.allow(_client_key(request), cost=cost):
        return _refused(request, 429, "too many requests at once; wait a second")
    if path.startswith(OWNER_PATHS):
        try:
            owner(request)
        except HTTPException as stranger:
            return _refused(request, stranger.status_code, str(stranger.detail))
    takes_table = path.startswith(OWNER_PATHS) and path.endswith("/items")
    most = MAX_UPLOAD_BYTES if path == OWNER_PATHS else MAX_TABLE_BYTES if takes_table else MAX_ANSWER_BYTES
    chunked = "chunked" in request.headers.get("transfer-encoding", "")
    if chunked:
        return _refused(request, 413, "a request must say its length; one in chunks does not")
    if int(request.headers.get("content-length") or 0) > most:
        size = f"{most // 2**20} MB" if most >= 2**20 else f"{most // 2**10} kB"
        return _refused(request, 413, f"this is too large; send {size} at most")
    return None


def _client_key(request: Request) -> str:
    """Where a request counts: with the participant or the owner who made it if that is certain, else with its host."""
    study, _, rest = request.url.path.removeprefix("/api/v1").removeprefix("/s/").partition("/p/")
    token = rest.split("/")[0]
    if token and request.app.state.studies.knows_token(study, token):
        request.scope[VERIFIED_LINK] = study, token
        return f"participant {study} {token}"
    if is_owner(request):
        return "owner"
    return f"host {request.client.host if request.client else ''}"


def _refused(request: Request, code: int, sentence: str) -> Response:
    body = request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers
    return reply(request, code, sentence, {"Connection": "close"} if body else None)
