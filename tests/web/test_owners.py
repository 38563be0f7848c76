"""Several owners: roles, tokens that can be revoked, and nothing secret in addresses or files that others read."""

from __future__ import annotations

import re
import stat

import pytest
from fastapi import Request
from fastapi.testclient import TestClient

import askwise
from askwise.errors import SettingError
from askwise.storage.address import Address
from askwise.storage.owners import FILE, OwnerTokens
from askwise.storage.participants import invite
from askwise.storage.store import Store
from askwise.web import access, routes
from askwise.web.app import create_app
from askwise.web.routes import preview
from askwise.web.routes.owner import live, owned
from askwise.web.security import RateLimiter
from tests.web.test_api import OWNER

pytestmark = pytest.mark.usefixtures("in_process")


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "studies"
    folder.mkdir()
    askwise.save(askwise.best_item(["tea", "coffee", "water"], draws=40), folder / "drinks.askwise")
    store = Store.at(Address.of(folder / "drinks.askwise"))
    invite(store, store.record(), "Ann")
    store.close()
    return folder


@pytest.fixture
def client(folder):
    app = create_app(str(folder), token="secret-of-the-owner", workers=1)
    with TestClient(app, follow_redirects=False) as client:
        yield client


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def added(client, name, role):
    reply = client.post("/api/v1/owners", json={"name": name, "role": role}, headers=OWNER)
    assert reply.status_code == 201, reply.text
    return reply.json()


def test_a_viewer_looks_and_changes_nothing(client):
    viewer = bearer(added(client, "Vera", "viewer")["token"])
    seen = client.get("/api/v1/studies/drinks", headers=viewer)
    assert seen.status_code == 200
    assert seen.json()["participants"][0]["link"] == ""
    assert client.get("/api/v1/studies/drinks", headers=OWNER).json()["participants"][0]["link"]
    for path, body in (("state", {"state": "closed"}), ("participants", {"name": "Eve"}), ("crowd", {"open": True})):
        assert client.post(f"/api/v1/studies/drinks/{path}", json=body, headers=viewer).status_code == 403
    assert client.get("/api/v1/studies/drinks/links.csv", headers=viewer).status_code == 403
    assert client.get("/api/v1/studies/drinks/questions", headers=viewer).status_code == 403
    assert client.get("/api/v1/studies/drinks/data.json", headers=OWNER).json()["log"] == []  # nothing was asked
    assert client.get("/api/v1/owners", headers=viewer).status_code == 403
    assert client.post("/api/v1/owners", json={"name": "Eve", "role": "owner"}, headers=viewer).status_code == 403
    assert client.get("/api/v1/studies/drinks", headers=OWNER).json()["state"] == "open"


def test_another_owner_may_do_everything_until_the_token_is_revoked(client, monkeypatch):
    other = bearer(added(client, "Olga", "owner")["token"])
    assert client.post("/api/v1/studies/drinks/state", json={"state": "paused"}, headers=other).status_code == 200
    assert client.post("/api/v1/owners", json={"name": "Olga", "role": "owner"}, headers=OWNER).status_code == 409
    assert client.post("/api/v1/owners/Nobody/revoke", headers=OWNER).status_code == 404
    assert client.post("/api/v1/owners/Olga/revoke", headers=OWNER).json() == []
    assert client.get("/api/v1/studies", headers=other).status_code == 401


def test_a_token_revoked_elsewhere_is_out_soon(client, folder, monkeypatch):
    monkeypatch.setattr(access, "FRESH_SECONDS", -1.0)
    token = bearer(added(client, "Olga", "owner")["token"])
    assert client.get("/api/v1/studies", headers=token).status_code == 200
    elsewhere = OwnerTokens(str(folder))
    elsewhere.revoke("Olga")
    elsewhere.close()
    assert client.get("/api/v1/studies", headers=token).status_code == 401


def test_a_new_token_is_known_at_once(client):
    assert client.get("/api/v1/studies", headers=bearer("unknown")).status_code == 401  # the tokens were read just now
    made = bearer(added(client, "Vera", "viewer")["token"])
    assert client.get("/api/v1/studies", headers=made).status_code == 200


def test_a_page_that_watches_hears_nothing_more_once_its_token_is_revoked(client):
    vera = added(client, "Vera", "viewer")["token"]

    async def watch():
        scope = {"type": "http", "method": "GET", "path": "/", "app": client.app, "query_string": b""}
        request = Request({**scope, "headers": [(b"authorization", f"Bearer {vera}".encode())]})
        stream = await live(await owned(request, "drinks"), request)
        first = await anext(stream.body_iterator)
        client.app.state.access.tokens.revoke("Vera")
        client.app.state.access.read()
        second = await anext(stream.body_iterator, None)
        await stream.body_iterator.aclose()
        return first, second

    first, second = client.portal.call(watch)
    assert first.startswith("event: overview")
    assert second is None


