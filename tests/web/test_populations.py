"""People who come later start from those before, and learn nothing about them."""

from __future__ import annotations

import pytest

import askwise
from askwise import storage
from askwise.storage import populations
from askwise.storage.address import Address
from askwise.storage.participants import people
from askwise.storage.store import Store
from tests.web.test_api import TABLE, invited, served

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
