"""Checks with known answers and repeated questions: due when they should be, scored apart."""

from __future__ import annotations

import pytest

import askwise
from askwise.errors import AnswerError
from askwise.storage.address import Address
from askwise.storage.checks import due_check, past_checks, record_check
from askwise.storage.crowd import CheckQuestion, CrowdSettings
from askwise.storage.participants import invite, person
from askwise.storage.permission import NotNow
from askwise.storage.quality import answer_quality
from askwise.storage.store import Store

KNOWN = CheckQuestion("Choose red.", ("red", "blue"), "red")


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "drinks.askwise"
    askwise.save(askwise.best_item([f"item {i}" for i in range(9)], draws=40, seed=1, epsilon=1e-6), path)
    return Store.at(Address.of(path))


@pytest.fixture
def ann(store):
    return invite(store, store.record(), "Ann")


def answered(store, someone, count, response="left", seconds=3.0):
    session = askwise.storage.resume(store, someone.log)
    for number in range(count):
        said = response if isinstance(response, str) else response[number % len(response)]
        session.tell(said, session.ask(), who=someone.participant, seconds=seconds)
    return session


def due(settings, store, someone, session):
    past, log = past_checks(store, 1, someone.participant), session.event_log
    return due_check(settings, someone.participant, log.closed(someone.participant), log.ask_events, past, KNOWN)


def test_own_checks_come_in_turn_after_every_so_many_answers(store, ann):
    own = tuple(CheckQuestion(f"{n} + 1?", (str(n), str(n + 1)), str(n + 1)) for n in range(2))
    settings = CrowdSettings(check_every=2, checks=own)
    session = answered(store, ann, 1)
    assert due(settings, store, ann, session) is None
    session = answered(store, ann, 1)
    first = due(settings, store, ann, session)
    assert (first.kind, first.event["text"], first.event["responses"]) == ("attention", "0 + 1?", ["0", "1"])
    assert record_check(store, 1, ann.participant, first, "1", "key-1", 2.0)
    assert due(settings, store, ann, session) is None
    session = answered(store, ann, 2)
    second = due(settings, store, ann, session)
    assert second.event["text"] == "1 + 1?"
    assert not record_check(store, 1, ann.participant, second, "1", "key-2", 2.0)
    assert len(session.answers) == 4  # none of them is an answer


def test_a_check_counts_once(store, ann):
    settings = CrowdSettings(check_every=1)
    check = due(settings, store, ann, answered(store, ann, 1))
    assert record_check(store, 1, ann.participant, check, "red", "key-1", None)
    assert record_check(store, 1, ann.participant, check, "red", "key-1", None)  # sent again
    with pytest.raises(AnswerError, match="answered before"):
        record_check(store, 1, ann.participant, check, "blue", "key-2", None)
    with pytest.raises(AnswerError, match="not one of"):
        record_check(store, 1, ann.participant, check, "purple", "key-3", None)
    assert [past.passed for past in past_checks(store, 1, ann.participant)] == [True]


def test_whoever_fails_too_many_is_screened_out(store, ann):
    settings = CrowdSettings(check_every=1, max_failed=2)
    for number, said in enumerate(("blue", None)):  # wrong, and skipped
        check = due(settings, store, ann, answered(store, ann, 1))
        assert not record_check(store, 1, ann.participant, check, said, f"key-{number}", None, settings.max_failed)
    assert person(store, 1, ann.participant).status == "screened out"
    with pytest.raises(NotNow):
        answered(store, ann, 1)


def test_a_repeated_pair_is_shown_the_other_way_round(store, ann):
    settings = CrowdSettings(repeat_every=4)
    session = answered(store, ann, 4)
    again = due(settings, store, ann, session)
    original = again.question.split("-")[2]
    event = session.event_log.ask_events[original]
    names = [option["name"] for option in event["options"]]
    assert [option["name"] for option in again.event["options"]] == names[::-1]
    assert f"{names[1]} or {names[0]}" in again.event["text"]
    assert (again.passes("right"), again.passes("left"), again.passes(None)) == (True, False, False)
    assert again.passes(names[0])
    assert again == due(settings, store, ann, session)  # the same one on every server
    assert record_check(store, 1, ann.participant, again, "right", "key-1", 2.0)
    session = answered(store, ann, 4)
    assert due(settings, store, ann, session).question.split("-")[2] != original


@pytest.mark.parametrize(
    ("options", "swapped"),
    [
        ({"question": "Is {left} better than {right}?", "answers": {"left": "Yes", "right": "No"}}, False),
        ({"question": "Is {left} better than {right}?"}, False),
        ({"answers": {"left": "Reply A", "right": "Reply B"}}, False),
        ({"question": "Would you rather drink {names}?"}, True),
        ({"question": "Which is better?"}, True),
    ],
)
def test_a_repeated_pair_in_the_owners_words_asks_the_same(tmp_path, options, swapped):
    """The sides are swapped only where the text stays true; whoever says the same again passes."""
    path = tmp_path / "drinks.askwise"
    askwise.save(askwise.best_item([f"item {i}" for i in range(9)], draws=40, seed=1, epsilon=1e-6, **options), path)
    store = Store.at(Address.of(path))
    ann = invite(store, store.record(), "Ann")
    session = answered(store, ann, 4)
    again = due(CrowdSettings(repeat_every=4), store, ann, session)
    event = session.event_log.ask_events[again.question.split("-")[2]]
    sides = ["right", "left"] if swapped else ["left", "right"]
    assert again.event["options"] == (event["options"][::-1] if swapped else event["options"])
    assert [again.passes(side) for side in sides] == [True, False]
    assert ("{left}" not in options.get("question", "")) or again.event["text"] == event["text"]


def test_flags(store, ann):
    ben, cem = (invite(store, store.record(), name) for name in ("Ben", "Cem"))
    answered(store, ann, 12, ("left", "right"))
    answered(store, ben, 12, "left", seconds=0.2)
    check = due(CrowdSettings(check_every=12), store, ann, answered(store, ann, 0))
    record_check(store, 1, ann.participant, check, "blue", "key-1", None)
    answered(store, cem, 3)
    found = {one.name: one for one in answer_quality(store, store.record())}
    assert found["Ann"].flags == ("failed checks",)
    assert (found["Ann"].checks, found["Ann"].checks_passed, found["Ann"].same_place) == (1, 0, 0.5)
    assert found["Ben"].flags == ("fast", "same place")
    assert (found["Cem"].flags, found["Cem"].seconds, found["Cem"].same_place) == ((), None, None)
