"""A participant starts from what those before have in common; it is fixed when their log begins."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError, Event
from time import sleep

import pytest
from sqlalchemy.event import listen

import askwise
from askwise import storage
from askwise.errors import StudyError
from askwise.exchange.studies import copy_study
from askwise.storage import populations
from askwise.storage.address import Address
from askwise.storage.participants import invite, people, set_mode
from askwise.storage.populations import begin_log, logs_before
from askwise.storage.store import Store

DRINKS = ["tea", "coffee", "water", "milk"]


@pytest.fixture(autouse=True)
def nothing_learned_yet():
    populations._learned.clear()


@pytest.fixture
def store(place):
    return new_study(place)


def new_study(place, **options):
    askwise.save(askwise.ranking(DRINKS, draws=30, seed=1, repeat=True, **options), place)
    return Store.at(Address.of(place))


def answer(place, log, count, worst="milk"):
    """Somebody prefers what comes first in the alphabet, and never the worst."""
    session = storage.open(place, log=log)
    for _ in range(count):
        names = [option.name for option in session.ask().options]
        session.tell("left" if names[1] == worst or (names[0] != worst and names[0] < names[1]) else "right")
    storage.close(session)


def come(store, place, number, count=6):
    for _ in range(number):
        answer(place, invite(store, store.record(), "").log, count)


def test_nobody_starts_from_fewer_than_three_people(store, place):
    come(store, place, 2)
    come(store, place, 3, count=4)
    late = invite(store, store.record(), "Late")
    assert not begin_log(store, late.log)
    assert store.record(late.log).recipe == store.record().recipe
    come(store, place, 1)
    assert begin_log(store, late.log)
    assert store.record(late.log).recipe["options"]["population"]["people"] == 3
    assert store.record().recipe["options"]["population"] is True


def test_a_log_replays_to_the_same_question_whatever_others_answer_later(store, place, tmp_path):
    come(store, place, 3)
    late = invite(store, store.record(), "Late")
    assert begin_log(store, late.log)
    answer(place, late.log, 3)
    before = storage.open(place, log=late.log)
    draws, question = before.sample.structures, before.ask()
    come(store, place, 2)
    assert not begin_log(store, late.log)
    again = storage.open(place, log=late.log)
    assert (again.sample.structures == draws).all()
    fresh = askwise.from_json(again.to_json())
    assert fresh.ask() == question
    assert (fresh.sample.structures == draws).all()
    assert "It also rests on the answers of 3 people before." in str(fresh.certificate())
    copy_study(place, str(tmp_path / "copy.askwise"))
    there = Store.at(Address.of(tmp_path / "copy.askwise"))
    (moved,) = (one.log for one in people(there, there.record().study) if one.name == "Late")
    assert storage.resume(there, moved).ask().text == question.text


def test_a_log_that_has_begun_keeps_its_start(store, place):
    early = invite(store, store.record(), "Early")
    storage.open(place, log=early.log).ask()
    come(store, place, 3)
    assert logs_before(store, store.record(early.log)) == []
    assert not begin_log(store, early.log)
    assert storage.open(place, log=early.log).certificate().people_before == 0


def test_the_population_shortens_what_is_left_open(store, place):
    come(store, place, 5, count=12)
    late = invite(store, store.record(), "Late")
    alone = storage.open(place, log=late.log).diameter
    assert begin_log(store, late.log)
    session = storage.open(place, log=late.log)
    assert session.diameter < 0.85 * alone
    assert session.estimate().value[0] == "coffee"


def test_it_can_be_switched_off_and_needs_logs_of_their_own(place, tmp_path):
    store = new_study(place, population=False)
    come(store, place, 3)
    assert not begin_log(store, invite(store, store.record(), "Late").log)
    shared = new_study(tmp_path / "shared.askwise")
    set_mode(shared, shared.record().study, "pooled")
    ann = invite(shared, shared.record(), "Ann")
    answer(tmp_path / "shared.askwise", ann.log, 6)
    assert not begin_log(shared, ann.log)


def test_linear_tastes_start_from_nobody(place):
    store = new_study(place, shape="linear")
    come(store, place, 3)
    assert not begin_log(store, invite(store, store.record(), "Late").log)


def test_it_holds_no_answers_and_no_names(store, place):
    come(store, place, 3)
    late = invite(store, store.record(), "Late")
    assert begin_log(store, late.log)
    stored = store.record(late.log).recipe["options"]["population"]
    assert set(stored) == {"people", "mean", "factor", "less", "rest"}
    assert len(stored["mean"]) == len(stored["factor"]) == len(stored["less"]) == len(DRINKS)
    known = json.dumps(store.record(late.log).recipe)
    assert not any(one.participant in known for one in people(store, store.record().study))


def at_once(*calls):
    """What each of these returns or raises, called in threads that all begin together."""
    with ThreadPoolExecutor(len(calls)) as threads:
        running = [threads.submit(call) for call in calls]
        return [each.exception() or each.result() for each in running]


def test_two_servers_that_begin_a_log_at_once_write_one_population(store, place, monkeypatch):
    """Each has learned another one, and read the log, before either writes."""
    come(store, place, 3)
    late = invite(store, store.record(), "Late")
    both_learned, both_read = Barrier(2), Barrier(2)

    def learn(*options, learn=populations._population):
        found = learn(*options)
        return {**found, "rest": 1.0 + both_learned.wait(timeout=60)}

    def pause(connection, cursor, statement, *_):
        if statement.startswith("SELECT") and "head IS NULL" in statement:
            with suppress(BrokenBarrierError):
                both_read.wait(timeout=0.5)  # in vain if the other has to wait until this one has written

    monkeypatch.setattr(populations, "_population", learn)
    servers = [Store.at(Address.of(place)) for _ in range(2)]
    for server in servers:
        listen(server.engine, "after_cursor_execute", pause)
    written = at_once(*(lambda server=server: begin_log(server, late.log) for server in servers))
    assert sorted(written) == [False, True]
    kept = store.record(late.log).recipe["options"]["population"]
    assert kept["people"] == 3
    answer(place, late.log, 2)  # from what was kept, and it stays so
    assert not begin_log(servers[0], late.log)
    assert storage.open(place, log=late.log).recipe["options"]["population"] == kept


def test_a_log_that_begins_meanwhile_has_one_start(store, place):
    """Somebody is asked at one server between the moments at which the other learns and writes."""
    come(store, place, 3)
    late = invite(store, store.record(), "Late")
    alone = storage.open(place, log=late.log)
    paused, beginning = Event(), Event()

    def pause(connection, cursor, statement, *_):
        if statement.lstrip().startswith("SELECT") and "recipe" in statement and not paused.is_set():
            paused.set()  # the first event was judged and is not written yet
            beginning.wait(timeout=60)
            sleep(0.3)

    def begin():
        assert paused.wait(timeout=60)
        beginning.set()
        return begin_log(Store.at(Address.of(place)), late.log)

    listen(alone.journal.store.engine, "after_cursor_execute", pause)
    question, begun = at_once(alone.ask, begin)
    assert question.text
    assert not begun
    again = storage.open(place, log=late.log)
    assert again.ask().text == question.text
    assert again.recipe["options"]["population"] is True


def test_who_opened_a_log_before_it_began_opens_it_again(store, place):
    come(store, place, 3)
    late = invite(store, store.record(), "Late")
    early = storage.open(place, log=late.log)
    assert begin_log(store, late.log)
    with pytest.raises(StudyError, match="nothing was added: open it again"):
        early.ask()
    answer(place, late.log, 1)
    with pytest.raises(StudyError, match=r"another program began this log of .* just now; open it again"):
        early.ask()
