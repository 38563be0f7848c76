"""The owner's API: studies out of tables, people, counts that agree with the logs, and doors that stay shut."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import contextmanager

import numpy as np
import pytest
from fastapi.testclient import TestClient

import askwise
from askwise import goals
from askwise.report.history import history
from askwise.storage.address import Address
from askwise.storage.participants import invite
from askwise.storage.store import Store
from askwise.storage.usage import answer_counts
from askwise.web import security as safety
from askwise.web.access import COOKIE
from askwise.web.app import create_app
from askwise.web.learner.dashboard import WatchedLog, log_findings, watch
from askwise.web.learner.learner import Learner
from askwise.web.live_updates import messages
from askwise.web.overview import overview
from askwise.web.studies import ServedStudies
from tests.helpers import generator

TOKEN = "secret-of-the-owner"
OWNER = {"Authorization": f"Bearer {TOKEN}"}
NAMES = ["<script>alert(1)</script>", 'a"b', "c'd & e", "</style>", "x" * 90, "plain"]
TABLE = {"name": NAMES, "size": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "kind": ["s", "s", "l", "l", "s", "l"]}
CSV = b"name,heat\ntea,9\nmilk,1\nwater,2\n"
MADE = {
    "best_column": lambda: goals.best_column((3, 3), draws=16, rank=1),
    "best_item": lambda: goals.best_item(TABLE, draws=60),
    "classifier": lambda: goals.classifier(TABLE, draws=60),
    "cluster_of": lambda: goals.cluster_of(TABLE, "plain", draws=16),
    "clusters": lambda: goals.clusters(TABLE, draws=16),
    "hierarchy": lambda: goals.hierarchy(TABLE, draws=16),
    "matrix": lambda: goals.matrix((3, 3), entry_range=4, draws=16, rank=1),
    "ranking": lambda: goals.ranking(TABLE, draws=60),
    "top_k": lambda: goals.top_k(TABLE, 2, draws=60),
}


def answered(session, count, rng, back=0.0):
    """So many answers of chance; some are taken back, some questions skipped."""
    for _ in range(count):
        question = session.ask()
        if rng.random() < back:
            session.skip(who="Ben")
        else:
            said = float(rng.normal()) if question.kind == "number" else question.responses[int(rng.integers(2))]
            session.tell(said, who=str(rng.choice(["Ann", "Ben"])))
        if rng.random() < back:
            closing = next(event for event in reversed(session.log) if event["event"] in ("tell", "skip"))
            session.undo(closing["question"], who=closing["who"])
    return session


@contextmanager
def served(folder):
    with TestClient(create_app(str(folder), token=TOKEN, workers=1), headers=OWNER) as client:
        yield client


def upload(client, name="drinks", table=CSV, file="drinks.csv", **form):
    given = {"goal": "ranking", "name": name, **form}
    return client.post("/api/v1/studies", files={"table": (file, table)}, data=given)


@pytest.mark.parametrize("goal", MADE)
def test_charts_of_every_goal(goal):
    session = answered(MADE[goal](), 4, generator(1))
    found = json.loads(json.dumps(log_findings(session)["charts"]))
    assert [chart["kind"] for chart in found]
    for chart in found:
        assert {"kind", "id", "title", "lead", "table"} <= set(chart)
        if chart["kind"] == "bars":
            shares = [share for _, share in chart["rows"]]
            assert all(0 <= share <= 1 for share in shares)
        if chart["kind"] == "intervals":
            assert all(row["low"] <= row["middle"] <= row["high"] for row in chart["rows"])
        if chart["kind"] == "groups":
            assert sum(len(group["items"]) for group in chart["groups"]) == len(NAMES)
        if chart["kind"] == "tree":
            assert sorted(chart["names"]) == sorted(NAMES)
            assert len(chart["forks"]) == len(NAMES) - 1
    if goal in ("best_item", "best_column"):
        assert sum(share for _, share in found[0]["rows"]) == pytest.approx(1)
        assert found[0]["rows"][0][1] == pytest.approx(share_of_first(session), abs=1e-9)


def test_the_dashboard_knows_how_reliable_people_are_of_whose_log_nobody_has_come():
    session = goals.ranking(TABLE, draws=40)
    for number in range(4):
        session.tell(session.ask().responses[0], who=f"person {number % 2}")
    found = json.loads(json.dumps(log_findings(session)["trusted"]))
    assert found == dict(session.people)
    assert set(found) == {"person 0", "person 1"}


def share_of_first(session):
    """The largest share of draws with the same best item, counted one draw at a time."""
    found: dict[str, float] = {}
    for structure, weight in zip(session.sample.structures, session.sample.weights, strict=True):
        name = session.config.describe(structure)
        found[name] = found.get(name, 0.0) + float(weight)
    return max(found.values())


def test_work_is_what_the_log_says(tmp_path):
    rng = generator(2)
    path = tmp_path / "drinks.askwise"
    session = answered(goals.ranking(TABLE, draws=40), 12, rng, back=0.3)
    askwise.save(session, path)
    log = session.event_log
    standing = [log.closing_events[id]["who"] for id, status in log.status.items() if status in ("answered", "skipped")]
    assert any(event["event"] == "undo" for event in session.log)
    found = {one.who: one.answers for one in answer_counts(Store.at(Address.of(path)), 1)}
    assert found == {who: standing.count(who) for who in found}
    assert sum(found.values()) == len(standing)


def test_the_curve_is_the_history(tmp_path):
    """Seen live in slices, the past is what a replay in one go says; the log's own diameters agree with both."""
    path = str(tmp_path / "drinks.askwise")
    session = answered(goals.best_item(TABLE, draws=60), 8, generator(3), back=0.2)
    session.ask()
    askwise.save(session, path)
    exact = {point.revision: (point.diameter, point.error) for point in history(session)}
    watched = WatchedLog(askwise.open(path))
    first = watched.snapshot(0.0)
    assert first["replaying"]
    assert len(first["curve"]) == 1
    end = time.monotonic() + 60
    while watched.snapshot(0.01)["replaying"] and time.monotonic() < end:
        pass
    found = watched.snapshot(0.0)
    assert {turn: (diameter, error) for turn, diameter, error in found["curve"]} == exact
    line = watch((path, 1), 1)["lines"][0]["points"]
    assert len(line) > 5
    assert all(diameter == exact[turn][0] for turn, diameter in line)
    live = watched.session
    askwise.change_goal(live, "ranking")
    assert [turn for turn, *_ in watched.snapshot(0.0)["curve"]] == [live.round.beliefs.revision]


