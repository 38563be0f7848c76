"""People who come later start from those before, and learn nothing about them."""

from __future__ import annotations

import asyncio
import time

import pytest

import askwise
from askwise import storage
from askwise.storage import populations
from askwise.storage.address import Address
from askwise.storage.participants import people
from askwise.storage.store import Store
from askwise.web.learner import next_person
from askwise.web.simulated_runs import SimulatedRuns
from tests.web.test_api import OWNER, TABLE, invited, served

pytestmark = pytest.mark.usefixtures("in_process")


@pytest.fixture
def path(tmp_path):
    populations._learned.clear()
    path = tmp_path / "cars.askwise"
    askwise.save(askwise.best_item(TABLE, draws=60, seed=2, epsilon=0.001), path)
    return path


def answer(client, here, count):
    """Somebody prefers the first name; returns what their page was told."""
    states = [client.get(here).json()]
    for turn in range(count):
        question = states[-1]["question"]
        response = min(option["name"] for option in question["options"])
        told = {"question": question["id"], "response": response, "key": f"{here[-9:]}-{turn}", "seconds": 1.0}
        states.append(client.post(f"{here}/answers", json=told).json())
    return states


def test_the_fourth_person_starts_from_three_and_sees_none_of_it(path):
    with served(path) as client:
        for name in ("Ann", "Ben", "Cem"):
            answer(client, invited(path, name)[1], 5)
        person, here = invited(path, "Dan")
        states = answer(client, here, 2)
    store = Store.at(Address.of(path))
    assert store.record(person.log).recipe["options"]["population"]["people"] == 3
    first = people(store, store.record().study)[0]
    assert store.record(first.log).recipe["options"]["population"] is True
    session = storage.open(path, log=person.log)
    assert session.certificate().people_before == 3
    assert [answer.who for answer in session.answers] == [person.participant] * 2
    shown = str(states)
    assert "population" not in shown
    assert not any(one.participant in shown for one in people(store, store.record().study) if one != person)


def test_a_person_starts_without_the_others_if_learning_fails(path, monkeypatch):
    def fail(*_):
        raise ArithmeticError

    with served(path) as client:
        for name in ("Ann", "Ben", "Cem"):
            answer(client, invited(path, name)[1], 5)
        monkeypatch.setattr(populations, "population_of_answers", fail)
        person, here = invited(path, "Dan")
        assert answer(client, here, 1)[-1]["answers"] == 1
    assert storage.open(path, log=person.log).certificate().people_before == 0


def wait_for(found, seconds=300.0):
    """What is found in the background, once it is there."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := found():
            return value
        time.sleep(0.05)
    raise AssertionError("it did not come")


def runs_of(client):
    """The runs of people who start from others, as the server knows them now."""
    return client.portal.call(client.app.state.studies.simulated_runs, "cars", 3)


def test_the_dashboard_says_what_people_before_save_and_forecasts_start_from_them(path, monkeypatch):
    """Nobody waits for it, and the runs are there again after a restart."""
    path.unlink()
    askwise.save(askwise.best_item(TABLE, draws=40, seed=2, epsilon=0.001, budget=12), path)  # runs are short
    calls = []

    async def simulate(learner, job):
        calls.append(job)
        return await next_person.simulate_next_people(learner, job)

    monkeypatch.setattr("askwise.web.studies.simulate_next_people", simulate)
    monkeypatch.setattr(next_person, "PEOPLE", 6)
    overview = "/api/v1/studies/cars"
    with served(path) as client:
        for name in ("Ann", "Ben"):
            answer(client, invited(path, name)[1], 5)
        assert client.get(overview, headers=OWNER).json()["saved_by_people"] is None
        assert not calls
        answer(client, invited(path, "Cem")[1], 5)
        client.get(overview, headers=OWNER)
        found = wait_for(lambda: client.get(overview, headers=OWNER).json()["saved_by_people"])
        assert (found["people_before"], found["people"]) == (3, 6)
        assert found["text"].startswith("People before ")
        assert found["low"] <= found["likely"] <= found["high"]
        _, dan = invited(path, "Dan")
        state = answer(client, dan, 1)[-1]
        runs = runs_of(client)
        assert len(runs) == 6
        assert state["start"] == pytest.approx(runs[0].diameters[0], abs=0.2)
        assert len(calls) == 1  # one more person is not enough to simulate again
    with served(path) as client:
        assert runs_of(client) == []  # for now
        assert wait_for(lambda: runs_of(client)) == runs


def test_people_are_simulated_again_when_many_have_come_but_not_after_a_failure():
    async def fail():
        raise ArithmeticError

    async def simulated():
        return 3, ["a run"]

    async def script():
        known, changes = SimulatedRuns(), []
        assert known.is_due(3)
        known.start(simulated(), 3, lambda: changes.append("first"))
        assert not known.is_due(9)  # it is being computed
        while not changes:
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert known.runs == ["a run"]
        assert [known.is_due(people) for people in (3, 4, 5)] == [False, False, True]
        known.start(fail(), 5, lambda: changes.append("second"))
        while len(changes) < 2:
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert known.runs == ["a run"]
        assert not known.is_due(5)

    asyncio.run(script())
