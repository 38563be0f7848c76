"""What the owner does about people: checks, quality, exclusion, export, erasure, deletion."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from fastapi.testclient import TestClient

import askwise
from askwise.storage.address import Address
from askwise.storage.joining import change_crowd, join
from askwise.storage.participants import set_mode, token_of
from askwise.storage.store import Store
from askwise.web.app import create_app
from tests.web.test_api import OWNER, TABLE
from tests.web.test_door import HERE, joined, open_door
from tests.web.test_sharing import ask

pytestmark = pytest.mark.usefixtures("in_process")
CHECKS = [{"text": "Is ice hot or cold?", "options": ["hot", "cold"], "answer": "cold"}]


@pytest.fixture(params=["own", "pooled"])
def mode(request):
    return request.param


@pytest.fixture
def client(tmp_path, mode):
    path = tmp_path / "studies" / "cars.askwise"
    path.parent.mkdir()
    askwise.save(askwise.best_item(TABLE, draws=60, seed=2, epsilon=1e-6), path)
    store = Store.at(Address.of(path))
    set_mode(store, 1, mode)
    store.close()
    with TestClient(
        create_app(str(path.parent), token="secret-of-the-owner", workers=1), follow_redirects=False
    ) as client:
        yield client


def give(client, api, count, tag="a", response="left"):
    for number in range(count):
        question = ask(client, api)
        sent = {"question": question["id"], "response": response, "key": f"{tag}-answer-key-{number}", "seconds": 0.3}
        reply = client.post(f"{api}/answers", json=sent)
        assert reply.status_code == 200, reply.text
    return reply.json()


def owned(client, path, **json):
    reply = client.get(f"{HERE}{path}", headers=OWNER)
    assert reply.status_code == 200, reply.text
    return reply


def someone(client):
    return owned(client, "").json()["participants"][0]["participant"]


def test_a_check_stands_between_questions_and_is_no_answer(client):
    open_door(client, check_every=2, checks=CHECKS, max_failed=1, return_screened="https://panel.example/out")
    page = joined(client)
    api = f"/api/v1{page}"
    state = give(client, api, 2)
    assert state["question"]["text"] == "Is ice hot or cold?"
    assert (state["question"]["kind"], state["answers"], state["why"]) == ("check", 2, False)
    wrong = client.post(f"{api}/answers", json={"question": "check-0", "response": "mild", "key": "check-key-0"})
    assert wrong.status_code == 409
    good = {"question": "check-0", "response": "cold", "key": "check-key-1", "seconds": 2.0}
    state = client.post(f"{api}/answers", json=good).json()
    assert client.post(f"{api}/answers", json=good).status_code == 200  # once more
    assert state["answers"] == 2
    state = give(client, api, 2, "b")
    state = client.post(f"{api}/skips", json={"question": state["question"]["id"], "key": "check-key-2"}).json()
    assert (state["state"], state["question"]) == ("closed", None)
    assert "part in this study is over" in state["refused"]
    assert "ends here" in client.get(page).text
    assert client.get(f"{page}/return").headers["location"] == "https://panel.example/out"
    [found] = owned(client, "/quality").json()
    assert (found["answers"], found["checks"], found["checks_passed"]) == (4, 2, 1)
    assert found["flags"] == ["failed checks"]
    assert "check" not in owned(client, "/answers.csv").text


def test_whoever_was_screened_out_cannot_be_included(client):
    open_door(client, check_every=2, checks=CHECKS, max_failed=1)
    api = f"/api/v1{joined(client)}"
    check = give(client, api, 2)["question"]["id"]
    client.post(f"{api}/skips", json={"question": check, "key": "check-key-0"})
    who = someone(client)
    here = f"{HERE}/participants/{who}/exclude"
    told = f"{who} was screened out, not excluded; their answers count, and they can give no more"
    for _ in range(2):  # also if they are excluded meanwhile
        refused = client.post(here, json={"excluded": False}, headers=OWNER)
        assert (refused.status_code, refused.json()) == (409, {"detail": told})
        assert client.post(here, json={"reason": "a robot"}, headers=OWNER).status_code == 200
        found = client.post(here, json={"excluded": False}, headers=OWNER).json()
        assert found["participants"][0]["status"] == "screened out"
    kinds = [one["kind"] for one in owned(client, "/actions").json()]
    assert kinds[-5:] == ["screened out", "excluded", "included", "excluded", "included"]


def test_a_repeated_question_is_no_answer(client):
    open_door(client, repeat_every=4)
    api = f"/api/v1{joined(client)}"
    state = give(client, api, 4)
    assert state["question"]["id"].startswith("repeat-0-q")
    sent = {"question": state["question"]["id"], "response": "left", "key": "repeat-key"}
    state = client.post(f"{api}/answers", json=sent).json()
    assert (state["answers"], state["question"]["id"][0]) == (4, "q")
    [found] = owned(client, "/quality").json()
    assert (found["repeats"], found["repeats_same"]) == (1, 0)


def test_exclusion_is_computed_noted_and_taken_back(client, mode):
    open_door(client)
    page = joined(client)
    api = f"/api/v1{page}"
    give(client, api, 3)
    log = owned(client, "").json()["participants"][0]["log"]
    who = someone(client)
    body = {"excluded": True, "reason": "too fast"}
    found = client.post(f"{HERE}/participants/{who}/exclude", json=body, headers=OWNER).json()
    assert found["participants"][0]["status"] == "excluded"
    refused = client.post(f"{api}/answers", json={"question": "q4", "response": "left", "key": "late-answer-key"})
    assert refused.status_code == 409
    answers = {"pooled": 0, "own": 3}[mode]
    assert owned(client, f"/learned?log={log}").json()["answers"] == answers
    rows = list(csv.DictReader(io.StringIO(owned(client, "/answers.csv").text)))
    assert {row["status"] for row in rows} == {"excluded"}
    client.post(f"{HERE}/participants/{who}/exclude", json={"excluded": False}, headers=OWNER)
    give(client, api, 1, "again")
    assert owned(client, f"/learned?log={log}").json()["answers"] == 4
    noted = [(one["kind"], one["detail"]) for one in owned(client, "/actions").json()]
    assert noted[-2:] == [("excluded", {"reason": "too fast"}), ("included", {})]
    assert client.post(f"{HERE}/participants/nobody/exclude", json=body, headers=OWNER).status_code == 404


def test_one_person_s_data_is_exported_and_erased_and_others_go_on(client, mode):
    open_door(client, consent=None, answers=4)
    first, second = (joined(client, {"participant": who}) for who in ("ann-of-a-panel", "ben"))
    give(client, f"/api/v1{first}", 2)
    give(client, f"/api/v1{second}", 2, "b")
    who = someone(client)
    data = owned(client, f"/participants/{who}/data.json").json()
    assert data["parameters"] == {"participant": "ann-of-a-panel"}
    assert len(data["answers"]) == 2
    found = client.post(f"{HERE}/participants/{who}/erase", headers=OWNER).json()
    assert found["participants"][0]["name"] == "erased"
    assert "erased" in client.get(first).text
    assert client.get(f"/api/v1{first}").json()["question"] is None
    give(client, f"/api/v1{second}", 2, "c")
    whole = owned(client, "/data.json")
    assert "ann-of-a-panel" not in whole.text
    assert [len(one["answers"]) for one in whole.json()["people"]] == ([0, 4] if mode == "own" else [2, 4])
    assert "ann-of-a-panel" not in owned(client, "/answers.csv").text
    rows = list(csv.DictReader(io.StringIO(owned(client, "/people.csv").text)))
    assert [row["status"] for row in rows] == ["erased", ""]
    assert rows[1]["participant"]
    assert len(rows[1]["code"]) == 8


def test_a_study_is_deleted_by_its_name(client):
    open_door(client)
    page = joined(client)
    assert client.post(f"{HERE}/delete", json={"name": "boats"}, headers=OWNER).status_code == 409
    assert client.post(f"{HERE}/delete", json={"name": "cars"}, headers=OWNER).json() == {"deleted": "cars"}
    assert client.get(page).status_code == 404
    assert client.get(HERE, headers=OWNER).status_code == 404
    assert client.get("/api/v1/studies", headers=OWNER).json() == []


@pytest.mark.parametrize("mode", ["own"])
def test_a_new_study_has_nothing_of_a_deleted_one_with_its_name(client):
    def made(items, question):
        table = "name,price\n" + "".join(f"{item},{price}\n" for item, price in items.items())
        given = {
            "goal": "best-item",
            "name": "new",
            "options": json.dumps({"question": question, "draws": 60, "epsilon": 1e-6}),
        }
        reply = client.post("/api/v1/studies", data=given, files={"table": ("t.csv", table)}, headers=OWNER)
        assert reply.status_code == 201, reply.text
        link = client.post("/api/v1/studies/new/participants", json={"name": "Ann"}, headers=OWNER).json()["link"]
        return link.replace("http://testserver", "/api/v1")

    for items, question in (
        ({"tea": 1, "milk": 2, "gin": 3}, "Tastier?"),
        ({"red": 7, "blue": 8, "pink": 9}, "Nicer?"),
    ):
        api = made(items, question)
        give(client, api, 1)
        asked = ask(client, api)
        assert asked["text"].startswith(question)
        assert {one["name"]: one["fields"] for one in asked["options"]}.items() <= {
            item: {"price": str(price)} for item, price in items.items()
        }.items()
        assert client.get("/api/v1/studies/new/learned", headers=OWNER).json()["guess"] in items
        assert client.post("/api/v1/studies/new/delete", json={"name": "new"}, headers=OWNER).status_code == 200


@pytest.mark.parametrize("mode", ["pooled"])
def test_another_server_reads_a_log_again_in_which_answers_were_erased(place, mode):
    askwise.save(askwise.best_item(TABLE, draws=60, seed=2, epsilon=1e-6), place)
    store = Store.at(Address.of(place))
    study = store.record().study
    set_mode(store, study, mode)
    change_crowd(store, study, {"open": True})
    people = [join(store, store.record(), {"participant": who}).person for who in ("ann", "ben")]
    name = Address.of(place).name
    first, second = (f"/api/v1/s/{name}/p/{token_of(store, study, one.participant)}" for one in people)
    one, other = (TestClient(create_app(place, token="secret-of-the-owner", workers=1)) for _ in range(2))
    with one, other:
        give(other, first, 2)
        give(other, second, 2, "b")
        assert other.get(f"/api/v1/studies/{name}/learned", headers=OWNER).json()["answers"] == 4
        erased = one.post(f"/api/v1/studies/{name}/participants/{people[0].participant}/erase", headers=OWNER)
        assert erased.status_code == 200
        asked = other.get(f"/api/v1/studies/{name}/questions", headers=OWNER)
        told = {"question": asked.json()["id"], "response": "left", "key": "key-of-a-robot"}
        assert other.post(f"/api/v1/studies/{name}/answers", json=told, headers=OWNER).status_code == 200
        assert other.get(f"/api/v1/studies/{name}/learned", headers=OWNER).json()["answers"] == 3
        give(other, second, 2, "c")
        give(one, second, 1, "d")
        assert other.get(f"/api/v1/studies/{name}/learned", headers=OWNER).json()["answers"] == 6
    log = askwise.storage.resume(store)
    assert len(log.answers) == 6
    assert {answer.who for answer in log.answers} == {people[1].participant, "owner"}
    store.close()


def test_viewers_do_not_see_what_leads_to_the_page_of_a_person(client):
    viewer = client.post("/api/v1/owners", json={"name": "Vera", "role": "viewer"}, headers=OWNER).json()["token"]
    open_door(client, consent=None)
    give(client, f"/api/v1{joined(client, {'PROLIFIC_PID': 'panel-id-of-ann', 'STUDY_ID': 'study-of-a-panel'})}", 1)
    [one] = owned(client, "").json()["participants"]
    pages = ["/people.csv", "/data.json", "/answers.csv", f"/answers.csv?log={one['log']}", "", "/quality", "/actions"]
    pages += [f"/participants/{one['participant']}/data.json", f"/learned?log={one['log']}", "/crowd", "/report.html"]
    for page in pages:
        reply = client.get(f"{HERE}{page}", headers={"Authorization": f"Bearer {viewer}"})
        assert reply.status_code == 200, page
        assert not re.search("panel-id-of-ann|PROLIFIC_PID|study-of-a-panel", reply.text), page
    assert all("panel-id-of-ann" in owned(client, page).text for page in pages[:4])
