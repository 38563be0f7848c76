"""The answering page in a browser: every kind of question by key and by touch; nothing in a table ever runs."""

from __future__ import annotations

import re
import statistics

import pytest

from tests.browser.site import (
    EVIL,
    KINDS,
    PHONE,
    TOLD,
    accessible,
    asking,
    count,
    fake,
    fits,
    playwright,
    press,
    question,
    ready,
    resize,
)


@pytest.mark.parametrize("kind", KINDS)
def test_a_study_by_keyboard(site, kind):
    with site.page(kind) as (page, person):
        assert page.evaluate("document.activeElement.id") == ("number" if kind == "number" else "question-text")
        accessible(page)
        asked = []
        for text in asking(page):
            asked.append(text)
            press(page, KINDS[kind])
        assert len(set(asked)) == len(asked) >= 3
        page.locator(".certainty").wait_for()
        assert not re.search("plausible|simulation|average", page.locator("#message").inner_text())
        assert page.locator("#progress").is_hidden()
        with page.expect_download() as saved:
            page.locator("#receipt").click()
        lines = saved.value.path().read_text(encoding="utf-8").splitlines()
        assert [line.split("\t")[1] for line in lines[-len(asked) :]] == asked
        accessible(page)
    told = site.told(kind, person)
    assert len(told) == len(asked)
    assert all(0.2 < event["seconds"] < 30 for event in told)
    meant = {"same": "different", "label": "cold", "number": 3.5, "pair": "left", "graded": "left, much"}
    assert kind in ("triple", "set") or {event["response"] for event in told} == {meant[kind]}


@pytest.mark.parametrize("kind", KINDS)
def test_a_study_by_touch_on_a_phone_at_night(site, kind):
    with site.page(kind, color_scheme="dark", reduced_motion="reduce", **PHONE) as (page, person):
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(19, 22, 25)"
        assert page.evaluate("getComputedStyle(document.getElementById('question')).animationName") == "none"
        accessible(page)
        asked = 0
        for _ in asking(page):
            asked += 1
            fits(page)
            if kind == "number":
                page.locator("#number").fill("4,5")
                page.get_by_role("button", name="Change the sign").tap()
                page.locator(".send").tap()
            else:
                page.locator("#responses button").nth(1).tap()
            ready(page)
        accessible(page)
    told = [event["response"] for event in site.told(kind, person)]
    assert len(told) == asked >= 3
    assert kind != "number" or set(told) == {-4.5}


@pytest.mark.parametrize("kind", ["pair", "graded", "pictured", "triple"])
def test_other_screens_need_no_scrolling_either(site, kind):
    with site.page(kind) as (page, _):
        for width, height in ((844, 390), (360, 640), (1280, 720)):
            resize(page, width, height)
            fits(page)


