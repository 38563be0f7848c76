"""When the database is away, and when a request holds what no database can: one neutral sentence, nothing lost."""

from __future__ import annotations

import asyncio
import json
import time

import psycopg
import pytest
from fastapi.testclient import TestClient

import askwise
from askwise.errors import StudyError
from askwise.storage.store import Store
from askwise.web.app import create_app
from askwise.web.error_pages import OUTAGE
from askwise.web.learner.workers import Worker, WorkerTimeout
from askwise.web.routes.owner import OwnedStudy, plan
from tests.web.test_api import OWNER
from tests.web.test_sharing import ask, served, study_at, told

pytestmark = pytest.mark.usefixtures("in_process")
ADDRESS = "postgresql://ann:hunter2@db.example:5432/lab"
SECRETS = ("hunter2", "db.example", "postgresql", "127.0.0.1", "5432", ".askwise")
OWNED = ["", "/learned", "/live", "/report.html", "/answers.csv", "/questions"]


def test_an_answer_survives_an_outage_of_the_database(server, database):
    place = f"{database}#cars"
    people, (link, *_) = study_at(place, pooled=True)
    name = database.rsplit("/", 1)[1]
    with served(place) as client, psycopg.connect(server, autocommit=True) as admin:
        sent = {"question": ask(client, link)["id"], "response": "same", "key": "answer-1"}
        admin.execute(f'ALTER DATABASE "{name}" WITH ALLOW_CONNECTIONS false')
        admin.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
        replies = [
            client.post(f"{link}/answers", json=sent),
            client.get(link),
            client.get(f"{link}/answers"),
            client.get(link.removeprefix("/api/v1")),
            client.get("/api/v1/studies", headers=OWNER),
            *(client.get(f"/api/v1/studies/cars{part}", headers=OWNER) for part in OWNED),
            client.post("/api/v1/studies/cars/state", json={"state": "paused"}, headers=OWNER),
            client.post("/api/v1/studies/cars/settings", json={"why": True}, headers=OWNER),
        ]
        admin.execute(f'ALTER DATABASE "{name}" WITH ALLOW_CONNECTIONS true')
        for reply in replies:
            assert reply.status_code == 503 or "unreadable" in reply.text, reply.url
            assert not any(part in reply.text for part in (name, "5432", "127.0.0.1", "postgres", "FATAL")), reply.text
        assert replies[0].json() == {"detail": OUTAGE}
        assert "text/html" in replies[3].headers["content-type"]
        assert client.post(f"{link}/answers", json=sent).status_code == 200  # as the page does
        assert client.post(f"{link}/answers", json=sent).status_code == 200
    assert [event["key"] for event in told(place, [people[0].log])] == ["answer-1"]


def test_no_reply_says_where_the_study_is(tmp_path, monkeypatch):
    path = tmp_path / "cars.askwise"
    _, (link, *_) = study_at(path, pooled=False)

    def away(*_, **__):
        raise StudyError(f'{ADDRESS} cannot be used: connection to server at "db.example", port 5432 failed')

    with served(path) as client:
        ask(client, link)
        monkeypatch.setattr(Store, "read", away)
        monkeypatch.setattr(Store, "begin", away)
        post = {"question": "q1", "response": "same", "key": "answer-1"}
        replies = [client.get(link), client.post(f"{link}/answers", json=post), client.get(f"{link}/image/a.png")]
        replies += [client.get(f"/api/v1/studies/cars{part}", headers=OWNER) for part in OWNED]
        replies += [client.get("/api/v1/studies", headers=OWNER), client.get(link.removeprefix("/api/v1"))]
        replies += [client.post("/api/v1/studies/cars/participants", json={}, headers=OWNER)]
    for reply in replies:
        assert reply.status_code == 503 or "unreadable" in reply.text
        assert not any(part in reply.text for part in SECRETS), reply.text


@pytest.mark.parametrize("bad", ["a\0bcdefgh", "abcdefgh\ud800"])
def test_what_no_database_can_keep_is_refused_in_a_sentence(place, bad):
    people, (link, *_) = study_at(place, pooled=False)
    studies = "/api/v1/studies"
    with served(place) as client:
        question = ask(client, link)["id"]
        good = {"question": question, "response": "same", "key": "a-good-key"}
        sent = [(f"{link}/answers", {**good, part: bad}) for part in ("question", "response", "key")]
        sent += [(f"{link}/skips", {**good, part: bad}) for part in ("question", "reason", "key")]
        back = {"question": question, "key": "a-good-key"}
        sent += [(f"{link}/undo", {**back, part: bad}) for part in ("question", "key")]
        sent += [(f"{studies}/some/participants", {"name": bad}), (f"{studies}/some/state", {"state": bad})]
        sent += [(f"{studies}/some/answers", {**good, "key": bad})]
        for address, body in sent:
            text = json.dumps(body)  # httpx itself refuses half of a pair
            headers = {**OWNER, "Content-Type": "application/json"}
            reply = client.post(address, content=text.encode(), headers=headers)
            assert reply.status_code == 422, (address, body, reply.text)
            assert isinstance(reply.json()["detail"], str)
            assert not any(part in reply.text for part in (*SECRETS, "askwise@"))
        for address in (f"{link}/image/%00.png", f"{link}/why/q%00", f"{studies}/some/participants/%00/pause"):
            assert client.get(address, headers=OWNER).status_code == 422
    assert not told(place, [people[0].log])


