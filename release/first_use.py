"""Uses an installed askwise as a stranger does: in Python, by the command, with a program that answers, and by the web.

It imports nothing but askwise and the standard library. Run it in an empty folder, by the Python of the environment:
`python -I first_use.py`. It prints what it did, a line each.
"""

from __future__ import annotations

import csv
import json
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.request
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import askwise

COMMAND = str(Path(sysconfig.get_path("scripts")) / "askwise")
CARS = [{name: car[name] for name in ("name", "price", "horsepower")} for car in askwise.example("cars")[:12]]
CHEAPEST = min(CARS, key=lambda car: car["price"])["name"]
TOKEN = "token-of-the-owner"
START_SECONDS = 300.0  # of the server, which compiles first
JUDGE = """
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    cheapest = min(question["options"], key=lambda option: float(option["fields"]["price"].replace(",", "")))
    print(json.dumps({"question": question["id"], "response": cheapest["name"]}), flush=True)
"""


def main() -> None:
    environment = Path(sys.prefix).resolve()
    assert Path(askwise.__file__).resolve().is_relative_to(environment), f"{askwise.__file__} is not the installed one"
    assert version("askwise") == askwise.__version__
    print(f"askwise {askwise.__version__} on Python {sys.version.split()[0]}")
    use_python()
    use_command()
    use_web()


def use_python() -> None:
    session = askwise.best_item(CARS, seed=7)
    price = {car["name"]: car["price"] for car in CARS}
    run = askwise.answer(session, lambda question: min(question.names, key=price.__getitem__), jobs=1, progress=False)
    assert session.estimate().value == CHEAPEST, session.estimate()
    assert CHEAPEST in str(session.certificate())
    assert CHEAPEST in session.report("python.html").read_text(encoding="utf-8")
    askwise.save(session, "python.askwise")
    assert len(askwise.open("python.askwise").answers) == run.answers
    print(f"Python: {CHEAPEST} after {run.answers} answers, with a report and a study")


def use_command() -> None:
    with open("cars.csv", "w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, list(CARS[0]))
        rows.writeheader()
        rows.writerows(CARS)
    Path("judge.py").write_text(JUDGE, encoding="utf-8")
    command("new", "best-item", "cars.csv")
    said = command("answer", "cars.askwise", "--with", f"{sys.executable} judge.py", "--jobs", "1")
    assert CHEAPEST in command("status", "cars.askwise"), said
    command("report", "cars.askwise")
    assert CHEAPEST in Path("cars.html").read_text(encoding="utf-8")
    print("Command: new, answer with a program, status, report")


def use_web() -> None:
    """Invites a person and answers one question for them."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    askwise.save(askwise.best_item(CARS, seed=7), "web.askwise")
    serve = [COMMAND, "serve", "web.askwise", "--port", str(port), "--token", TOKEN, "--workers", "1"]
    with Path("server.log").open("w") as log, subprocess.Popen(serve, stdout=log, stderr=log) as server:
        try:
            wait_for(f"http://127.0.0.1:{port}/readyz", server)
            invited = request(f"http://127.0.0.1:{port}/api/v1/studies/web/participants", {"name": "Ann"}, owner=True)
            link = json.loads(invited)["link"]
            token = link.rstrip("/").rpartition("/")[2]
            assert "<html" in request(f"http://127.0.0.1:{port}/s/web/p/{token}")
            here = f"http://127.0.0.1:{port}/api/v1/s/web/p/{token}"
            question = json.loads(request(here))["question"]
            answer = {"question": question["id"], "response": "left", "key": "first-answer"}
            request(f"{here}/answers", answer)
            assert len(json.loads(request(f"{here}/answers"))) == 1
        finally:
            server.terminate()
    print("Web: a page, a question and an answer")


def command(*words: str) -> str:
    done = subprocess.run([COMMAND, *words], capture_output=True, text=True)
    assert done.returncode == 0, f"askwise {' '.join(words)}: {done.stdout}{done.stderr}"
    return done.stdout


def request(address: str, body: object = None, owner: bool = False) -> str:
    headers = {"Content-Type": "application/json"} if body is not None else {}
    if owner:
        headers["Authorization"] = f"Bearer {TOKEN}"
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(address, data, headers), timeout=60) as reply:
        return str(reply.read().decode())


def wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and server.poll() is None:
        with suppress(OSError):
            request(address)
            return
        time.sleep(0.1)
    raise AssertionError(f"the server did not start: {Path('server.log').read_text()}")


if __name__ == "__main__":
    main()
