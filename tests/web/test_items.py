"""Items that come and go while people answer: on one server and on two, in one log and in many."""

from __future__ import annotations

import asyncio
import time
from contextlib import ExitStack

import pytest

import askwise
from askwise.storage.address import Address
from askwise.storage.participants import invite, token_of
from askwise.storage.store import Store
from askwise.web import computed_states
from tests.models import assert_same_state
from tests.web.test_api import OWNER
from tests.web.test_sharing import ask, served, study_at

pytestmark = pytest.mark.usefixtures("in_process")
ITEMS = [f"item {place}" for place in range(7)]


def study(place, pooled=False, **options):
    session = askwise.best_item(ITEMS, draws=30, seed=2, epsilon=1e-6, **options)
    return study_at(place, pooled, session=session)


def change(client, place, expected=200, files=None, **form):
    reply = client.post(f"/api/v1/studies/{Address.of(place).name}/items", data=form, files=files, headers=OWNER)
    assert reply.status_code == expected, reply.text
    return reply.json()


def names(question):
    return {option["name"] for option in question["options"]}


def tell(client, link, question, key):
    body = {"question": question["id"], "response": "left", "key": key}
    return client.post(f"{link}/answers", json=body)


@pytest.mark.parametrize("pooled", [False, True])
def test_two_servers_change_items_while_people_answer(place, pooled):
    """No answer is lost: also that to a question whose item has just retired."""
    people, links = study(place, pooled)
    with ExitStack() as stack:
        one, two = (stack.enter_context(served(place)) for _ in range(2))
        shown = [ask(two, link) for link in links]
        gone = sorted(names(shown[0]))[0]
        found = change(one, place, rows="late 1\nlate 2", retire=[gone], key="the-change")
        assert change(two, place, rows="late 1\nlate 2", retire=[gone], key="the-change") == found
        assert found["items"] == [name for name in [*ITEMS, "late 1", "late 2"] if name != gone]
        assert found["retired"] == [gone]
        for turn in range(8):
            for place_of, link in enumerate(links):
                reply = tell(two if turn % 2 else one, link, shown[place_of], f"answer-{place_of}-{turn}")
                assert reply.status_code == 200, reply.text
                assert reply.json()["answers"] == turn + 1
                shown[place_of] = reply.json()["question"] or ask(one, link)
                assert gone not in names(shown[place_of])
    sessions = [askwise.storage.open(place, log=log) for log in {one.log for one in people}]
    asked = [event for session in sessions for event in session.log if event["event"] == "ask"]
    assert any("late" in name for event in asked for name in names(event))
    for session in sessions:
        assert [event["event"] for event in session.log].count("items") == 1
        assert len(session.answers) == (24 if pooled else 8)
        assert_same_state(askwise.from_json(session.to_json()), session)
        session.journal.store.close()


def test_who_comes_back_is_not_shown_the_withdrawn_question(place):
    _, (link, *_) = study(place)
    with served(place) as client:
        question = ask(client, link)
        change(client, place, retire=sorted(names(question)))
        assert not names(ask(client, link)) & names(question)


def test_a_learner_that_is_behind_asks_nothing_about_a_retired_item(place, monkeypatch):
    _, (link, *_) = study(place)
    with served(place) as client:
        question = ask(client, link)
        change(client, place, retire=["item 3", "item 4"])

        async def never(*_, **__):
            await asyncio.sleep(60)

        monkeypatch.setattr(client.app.state.studies.learner, "run", never)
        monkeypatch.setattr(computed_states, "LEARNER_SECONDS", 0.01)
        for turn in range(3):
            question = tell(client, link, question, f"answer-{turn}").json()["question"]
            if question is None:
                break
            assert not names(question) & {"item 3", "item 4"}


