"""Several servers, people and programs at one log: nothing lost, nothing doubled, nothing told about others."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import ExitStack
from dataclasses import replace

import pytest
from fastapi.testclient import TestClient

import askwise
from askwise.errors import SettingError
from askwise.storage import leases
from askwise.storage.address import Address
from askwise.storage.participants import invite, set_mode, token_of
from askwise.storage.store import Store
from askwise.web.app import create_app
from askwise.web.computed_states import MAX_REFRESHES
from askwise.web.learner import learner
from askwise.web.respondent import Respondent
from tests.web.test_api import OWNER, TABLE

pytestmark = pytest.mark.usefixtures("in_process")
NAMES = ("Ann", "Ben", "Cem")


def study_at(place, pooled, quota=None, names=NAMES, session=None):
    """A study and the API addresses of its people."""
    askwise.save(session or askwise.clusters(TABLE, draws=16, seed=2, epsilon=1e-6), place)
    store = Store.at(Address.of(place))
    if pooled:
        set_mode(store, store.record().study, "pooled")
    record = store.record()
    people = [invite(store, record, name, quota) for name in names]
    links = [f"/api/v1/s/{Address.of(place).name}/p/{token_of(store, record.study, one.participant)}" for one in people]
    store.close()
    return people, links


def served(place):
    return TestClient(create_app(str(place), token="secret-of-the-owner", workers=1))


def ask(client, link):
    """The question before somebody, as soon as there is one; a minute at most, on a machine that is busy."""
    for _ in range(1200):
        question = client.get(link).json()["question"]
        if question:
            return question
        time.sleep(0.05)
    raise AssertionError("there was no question")


def told(place, logs):
    sessions = [askwise.storage.open(place, log=log) for log in dict.fromkeys(logs)]
    return [event for session in sessions for event in session.log if event["event"] in ("tell", "skip")]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cars.askwise"


@pytest.mark.parametrize("pooled", [False, True])
def test_two_servers_take_turns_and_nothing_is_refused_lost_or_doubled(place, pooled):
    people, links = study_at(place, pooled)
    with ExitStack() as stack:
        clients = [stack.enter_context(served(place)) for _ in range(2)]
        for turn in range(6):
            for number, link in enumerate(links):
                question = ask(clients[(turn + number) % 2], link)
                sent = {"question": question["id"], "response": "same", "key": f"answer-{turn}-{number}"}
                other = clients[(turn + number + 1) % 2]  # than the one that asked
                reply = other.post(f"{link}/answers", json=sent)
                assert reply.status_code == 200, reply.json()
                assert clients[turn % 2].post(f"{link}/answers", json=sent).status_code == 200  # once more
        counts = [len(client.get(f"{link}/answers").json()) for client in clients for link in links]
    assert counts == [6] * 6
    keys = [event["key"] for event in told(place, [one.log for one in people])]
    assert sorted(keys) == sorted(f"answer-{turn}-{number}" for turn in range(6) for number in range(3))


def test_people_at_two_servers_at_the_same_time(place):
    people, links = study_at(place, pooled=True)
    refused, taken = [], []

    def answer(number, link, clients):
        for turn in range(4):
            question = ask(clients[(number + turn) % 2], link)
            said = ("same", "different")[turn % 2]
            sent = {"question": question["id"], "response": said, "key": f"answer-{number}-{turn}"}
            while (reply := clients[turn % 2].post(f"{link}/answers", json=sent)).status_code == 503:
                pass  # as the page does
            (taken if reply.status_code == 200 else refused).append(sent["key"])

    with served(place) as one, served(place) as other:
        for client in (one, other):
            client.get("/nothing")  # routes are prepared at the first request, which must not happen in two threads
        at_once = [threading.Thread(target=answer, args=(*pair, (one, other))) for pair in enumerate(links)]
        for thread in at_once:
            thread.start()
        for thread in at_once:
            thread.join()
    assert not refused
    assert sorted(event["key"] for event in told(place, [people[0].log])) == sorted(taken)
    assert len(taken) == 12


def test_two_servers_ask_nobody_what_another_was_just_shown(place):
    _, links = study_at(place, pooled=True)
    with served(place) as one, served(place) as other:
        shown = [ask(client, link)["id"] for client, link in zip((one, other, one), links, strict=True)]
        assert len(set(shown)) == 3
        swapped = [ask(client, link)["id"] for client, link in zip((other, one, other), links, strict=True)]
        assert swapped == shown  # each still has their own
    with served(place) as again:
        assert [ask(again, link)["id"] for link in links] == shown  # after a restart as well


def test_a_question_shown_to_somebody_is_theirs_until_they_leave_it(path, monkeypatch):
    people, (ann, ben, _) = study_at(path, pooled=True)
    with served(path) as client:
        asked = ask(client, ann)
        sent = {"question": asked["id"], "response": "same", "key": "from-ben-1"}
        for kind, body in (("answers", sent), ("skips", {**sent, "key": "from-ben-2"})):
            refused = client.post(f"{ben}/{kind}", json=body)
            assert refused.status_code == 409
            assert "not open for you" in refused.json()["detail"]
        monkeypatch.setattr("askwise.storage.leases.time", lambda: 4e9)  # long after
        taken = ask(client, ben)
        assert taken["id"] == asked["id"]
        assert client.post(f"{ben}/answers", json={**sent, "key": "from-ben-3"}).status_code == 200
    assert [event["who"] for event in told(path, [people[0].log])] == [people[1].participant]


def test_a_refusal_in_a_shared_study_says_nothing_about_the_others(path):
    people, (ann, ben, _) = study_at(path, pooled=True)
    with served(path) as client:
        asked = ask(client, ann)["id"]
        sent = {"question": asked, "response": "same", "key": "the-key-of-ann"}
        assert client.post(f"{ann}/answers", json=sent).status_code == 200
        said = []
        for question, key in ((asked, "another-key"), (asked, "the-key-of-ann"), ("q99", "a-third-key")):
            refused = client.post(f"{ben}/answers", json={"question": question, "response": "same", "key": key})
            said.append((refused.status_code, refused.json()["detail"]))
        said.append((409, client.post(f"{ann}/answers", json={**sent, "key": "another-key"}).json()["detail"]))
        assert client.get(f"{ben}/why/{asked}").status_code in (403, 404)
    assert {code for code, _ in said} == {409}
    assert said[0] == said[2]  # what another answered and what never was
    for _, sentence in said:
        assert not any(word in sentence for word in ("'same'", asked, *(one.participant for one in people)))
    assert "You already answered this question" in said[3][1]


def test_who_waits_for_the_last_question_of_another_person_is_told_so(place):
    """Two items have one question; whoever comes second waits for the first."""
    _, links = study_at(place, True, names=("Ann", "Ben"), session=askwise.clusters(["a", "b"], draws=16, epsilon=1e-9))
    with served(place) as client:
        assert ask(client, links[0])["kind"] == "same"
        for _ in range(300):
            state = client.get(links[1]).json()
            if state["held"]:
                break
            time.sleep(0.06)
        assert (state["question"], state["done"], state["held"]) == (None, None, True)
        assert not client.get(links[0]).json()["held"]


@pytest.mark.parametrize("pooled", [False, True])
def test_a_quota_holds_whatever_is_sent_and_an_undo_frees_a_place(place, pooled):
    _, links = study_at(place, pooled, quota=2, names=("Ann",))
    with served(place) as client, served(place) as other:
        sent = []
        for turn in range(2):
            question = ask((client, other)[turn], links[0])["id"]
            sent.append({"question": question, "response": "same", "key": f"answer-{turn}"})
            assert client.post(f"{links[0]}/answers", json=sent[-1]).status_code == 200
        for number in range(1, 9):
            for server in (client, other):
                for kind in ("answers", "skips"):
                    more = {"question": f"q{number}", "response": "same", "key": f"more-{number}-{kind}"}
                    refused = server.post(f"{links[0]}/{kind}", json=more)
                    assert refused.status_code == 409
        for server in (client, other):
            again = server.post(f"{links[0]}/answers", json=sent[1])
            assert again.status_code == 200
            assert again.json()["done_kind"] == "quota"
            assert again.json()["question"] is None
        undone = other.post(f"{links[0]}/undo", json={"key": "undo-0001"}).json()
        assert undone["question"]["id"] == sent[1]["question"]
        assert client.post(f"{links[0]}/answers", json={**sent[1], "key": "answer-again"}).status_code == 200
        assert client.get(links[0]).json()["answers"] == 2


def test_many_at_once_do_not_pass_the_quota(path):
    people, (link,) = study_at(path, pooled=True, quota=3, names=("Ann",))
    session = askwise.storage.open(path)
    asked = session.ask(8)  # by another program: nobody was shown them
    askwise.storage.close(session)
    with served(path) as client:
        client.get(link)

        async def flood():
            studies = client.app.state.studies
            service = await studies.service("cars", people[0])
            person = Respondent(people[0].participant, quota=3)
            calls = [service.tell(person, one.id, "same", f"key-{one.id}", None) for one in asked]
            return await asyncio.gather(*calls, return_exceptions=True)

        replies = client.portal.call(flood)
    assert sum(not isinstance(reply, Exception) for reply in replies) == 3
    assert len(told(path, [people[0].log])) == 3


def test_a_key_is_good_for_its_answer_even_when_the_study_is_closed(path):
    _, (link, *_) = study_at(path, pooled=False)
    with served(path) as client:
        sent = {"question": ask(client, link)["id"], "response": "same", "key": "answer-1"}
        assert client.post(f"{link}/answers", json=sent).status_code == 200
        client.post("/api/v1/studies/cars/state", json={"state": "closed"}, headers=OWNER)
        assert client.post(f"{link}/answers", json=sent).status_code == 200
        assert client.post(f"{link}/answers", json={**sent, "key": "answer-2"}).status_code == 409


def test_a_program_that_writes_ahead_makes_nobody_spin(path, monkeypatch):
    people, (link, *_) = study_at(path, pooled=False)
    with served(path) as client:
        first = ask(client, link)
        service = next(iter(client.app.state.studies._services.values()))
        refreshes = []
        run = client.app.state.studies.learner.run

        async def counted(function, *more, rank=0):
            if function is learner.compute_state:
                refreshes.append(function)
            return await run(function, *more, rank=rank)

        monkeypatch.setattr(client.app.state.studies.learner, "run", counted)
        session = askwise.storage.open(path, log=people[0].log)
        session.tell("same", first["id"])
        session.ask()
        askwise.storage.close(session)
        service.states.latest = None  # it refreshes at what the other program wrote
        client.portal.call(_refreshed, service)
        assert len(service.event_log.events) == 3  # it has caught up
        assert len(refreshes) == 1

        async def ahead(function, *more, rank=0):
            if function is not learner.compute_state:  # what is left of computing ahead
                return await run(function, *more, rank=rank)
            refreshes.append(function)
            return replace(state, position=10**6)  # of a program that is always faster

        state = service.states.latest
        monkeypatch.setattr(client.app.state.studies.learner, "run", ahead)
        monkeypatch.setattr("askwise.web.computed_states.REFRESH_PAUSE", 1e-4)
        refreshes.clear()
        service.states.latest = None
        client.portal.call(_refreshed, service)
        assert len(refreshes) == MAX_REFRESHES


async def _refreshed(service):
    service.states.refresh()
    await service.states._refreshing


def test_studies_of_one_table_keep_their_people_to_themselves(tmp_path, monkeypatch):
    """The beginnings that people share are never those of a log in which several people answer."""
    places = [tmp_path / f"{name}.askwise" for name in ("first", "second")]
    people = [study_at(place, pooled=True)[0] for place in places]
    states = []
    for place, invited in zip(places, people, strict=True):
        session = askwise.open(place)
        for turn in range(4):
            session.tell("same", session.ask(), who=invited[turn % 2].participant)
        askwise.storage.close(session)
        states.append(learner.compute_state((str(place), 1), pooled=True))
    for kept in (learner._sessions, learner._stores, learner._beginnings):
        kept.clear()
    for state, invited in zip(states, people, strict=True):
        assert set(state.reliability) == {one.participant for one in invited[:2]}


def test_an_answer_by_another_person_is_not_foreseen_as_if_one_alone_had_answered(tmp_path):
    """In the study's own log, which programs write to as well, who answers next matters."""
    jobs = []
    for name in ("first", "second"):
        place = tmp_path / f"{name}.askwise"
        askwise.save(askwise.clusters(TABLE, draws=16, seed=2, epsilon=1e-6), place)
        session = askwise.open(place)
        for _ in range(3):
            session.tell("same", session.ask(), who="Ann")
        session.ask()
        jobs.append(((str(place), 1), len(session.log)))
        askwise.storage.close(session)
    alone = learner.compute_state_after(*jobs[0], "same", "Ann")
    together = learner.compute_state_after(*jobs[1], "same", "Ben")
    for kept in (learner._sessions, learner._stores, learner._beginnings):
        kept.clear()
    assert not alone.reliability
    assert set(together.reliability) == {"Ann", "Ben"}


