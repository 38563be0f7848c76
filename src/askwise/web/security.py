"""What keeps the app safe by default: headers, limits on size and rate, and the owner's token."""

from __future__ import annotations

import logging
import re
import time
from bisect import bisect_left
from collections import OrderedDict
from ipaddress import ip_address, ip_network

from fastapi import HTTPException, Request, Response
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from askwise.storage.owners import token_hash
from askwise.web.access import bearer_token, given_token, request_role
from askwise.web.error_pages import reply
from askwise.web.metrics import SECONDS, RequestFigures
from askwise.web.texts import Told

MAX_ANSWER_BYTES, MAX_TABLE_BYTES = 64 * 2**10, 64 * 2**20  # of a body: an answer, a table
MAX_UPLOAD_BYTES = 256 * 2**20  # of a table with its files
RATE, BURST = 20.0, 60.0  # requests of one client: a second, and at once
STATIC_FILE_COST = 0.04  # of a request; a page loads a dozen scripts, and a class may share one address
MAX_CLIENTS = 10_000  # whose requests are counted
UNLIMITED_PATHS = ("/healthz", "/readyz")  # a proxy asks often
VERIFIED_LINK = "askwise_verified_link"  # of a request: the study and the token that were checked
STUDIES_PATH = "/api/v1/studies"
PARTICIPANT_PATH = re.compile("/api/v1/s/[^/]+/p/")  # below it, owners are nobody special
PREVIEW_PATH = re.compile("/api/v1/studies/[^/]+/preview/(answers|skips|undo)")  # nothing is recorded there
OWNER_PATHS = (STUDIES_PATH, "/api/v1/owners")  # and everything below them: for the owner
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "media-src 'self'; connect-src 'self'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
STRANGER = "this is for the owner of the study; open the address that askwise serve printed, or your own link"
requests = logging.getLogger("askwise.web.requests")
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
        begun = time.perf_counter()

        async def safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                # by its route: an address holds names and tokens
                route = getattr(scope.get("route"), "path", "other")
                seconds, status = time.perf_counter() - begun, message["status"]
                figures: RequestFigures = scope["app"].state.figures
                figures.counts[scope["method"], route, status] += 1
                figures.classes[route][bisect_left(SECONDS, seconds)] += 1
                figures.seconds[route] += seconds
                if requests.isEnabledFor(logging.INFO):
                    parts = {"method": scope["method"], "route": route, "status": status, "ms": round(1e3 * seconds, 1)}
                    requests.info("%(method)s %(route)s %(status)s %(ms)s ms", parts, extra=parts)
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if scope["type"] == "http" and not PARTICIPANT_PATH.match(scope["path"]):
            await scope["app"].state.access.refresh(Request(scope))
        refusal = _refusal(Request(scope)) if scope["type"] == "http" else None
        await (refusal or self.app)(scope, receive, safely)


def owner(request: Request) -> None:
    """Lets only owners pass, and viewers who only look."""
    if request_role(request) is None:
        raise HTTPException(401, STRANGER)
    if request.method not in ("GET", "HEAD"):
        require_change(request)


def require_change(request: Request) -> None:
    """Refuses a change by a viewer, who may try a preview, and one that another site may have sent with the cookie of
    an owner: programs send their token in a header, and our pages send a header that a form or a link cannot."""
    if request_role(request) == "viewer" and not PREVIEW_PATH.fullmatch(request.scope["path"]):
        raise HTTPException(403, "your token lets you look, but not change anything; ask an owner")
    if not bearer_token(request) and request.headers.get("x-askwise") != "page":
        raise HTTPException(403, "the request did not come from askwise's own page")


def _refusal(request: Request) -> Response | None:
    """Why a request is not let in, if it is not; its body was not read by then."""
    path: str = request.scope["path"]  # that of its URL loses tabs and line breaks
    if "\0" in path:
        return _refused(request, 422, "an address may not contain the character NUL")
    cost = STATIC_FILE_COST if path.startswith("/static/") else 1.0
    if path not in UNLIMITED_PATHS and not request.app.state.rate_limiter.allow(_client_key(request), cost=cost):
        return _refused(request, 429, Told("error.too_many"))
    if path.startswith(OWNER_PATHS):
        try:
            owner(request)
        except HTTPException as stranger:
            return _refused(request, stranger.status_code, str(stranger.detail))
    takes_table = path.startswith(OWNER_PATHS) and path.endswith("/items")
    most = MAX_UPLOAD_BYTES if path == STUDIES_PATH else MAX_TABLE_BYTES if takes_table else MAX_ANSWER_BYTES
    if "transfer-encoding" in request.headers:
        return _refused(request, 413, "a request must say its length; one in chunks does not")
    if int(request.headers.get("content-length") or 0) > most:
        size = f"{most // 2**20} MB" if most >= 2**20 else f"{most // 2**10} kB"
        return _refused(request, 413, f"this is too large; send {size} at most")
    return None


def _client_key(request: Request) -> str:
    """Where a request counts: with the participant or the owner who made it if that is certain, else with its host."""
    study, _, rest = request.scope["path"].removeprefix("/api/v1").removeprefix("/s/").partition("/p/")
    token = rest.split("/")[0]
    if token and request.app.state.studies.knows_token(study, token):
        request.scope[VERIFIED_LINK] = study, token
        return f"participant {study} {token}"
    if request_role(request) is not None:
        return f"owner {token_hash(given_token(request))[:16]}"
    return f"host {network_of(request.client.host if request.client else '')}"


def network_of(host: str) -> str:
    """What counts as one host: an address of IPv4, or the network of one of IPv6, whose owner has 2**64 addresses.

    >>> network_of("10.0.0.7"), network_of("::ffff:10.0.0.7"), network_of("2001:db8:1:2:3:4:5:6")
    ('10.0.0.7', '10.0.0.7', '2001:db8:1:2::/64')
    """
    try:
        address = ip_address(host)
    except ValueError:  # a socket, or a program that calls the app itself
        return host
    if address.version == 4:
        return host
    if address.ipv4_mapped is not None:  # of a server that listens on ::
        return str(address.ipv4_mapped)
    return str(ip_network((address, 64), strict=False))


def _refused(request: Request, code: int, sentence: str) -> Response:
    body = request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers
    return reply(request, code, sentence, {"Connection": "close"} if body else None)
