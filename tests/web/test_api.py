"""The API: exactly once, the question that was worked out ahead, and nothing for strangers."""

from __future__ import annotations

import asyncio
import re
import time

import numpy as np
import pytest
from fastapi.testclient import TestClient

import askwise
from askwise.simulate.runs import SimulatedRun
from askwise.storage import close
from askwise.storage.address import Address
from askwise.storage.participants import invite, set_mode, token_of
from askwise.storage.store import Store
from askwise.web.app import create_app
from askwise.web.studies import ServedStudies

TABLE = [{"name": f"item {i}", "x": (7 * i) % 11, "y": (5 * i) % 13} for i in range(12)]
OWNER = {"Authorization": "Bearer secret-of-the-owner"}


def served(path):
    return TestClient(create_app(str(path), token="secret-of-the-owner", workers=1))


def invited(path, name="Ann", quota=None):
    store = Store.at(Address.of(path))
    record = store.record()
    person = invite(store, record, name, quota)
    return person, f"/api/v1/s/{Address.of(path).name}/p/{token_of(store, record.study, person.participant)}"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "cars.askwise"
    askwise.save(askwise.best_item(TABLE, draws=60, seed=2, epsilon=0.2), path)
    return path


def settle(client, here, position=None):
    """Waits until the learner has looked ahead."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        states = [service.states for service in client.app.state.studies._services.values()]
        if states and all(
            s.up_to_date() and s._computing_ahead is not None and s._computing_ahead.done() for s in states
        ):
            return
        time.sleep(0.02)
    raise AssertionError("the learner did not come")


def test_a_person_answers_until_it_is_settled(path):
    person, here = invited(path)
    with served(path) as client:
        state = client.get(here).json()
        plain = askwise.best_item(TABLE, draws=60, seed=2, epsilon=0.2)
        for turn in range(100):
            settle(client, here)
            question = state["question"]
            if question is None:
                break
            expected = plain.ask()
            assert question["text"] == expected.text
            response = sorted(option["name"] for option in question["options"])[0]
            plain.tell(response)
            told = {"question": question["id"], "response": response, "key": f"answer-{turn}", "seconds": 1.5}
            state = client.post(f"{here}/answers", json=told).json()
            assert not state["behind"]
            assert state["answers"] == turn + 1
        assert state["done"] == f"Settled after {len(plain.answers)} answers. We are confident enough to stop."
        settle(client, here)
        state = client.get(here).json()
        assert state["estimate"] == plain.estimate().value
        assert state["certainty"] == plain.goal.certainty(plain.certificate())
        assert re.fullmatch(r"We are (more than )?\d+ % sure that this is the best one\.", state["certainty"])
        assert str(plain.certificate()) not in str(state)
        mine = client.get(f"{here}/answers").json()
        assert len(mine) == len(plain.answers)
    log = askwise.storage.open(path, log=person.log).log
    assert [event["response"] for event in log if event["event"] == "tell"] == [
        event["response"] for event in plain.log if event["event"] == "tell"
    ]


def test_sent_twice_counts_once_and_a_stale_answer_is_refused(path, in_process):
    person, here = invited(path)
    with served(path) as client:
        question = client.get(here).json()["question"]
        told = {"question": question["id"], "response": "left", "key": "the-same-key"}
        first = client.post(f"{here}/answers", json=told)
        again = client.post(f"{here}/answers", json=told)
        assert first.status_code == again.status_code == 200
        assert first.json()["question"]["id"] == again.json()["question"]["id"]
        stale = client.post(f"{here}/answers", json={**told, "key": "another-key"})
        assert stale.status_code == 409
        assert stale.json()["detail"] == "You already answered this question. Here is the next one."
        wrong = client.post(f"{here}/answers", json={"question": "q2", "response": "maybe", "key": "a-third-key"})
        assert wrong.status_code == 409
        assert wrong.json()["detail"] == "response 'maybe' is not one of 'left', 'right'"
        unknown = client.post(f"{here}/answers", json={"question": "q77", "response": "left", "key": "a-fourth-key"})
        assert unknown.status_code == 409
        undone = client.post(f"{here}/undo", json={"question": "q2", "key": "a-fifth-key"})
        why = client.get(f"{here}/why/{question['id']}")
        for refused in (stale, wrong, unknown, undone, why):
            assert refused.status_code >= 400
            assert not re.search(rf"\bq\d|{re.escape(person.participant)}", refused.json()["detail"])
        assert client.post(f"{here}/answers", json={"question": "q2"}).status_code == 422
    told = [event for event in askwise.storage.open(path, log=person.log).log if event["event"] == "tell"]
    assert len(told) == 1


def test_undo_and_skip(tmp_path, in_process):
    path = tmp_path / "cars.askwise"
    askwise.save(askwise.best_item(TABLE, draws=60, seed=2, epsilon=1e-6), path)  # it never comes to an end
    _, here = invited(path)
    with served(path) as client:
        for turn in range(12):
            # where code is being compiled, the next question may take longer than a request waits
            question = next(q for _ in range(9) if (q := client.get(here).json()["question"]))
            client.post(
                f"{here}/answers", json={"question": question["id"], "response": "left", "key": f"answer-{turn}"}
            )
        for turn in range(11):
            state = client.post(f"{here}/undo", json={"key": f"undo-{turn:04}"}).json()
        assert state["answers"] == 1
        question = state["question"]
        after = client.post(f"{here}/skips", json={"question": question["id"], "reason": "no idea", "key": "skip-1-x"})
        assert after.json()["question"]["id"] != question["id"]
        first = client.get(f"{here}/answers").json()[-1]["question"]
        changed = client.post(f"{here}/undo", json={"question": first, "key": "edit-one"}).json()
        assert changed["question"]["id"] == first


def test_strangers_see_nothing(path, in_process):
    _, here = invited(path)
    with served(path) as client:
        for address in (here[:-1], here.replace("/p/", "/p/x"), "/api/v1/s/other/p/x.y"):
            assert client.get(address).status_code == 404
        for address in ("/api/v1/studies", "/api/v1/studies/cars", "/", "/s/cars"):
            assert client.get(address).status_code == 401
            assert client.get(address, headers={"Authorization": "Bearer wrong"}).status_code == 401
        assert client.get("/login?token=wrong").status_code == 401
        assert client.get("/login?token=secret-of-the-owner", follow_redirects=False).status_code == 303
        assert client.get("/api/v1/studies").status_code == 200  # the cookie is kept
        assert client.post("/api/v1/studies/cars/state", json={"state": "paused"}).status_code == 403
        page = {"X-Askwise": "page"}
        assert client.post("/api/v1/studies/cars/state", json={"state": "paused"}, headers=page).status_code == 200
        response = client.get(here)
        assert "script-src 'self'" in response.headers["content-security-policy"]
        assert client.post(f"{here}/undo", content=b"x" * 100_000).status_code == 413


def test_the_owner(path, tmp_path, in_process):
    with served(tmp_path) as client:
        assert [study["study"] for study in client.get("/api/v1/studies", headers=OWNER).json()] == ["cars"]
        made = client.post("/api/v1/studies/cars/participants", json={"name": "Ann", "quota": 2}, headers=OWNER).json()
        here = "/api/v1" + made["link"].split("testserver")[1]
        for turn in range(2):
            question = client.get(here).json()["question"]
            state = client.post(
                f"{here}/answers", json={"question": question["id"], "response": "left", "key": f"answer-{turn}"}
            ).json()
        assert state["question"] is None
        assert state["done"] == "You have given all 2 answers we asked for."
        client.post("/api/v1/studies/cars/state", json={"state": "paused"}, headers=OWNER)
        assert client.get(here).json()["state"] == "paused"
        refused = client.post(f"{here}/undo", json={"key": "undo-0001"})
        assert (refused.status_code, refused.json()["detail"][:20]) == (409, "The study is paused.")
        overview = client.get("/api/v1/studies/cars", headers=OWNER).json()
        assert overview["participants"][0]["answers"] == 2
        log = overview["participants"][0]["log"]
        assert client.get(f"/api/v1/studies/cars/answers.csv?log={log}", headers=OWNER).text.count("\n") == 3
        assert "<!doctype html>" in client.get(f"/api/v1/studies/cars/report.html?log={log}", headers=OWNER).text
        assert client.get("/api/v1/studies/cars/report.html?log=99", headers=OWNER).status_code == 404
        table = {"table": ("drinks.csv", b"name,heat\ntea,9\nmilk,1\nwater,2\n")}
        form = {"goal": "ranking", "name": "drinks"}
        made = client.post("/api/v1/studies", files=table, data=form, headers=OWNER)
        assert made.status_code == 201
        assert made.json()["questions"] == 3
        assert client.get("/api/v1/studies/drinks/questions", headers=OWNER).json()["id"] == "q1"
        for bad in ("../x", "", "a/b", ".hidden"):
            refused = client.post("/api/v1/studies", files=table, data={**form, "name": bad}, headers=OWNER)
            assert refused.status_code == 422
        again = client.post("/api/v1/studies", files=table, data=form, headers=OWNER)
        assert "exists already" in again.json()["detail"]


def test_people_share_one_log(tmp_path, in_process):
    path = tmp_path / "cars.askwise"
    askwise.save(askwise.clusters(TABLE, draws=16, seed=2), path)
    store = Store.at(Address.of(path))
    set_mode(store, store.record().study, "pooled")
    seats = [invited(path, name)[1] for name in ("Ann", "Ben", "Cy")]
    with served(path) as client:
        for turn in range(3):
            shown = [client.get(context).json()["question"] for context in seats]
            assert len({question["id"] for question in shown}) == 3
            assert len({tuple(sorted(o["name"] for o in question["options"])) for question in shown}) == 3
            assert [client.get(context).json()["question"] for context in seats] == shown
            for number, (context, question) in enumerate(zip(seats, shown, strict=True)):
                told = {"question": question["id"], "response": "same", "key": f"answer-{turn}-{number}"}
                assert client.post(f"{context}/answers", json=told).status_code == 200
        assert [len(client.get(f"{context}/answers").json()) for context in seats] == [3, 3, 3]
    session = askwise.open(path)
    assert len(session.answers) == 9
    assert len({answer.who for answer in session.answers}) == 3


def test_a_learner_that_dies_stops_nobody(path):
    _, here = invited(path)
    with served(path) as client:
        client.get(here)
        settle(client, here)
        import os
        import signal

        for pool in (worker._pool for worker in client.app.state.studies.learner._workers):
            for pid in list(pool._processes):
                os.kill(pid, signal.SIGKILL)
        served_ids = []
        for turn in range(4):
            question = client.get(here).json()["question"]
            assert question is not None
            state = client.post(
                f"{here}/answers", json={"question": question["id"], "response": "left", "key": f"answer-{turn}"}
            )
            assert state.status_code == 200
            served_ids.append(question["id"])
        assert len(set(served_ids)) == 4
        settle(client, here)
        assert np.isfinite(client.get(here).json()["diameter"])


def test_while_the_learner_reads_a_log_others_questions_do(path, monkeypatch):
    """After a restart the learner has many logs to read again; who answers meanwhile is asked what suits anybody."""
    _, first = invited(path, "Ann")
    _, second = invited(path, "Ben")
    with served(path) as client:
        begun = client.get(second).json()["question"]
    with served(path) as client:
        client.get(first)
        settle(client, first)
        studies = client.app.state.studies

        async def busy(function, job, *more, rank=0):
            await asyncio.sleep(60)

        monkeypatch.setattr(studies.learner, "run", busy)
        assert client.get(second).json()["question"]["id"] == begun["id"]
        seen = {begun["text"]}
        for turn in range(3):
            question = client.get(second).json()["question"]
            told = {"question": question["id"], "response": "left", "key": f"answer-{turn}"}
            state = client.post(f"{second}/answers", json=told).json()
            assert state["behind"]
            assert state["question"]["text"] not in seen
            seen.add(state["question"]["text"])
        asked = [
            event for event in next(reversed(studies._services.values())).event_log.events if event["event"] == "ask"
        ]
        # nobody else's diameter stands in their log
        assert ["diameter" in event["info"] for event in asked] == [True, False, False, False]


def test_progress_starts_where_simulated_people_started(path, monkeypatch, in_process):
    """A first question that came from the fallback has no diameter; the bar must not start at a later one."""
    _, link = invited(path)
    monkeypatch.setattr(ServedStudies, "simulated_runs", lambda *_: [SimulatedRun("expected", (0.99, 0.04), 1)])
    with served(path) as client:
        client.get(link)
        settle(client, link)
        assert client.get(link).json()["start"] == 0.99


def test_a_changed_goal_is_the_goal_that_people_see(path, in_process):
    session = askwise.open(path)
    askwise.change_goal(session, "ranking", epsilon=0.9)
    close(session)
    store = Store.at(Address.of(path))
    set_mode(store, store.record().study, "pooled")
    _, link = invited(path)
    with served(path) as client:
        client.get(link)
        state = client.get(link).json()
        assert (state["goal"], state["ordered"]) == ("ranking", True)


def test_logs_that_nobody_uses_are_closed(path, monkeypatch, in_process):
    monkeypatch.setattr("askwise.web.studies.MAX_OPEN_LOGS", 2)
    places = [invited(path, name)[1] for name in ("Ann", "Ben", "Cem")]
    with served(path) as client:
        asked = [client.get(here).json()["question"]["id"] for here in places]
        assert len(client.app.state.studies._services) == 2
        assert [client.get(here).json()["question"]["id"] for here in places] == asked
