"""Fields in the API: with every question, as the owner wants them, at once and for everybody."""

from __future__ import annotations

import json

import pytest

import askwise
from askwise.storage.address import Address
from askwise.storage.participants import invite, set_mode, token_of
from askwise.storage.store import Store
from tests.web.test_api import OWNER, served

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
