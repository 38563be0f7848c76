"""askwise eval with a real program, a real endpoint and keys at a terminal."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from subprocess import PIPE

import httpx
import numpy as np
import pytest

import askwise

PROGRAM = """
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    first, second = (float(option["body"]) for option in question["options"])
    print(json.dumps({"question": question["id"], "response": "left" if first > second else "right"}), flush=True)
"""


@pytest.fixture
def runs(tmp_path):
    rng = np.random.default_rng(0)
    quality = {"tiny": 0.0, "base": 1.5, "large": 4.0}
    rows = [
        {"system": name, "prompt": f"What is {n}?", "reply": f"{value + rng.standard_normal():.3f}"}
        for n in range(20)
        for name, value in quality.items()
    ]
    (tmp_path / "runs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "judge.py").write_text(PROGRAM)
    return tmp_path / "runs.jsonl"


class Endpoint(BaseHTTPRequestHandler):
    """A chat endpoint that prefers the larger number."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = asked["messages"][-1]["content"]
        self.server.seen.append(text)
        shown = [part.split("</option>")[0].split() for part in text.split("<option")[1:]]
        left, right = (float(words[-1]) for words in shown[:2])
        content = json.dumps({"note": "larger", "response": "left" if left > right else "right"})
        body = {
            "choices": [{"message": {"content": content}}],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 0},
        }
        reply = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def endpoint():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    server.seen = []
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_program_judges_and_its_votes_are_replayed(run_command, runs):
    judge = f"{sys.executable} judge.py"
    code, out, err = run_command("eval", runs, "--judge", judge, "--seed", 1)
    assert (code, err) == (0, "")
    assert out.startswith("3 systems, 20 prompts.\nlarge. We are ")
    assert "in place of 60 for all pairs on all prompts" in out
    assert run_command("eval", runs, "--judge", judge, "--seed", 1)[1] == out  # it is settled: nothing is asked
    assert run_command("export", "runs.askwise", "-o", "battles.jsonl", "--what", "battles")[0] == 0
    again = run_command("eval", runs, "--judge", "votes:battles.jsonl", "--seed", 1, "-o", "b.askwise", "--json")
    assert json.loads(again[1])["estimate"] == "large"
    assert run_command("report", "runs.askwise")[0] == 0


