"""A chat endpoint on the loopback that answers by a known taste, and misbehaves on demand."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[dict[str, Any]], dict[str, Any] | str]  # the request -> the object or text that the model writes


def options_in(request: dict[str, Any]) -> list[str]:
    """The names of the options in the order that the model was shown them."""
    return re.findall(r"<option[^>]*>\n(.*)", request["messages"][1]["content"])


class ChatEndpoint:
    """Serves `answer` as a model. `faults(number)` names what goes wrong with that request; None: nothing."""

    def __init__(self, answer: Answer, faults: Callable[[int], str | None] = lambda number: None, knows_schema=True):
        self.answer = answer
        self.faults = faults
        self.knows_schema = knows_schema
        self.requests: list[dict[str, Any]] = []
        self.times: list[float] = []
        self.headers: list[dict[str, str]] = []
        self.seen_faults: set[str] = set()
        self.stop = threading.Event()
        self._lock = threading.Lock()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                endpoint.handle(self)

            def log_message(self, *args: Any) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def __enter__(self) -> ChatEndpoint:
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop.set()
        self.server.shutdown()
        self.server.server_close()

    def handle(self, http: Any) -> None:
        request = json.loads(http.rfile.read(int(http.headers["Content-Length"])))
        with self._lock:
            number = len(self.requests)
            self.requests.append(request)
            self.times.append(time.monotonic())
            self.headers.append(dict(http.headers))
            fault = self.faults(number)
            self.seen_faults |= {fault} if fault else set()
        key = http.headers.get("Authorization", "")
        if not self.knows_schema and "response_format" in request:
            return self.reply(http, 400, {"error": {"message": "response_format is not supported"}})
        if fault in ("429", "500", "401"):
            headers = {"Retry-After": "0.05"} if fault == "429" else {}
            return self.reply(http, int(fault), {"error": {"message": f"no, {key}"}}, headers)
        if fault == "slow":
            self.stop.wait(30)
        if fault == "endless":
            return self.drip(http)
        if fault == "invalid":
            return self.reply(http, 200, "<html>not JSON</html>")
        if fault == "truncated":
            return self.reply(http, 200, '{"choices": [{"mess', declared=5000)
        said = {"wrong schema": '{"verdict": 3}', "no JSON": "I like both."}.get(str(fault))
        said = self.answer(request) if said is None else said
        text = said if isinstance(said, str) else json.dumps(said)
        choice = {"message": {"content": text}, "finish_reason": "length" if fault == "cut off" else "stop"}
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        return self.reply(http, 200, {"choices": [choice], "usage": usage})

    def drip(self, http: Any) -> None:
        """A reply that comes byte by byte and never ends."""
        http.send_response(200)
        http.end_headers()
        try:
            while not self.stop.wait(0.05):
                http.wfile.write(b" ")
        except OSError:
            return

    def reply(self, http: Any, status: int, body: Any, headers=None, declared: int | None = None) -> None:
        content = (body if isinstance(body, str) else json.dumps(body)).encode()
        try:
            http.send_response(status)
            for name, value in (headers or {}).items():
                http.send_header(name, value)
            http.send_header("Content-Length", str(len(content) if declared is None else declared))
            http.end_headers()
            http.wfile.write(content)
            http.close_connection = True
        except OSError:
            return
