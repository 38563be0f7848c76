"""A language model behind any endpoint that speaks the chat protocol of OpenAI."""

from __future__ import annotations

import os
import re
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from askwise.errors import OracleError, SettingError
from askwise.options import flag, number, text
from askwise.oracles.prompts import agreed, messages, mirrored, read_content, schema, swapped
from askwise.oracles.protocol import RefusedReply, Reply
from askwise.oracles.registry import OracleSettings
from askwise.session.events import NUMBER
from askwise.types import Question, Response

DEFAULT_URL = "https://api.openai.com/v1"
DEFAULT_KEY_ENV = "OPENAI_API_KEY"
TOO_MANY_REQUESTS = 429
UNKNOWN_PARAMETER = (400, 422)  # an endpoint may know no response_format
MAY_PASS = (408, 409, 425)  # beside 429 and 5xx
MAX_WAIT_SECONDS = 600.0
MAX_MESSAGE_LETTERS = 200
MAX_REPLY_BYTES = 10_000_000


class RateLimit:
    """Lets requests start at most so often, and none before a pause is over. Threads may share it."""

    def __init__(self, requests_per_minute: float | None):
        self.gap = 0.0 if requests_per_minute is None else 60.0 / requests_per_minute  # seconds
        self._lock = threading.Lock()
        self._next = 0.0
        self._paused_until = 0.0

    def wait(self) -> None:
        """Returns when the next request may start."""
        while (left := self._seconds_left()) > 0:
            time.sleep(left)

    def _seconds_left(self) -> float:
        """Until a request may start; not above 0 if it starts now."""
        with self._lock:
            now = time.monotonic()
            left = max(self._next, self._paused_until) - now
            if left <= 0:
                self._next = now + self.gap
            return left

    def pause(self, seconds: float) -> None:
        """Lets no request start for so long."""
        self._paused_until = max(self._paused_until, time.monotonic() + seconds)


@dataclass(frozen=True)
class Completion:
    """What a model replied to one request."""

    response: Response | None
    note: str | None
    tokens_in: int
    tokens_out: int


