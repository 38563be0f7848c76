"""A study file that disappears, moves or is cut short in mid-session: what is acknowledged is there, or is refused."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import pytest
import sqlalchemy

import askwise
from askwise.errors import StudyError
from askwise.storage import close, schema, store
from askwise.storage import connection as connect
from askwise.storage.address import Address
from askwise.storage.journal import CHECKPOINT_EVERY, StudyJournal
from askwise.storage.store import Store

NAMES = [f"item {i}" for i in range(12)]


@pytest.fixture
def path(tmp_path):
    askwise.save(askwise.best_item(NAMES, draws=8, seed=1), tmp_path / "x.askwise")
    return tmp_path / "x.askwise"


def answer(session, count=1):
    for _ in range(count):
        session.ask()
        session.tell("left")


def answers(path):
    return len(askwise.open(path).answers)


def replaced(path):
    shutil.copy(path, path.with_name("copy"))
    os.replace(path.with_name("copy"), path)


@pytest.mark.parametrize("harm", [os.unlink, lambda path: os.rename(path, f"{path}.old"), replaced])
def test_nothing_is_acknowledged_into_a_file_that_is_gone(path, harm):
    session = askwise.open(path)
    answer(session, 2)
    question = session.ask()
    harm(path)
    before = session.to_json()
    with pytest.raises(StudyError, match=r"was deleted, moved, replaced or cut short while x\.askwise was open"):
        session.tell("left", question)
    assert session.to_json() == before


@pytest.mark.parametrize("suffix", ["-wal", "-shm"])
def test_nor_where_a_file_that_belongs_to_it_is_gone(path, suffix):
    session = askwise.open(path)
    answer(session)
    os.unlink(f"{path}{suffix}")
    with pytest.raises(StudyError, match=f"x.askwise{suffix} was deleted, moved, replaced or cut short"):
        answer(session)


def test_nor_where_it_was_cut_short(path):
    session = askwise.open(path)
    answer(session)
    os.truncate(path, 4096)
    with pytest.raises(StudyError, match="cut short"):
        answer(session)


def test_what_was_acknowledged_moves_along_with_the_file(path):
    """Answers in the -wal file are brought home before the session says that its file is gone."""
    session = askwise.open(path)
    answer(session, 3)
    moved = path.with_name("moved.askwise")
    os.rename(path, moved)
    with pytest.raises(StudyError, match="moved"):
        session.ask()
    assert answers(moved) == 3


def test_a_file_that_comes_back_is_used_again(path):
    session = askwise.open(path)
    session.ask()
    os.rename(path, path.with_name("away"))
    with pytest.raises(StudyError, match="moved"):
        session.tell("left")
    os.rename(path.with_name("away"), path)
    session.tell("left")
    close(session)
    assert answers(path) == 1


def test_a_session_stays_with_its_file_when_the_program_goes_to_another_folder(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    session = askwise.open("x.askwise")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    answer(session, 2)
    close(session)
    assert answers(path) == 2


def test_a_look_at_the_file_takes_no_lock_away(path):
    """Opening a study twice in one process: another program that closes it must not remove the -wal file in use."""
    session = askwise.open(path)
    answer(session)
    again = askwise.open(path)
    other = f"import askwise; from askwise.storage import close; close(askwise.open({str(path)!r}))"
    subprocess.run([sys.executable, "-c", other], check=True)
    assert os.path.exists(f"{path}-wal")
    answer(session)
    assert len(again.answers) == 1
    assert answers(path) == 2


def test_a_study_that_is_deleted_in_mid_session_is_told_once(place):
    askwise.save(askwise.best_item(NAMES, draws=8, seed=1), place)
    session = askwise.open(place)
    question = session.ask()
    with session.journal.store.begin() as connection:
        for table in ("events", "studies"):
            connection.exec_driver_sql(f"DELETE FROM {table}")
    with pytest.raises(StudyError, match="is gone from"):
        session.tell("left", question)
    assert session.event_log.status == {"q1": "open"}


def test_a_log_that_lost_its_end_takes_nothing(place):
    """As after a backup was restored under a session's feet: an event after a gap would never be read again."""
    askwise.save(askwise.best_item(NAMES, draws=8, seed=1), place)
    session = askwise.open(place)
    answer(session, 2)
    with session.journal.store.begin() as connection:
        connection.exec_driver_sql("DELETE FROM events WHERE position >= 2")
    with pytest.raises(StudyError, match="a part of its log is gone"):
        session.ask()


