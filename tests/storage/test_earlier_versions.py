"""Studies that earlier versions wrote open, say the same, continue and report.

Own and pooled studies in formats 2 and 3, each with several people, skips, undone answers and a changed goal.
"""

from __future__ import annotations

import sqlite3

import pytest
from typer.testing import CliRunner

from askwise import storage
from askwise.cli.app import app
from askwise.storage.address import Address
from askwise.storage.journal import made_by
from askwise.storage.participants import participant_for_token, people, token_of
from askwise.storage.store import Store
from tests.storage.earlier import NAMES, copy_of

DIAMETER_ERROR = 0.1  # of 40 draws; format 2 computed the posterior after an undo in another way


@pytest.fixture(params=NAMES)
def study(request, tmp_path):
    return copy_of(request.param, tmp_path)


def logs(said):
    return [(int(log), expected) for log, expected in said["logs"].items()]


def in_force(session):
    last = session.event_log.closing_events
    return [[id, last[id]["response"], last[id].get("who")] for id in session.round.beliefs.told]


@pytest.mark.parametrize("replayed", [False, True])
def test_every_log_says_what_it_said(study, replayed):
    path, said = study
    if replayed:
        with sqlite3.connect(path) as connection:
            connection.execute("DELETE FROM checkpoints")
        connection.close()
    for log, expected in logs(said):
        session = storage.open(path, log=log)
        assert (session.pursued["goal"], len(session.log)) == (expected["goal"], expected["events"])
        assert session.event_log.status == expected["status"]
        assert in_force(session) == expected["answers"]
        assert [answer.who for answer in session.answers] == [who for _, _, who in expected["answers"]]
        assert session.event_log.open_questions() == expected["open"]
        assert session.estimate().value == expected["estimate"]
        assert session.done == expected["done"]
        same_installation = said["format"] == 3 and said["made_by"] == made_by()
        error = 1e-12 if same_installation else DIAMETER_ERROR
        assert session.diameter == pytest.approx(expected["diameter"], abs=error)
        assert dict(session.people) == pytest.approx(expected["trusted"], abs=0 if same_installation else 0.5)
        if same_installation or expected["open"]:
            question = session.ask()
            shown = {"id": question.id, "text": question.text, "options": [option.name for option in question.options]}
            assert shown == expected["next"]


def test_every_log_continues(study):
    path, said = study
    for log, expected in logs(said):
        session = storage.open(path, log=log)
        before = in_force(session)
        question = session.ask()
        session.tell("left", question, who="Dora", key="a-new-key")
        session.tell("left", question, who="Dora", key="a-new-key")
        assert in_force(session) == [*before, [question.id, "left", "Dora"]]
        session.skip(session.ask(), who="Dora")
        session.undo(question, who="Dora")
        storage.close(session)
        reopened = storage.open(path, log=log)
        assert in_force(reopened) == before
        assert len(reopened.log) > expected["events"]
        if before:  # what was answered then can be undone now
            reopened.undo(before[-1][0])
            assert in_force(reopened) == before[:-1]


def test_the_people_and_their_links_are_the_same(study):
    path, said = study
    store = Store.at(Address.of(path))
    number = store.record().study
    assert (number, store.record().mode) == (said["study"], said["mode"])
    found = [
        {
            "id": person.participant,
            "name": person.name,
            "log": person.log,
            "quota": person.quota,
            "paused": person.paused,
            "token": token_of(store, number, person.participant),
        }
        for person in people(store, number)
    ]
    assert found == said["participants"]
    for person in said["participants"]:
        assert participant_for_token(store, number, person["token"])[0].participant == person["id"]


def test_the_study_reports(study, tmp_path):
    path, said = study
    page = tmp_path / "report.html"
    found = CliRunner().invoke(app, ["report", str(path), "-o", str(page)])
    assert found.exit_code == 0, found.output
    estimate = said["logs"][str(said["study"])]["estimate"]
    assert str(estimate) in page.read_text(encoding="utf-8")