def test_a_lease_is_taken_once(place):
    study_at(place, pooled=True)
    store, other = (Store.at(Address.of(place)) for _ in range(2))
    study = store.record().study
    assert leases.take_lease(store, study, "q1", "Ann")
    assert leases.take_lease(other, study, "q1", "Ann")  # renewed
    assert not leases.take_lease(other, study, "q1", "Ben")
    assert leases.take_lease(other, study, "q2", "Ben")
    assert leases.take_lease(store, study, "q3", "Ann")  # in place of the first
    assert {question: lease.who for question, lease in leases.leases_of(store, study).items()} == {
        "q2": "Ben",
        "q3": "Ann",
    }


def test_the_log_calls_the_anchor_by_name_and_nobody_else_can_be_it(tmp_path):
    place = tmp_path / "anchored.askwise"
    session = askwise.clusters(TABLE, draws=16, seed=2, epsilon=1e-6, anchor="Ann")
    people, (ann, ben, _) = study_at(place, pooled=True, session=session)
    with served(place) as client:
        for link in (ann, ben):
            question = ask(client, link)
            sent = {"question": question["id"], "response": question["responses"][0], "key": link[-9:]}
            assert client.post(f"{link}/answers", json=sent).status_code == 200
    assert [event["who"] for event in told(place, [people[0].log])] == ["Ann", people[1].participant]
    store = Store.at(Address.of(place))
    with pytest.raises(SettingError, match="'Ann' is the anchor, and is invited already"):
        invite(store, store.record(), "Ann")
    store.close()