def test_a_study_whose_table_is_replaced_in_mid_session_takes_nothing(place):
    askwise.save(askwise.best_item(NAMES, draws=8, seed=1), place)
    session = askwise.open(place)
    answer(session)
    with session.journal.store.begin() as connection:
        connection.execute(sqlalchemy.update(schema.studies).values(recipe=b"other"))
    with pytest.raises(StudyError, match="was replaced; nothing was added"):
        session.ask()


def test_the_wal_file_of_another_study_is_found_out(path):
    other = path.with_name("other.askwise")
    askwise.save(askwise.clusters(NAMES, draws=8), other)
    writer = f"""
import askwise, os, signal
for path in ({str(path)!r}, {str(other)!r}):
    session = askwise.open(path)
    question = session.ask()
    session.tell(question.responses[0])
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", writer], check=False).returncode == -9
    shutil.copy(f"{other}-wal", f"{path}-wal")
    with pytest.raises(StudyError, match="holds another study than it was made for"):
        askwise.open(path)


@pytest.mark.parametrize("first", [0, 4])
def test_a_log_that_lost_its_end_is_refused(path, first):
    session = askwise.open(path)
    answer(session, 3)
    close(session)
    with sqlite3.connect(path) as connection:
        connection.execute(f"DELETE FROM events WHERE position >= {first}")
        connection.execute("DELETE FROM checkpoints")
    connection.close()
    with pytest.raises(StudyError, match=r"the last events of .* are gone"):
        askwise.open(path)


@pytest.mark.parametrize("harm", [os.unlink, lambda wal: wal.write_bytes(wal.read_bytes()[:2000]), None])
def test_what_a_killed_program_wrote_is_in_the_file_itself(path, harm):
    """Whoever copies the file alone after a crash, or loses the -wal file, has every answer."""
    writer = f"""
import askwise, os, signal
session = askwise.open({str(path)!r})
for _ in range(3):
    session.ask()
    session.tell("left")
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", writer], check=False).returncode == -9
    if harm is None:
        path = shutil.copy(path, path.with_name("copy.askwise"))
    else:
        harm(path.with_name("x.askwise-wal"))
    assert answers(path) == 3


@pytest.mark.parametrize("content", [None, 7, "text", b"", sha256(b"").digest(), b"noise" * 100])
def test_a_checkpoint_of_noise_is_passed_over(path, content):
    session = askwise.open(path)
    answer(session, 3)
    close(session)
    if content == b"noise" * 100:
        content = sha256(content).digest() + content  # not what a damaged disk leaves
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '') WHERE name = 'checkpoints'")
    connection.close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE checkpoints SET content = ?", (content,))
    connection.close()
    assert answers(path) == 3


def test_a_store_that_refuses_without_a_reason_ends_the_attempt(path, monkeypatch):
    session = askwise.open(path)
    session.ask()
    calls = []
    monkeypatch.setattr(Store, "append", lambda *args: calls.append(1))
    with pytest.raises(StudyError, match="nobody else wrote"):
        session.tell("left")
    assert len(calls) == 1


def test_two_programs_keep_a_checkpoint_at_once(place, caplog):
    """On PostgreSQL both find none to replace, and both write one."""
    askwise.save(askwise.best_item(NAMES, draws=8, seed=1), place)
    sessions = [askwise.open(place), askwise.open(place)]
    answer(sessions[0])

    def keep(session):
        session.refresh()
        for _ in range(20):
            session.journal._kept = -1
            session.journal.checkpoint(session)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(keep, sessions))
    assert not caplog.text
    assert len(askwise.open(place).answers) == 1


def test_a_session_is_saved_whole_or_not_at_all(path, monkeypatch):
    session = askwise.open(path)
    other = askwise.from_json(session.to_json())
    answer(other, 3)
    whole = StudyJournal.append

    def late(journal, position, *events):
        monkeypatch.undo()
        answer(session)  # another program's
        return whole(journal, position, *events)

    monkeypatch.setattr(StudyJournal, "append", late)
    with pytest.raises(StudyError, match="another program writes to"):
        askwise.save(other, path)
    assert answers(path) == 1


