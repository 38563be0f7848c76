"""The files of deploy/: nginx, with the shipped configuration, before two real servers and a real PostgreSQL."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
from pathlib import Path

import httpx2
import pytest

from benchmarks.serve.servers import RunningServer, free_port
from tests.web.test_sharing import study_at, told

DEPLOY = Path(__file__).parents[2] / "deploy"
TOKEN = "secret-of-the-owner"


@pytest.fixture
def servers(database):
    place = f"{database}#some"
    people, links = study_at(place, pooled=False)
    found = []
    try:
        for _ in range(2):
            found.append(RunningServer(place, ("--workers", "1", "--token", TOKEN, "--trusted-proxies", "127.0.0.1")))
        for server in found:
            server.wait_until_ready()
        yield place, people, links, found
    finally:
        for server in found:
            server.kill()


@pytest.fixture
def proxy(servers, tmp_path):
    """nginx as deploy/nginx.conf has it, on a port of its own."""
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if nginx is None:
        pytest.skip("NOT RUN: nginx is not installed; on Debian: apt install nginx-light")
    port = free_port()
    site = (DEPLOY / "nginx.conf").read_text().replace("listen 8080", f"listen 127.0.0.1:{port}")
    for number, server in enumerate(servers[3], 1):
        site = site.replace(f"server{number}:8000", f"127.0.0.1:{server.port}")
    whole = tmp_path / "nginx.conf"
    kept = "\n".join(
        f"    {part}_temp_path {tmp_path}/{part};" for part in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    head = f"daemon off;\nuser root;\npid {tmp_path}/pid;\nerror_log {tmp_path}/errors;\nevents {{}}\n"
    whole.write_text(f"{head}http {{\n{kept}\n{site}\n}}\n")
    checked = subprocess.run([nginx, "-t", "-c", str(whole)], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    with subprocess.Popen([nginx, "-c", str(whole)]) as running:
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            running.terminate()


def ask(client, link):
    while (reply := client.get(link)).status_code != 200 or reply.json()["question"] is None:
        time.sleep(0.1)
    return reply.json()["question"]


def test_people_stay_with_a_server_and_go_on_at_the_other_when_it_is_killed(servers, proxy, tmp_path):
    place, people, links, running = servers
    keys = []

    def answer(client, turn):
        for number, link in enumerate(links):
            question = ask(client, link)
            keys.append(f"answer-{number}-{turn}")
            sent = {"question": question["id"], "response": "same", "key": keys[-1]}
            while (reply := client.post(f"{link}/answers", json=sent)).status_code in (502, 503, 504):
                time.sleep(0.1)  # as the page does
            assert reply.status_code == 200, reply.text

    with httpx2.Client(base_url=proxy, timeout=60, headers={"Authorization": f"Bearer {TOKEN}"}) as client:
        for turn in range(2):
            answer(client, turn)
        assert client.get("/metrics").status_code == 404  # not for the world
        link = client.post("/api/v1/studies/some/participants", json={"name": "Dan"}).json()["link"]
        assert link.startswith(f"{proxy}/s/some/p/")
        with client.stream("GET", "/api/v1/studies/some/live") as stream:  # through the proxy at once
            lines = stream.iter_lines()
            assert next(lines) == "event: overview"
            assert json.loads(next(lines).removeprefix("data: "))["answers"] == 6
        running[0].kill()
        answer(client, 2)
        running[0].start()
        running[1].kill()
        answer(client, 3)
    assert sorted(event["key"] for event in told(place, [one.log for one in people])) == sorted(keys)
    assert "/p/" not in (tmp_path / "errors").read_text()  # links are secrets


def test_the_compose_file_starts_two_servers_of_one_database():
    yaml = pytest.importorskip("yaml")
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    services = compose["services"]
    assert set(services) == {"database", "server1", "server2", "proxy"}
    assert services["server1"] == services["server2"]
    [subnet] = compose["networks"]["default"]["ipam"]["config"]
    assert f"--trusted-proxies={subnet['subnet']}" in services["server1"]["command"]
    assert "password" not in " ".join(services["server1"]["command"]).lower()


def test_the_image_does_not_run_as_root_and_compiles_when_it_is_built():
    lines = (DEPLOY / "Dockerfile").read_text().splitlines()
    user = lines.index("USER 10001")
    assert "RUN askwise warm" in lines[user:]
    assert not any(line.startswith("USER root") for line in lines)


def test_a_server_that_systemd_stops_has_not_failed():
    lines = (DEPLOY / "askwise.service").read_text().splitlines()
    assert f"SuccessExitStatus={128 + signal.SIGTERM}" in lines  # how a server exits, see test_operations.py
