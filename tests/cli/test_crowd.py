"""askwise crowd and invite."""

from __future__ import annotations

import csv
import json
import os
import stat

import pytest

import askwise
from askwise.storage.address import Address
from askwise.storage.participants import invite, set_mode
from askwise.storage.store import Store


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    askwise.save(askwise.best_item(["tea", "coffee", "water"], draws=40), "drinks.askwise")
    return "drinks.askwise"


def test_settings_are_shown_and_changed(study, run_command, tmp_path):
    (tmp_path / "consent.txt").write_text("I take part.\n")
    code, out, _ = run_command("crowd", study, "open=yes", "people=20", "consent=@consent.txt", "code=C1")
    assert code == 0
    assert "open = yes" in out
    assert "consent = I take part." in out
    found = json.loads(run_command("crowd", study, "code=", "--json")[1])
    assert found["settings"] == {"open": True, "people": 20, "consent": "I take part."}
    assert len(found["consent_version"]) == 8


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("people", "write NAME=VALUE"),
        ("people=x", "a whole number"),
        ("nobody=1", "no setting"),
        ("consent=@no", "cannot be read"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(study, run_command, setting, words):
    code, _, err = run_command("crowd", study, setting)
    assert code == 2
    assert words in err
    assert len(err.splitlines()) == 1


def test_people_are_invited_from_a_list(study, run_command, tmp_path):
    (tmp_path / "names.txt").write_text("Ann\n\nBen\n")
    (tmp_path / "names.csv").write_text("address,age\ncem@example.org,3\ndoe@example.org,4\n")
    given = "--address", "https://lab.example", "--quota", "5", "-o", "links.csv"
    assert run_command("invite", study, "Zoe", "--from", "names.txt", *given) == (0, "Wrote 3 links to links.csv\n", "")
    rows = list(csv.DictReader((tmp_path / "links.csv").read_text().splitlines()))
    assert [row["name"] for row in rows] == ["Zoe", "Ann", "Ben"]
    assert rows[0]["link"].startswith("https://lab.example/s/drinks/p/")
    _, out, remark = run_command("invite", study, "Ann", "--from", "names.csv", "--address", "https://lab.example")
    assert remark == "The first line, 'address', was taken for the name of a column, not of a person.\n"
    again = out.splitlines()
    assert again[0] == f"Ann\t{rows[1]['link']}"
    assert [line.split("\t")[0] for line in again] == ["Ann", "cem@example.org", "doe@example.org"]
    assert "give names" in run_command("invite", study)[2]


def test_answers_of_everybody_are_exported(study, run_command, tmp_path):
    for name in ("Ann", "Ben"):
        answered(study, name)
    assert run_command("export", study, "-o", "answers.csv")[0] == 0
    rows = list(csv.DictReader((tmp_path / "answers.csv").read_text().splitlines()))
    assert [row["name"] for row in rows] == ["Ann", "Ben"]
    assert "2 people answer in a log of their own" in run_command("status", study)[1]
    assert "2 people answer in a log of their own" in run_command("report", study)[1]
    assert "log of their own" not in run_command("status", study, "--person", "Ann")[1]


def answered(study, name="Ann"):
    store = Store.at(Address.of(study))
    one = invite(store, store.record(), name)
    session = askwise.open(study, log=one.log)
    session.tell("left", session.ask(), who=one.participant)
    askwise.storage.close(session)
    store.close()
    return one


def test_people_who_are_done_are_listed_as_such(study, run_command):
    store = Store.at(Address.of(study))
    one = invite(store, store.record(), "Ann", quota=1)
    store.close()
    assert "Ann  0 answers  answering" in run_command("people", study)[1]
    session = askwise.open(study, log=one.log)
    session.tell("left", session.ask(), who=one.participant)
    askwise.storage.close(session)
    assert "Ann  1 answers  quota reached" in run_command("people", study)[1]
    [found] = json.loads(run_command("people", study, "--json")[1])
    assert (found["done"], bool(found["finished_at"]), found["code"]) == ("quota reached", True, None)


def test_people_are_listed_excluded_exported_and_erased(study, run_command, tmp_path):
    ann = answered(study)
    assert f"{ann.participant}  Ann  1 answers  answering" in run_command("people", study)[1]
    assert "does not count" in run_command("people", study, "Ann", "--exclude", "--reason", "a robot")[1]
    assert json.loads(run_command("people", study, "--json")[1])[0]["status"] == "excluded"
    assert "counts again" in run_command("people", study, ann.participant, "--include")[1]
    assert json.loads(run_command("people", study, "Ann")[1])["answers"][0]["status"] == "answered"
    run_command("people", study, "Ann", "-o", "ann.json")
    assert "a robot" in (tmp_path / "ann.json").read_text()
    run_command("people", study, "-o", "people.csv")
    assert (tmp_path / "people.csv").read_text().startswith("participant,name,")
    assert "are erased" in run_command("people", study, "Ann", "--erase")[1]
    assert "erased  0 answers  erased" in run_command("people", study)[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--erase",), "say who"),
        (("Zoe", "--erase"), "no person 'Zoe'"),
        (("Ann", "--erase", "--include"), "choose one of"),
    ],
)
def test_what_makes_no_sense_about_people_is_refused(study, run_command, arguments, words):
    answered(study)
    code, _, err = run_command("people", study, *arguments)
    assert (code, words in err) == (2, True)