def test_two_programs_make_one_study(database, monkeypatch):
    """Both looked for the name before either had written it."""
    recipe, address = askwise.best_item(NAMES, draws=8).recipe, Address.of(f"{database}#x")
    Store.create(address, recipe, {})
    monkeypatch.setattr(store, "select", lambda *columns: sqlalchemy.select(0))
    with pytest.raises(StudyError, match="somebody made a study 'x' just now"):
        Store.create(address, recipe, {})


def test_a_checkpoint_that_fails_fails_no_answer(path, monkeypatch, caplog):
    session = askwise.open(path)
    full = StudyError("the disk is full")

    def fail(*args):
        raise full

    monkeypatch.setattr(Store, "keep_checkpoint", fail)
    answer(session, CHECKPOINT_EVERY + 1)
    close(session)
    assert "no checkpoint could be kept" in caplog.text
    assert answers(path) == CHECKPOINT_EVERY + 1


# ------------------------------------------------------------------ making one


@pytest.mark.parametrize(
    "name", ["50%.askwise", "why?.askwise", "a#b.askwise", "%41.askwise", "ä ö.askwise", "x.y.askwise"]
)
def test_any_name_makes_one_file(tmp_path, name):
    askwise.save(askwise.best_item(NAMES, draws=8), tmp_path / name)
    session = askwise.open(tmp_path / name)
    answer(session)
    close(session)
    assert os.listdir(tmp_path) == [name]
    os.chmod(tmp_path / name, 0o400)
    assert answers(tmp_path / name) == 1


def test_a_read_only_study_with_an_odd_name_can_be_read(tmp_path, monkeypatch):
    path = tmp_path / "why?50%.askwise"
    askwise.save(askwise.best_item(NAMES, draws=8), path)
    monkeypatch.setattr(connect, "writable", lambda path: False)
    assert answers(path) == 0


def test_only_its_owner_reads_a_study(path):
    session = askwise.open(path)
    answer(session)
    modes = {stat.S_IMODE(os.stat(f"{path}{suffix}").st_mode) for suffix in ("", "-wal", "-shm")}
    assert modes == {0o600}


def test_a_study_is_made_where_hard_links_are_forbidden(tmp_path, monkeypatch):
    def forbidden(*args):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(store.os, "link", forbidden)
    askwise.save(askwise.best_item(NAMES, draws=8), tmp_path / "x.askwise")
    assert answers(tmp_path / "x.askwise") == 0
    recipe = askwise.best_item(NAMES, draws=8).recipe
    monkeypatch.setattr(store, "require_free_path", lambda path: None)  # somebody makes one just then
    with pytest.raises(StudyError, match="File exists"):
        Store.create(Address.of(tmp_path / "x.askwise"), recipe, {})
    assert os.listdir(tmp_path) == ["x.askwise"]


@pytest.mark.parametrize(
    "address",
    [
        None,
        7,
        b"x",
        "",
        " ",
        "a\0b",
        "x" * 300,
        "x/" * 3000,
        "postgresql://h:abc/x#y",
        "mysql://host/x",
        "no/such/folder/x",
    ],
)
def test_what_is_no_address_is_refused(address, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    session = askwise.best_item(NAMES, draws=8)
    for call in (lambda: askwise.save(session, address), lambda: askwise.open(address)):
        with pytest.raises(StudyError) as found:
            call()
        assert "\n" not in str(found.value)
        assert len(str(found.value)) < 300
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("version", [0, -1, "'x'", "NULL"])
def test_a_format_that_never_was_is_refused(path, version):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE other (version)")
        connection.execute(f"INSERT INTO other VALUES ({version})")
        connection.execute("DROP TABLE askwise")
        connection.execute("ALTER TABLE other RENAME TO askwise")
    connection.close()
    with pytest.raises(StudyError, match="no askwise wrote"):
        askwise.open(path)


@pytest.mark.parametrize(
    "password", ["postgresql://ann:s3cret@127.0.0.1:1/x#y", "postgresql://ann@127.0.0.1:1/x?password=s3cret#y"]
)
def test_no_sentence_shows_a_password(password):
    with pytest.raises(StudyError) as found:
        askwise.open(password)
    assert "s3cret" not in str(found.value)
    assert "127.0.0.1" in str(found.value)
