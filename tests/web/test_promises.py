"""What docs/web.md promises and no other test covers."""

from __future__ import annotations

import asyncio
import inspect
import re
from pathlib import Path

import pytest

from askwise.cli.serve import serve
from askwise.stopping import certificate
from askwise.storage import leases
from askwise.storage.address import Address
from askwise.storage.store import EVENTS, Store
from askwise.web import live_updates as live
from askwise.web import security as safety
from askwise.web import studies
from askwise.web.learner import learner, workers
from askwise.web.timeouts import TimedConnection
from tests.web.test_api import OWNER
from tests.web.test_sharing import ask, served, study_at

pytestmark = pytest.mark.usefixtures("in_process")
DOCS = Path(__file__).parents[2] / "docs" / "web.md"


def test_an_answer_is_in_the_database_when_its_reply_comes(place):
    people, (link, *_) = study_at(place, pooled=False)
    with served(place) as client:
        for turn in range(3):
            sent = {"question": ask(client, link)["id"], "response": "same", "key": f"answer-{turn}"}
            assert client.post(f"{link}/answers", json=sent).status_code == 200
            other = Store.at(Address.of(place))
            assert sum(sent["key"] in body for body, _ in other.read(EVENTS, study=people[0].log, since=0)) == 1
            other.close()


def test_who_answers_does_not_wait_for_those_who_watch(tmp_path, monkeypatch):
    path = tmp_path / "cars.askwise"
    _, (link, *_) = study_at(path, pooled=False)
    with served(path) as client:
        asked = []

        async def forever(*_, **__):
            asked.append(1)
            await asyncio.sleep(3600)

        monkeypatch.setattr(client.app.state.studies.background, "run", forever)

        async def watch():
            stream = live.messages(client.app.state.studies, "cars", (str(path), 1), 1)
            first = await anext(stream)
            waiting = asyncio.create_task(anext(stream))
            while not asked:
                await asyncio.sleep(0.01)
            return first, stream, waiting

        _, stream, waiting = client.portal.call(watch)
        sent = {"question": ask(client, link)["id"], "response": "same", "key": "answer-1"}
        assert client.post(f"{link}/answers", json=sent).json()["answers"] == 1

        async def leave():
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            await stream.aclose()

        client.portal.call(leave)


def test_no_script_but_ours():
    rules = dict(rule.strip().split(" ", 1) for rule in safety.POLICY.split(";"))
    assert rules["script-src"] == "'self'"
    assert rules["default-src"] == "'none'"
    assert rules["connect-src"] == rules["form-action"] == "'self'"
    for page in (Path(safety.__file__).parent / "templates").glob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"<script(?![^>]*\s(src=|type=.application/json))|\son\w+=|https?://", text), page.name


def test_a_forged_token_and_an_unknown_study_give_the_same_error(tmp_path):
    path = tmp_path / "cars.askwise"
    _, (link, *_) = study_at(path, pooled=False)
    with served(path) as client:
        replies = [client.get(address) for address in (f"{link}x", "/api/v1/s/cars/p/x.y", "/api/v1/s/other/p/x.y")]
    assert {(reply.status_code, reply.text) for reply in replies} == {(404, replies[0].text)}


def test_a_stream_of_the_owner_is_for_the_owner(tmp_path):
    path = tmp_path / "cars.askwise"
    study_at(path, pooled=False)
    with served(path) as client:
        assert client.get("/api/v1/studies/cars/live").status_code == 401
        assert client.get("/api/v1/studies/nothing/live", headers=OWNER).status_code == 404


def test_the_figures_of_the_page_are_those_of_the_code():
    text = " ".join(DOCS.read_text(encoding="utf-8").split())
    for words, figure in (
        ("a question belongs for two minutes to the person who sees it", leases.LEASE_SECONDS == 120),
        ("head of a request within ten seconds", TimedConnection.seconds == 10),
        ("for more than five minutes is stopped", workers.MAX_SECONDS == 300),
        ("A computation of the learner is stopped after half an hour", learner.MAX_SECONDS == 1800),
        ("every three seconds at most", live.SNAPSHOT_SECONDS == 3),
        ("the [report](report.md), which takes 4,000", certificate.CERTIFICATE_DRAWS == 4000),
        ("Each worker keeps the last 300 sessions", learner.MAX_SESSIONS == 300),
        ("the server keeps the last 1,000 logs", studies.MAX_OPEN_LOGS == 1000),
        (
            "after 0.28 seconds, the person gets a fallback question",
            inspect.getmodule(studies.ComputedStates).LEARNER_SECONDS == 0.28,
        ),
        ("listens on this machine only", inspect.signature(serve).parameters["host"].default == "127.0.0.1"),
    ):
        assert words in text, words
        assert figure, words
