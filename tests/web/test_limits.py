"""What strangers cannot do: pass the limits by a forged token or address, fill the disk, or hold connections."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from fastapi.testclient import TestClient

from askwise import web
from askwise.storage.store import Store
from askwise.web.app import create_app
from askwise.web.security import RateLimiter
from askwise.web.timeouts import TimedConnection, config
from tests.web.test_api import OWNER
from tests.web.test_sharing import ask, served, study_at

pytestmark = pytest.mark.usefixtures("in_process")


@contextmanager
def listening(place, behind_proxy=False):
    """A real server, and its port."""
    app = create_app(str(place), token="secret-of-the-owner", workers=1)
    server = uvicorn.Server(config(app, behind_proxy))
    server.install_signal_handlers = lambda: None
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield app, listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


@contextmanager
def connected(port, sent):
    with socket.create_connection(("127.0.0.1", port), timeout=30) as line:
        line.sendall(sent)
        yield line


def received(line):
    """All that comes until the server hangs up."""
    parts = []
    while part := line.recv(65536):
        parts.append(part)
    return b"".join(parts)


@pytest.fixture
def cars(tmp_path):
    path = tmp_path / "cars.askwise"
    return path, study_at(path, pooled=False)[1]


def watch_opening(monkeypatch, opened):
    """Notes the address of every store that is opened."""
    real = Store.at
    noted = lambda address, *more: opened.append(address) or real(address, *more)  # noqa: E731
    monkeypatch.setattr(Store, "at", staticmethod(noted))


def test_forged_tokens_count_as_one_place(cars):
    path, (ann, ben, _) = cars
    with served(path) as client:
        client.app.state.rate_limiter = RateLimiter(rate=0.0, burst=8.0)
        ask(client, ann)
        codes = [client.get(f"/api/v1/s/cars/p/forged{number}.abc").status_code for number in range(12)]
        assert codes == [404] * 7 + [429] * 5  # one more was Ann's, before her study was known
        assert client.get(ann).status_code == client.get(ben).status_code == 200  # whom strangers do not disturb
        assert client.get("/api/v1/studies", headers=OWNER).status_code == 200
        assert client.get("/api/v1/studies", headers={"Authorization": "Bearer no"}).status_code == 429
        assert [client.get(ben).status_code for _ in range(9)].count(429) == 2  # each has a limit of their own


def test_a_class_behind_one_address_can_load_its_pages(cars):
    path, links = cars
    with served(path) as client:
        client.app.state.rate_limiter = RateLimiter(rate=0.0)
        ask(client, links[0])
        scripts = [f"/static/{path.name}" for path in (Path(web.__file__).parent / "static").glob("*.js")]
        codes = {client.get(script).status_code for _ in range(40) for script in scripts}
        assert codes == {200}
        assert client.get(links[0]).status_code == 200


@pytest.mark.parametrize("behind_proxy", [False, True])
def test_an_address_that_a_request_claims_is_believed_only_behind_a_proxy(cars, behind_proxy):
    with listening(cars[0], behind_proxy) as (app, port):
        app.state.rate_limiter = RateLimiter(rate=0.0, burst=3.0)
        codes = []
        for number in range(6):
            head = f"GET /login HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 10.0.0.{number}\r\nConnection: close\r\n\r\n"
            with connected(port, head.encode()) as line:
                codes.append(received(line).split()[1])
    assert codes == ([b"401"] * 6 if behind_proxy else [b"401"] * 3 + [b"429"] * 3)


def test_an_upload_of_a_stranger_is_refused_before_it_is_read(tmp_path):
    with listening(tmp_path) as (_, port):
        head = "POST /api/v1/studies HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n"
        for token, code in (("", b"401"), ("Authorization: Bearer wrong\r\n", b"401")):
            with connected(port, f"{head}{token}Content-Length: 60000000\r\n\r\n".encode()) as line:
                reply = received(line)  # nothing of the body was sent, and the line is closed
            assert reply.split()[1] == code
        with connected(port, f"{head}Transfer-Encoding: chunked\r\n\r\n".encode()) as line:
            assert received(line).split()[1] == b"401"
        owner = "Authorization: Bearer secret-of-the-owner\r\n"
        with connected(port, f"{head}{owner}Content-Length: 300000000\r\n\r\n".encode()) as line:
            assert received(line).split()[1] == b"413"


@pytest.mark.parametrize("coding", ["chunked", "Chunked", "gzip, CHUNKED"])
def test_a_body_without_a_length_is_refused_before_it_is_read(cars, coding):
    with listening(cars[0]) as (_, port):
        head = f"POST /api/v1/s/cars/p/x.y/undo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: {coding}\r\n\r\n"
        with connected(port, head.encode()) as line:
            assert received(line).split()[1] == b"413"


def test_an_address_that_resembles_an_unlimited_one_is_limited(cars):
    with served(cars[0]) as client:
        client.app.state.rate_limiter = RateLimiter(rate=0.0, burst=2.0)
        assert [client.get("/healthz%09").status_code for _ in range(3)] == [404, 404, 429]
        assert {client.get("/healthz").status_code for _ in range(3)} == {200}


@pytest.mark.parametrize(
    ("hosts", "codes"),
    [
        (["2001:db8::1", "2001:db8::2", "2001:db8::3"], [401, 401, 429]),
        (["2001:db8:0:1::1", "2001:db8:0:2::1", "2001:db8:0:3::1"], [401, 401, 401]),
    ],
)
def test_the_addresses_of_one_network_count_as_one_host(cars, hosts, codes):
    app = create_app(str(cars[0]), token="secret-of-the-owner", workers=1)
    with TestClient(app):
        app.state.rate_limiter = RateLimiter(rate=0.0, burst=2.0)
        assert [TestClient(app, client=(host, 1)).get("/login").status_code for host in hosts] == codes


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET /login HTTP/1.1\r\nHost",
        b"POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab",
        b"POST /api/v1/s/cars/p/x.y/undo HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n",
        b"GET /login HTTP/1.1\r\nHost: x\r\n\r\nGET /log",
    ],
)
def test_whoever_sends_half_a_request_is_let_go(cars, monkeypatch, sent):
    monkeypatch.setattr(TimedConnection, "seconds", 0.3)
    with listening(cars[0]) as (_, port), connected(port, sent) as line:
        received(line)  # raises after half a minute if the server does not hang up


def test_a_request_that_comes_in_parts_is_answered(cars):
    path, (ann, *_) = cars
    body = b'{"key": "undo-0001"}'
    head = f"POST {ann}/undo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"
    with listening(path) as (_, port), connected(port, head.encode()) as line:
        for part in (f"Content-Length: {len(body)}\r\n\r\n".encode(), body[:5], body[5:]):
            time.sleep(0.05)
            line.sendall(part)
        assert b"nothing to take back" in received(line)


def test_names_of_studies_that_never_were_open_nothing(place, monkeypatch):
    study_at(place, pooled=False)
    opened = []
    with served(place.split("#")[0]) as client:
        real = Store.at
        monkeypatch.setattr(
            Store, "at", staticmethod(lambda address, *more: opened.append(address) or real(address, *more))
        )
        for name in ("other", "x" * 900, "a%2fb", "some.askwise"):
            assert client.get(f"/api/v1/s/{name}/p/x.y").status_code == 404
            assert client.get(f"/api/v1/studies/{name}", headers=OWNER).status_code == 404
    assert not opened


def test_in_a_folder_unknown_names_open_nothing(cars, monkeypatch):
    path, (ann, *_) = cars
    with TestClient(create_app(str(path.parent), token="secret-of-the-owner", workers=1)) as client:
        opened = []
        real = Store.at
        monkeypatch.setattr(
            Store, "at", staticmethod(lambda address, *more: opened.append(address) or real(address, *more))
        )
        for name in ("other", "x" * 900, "a%2fb", "cars.askwise", "%2e%2e%2fcars"):
            assert client.get(f"/api/v1/s/{name}/p/x.y").status_code == 404
        assert not opened
        assert client.get(ann).status_code == 200
        assert client.get(ann).status_code == 200
        assert len({str(address) for address in opened}) == 1
