"""Odd requests to every operation of the API: python -m benchmarks.fuzz_api [--examples 150] [--json]

schemathesis reads `/api/v1/openapi.json` and sends what fits it and what does not, to a real server: with the owner's
token and a participant's link, with a wrong token, and with none. Counted are `server_errors` (a status of 500 and
more) and `violations` (a status, a media type, a header or a body that the description does not name, data accepted
that it forbids, data refused that it allows, an operation that ignores who calls). The exit code is 1 unless both
are 0.

The study is opened again before each request, since one of the operations closes it for good.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import schemathesis
import uvicorn
from schemathesis.engine import events, from_schema
from sqlalchemy import update

import askwise
from askwise.storage.address import Address
from askwise.storage.participants import invite, token_of
from askwise.storage.schema import participants, studies
from askwise.storage.store import Store
from askwise.web.app import create_app
from askwise.web.learner import simulation
from askwise.web.security import RateLimiter
from askwise.web.timeouts import config as server_config
from benchmarks.serve.servers import free_port

TOKEN = "secret-of-the-owner"
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(40)
TABLE = [{"name": name, "heat": heat} for name, heat in (("tea", 9.0), ("milk", 1.0), ("water", 2.0), ("gin", 4.0))]
SEMANTIC = (  # what they refuse, no JSON schema can say: tables that cannot be read, names of columns, times
    "POST /api/v1/studies",
    "POST /api/v1/studies/{study}/crowd",
    "POST /api/v1/studies/{study}/invitations",
    "POST /api/v1/studies/{study}/items",
    "POST /api/v1/studies/{study}/settings",
    "POST /api/v1/studies/{study}/shown",
)
ACCEPTANCE = ["2xx", "401", "403", "404", "409", "413"]  # statuses of a request as described
CALLERS = {  # of the API: the headers, and whether addresses name what there is
    "owner and participant": ({"Authorization": f"Bearer {TOKEN}"}, True),
    "owner anywhere": ({"Authorization": f"Bearer {TOKEN}"}, False),
    "wrong token": ({"Authorization": "Bearer wrong"}, True),
    "no token": ({}, True),
    "no token anywhere": ({}, False),
}


@dataclass
class Findings:
    """What the requests of all callers led to."""

    requests: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    operations: set[str] = field(default_factory=set)
    server_errors: int = 0
    violations: int = 0
    errors: int = 0  # of the tool itself
    shown: list[str] = field(default_factory=list)  # of each kind of failure, one

    def add(self, event: Any) -> None:
        if isinstance(event, events.NonFatalError | events.FatalError):
            self.errors += 1
            self.shown.append(str(getattr(event, "value", getattr(event, "exception", event)))[:500])
        if not isinstance(event, events.ScenarioFinished):
            return
        for id, found in event.recorder.interactions.items():
            if found.response is not None:
                self.requests += 1
                self.statuses[str(found.response.status_code)] += 1
                self.operations.add(event.recorder.cases[id].value.operation.label)
        for id, checks in event.recorder.checks.items():
            for check in checks:
                if check.failure_info is not None:
                    self.failed(event.recorder, id, check)

    def failed(self, recorder: Any, id: str, check: Any) -> None:
        is_server_error = check.name == "not_a_server_error"
        self.server_errors += is_server_error
        self.violations += not is_server_error
        case, reply = recorder.cases[id].value, recorder.interactions[id].response
        said = f"{check.failure_info.failure.title}: {check.failure_info.failure.message[:300]}"
        sent = f"{case.operation.label} {case.path_parameters} {case.query} {str(case.body)[:300]}"
        told = "" if reply is None else f"{reply.status_code} {reply.content[:300]!r}"
        text = f"{check.name} | {said} | {sent} | {told}".replace("\n", " ")
        kind = f"{check.name} | {check.failure_info.failure.title}"
        if not any(known.startswith(kind) and case.operation.label in known for known in self.shown):
            self.shown.append(text)


@contextmanager
def running(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """The address of a server that limits nobody's rate, and what is in its study."""
    simulation.PEOPLE, simulation.MAX_RUN_SECONDS = 1, 0.1  # simulated people would take all the time
    place = Address.of(folder / "drinks.askwise")
    Store.create(place, askwise.best_item(TABLE, draws=16, seed=1, epsilon=1e-6).recipe, {"tea.png": PICTURE})
    store = Store.at(place)
    record = store.record()
    person = invite(store, record, "Ann")
    token = token_of(store, record.study, person.participant)
    app = create_app(str(folder), TOKEN, workers=1)
    app.state.rate_limiter = RateLimiter(rate=1e9, burst=1e9)
    port = free_port()
    served = server_config(app)
    served.port = port
    server = uvicorn.Server(served)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)

    @schemathesis.hook
    def before_call(context: Any, case: Any, kwargs: Any) -> None:
        if case.operation.path.endswith(("/state", "/answers", "/questions")):
            with store.begin() as connection:
                connection.execute(update(studies).values(state="open", crowd=None))
                connection.execute(update(participants).values(status=None, paused=0))

    try:
        names = {"study": "drinks", "token": token, "participant": person.participant, "question": "q1"}
        yield f"http://127.0.0.1:{port}", names
    finally:
        schemathesis.hooks.unregister_all()
        server.should_exit = True
        thread.join()
        store.close()