def test_an_answer_against_all_others_is_named(tmp_path):
    session = goals.best_item({"name": [f"item {i}" for i in range(9)], "x": list(range(9))}, draws=200, epsilon=0.001)
    for turn in range(12):
        question = session.ask()
        larger = max(question.options, key=lambda option: int(option.name.split()[1])).name
        smaller = min(question.options, key=lambda option: int(option.name.split()[1])).name
        session.tell(smaller if turn == 6 else larger)
        wrong = question.id if turn == 6 else "q7"
    path = str(tmp_path / "items.askwise")
    askwise.save(session, path)
    odd = watch((path, 1), 1)["odd"]
    assert odd[0]["question"] == wrong
    assert odd[0]["chance"] < 0.1


def test_a_table_becomes_a_study(tmp_path, in_process):
    with served(tmp_path) as client:
        seen = upload(client, preview="true", goal="top-k", options='{"k": 2}').json()
        assert (seen["made"], seen["words"][0]) == (False, "Find the best 2 of the 3 items.")
        assert not list(tmp_path.iterdir())
        assert upload(client, mode="pooled").json()["made"]
        study = client.get("/api/v1/studies/drinks").json()
        assert (study["mode"], study["state"], study["aim"]) == ("pooled", "open", "Put the 3 items in order.")
        assert upload(client).status_code == 409
        for form, word in [
            ({"goal": "top-k"}, "needs"),
            ({"goal": "best"}, "no goal"),
            ({"options": "[1]"}, "JSON object"),
            ({"options": '{"colour": 1}'}, "no option"),
            ({"goal": "top-k", "options": '{"k": "many"}'}, "k"),
            ({"mode": "both"}, "pooled"),
            ({"table": b"\xff\xfe\x00"}, "drinks.csv"),
            ({"table": b""}, "drinks.csv"),
            ({"file": "drinks.exe"}, "CSV"),
        ]:
            refused = upload(client, "other", **form)
            assert refused.status_code == 422, form
            assert word in refused.json()["detail"]
            assert "\n" not in refused.json()["detail"]
    assert [file.name for file in tmp_path.glob("*.askwise")] == ["drinks.askwise"]


