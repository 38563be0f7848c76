"""What the owner decides: whether people see what is expected of them, and whether a settled study goes on."""

from __future__ import annotations

import time

import pytest

import askwise
from askwise.exchange.studies import copy_study
from askwise.goals.base.findings import Chance
from askwise.goals.best_item import candidate_bars
from askwise.storage.address import Address
from askwise.storage.joining import change_crowd, join
from askwise.storage.participants import (
    StudySettings,
    change_study_settings,
    invite,
    people,
    set_mode,
    settled,
    study_settings,
    token_of,
)
from askwise.storage.store import Record, Store
from askwise.web.learner import learner
from askwise.web.overview import state_of
from tests.web.test_api import OWNER, TABLE
from tests.web.test_sharing import ask, served, study_at

pytestmark = pytest.mark.usefixtures("in_process")
HERE = "/api/v1/studies/cars"


def settled_soon(path, pooled):
    """A study that three answers settle; its two people."""
    askwise.save(askwise.clusters(TABLE, draws=16, seed=2, epsilon=1e-6, budget=3), path)
    store = Store.at(Address.of(path))
    if pooled:
        set_mode(store, store.record().study, "pooled")
    record = store.record()
    tokens = [token_of(store, record.study, invite(store, record, name).participant) for name in ("Ann", "Ben")]
    store.close()
    return [f"/api/v1/s/cars/p/{token}" for token in tokens]


def answer(client, link, key):
    sent = {"question": ask(client, link)["id"], "response": "same", "key": key}
    reply = client.post(f"{link}/answers", json=sent)
    assert reply.status_code == 200
    return reply.json()


def final(client, link):
    """The state once the learner has certified the end."""
    for _ in range(300):
        state = client.get(link).json()
        if state["certainty"]:
            break
        time.sleep(0.06)
    return state


def becomes(client, state):
    """Whether the study is soon in that state, on its own page and in the list."""
    for _ in range(300):
        seen = client.get(HERE, headers=OWNER).json()["state"]
        (listed,) = client.get("/api/v1/studies", headers=OWNER).json()
        if seen == listed["state"] == state:
            return True
        time.sleep(0.06)  # not faster than the rate limit lets pass
    return False


def test_a_study_without_questions_left_cannot_continue(tmp_path):
    path = tmp_path / "cars.askwise"
    askwise.save(askwise.clusters(["a", "b"], draws=16, epsilon=1e-9, repeat=False), path)
    store = Store.at(Address.of(path))
    person = invite(store, store.record(), "")
    assert person.name == "Person 1"
    link = f"/api/v1/s/cars/p/{token_of(store, store.record().study, person.participant)}"
    with served(path) as client:
        assert client.get(HERE, headers=OWNER).json()["may_continue"]
        answer(client, link, "the-only-one")
        assert final(client, link)["done"] == "You have answered every question."
        assert becomes(client, "finished")
        assert not client.get(HERE, headers=OWNER).json()["may_continue"]


@pytest.mark.parametrize("pooled", [False, True])
def test_a_settled_study_says_so_and_goes_on_only_if_the_owner_wants_it(tmp_path, pooled):
    path = tmp_path / "cars.askwise"
    links = settled_soon(path, pooled)
    with served(path) as client:
        for link in links[: 1 if pooled else 2]:
            for turn in range(3):
                assert becomes(client, "open")
                answer(client, link, f"{link[-4:]}-answer-{turn}")
            assert final(client, link)["done"] == "That was the last question."
        assert becomes(client, "finished")
        assert client.get(links[1]).json()["question"] is None
    with served(path) as client:  # after a restart
        assert becomes(client, "finished")
        assert all(one["done"] for one in client.get(HERE, headers=OWNER).json()["participants"])
        going = client.post(f"{HERE}/settings", json={"beyond": True}, headers=OWNER).json()
        assert (going["state"], going["beyond"]) == ("open", True)
        for turn in range(2):
            reply = answer(client, links[0], f"further-{turn}")
        assert reply["answers"] == 5
        assert reply["done"] is None
        client.post(f"{HERE}/settings", json={"beyond": False}, headers=OWNER)
        assert becomes(client, "finished")
        back = client.post(f"{links[0]}/undo", json={"key": "undo-0001"}).json()
        assert back["question"] is not None  # what one takes back can be answered anew


def test_settled_is_what_is_decided_and_finished_what_is_not():
    """As the reasons to stop are worded: a budget that is used up settles nothing."""
    near = askwise.best_item(["tea", "milk"], draws=60, seed=1, epsilon=1.0)
    short = askwise.best_item(["tea", "milk", "water"], draws=60, seed=1, epsilon=1e-6, budget=1)
    short.tell("left", short.ask())
    few = askwise.clusters(["tea", "milk"], draws=16, seed=1, epsilon=1e-6)
    few.skip(few.ask())
    record = Record(1, "cars", "", "", {}, "", state="open")
    for session, state in ((near, "settled"), (short, "finished"), (few, "finished")):
        assert session.reason
        assert state_of(record, [], StudySettings("open", why=True, beyond=False), {1: session.reason}) == state
        assert state_of(record, [], StudySettings("open", why=True, beyond=True), {1: session.reason}) == "open"