def test_a_proxy_with_a_password_of_its_own_does_not_hide_the_cookie(client):
    client.get("/login?token=secret-of-the-owner")
    assert client.get("/api/v1/studies", headers={"Authorization": "Basic bGFiOmxhYg=="}).status_code == 200
    client.cookies.clear()
    assert client.get("/api/v1/studies", headers={"Authorization": "bearer secret-of-the-owner"}).status_code == 200
    assert client.get("/api/v1/studies", headers={"Authorization": "Basic secret-of-the-owner"}).status_code == 401


def test_no_token_stays_in_the_address(client):
    made = added(client, "Vera", "viewer")
    reply = client.get(made["link"])
    assert (reply.status_code, reply.headers["location"]) == (303, "/")
    cookie = reply.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    page = client.get("/", headers={"Cookie": cookie.split(";")[0]})
    assert page.status_code == 200
    assert made["token"] not in page.text
    assert client.get("/login?token=forged").status_code == 401
    assert client.get("/login").status_code == 401


def test_only_hashes_are_stored_where_only_the_owner_reads(client, folder):
    made = added(client, "Vera", "viewer")
    assert stat.S_IMODE((folder / FILE).stat().st_mode) == 0o600
    assert all(made["token"].encode() not in file.read_bytes() for file in folder.iterdir())
    assert "Vera" not in client.get("/api/v1/studies", headers=OWNER).text
    assert [one["study"] for one in client.get("/api/v1/studies", headers=OWNER).json()] == ["drinks"]


def test_tokens_of_a_file_and_of_a_database_are_in_it(place):
    askwise.save(askwise.best_item(["tea", "coffee"], draws=40), place)
    tokens = OwnerTokens(place)
    tokens.add("Ann", "owner")
    tokens.close()
    again = OwnerTokens(place)
    assert [(one.name, one.role) for one in again.listed()] == [("Ann", "owner")]
    for name, role, words in (("", "owner", "name"), ("Ben", "king", "owner or viewer"), ("Ann", "viewer", "already")):
        with pytest.raises(SettingError, match=words):
            again.add(name, role)
    again.close()


def test_owners_see_which_token_is_theirs_and_can_revoke_it(client):
    olga = bearer(added(client, "Olga", "owner")["token"])
    added(client, "lab 2/Vera", "viewer")
    assert [(one["name"], one["you"]) for one in client.get("/api/v1/owners", headers=olga).json()] == [
        ("Olga", True),
        ("lab 2/Vera", False),
    ]
    assert not any(one["you"] for one in client.get("/api/v1/owners", headers=OWNER).json())
    left = client.post("/api/v1/owners/Olga/revoke", headers=olga)
    assert (left.status_code, [one["name"] for one in left.json()]) == (200, ["lab 2/Vera"])
    assert client.get("/api/v1/owners", headers=olga).status_code == 401
    assert client.post("/api/v1/owners/lab%202%2FVera/revoke", headers=OWNER).json() == []


def test_every_address_asks_who_comes(client):
    """Strangers reach only what is listed here, and a viewer changes nothing anywhere but tries the preview."""
    client.app.state.rate_limiter = RateLimiter(rate=1e9, burst=1e9)
    viewer = bearer(added(client, "Vera", "viewer")["token"])
    public = [("GET", path) for path in ("/healthz", "/login", "/readyz", "/s/{study}/join")]
    named = {"study": "drinks", "token": "forged.abc", "participant": "x", "question": "q1", "kind": "audio"}
    routers = [module.router for module in vars(routes).values() if hasattr(module, "router")]
    found = [route for router in (*routers, preview.api) for route in router.routes if hasattr(route, "methods")]
    assert len(found) > 40
    for route in found:
        address = re.sub(r"\{(\w+)[^}]*\}", lambda part: named.get(part[1], "x"), route.path)
        for method in route.methods:
            if (method, route.path) in public:
                continue
            assert client.request(method, address).status_code == (404 if "{token}" in route.path else 401), (
                method,
                route.path,
            )
            if method != "GET" and "{token}" not in route.path:
                refused = client.request(method, address, headers=viewer).status_code == 403
                assert refused != ("/preview/" in route.path), (method, route.path)  # which records nothing


def test_a_link_on_another_site_has_no_question_asked(client):
    client.get("/login?token=secret-of-the-owner")
    assert client.get("/api/v1/studies/drinks/questions").status_code == 403
    assert client.get("/api/v1/studies/drinks/questions", headers={"X-Askwise": "page"}).status_code == 200