def test_an_answer_is_checked_as_a_session_would(tmp_path):
    path = tmp_path / "cars.askwise"
    people, (link, *_) = study_at(path, pooled=False)
    with served(path) as client:
        good = {"question": ask(client, link)["id"], "response": "same", "key": "answer-1"}
        wrong = [{"key": 12345678}, {"key": "short"}, {"key": None}, {"key": "x" * 81}, {"question": 1}]
        wrong += [{"response": ["same"]}, {"response": None}, {"seconds": "soon"}]
        wrong += [{"seconds": seconds} for seconds in (-1, float("nan"), float("inf"), 1e6)]
        for part in wrong:
            text = json.dumps({**good, **part})
            reply = client.post(f"{link}/answers", content=text, headers={"Content-Type": "application/json"})
            assert reply.status_code == 422, part
            assert isinstance(reply.json()["detail"], str)
        assert client.post(f"{link}/answers", json={**good, "response": "perhaps"}).status_code == 409
        assert not told(path, [people[0].log])
        assert client.post(f"{link}/answers", json={**good, "seconds": 1.5}).status_code == 200


def test_options_that_no_server_can_work_with_are_refused(tmp_path):
    table = {"table": ("drinks.csv", b"name,heat\ntea,9\nmilk,1\nwater,2\n")}
    with TestClient(create_app(str(tmp_path), token="secret-of-the-owner", workers=1)) as client:
        for options, word in {
            '{"budget": 1e400}': "finite",
            '{"epsilon": NaN}': "finite",
            '{"draws": 100000000}': "draws",
            '{"candidates": 100000000}': "candidates",
            '{"draws": -5}': "draws",
            '{"budget": "many"}': "",
            '{"colour": "red"}': "",
            '{"k": [1e400]}': "finite",
            "[" * 3000: "JSON object",
            '["k"]': "JSON object",
            '{"name": "a\\u0000"}': "",
        }.items():
            form = {"goal": "ranking", "name": "drinks", "options": options}
            reply = client.post("/api/v1/studies", files=table, data=form, headers=OWNER)
            assert reply.status_code == 422, (options, reply.text)
            assert word in reply.json()["detail"]
            assert "\n" not in reply.json()["detail"]
        assert not list(tmp_path.iterdir())


def test_a_table_that_cannot_be_read_is_called_by_its_own_name(tmp_path):
    with TestClient(create_app(str(tmp_path), token="secret-of-the-owner", workers=1)) as client:
        for content in ("name\nKäse\n".encode("latin-1"), b"name,heat\ntea,1,2\n", b"", b"name,name\na,b\n"):
            form = {"goal": "ranking", "name": "drinks"}
            files = {"table": ("My drinks.csv", content)}
            reply = client.post("/api/v1/studies", files=files, data=form, headers=OWNER)
            assert reply.status_code == 422
            assert "My drinks.csv" in reply.json()["detail"]
            assert not any(part in reply.json()["detail"] for part in ("--", "table.csv", "/tmp", "encoding"))


def test_why_says_what_went_wrong(tmp_path, monkeypatch):
    path = tmp_path / "cars.askwise"
    _, (link, *_) = study_at(path, pooled=False)
    with served(path) as client:
        assert client.post("/api/v1/studies/cars/settings", json={"why": True}, headers=OWNER).status_code == 200
        question = ask(client, link)["id"]
        assert {row["response"] for row in client.get(f"{link}/why/{question}").json()} == {"same", "different"}
        assert client.get(f"{link}/why/q99").status_code == 404
        client.post(f"{link}/answers", json={"question": question, "response": "same", "key": "answer-1"})
        assert client.get(f"{link}/why/{question}").status_code == 409
        studies = client.app.state.studies
        following = ask(client, link)["id"]
        for error, code in (
            (StudyError(ADDRESS), 503),
            (WorkerTimeout(), 503),
            (askwise.errors.SettingError("x"), 422),
        ):

            async def failing(*_, error=error, **__):
                raise error

            monkeypatch.setattr(studies.learner, "run", failing)
            reply = client.get(f"{link}/why/{following}")
            assert reply.status_code == code
            assert not any(part in reply.text for part in SECRETS)


def test_simulations_of_one_study_do_not_meet(tmp_path, monkeypatch):
    path = tmp_path / "cars.askwise"
    study_at(path, pooled=False)
    errors = []
    monkeypatch.setattr("askwise.web.learner.simulation.logger.error", lambda *said: errors.append(said))
    monkeypatch.setattr("askwise.web.learner.simulation.PEOPLE", 1)
    monkeypatch.setattr("askwise.web.learner.simulation.MAX_RUN_SECONDS", 0.1)
    with served(path) as client:

        async def both():
            studies = client.app.state.studies
            store = studies.store("cars")
            study = OwnedStudy(studies, "cars", store, store.record())
            replies = await asyncio.gather(plan(study), plan(study), return_exceptions=True)
            while studies.plans:
                await asyncio.sleep(0.01)
            return replies

        replies = client.portal.call(both)
    assert sorted(getattr(reply, "status_code", 202) for reply in replies) == [202, 409]
    assert not errors


async def _worker(longest):
    worker = Worker(max_seconds=longest)
    await worker.run(time.sleep, 0)  # until it has started
    worker.max_seconds = 0.3
    slow, waiting = asyncio.create_task(worker.run(time.sleep, 3600)), asyncio.create_task(worker.run(abs, -3))
    found = await asyncio.gather(slow, waiting, return_exceptions=True)
    worker.max_seconds = longest
    again = await worker.run(abs, -4)
    worker.close()
    return found, again


def test_one_call_that_takes_too_long_does_not_stop_the_others(monkeypatch):
    monkeypatch.undo()  # with a real process
    (slow, waiting), again = asyncio.run(_worker(60.0))
    assert isinstance(slow, WorkerTimeout)
    assert (waiting, again) == (3, 4)