@pytest.mark.parametrize(
    ("crowd", "state"),
    [
        ({"open": True}, "open"),
        ({"open": True, "people": 1}, "settled"),
        ({"open": True, "closes": "2020-01-01T00:00+00:00"}, "settled"),
        ({}, "settled"),
    ],
)
def test_a_study_is_not_settled_while_its_link_takes_people(tmp_path, crowd, state):
    near = askwise.best_item(["tea", "milk"], draws=60, seed=1, epsilon=1.0)
    askwise.save(near, tmp_path / "drinks.askwise")
    store = Store.at(Address.of(tmp_path / "drinks.askwise"))
    change_crowd(store, 1, {"open": True})
    person = join(store, store.record(), {"participant": "ann"}).person
    change_crowd(store, 1, {"open": False, **crowd})
    found = state_of(store.record(), people(store, 1), study_settings(store, 1), {person.log: near.reason})
    assert found == state


def test_an_undo_that_unsettles_a_study_opens_it(tmp_path):
    path = tmp_path / "cars.askwise"
    ann, _ = settled_soon(path, pooled=True)
    with served(path) as client:
        for turn in range(3):
            answer(client, ann, f"answer-{turn}")
        final(client, ann)
        assert becomes(client, "finished")
        client.post(f"{ann}/undo", json={"key": "undo-0001"})
        assert becomes(client, "open")


@pytest.mark.parametrize("pooled", [False, True])
def test_why_is_the_owner_s_to_show(place, pooled):
    _, links = study_at(place, pooled)
    with served(place) as client:
        here = f"/api/v1/studies/{Address.of(place).name}"
        question = ask(client, links[0])["id"]
        for decided, shown in (({}, False), ({"why": True}, True), ({"why": False}, False)):
            seen = client.post(f"{here}/settings", json=decided, headers=OWNER).json()
            assert seen["why"] is client.get(links[0]).json()["why"] is shown
            assert client.get(f"{links[0]}/why/{question}").status_code == (200 if shown else 403)
    assert study_settings(Store.at(Address.of(place)), 1).why is False


def test_what_was_decided_goes_along_with_a_copy(tmp_path):
    path = tmp_path / "cars.askwise"
    study_at(path, pooled=True)
    store = Store.at(Address.of(path))
    change_study_settings(store, 1, why=True, beyond=True)
    copy_study(str(path), str(tmp_path / "other.askwise"))
    there = Store.at(Address.of(tmp_path / "other.askwise"))
    assert study_settings(there, 1) == StudySettings("open", why=True, beyond=True)
    assert settled(there, 1) == {1: None}


def test_people_read_pages_and_programs_read_json(tmp_path):
    path = tmp_path / "cars.askwise"
    _, (ann, *_) = study_at(path, pooled=False)
    with served(path) as client:
        for address, code, words in (
            (f"{ann.removeprefix('/api/v1')}x", 404, "This link is not valid"),
            ("/", 401, "This is for the owner"),
            ("/s/cars", 401, "This is for the owner"),
            ("/login?token=wrong", 401, "This link is not valid any more"),
            ("/nothing/here", 404, "There is nothing at this address"),
        ):
            reply = client.get(address)
            assert reply.status_code == code
            assert reply.headers["content-type"].startswith("text/html")
            assert words in reply.text
            assert "script-src 'self'" in reply.headers["content-security-policy"]
        for address in (f"{ann}x", "/api/v1/studies", "/api/v1/nothing"):
            assert "detail" in client.get(address).json()
        assert client.get("/api/v1/nothing").json()["detail"].startswith("there is nothing at this address")
        assert "This address does not take requests of this kind." in client.post("/login").text
        assert client.get("/s/nothing", headers=OWNER).status_code == 404
        assert 'class="fresh"' in client.get("/s/cars", headers=OWNER).text
        answer(client, ann, "answer-1")
        assert 'class="fresh"' not in client.get("/s/cars", headers=OWNER).text


def test_a_best_guess_that_does_not_lead_the_chart_is_explained():
    rows = [Chance(0, "milk", 0.5), Chance(1, "tea", 0.4)]
    assert "milk is more often the very best; tea" in candidate_bars(rows, "item", "tea").lead
    assert "more often" not in candidate_bars(rows, "item", "milk").lead


def test_who_goes_on_is_asked_until_nothing_is_left(tmp_path):
    path = tmp_path / "cars.askwise"
    session = askwise.clusters(["a", "b", "c"], draws=16, seed=2, epsilon=1e-6, budget=1, repeat=False)
    session.tell("same", session.ask())
    askwise.save(session, path)
    job = str(path), 1
    assert learner.compute_state(job, pooled=False).question is None
    assert "budget" in learner.compute_state(job, pooled=False).settled
    asked = 0
    while (state := learner.compute_state(job, pooled=False, beyond=True)).question is not None:
        going = askwise.open(path)
        going.tell("different", going.ask())
        askwise.storage.close(going)
        asked += 1
    assert asked == 2
    assert state.done is not None
