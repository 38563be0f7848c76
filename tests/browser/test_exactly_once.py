"""Every answer counts once: two tabs, double clicks, reloads, undo, no connection, a server that fails."""

from __future__ import annotations

import re

import pytest

import askwise
from askwise.storage.address import Address
from askwise.storage.participants import pause, set_state
from askwise.storage.store import Store
from tests.browser.site import TABLE, accessible, count, playwright, press, question, ready


def test_undo_and_change(site):
    with site.page("long") as (page, person):
        asked = []
        for _ in range(12):
            asked.append(question(page))
            press(page, "ArrowRight")
        for turn in range(11):
            press(page, "u")
            assert (count(page), question(page)) == (11 - turn, asked[11 - turn])
        press(page, "a")
        assert question(page) != asked[1]
        page.locator("#my-answers").click()
        rows = page.locator("#panel .rows li")
        playwright.expect(rows).to_have_count(2)
        assert "Can't tell" in rows.nth(0).inner_text()
        chosen = re.match(r".* or (.*)\?", asked[0]).group(1)
        assert rows.nth(1).inner_text().splitlines()[1] == chosen
        accessible(page)
        rows.nth(1).get_by_role("button").click()
        ready(page)
        assert question(page) == asked[0]
        press(page, "1")
        assert count(page) == 2
    events = site.told("long", person, ("tell", "skip", "undo"))
    assert [event["event"] for event in events] == ["tell"] * 12 + ["undo"] * 11 + ["skip", "undo", "tell"]
    assert events[23]["reason"] == "too alike"


def test_a_reload_keeps_the_question_and_its_time(site):
    with site.page("long") as (page, person):
        before = question(page)
        page.wait_for_timeout(700)
        page.reload()
        ready(page)
        assert question(page) == before
        press(page, "ArrowLeft")
    (told,) = site.told("long", person)
    assert told["seconds"] > 1.2


def test_time_in_a_hidden_tab_does_not_count(site):
    with site.page("long") as (page, person):
        page.evaluate("window.turn = (hidden) => {"
                      "  Object.defineProperty(document, 'hidden', { get: () => hidden, configurable: true });"
                      "  document.dispatchEvent(new Event('visibilitychange'));"
                      "}")  # fmt: skip
        page.evaluate("turn(true)")
        page.wait_for_timeout(2000)
        page.evaluate("turn(false)")
        press(page, "ArrowLeft")
    (told,) = site.told("long", person)
    assert 0.2 < told["seconds"] < 2


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_an_answer_to_a_study_that_was_stopped_meanwhile(site, state):
    """While it is paused the answer waits on the device, and the page says so; a closed study takes it no more."""
    study = f"stopped-{state}"
    askwise.save(askwise.ranking(TABLE, epsilon=0.0001, draws=16, seed=1), site.folder / f"{study}.askwise")
    with site.page(study) as (page, person):
        store = Store.at(Address.of(site.folder / f"{study}.askwise"))
        set_state(store, store.record().study, state)
        press(page, "ArrowLeft")
        notice = page.locator("#notice").inner_text()
        if state == "closed":
            assert notice == "The study is closed and takes no more answers. What you answered before is kept."
            assert page.locator("#message-title").inner_text() == "The study is closed"
            assert site.told(study, person) == []
        else:
            assert notice == "Your last answer is saved on this device. It will be sent when the study continues."
            set_state(store, store.record().study, "open")
            page.evaluate("dispatchEvent(new Event('focus'))")
            page.locator("#question").wait_for()
            ready(page)
            assert "saved" not in page.locator("#notice").inner_text()
            assert len(site.told(study, person)) == 1
        store.close()


def test_after_an_undo_the_percentage_is_that_of_the_answers_in_force(site):
    with site.page("long") as (page, _):
        press(page, "ArrowLeft")
        press(page, "ArrowLeft")
        page.wait_for_timeout(1500)
        of_two = page.locator("#answer-count").inner_text().partition("·")[2]
        press(page, "u")
        playwright.expect(page.locator("#answer-count")).not_to_contain_text(of_two, timeout=10_000)
        of_one = page.locator("#answer-count").inner_text()
        page.reload()
        ready(page)
        assert page.locator("#answer-count").inner_text() == of_one


