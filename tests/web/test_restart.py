"""A server that starts again: people go on at once, whether or not the learner has loaded their logs."""

from __future__ import annotations

import asyncio
import time

import pytest

import askwise
from askwise.storage.address import Address
from askwise.storage.store import Store
from askwise.web import computed_states
from askwise.web.stored_fallback import KEY, was_served
from tests.web.test_api import OWNER, TABLE
from tests.web.test_sharing import ask, served, study_at

pytestmark = pytest.mark.usefixtures("in_process")


def serve_once(place, link):
    """A server that somebody used, and that kept fallback questions."""
    with served(place) as client:
        question = ask(client, link)
        store = Store.at(Address.of(place))
        while not was_served(store):
            time.sleep(0.02)
        store.close()
    return question


@pytest.mark.parametrize("pooled", [False, True])
def test_after_a_restart_nobody_waits_for_the_learner(place, pooled, monkeypatch):
    _, (link, other, *_) = study_at(place, pooled)
    question = serve_once(place, link)
    with served(place) as client:

        async def never(*_, **__):
            await asyncio.sleep(3600)

        monkeypatch.setattr(client.app.state.studies.learner, "run", never)
        monkeypatch.setattr(computed_states, "FIRST_SECONDS", 3600.0)
        asked = [question["id"]]
        for turn in range(4):
            sent = {"question": asked[-1], "response": "same", "key": f"answer-{turn}"}
            state = client.post(f"{link}/answers", json=sent).json()
            assert state["question"]["fallback"]
            asked.append(state["question"]["id"])
        assert len(set(asked)) == 5
        assert client.get(other).json()["question"] is not None  # who comes for the first time, too


def test_questions_about_other_items_are_not_kept(tmp_path):
    place = tmp_path / "some.askwise"
    session = askwise.ranking(TABLE, draws=16, seed=2, epsilon=1e-6)
    _, (link, *_) = study_at(place, pooled=False, session=session)
    serve_once(place, link)
    store = Store.at(Address.of(place))
    kept = store.forecast(store.record().study, KEY)
    assert len(kept["questions"]) > 6
    with served(place) as client:
        name = kept["questions"][0]["options"][0]["name"]
        reply = client.post("/api/v1/studies/some/items", data={"retire": [name]}, headers=OWNER)
        assert reply.status_code == 200, reply.text
        kept = store.forecast(store.record().study, KEY)
        assert kept is None or all(name not in str(each["options"]) for each in kept["questions"])
    store.close()


def test_in_a_shared_study_the_next_question_is_foreseen_while_few_people_answer(tmp_path, monkeypatch):
    place = tmp_path / "some.askwise"
    _, (link, other, _) = study_at(place, pooled=True)
    with served(place) as client:
        questions = {each: ask(client, each) for each in (link, other)}
        [service] = client.app.state.studies.all_services()
        wanted = {(question["id"], said) for question in questions.values() for said in question["responses"]}
        while set(service.states.ahead) != wanted:
            time.sleep(0.02)

        async def never(*_, **__):
            await asyncio.sleep(3600)

        monkeypatch.setattr(client.app.state.studies.learner, "run", never)
        sent = {"question": questions[other]["id"], "response": "same", "key": "answer-1"}
        state = client.post(f"{other}/answers", json=sent).json()
        assert state["question"]["id"] not in {question["id"] for question in questions.values()}
        assert not state["question"]["fallback"]
        assert client.get(link).json()["question"]["id"] == questions[link]["id"]  # theirs as before
        monkeypatch.undo()


def test_of_many_people_no_answer_is_foreseen(tmp_path):
    place = tmp_path / "some.askwise"
    _, links = study_at(place, pooled=True)
    with served(place) as client:
        for link in links:
            ask(client, link)
        [service] = client.app.state.studies.all_services()
        assert service.states._foreseeable(service.states.latest) == []


def test_a_server_without_questions_takes_those_that_another_server_kept(database, monkeypatch):
    place = f"{database}#some"
    _, (link, other, _) = study_at(place, pooled=False)
    with served(place) as late:

        async def never(*_, **__):
            await asyncio.sleep(3600)

        monkeypatch.setattr(late.app.state.studies.learner, "run", never)
        monkeypatch.setattr(computed_states, "FIRST_SECONDS", 0.01)
        assert late.get(other).json()["question"] is None
        serve_once(place, link)
        assert late.get(other).json()["question"]["fallback"]
