"""Several servers on one PostgreSQL database: each hears at once of what the others write."""

from __future__ import annotations

import asyncio
import json
from contextlib import ExitStack

import psycopg
import pytest

from askwise.storage.address import Address
from askwise.storage.changes import CHANNEL, Change
from askwise.storage.participants import invite
from askwise.storage.store import Store
from askwise.web import change_listener
from askwise.web import live_updates as live
from tests.web.test_api import OWNER
from tests.web.test_sharing import ask, served, study_at

pytestmark = pytest.mark.usefixtures("in_process")


def overviews(client, place, wanted, act):
    """What a page that watches at this server shows, once `wanted` says so; `act` happens when it watches."""

    async def watch():
        stream = live.messages(client.app.state.studies, "some", (place, 1), 1)
        done, found = False, {}
        try:
            async with asyncio.timeout(60):
                while True:
                    kind, _, data = (await anext(stream)).partition("\n")
                    if kind not in ("event: overview", "event: changes"):
                        continue
                    told = json.loads(data.removeprefix("data: "))
                    people = {
                        one["participant"]: one
                        for one in (*found.get("participants", ()), *told.get("participants", ()))
                    }
                    found |= told | {"participants": list(people.values())}
                    if wanted(found):
                        return found
                    if not done:
                        done = True
                        await asyncio.to_thread(act)
        finally:
            await stream.aclose()

    return client.portal.call(watch)


@pytest.fixture
def quiet(monkeypatch):
    """Nobody is woken by the clock."""
    monkeypatch.setattr(live, "KEEPALIVE_SECONDS", 3600.0)
    monkeypatch.setattr(live, "SNAPSHOT_SECONDS", 3600.0)


def test_a_page_hears_at_once_of_answers_people_and_states_at_another_server(database, quiet):
    place = f"{database}#some"
    _, (link, *_) = study_at(place, pooled=False)
    with ExitStack() as stack:
        here, there = (stack.enter_context(served(place)) for _ in range(2))
        sent = {"question": ask(there, link)["id"], "response": "same", "key": "answer-1"}

        def answer():
            assert there.post(f"{link}/answers", json=sent).status_code == 200

        assert overviews(here, place, lambda seen: seen["answers"] == 1, answer)

        def person():
            there.post("/api/v1/studies/some/participants", json={"name": "Dan"}, headers=OWNER)

        assert overviews(here, place, lambda seen: len(seen["participants"]) == 4, person)

        def pause():
            there.post("/api/v1/studies/some/state", json={"state": "paused"}, headers=OWNER)

        assert overviews(here, place, lambda seen: seen["state"] == "paused", pause)


def test_a_server_that_lost_its_line_hears_again(database, quiet, monkeypatch):
    monkeypatch.setattr(change_listener, "RETRY_SECONDS", 0.01)
    place = f"{database}#some"
    study_at(place, pooled=False)
    store = Store.at(Address.of(place))
    with served(place) as here, psycopg.connect(database, autocommit=True) as admin:

        def cut():
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
                "AND pid <> pg_backend_pid() AND query LIKE 'LISTEN%'"
            )
            invite(store, store.record(), "Dan")

        assert overviews(here, place, lambda seen: len(seen["participants"]) == 4, cut)
    store.close()


def test_a_log_in_use_at_another_server_catches_up_by_itself(database):
    place = f"{database}#some"
    _, (link, *_) = study_at(place, pooled=True)
    with served(place) as here, served(place) as there:
        sent = {"question": ask(there, link)["id"], "response": "same", "key": "answer-1"}
        here.get(link)
        service = next(iter(here.app.state.studies._services.values()))
        before = len(service.event_log.events)
        assert there.post(f"{link}/answers", json=sent).status_code == 200

        async def known():
            async with asyncio.timeout(60):
                while len(service.event_log.answers) < 1:
                    await asyncio.sleep(0.01)

        here.portal.call(known)
        assert len(service.event_log.events) > before


def test_what_is_announced_names_the_study_the_log_and_its_length(database):
    place = f"{database}#some"
    people, links = study_at(place, pooled=False)
    store = Store.at(Address.of(place))
    with psycopg.connect(database, autocommit=True) as other:
        other.execute(f"LISTEN {CHANNEL}")
        with served(place) as client:
            for link in links:
                ask(client, link)
        found = [Change.of(notice.payload) for notice in other.notifies(timeout=1.0)]
    study = store.record().study
    store.close()
    assert {change.study for change in found} == {study}
    assert {change.log for change in found if change.events == 1} == {one.log for one in people}


def test_a_study_that_was_deleted_and_made_again_elsewhere_is_the_new_one(database, quiet):
    place = f"{database}#some"
    _, (old, *_) = study_at(place, pooled=False)
    with ExitStack() as stack:
        here, there = (stack.enter_context(served(database)) for _ in range(2))
        ask(there, old)

        async def watch():
            return [message async for message in live.messages(there.app.state.studies, "some", (place, 1), 1)]

        watching = there.portal.start_task_soon(watch)
        assert here.post("/api/v1/studies/some/delete", json={"name": "some"}, headers=OWNER).status_code == 200
        watching.result(60)  # the stream of a page ends
        assert there.get("/api/v1/studies/some", headers=OWNER).status_code == 404
        assert there.get(old).status_code == 404
        _, (new, *_) = study_at(place, pooled=False)
        assert ask(there, new)
