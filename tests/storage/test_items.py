"""Items that come and go in stored studies: in everybody's log at once and exactly once, replayed to the same state."""

import subprocess
import sys
import time

import numpy as np
import pytest

import askwise
from askwise import storage
from askwise.errors import DataError, StudyError
from askwise.storage.address import Address
from askwise.storage.item_changes import change_items, listed_items
from askwise.storage.participants import invite
from askwise.storage.populations import begin_log
from askwise.storage.store import Store
from tests.models import assert_same_state

NAMES = [f"item {place}" for place in range(6)]


def study(path, **options):
    askwise.save(askwise.best_item(NAMES, seed=2, draws=30, epsilon=1e-6, **options), path)
    return Store.at(Address.of(path))


def answer(path, log=None, count=3):
    session = storage.open(path, log=log)
    for _ in range(count):
        session.ask()
        session.tell("left")
    storage.close(session)


def test_a_study_opens_with_its_items_from_a_checkpoint_and_by_replay(tmp_path):
    path = tmp_path / "s.askwise"
    study(path).close()
    session = askwise.open(path)
    for turn in range(24):  # past one checkpoint
        session.ask()
        session.tell("left" if turn % 3 else "right")
        if turn == 4:
            session.add_items(["late"])
        if turn == 8:
            session.retire("item 1")
    assert session.journal.store.checkpoint(1) is not None
    resumed = askwise.open(path)
    assert_same_state(resumed, session)
    assert_same_state(askwise.from_json(session.to_json()), session)
    session.undo("q2")  # an answer from before both changes
    assert_same_state(askwise.from_json(session.to_json()), session)
    assert np.array_equal(resumed.prior.base_covariance, session.prior.base_covariance)


def test_everybody_sees_the_change_in_their_own_log(tmp_path):
    path = tmp_path / "s.askwise"
    store = study(path)
    record = store.record()
    begun, fresh = (invite(store, record, name) for name in ("Ann", "Ben"))
    answer(path, begun.log)
    assert change_items(store, ["late"], ["item 0"], key="the change")
    assert not change_items(store, ["late"], ["item 0"], key="the change")
    later = invite(store, record, "Cem")
    for person in (None, begun.log, fresh.log, later.log):
        session = storage.open(path, log=person)
        assert session.problem.family.active_names == (*NAMES[1:], "late")
        changes = [event for event in session.log if event["event"] == "items"]
        assert len(changes) == (1 if person in (None, begun.log) else 0)
        assert_same_state(askwise.from_json(session.to_json()), session)
        answer(path, person, 2)
    assert listed_items(store) == ([*NAMES[1:], "late"], ["item 0"])


def test_one_person_cannot_change_the_items_of_all(tmp_path):
    path = tmp_path / "s.askwise"
    store = study(path)
    person = invite(store, store.record(), "Ann")
    with pytest.raises(StudyError, match="items belong to the whole study, not to one person's answers"):
        storage.open(path, log=person.log).retire("item 0")


def test_two_programs_change_one_study(tmp_path):
    """Each has read the log before the other wrote; both changes are there, and a name is taken once."""
    path = tmp_path / "s.askwise"
    study(path).close()
    one, two = askwise.open(path), askwise.open(path)
    question = two.ask()
    one.retire(question.options[0].name)
    two.tell("left", question)
    two.add_items(["late"])
    with pytest.raises(DataError, match="an item 'late' is there already"):
        one.add_items(["late"])
    one.refresh()
    assert_same_state(one, two)
    assert len(one.answers) == 1


def test_an_answer_to_a_question_that_another_program_withdrew_is_kept(tmp_path):
    path = tmp_path / "s.askwise"
    store = study(path)
    session = askwise.open(path)
    question = session.ask()
    change_items(store, None, [question.options[1].name])
    session.tell("right", question)
    assert len(session.answers) == 1
    assert_same_state(askwise.open(path), session)


def test_people_invited_later_start_from_those_before_on_the_new_table(tmp_path):
    path = tmp_path / "s.askwise"
    store = study(path)
    record = store.record()
    for name in ("Ann", "Ben", "Cem"):
        answer(path, invite(store, record, name).log, 6)
    waiting = invite(store, record, "Dan")
    assert begin_log(store, waiting.log)  # from three people, about six items
    change_items(store, ["late"])
    session = storage.open(path, log=waiting.log)
    assert session.prior.people_before == 3
    assert session.prior.family.dimension == 7
    assert session.problem.family.names[-1] == "late"
    after = invite(store, record, "Eva")
    assert begin_log(store, after.log)
    assert len(storage.open(path, log=after.log).recipe["options"]["population"]["mean"]) == 7


def test_a_saved_session_takes_its_changes_along(tmp_path):
    session = askwise.best_item(NAMES, seed=2, draws=30)
    path = tmp_path / "s.askwise"
    askwise.save(session, path)
    session.tell("left", session.ask())
    session.add_items(["late"])
    session.retire("item 0")
    session.tell("left", session.ask())
    askwise.save(session, path)
    assert_same_state(askwise.open(path), session)


def test_pictures_of_new_rows_are_stored_and_none_is_replaced(tmp_path):
    store = study(tmp_path / "s.askwise")
    change_items(store, ["late"], pictures={"late.png": b"1"})
    assert store.image(1, "late.png") == b"1"
    with pytest.raises(DataError, match=r"has another picture 'late.png' already"):
        change_items(store, ["later"], pictures={"late.png": b"2"})
    assert listed_items(store)[0] == [*NAMES, "late"]


WRITER = """
import sys
from askwise.storage.address import Address
from askwise.storage.item_changes import change_items
from askwise.storage.store import Store
store = Store.at(Address.of(sys.argv[1]))
for number in range(int(sys.argv[2]), 10**6):
    change_items(store, [f"new {number}"], key=f"change {number:05}")
    print(number, flush=True)
"""


def test_a_writer_that_is_killed_leaves_each_change_in_all_logs_or_in_none(tmp_path):
    path = tmp_path / "s.askwise"
    store = study(path)
    logs = [invite(store, store.record(), name).log for name in ("Ann", "Ben")]
    for log in logs:
        answer(path, log, 1)
    store.close()
    rng, said = np.random.default_rng(3), []
    for _ in range(3):
        known = listed_items(Store.at(Address.of(path)))[0]
        command = [sys.executable, "-c", WRITER, str(path), str(len(known) - len(NAMES))]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            said.append(int(writer.stdout.readline()))  # it is at work
            time.sleep(0.2 * rng.random())
            writer.kill()
            said.extend(int(line) for line in writer.stdout)
        store = Store.at(Address.of(path))
        active, _ = listed_items(store)
        assert set(said) <= set(range(len(active) - len(NAMES)))
        assert active[len(NAMES) :] == [f"new {number}" for number in range(len(active) - len(NAMES))]
        for log in (1, *logs):
            session = storage.open(path, log=log)
            assert session.problem.family.names == tuple(active)
        store.close()
