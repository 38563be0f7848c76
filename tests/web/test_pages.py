"""The pages as the server sends them, the pictures of a study, and why a question is asked."""

from __future__ import annotations

import re

import pytest

import askwise
from askwise.storage.address import Address
from askwise.storage.participants import change_study_settings, invite, token_of
from askwise.storage.store import Store
from tests.web.test_api import OWNER
from tests.web.test_choices import final
from tests.web.test_sharing import ask, served

pytestmark = pytest.mark.usefixtures("in_process")
EVIL = "<script>alert(1)</script>"
IMAGES = {
    "a.png": b"\x89PNG\r\n\x1a\n....",
    "folder/b.svg": b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    "c.html": b"<html><script>alert(1)</script></html>",
}


def pictured(folder, **options):
    """A study with a picture of each item, and one participant's path."""
    table = {"name": [EVIL, "b", "c"], "image": list(IMAGES)}
    session = askwise.clusters(table, image="image", draws=16, seed=2, **options)
    address = Address.of(folder / "cars.askwise")
    Store.create(address, session.recipe, IMAGES)
    store = Store.at(address)
    record = store.record()
    path = f"/s/cars/p/{token_of(store, record.study, invite(store, record, EVIL).participant)}"
    return store, path


def test_pages_are_whole_and_escaped(tmp_path):
    _, path = pictured(tmp_path)
    with served(tmp_path) as client:
        for address, script in ((path, "answer"), ("/", "home"), ("/s/cars", "dashboard")):
            page = client.get(address, headers=OWNER)
            assert page.status_code == 200
            assert page.text.startswith("<!doctype html>")
            assert page.text.rstrip().endswith("</html>")
            assert f'src="/static/{script}.js"' in page.text
            assert page.text.count("<script") == 1
            names = re.findall(r' id="([^"]+)"', page.text)
            assert len(names) == len(set(names)), names
            assert client.get(f"/static/{script}.js").headers["content-type"].startswith("text/javascript")
        assert f'data-base="/api/v1{path}"' in client.get(path).text
        assert ".point:hover .value" in client.get("/s/cars", headers=OWNER).text  # the charts' own style
        form = client.get("/", headers=OWNER).text
        assert all(f'<option value="{goal}">' in form for goal in askwise.goals.GOALS)
        assert client.get("/login?token=wrong").status_code == 401
        assert client.get("/").status_code == 401


def test_pictures_are_served_as_what_they_are(tmp_path):
    _, path = pictured(tmp_path)
    with served(tmp_path) as client:
        kinds = {name: client.get(f"/api/v1{path}/image/{name}") for name in IMAGES}
        assert {name: reply.content for name, reply in kinds.items()} == IMAGES
        assert [reply.headers["content-type"] for reply in kinds.values()] == [
            "image/png", "image/svg+xml", "application/octet-stream",
        ]  # fmt: skip
        assert all("script-src 'self'" in reply.headers["content-security-policy"] for reply in kinds.values())
        missing = client.get(f"/api/v1{path}/image/none.png")
        assert (missing.status_code, missing.json()["detail"]) == (404, "there is no such picture")


def test_why_a_question_is_asked_is_told_if_the_owner_allows_it(tmp_path):
    store, path = pictured(tmp_path)
    here = f"/api/v1{path}"
    with served(tmp_path) as client:
        question = ask(client, here)
        change_study_settings(store, 1, why=False)
        assert client.get(f"{here}/why/{question['id']}").status_code == 403
        change_study_settings(store, 1, why=True)
        outlook = client.get(f"{here}/why/{question['id']}").json()
        assert [one["response"] for one in outlook] == question["responses"]
        assert sum(one["chance"] for one in outlook) == pytest.approx(1)
        assert client.get(f"{here}/why/q99").status_code == 404


def test_the_end_says_by_its_kind_whether_it_is_settled(tmp_path):
    """People read that it is settled; the numbers behind it stay in the details."""
    _, path = pictured(tmp_path, epsilon=0.9)
    with served(tmp_path) as client:
        state = final(client, f"/api/v1{path}")
        assert (state["done_kind"], state["question"]) == ("settled", None)
        assert state["result"]
        (person,) = client.get("/api/v1/studies/cars", headers=OWNER).json()["participants"]
        assert person["settled"]
