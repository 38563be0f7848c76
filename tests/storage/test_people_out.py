"""People whose answers do not count, and people whose answers are gone: logs stay consistent, and replay."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import askwise
from askwise.errors import SettingError, StudyError
from askwise.exchange.answers import answers_table, study_answers_table
from askwise.goals import goal_of
from askwise.storage.actions import actions_of
from askwise.storage.address import Address
from askwise.storage.erasure import delete_study, erase_participant
from askwise.storage.exclusion import exclude, uncounted_logs
from askwise.storage.joining import change_crowd, join
from askwise.storage.participants import invite, people, set_mode
from askwise.storage.personal_data import person_data, study_data
from askwise.storage.populations import logs_before_next
from askwise.storage.store import Store
from askwise.storage.usage import answer_counts
from tests.helpers import stored_bytes
from tests.models import assert_same_state

TABLE = [{"name": f"item {i}", "x": (7 * i) % 11, "y": (5 * i) % 13} for i in range(12)]


def shared(place, rounds=3, names=("Ann", "Ben", "Cem")):
    """A shared study in which everybody has answered; Ann has taken an answer back."""
    askwise.save(askwise.best_item(TABLE, draws=60, seed=2, epsilon=1e-6), place)
    store = Store.at(Address.of(place))
    set_mode(store, store.record().study, "pooled")
    invited = [invite(store, store.record(), name) for name in names]
    session = askwise.open(place)
    for turn in range(rounds):
        for number, one in enumerate(invited):
            session.tell(("left", "right")[(turn + number) % 2], session.ask(), who=one.participant, seconds=2.0)
    session.undo(who=invited[0].participant)
    session.skip(session.ask(), who=invited[0].participant)
    askwise.storage.close(session)
    return store, invited


def without(session, who):
    """The diameter of a session that never heard this person, with the same answers of the others."""
    fresh = askwise.goals.remake(session.recipe)
    told = {id: given for id, given in session.event_log.answers_without([]).items() if given[1].who != who}
    return fresh.round.beliefs.with_answers(told)


def test_whoever_is_excluded_does_not_count_and_counts_again(place):
    store, (ann, *_) = shared(place)
    before = askwise.open(place)
    exclude(store, store.record(), ann.participant, reason="a robot")
    after = askwise.open(place)
    assert len(after.answers) == len(before.answers) - 2
    assert {answer.who for answer in after.answers}.isdisjoint({ann.participant})
    expected = without(before, ann.participant).posterior
    assert_same_posterior(after.round.beliefs.posterior, expected)
    table = answers_table(after)
    assert table["status"].count("excluded") == 2
    exclude(store, store.record(), ann.participant, excluded=False)
    again = askwise.open(place)
    assert_same_posterior(again.round.beliefs.posterior, before.round.beliefs.posterior)
    assert [answer.who for answer in again.answers] == [answer.who for answer in before.answers]
    kinds = [(action.kind, action.detail) for action in actions_of(store, store.record().study)]
    assert kinds == [("excluded", {"reason": "a robot"}), ("included", {})]


def assert_same_posterior(one, other):
    draws = [each.sample(50, np.random.default_rng(1)).structures for each in (one, other)]
    assert np.array_equal(*draws)


def test_live_sessions_replays_and_checkpoints_agree_about_the_excluded(tmp_path):
    path = tmp_path / "cars.askwise"
    store, (ann, ben, _) = shared(path)
    live = askwise.open(path)
    exclude(store, store.record(), ann.participant)
    live.refresh()
    live.tell("left", live.ask(), who=ben.participant)
    resumed = askwise.open(path)
    replayed = askwise.from_json(resumed.to_json())
    assert_same_state(live, resumed)
    assert_same_state(live, replayed)
    assert live.round.beliefs.revision == live.event_log.counts.revision == resumed.round.beliefs.revision
    askwise.storage.close(live)  # which leaves a checkpoint
    assert_same_state(askwise.open(path), replayed)
    question = replayed.ask()
    assert askwise.open(path).ask().text == question.text


def test_an_answer_of_somebody_excluded_changes_no_belief(tmp_path):
    path = tmp_path / "cars.askwise"
    store, (ann, *_) = shared(path)
    exclude(store, store.record(), ann.participant)
    session = askwise.from_json(askwise.open(path).to_json())  # in memory, where nobody refuses it
    before = session.diameter, len(session.answers)
    session.tell("left", session.ask(), who=ann.participant)
    assert (session.diameter, len(session.answers)) == before
    session.undo(who=ann.participant)
    assert session.round.beliefs.revision == session.event_log.counts.revision


def test_nobody_starts_from_a_person_who_is_excluded(tmp_path):
    path = tmp_path / "cars.askwise"
    askwise.save(askwise.best_item(TABLE, draws=60, seed=2, epsilon=1e-6), path)
    store = Store.at(Address.of(path))
    invited = [invite(store, store.record(), name) for name in ("Ann", "Ben", "Cem")]
    for one in invited:
        session = askwise.open(path, log=one.log)
        for _ in range(5):
            session.tell("left", session.ask(), who=one.participant)
    assert len(logs_before_next(store.record(), answer_counts(store, 1), uncounted_logs(store, 1))) == 3
    exclude(store, store.record(), invited[0].participant)
    assert logs_before_next(store.record(), answer_counts(store, 1), uncounted_logs(store, 1)) == []
    assert study_answers_table(store, 1)["status"].count("excluded") == 5


def test_erased_answers_are_skips_and_the_shared_log_replays(place):
    store, (ann, ben, _) = shared(place)
    number = store.record().study
    before = askwise.open(place)
    kept = [answer for answer in before.answers if answer.who != ann.participant]
    checkpoint = store.checkpoint(number)
    assert checkpoint is not None
    erase_participant(store, store.record(), ann.participant)
    after = askwise.open(place)
    assert [answer.who for answer in after.answers] == [answer.who for answer in kept]
    hers = [event for event in after.log if event.get("who") == ann.participant]
    assert {event["event"] for event in hers} == {"skip", "undo"}
    assert all(event["erased"] and "response" not in event and "seconds" not in event for event in hers)
    assert len(after.log) == len(before.log)
    assert_same_state(after, askwise.from_json(after.to_json()))
    with pytest.raises(StudyError, match="open it again"):
        before.tell("left", before.ask(), who=ben.participant)  # a program that had the log open
    after.tell("left", after.ask(), who=ben.participant)
    tombstone = next(one for one in people(store, number) if one.participant == ann.participant)
    assert (tombstone.name, tombstone.status) == ("erased", "erased")
    erase_participant(store, store.record(), ann.participant)  # once more changes nothing
    with pytest.raises(askwise.AnswerError, match="were erased"):
        exclude(store, store.record(), ann.participant)


def test_nothing_of_an_erased_person_is_left_in_the_file(tmp_path):
    path = tmp_path / "cars.askwise"
    askwise.save(askwise.best_item(TABLE, draws=60, seed=2, epsilon=1e-6), path)
    store = Store.at(Address.of(path))
    change_crowd(store, 1, {"open": True})
    person = join(store, store.record(), {"PROLIFIC_PID": "5f1e4d3c2b1a"}).person
    session = askwise.open(path, log=person.log)
    session.skip(session.ask(), reason="my-secret-reason", who=person.participant)
    session.tell("left", session.ask(), who=person.participant, note="my-secret-note")
    askwise.storage.close(session)
    secrets = (b"5f1e4d3c2b1a", b"my-secret-reason", b"my-secret-note")
    store.close()
    assert all(secret in path.read_bytes() for secret in secrets)
    store = Store.at(Address.of(path), wal_pages=1000)  # as a server that goes on
    erase_participant(store, store.record(), person.participant)
    assert not any(secret in path.read_bytes() for secret in secrets)
    assert askwise.storage.resume(store, person.log).log == []
    again = join(store, store.record(), {"PROLIFIC_PID": "5f1e4d3c2b1a"}).person
    assert (again.participant, again.status) == (person.participant, "erased")
    store.close()
    assert not any(secret in path.read_bytes() for secret in secrets)
    assert not Path(f"{path}-wal").exists()


def test_what_a_study_holds_about_somebody(tmp_path):
    store, (ann, *_) = shared(tmp_path / "cars.askwise")
    found = person_data(store, store.record(), ann.participant)
    assert [answer["status"] for answer in found["answers"]] == ["answered", "answered", "undone", "skipped"]
    assert found["person"]["name"] == "Ann"
    whole = study_data(store, store.record())
    assert len(whole["people"]) == 3
    assert len(whole["log"]) == len(askwise.open(tmp_path / "cars.askwise").log)
    with pytest.raises(SettingError, match="nobody here"):
        person_data(store, store.record(), "nobody")


def test_a_study_is_deleted_with_everything(place):
    store, _ = shared(place)
    delete_study(store, store.record())
    assert not Address.of(place).exists()
    if Address.of(place).is_file:
        assert list(Path(place).parent.iterdir()) == []
    else:
        assert Store.at(Address.of(place)).names() == []


def group(place, people):
    """A group that decides together in which two people have answered, and the owner has changed how it decides."""
    askwise.save(askwise.group_item(TABLE[:5], people, draws=60, seed=2, epsilon=1e-6), place)
    store = Store.at(Address.of(place))
    invited = [invite(store, store.record(), name) for name in ("Annabella", "Benedikt")]
    session = askwise.open(place)
    for turn in range(4):
        who = invited[turn % 2].name
        session.tell("left", session.ask(who=who), who=who)
    session.skip(session.ask(who="Annabella"), who="Annabella", reason="Annabella has no opinion")
    askwise.change_goal(session, "group_item", by="worst-off")
    session.tell("left", session.ask(who="Benedikt"), who="Benedikt")
    askwise.storage.close(session)
    store.keep_forecast(store.record().study, "fallback questions", {"goal": "x", "questions": [{"who": "Annabella"}]})
    return store, invited


@pytest.mark.parametrize("named", [["Annabella", "Benedikt", "Cleo"], 3])
def test_the_name_of_somebody_erased_from_a_group_is_nowhere_and_the_others_go_on(place, named):
    store, (ann, ben) = group(place, named)
    number = store.record().study
    assert b"Annabella" in stored_bytes(store)
    erase_participant(store, store.record(), ann.participant)
    assert b"Annabella" not in stored_bytes(store)
    after = askwise.open(place)
    assert [answer.who for answer in after.answers] == ["Benedikt"] * 3
    assert goal_of(after).absence(after).left_out == ("erased",)
    assert_same_state(after, askwise.from_json(after.to_json()))
    after.tell("left", after.ask(who="Benedikt"), who="Benedikt")
    assert after.ask().who != "erased"
    askwise.storage.close(after)
    erase_participant(store, store.record(), ben.participant)
    assert b"Benedikt" not in stored_bytes(store)
    assert [one.name for one in people(store, number)] == ["erased", "erased 2"]
    assert len(askwise.open(place).answers) == 0
    store.close()
    if Address.of(place).is_file:
        assert b"Annabella" not in Path(place).read_bytes()


def test_a_group_of_which_everybody_was_erased_still_opens(tmp_path):
    path = tmp_path / "cars.askwise"
    store, invited = group(path, ["Annabella", "Benedikt"])
    for one in invited:
        erase_participant(store, store.record(), one.participant)
    assert not any(name in stored_bytes(store) for name in (b"Annabella", b"Benedikt"))
    assert askwise.open(path).recipe["options"]["people"] == ["erased", "erased 2"]


def test_the_name_of_an_anchor_who_was_erased_is_nowhere(tmp_path):
    path = tmp_path / "cars.askwise"
    askwise.save(askwise.best_item(TABLE, draws=60, seed=2, epsilon=1e-6, anchor="Annabella"), path)
    store = Store.at(Address.of(path))
    set_mode(store, 1, "pooled")
    ann = invite(store, store.record(), "Annabella")
    session = askwise.open(path)
    session.tell("left", session.ask(), who="Annabella")
    askwise.storage.close(session)
    erase_participant(store, store.record(), ann.participant)
    assert b"Annabella" not in stored_bytes(store)
    assert askwise.open(path).answers == []
