"""The pages as the server sends them, the pictures of a study, and why a question is asked."""

from __future__ import annotations

import asyncio
import json
import re

import pytest

import askwise
from askwise.storage.address import Address
from askwise.storage.participants import change_study_settings, invite, invite_all, token_of
from askwise.storage.store import Store
from askwise.web import live_updates
from askwise.web.learner.learner import Learner
from askwise.web.live_updates import messages
from askwise.web.overview import list_study
from askwise.web.studies import ServedStudies
from tests.web.test_api import OWNER
from tests.web.test_choices import final
from tests.web.test_sharing import ask, served, study_at

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
            data = page.text.count('<script type="application/json"')  # which no browser runs
            assert page.text.count("<script") - data == 1
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


BROWSER = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
PROGRAM = {"accept": "application/json"}


@pytest.mark.parametrize(
    ("method", "address", "headers", "code"),
    [
        ("GET", "/", {}, 401),
        ("GET", "/api/v1/studies/cars/report.html", {}, 401),
        ("GET", "/login?token=wrong", {}, 401),
        ("POST", "/api/v1/studies/cars/state", {"cookie": "askwise_owner=secret-of-the-owner"}, 403),
        ("GET", "/s/nothing", OWNER, 404),
        ("GET", "/s/cars/p/forged", {}, 404),
        ("GET", "/api/v1/s/cars/p/forged", {}, 404),
        ("GET", "/static/nothing.js", {}, 404),
        ("GET", "/nowhere", {}, 404),
        ("DELETE", "/login", {}, 405),
        ("POST", "/api/v1/studies", {**OWNER, "content-length": str(2**40)}, 413),
        ("GET", "/api/v1/studies/cars/learned?log=many", OWNER, 422),
        ("GET", "/api/v1/studies/torn", OWNER, 503),
    ],
)
def test_people_get_a_page_and_programs_json(tmp_path, method, address, headers, code):
    """Whatever goes wrong: nobody sees raw JSON in a browser, and no program has to read HTML."""
    pictured(tmp_path)
    (tmp_path / "torn.askwise").write_bytes(b"not a study")
    with served(tmp_path) as client:
        page = client.request(method, address, headers={**headers, **BROWSER})
        assert (page.status_code, page.headers["content-type"].split(";")[0]) == (code, "text/html")
        assert re.search(r"<h1>[A-Z][^<]+</h1>\s*<p>[A-Z][^<{]+\.</p>", page.text), page.text
        reply = client.request(method, address, headers={**headers, **PROGRAM})
        assert (reply.status_code, reply.headers["content-type"]) == (code, "application/json")
        assert list(reply.json()) == ["detail"]


def test_a_mistake_of_ours_is_a_page_too(tmp_path, monkeypatch):
    pictured(tmp_path)
    monkeypatch.setattr("askwise.web.routes.pages.form_fields", lambda: 1 / 0)
    with served(tmp_path) as client:
        client._transport.raise_server_exceptions = False
        page = client.get("/", headers={**OWNER, **BROWSER})
        assert (page.status_code, "Something went wrong" in page.text, "ZeroDivision" in page.text) == (
            500,
            True,
            False,
        )
        assert "script-src 'self'" in page.headers["content-security-policy"]
        owners = client.get("/", headers={**OWNER, **PROGRAM}).json()["detail"]
        assert owners == "the server made a mistake, which its log describes; nothing is lost"
        monkeypatch.setattr("askwise.web.routes.door.link_parameters", lambda _: 1 / 0)
        others = client.get("/s/cars/join", headers=PROGRAM)
        assert (others.status_code, others.json()["detail"]) == (
            500,
            "the server made a mistake; nothing is lost, try again in a moment",
        )


def test_the_owner_finds_the_way_back_from_an_error(tmp_path):
    with served(tmp_path) as client:
        assert (
            '<a href="/">All studies</a>'
            in client.get("/s/nothing", headers={"cookie": "askwise_owner=secret-of-the-owner", **BROWSER}).text
        )
        assert "All studies" not in client.get("/s/nothing", headers=BROWSER).text


def test_what_may_pass_can_be_tried_again(tmp_path):
    pictured(tmp_path)
    (tmp_path / "torn.askwise").write_bytes(b"not a study")
    with served(tmp_path) as client:
        again = '<a class="button" href="">Try again</a>'
        assert again in client.get("/s/torn", headers={**OWNER, **BROWSER}).text
        assert again not in client.get("/s/nothing", headers={**OWNER, **BROWSER}).text


def test_a_study_that_was_answered_elsewhere_is_settled_in_the_list(tmp_path):
    """In a terminal or a program, which are closed or save; and by one that died, as soon as somebody looks."""
    for name in ("saved", "closed", "died"):
        session = askwise.clusters(["tea", "milk", "coal"], draws=16, seed=2, epsilon=0.4)
        path = tmp_path / f"{name}.askwise"
        if name != "saved":
            askwise.save(session, path)
            session = askwise.open(path)
        while not session.done:
            session.tell("different", session.ask())
        if name == "saved":
            askwise.save(session, path)
        elif name == "closed":
            askwise.storage.close(session)
    with served(tmp_path) as client:
        listed = {one["study"]: one["state"] for one in client.get("/api/v1/studies", headers=OWNER).json()}
        assert listed == {"saved": "settled", "closed": "settled", "died": "open"}

    async def look():
        studies = ServedStudies(str(tmp_path), Learner(1))
        stream = messages(studies, "died", studies.job("died", 1), 1)
        while not (await anext(stream)).startswith("event: learned"):
            pass
        await stream.aclose()
        seen = await list_study(studies, "died")
        studies.close()
        return seen.state

    assert asyncio.run(look()) == "settled"


def test_of_many_people_only_those_who_changed_are_sent(tmp_path, monkeypatch):
    monkeypatch.setattr(live_updates, "SNAPSHOT_SECONDS", 3600.0)
    path = tmp_path / "cars.askwise"
    study_at(path, pooled=False, names=())
    store = Store.at(Address.of(path))
    people = invite_all(store, store.record(), [f"Person {number}" for number in range(1000)])
    link = f"/api/v1/s/cars/p/{token_of(store, store.record().study, people[7].participant)}"
    store.close()
    with served(path) as client:
        question = ask(client, link)

        async def watch(act):
            stream = messages(client.app.state.studies, "cars", (str(path), 1), 1)
            first, later = await anext(stream), []
            await asyncio.to_thread(act)
            while not any(told.get("answers") == 1 for told in later):
                kind, _, data = (await anext(stream)).partition("\n")
                if kind == "event: changes":
                    later.append(json.loads(data.removeprefix("data: ")))
            await stream.aclose()
            return first, later

        def answer():
            sent = {"question": question["id"], "response": "same", "key": "answer-1"}
            assert client.post(f"{link}/answers", json=sent).status_code == 200

        first, later = client.portal.call(watch, answer)
    assert first.startswith("event: overview")
    changed = {one["participant"] for told in later for one in told.get("participants", ())}
    assert changed == {people[7].participant}
    assert max(len(json.dumps(told)) for told in later) < len(first) / 250
