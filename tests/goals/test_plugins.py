"""A plug-in registers a goal, a strategy and a distance: a study that uses them is made, answered, saved, reported and
served. One that is broken or missing is told in one sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from askwise.distances import GROUP as DISTANCES
from askwise.goals.base.registry import GROUP as GOALS
from askwise.oracles.registry import GROUP as ORACLES
from askwise.strategies import GROUP as STRATEGIES

ROOT = Path(__file__).parents[2]
PLUGIN = Path(__file__).parent / "plugin" / "askwise_tiny.py"
ENTRY_POINTS = """
[askwise.goals]
least_liked = askwise_tiny:LeastLikedGoal
broken_goal = askwise_tiny:NoSuchGoal
no_goal = askwise_tiny:in_turn
other_name = askwise_tiny:LeastLikedGoal

[askwise.strategies]
in-turn = askwise_tiny:in_turn

[askwise.distances]
same-half = askwise_tiny:SameHalf
"""
TABLE = "name,price\ntea,3\ncoffee,4\nwater,1\nmilk,2\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the plug-in installed, as pip would leave it."""
    folder = tmp_path_factory.mktemp("site")
    (folder / PLUGIN.name).write_text(PLUGIN.read_text(encoding="utf-8"), encoding="utf-8")
    facts = folder / "askwise_tiny-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: askwise-tiny\nVersion: 1.0\n", encoding="utf-8")
    (facts / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    return folder


def python(code: str, cwd: Path, *folders: Path, words=()):
    """Runs code in a process that sees these folders: exit code, output, errors."""
    path = os.pathsep.join(map(str, (*folders, ROOT / "src", ROOT)))
    environment = {**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", code, *words]
    run = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, input="left\nright\n")
    return run.returncode, run.stdout, run.stderr


def askwise_command(cwd: Path, *words: str, plugins: Path | None = None):
    folders = () if plugins is None else (plugins,)
    return python("from askwise.cli import main; main()", cwd, *folders, words=words)


ONE_BY_ONE = """
import contextlib, io, json, sys
from askwise.cli import main

done = []
for words in json.loads(sys.argv[1]):
    sys.argv[1:] = words
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            main()
        except SystemExit as ended:
            done.append((ended.code, out.getvalue(), err.getvalue()))
print(json.dumps(done))
"""


def askwise_commands(cwd: Path, *commands: tuple[str, ...], plugins: Path):
    """Several commands in one process: exit code, output and errors of each."""
    code, said, error = python(ONE_BY_ONE, cwd, plugins, words=[json.dumps(commands)])
    assert code == 0, error
    return json.loads(said)


SERVED = """
import json, sys
from fastapi.testclient import TestClient
from askwise.web.app import create_app

owner = {"Authorization": "Bearer secret"}
with TestClient(create_app(".", token="secret", workers=1)) as client:  # with worker processes, as in earnest
    home = client.get("/", headers=owner).text
    form = {"goal": "least_liked", "name": "web", "options": json.dumps({"rule": "in-turn", "draws": 12, "shouts": 2})}
    made = client.post("/api/v1/studies", headers=owner, data=form, files={"table": ("t.csv", open("t.csv").read())})
    here = "/api/v1/studies/drinks"
    question = client.get(f"{here}/questions", headers=owner).json()
    told = {"question": question["id"], "response": "left", "key": "key-12345"}
    answered = client.post(f"{here}/answers", headers=owner, json=told)
    learned = client.get(f"{here}/learned", headers=owner).json()
    report = client.get(f"{here}/report.html", headers=owner).text
    print(json.dumps({
        "home": "Which item is the worst" in home and "How many exclamation marks" in home,
        "made": made.json(), "answered": answered.status_code, "charts": [c["title"] for c in learned["charts"]],
        "guess": learned["guess"], "report": "Which is the worst?" in report,
    }))
"""


@pytest.fixture(scope="module")
def study(installed, tmp_path_factory):
    """A study made by the command with the plug-in's goal and strategy, and two answers."""
    folder = tmp_path_factory.mktemp("studies")
    (folder / "t.csv").write_text(TABLE, encoding="utf-8")
    options = ("--rule", "in-turn", "--shouts", "3", "--draws", "20")
    made = ("new", "least-liked", "t.csv", "-o", "drinks.askwise")
    done = askwise_commands(folder, (*made, *options), ("ask", "drinks.askwise"), plugins=installed)
    assert [(code, error) for code, _, error in done] == [(0, "")] * 2
    assert "Find the worst of the 4 items." in done[0][1]
    return folder


def test_a_study_is_kept_and_reported(study, installed):
    commands = (("status", "--json"), ("report", "-o", "r.html"), ("export", "draws.csv"))
    words = [(command, "drinks.askwise", *more) for command, *more in commands]
    done = askwise_commands(study, *words, plugins=installed)
    assert [(code, error) for code, _, error in done] == [(0, "")] * 3
    status = json.loads(done[0][1])
    assert status["answers"] == 2
    assert status["estimate"].endswith("!!!")
    text = (study / "r.html").read_text(encoding="utf-8")
    assert "How likely each is the worst" in text
    assert "in-turn" in text


def test_the_web_serves_it(study, installed):
    code, said, error = python(SERVED, study, installed)
    assert code == 0, error
    found = json.loads(said)
    assert found["home"]
    assert found["made"]["words"][0] == "Find the worst of the 4 items."
    assert found["answered"] == 200
    assert found["charts"] == ["How likely each is the worst", "What mattered"]
    assert found["guess"].endswith("!!!")
    assert found["report"]


def test_names_objects_and_options_in_python(installed, tmp_path):
    code = """
import askwise
from askwise.goals import goals
from askwise.strategies import strategies
import askwise_tiny
assert "least_liked" in goals() and "broken_goal" not in goals() and "in-turn" in strategies()
session = askwise.best_item(["tea", "milk", "water"], by="same-half", rule=askwise_tiny.in_turn, draws=12)
session.ask()
session.tell("left")
assert session.recipe["options"]["rule"] == "in-turn", session.recipe
assert session.recipe["plugins"] == {"by": "askwise-tiny", "rule": "askwise-tiny"}
assert askwise.from_json(session.to_json()).ask() == session.ask()
askwise.change_goal(session, "least_liked", shouts=2)
print(session.estimate().value)
"""
    done, said, error = python(code, tmp_path, installed)
    assert done == 0, error
    assert said.strip().endswith("!!")


def test_a_study_says_which_plug_in_it_needs(study):
    code, _, error = askwise_command(study, "status", "drinks.askwise")
    assert code == 2
    assert error == (
        "askwise: the study needs the goal 'least_liked' of the plug-in askwise-tiny, which is not installed; "
        "install it with: pip install askwise-tiny\n"
    )


def test_a_broken_plug_in_is_told_in_one_sentence(study, installed):
    sentences = {
        "broken-goal": "the plug-in askwise-tiny cannot load 'broken_goal' (AttributeError: ",
        "no-goal": "the plug-in askwise-tiny registers 'no_goal', which is no Goal with that goal_name; ",
        "other-name": "the plug-in askwise-tiny registers 'other_name', which is no Goal with that goal_name; ",
    }
    words = [("new", goal, "t.csv", "-o", "x.askwise") for goal in sentences]
    done = askwise_commands(study, *words, plugins=installed)
    for sentence, (code, _, error) in zip(sentences.values(), done, strict=True):
        assert code == 2
        assert sentence in error
        assert error.endswith("; update or uninstall it\n")
        assert len(error.splitlines()) == 1


def test_a_plug_in_that_cannot_be_imported_hinders_nobody(study, installed, tmp_path):
    for name in ("askwise_tiny-1.0.dist-info/METADATA", "askwise_tiny-1.0.dist-info/entry_points.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text((installed / name).read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "askwise_tiny.py").write_text("import nothing_of_that_name", encoding="utf-8")
    words = ("new", "ranking", "t.csv", "-o", "plain.askwise"), ("status", "drinks.askwise")
    (plain, _, _), (code, _, error) = askwise_commands(study, *words, plugins=tmp_path)
    assert (plain, code) == (0, 2)
    assert "cannot load 'least_liked' (ModuleNotFoundError: No module named 'nothing_of_that_name')" in error


def test_the_docs_name_every_group_of_entry_points():
    text = (ROOT / "docs" / "own.md").read_text(encoding="utf-8")
    for group in (GOALS, STRATEGIES, DISTANCES, ORACLES):
        assert f'[project.entry-points."{group}"]' in text