def test_a_model_judges_blindly_and_what_it_cost_is_told(run_command, runs, endpoint, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    url = f"http://127.0.0.1:{endpoint.server_port}/v1"
    code, out, err = run_command(
        "eval", runs, "--judge", "openai:some-model", "--base-url", url, "--price-in", 2, "--json", "--goal", "ranking"
    )
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["estimate"][0] == "large"
    assert found["judges"][0]["cost"] == pytest.approx(0.002 * found["judges"][0]["calls"])
    assert len(endpoint.seen) == found["judges"][0]["calls"]
    assert not any(name in text for text in endpoint.seen for name in ("tiny", "base", "large"))
    assert all("What is" in text for text in endpoint.seen)


def test_a_person_measures_the_judge(run_command, runs):
    """The person always says left, and the judge does not; then the person quits, and nothing is lost."""
    judge = f"{sys.executable} judge.py"
    command = ("eval", runs, "--judge", judge, "--human", "--labels", 6, "--seed", 1, "--budget", 14)
    code, out, _ = run_command(*command, stdin="left\nleft\n")
    assert code == 0
    assert "4 answers kept. Run the same command again to go on." in out
    code, out, err = run_command(*command, stdin="left\n" * 40)
    assert (code, err) == (0, "")
    assert "It agreed with the person on " in out
    session = askwise.open("runs.askwise")
    assert sum(answer.who == "human" for answer in session.answers) >= 6
    assert session.people["human"] == 1.0


def test_two_systems_are_compared_alone(run_command, runs):
    judge = f"{sys.executable} judge.py"
    code, out, _ = run_command("eval", runs, "--judge", judge, "--systems", "tiny,base", "--seed", 1)
    assert code == 0
    assert out.startswith("2 systems, 20 prompts.\nbase. We are ")


def test_what_cannot_be_done_is_told_in_one_sentence(run_command, runs, tmp_path):
    judge = f"{sys.executable} judge.py"
    for arguments, message in (
        ((), "nobody answers; give --judge, or --human or --browser to answer yourself"),
        (("--human", "--browser"), "give one of them"),
        (("--judge", judge, "--systems", "tiny,none"), "there is no system 'none'; the systems are tiny, base, large"),
        (("--judge", "votes:none.jsonl"), "none.jsonl cannot be read"),
        (("--judge", judge, "--goal", "clusters"), "goal is 'clusters'"),
        (("--judge", "nosuch:thing"), "there is no program 'nosuch:thing'"),
    ):
        code, out, err = run_command("eval", runs, *arguments)
        assert (code, out) == (2, "")
        assert message in err
        assert not (tmp_path / "runs.askwise").exists()
    askwise.save(askwise.best_item(["a", "b"]), tmp_path / "runs.askwise")
    code, _, err = run_command("eval", runs, "--judge", judge)
    assert (code, "is a study of other runs; choose another file with --output" in err) == (2, True)


def test_a_study_goes_on_with_its_own_options_and_others_are_refused(run_command, runs):
    judge = f"{sys.executable} judge.py"
    code, first, _ = run_command("eval", runs, "--judge", judge, "--seed", 1, "--goal", "ranking", "--json")
    assert code == 0
    assert run_command("eval", runs, "--judge", judge, "--json")[1] == first  # settled: nothing is asked
    for arguments, message in (
        (("--judge", "nosuch:thing"), "there is no program 'nosuch:thing'"),
        (("--judge", judge, "--goal", "best-item"), "was begun with goal ranking, not best-item"),
        (("--judge", judge, "--budget", 7), "was begun with budget 300, not 7; leave it out, or choose another file"),
        (("--judge", judge, "--seed", 2), "was begun with seed 1, not 2"),
        (("--judge", judge, "--ties"), "was begun with ties False, not True"),
        (("--judge", judge, "--human"), "was begun without a person"),
    ):
        code, out, err = run_command("eval", runs, *arguments)
        assert (code, out) == (2, "")
        assert message in err


def test_a_run_that_goes_on_counts_the_calls_and_the_money_of_all_judges(run_command, runs, endpoint, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    url = f"http://127.0.0.1:{endpoint.server_port}/v1"
    model = ("--judge", "openai:some-model", "--base-url", url, "--price-in", 2)
    more = ("--epsilon", 0.0001, "--budget", 12)
    code, out, _ = run_command("eval", runs, *model, *more, "--max-cost", 0.008, "--json")
    before = json.loads(out)
    assert (code, before["settled"]) == (0, False)
    code, out, _ = run_command("eval", runs, "--judge", f"{sys.executable} judge.py", "--json")
    found = json.loads(out)
    assert code == 0
    assert {judge["name"] for judge in found["judges"]} == {"some-model", f"{sys.executable} judge.py"}
    assert found["cost"] == pytest.approx(before["cost"]) == pytest.approx(0.002 * len(endpoint.seen))
    assert found["calls"] == 12
    told = run_command("eval", runs, "--judge", f"{sys.executable} judge.py")[1]
    assert f"12 calls at a cost of {found['cost']:.6g}, in place of 60 at about " in told


def answer_in_browser(page, most, process):
    """Answers what the page asks as long as the program runs, at most so often; how often it did."""
    link, answers = page.replace("/s/", "/api/v1/s/"), 0
    with httpx.Client(timeout=30) as client:
        assert client.get(page).status_code == 200
        while answers < most and process.poll() is None:
            reply = client.get(link)
            assert reply.status_code == 200
            question = reply.json()["question"]
            if question is None:
                time.sleep(0.2)
                continue
            assert question["text"].startswith("What is ")
            first, second = (float(option["body"]) for option in question["options"])
            told = {"question": question["id"], "response": "left" if first > second else "right"}
            assert client.post(f"{link}/answers", json={**told, "key": uuid.uuid4().hex}).status_code == 200
            answers += 1
    return answers


def test_a_person_answers_in_the_browser_while_a_judge_does(runs, tmp_path):
    """The real command, and a real request for each answer of the person."""
    arguments = ["--judge", f"{sys.executable} judge.py", "--browser", "--labels", "4", "--seed", "1", "--json"]
    command = [sys.executable, "-c", "import askwise.cli; askwise.cli.main()", "eval", str(runs), *arguments]
    with subprocess.Popen(command, cwd=tmp_path, stdout=PIPE, stderr=PIPE, text=True) as process:
        try:
            line = process.stderr.readline()
            assert line.startswith("Answer in the browser: http://127.0.0.1:")
            answers = answer_in_browser(line.split()[-1], 5, process)
            out, err = process.communicate(timeout=120)
        finally:
            process.kill()
    assert (process.returncode, err) == (0, "")
    found = json.loads(out)
    assert found["estimate"] == "large"
    assert found["labels"] == answers >= 4
    assert found["judges"][0]["both"] >= 4
    assert found["judges"][0]["agreed"] == found["judges"][0]["both"]
    session = askwise.open(tmp_path / "runs.askwise")
    assert {answer.who for answer in session.answers} == {"human", f"{sys.executable} judge.py"}