MANY_ROWS = b"name\n" + b"".join(b"item %d\n" % i for i in range(1_001))
ON_THE_FORM = {  # what is filled in, and what the form says
    "How many must be a whole number from 1 to 2.": {"goal": "top-k", "options": '{"k": 0}'},
    "How many: fill this in.": {"goal": "top-k"},
    "Answers at most must be a whole number of at least 1.": {"options": '{"budget": 0}'},
    "How undecided it may stay must be a number above 0 and at most 1.": {"options": '{"epsilon": 3}'},
    "This goal takes at most 1,000 rows. Use a shorter table.": {"table": MANY_ROWS},
    "drinks.csv is not utf-8 text (line 2); save it as CSV UTF-8.": {"table": b"name\n\xe9\n"},
    "drinks.csv is not a text file; save the table as CSV UTF-8.": {"table": b"name\nt\0ea\nmilk\n"},
    "The name 'tea' is in rows 1 and 2 of column 'name'; give every item a name of its own.": {
        "table": b"name\ntea\ntea\n"
    },
    "Column 'x' has missing values, 1 of 3 (row 1); fill them.": {"table": b"name,x\ntea,\nmilk,2\nwater,3\n"},
}


@pytest.mark.parametrize("sentence", ON_THE_FORM)
def test_the_form_speaks_of_its_own_fields(tmp_path, sentence, in_process):
    """Somebody who fills in the form reads neither options of Python nor of the command line; programs do."""
    with served(tmp_path) as client:
        client.headers["X-Askwise"] = "page"
        assert upload(client, **ON_THE_FORM[sentence]).json()["detail"] == sentence
        del client.headers["X-Askwise"]
        assert upload(client, **ON_THE_FORM[sentence]).json()["detail"] != sentence


