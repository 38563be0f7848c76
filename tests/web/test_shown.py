"""Fields in the API: with every question, as the owner wants them, at once and for everybody."""

from __future__ import annotations

import asyncio
import json
from unittest.mock import ANY

import pytest

import askwise
from askwise.data.parquet import Pool
from askwise.storage.address import Address
from askwise.storage.participants import invite, set_mode, token_of
from askwise.storage.store import Store
from tests.pools import points, write_pool
from tests.web.test_api import OWNER, invited, served
from tests.web.test_sharing import ask

pytestmark = pytest.mark.usefixtures("in_process")

TABLE = {"name": list("abcdef"), "x ($)": [(7 * i) % 11 for i in range(6)], "note": [f"<b>{i}</b>" for i in range(6)]}


@pytest.fixture(params=["own", "pooled"])
def study(request, tmp_path):
    path = tmp_path / "letters.askwise"
    askwise.save(askwise.best_item(TABLE, draws=40, seed=2, epsilon=0.001), path)
    store = Store.at(Address.of(path))
    set_mode(store, store.record().study, request.param)
    link = token_of(store, store.record().study, invite(store, store.record(), "Ann").participant)
    store.close()
    return path, f"/api/v1/s/letters/p/{link}"


def shown(reply):
    return [option["fields"] for option in reply.json()["question"]["options"]]


def test_the_owner_changes_what_people_see_while_they_answer(study):
    path, here = study
    with served(path) as client:
        question = client.get(here).json()["question"]
        for option in question["options"]:
            assert TABLE["name"][option["row"]] == option["name"]
            assert option["fields"] == {"x ($)": f"${TABLE['x ($)'][option['row']]}"}
        where = "/api/v1/studies/letters/shown"
        assert client.get(where, headers=OWNER).json() == {"columns": ["x ($)", "note"], "shown": ["x ($)"]}
        changed = client.post(where, headers=OWNER, json={"show": ["note"]})
        assert changed.json() == {"columns": ["x ($)", "note"], "shown": ["note"]}
        again = client.get(here)
        assert again.json()["question"]["id"] == question["id"]
        assert shown(again) == [{"note": f"<b>{option['row']}</b>"} for option in question["options"]]
        told = {"question": question["id"], "response": "left", "key": "first-key"}
        assert [list(fields) for fields in shown(client.post(f"{here}/answers", json=told))] == [["note"]] * 2
        assert client.post(where, headers=OWNER, json={"show": []}).json()["shown"] == []
        assert shown(client.get(here)) == [{}, {}]
        refused = client.post(where, headers=OWNER, json={"show": ["z"]})
        assert refused.status_code == 422
        assert "show= names the column 'z', but the table has only 'name', 'x ($)', 'note'" in refused.json()["detail"]
        assert client.post(where, headers=OWNER, json={"show": None}).json()["shown"] == ["x ($)"]
        assert client.post(where, json={"show": []}).status_code == 401
        session = askwise.open(path)  # as the command does
        askwise.change_goal(session, "best_item", show=["note"])
        askwise.storage.close(session)
        assert [list(fields) for fields in shown(client.get(here))] == [["note"]] * 2
        robot = client.get("/api/v1/studies/letters/questions", headers=OWNER).json()
        assert [list(option["fields"]) for option in robot["options"]] == [["note"]] * 2


def test_the_form_offers_columns(tmp_path):
    content = b"name,price,note\ntea,2,good stuff\nmilk,1,from a cow\nrum,9,strong\n"
    with served(tmp_path) as client:
        sent = {"goal": "best_item", "name": "drinks", "preview": "true"}
        found = client.post("/api/v1/studies", headers=OWNER, data=sent, files={"table": ("t.csv", content)}).json()
        assert (found["columns"], found["shown"]) == (["price", "note"], ["price"])
        assert found["words"][-2].startswith("Each question shows two items with price.")
        sent = {"goal": "best_item", "name": "drinks", "options": json.dumps({"show": ["note"]})}
        client.post("/api/v1/studies", headers=OWNER, data=sent, files={"table": ("t.csv", content)})
    assert list(askwise.open(tmp_path / "drinks.askwise").ask().options[0].fields) == ["note"]


def test_a_later_change_reaches_the_report_of_one_person(study):
    """Where people have logs of their own, the change stands in the study's log alone."""
    path, here = study
    with served(path) as client:
        question = client.get(here).json()["question"]
        told = {"question": question["id"], "response": "left", "key": "first-key"}
        client.post(f"{here}/answers", json=told)
        client.post("/api/v1/studies/letters/shown", headers=OWNER, json={"show": ["note"]})
        [ann] = client.get("/api/v1/studies/letters", headers=OWNER).json()["participants"]
        report = client.get(f"/api/v1/studies/letters/report.html?log={ann['log']}", headers=OWNER).text
    session = askwise.open(path, log=ann["log"])
    row = TABLE["name"].index(session.estimate().value)
    assert f"&lt;b&gt;{row}&lt;/b&gt;" in report
    assert [list(option.fields) for option in session.ask().options] == [["note"]] * 2


def test_fields_of_new_rows_are_shown_to_who_was_invited_before_and_after(tmp_path):
    path = tmp_path / "letters.askwise"
    askwise.save(askwise.best_item({"name": ["a", "b", "c"], "x": [1, 2, 3]}, draws=40, seed=2, repeat=True), path)
    _, before = invited(path, "Ann")
    with served(path) as client:
        client.get(before)
        for change in ({"rows": "name,x\nd,4"}, {"retire": ["a", "b"]}):
            assert client.post("/api/v1/studies/letters/items", headers=OWNER, data=change).status_code == 200
        for here in (before, invited(path, "Ben")[1]):
            options = ask(client, here)["options"]
            assert {option["name"]: option["fields"] for option in options} == {"c": {"x": "3"}, "d": {"x": "4"}}


def test_rows_of_a_pool_are_read_beside_the_event_loop(tmp_path, monkeypatch):
    """Others are served while a disk is slow."""
    write_pool(tmp_path / "rows.parquet", points(2000), group=100)
    session = askwise.classifier(tmp_path / "rows.parquet", labels=("no", "yes"), draws=40, seed=2, show=["x0"])
    askwise.save(session, tmp_path / "rows.askwise")
    _, here = invited(tmp_path / "rows.askwise")
    read_in_loop = []

    def take(pool, rows, columns):
        try:
            asyncio.get_running_loop()
            read_in_loop.append(rows)
        except RuntimeError:
            pass
        return known(pool, rows, columns)

    known = Pool.take
    monkeypatch.setattr(Pool, "take", take)
    with served(tmp_path / "rows.askwise") as client:
        question = ask(client, here)
        [option] = question["options"]
        assert option["fields"] == {"x0": ANY}
        told = {"question": question["id"], "response": "yes", "key": "first-key"}
        client.post(f"{here}/answers", json=told)
        ask(client, here)
        robot = client.get("/api/v1/studies/rows/questions", headers=OWNER).json()
        assert robot["options"][0]["fields"] == {"x0": ANY}
        shown = client.post("/api/v1/studies/rows/shown", headers=OWNER, json={"show": ["x1"]})
        assert shown.json()["shown"] == ["x1"]
    assert not read_in_loop