def test_a_settled_study_asks_about_new_items(place):
    _, (link, *_) = study_at(place, False, session=askwise.best_item(["a", "b", "c"], draws=30, seed=2, epsilon=0.3))
    name = Address.of(place).name
    with served(place) as client:
        for turn in range(60):
            question = client.get(link).json()["question"]
            if question is None:
                break
            better = min(question["options"], key=lambda option: option["name"])
            body = {"question": question["id"], "response": better["name"], "key": f"answer-{turn}"}
            assert client.post(f"{link}/answers", json=body).status_code == 200
        assert wait_for(client, link, "done_kind", "settled")["result"] == ["a"]
        change(client, place, rows="d\ne\nf\ng\nh\ni")
        assert ask(client, link)
        state = client.get(link).json()
        assert (state["done"], state["result"]) == (None, None)
        assert client.get(f"/api/v1/studies/{name}", headers=OWNER).json()["participants"][0]["settled"] is False


def wait_for(client, link, part, value):
    """The state of the page once this part of it has that value."""
    for _ in range(200):
        state = client.get(link).json()
        if state[part] == value:
            return state
        time.sleep(0.05)
    raise AssertionError(state)


def test_what_the_owner_reads_is_about_the_items_there_are(place):
    _, (link, *_) = study(place, budget=2)
    name = Address.of(place).name
    with served(place) as client:
        for turn in range(2):
            tell(client, link, ask(client, link), f"answer-{turn}")
        change(client, place, retire=["item 0"])
        change(client, place, files={"table": ("more.csv", b"name\nlate\nlater\n")})
        overview = client.get(f"/api/v1/studies/{name}", headers=OWNER).json()
        assert overview["aim"] == "Find the best of the 8 items."
        listed = client.get(f"/api/v1/studies/{name}/items", headers=OWNER).json()
        assert listed == {
            "items": [*ITEMS[1:], "late", "later"], "retired": ["item 0"], "columns": ["name"], "can_retire": True
        }  # fmt: skip
        store = Store.at(Address.of(place))
        person = invite(store, store.record(), "Later")
        theirs = f"/api/v1/s/{name}/p/{token_of(store, store.record().study, person.participant)}"
        assert "item 0" not in names(ask(client, theirs))
        store.close()


def test_what_is_refused_is_said_in_one_sentence_and_changes_nothing(place):
    study(place)
    with served(place) as client:
        for form, sentence in (
            ({}, "nothing is to be done; send rows to add, or names of items to retire"),
            ({"rows": "item 1"}, "an item 'item 1' is there already"),
            ({"retire": ["nobody"]}, "there is no item 'nobody'"),
            ({"retire": ITEMS[1:]}, "1 item would be left"),
            ({"rows": "x", "key": "short"}, "key: String should have at least 8 characters"),
        ):
            assert change(client, place, 422, **form)["detail"].startswith(sentence)
        both = {"table": ("more.csv", b"name\nlate\n")}
        assert "send one of them" in change(client, place, 422, files=both, rows="later")["detail"]
        assert "a table is one of" in change(client, place, 422, files={"table": ("a.exe", b"x")})["detail"]
        name = Address.of(place).name
        assert client.post(f"/api/v1/studies/{name}/items", data={"rows": "x"}).status_code == 401
        client.post(f"/api/v1/studies/{name}/state", json={"state": "closed"}, headers=OWNER)
        assert "stays as it is" in change(client, place, 409, rows="late")["detail"]
    assert not Store.at(Address.of(place)).record().head


def test_the_page_offers_what_the_goal_takes(tmp_path):
    for name, session in {
        "pair": askwise.best_item(ITEMS, draws=8), "column": askwise.best_column((3, 3), draws=8)
    }.items():  # fmt: skip
        askwise.save(session, tmp_path / f"{name}.askwise")
    with served(tmp_path) as client:
        pages = {name: client.get(f"/s/{name}", headers=OWNER).text for name in ("pair", "column")}
        assert "add-items" in pages["pair"]
        assert "add-items" not in pages["column"]
        assert (
            "the table of best_column is fixed" in change(client, tmp_path / "column.askwise", 422, rows="x")["detail"]
        )