def test_uploads_stay_in_their_folder(tmp_path, in_process):
    folder = tmp_path / "served" / "here"
    folder.mkdir(parents=True)
    with served(folder) as client:
        for name in ("../x", "..", "a/b", "a\\b", ".hidden", "", "a\nb", "/etc/x", "x" * 61, "é"):
            assert upload(client, name).status_code == 422
        for place, file in enumerate(("../../x.csv", "/etc/x.csv", "..\\x.csv")):
            assert upload(client, f"fine {place}", file=file).status_code == 201
        for file in ("x.csv/../../y", "x.c\0sv", "x." + "y" * 300):
            assert upload(client, "never", file=file).status_code == 422
        assert client.get("/s/..%2f..%2fx").status_code in (200, 404)
        assert client.get("/api/v1/studies/..%2f..%2fx").status_code == 404
        assert client.get("/static/..%2fapp.py").status_code == 404
    left = {file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*") if file.is_file()}
    assert {name for name in left if name.endswith(".askwise")} == {f"served/here/fine {i}.askwise" for i in range(3)}
    assert all(name.startswith("served/here/fine") for name in left)


def test_every_door_of_the_owner_is_shut(tmp_path, in_process):
    with served(tmp_path) as client:
        assert upload(client).status_code == 201
        paths = client.get("/api/v1/openapi.json").json()["paths"]
        own = {path: list(methods) for path, methods in paths.items() if path.startswith("/api/v1/studies")}
        assert len(own) >= 11
        for path, methods in own.items():
            where = path.format(study="drinks", participant="x")
            for method in methods:
                client.headers.pop("Authorization", None)
                client.cookies.clear()
                assert client.request(method, where).status_code == 401, path
                assert client.request(method, where, headers={"Authorization": "Bearer wrong"}).status_code == 401
                client.cookies.set(COOKIE, "wrong")
                assert client.request(method, where, headers={"X-Askwise": "page"}).status_code == 401
                if method == "post":
                    client.cookies.set(COOKIE, TOKEN)
                    assert client.post(where, json={"state": "closed"}).status_code == 403, path
                time.sleep(0.2)  # not faster than the rate limit lets pass
        assert client.get("/api/v1/studies/drinks", headers=OWNER).json()["state"] == "open"
        login = client.get(f"/login?token={TOKEN}", follow_redirects=False)
        assert {"HttpOnly", "SameSite=lax"} <= set(login.headers["set-cookie"].split("; "))


def test_too_much_at_once(tmp_path, monkeypatch, in_process):
    monkeypatch.setattr(safety, "MAX_UPLOAD_BYTES", 2000)
    with served(tmp_path) as client:
        refused = upload(client, table=b"x" * 3000)
        assert refused.status_code == 413
        assert refused.json()["detail"] == "this is too large; send 1 kB at most"
        client.app.state.rate_limiter = safety.RateLimiter(
            rate=0.5, burst=4.0
        )  # so slow that a busy machine is fast enough
        codes = [client.get("/api/v1/studies").status_code for _ in range(8)]
        assert codes[:4] == [200] * 4
        assert 429 in codes
        time.sleep(2.1)
        assert client.get("/api/v1/studies").status_code == 200


def test_people_and_states(tmp_path):
    with served(tmp_path) as client:
        upload(client, "my drinks")
        here = "/api/v1/studies/my drinks"
        made = client.post(f"{here}/participants", json={"name": " <b>Ann</b> ", "quota": 2}).json()
        assert made["name"] == "<b>Ann</b>"
        assert "/s/my%20drinks/p/" in made["link"]
        base = "/api/v1" + made["link"].split("testserver")[1]
        for turn in range(2):
            question = client.get(base).json()["question"]
            client.post(
                f"{base}/answers", json={"question": question["id"], "response": "left", "key": f"key-{turn:05}"}
            )
        client.post(f"{base}/undo", json={"key": "undo-0001"})
        robot = client.get(f"{here}/questions").json()
        told = {"question": robot["id"], "response": robot["responses"][0], "key": "robot-0001"}
        assert client.post(f"{here}/answers", json=told).json()["id"] == "q2"
        seen = client.get(here).json()
        assert (seen["answers"], seen["participants"][0]["answers"]) == (2, 1)
        table = client.get(f"{here}/answers.csv").text.splitlines()
        assert len(table) == 1 + 2 + 1  # one of Ann's was taken back, which stays on record
        assert sum("<b>Ann</b>" in line for line in table) == 2
        assert len(client.get(f"{here}/answers.csv?log={seen['participants'][0]['log']}").text.splitlines()) == 3
        assert client.post(f"{here}/participants/nobody/pause").status_code == 404
        who = made["participant"]
        assert client.post(f"{here}/participants/{who}/pause").json()["participants"][0]["paused"]
        assert client.get(base).json()["state"] == "paused"
        assert client.post(f"{here}/state", json={"state": "ajar"}).status_code == 422
        assert client.post(f"{here}/state", json={"state": "closed"}).json()["state"] == "closed"
        assert client.post(f"{here}/state", json={"state": "open"}).status_code == 409
        assert client.get(f"{here}/questions").status_code == 409
        (tmp_path / "torn.askwise").write_bytes(b"not a study")
        assert [one["state"] for one in client.get("/api/v1/studies").json()] == ["closed", "unreadable"]
        torn = "torn.askwise is not a study, or it is damaged; expected a file made by askwise new."
        assert client.get("/api/v1/studies").json()[1]["aim"] == torn


def test_nobody_listens_after_leaving(tmp_path):
    """The stream starts with the overview, sends what is learned, and leaves nothing behind."""
    path = tmp_path / "drinks.askwise"
    askwise.save(goals.best_item(TABLE, draws=40), path)

    async def listen():
        studies = ServedStudies(str(tmp_path), Learner(1))
        invite(studies.store("drinks"), studies.record("drinks"), "Ann")
        stream, kinds = messages(studies, "drinks", studies.job("drinks", 1), 1), []
        while "learned" not in kinds and len(kinds) < 200:
            kinds.append((await anext(stream)).split()[1])
        heard = len(studies._listeners["drinks"])
        await stream.aclose()
        seen = await overview(studies, "drinks")
        left = len(studies._listeners["drinks"])
        studies.close()
        return kinds, heard, left, seen

    kinds, heard, left, seen = asyncio.run(listen())
    assert kinds[0] == "overview"
    assert kinds[-1] == "learned"
    assert (heard, left) == (1, 0)
    assert [one.name for one in seen.participants] == ["Ann"]
    assert np.isfinite(seen.epsilon)
