"""How far one answer travels: python -m benchmarks.hops [--pooled] [--list] [--json]

One person answers on a server whose workers are threads of this process. A profiler notes every function of askwise
that one answer enters: in the web process until the reply is sent, and in the worker until everything is computed that
the answer calls for. The arithmetic (posteriors, strategies, distances and the like) is left out: it is not on the way,
it is what the way is for.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import askwise
from askwise.storage.address import Address
from askwise.storage.participants import invite, set_mode, token_of
from askwise.storage.store import Store
from askwise.web.app import create_app
from askwise.web.learner import workers

PACKAGE = Path(askwise.__file__).parent
LAYERS = ("session", "storage", "web")  # where an answer travels
ANSWERS = 4  # before the one that is traced
WORKER = "askwise-worker"
TABLE = [{"name": f"item {i}", "x": (7 * i) % 11, "y": (5 * i) % 13} for i in range(12)]


class ThreadInsteadOfProcess(ThreadPoolExecutor):
    """A worker's process as a thread, so that one profiler sees everything."""

    _processes: dict[int, Any] = {}  # noqa: RUF012

    def __init__(self, *_: Any, **__: Any):
        super().__init__(1, thread_name_prefix=WORKER)


class Tracer:
    """Counts the functions of askwise that are entered, by the part of the server that enters them."""

    def __init__(self) -> None:
        self.part: str | None = None  # what is counted now; None: nothing
        self.entered: dict[str, Counter[str]] = {}
        self._frames: set[FrameType] = set()  # a coroutine enters its frame again whenever it goes on
        self._names: dict[CodeType, str | None] = {}

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or self.part is None:
            return
        code = frame.f_code
        if code not in self._names:
            self._names[code] = name_of(code)
        name = self._names[code]
        if name is None or frame in self._frames:
            return
        self._frames.add(frame)
        part = "worker" if threading.current_thread().name.startswith(WORKER) else self.part
        self.entered.setdefault(part, Counter())[name] += 1

    def begin(self, part: str | None) -> None:
        self.part = part


def name_of(code: CodeType) -> str | None:
    """The module and the name of a function on the way of an answer; None for all others."""
    path = Path(code.co_filename)
    if not path.is_relative_to(PACKAGE) or code.co_name in ("<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>"):
        return None
    module = path.relative_to(PACKAGE)
    return f"{'.'.join(module.with_suffix('').parts)}.{code.co_qualname}" if module.parts[0] in LAYERS else None


async def request(app: Any, method: str, path: str, body: Any = None, sent: Any = None) -> Any:
    """One request, and its reply; `sent` is called when the reply is on its way."""
    content = b"" if body is None else json.dumps(body).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "path": path,
        "raw_path": path.encode(), "root_path": "", "scheme": "http", "query_string": b"", "headers": headers,
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
    }  # fmt: skip
    replied: list[bytes] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": content, "more_body": False}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            assert message["status"] == 200, message
        replied.append(message.get("body", b""))
        if message["type"] == "http.response.body" and not message.get("more_body") and sent is not None:
            sent()

    await app(scope, receive, send)
    return json.loads(b"".join(replied))


async def idle() -> None:
    """Until the server has computed all that it began."""
    while tasks := asyncio.all_tasks() - {asyncio.current_task()}:
        await asyncio.wait(tasks)


async def answer(app: Any, here: str, tracer: Tracer) -> None:
    async with app.router.lifespan_context(app):
        state = await request(app, "GET", here)
        for number in range(ANSWERS + 1):
            await idle()
            traced = number == ANSWERS
            told = {"question": state["question"]["id"], "response": state["question"]["responses"][number % 2]}
            tracer.begin("reply" if traced else None)
            after = (lambda: tracer.begin("after")) if traced else None
            state = await request(app, "POST", f"{here}/answers", {**told, "key": f"answer-{number}"}, after)
        assert state["question"] is not None
        await idle()
        tracer.begin(None)


def hops_of_one_answer(pooled: bool) -> dict[str, Counter[str]]:
    """By part of the server: the functions of askwise that one answer enters, and how often."""
    processes = workers.ProcessPoolExecutor
    workers.ProcessPoolExecutor = ThreadInsteadOfProcess  # type: ignore[attr-defined, misc]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cars.askwise"
        askwise.save(askwise.best_item(TABLE, draws=60, seed=2, epsilon=0.01, budget=20), path)
        store = Store.at(Address.of(path))
        if pooled:
            set_mode(store, store.record().study, "pooled")
        person = invite(store, store.record(), "Ann")
        here = f"/api/v1/s/cars/p/{token_of(store, store.record().study, person.participant)}"
        store.close()
        tracer = Tracer()
        threading.setprofile(tracer)
        sys.setprofile(tracer)
        try:
            asyncio.run(answer(create_app(str(path), token="owner", workers=1), here, tracer))
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
            workers.ProcessPoolExecutor = processes  # type: ignore[misc]
    return tracer.entered


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pooled", action="store_true", help="people share one log")
    parser.add_argument("--list", action="store_true", help="name every function")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    entered = hops_of_one_answer(options.pooled)
    found = {
        part: {"functions": len(names), "calls": names.total(), **({"names": dict(names)} if options.list else {})}
        for part, names in entered.items()
    }
    whole = set().union(*entered.values())
    result = {**found, "all": {"functions": len(whole), "calls": sum(names.total() for names in entered.values())}}
    if options.json:
        print(json.dumps(result))
        return
    for part, row in result.items():
        print(f"{part:8} {row['functions']:4} functions  {row['calls']:5} calls")
        for name, calls in sorted(row.get("names", {}).items()):
            print(f"    {calls:4} {name}")


if __name__ == "__main__":
    main()