def test_names_never_run(site):
    link, _ = site.invite("names")
    with site.context() as context:
        page = context.new_page()
        asked_for = []
        page.on("request", lambda request: asked_for.append(request.url))
        page.goto(link)
        ready(page)
        for command in "wm":
            page.keyboard.press(command)
            page.locator("#panel .rows, #panel p").first.wait_for()
            page.get_by_role("button", name="Close").click()
        seen = set()
        while len(seen) < 4:
            seen |= set(page.locator("figure").all_inner_texts())
            press(page, "ArrowRight")
        page.keyboard.press("m")
        page.locator("#panel .rows li").first.wait_for()
        assert {"H2O", "a < b", *EVIL[:2]} == {text.replace("\n", "") for text in seen}
        assert page.title() == "names"
        assert not [url for url in asked_for if url.endswith("/x")]
        tags = page.evaluate("""async () => {
            const { richText } = await import('/static/dom.js');
            const kinds = (text) => richText(text).map((node) => node.nodeName).join(' ');
            const more = ['<b onclick="z()">x</b>', '<script>z()</script><b>x</b>', '<i><svg/></i>', '<b>x</b> < y'];
            return ['<b>x</b> y', ...more].map(kinds);
        }""")
        assert tags == ["B #text", "#text", "#text", "#text", "#text"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_panels(site, scheme):
    with site.page("long", color_scheme=scheme) as (page, _):
        page.keyboard.press("w")
        page.locator("#panel .rows li").first.wait_for()
        assert page.locator("#panel .rows li").count() == 2
        assert "undecided" in page.locator("#panel .rows").inner_text()
        accessible(page)
        page.keyboard.press("ArrowLeft")  # no answer while something covers the question
        page.keyboard.press("Escape")
        page.keyboard.press("?")
        accessible(page)
        page.keyboard.press("Escape")
        assert count(page) == 0


def test_the_first_visit_explains_and_lets_try(site):
    link, person = site.invite("long")
    with site.context(welcome=True) as context:
        page = context.new_page()
        page.goto(link)
        page.get_by_role("heading", name="How this works").wait_for()
        page.locator(".practice").wait_for()
        page.keyboard.press("ArrowRight")
        playwright.expect(page.get_by_text("You said Winter")).to_be_visible()
        accessible(page)
        page.get_by_label("Use letter and number keys as shortcuts").uncheck()
        page.get_by_role("button", name="Start").click()
        ready(page)
        before = question(page)
        for key in "1us":
            page.keyboard.press(key)
        page.wait_for_timeout(300)
        assert question(page) == before
        press(page, "ArrowLeft")
        assert count(page) == 1
        page.reload()
        ready(page)
        assert page.locator("#panel").is_hidden()
    assert len(site.told("long", person)) == 1


def test_a_question_to_try_comes_with_the_first_question(site):
    """Of a busy server: people read meanwhile how it works."""
    link, _ = site.invite("long")
    with site.context(welcome=True) as context:
        page = context.new_page()
        stop = fake(page, question=None)
        page.goto(link)
        page.get_by_role("heading", name="How this works").wait_for()
        page.wait_for_timeout(1500)
        assert page.locator(".practice").count() == 0
        stop()
        page.locator(".practice").wait_for()
        page.get_by_role("button", name="Start").click()
        ready(page)


def test_what_the_owner_tells_people_comes_first(site):
    link, _ = site.invite("told")
    with site.context() as context:
        page = context.new_page()
        page.goto(link)
        page.locator("#panel .own").first.wait_for()
        assert page.locator("#panel .own").all_inner_texts() == ["Go by sound only.", TOLD.splitlines()[1]]
        assert page.locator("#panel .own b").inner_text() == "sound"
        page.locator(".practice").wait_for()
        page.keyboard.press("ArrowLeft")  # practice like the study's own questions
        playwright.expect(page.get_by_text("You said Same")).to_be_visible()
        accessible(page)
        page.get_by_role("button", name="Start").click()
        ready(page)
        page.reload()
        ready(page)
        assert page.locator("#panel").is_hidden()
        assert page.title() == "told"


def test_a_learner_that_is_late_is_said(site):
    with site.page("long") as (page, _):
        stop = fake(page, question=None)
        page.reload()
        page.get_by_text("The next question is on its way.").wait_for()
        stop()
        ready(page)
        coming = {"likely": 12, "low": 8, "high": 20, "text": "about 12 more questions (8 to 20)"}
        fake(page, behind=True, forecast=coming)
        page.reload()
        ready(page)
        assert "Nothing is lost" in page.locator("#notice").inner_text()
        assert page.locator("#forecast").inner_text() == "about 12 more questions (8 to 20), 1 minute"
        accessible(page)


def test_pictures_that_may_be_next_are_there_before(site):
    with site.page("same") as (page, _):
        loaded = "() => performance.getEntriesByType('resource').map((entry) => entry.name)"
        shown = "all => all.map((image) => image.src)"
        api = page.url.replace("/s/", "/api/v1/s/")
        while not (coming := page.request.get(api).json()["preload"]):
            page.wait_for_timeout(100)
        for name in coming:
            page.wait_for_function(f"name => ({loaded})().includes(name)", arg=f"{api}/image/{name}")
        before = set(page.evaluate(loaded))
        press(page, "1")
        assert set(page.locator("figure img").evaluate_all(shown)) <= before


def test_the_next_question_comes_at_once(site, capsys):
    with site.page("long") as (page, _):
        for _ in range(6):
            page.wait_for_timeout(400)  # a person reads; the learner looks ahead
            press(page, "ArrowLeft")
        took = page.evaluate("performance.getEntriesByName('next question').map((entry) => entry.duration)")
    assert len(took) == 6
    with capsys.disabled():
        print(f" answer to next question: {statistics.median(took):.0f} ms in the middle, {max(took):.0f} at most")
    assert statistics.median(took) < 300