class ChatOracle:
    """Asks a language model. Responses are constrained by a JSON schema where the endpoint knows how to.

    Its key is read from the environment. It is sent to the endpoint and appears nowhere else.

    - `model`: its name, under which its answers are recorded.
    - `settings`: the address, the rubric, the prices and limits.

    >>> ChatOracle("small", OracleSettings(base_url="http://localhost:8000/v1")).name
    'small'
    """

    def __init__(self, model: str, settings: OracleSettings):
        try:
            import httpx
        except ModuleNotFoundError:
            raise SettingError("openai: needs httpx; install it with: pip install 'askwise[oracles]'") from None
        if not text("model", model):
            raise SettingError("the model has no name; give openai:MODEL")
        self.name = model
        self.rubric = text("rubric", settings.rubric)
        self.swap = flag("swap", settings.swap)
        heat = settings.temperature
        self.temperature = None if heat is None else number("temperature", heat, at_least=0, at_most=2)
        rate = settings.requests_per_minute
        self.limit = RateLimit(None if rate is None else number("requests_per_minute", rate, above=0))
        prices = {"price_in": settings.price_in, "price_out": settings.price_out}
        self.prices = [None if price is None else number(name, price, at_least=0) for name, price in prices.items()]
        self.with_schema = True  # until the endpoint refuses it
        self._key = _key(settings)
        url = settings.base_url or DEFAULT_URL
        if not re.fullmatch(r"https?://[^\s/@]+(/\S*)?", url):
            raise SettingError(
                "base_url is no address; expected one such as http://localhost:8000/v1, without a password"
            )
        self.url = f"{url.rstrip('/')}/chat/completions"
        try:
            httpx.URL(self.url)
        except httpx.InvalidURL as error:
            raise SettingError(
                f"base_url is no address ({error}); expected one such as http://localhost:8000/v1"
            ) from None
        self.timeout = number("timeout", settings.timeout, above=0)
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        self._client = httpx.Client(timeout=self.timeout, headers=headers)

    def __call__(self, question: Question) -> Reply:
        first = self._complete(question)
        if not self.swap or len(question.options) < 2 or question.kind == NUMBER or first.response is None:
            return self._reply(first.response, first.note, first)
        try:
            second = self._complete(swapped(question))
        except (OracleError, RefusedReply) as error:
            error.cost += self._cost(first) or 0.0
            raise
        other = mirrored(question, second.response)
        note = first.note
        if other != first.response:
            note = f"in one order {first.response} ({first.note}), in the other {other} ({second.note})"
        return self._reply(agreed(question, first.response, other), note, first, second)

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()

    def _reply(self, response: Response | None, note: str | None, *completions: Completion) -> Reply:
        costs = [cost for one in completions if (cost := self._cost(one)) is not None]
        tokens_in, tokens_out = (sum(getattr(one, side) for one in completions) for side in ("tokens_in", "tokens_out"))
        used = f" [{tokens_in} tokens in, {tokens_out} out]" if tokens_in + tokens_out else ""
        return Reply(response, sum(costs) if costs else None, f"{self._hide(note or '')[:1900]}{used}".strip())

    def _cost(self, one: Completion) -> float | None:
        """What one request cost: money if there are prices, else its tokens; None if they are not known."""
        if not one.tokens_in + one.tokens_out:
            return None
        if self.prices == [None, None]:
            return float(one.tokens_in + one.tokens_out)
        per_in, per_out = (price or 0.0 for price in self.prices)
        return (one.tokens_in * per_in + one.tokens_out * per_out) / 1e6

    def _complete(self, question: Question) -> Completion:
        body: dict[str, Any] = {"model": self.name, "messages": messages(question, self.rubric)}
        if self.temperature is not None:
            body["temperature"] = self.temperature
        form = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema(question)}}
        with_schema = self.with_schema
        found = self._post({**body, "response_format": form} if with_schema else body)
        if with_schema and found.status_code in UNKNOWN_PARAMETER:
            plain = self._post(body)
            if plain.status_code not in UNKNOWN_PARAMETER:
                self.with_schema = False
            found = plain
        self._require_success(found)
        return self._read(found)

    def _post(self, body: dict[str, Any]) -> Any:
        import httpx

        self.limit.wait()
        content, end = bytearray(), time.monotonic() + 2 * self.timeout  # the first timeout may pass before a byte came
        try:
            with self._client.stream("POST", self.url, json=body) as found:
                for part in found.iter_bytes():
                    content += part
                    if time.monotonic() > end or len(content) > MAX_REPLY_BYTES:
                        raise OracleError("the endpoint's reply does not end")
                wait = found.headers.get("retry-after")
                headers = {} if wait is None else {"retry-after": wait}
                return httpx.Response(found.status_code, headers=headers, content=bytes(content))
        except httpx.HTTPError as error:
            said = self._hide(str(error)) or "no details"
            raise OracleError(f"the endpoint could not be reached ({type(error).__name__}: {said})") from None

    def _require_success(self, found: Any) -> None:
        """Refuses everything but a good reply: for later, or for good."""
        status = found.status_code
        if status < 300:
            return
        said = self._message(found)
        if status == TOO_MANY_REQUESTS or status >= 500 or status in MAY_PASS:
            wait = _retry_after(found.headers)
            if wait is not None:
                self.limit.pause(wait)
            raise OracleError(f"the endpoint replied {status}{said}", wait)
        told = f"the endpoint refused the request with {status}{said}"
        raise SettingError(f"{told}; check the model, the address and the key")

    def _read(self, found: Any) -> Completion:
        """What a good reply says. What it cost is counted even if it cannot be used."""
        try:
            content = found.json()
            choice = content["choices"][0]
            message, usage = dict(choice["message"]), content.get("usage") or {}
            tokens = [max(0, int(usage.get(side) or 0)) for side in ("prompt_tokens", "completion_tokens")]
        except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError):
            raise OracleError("the endpoint replied with something that is no chat completion") from None
        used = Completion(None, None, *tokens)
        cost = self._cost(used) or 0.0
        if choice.get("finish_reason") == "length":
            raise OracleError("the reply was cut off; the model may need a larger limit of tokens", cost=cost)
        if message.get("refusal"):
            return Completion(None, self._hide(str(message["refusal"])), *tokens)
        if not isinstance(message.get("content"), str):
            raise OracleError("the endpoint replied without a text", cost=cost)
        try:
            response, note = read_content(message["content"])
        except RefusedReply as error:
            error.cost = cost
            raise
        return Completion(response, note, *tokens)

    def _message(self, found: Any) -> str:
        """What the endpoint said about an error, if it did, without the key."""
        try:
            error = found.json()["error"]
            said = str(error["message"] if isinstance(error, dict) else error)
        except (KeyError, TypeError, ValueError):
            return ""
        return f": {self._hide(' '.join(said.split()))[:MAX_MESSAGE_LETTERS]}"

    def _hide(self, said: str) -> str:
        return said.replace(self._key, "***") if self._key else said


def _key(settings: OracleSettings) -> str:
    """The key from the environment; none for an address that was given, if there is none."""
    name = settings.key_env or DEFAULT_KEY_ENV
    key = os.environ.get(name, "").strip()
    if not key and (settings.key_env or not settings.base_url):
        raise SettingError(f"the environment variable {name} holds no key; set it, or name another one")
    if not key.isascii() or not key.isprintable():
        raise SettingError(f"the key in {name} has letters that no header can hold; set it again")
    return key


def _retry_after(headers: Any) -> float | None:
    """The seconds to wait that a reply asks for, at most ten minutes."""
    said = headers.get("retry-after")
    if said is None:
        return None
    try:
        wait = float(said)
    except ValueError:
        try:
            wait = (parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds()
        except (TypeError, ValueError):
            return None
    return min(MAX_WAIT_SECONDS, max(0.0, wait)) if wait == wait else None
