"""Who is done: as a server noted it, and of people who were done before servers noted it, as the log says it."""

from __future__ import annotations

import pytest

import askwise
from askwise.exchange.people import people_table
from askwise.storage.address import Address
from askwise.storage.checks import due_check, record_check
from askwise.storage.consent import accept, set_status
from askwise.storage.exclusion import exclude
from askwise.storage.finishing import ANY_CHECK, joined_people, note_finished
from askwise.storage.joining import change_crowd, crowd_settings, join
from askwise.storage.participants import (
    change_study_settings,
    set_mode,
    set_settled,
)
from askwise.storage.personal_data import person_data
from askwise.storage.store import Store

ITEMS = [f"item {i}" for i in range(8)]
SETTLED = "we are confident enough to stop"


@pytest.fixture(params=["own", "pooled"])
def mode(request):
    return request.param


@pytest.fixture
def store(tmp_path, mode):
    path = tmp_path / "items.askwise"
    askwise.save(askwise.best_item(ITEMS, draws=40, seed=2, epsilon=1e-6), path)
    store = Store.at(Address.of(path))
    set_mode(store, 1, mode)
    change_crowd(store, 1, {"open": True, "answers": 3})
    return store


def came(store, name, answers):
    one = join(store, store.record(), {"participant": name}).person
    session = askwise.open(store.address.where, log=one.log)
    for _ in range(answers):
        session.tell("left", session.ask(), who=one.participant)
    askwise.storage.close(session)
    return one


def done(store):
    table = people_table(store, store.record())
    assert [bool(code) for code in table["code"]] == [bool(at) for at in table["finished_at"]]
    return table["done"]


def test_whoever_gave_all_answers_is_done_though_nobody_noted_it(store):
    all_given, begun, nothing, left = (
        came(store, name, count) for name, count in zip("abcd", (3, 2, 0, 1), strict=True)
    )
    set_status(store, 1, left.participant, "screened out")
    assert done(store) == ["quota reached", None, None, None]
    assert joined_people(store, store.record()) == {"answering": 2, "done": 1, "screened out": 1}
    table = people_table(store, store.record())
    last = [event["time"] for event in askwise.storage.resume(store, all_given.log).log if event["event"] == "tell"]
    assert table["finished_at"][0] in last
    for one, code in ((all_given, table["code"][0]), (begun, None), (nothing, None)):
        assert person_data(store, store.record(), one.participant)["code"] == code
    exclude(store, store.record(), all_given.participant)
    assert done(store)[0] == "quota reached"  # they have their code


def test_whoever_has_a_check_before_them_is_not_done(store):
    one = came(store, "a", 3)
    change_crowd(store, 1, {"check_every": 3})
    assert done(store) == [None]
    due = due_check(crowd_settings(store, 1), one.participant, [{}] * 3, {}, [], ANY_CHECK)
    record_check(store, 1, one.participant, due, None, "check-key-0", None)
    assert done(store) == ["quota reached"]


def test_whoever_has_not_accepted_is_not_done(store):
    change_crowd(store, 1, {"consent": "I take part."})
    version = crowd_settings(store, 1).consent_version
    one = join(store, store.record(), {"participant": "a"}).person
    set_settled(store, one.log, SETTLED)
    assert done(store) == [None]
    accept(store, 1, one.participant, version)
    assert done(store) == [None]
    came(store, "a", 1)
    set_settled(store, one.log, SETTLED)
    assert done(store) == ["settled"]


def test_a_settled_study_is_done_unless_it_goes_on(store, mode):
    first, second = came(store, "a", 2), came(store, "b", 1)
    set_settled(store, first.log, SETTLED)
    assert done(store) == ["settled", "settled" if mode == "pooled" else None]
    change_study_settings(store, 1, beyond=True)
    assert done(store) == [None, None]
    note_finished(store, 1, second.participant, "settled")
    note_finished(store, 1, second.participant, "quota")  # another server, or once more
    assert done(store) == [None, "settled"]