def settings(headers: dict[str, str], names: dict[str, str], examples: int, seed: int, whole: bool) -> Any:
    values = [f"q{number}" for number in range(1, 30)]
    return schemathesis.Config.from_dict(
        {
            "headers": headers,
            "seed": seed,
            "request-timeout": 60,
            "max-stream-events": 1,
            "continue-on-failure": True,
            "generation": {"max-examples": examples, "database": "none", "no-shrink": True},
            "suppress-health-check": ["all"],
            "dictionaries": {"questions": {"values": values}, "responses": {"values": ["left", "right"]}},
            "parameters": {f"path.{name}": value for name, value in names.items()}
            | {"body.question": {"dictionary": "questions", "probability": 0.5}}
            | {"body.response": {"dictionary": "responses", "probability": 0.5}},
            "phases": {"stateful": {"enabled": False}, "coverage": {"enabled": whole}},
            "checks": {
                "positive_data_acceptance": {"expected-statuses": ACCEPTANCE},
                "negative_data_rejection": {"expected-statuses": ["4xx"]},
            },
            "operations": [
                {
                    "include-name": name,
                    "checks": {"positive_data_acceptance": {"expected-statuses": [*ACCEPTANCE, "422"]}},
                }
                for name in SEMANTIC
            ],
        }
    )


def fuzz(examples: int, seed: int = 0, callers: Iterable[str] = tuple(CALLERS), whole: bool = True) -> Findings:
    """Each operation gets about so many requests by each caller; `whole` adds one for each part of its description."""
    found = Findings()
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as (where, names):
        for caller in callers:
            headers, bound = CALLERS[caller]
            chosen = settings(headers, names if bound else {}, examples, seed, whole)
            schema = schemathesis.openapi.from_url(f"{where}/api/v1/openapi.json", config=chosen)
            for event in from_schema(schema).execute():
                found.add(event)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=150, help="of each operation, by each caller")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    begun = time.monotonic()
    found = fuzz(options.examples, options.seed)
    result = {
        "requests": found.requests,
        "operations": len(found.operations),
        "server_errors": found.server_errors,
        "violations": found.violations,
        "tool_errors": found.errors,
        "statuses": dict(sorted(found.statuses.items())),
        "minutes": (time.monotonic() - begun) / 60,
        "shown": found.shown,
    }
    if options.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name:14} {value}" if name != "shown" else "\n".join(found.shown))
    raise SystemExit(int(bool(found.server_errors or found.violations or found.errors)))


if __name__ == "__main__":
    main()
