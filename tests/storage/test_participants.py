"""Who may answer a study, and where their answers go."""

from __future__ import annotations

import pytest

import askwise
from askwise import storage
from askwise.errors import SettingError, StudyError
from askwise.exchange.studies import copy_study
from askwise.storage.address import Address
from askwise.storage.joining import crowd_settings
from askwise.storage.participants import (
    StudySettings,
    invite,
    participant_for_token,
    pause,
    people,
    person,
    set_mode,
    set_state,
    study_secret,
    study_settings,
    token_of,
)
from askwise.storage.store import Store


@pytest.fixture
def store(place):
    askwise.save(askwise.best_item(["tea", "coffee", "water"], draws=20, seed=1), place)
    return Store.at(Address.of(place))


def test_what_is_said_of_a_study_that_is_deleted_meanwhile(store):
    with store.begin() as connection:
        connection.exec_driver_sql("DELETE FROM studies")
    for read in (study_settings, study_secret, crowd_settings):
        with pytest.raises(StudyError, match="the study is gone from"):
            read(store, 1)


def test_each_has_a_log_of_their_own(store, place):
    ann, ben = (invite(store, store.record(), name) for name in ("Ann", "Ben"))
    session = storage.open(place, log=ann.log)
    session.ask()
    session.tell("left", who=ann.participant)
    assert len(storage.open(place, log=ann.log).answers) == 1
    assert not storage.open(place, log=ben.log).answers
    assert not askwise.open(place).answers
    assert [each.name for each in people(store, store.record().study)] == ["Ann", "Ben"]
    assert store.names() == [store.record().name]


def test_all_share_one(store):
    set_mode(store, store.record().study, "pooled")
    record = store.record()
    assert {invite(store, record, name).log for name in ("Ann", "Ben")} == {record.study}
    with pytest.raises(StudyError, match="people were invited already"):
        set_mode(store, record.study, "own")


def test_pausing_and_closing(store):
    record = store.record()
    ann = invite(store, record, "Ann", quota=3)
    pause(store, record.study, ann.participant, True)
    assert person(store, record.study, ann.participant).paused
    assert person(store, record.study, "nobody") is None
    assert person(store, record.study, ann.participant).quota == 3
    for state in ("paused", "open", "closed"):
        set_state(store, record.study, state)
        assert store.record().state == state
    with pytest.raises(StudyError, match="a closed study stays closed"):
        set_state(store, record.study, "open")
    with pytest.raises(SettingError, match="not 'ajar'"):
        set_state(store, record.study, "ajar")
    with pytest.raises(SettingError, match="at least one answer"):
        invite(store, record, "Cy", quota=0)


def test_a_link_is_signed(store):
    study = store.record().study
    ann, ben = (invite(store, store.record(), name) for name in ("Ann", "Ben"))
    token = token_of(store, study, ann.participant)
    assert participant_for_token(store, study, token) == (ann, StudySettings("open", why=False, beyond=False))
    mark = token.partition(".")[2]
    for forged in ("", ann.participant, f"{ben.participant}.{mark}", token[:-1], token + "x", f"{ann.participant}.é"):
        assert participant_for_token(store, study, forged) is None


def test_a_copy_takes_people_and_their_links_along(store, place, tmp_path):
    ann = invite(store, store.record(), "Ann", quota=5)
    token = token_of(store, store.record().study, ann.participant)
    session = storage.open(place, log=ann.log)
    session.ask()
    session.tell("left", who=ann.participant)
    copy_study(place, tmp_path / "copy.askwise")
    there = Store.at(Address.of(tmp_path / "copy.askwise"))
    again, _ = participant_for_token(there, there.record().study, token)
    assert (again.name, again.quota) == ("Ann", 5)
    assert storage.open(tmp_path / "copy.askwise", log=again.log).log == session.log