def test_a_study_is_deleted_once_its_name_is_typed(study, run_command, tmp_path):
    answered(study)
    code, _, err = run_command("delete", study, stdin="boats\n")
    assert (code, "nothing was deleted" in err) == (2, True)
    assert run_command("delete", study, stdin="drinks\n")[0] == 0
    assert not list(tmp_path.glob("drinks*"))


def test_tokens_of_owners(study, run_command, tmp_path):
    token = run_command("owners", str(tmp_path), "--add", "Vera")[1].strip()
    assert len(token) == 32
    assert "Vera  viewer  since" in run_command("owners", str(tmp_path))[1]
    assert json.loads(run_command("owners", str(tmp_path), "--revoke", "Vera", "--json")[1]) == []
    assert "Nobody but" in run_command("owners", study)[1]
    assert "nobody called" in run_command("owners", study, "--revoke", "Vera")[2]


def test_all_that_a_study_holds_is_exported_and_nothing_less_is_taken_for_it(study, run_command, tmp_path):
    ann = answered(study)
    code, _, err = run_command("export", study, "-o", "s.json")
    assert (code, (tmp_path / "s.json").exists()) == (2, False)
    assert f"askwise export {study} -o all.json --what everything" in err
    assert run_command("export", study, "-o", "all.json", "--what", "everything")[0] == 0
    found = json.loads((tmp_path / "all.json").read_text())
    assert [(one["person"]["participant"], len(one["answers"])) for one in found["people"]] == [(ann.participant, 1)]
    assert found["recipe"]["data"]["name"]
    code, _, err = run_command("import", "all.json")
    assert (code, "use askwise copy" in err) == (2, True)
    assert "everything is written as .json" in run_command("export", study, "-o", "all.csv", "--what", "everything")[2]


def test_a_shared_study_is_still_exported_to_be_imported(tmp_path, run_command):
    path = tmp_path / "shared.askwise"
    askwise.save(askwise.best_item(["tea", "coffee", "water"], seed=1), path)
    store = Store.at(Address.of(path))
    set_mode(store, 1, "pooled")
    store.close()
    answered(path)
    assert run_command("export", path, "-o", "s.json")[0] == 0
    assert run_command("import", "s.json", "-o", "again.askwise")[0] == 0
    assert len(askwise.open(tmp_path / "again.askwise").answers) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("export", "-o", "answers.csv"),
        ("export", "-o", "answers.xlsx"),
        ("export", "-o", "all.json", "--what", "everything"),
        ("people", "-o", "people.csv"),
        ("people", "Ann", "-o", "ann.json"),
        ("invite", "Ben", "-o", "links.csv"),
    ],
)
def test_only_their_owner_can_read_new_files_about_people(study, run_command, tmp_path, arguments):
    answered(study)
    command, *more = arguments
    output = tmp_path / next(part for part in more if "." in part)
    before = os.umask(0o022)
    try:
        assert run_command(command, study, *more)[0] == 0
        assert stat.S_IMODE(output.stat().st_mode) == 0o600
        output.chmod(0o640)  # as somebody wants it
        assert run_command(command, study, *more)[0] == 0
        assert stat.S_IMODE(output.stat().st_mode) == 0o640
    finally:
        os.umask(before)


def test_what_was_done_about_people_is_listed(study, run_command):
    assert "Nothing was noted." in run_command("people", study, "--actions")[1]
    ann = answered(study)
    answered(study, "Ben")
    for name, reason in (("Ann", "a robot"), ("Ben", "too fast")):
        run_command("people", study, name, "--exclude", "--reason", reason)
    run_command("crowd", study, "people=9", "answers=3", "consent=I take part.")
    lines = run_command("people", study, "--actions")[1].splitlines()
    *told, text, changed = [line.partition("Z  ")[2] for line in lines]
    assert told == ["Ann  excluded  (reason: a robot)", "Ben  excluded  (reason: too fast)"]
    assert text == "consent text  (version: 0fe31e7f, consent: I take part.)"
    assert changed == "crowd changed  (settings: answers, consent, people)"
    assert len(run_command("people", study, "Ann", "--actions")[1].splitlines()) == 1
    [one] = json.loads(run_command("people", study, "Ann", "--actions", "--json")[1])
    assert (one["participant"], one["kind"], one["detail"]) == (ann.participant, "excluded", {"reason": "a robot"})
    code, _, err = run_command("people", study, "Ann", "--actions", "--erase")
    assert (code, "leave out" in err) == (2, True)
