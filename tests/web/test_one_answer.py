"""One answer on its way: each process matches, validates and folds it once, and writes it once."""

from __future__ import annotations

from collections import Counter

import pytest
from fastapi.testclient import TestClient

import askwise
from askwise.session import event_log
from askwise.session.event_log import EventLog
from askwise.session.round import Round
from askwise.simulate import workers
from askwise.storage.address import Address
from askwise.storage.participants import invite, set_mode, token_of
from askwise.storage.store import Store
from askwise.web.app import create_app
from askwise.web.computed_states import ComputedStates
from askwise.web.learner import learner
from benchmarks.hops import hops_of_one_answer
from tests.web.test_api import TABLE, settle

KEY = "the-traced-answer"


@pytest.fixture
def here(tmp_path):
    path = tmp_path / "cars.askwise"
    askwise.save(askwise.best_item(TABLE, draws=60, seed=2, epsilon=0.01), path)
    store = Store.at(Address.of(path))
    person = invite(store, store.record(), "Ann")
    link = f"/api/v1/s/cars/p/{token_of(store, store.record().study, person.participant)}"
    store.close()
    return path, link, person


def test_an_answer_is_matched_validated_and_folded_once_in_each_process(here, in_process, monkeypatch):
    path, link, person = here
    with TestClient(create_app(str(path), token="owner", workers=1)) as client:
        question = client.get(link).json()["question"]["id"]
        settle(client, link)
        folded, validated, matched, written = Counter(), Counter(), [], []

        def append(log, valid, append=EventLog.append):
            folded[id(log)] += valid.event.get("key") == KEY
            append(log, valid)

        def answer(log, event, answer=EventLog._answer):
            validated[id(log)] += event.get("key") == KEY
            return answer(log, event)

        def match(asked, response, match=event_log.match_response):
            matched.append(asked["question"])
            return match(asked, response)

        def store(store, record, position, before, rows, append=Store.append):
            written.extend(row["key"] for row in rows)
            return append(store, record, position, before, rows)

        monkeypatch.setattr(EventLog, "append", append)
        monkeypatch.setattr(EventLog, "_answer", answer)
        monkeypatch.setattr(event_log, "match_response", match)
        monkeypatch.setattr(Store, "append", store)
        told = {"question": question, "response": "left", "key": KEY}
        assert client.post(f"{link}/answers", json=told).status_code == 200
        settle(client, link)
    service, session = client.app.state.studies._services["cars", person.log], learner._session((str(path), person.log))
    processes = {id(service.event_log): 1, id(session.event_log): 1}  # the server's, the worker's
    assert +folded == processes
    assert +validated == processes
    assert matched.count(question) == len(processes)
    assert written == [KEY, None]  # with the next question, at once


def test_people_who_share_a_log_get_the_best_questions_in_turn(tmp_path, in_process, monkeypatch):
    """Asking changes no belief, so the learner chooses once for all of them."""
    choices = []

    def best(round, log, count, best=Round.best, **options):
        choices.append(len(log.events))
        return best(round, log, count, **options)

    monkeypatch.setattr(Round, "best", best)
    path = tmp_path / "shared.askwise"
    askwise.save(askwise.best_item(TABLE, draws=60, seed=2, epsilon=0.01), path)
    store = Store.at(Address.of(path))
    set_mode(store, store.record().study, "pooled")
    people = [invite(store, store.record(), name) for name in ("Bo", "Cy", "Di")]
    links = [f"/api/v1/s/shared/p/{token_of(store, store.record().study, person.participant)}" for person in people]
    store.close()
    with TestClient(create_app(str(path), token="owner", workers=1)) as client:
        client.get(links[0])
        (service,) = client.app.state.studies._services.values()
        chosen = service.states.latest
        for link in links[1:]:
            assert client.get(link).json()["question"] is not None
        asked = [event["atom"] for event in service.event_log.events]
    assert asked[1:] == [chosen.question["atom"], chosen.fallback[0]["atom"]]
    assert choices == [0]  # before anything was asked
    assert asked == [event["atom"] for event in askwise.open(path).round.best(EventLog(), 3)]


def test_while_the_learner_is_behind_reweighed_draws_choose(here, in_process, monkeypatch):
    path, link, _ = here
    with TestClient(create_app(str(path), token="owner", workers=1)) as client:
        question = client.get(link).json()["question"]["id"]
        settle(client, link)
        monkeypatch.setattr(learner.Learner, "is_behind", lambda *_: True)
        monkeypatch.setattr(ComputedStates, "after", lambda *_: None)
        state = client.post(f"{link}/answers", json={"question": question, "response": "left", "key": KEY}).json()
        (service,) = client.app.state.studies._services.values()
        asked = service.event_log.ask_events[state["question"]["id"]]
        assert not state["question"]["fallback"]
        assert not state["behind"]
        assert asked["info"]["reweighed"] in (0, 1)  # 0: the round after this answer was there
        settle(client, link)  # the state of the log is computed as ever
        assert service.states.current().answers == 1


@pytest.mark.parametrize(("pooled", "calls"), [(False, 230), (True, 325)])
def test_one_answer_takes_few_calls(pooled, calls, monkeypatch):
    """Before the log had one service, there were 406 and 459; with it, 203 and 229. Since then came what crowds need
    (permission at the moment of writing, consent, languages), the look-ahead of shared studies, and looking whether the
    study is still the one that was opened: 228 and 321."""

    def simulate_one(packed, people, limit, seconds, simulate=workers.simulate_people):
        return simulate(packed, 1, 2, seconds)  # what is computed for the forecast is not on the way of an answer

    monkeypatch.setattr(workers, "simulate_people", simulate_one)
    hops = hops_of_one_answer(pooled)
    assert sum(counter.total() for counter in hops.values()) <= calls
