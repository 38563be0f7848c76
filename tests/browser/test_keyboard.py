"""Every kind of question by keyboard alone: Tab and Enter, and the keys that are printed on the buttons."""

from __future__ import annotations

import pytest

from tests.browser.site import ready
from tests.browser.synthetic import KINDS, FakeServer

FOCUSED = """() => {
  const focused = document.activeElement, style = getComputedStyle(focused);
  const outlined = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
  return { tag: focused.tagName, id: focused.id, text: focused.innerText, outlined };
}"""
EVERYWHERE = "#responses button, #skips button, footer button:not([hidden])"
PRINTED = """(everywhere) => [...document.querySelectorAll(everywhere)].map((button) =>
  [[...button.querySelectorAll('kbd')].map((key) => key.innerText), button.getAttribute('aria-keyshortcuts')])"""
BEHIND = "document.activeElement !== document.body && !document.activeElement.closest('#panel')"
ARROWS = {"←": "ArrowLeft", "→": "ArrowRight", "↓": "ArrowDown"}


@pytest.fixture(scope="module")
def link(site):
    return site.invite("pair")[0]


@pytest.fixture
def asked(site, link, request):
    """(page, server) at the first question of a kind."""
    with site.context() as context:
        page = context.new_page()
        server = FakeServer(page, request.param)
        page.goto(link)
        ready(page)
        yield page, server


every_kind = pytest.mark.parametrize("asked", KINDS, indirect=True)


def answers(server):
    return [body["response"] for path, body in server.sent if path == "answers"]


def response(server, places):
    """What the choice of these options, or of the one response, sends."""
    question = server.question()
    if question["kind"] == "best-worst":
        return " > ".join(question["options"][place]["name"] for place in places)
    return question["responses"][places[0]]


@every_kind
def test_tab_goes_through_everything_and_enter_answers(asked):
    page, server = asked
    number = server.kind == "number"
    assert page.evaluate("document.activeElement.id") == ("number" if number else "question-text")
    wanted = page.locator(f"{EVERYWHERE}, #responses input").count()
    page.evaluate("document.getElementById('question-text').focus()")
    seen = []
    for _ in range(wanted):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(FOCUSED))
    assert all(each["tag"] in ("BUTTON", "INPUT") and each["outlined"] for each in seen), seen
    assert len({(each["id"], each["text"]) for each in seen}) == wanted  # each of them once: nothing is trapped
    assert seen[-1]["id"] == "help"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") not in ("BUTTON", "INPUT")
    if number:
        page.locator("#number").focus()
        page.keyboard.type("3.5")
        page.keyboard.press("Enter")
        ready(page)
        assert answers(server) == [3.5]
        assert page.evaluate("document.activeElement.id") == "number"
        return
    expected = response(server, (0, 1))
    page.evaluate("document.getElementById('question-text').focus()")
    for _ in range(2 if server.question()["kind"] == "best-worst" else 1):
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
    ready(page)
    assert answers(server) == [expected]
    assert page.evaluate("document.activeElement.id") == "question-text"  # the next question is read


@every_kind
def test_the_keys_that_are_printed_work(asked):
    page, server = asked
    for printed, shortcuts in page.evaluate(PRINTED, EVERYWHERE):
        if printed != ["⏎"] and (printed or shortcuts):
            assert [ARROWS.get(key, key) for key in printed] == shortcuts.split()
    if server.kind != "number":
        keys = [key.inner_text() for key in page.locator("#responses button kbd:last-of-type").all()]
        best_worst = server.question()["kind"] == "best-worst"
        expected = []
        for first, second in ((0, -1), (-1, 0)):
            expected.append(response(server, (first, second)))
            for key in (keys[first], keys[second])[: 1 + best_worst]:
                page.keyboard.press(ARROWS.get(key, key))
            ready(page)
        assert answers(server) == expected
    page.keyboard.press("s")
    ready(page)
    page.keyboard.press("u")
    ready(page)
    assert [path for path, _ in server.sent][-2:] == ["skips", "undo"]


@pytest.mark.parametrize("asked", ["pair"], indirect=True)
def test_panels_open_and_close_by_keyboard(asked):
    page, _ = asked
    for key in ("?", "m", "w"):
        page.locator("#help").focus()
        page.keyboard.press(key)
        page.locator("#panel[open]").wait_for()
        for _ in range(12):  # what is behind the panel cannot be reached
            page.keyboard.press("Tab")
            assert not page.evaluate(BEHIND)
        page.keyboard.press("Escape")
        page.locator("#panel").wait_for(state="hidden")
        assert page.evaluate("document.activeElement.id") == "help"  # where it was
