"""A study through JSON and a copy are the same study."""

from __future__ import annotations

import pytest

import askwise
from askwise.errors import DataError, StudyError
from askwise.exchange.studies import copy_study, read_json, write_json
from askwise.storage import close
from askwise.storage.address import Address
from askwise.storage.store import EVENTS, Store


def test_a_study_written_as_json_is_read_as_the_same_study(eventful_session, tmp_path):
    session, _ = eventful_session
    write_json(session, tmp_path / "study.json")
    recipe, log = read_json(tmp_path / "study.json")
    assert recipe == session.recipe
    assert log == session.log
    Store.create(Address.of(tmp_path / "new.askwise"), recipe, {}, log)
    opened = askwise.open(tmp_path / "new.askwise")
    assert opened.to_json() == session.to_json()
    assert opened.ask() == session.ask()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: text[:-9], "is not a study written by askwise"),
        (lambda text: "[1, 2]", "is not a study written by askwise"),
        (lambda text: text.replace('"askwise": 1', '"askwise": 99'), "written by a newer askwise"),
        (lambda text: text.replace('"goal": "best_item"', '"goal": "no_such_goal"'), "a goal or an option"),
        (lambda text: text.replace('"event": "tell"', '"event": "sing"'), "not 'sing'"),
        (lambda text: text.replace('"question": "q1"', '"question": "q9"', 1), "there is no question 'q1'"),
        (lambda text: text.replace('"log": [', '"log": ["x", '), "is not a study written by askwise"),
    ],
)
def test_what_is_not_a_study_is_refused(change, words, eventful_session, tmp_path):
    path = tmp_path / "study.json"
    text = eventful_session[0].to_json()
    path.write_text(change(text))
    assert path.read_text() != text
    with pytest.raises(DataError, match=words):
        read_json(path)


def test_json_that_cannot_be_read_or_written(tmp_path):
    with pytest.raises(StudyError, match=r"none\.json cannot be read: No such file"):
        read_json(tmp_path / "none.json")
    with pytest.raises(StudyError, match="built by hand or with a function of your own"):
        write_json(askwise.best_item(["tea", "milk"], rule=lambda *args: None), tmp_path / "x.json")


def content(address):
    """Everything in a study but when and where it was made."""
    store = Store.at(Address.of(address))
    record = store.record()
    found = (
        record.recipe,
        record.digest,
        store.read(EVENTS, study=record.study, since=0),
        store.images(record.study),
        store.checkpoint(record.study),
    )
    store.close()
    return found


@pytest.fixture
def original(eventful_session, tmp_path):
    path = tmp_path / "one.askwise"
    session, _ = eventful_session
    Store.create(Address.of(path), session.recipe, {"a.png": b"\x89PNG", "b.png": bytes(range(256))}, session.log)
    close(askwise.open(path))  # leaves a checkpoint
    return path


def test_a_copy_is_the_same_study(original, place, tmp_path):
    copy_study(original, place)
    assert content(place) == content(original)
    assert content(original)[4] is not None
    back = tmp_path / "back.askwise"
    copy_study(place, back)
    assert content(back) == content(original)
    assert askwise.open(back).ask() == askwise.open(original).ask()


def test_a_copy_without_a_name_keeps_the_old_one(original, database):
    copy_study(original, database)
    assert Store.at(Address.of(database)).names() == ["one"]


def test_a_copy_replaces_nothing(original, place):
    copy_study(original, place)
    with pytest.raises(StudyError, match="already"):
        copy_study(original, place)
    assert content(place) == content(original)


def test_a_study_that_was_changed_is_not_copied(original, tmp_path):
    store = Store.at(Address.of(original))
    with store.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE events SET body = replace(body, 'Ann', 'Eve')")
    store.close()
    with pytest.raises(StudyError, match="was changed after it was written"):
        copy_study(original, tmp_path / "two.askwise")
    assert not (tmp_path / "two.askwise").exists()
    with pytest.raises(StudyError, match="there is no study"):
        copy_study(tmp_path / "none.askwise", tmp_path / "two.askwise")
