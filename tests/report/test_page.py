"""The page of every goal: whole, escaped, alone in the world, and honest about how far it is."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

import askwise
from askwise.errors import SettingError
from askwise.goals import GOALS, change_goal
from askwise.report.page import page
from askwise.report.sections import digest
from askwise.session import Session
from askwise.storage.address import Address
from askwise.storage.store import Store
from tests.helpers import generator, label_problem
from tests.report.studies import EVIL, MADE, NAMES, TABLE, answered, go_on

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"  # nothing from elsewhere
VOID = {"meta", "img", "br"}


class Reader(HTMLParser):
    """Checks that tags close in order, and keeps what was seen."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.text, self.ids, self.links = [], [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))
        self.ids += [value for name, value in attributes if name == "id"]
        self.links += [value for name, value in attributes if name in ("href", "src", "data", "action", "xlink:href")]
        assert not [name for name, _ in attributes if name.startswith("on") or name == "style"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="module")
def pages():
    return {goal: page(answered(goal)) for goal in MADE}


def test_every_goal_has_a_report():
    assert set(GOALS) == set(MADE)


@pytest.mark.parametrize("goal", MADE)
def test_whole_and_escaped(goal, pages):
    seen = Reader(pages[goal])
    tags = {tag for tag, _ in seen.seen}
    assert not tags & {"script", "link", "iframe", "object", "embed", "base", "form"}
    assert seen.seen[0] == ("html", {"lang": "en"})
    assert ("meta", {"http-equiv": "Content-Security-Policy", "content": POLICY}) in seen.seen
    assert EVIL in "".join(seen.text)  # as text, not as a tag
    assert len(seen.ids) == len(set(seen.ids))


@pytest.mark.parametrize("goal", MADE)
def test_nothing_comes_from_elsewhere(goal, pages):
    seen = Reader(pages[goal])
    assert seen.links
    for link in seen.links:
        assert link.startswith("data:image/") or link.removeprefix("#") in seen.ids
    assert not re.search(r"https?:|//[a-z]|@import|url\(", pages[goal].replace("</", ""))


@pytest.mark.parametrize("goal", MADE)
def test_it_says_how_far_it_is(goal, pages):
    new = page(MADE[goal]())
    assert "Nobody has answered yet" in new
    assert "a guess from the table alone" in new
    Reader(new)
    assert "Nobody has answered yet" not in pages[goal]
    session = answered(goal)
    assert ("Not settled yet" in pages[goal]) == (session.reason is None)
    assert ("Why it stopped: " in pages[goal]) == (session.reason is not None)


def test_the_answer_and_the_certificate_come_first():
    session = go_on(askwise.best_item(["tea", "coffee", "water"], seed=1), 3)
    text = page(session, title="Drinks")
    parts = ["<h1>Drinks</h1>", f'<p class="big">{session.estimate()}</p>', str(session.certificate()), "<nav"]
    titles = [
        "How likely each item is the best one",
        "How the result became clear",
        "How the answers were used",
        "Answers that disagree with the rest",
        "Settings, and how to repeat this",
    ]
    places = [text.index(part) for part in (*parts, *(f"<h2>{title}</h2>" for title in titles))]
    assert places == sorted(places)
    assert re.findall(r"<h2>(.+?)</h2>", text) == titles


def test_settled_is_said_without_jargon():
    """The reason with its numbers is one click away."""
    settled = askwise.best_item(["tea", "coffee"], seed=1, epsilon=0.9)
    settled.tell("left", settled.ask())
    stopped = askwise.best_item(["tea", "coffee", "water"], seed=1, epsilon=0.001, budget=1)
    stopped.tell("left", stopped.ask())
    assert "<summary>Settled. We are confident enough to stop.</summary>" in page(settled)
    text = page(stopped)
    assert "<summary>Finished, but not settled.</summary>Why it stopped: the budget of 1 answer" in text


def test_a_warning_is_seen():
    session = askwise.clusters(["ant", "bee", "cow"], seed=1, repeat=True, noise=0.01, draws=16)
    for count in range(12):
        session.pose([0, 1])
        session.tell("same" if count % 2 else "different")  # one wrong in two, where one in a hundred is believed
    assert session.certificate().warning is not None
    assert f"<b>Careful:</b> {session.certificate().warning}" in page(session)
    assert "<b>Careful:</b>" not in page(answered("best_item"))


def test_another_goal_is_marked_and_shown():
    session = go_on(askwise.best_item(TABLE, seed=1, draws=100), 4)
    change_goal(session, "top_k", k=2)
    text = page(go_on(session, 3))
    assert "goal: top_k" in text
    assert "both start again" in text
    assert "Which 2 of 6 are the best?" in text


def test_a_study_in_a_file(tmp_path):
    session = askwise.cluster_of(
        {"name": NAMES, "image": [f"{i}.gif" for i in range(6)]}, 5, seed=1, draws=16, noise=0.01
    )
    path = tmp_path / "my study.askwise"
    Store.create(Address.of(path), session.recipe, {f"{i}.gif": b"GIF89a" + bytes([i]) for i in range(6)})
    study = askwise.open(path)
    while not study.done:
        small = [option.name in (NAMES[4], NAMES[5]) for option in study.ask().options]
        study.tell("same" if small[0] == small[1] else "different")
    assert study.estimate().value == NAMES[4:]
    steps = []
    text = page(study, progress=lambda done, total: steps.append((done, total)))
    assert steps[-1] == (len(study.log), len(study.log))
    pictures = [a for tag, a in Reader(text).seen if tag == "img"]
    assert [picture["alt"] for picture in pictures] == ["plain", NAMES[4]]
    assert "<h1>my study</h1>" in text
    assert "askwise report &#39;my study.askwise&#39; -o report.html" in text
    assert str(tmp_path) not in text
    assert digest(study) == study.journal.digests[-1]
    assert digest(study) in text


def test_the_same_study_gives_the_same_page(tmp_path):
    session = answered("best_item")
    askwise.save(session, tmp_path / "a.askwise")
    one, two = (page(askwise.open(tmp_path / "a.askwise")) for _ in range(2))
    assert one == two


def test_a_slip_is_found():
    session = askwise.ranking(list("abcdefg"), seed=1)
    for one in range(7):
        for two in range(one + 1, 7):
            question = session.pose([one, two])
            session.tell("g" if (one, two) == (0, 6) else "abcdefg"[one], question)
    text = page(session)
    odd = text[text.index('<section id="disagreements">') :]
    first = re.search(r'<td data-of="question">(.+?)</td><td data-of="answer">(.+?)</td>', odd)
    assert set(first[1].removeprefix("Which do you prefer: ").rstrip("?").split(" or ")) == {"a", "g"}
    assert first[2] == "g"


def test_a_session_built_by_hand_is_refused():
    with pytest.raises(SettingError, match="built by hand"):
        page(Session(*label_problem(generator(930), beta=2.0)))