def test_two_tabs(site):
    link, person = site.invite("long")
    with site.context() as context:
        one, two = context.new_page(), context.new_page()
        for page in (one, two):
            page.goto(link)
            ready(page)
        assert question(one) == question(two)
        press(one, "ArrowLeft")
        press(two, "ArrowRight")
        assert "You already answered this question" in two.locator("#notice").inner_text()
        assert question(two) == question(one)
        press(two, "ArrowRight")
        one.evaluate("dispatchEvent(new Event('focus'))")
        one.wait_for_function("said => document.getElementById('question-text').ariaLabel === said", arg=question(two))
    assert [event["response"] for event in site.told("long", person)] == ["left", "right"]


@pytest.mark.parametrize("delay", [0, 120])
def test_a_double_click_counts_once(site, delay):
    with site.page("long") as (page, person):
        card = page.locator("#responses .card").first
        box = card.bounding_box()
        middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.click(*middle)
        page.wait_for_timeout(delay)
        page.mouse.click(*middle, click_count=2)
        ready(page)
        assert count(page) == 1
        page.keyboard.down("ArrowLeft")
        for _ in range(5):
            page.keyboard.down("ArrowLeft")  # held: the keyboard repeats it
            page.wait_for_timeout(100)
        page.keyboard.up("ArrowLeft")
        ready(page)
        assert count(page) == 2
    assert len(site.told("long", person)) == 2


def test_offline_and_back(site):
    with site.page("long") as (page, person):
        page.context.set_offline(True)
        page.keyboard.press("ArrowLeft")
        notice = page.locator("#notice")
        playwright.expect(notice).to_contain_text("saved on this device and will be sent")
        page.keyboard.press("ArrowRight")  # nothing to say twice
        accessible(page)
        assert site.told("long", person) == []
        page.context.set_offline(False)
        playwright.expect(notice).to_be_empty()
        ready(page)
        assert count(page) == 1
    assert [event["response"] for event in site.told("long", person)] == ["left"]


def test_an_answer_survives_a_server_that_fails_and_a_reload(site):
    with site.page("long") as (page, person):
        address = "**/answers"
        page.route(address, lambda route: route.fulfill(status=500, body="Internal Server Error"))
        page.reload()  # a page loaded before is not always intercepted at once
        ready(page)
        page.keyboard.press("ArrowRight")
        playwright.expect(page.locator("#notice")).to_contain_text("cannot answer at the moment")
        page.unroute(address)
        page.reload()
        ready(page)
        assert count(page) == 1
    assert [event["response"] for event in site.told("long", person)] == ["right"]


def test_a_reply_that_is_lost_doubles_nothing(site):
    with site.page("long") as (page, person):
        lost = []

        def lose(route):
            lost.append(route.fetch().status)
            route.abort("connectionreset")

        page.route("**/answers", lose, times=2)
        page.keyboard.press("ArrowRight")
        page.wait_for_function("() => document.getElementById('answer-count').textContent.startsWith('1 ')")
        assert lost == [200, 200]
    assert len(site.told("long", person)) == 1


def test_a_pause_keeps_the_answer_for_later(site):
    with site.page("long") as (page, person):
        store = Store.at(Address.of(site.path("long")))
        study = store.record().study
        pause(store, study, person.participant, True)
        press(page, "ArrowLeft")
        assert page.locator("#message-title").inner_text() == "The study is paused"
        pause(store, study, person.participant, False)
        store.close()
        page.evaluate("dispatchEvent(new Event('focus'))")
        page.locator("#question").wait_for()
        assert count(page) == 1
    assert len(site.told("long", person)) == 1


def test_a_quota_ends_it(site):
    with site.page("long", quota=1) as (page, _):
        press(page, "1")
        assert page.locator("#message-title").inner_text() == "Thank you"
        assert "You have given the answer we asked for." in page.locator("#message-body").inner_text()
        press(page, "u")
        assert page.locator("#question").is_visible()
