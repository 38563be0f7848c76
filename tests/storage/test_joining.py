"""The door of a study: one place a person, no more people than are wanted, no answer after the end."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

import askwise
from askwise.errors import SettingError
from askwise.exchange.answers import study_answers_table
from askwise.exchange.studies import copy_study
from askwise.storage import exclusion
from askwise.storage.actions import actions_of, note_action
from askwise.storage.address import Address
from askwise.storage.consent import accept, completion_code, set_status
from askwise.storage.crowd import CrowdSettings, settings_from
from askwise.storage.erasure import erase_participant
from askwise.storage.exclusion import exclude
from askwise.storage.item_changes import change_items
from askwise.storage.joining import (
    change_crowd,
    crowd_settings,
    join,
    joined_counts,
    keep_place,
    link_parameters,
)
from askwise.storage.participants import invite, invite_all, pause, people, set_mode, set_settled, set_state
from askwise.storage.permission import NotNow
from askwise.storage.personal_data import person_data, study_data
from askwise.storage.schema import actions, participants
from askwise.storage.store import Store


def opened(place, **changes):
    askwise.save(askwise.best_item(["tea", "coffee", "water", "milk"], draws=40, seed=1), place)
    store = Store.at(Address.of(place))
    change_crowd(store, store.record().study, {"open": True, **changes})
    return store


@pytest.fixture
def path(tmp_path):
    return tmp_path / "drinks.askwise"


def come(store, who, /, **more):
    return join(store, store.record(), {"PROLIFIC_PID": who, **more})


def in_hours(hours):
    return (datetime.now(UTC) + timedelta(hours=hours)).isoformat()


def answer(store, person, response="left"):
    session = askwise.storage.resume(store, person.log)
    session.tell(response, session.ask(), who=person.participant)
    return session


def test_the_door_is_closed_unless_the_owner_opens_it(path):
    askwise.save(askwise.best_item(["tea", "coffee"], draws=40), path)
    store = Store.at(Address.of(path))
    assert come(store, "ann").refused == "shut"
    assert people(store, 1) == []


def test_one_person_has_one_place_however_often_and_wherever_they_come(place):
    """Ten clicks at once on two servers, while there is room for three."""
    store = opened(place, people=3)
    stores = [store, Store.at(Address.of(place))]
    found, barrier = [], threading.Barrier(10)

    def click(number):
        barrier.wait()
        found.append((number % 5, come(stores[number % 2], f"person {number % 5}")))

    threads = [threading.Thread(target=click, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 10
    places = {who: {one.person.participant for other, one in found if other == who and one.person} for who in range(5)}
    assert sorted(map(len, places.values())) == [0, 0, 1, 1, 1]
    assert len(people(store, store.record().study)) == 3
    for each in stores:
        each.close()


def test_whoever_declines_or_is_screened_out_makes_room(path):
    store = opened(path, people=1)
    first = come(store, "ann").person
    assert come(store, "ben").refused == "full"
    set_status(store, 1, first.participant, "declined")
    assert come(store, "ben").person is not None
    assert come(store, "ann").person.status == "declined"
    assert joined_counts(store, 1) == {"answering": 1, "declined": 1}


def hours_later(store, hours):
    """Everything that was done about people was done so long ago."""
    moment = (datetime.now(UTC) - timedelta(hours=hours)).isoformat(timespec="microseconds")
    with store.begin() as connection:
        connection.execute(update(participants).values(created=moment))
        connection.execute(update(actions).values(time=moment))


def test_the_place_of_somebody_who_never_answers_is_free_after_a_while(place):
    store = opened(place, people=2, hold_minutes=90)
    study = store.record().study
    ann, ben = (come(store, who).person for who in ("ann", "ben"))
    answer(store, ann)
    hours_later(store, 1)
    assert come(store, "cem").refused == "full"
    hours_later(store, 2)
    assert come(store, "cem").person is not None  # in the place of Ben, since Ann has answered
    assert come(store, "dan").refused == "full"
    assert [keep_place(store, study, one.participant) for one in (ann, ben)] == [True, False]
    with pytest.raises(NotNow, match="all the people"):
        answer(store, ben)
    answer(store, ann)
    change_crowd(store, study, {"people": 3})
    assert keep_place(store, study, ben.participant)
    assert come(store, "dan").refused == "full"
    answer(store, ben)
    hours_later(store, 2)
    assert come(store, "dan").person is not None  # in the place of Cem
    store.close()


@pytest.mark.parametrize("mode", ["own", "pooled"])
def test_a_skip_and_an_answer_taken_back_keep_a_place(path, mode):
    store = opened(path, people=2)
    set_mode(store, 1, mode)
    ann, ben = (come(store, who).person for who in ("ann", "ben"))
    session = askwise.storage.resume(store, ann.log)
    session.skip(session.ask(), who=ann.participant)
    session = askwise.storage.resume(store, ben.log)
    session.tell("left", session.ask(), who=ben.participant)
    session.undo(who=ben.participant)
    hours_later(store, 2)
    assert come(store, "cem").refused == "full"


def test_a_free_place_goes_to_one_of_those_who_come_for_it(place):
    """Eight people at once on two servers: some are new, others come back after a while."""
    store = opened(place, people=3)
    study = store.record().study
    back = [come(store, f"early {number}").person for number in range(3)]
    hours_later(store, 2)
    change_crowd(store, study, {"people": 2})
    stores, found, barrier = [store, Store.at(Address.of(place))], [], threading.Barrier(8)

    def click(number):
        barrier.wait()
        server = stores[number % 2]
        if number < 3:
            found.append(keep_place(server, study, back[number].participant))
        else:
            found.append(come(server, f"late {number}").person is not None)

    threads = [threading.Thread(target=click, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(found), sum(found)) == (8, 2)
    for each in stores:
        each.close()


def test_whoever_accepts_late_gets_their_place_back_only_while_there_is_room(path):
    store = opened(path, people=1, consent="I take part.")
    ann = come(store, "ann").person
    hours_later(store, 2)
    ben = come(store, "ben").person
    version = crowd_settings(store, 1).consent_version
    with pytest.raises(NotNow, match="all the people"):
        accept(store, 1, ann.participant, version)
    set_status(store, 1, ben.participant, "declined")
    accept(store, 1, ann.participant, version)
    assert come(store, "cem").refused == "full"  # accepting keeps the place


def test_people_per_hour(path, monkeypatch):
    store = opened(path, people_per_hour=2)
    assert [come(store, who).refused for who in "abc"] == [None, None, "full"]
    with store.begin() as connection:
        connection.exec_driver_sql("UPDATE participants SET created = '2020-01-01T00:00:00.000000+00:00'")
    assert come(store, "c").refused is None


@pytest.mark.parametrize(
    ("changes", "refused"),
    [
        ({"opens": 1}, "early"),
        ({"closes": -1}, "late"),
        ({"opens": -1, "closes": 1}, None),
    ],
)
def test_hours(path, changes, refused):
    store = opened(path, **{name: in_hours(hours) for name, hours in changes.items()})
    assert come(store, "ann").refused == refused


def test_a_shared_study_that_is_settled_takes_nobody_new(path):
    store = opened(path)
    set_mode(store, 1, "pooled")
    set_settled(store, 1, "undecided is below 0.1")
    assert come(store, "ann").refused == "full"
    change_crowd(store, 1, {"close_when_settled": "no"})
    assert come(store, "ann").person is not None


def test_a_link_without_an_id_or_a_mere_preview_makes_nobody(path):
    store = opened(path)
    assert join(store, store.record(), {"STUDY_ID": "7"}).refused == "unknown"
    preview = {"workerId": "A", "assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"}
    assert join(store, store.record(), preview).refused == "preview"
    del preview["workerId"]  # which Mechanical Turk gives only to those who accepted the task
    assert join(store, store.record(), preview).refused == "preview"
    assert people(store, 1) == []


@pytest.mark.parametrize("given", [{"participant": "x" * 201}, {"participant": "\0"}])
def test_an_id_has_limits(given):
    with pytest.raises(SettingError):
        link_parameters(given)


def test_other_parameters_that_cannot_be_kept_are_left_out():
    given = {"jwt": "x" * 700, "x" * 201: "1", "nul": "\0", **{f"p{n}": "1" for n in range(40)}, "PROLIFIC_PID": "5f1"}
    found = link_parameters(given)
    assert list(found) == ["PROLIFIC_PID", *(f"p{n}" for n in range(29))]


def test_parameters_are_stored_exported_and_copied(path, tmp_path):
    store = opened(path, answers=5)
    person = come(store, "ann", STUDY_ID="7", who="x").person
    assert person.quota == 5
    answer(store, person)
    table = study_answers_table(store, 1)
    assert (table["PROLIFIC_PID"], table["STUDY_ID"], table["link who"]) == (["ann"], ["7"], ["x"])
    copy_study(path, tmp_path / "copy.askwise")
    other = Store.at(Address.of(tmp_path / "copy.askwise"))
    assert come(other, "ann").person.participant == person.participant
    assert crowd_settings(other, 1) == crowd_settings(store, 1)
    assert [action.kind for action in actions_of(other, 1)] == ["crowd changed", "joined"]


@pytest.mark.parametrize("reason", ["closed", "excluded", "late", "consent", "paused"])
def test_no_answer_is_written_once_it_may_not_be(place, reason):
    """The session was opened before, and knows nothing of it: the transaction refuses."""
    store = opened(place)
    study = store.record().study
    person = come(store, "ann").person
    session = askwise.storage.resume(store, person.log)
    session.tell("left", session.ask(), who=person.participant)
    question = session.ask()
    if reason == "closed":
        set_state(store, study, "closed")
    elif reason == "excluded":
        set_status(store, study, person.participant, "excluded")
    elif reason == "late":
        change_crowd(store, study, {"closes": in_hours(-1)})
    elif reason == "consent":
        change_crowd(store, study, {"consent": "I take part."})
    else:
        pause(store, study, person.participant, True)
    for attempt in (
        lambda: session.tell("left", question, who=person.participant),
        lambda: session.skip(question, who=person.participant),
        lambda: session.undo(who=person.participant),
    ):
        with pytest.raises(NotNow) as refused:
            attempt()
        assert refused.value.reason == reason
    assert len(askwise.storage.resume(store, person.log).answers) == 1
    store.close()


def test_an_answer_that_waits_for_an_exclusion_is_refused(database, monkeypatch):
    store = opened(f"{database}#some")
    person = come(store, "ann").person
    session = askwise.storage.resume(store, person.log)
    question, refused = session.ask(), []

    def tell():
        try:
            session.tell("left", question, who=person.participant)
        except NotNow as error:
            refused.append(error.reason)

    answering = threading.Thread(target=tell)

    def note_later(connection, *more):
        answering.start()
        while not connection.exec_driver_sql("SELECT count(*) FROM pg_locks WHERE NOT granted").scalar_one():
            time.sleep(0.01)
        note_action(connection, *more)

    monkeypatch.setattr(exclusion, "note_action", note_later)
    exclude(store, store.record(), person.participant)
    answering.join()
    assert refused == ["excluded"]
    assert askwise.storage.resume(store, person.log).answers == []
    store.close()


def test_somebody_who_is_erased_meanwhile_is_not_excluded(path, monkeypatch):
    store = opened(path)
    person = come(store, "ann").person

    def begin_later():
        monkeypatch.undo()
        erase_participant(store, store.record(), person.participant)
        return store.begin()

    monkeypatch.setattr(store, "begin", begin_later)
    with pytest.raises(askwise.AnswerError, match="erased"):
        exclude(store, store.record(), person.participant)
    assert [one.status for one in people(store, 1)] == ["erased"]


def test_nobody_is_given_the_link_of_a_person_of_a_panel(path):
    store = opened(path)
    joined = come(store, "ann").person
    [invited] = invite_all(store, store.record(), [joined.name])
    assert invited.name == joined.name
    assert invited.participant != joined.participant


def test_more_or_fewer_answers_apply_to_everybody_who_joined(path):
    store = opened(path, answers=8)
    come(store, "ann")
    invite(store, store.record(), "Ben", quota=3)
    invite(store, store.record(), "Cem")
    for answers in (20, None, 5):
        change_crowd(store, 1, {"answers": answers})
        assert [one.quota for one in people(store, 1)] == [answers, 3, None]
    change_crowd(store, 1, {"people": 9})
    assert people(store, 1)[0].quota == 5


def test_the_hours_of_the_door_do_not_bind_people_invited_by_name(path):
    store = opened(path, closes=in_hours(-1))
    ann = invite(store, store.record(), "Ann")
    assert len(answer(store, ann).answers) == 1


def test_consent_is_noted_with_its_version_and_asked_for_again_when_the_text_changes(path):
    store = opened(path, consent="I take part.", retention="Kept for a year.")
    person = come(store, "ann").person
    with pytest.raises(NotNow):
        answer(store, person)
    first = crowd_settings(store, 1).consent_version
    accept(store, 1, person.participant, first)
    answer(store, person)
    changed = change_crowd(store, 1, {"retention": "Kept for two years."}).consent_version
    assert changed != first
    with pytest.raises(askwise.AnswerError, match="changed meanwhile"):
        accept(store, 1, person.participant, first)
    with pytest.raises(NotNow):
        answer(store, person)
    accept(store, 1, person.participant, changed)
    noted = [(action.participant, action.detail) for action in actions_of(store, 1) if action.kind == "accepted"]
    assert noted == [(person.participant, {"version": first}), (person.participant, {"version": changed})]


def test_every_text_that_somebody_accepted_is_kept_and_exported(path, tmp_path):
    store = opened(path, consent="I take part.", retention="Kept for a year.")
    ann, ben = (come(store, who).person for who in ("ann", "ben"))
    first = crowd_settings(store, 1).consent_version
    accept(store, 1, ann.participant, first)
    second = change_crowd(store, 1, {"consent": "I take part again."}).consent_version
    accept(store, 1, ann.participant, second)
    set_status(store, 1, ben.participant, "declined", {"version": second})
    change_crowd(store, 1, {"people": 5})
    change_crowd(store, 1, {"consent": "Another one.", "retention": None})
    copy_study(path, tmp_path / "copy.askwise")
    for each in (store, Store.at(Address.of(tmp_path / "copy.askwise"))):
        found = study_data(each, each.record())
        texts = {one["version"]: (one["consent"], one["retention"]) for one in found["consents"]}
        assert texts == {
            first: ("I take part.", "Kept for a year."),
            second: ("I take part again.", "Kept for a year."),
            crowd_settings(each, 1).consent_version: ("Another one.", None),
        }
        decided = {one["person"]["participant"]: one["consents"] for one in found["people"]}
        assert [(one["kind"], one["version"], one["consent"]) for one in decided[ann.participant]] == [
            ("accepted", first, "I take part."),
            ("accepted", second, "I take part again."),
        ]
        assert [(one["kind"], one["retention"]) for one in decided[ben.participant]] == [
            ("declined", "Kept for a year.")
        ]


def test_the_consent_of_a_study_of_an_earlier_version_is_kept_when_it_is_changed(path):
    """Earlier versions noted which version somebody accepted, but not its text."""
    store = opened(path, consent="I take part.")
    ann = come(store, "ann").person
    accept(store, 1, ann.participant, crowd_settings(store, 1).consent_version)
    with store.begin() as connection:
        connection.exec_driver_sql("DELETE FROM actions WHERE kind = 'consent text'")
    assert person_data(store, store.record(), ann.participant)["consents"][0]["consent"] == "I take part."
    change_crowd(store, 1, {"consent": "Another one."})
    assert person_data(store, store.record(), ann.participant)["consents"][0]["consent"] == "I take part."


def test_whoever_declined_may_come_back_if_there_is_room(path):
    store = opened(path, consent="I take part.", people=1)
    ann = come(store, "ann").person
    version = crowd_settings(store, 1).consent_version
    set_status(store, 1, ann.participant, "declined")
    ben = come(store, "ben").person
    with pytest.raises(NotNow, match="all the people"):
        accept(store, 1, ann.participant, version)
    set_status(store, 1, ben.participant, "declined")
    accept(store, 1, ann.participant, version)
    assert come(store, "ann").person.status is None


def test_completion_codes(path):
    store = opened(path)
    own = [completion_code(store, 1, who, CrowdSettings()) for who in "ab"]
    assert len(set(own)) == 2
    assert own[0] == completion_code(store, 1, "a", CrowdSettings())
    assert completion_code(store, 1, "a", CrowdSettings(code="C123")) == "C123"


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("people", 0, "a whole number"),
        ("people", True, "a whole number"),
        ("people", "²", "a whole number"),
        ("open", "perhaps", "yes or no"),
        ("opens", "tomorrow", "a time such as"),
        ("opens", "0001-01-01T00:00+05:00", "a time such as"),
        ("return_done", "javascript:alert(1)", "an address such as"),
        ("return_done", "/relative", "an address such as"),
        ("return_done", "https://{PROLIFIC_PID}/done", "an address such as"),
        ("return_done", "https://panel.example{x}/done", "an address such as"),
        ("language", "german", "two letters"),
        ("checks", "[1]", "a list such as"),
        ("checks", [{"text": "2 + 2?", "options": ["3", "5"], "answer": "4"}], "not an option"),
        ("checks", [{"text": "2 + 2?", "options": ["4"], "answer": "4"}], "different options"),
        ("consent", "a\0b", "a text of at most"),
        ("nonsense", 1, "no setting 'nonsense'"),
        ("closes", "2020-01-01", "before it opens"),
    ],
)
def test_settings_that_make_no_sense_are_refused_in_a_sentence(name, value, words):
    with pytest.raises(SettingError, match=words):
        CrowdSettings(opens="2026-01-01T00:00:00+00:00").changed({name: value})


def test_an_empty_value_brings_back_the_default():
    given = CrowdSettings().changed(
        {"people": "5", "code": "C", "checks": [{"text": "?", "options": "ab", "answer": "a"}]}
    )
    assert settings_from(None) == CrowdSettings() == given.changed({"people": "", "code": None, "checks": []})


@pytest.mark.parametrize("mode", ["own", "pooled"])
def test_people_answer_while_the_owner_changes_things_and_nobody_waits_for_ever(database, mode):
    """Locks are taken in one order: nothing fails by a deadlock."""
    place = f"{database}#some"
    askwise.save(askwise.best_item([f"item {i}" for i in range(30)], draws=40, seed=1, epsilon=1e-6), place)
    store = Store.at(Address.of(place))
    study = store.record().study
    set_mode(store, study, mode)
    change_crowd(store, study, {"open": True})
    invited = [come(store, f"person {number}").person for number in range(4)]
    for one in invited:
        answer(store, one)  # so that their logs have begun
    failed = []

    def attempt(work):
        try:
            work()
        except Exception as error:
            failed.append(error)

    def answers(person):
        session = askwise.open(place, log=person.log)
        for _ in range(8):
            session.tell("left", session.ask(), who=person.participant)

    def changes():
        for number in range(6):
            change_items(store, [f"new {number}"], None)
            change_crowd(store, study, {"people": 100 + number})
            come(store, f"late {number}")

    work = [*(lambda one=one: answers(one) for one in (invited if mode == "own" else invited[:1])), changes]
    threads = [threading.Thread(target=attempt, args=(each,)) for each in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.close()
    assert failed == []
