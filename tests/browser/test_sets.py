"""The best and the worst of several cards in a browser: two taps or keys, and a change of mind between them."""

from __future__ import annotations

import pytest

from tests.browser.site import PHONE, accessible, asking, count, fits, press, ready, resize


def names(page):
    return page.locator("#responses .card .name").all_inner_texts()


def test_the_best_and_the_worst_by_keyboard(site):
    with site.page("best-worst") as (page, person):
        shown = []
        for _ in asking(page):
            shown.append(names(page))
            page.keyboard.press("2")
            assert page.locator(".card .role").inner_text() == "Best"
            assert "like least" in page.locator("#hint").inner_text()
            accessible(page)
            press(page, "4")
    told = [event["response"] for event in site.told("best-worst", person)]
    assert told == [f"{card[1]} > {card[3]}" for card in shown]
    assert len(told) >= 3


def test_a_change_of_mind_before_the_second_choice(site):
    with site.page("best-worst") as (page, person):
        shown = names(page)
        for change in ("2", "u"):  # the same card again, and undo
            page.keyboard.press("2")
            page.keyboard.press(change)
            assert page.locator(".card .role").count() == 0
            assert page.locator(".card.chosen").count() == 0
            assert page.locator("#undo").is_disabled()
        page.keyboard.press("1")
        press(page, "3")
        assert count(page) == 1
        page.keyboard.press("1")  # half an answer to the next question, which undo takes back first
        page.keyboard.press("u")
        assert count(page) == 1
        press(page, "u")
        assert count(page) == 0
        assert names(page) == shown
    events = site.told("best-worst", person, ("tell", "undo"))
    assert [event.get("response") for event in events] == [f"{shown[0]} > {shown[2]}", None]


def test_two_taps_on_a_phone_at_night(site):
    with site.page("best-worst", color_scheme="dark", **PHONE) as (page, person):
        shown = names(page)
        boxes = [card.bounding_box() for card in page.locator("#responses .card").all()]
        assert [(box["y"], box["x"]) for box in boxes] == sorted((box["y"], box["x"]) for box in boxes)
        assert len({box["x"] for box in boxes}) == 2  # columns
        fits(page)
        page.locator("#responses .card").nth(3).tap()
        fits(page)
        accessible(page)
        page.locator("#responses .card").nth(0).tap()
        ready(page)
        assert count(page) == 1
    assert [event["response"] for event in site.told("best-worst", person)] == [f"{shown[3]} > {shown[0]}"]


def test_a_double_click_is_one_choice(site):
    with site.page("best-worst") as (page, _):
        page.locator("#responses .card").first.dblclick()
        assert page.locator(".card .role").all_inner_texts() == ["Best"]


@pytest.mark.parametrize("study", ["set", "best-worst", "six"])
def test_other_screens_need_no_scrolling(site, study):
    with site.page(study) as (page, _):
        for width, height in ((360, 740), (1280, 720)):
            resize(page, width, height)
            fits(page)
