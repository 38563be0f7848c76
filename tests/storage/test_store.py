"""Files and databases that are not as they should be: one clear sentence each, and nothing lost."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys

import pytest
from sqlalchemy import text

import askwise
from askwise.errors import StudyError
from askwise.storage import close, schema
from askwise.storage.address import Address
from askwise.storage.leases import leases_of, take_lease
from askwise.storage.participants import StudySettings, invite, people, study_settings
from askwise.storage.store import EVENTS, Store
from tests.helpers import SEED

NAMES = [f"item {i}" for i in range(12)]

CROWD_TABLES = ("checks", "actions", "owner_tokens")


def some_study(path, answers=4):
    session = askwise.best_item(NAMES, draws=8, seed=1)
    for _ in range(answers):
        session.ask()
        session.tell("left")
    askwise.save(session, path)
    return session


def refusal(call, *args):
    with pytest.raises(StudyError) as found:
        call(*args)
    assert "\n" not in str(found.value)
    return str(found.value)


def test_files_that_are_no_study(tmp_path):
    assert "there is no study" in refusal(askwise.open, tmp_path / "none.askwise")
    assert "askwise new" in refusal(askwise.open, tmp_path / "none.askwise")
    assert "is a folder" in refusal(askwise.open, tmp_path)
    other = tmp_path / "cars.csv"
    for content in ("", "name,price\nSwift,8\n", "x" * 5000):
        other.write_text(content)
        assert "is not a study, or it is damaged" in refusal(askwise.open, other)
        assert other.read_text() == content
    empty = tmp_path / "empty.askwise"
    with sqlite3.connect(empty) as connection:
        connection.execute("CREATE TABLE other (x)")
    connection.close()
    assert "name one study" in refusal(askwise.open, empty) or "not a study" in refusal(askwise.open, empty)


def test_a_truncated_file_is_refused_and_left_alone(tmp_path):
    whole, path = tmp_path / "whole.askwise", tmp_path / "x.askwise"
    some_study(whole)
    size = whole.stat().st_size
    for kept in (50, 1000, size // 2, size - 4096):
        path.write_bytes(whole.read_bytes()[:kept])
        assert "is not a study, or it is damaged" in (said := refusal(askwise.open, path)) or "or cut short" in said
        assert path.stat().st_size == kept


def test_a_damaged_file_is_found_out(tmp_path):
    whole, path = tmp_path / "whole.askwise", tmp_path / "x.askwise"
    session = some_study(whole, 8)
    without_checkpoint(whole)
    content, rng, refused, sentences = whole.read_bytes(), random.Random(SEED), 0, []
    for _ in range(40):
        place = rng.randrange(len(content) - 64)
        path.write_bytes(content[:place] + rng.randbytes(64) + content[place + 64 :])
        try:
            found = askwise.open(path)
        except StudyError as error:
            refused += 1
            sentences.append(str(error))
        else:  # the damage was where nothing is
            assert found.log == session.log
            assert (found.sample.structures == session.sample.structures).all()
    assert refused > 2  # most of a small file is empty
    assert not any("\n" in sentence for sentence in sentences)


def test_a_damaged_checkpoint_is_passed_over(tmp_path):
    path = tmp_path / "x.askwise"
    session = some_study(path, 8)
    with sqlite3.connect(path) as connection:
        content = connection.execute("SELECT content FROM checkpoints").fetchone()[0]
        connection.execute("UPDATE checkpoints SET content = ?", (content[:500] + b"damaged" + content[507:],))
    connection.close()
    assert (askwise.open(path).sample.structures == session.sample.structures).all()


def without_checkpoint(path):
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM checkpoints")
    connection.commit()
    connection.execute("VACUUM")
    connection.close()


def test_an_answer_that_was_tampered_with_is_named(tmp_path):
    path = tmp_path / "x.askwise"
    some_study(path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE events SET body = replace(body, 'left', 'right') WHERE position = 3")
    connection.close()
    assert "event 4 of" in refusal(askwise.open, path)


def test_a_newer_format_is_refused_and_an_older_one_taken_forward(tmp_path, monkeypatch):
    path = tmp_path / "x.askwise"
    session = some_study(path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE askwise SET version = 7")
    connection.close()
    assert "was written by a newer askwise (format 7, this one reads up to 5); update askwise" in refusal(
        askwise.open, path
    )

    def forward(connection):
        connection.execute(text("ALTER TABLE studies ADD COLUMN colour TEXT DEFAULT 'red'"))

    monkeypatch.setattr(schema, "VERSION", 9)
    monkeypatch.setattr(schema, "MIGRATIONS", {7: forward, 8: lambda connection: None})
    assert askwise.open(path).log == session.log
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT version FROM askwise").fetchone() == (9,)
        assert connection.execute("SELECT colour FROM studies").fetchone() == ("red",)
    connection.close()


def test_a_file_of_the_first_version_is_taken_forward(tmp_path):
    path = tmp_path / "x.askwise"
    session = some_study(path)
    with sqlite3.connect(path) as connection:
        for column in (
            "parent",
            "state",
            "mode",
            "secret",
            "settled",
            "why",
            "beyond",
            "head",
            "wording",
            "crowd",
            "edition",
        ):
            connection.execute(f"ALTER TABLE studies DROP COLUMN {column}")
        for table in ("participants", "leases", *CROWD_TABLES):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("ALTER TABLE askwise DROP COLUMN digest")
        connection.execute("UPDATE askwise SET version = 1")
    connection.close()
    assert askwise.open(path).log == session.log
    assert Store.at(Address.of(path)).record().state == "open"


def test_a_study_of_the_second_version_is_taken_forward_with_its_people(place):
    some_study(place)
    store = Store.at(Address.of(place))
    study = store.record().study
    ann = invite(store, store.record(), "Ann")
    with store.begin() as connection:
        for column in ("settled", "why", "beyond", "head", "wording", "crowd", "edition"):
            connection.execute(text(f"ALTER TABLE studies DROP COLUMN {column}"))
        connection.execute(text("DROP INDEX participants_external"))
        for column in ("external", "parameters", "language", "consent", "status"):
            connection.execute(text(f"ALTER TABLE participants DROP COLUMN {column}"))
        for table in ("leases", *CROWD_TABLES):
            connection.execute(text(f"DROP TABLE {table}"))
        connection.execute(text("ALTER TABLE askwise DROP COLUMN digest"))
        connection.execute(text("UPDATE askwise SET version = 2"))
    store.close()
    store = Store.at(Address.of(place))
    assert people(store, study) == [ann]
    assert store.record().head == store.read(EVENTS, study=study, since=0)[-1][1]
    assert store.record(ann.log).head is None
    assert study_settings(store, study) == StudySettings("open", why=False, beyond=False)
    assert take_lease(store, study, "q1", ann.participant)
    assert not take_lease(store, study, "q1", "somebody else")
    assert leases_of(store, study)["q1"].who == ann.participant


def test_a_study_is_never_written_over(tmp_path):
    path = tmp_path / "x.askwise"
    some_study(path)
    address = Address.of(path)
    before = path.read_bytes()
    assert "exists already" in refusal(Store.create, address, {}, {})
    assert "there is no folder" in refusal(Store.create, Address.of(tmp_path / "no" / "x.askwise"), {}, {})
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["x.askwise"]


def test_the_file_is_one_file_when_it_is_closed(tmp_path):
    path = tmp_path / "x.askwise"
    some_study(path)
    session = askwise.open(path)
    session.ask()
    session.tell("left")
    close(session)
    assert [file.name for file in tmp_path.iterdir()] == ["x.askwise"]


@pytest.mark.parametrize("address", ["mysql://host/x", "", "http://host/x"])
def test_addresses_that_are_none(address):
    assert refusal(askwise.open, address)


def test_passwords_are_never_shown():
    said = refusal(askwise.open, "postgresql://ann:secret@127.0.0.1:1/lab#cars")
    assert "secret" not in said
    assert "cannot be used" in said


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 400 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", folder], capture_output=True).returncode:
        pytest.skip("NOT RUN: mounting a small disk takes root")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_full_disk_loses_nothing(small_disk):
    path = small_disk / "x.askwise"
    askwise.save(askwise.best_item(NAMES, draws=8, seed=1, repeat=True, budget=10**6), path)
    session = askwise.open(path)
    said = refusal(answer_for_ever, session)
    told = len(session.answers)
    assert "the disk is full" in said
    assert told > 5
    session.journal.store.close()
    larger = shutil.copytree(small_disk, small_disk.parent / "larger")
    again = askwise.open(larger / "x.askwise")
    assert len(again.answers) == told
    again.ask()
    again.tell("right")


def answer_for_ever(session):
    while True:
        session.ask()
        session.tell("left")


@pytest.fixture
def read_only(tmp_path):
    """A study in a folder that nobody can write to."""
    folder = tmp_path / "disk"
    folder.mkdir()
    some_study(folder / "x.askwise")
    mounted = subprocess.run(["mount", "--bind", "-o", "ro", folder, folder], capture_output=True).returncode == 0
    if mounted and os.access(folder, os.W_OK):
        subprocess.run(["mount", "-o", "remount,ro,bind", folder], capture_output=True)
    if os.access(folder, os.W_OK):
        folder.chmod(0o555)
    yield folder
    if mounted:
        subprocess.run(["umount", "-l", folder], check=True)
    folder.chmod(0o755)


def test_a_study_in_a_read_only_folder_can_be_read(read_only):
    if os.access(read_only, os.W_OK):
        pytest.skip("NOT RUN: root may write everywhere, and no folder could be mounted for reading only")
    session = askwise.open(read_only / "x.askwise")
    assert len(session.answers) == 4
    assert session.estimate().value in NAMES
    assert "cannot be written" in refusal(session.ask)
    assert "cannot be written" in refusal(Store.create, Address.of(read_only / "y.askwise"), {}, {})
    assert len(askwise.open(read_only / "x.askwise").answers) == 4


def test_several_studies_share_a_database(database):
    for name, count in (("tea", 3), ("coffee", 1)):
        some_study(f"{database}#{name}", count)
    assert len(askwise.open(f"{database}#tea").answers) == 3
    assert len(askwise.open(f"{database}#coffee").answers) == 1
    assert "name one study after a #" in refusal(askwise.open, database)
    assert "there: tea, coffee" in refusal(askwise.open, f"{database}#milk")


def test_a_database_without_an_encoding_keeps_every_letter(database):
    import psycopg

    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS in_ascii")
        connection.execute("CREATE DATABASE in_ascii ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
    address = f"{database.rsplit('/', 1)[0]}/in_ascii#some"
    names = ["café", "naïve", "東京"]
    askwise.save(askwise.best_item(names, draws=8, seed=1), address)
    assert set(askwise.open(address).ask().names) < set(names)


def test_importing_askwise_loads_no_database():
    code = "import sys, askwise; print('sqlalchemy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
