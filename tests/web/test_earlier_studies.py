"""Studies that earlier versions wrote are served."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from askwise.web.app import create_app
from tests.storage.earlier import NAMES, copy_of


@pytest.mark.parametrize("name", NAMES)
def test_a_study_of_an_earlier_version_is_served(name, tmp_path, in_process):
    path, said = copy_of(name, tmp_path)
    with TestClient(create_app(str(path), token="owner", workers=1)) as client:
        person = said["participants"][0]
        expected = said["logs"][str(person["log"])]
        here = f"/api/v1/s/{name}/p/{person['token']}"
        state = client.get(here).json()
        mine = [one for one in expected["answers"] if one[2] == person["id"]]
        skipped = [one["question"] for one in client.get(f"{here}/answers").json() if one["skipped"]]
        assert state["answers"] == len(mine) + len(skipped)
        assert set(skipped) <= set(expected["skipped"])
        assert state["question"]["id"] == expected["open"][0]
        told = {"question": state["question"]["id"], "response": "left", "key": "a-new-key"}
        after = client.post(f"{here}/answers", json=told)
        assert after.status_code == 200, after.text
        assert after.json()["answers"] == state["answers"] + 1
        undone = client.post(f"{here}/undo", json={"key": "another-key"})
        assert undone.json()["answers"] == state["answers"]
        owner = {"Authorization": "Bearer owner"}
        overview = client.get(f"/api/v1/studies/{name}", headers=owner).json()
        assert overview["mode"] == said["mode"]
        assert [one["name"] for one in overview["participants"]] == [one["name"] for one in said["participants"]]
        assert overview["answers"] == sum(len(log["answers"]) + len(log["skipped"]) for log in said["logs"].values())
