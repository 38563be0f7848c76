"""What those who run a server rely on: health, figures, logs, a prefix, a token that stays, an orderly end."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import threading

import pytest
from fastapi.testclient import TestClient

from askwise.errors import SettingError, StudyError
from askwise.web.app import create_app
from askwise.web.logs import JsonFormatter, TextFormatter
from askwise.web.studies import ServedStudies
from askwise.web.timeouts import checked_proxies
from askwise.web.token_file import token_from
from tests.web.test_api import OWNER
from tests.web.test_sharing import ask, served, study_at

in_process = pytest.mark.usefixtures("in_process")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cars.askwise"


@in_process
def test_a_server_is_ready_while_its_store_responds(path, monkeypatch):
    study_at(path, pooled=False)
    with served(path) as client:
        assert client.get("/healthz").text == "ok\n"
        assert client.get("/readyz").json() == {"ready": True, "store": True, "stopping": False}

        def away(studies):
            raise StudyError("postgresql://ann:hunter2@db.example/lab cannot be used")

        monkeypatch.setattr(ServedStudies, "names", away)
        reply = client.get("/readyz")
        assert (reply.status_code, reply.json()["store"]) == (503, False)
        assert "hunter2" not in reply.text
        assert client.get("/healthz").status_code == 200  # a restart would not help
        monkeypatch.undo()
        client.app.state.studies.stop()
        assert client.get("/readyz").status_code == 503


@in_process
def test_figures_are_for_the_owner_and_name_routes_not_addresses(path):
    _, (link, *_) = study_at(path, pooled=False)
    with served(path) as client:
        ask(client, link)
        assert client.get("/metrics").status_code == 401
        text = client.get("/metrics", headers=OWNER).text
    token = link.rpartition("/")[2]
    assert token not in text
    found = re.search(
        r'askwise_requests_total\{method="GET",route="/api/v1/s/\{study\}/p/\{token\}",status="200"\} (\d+)', text
    )
    assert found
    assert int(found[1]) >= 1
    assert 'askwise_request_seconds_bucket{route="/metrics",le="+Inf"} 1' in text
    assert re.search(r"^askwise_open_logs 1$", text, re.M)
    for line in text.splitlines():
        assert re.fullmatch(r"# (HELP|TYPE) \w+ .+|\w+(\{[^}]*(\{\w+\}[^}]*)*\})? [\d.e+-]+", line), line


@in_process
@pytest.mark.parametrize("formatter", [TextFormatter(), JsonFormatter()])
def test_no_line_of_the_log_holds_a_secret(path, formatter, caplog):
    _, (link, *_) = study_at(path, pooled=False)
    token = link.rpartition("/")[2]
    with caplog.at_level(logging.INFO, "askwise"), served(path) as client:
        ask(client, link)
        client.get("/login?token=secret-of-the-owner")
        logging.getLogger("askwise.web").error("at %s with token=abc, Bearer xyz, postgresql://a:pw1@db/x", link)
    lines = [formatter.format(record) for record in caplog.records if record.name.startswith("askwise")]
    assert any("/api/v1/s/{study}/p/{token}" in line for line in lines)
    for line in lines:
        assert not any(secret in line for secret in (token, "secret-of-the-owner", "abc", "xyz", "pw1")), line
        assert "\n" not in line
    if isinstance(formatter, JsonFormatter):
        seen = [json.loads(line) for line in lines]
        assert {"time", "level", "logger", "message"} <= set.intersection(*map(set, seen))
        assert any(one.get("route") == "/login" and one["status"] == 303 for one in seen)


@in_process
@pytest.mark.parametrize("stripped", [False, True])
def test_behind_a_prefix_links_cookies_and_scripts_have_it(path, stripped):
    """Whether or not the proxy takes the prefix off."""
    _, (link, *_) = study_at(path, pooled=False)
    app = create_app(str(path), token="secret-of-the-owner", workers=1, root_path="/lab/askwise/")
    before = "" if stripped else "/lab/askwise"
    with TestClient(app, follow_redirects=False) as client:
        login = client.get(f"{before}/login?token=secret-of-the-owner")
        assert login.headers["location"] == "/lab/askwise/"
        assert "Path=/lab/askwise;" in login.headers["set-cookie"]
        pages = [
            client.get(f"{before}{link.removeprefix('/api/v1')}"),
            client.get(f"{before}/", headers=OWNER),
            client.get(f"{before}/s/cars", headers=OWNER),
            client.get(f"{before}/s/nothing/p/x"),
        ]
        for page in pages:
            for address in re.findall(r'(?:href|src|data-base)="(/[^"]*)"', page.text):
                assert address.startswith("/lab/askwise/"), address
        assert client.get(f"{before}/static/answer.js").status_code == 200
        invited = client.post(f"{before}/api/v1/studies/cars/participants", json={"name": "Dan"}, headers=OWNER).json()
        assert invited["link"].startswith("http://testserver/lab/askwise/s/cars/p/")
        seen = client.get(f"{before}/api/v1/studies/cars", headers=OWNER).json()
        assert all(one["link"].startswith("/lab/askwise/s/cars/p/") for one in seen["participants"])
        assert client.get(f"{before}/api/v1/openapi.json").json()["servers"] == [{"url": "/lab/askwise"}]
        assert client.get(f"{before}{link}").status_code == 200


@pytest.mark.parametrize("bad", ["/a b", "/a?b", "//evil.example/x"])
def test_an_odd_prefix_is_refused(tmp_path, bad):
    if bad.startswith("//"):
        assert create_app(str(tmp_path), root_path=bad).state.root_path == "/evil.example/x"
        return
    with pytest.raises(SettingError, match="a root path is such as /askwise"):
        create_app(str(tmp_path), root_path=bad)


def test_a_token_stays_in_its_file_which_nobody_else_reads(tmp_path):
    path = tmp_path / "token"
    first = token_from(path)
    assert (token_from(path), oct(path.stat().st_mode)[-3:]) == (first, "600")
    assert [file.name for file in tmp_path.iterdir()] == ["token"]
    path.chmod(0o640)
    with pytest.raises(SettingError, match="chmod 600"):
        token_from(path)
    path.chmod(0o600)
    path.write_text("short")
    with pytest.raises(SettingError, match="16 letters"):
        token_from(path)
    with pytest.raises(SettingError, match="cannot be read"):
        token_from(tmp_path / "no" / "token")


def test_servers_that_start_at_once_agree_on_one_new_token(tmp_path):
    found = []
    threads = [threading.Thread(target=lambda: found.append(token_from(tmp_path / "token"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1


def test_proxies_are_named_by_address():
    assert checked_proxies("10.0.0.7, fd00::/8") == "10.0.0.7,fd00::/8"
    for bad in ("*", "proxy.example", "10.0.0.7/99", " ,"):
        with pytest.raises(SettingError, match=r"give addresses or networks"):
            checked_proxies(bad)


def test_a_server_that_is_told_to_stop_ends_its_streams_and_exits(path, tmp_path):
    study_at(path, pooled=False)
    program = [sys.executable, "-c", "from askwise.cli import main; main()", "serve", str(path), "--port", "0"]
    more = ["--workers", "1", "--token-file", str(tmp_path / "token"), "--log-format", "json", "--log-requests"]
    with subprocess.Popen([*program, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        told = []
        while "owner_page" not in (told[-1] if told else {}):
            told.append(json.loads(server.stdout.readline()))  # each line is JSON
        line = told[-1]["owner_page"]
        token = (tmp_path / "token").read_text().strip()
        assert token not in str(told)  # what a server prints is often kept
        assert told[-1]["message"] == f"Serving {path}."
        assert told[-1]["token"] == f"in the file {tmp_path / 'token'}"
        port = int(re.search(r":(\d+)/login", line)[1])
        with socket.create_connection(("127.0.0.1", port)) as watching:
            head = f"GET /api/v1/studies/cars/live HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n"
            watching.sendall(head.encode())
            assert watching.recv(100).startswith(b"HTTP/1.1 200")
            os.kill(server.pid, signal.SIGTERM)
            while watching.recv(65536):  # until the server has ended the stream
                pass
        _, errors = server.communicate(timeout=120)
        assert server.returncode == 128 + signal.SIGTERM
    seen = [json.loads(line) for line in errors.splitlines()]
    assert [one["route"] for one in seen if "route" in one] == ["/api/v1/studies/{study}/live"]
    assert token not in errors
