"""The widget without a notebook: every kind of question by requests, refusals, files, and the script that is made."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

import askwise
from askwise.errors import SettingError, StudyError
from askwise.goals.base.registry import built_in
from askwise.notebook import assets
from askwise.notebook.state import MAX_MEDIA_MB, media_url, widget_state
from tests.browser.site import STUDIES, png

pytest.importorskip("anywidget", reason="NOT RUN: anywidget is not installed")
NODE = shutil.which("node")
PICTURE = png((10, 20, 30))


def send(widget, path, **more):
    """What the notebook sends, and the state after it."""
    question = (widget.state["question"] or {}).get("id")
    key = f"key{len(widget.session.log)}{path}"
    widget.request = {"path": path, "question": question, "seconds": 1.5, "key": key, **more}
    assert widget.state["reply"] == key
    return widget.state


@pytest.mark.parametrize("kind", ["pair", "graded", "same", "triple", "label", "number", "set", "best-worst"])
def test_every_kind_of_question(kind):
    session = STUDIES[kind]()
    session.media = {f"{number}.png": PICTURE for number in range(6)}
    widget = session.widget()
    assert widget.state["answers"] == 0
    while (question := widget.state["question"]) is not None:
        state = send(widget, "answers", response=3.5 if kind == "number" else question["responses"][0])
        assert state["notice"] == ""
    assert state["answers"] == len(session.answers) == 3
    assert state["message"]["title"] == "That was the last question."
    assert session.log[-1]["seconds"] == 1.5
    state = send(widget, "undo")
    assert (state["answers"], state["question"]["id"]) == (2, question_of(session, "undo"))


def question_of(session, kind):
    return next(event["question"] for event in reversed(session.log) if event["event"] == kind)


@pytest.mark.parametrize("name", sorted(built_in()))
def test_every_goal_has_a_widget_and_cells(name):
    options = dict(built_in()[name].example)
    session = vars(askwise.goals)[name](**options, seed=1)
    state = session.widget().state
    assert state["question"]["options"]
    assert state["chart"]
    assert state["title"].endswith(".")
    for shown in (session, session.ask(), session.estimate(), session.certificate(), session.plot()):
        text = shown._repr_html_()
        assert text.startswith('<div class="askwise">')
        assert "<script" not in text
        assert "http" not in text.replace("http://www.w3.org", "")


def test_a_question_is_skipped_with_its_reason():
    widget = askwise.best_item(["tea", "coffee", "water"], seed=1).widget()
    before = widget.state["question"]["id"]
    state = send(widget, "skips", reason="unclear")
    assert state["answers"] == 0
    assert state["can_undo"]
    assert state["question"]["id"] != before
    assert widget.session.answers_frame()["reason"].to_list() == ["unclear"]


def test_a_refused_answer_changes_nothing_and_is_explained():
    session = askwise.best_item(["tea", "coffee", "water"], noise=0, seed=1)
    widget = session.widget()
    open_one = widget.state["question"]["id"]
    state = send(widget, "answers", response="purple")
    assert re.fullmatch(r".*purple.*\.", state["notice"])
    assert state["question"]["id"] == open_one
    assert session.answers == []
    session.tell("left")  # in another cell
    stale = send(widget, "answers", question=open_one, response="left")
    assert "answered" in stale["notice"]
    assert stale["question"]["id"] != open_one
    assert len(session.answers) == 1
    assert send(widget, "undo")["notice"] == ""
    assert "undo" in send(widget, "undo")["notice"] or not widget.state["can_undo"]


def test_a_request_that_comes_twice_counts_once():
    widget = askwise.best_item(["tea", "coffee", "water"], seed=1).widget()
    sent = {"path": "answers", "question": "q1", "response": "left", "key": "same", "seconds": None}
    widget.request = sent
    widget.request = {}  # or nothing would change
    widget.request = sent
    assert len(widget.session.answers) == 1
    assert widget.state["notice"] == ""


def test_a_study_that_cannot_be_read_again_is_no_reason_to_wait_for_ever(tmp_path, monkeypatch):
    askwise.save(askwise.best_item(["tea", "coffee", "water"], seed=1), tmp_path / "drinks.askwise")
    widget = askwise.open(tmp_path / "drinks.askwise").widget()

    def gone(position):
        raise StudyError("the disk is gone")

    monkeypatch.setattr(widget.session.journal, "since", gone)
    with pytest.raises(StudyError):
        send(widget, "answers", response="left")
    assert widget.state["reply"] is not None
    assert "the disk is gone" in widget.state["notice"]
    monkeypatch.undo()
    assert send(widget, "answers", question="q1", response="left")["notice"].startswith(
        "question q1 was answered before"
    )


def test_the_answers_of_a_study_are_on_disk(tmp_path):
    askwise.save(askwise.best_item(["tea", "coffee", "water"], seed=1), tmp_path / "drinks.askwise")
    send(askwise.open(tmp_path / "drinks.askwise").widget(), "answers", response="left")
    assert len(askwise.open(tmp_path / "drinks.askwise").answers) == 1


def test_a_group_reads_whom_a_question_asks():
    session = askwise.group_item(["tea", "coffee", "water"], ["Ann", "Ben"], seed=1)
    widget = session.widget()
    who = session.ask().who
    assert widget.state["question"]["text"].startswith(f"{who}: ")
    send(widget, "answers", response="left")
    assert session.answers[0].who == who


def test_files_are_data(tmp_path, monkeypatch):
    (tmp_path / "drinks.csv").write_text("name,image,x\ntea,tea.png,1\nmilk,milk.png,2\n")
    for name in ("tea", "milk"):
        (tmp_path / f"{name}.png").write_bytes(PICTURE)
    session = askwise.best_item(tmp_path / "drinks.csv", seed=1)
    shown = widget_state(session)["question"]["options"]
    assert all(option["image"].startswith("data:image/png;base64,") for option in shown)
    askwise.save(session, tmp_path / "drinks.askwise")  # with its pictures
    saved = widget_state(askwise.open(tmp_path / "drinks.askwise"))
    assert saved["question"]["options"][0]["image"] == shown[0]["image"]
    table = {"name": ["tea", "milk"], "image": ["tea.png", "gone.png"], "sound": ["tea.wav", "long.wav"]}
    loose = askwise.best_item(table, image="image", audio="sound", seed=1)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tea.wav").write_bytes(b"RIFF....WAVE")
    (tmp_path / "long.wav").write_bytes(b"RIFF....WAVE" + bytes(MAX_MEDIA_MB * 2**20))
    assert media_url(loose, "audio", "tea.wav") == ("data:audio/wav;base64,UklGRi4uLi5XQVZF", "")
    assert "larger than" in media_url(loose, "audio", "long.wav")[1]
    assert "none that browsers show" in media_url(loose, "image", "tea.wav")[1]
    assert "gone.png" in widget_state(loose)["notice"]


def test_the_texts_of_strangers_stay_texts():
    evil = "<img src=x onerror=alert(1)>"
    session = askwise.best_item({"name": [evil, "tea"], "text": [evil, "*hot*"]}, body="text", seed=1)
    option = next(each for each in widget_state(session)["question"]["options"] if each["name"] == evil)
    assert "<img" not in option["body_html"]
    for shown in (session, session.ask(), session.estimate(), session.certificate(), session.plot()):
        assert "<img" not in shown._repr_html_()
    assert "<img" not in widget_state(session)["chart"]


@pytest.mark.skipif(NODE is None, reason="NOT RUN: the script of the widget (node not found)")
def test_the_script_is_a_module(tmp_path):
    (tmp_path / "widget.mjs").write_text(assets.script())
    run = subprocess.run([NODE, "--check", tmp_path / "widget.mjs"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert not re.search(r"^import |^export (?!default)", assets.script(), re.MULTILINE)


def test_the_styles_depend_on_the_width_of_the_cell_alone():
    styles = assets.styles()
    assert not re.search(r"@media[^{]*(width|height|orientation|color-scheme)", styles)
    assert not re.search(r"\d(rem)\b|:root|(?<![\w.#-])body\b", styles)
    assert ':host([data-theme="dark"])' in styles
    assert styles.count("{") == styles.count("}")


def test_without_anywidget_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "anywidget", None)
    monkeypatch.delitem(__import__("sys").modules, "askwise.notebook.widget", raising=False)
    with pytest.raises(SettingError, match=r"pip install 'askwise\[notebook\]'"):
        askwise.best_item(["tea", "coffee"]).widget()
