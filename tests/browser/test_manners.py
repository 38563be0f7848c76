"""What the pages say and do not say: refusals are read, keys are printed where there are some, a new study begins with
whom to invite."""

from __future__ import annotations

import pytest

import askwise
from askwise.storage.address import Address
from askwise.storage.participants import change_study_settings
from askwise.storage.store import Store
from tests.browser.site import PHONE, TOKEN, accessible, count, playwright, press, ready

expect = playwright.expect
SOON = 30_000  # milliseconds for a learner that may have to start first
LINES = """node => {
    const all = document.createRange();
    all.selectNodeContents(node);
    return all.getClientRects().length;
}"""


@pytest.fixture
def owner(site):
    context = site.browser.new_context(viewport={"width": 1200, "height": 900})
    page = context.new_page()
    page.goto(f"{site.where}/login?token={TOKEN}")
    yield page
    context.close()


def test_keys_are_printed_only_where_there_are_some(site):
    with site.page("pair") as (page, _):
        assert page.locator("kbd:visible").count() >= 8
    with site.page("pair", **PHONE) as (page, _):
        assert page.locator("kbd").count() >= 8
        assert page.locator("kbd:visible").count() == 0
        page.locator("#help").tap()
        expect(page.locator("#panel")).to_be_visible()
        assert "key" not in page.locator("#panel-body").inner_text()
        assert page.locator("kbd:visible").count() == 0
        accessible(page)


def test_a_card_under_a_resting_mouse_does_not_look_chosen(site):
    colour = "card => getComputedStyle(card).backgroundColor"
    with site.page("long") as (page, _):
        cards = page.locator("#responses .card")
        cards.first.click()
        ready(page)
        assert count(page) == 1
        assert cards.first.evaluate(colour) == cards.last.evaluate(colour)
        page.mouse.move(*(cards.first.bounding_box()[side] + 20 for side in "xy"))
        assert cards.first.evaluate(colour) != cards.last.evaluate(colour)


def test_arrow_keys_point_at_the_cards_of_practice_in_arabic_too(site):
    link, _ = site.invite("long")
    with site.context(welcome=True) as context:
        page = context.new_page()
        page.goto(f"{link}?lang=ar")
        left, right = (page.locator(f".practice [aria-keyshortcuts=Arrow{side}]") for side in ("Left", "Right"))
        assert left.bounding_box()["x"] < right.bounding_box()["x"]
        page.keyboard.press("ArrowRight")
        expect(right).to_have_class("card chosen")
        expect(left).to_have_class("card")


def test_change_stays_on_one_line(site):
    with site.page("long", viewport={"width": 320, "height": 640}, has_touch=True, is_mobile=True) as (page, _):
        page.locator("#responses button").first.tap()
        ready(page)
        page.locator("#my-answers").tap()
        change = page.locator("#panel .rows button")
        expect(change).to_have_count(1)
        assert change.evaluate(LINES) == 1


def test_an_answer_that_is_not_taken_is_said_to_be(site):
    """Even where the learner is behind, which is said in the same place otherwise."""
    with site.page("long") as (page, person):
        late = page.url.replace("/s/", "/api/v1/s/")

        def behind(route):
            reply = route.fetch()
            route.fulfill(response=reply, json={**reply.json(), "behind": True})

        page.route("**/answers", lambda route: route.fulfill(status=409, json={"detail": "somebody was faster"}))
        page.route(late, behind)
        page.reload()
        ready(page)
        assert "Nothing is lost" in page.locator("#notice").inner_text()
        press(page, "ArrowLeft")
        assert page.locator("#notice").inner_text() == "Your last answer was not accepted: somebody was faster."
        page.evaluate("dispatchEvent(new Event('focus'))")  # it asks where it is once more
        page.wait_for_timeout(300)
        assert "not accepted" in page.locator("#notice").inner_text()
        page.unroute("**/answers")
        page.unroute(late)
        press(page, "ArrowLeft")
        assert "not accepted" not in page.locator("#notice").inner_text()
        assert count(page) == 1
    assert len(site.told("long", person)) == 1


def test_an_outage_is_waited_for(site):
    with site.page("long") as (page, person):
        away = {"detail": "the study cannot be reached at the moment"}
        page.route("**/answers", lambda route: route.fulfill(status=503, json=away))
        page.reload()
        ready(page)
        page.keyboard.press("ArrowRight")
        expect(page.locator("#notice")).to_contain_text("saved on this device and will be sent")
        assert site.told("long", person) == []
        page.unroute("**/answers")
        page.wait_for_function("() => document.getElementById('answer-count').textContent.startsWith('1 ')")
    assert [event["response"] for event in site.told("long", person)] == ["right"]


def test_why_is_there_only_if_the_owner_shows_it(site):
    store = Store.at(Address.of(site.path("names")))
    link, _ = site.invite("names")
    for shown in (False, True):
        change_study_settings(store, store.record().study, why=shown)
        with site.context() as context:
            page = context.new_page()
            page.goto(link)
            ready(page)
            assert page.locator("#why").is_visible() is shown
            page.keyboard.press("w")
            page.wait_for_timeout(200)
            assert page.locator("#panel").is_visible() is shown
    store.close()


def test_a_link_that_is_not_valid_is_a_page(site):
    link, _ = site.invite("long")
    context = site.browser.new_context(**PHONE, color_scheme="dark")
    page = context.new_page()
    for address, words in ((f"{link}x", "This link is not valid"), (site.where, "This is for the owner")):
        page.goto(address)
        assert words in page.locator("main p").inner_text()
        accessible(page)
    context.close()


def test_a_new_study_begins_with_whom_to_invite(site, owner):
    askwise.save(askwise.best_item(["tea", "milk", "water"], draws=40, epsilon=0.001), site.folder / "new.askwise")
    owner.goto(f"{site.where}/s/new")
    expect(owner.locator("main section:visible").first).to_contain_text("What to do next")
    expect(owner.locator("#saved")).to_contain_text("nobody was simulated")
    assert owner.locator("main .answered:visible").count() == 0
    owner.fill("#name", "Ann")
    owner.press("#name", "Enter")
    expect(owner.locator("#people tbody tr")).to_have_count(1)
    with site.context() as context:
        page = context.new_page()
        page.goto(owner.input_value("#link"))
        ready(page)
        press(page, "ArrowLeft")
    expect(owner.locator("#charts .drawn")).to_be_visible(timeout=SOON)
    expect(owner.locator("#figures")).to_be_visible()
    owner.reload()
    expect(owner.locator("main section:visible").first).to_contain_text("Result so far", timeout=SOON)
    expect(owner.locator("#state")).to_have_text("open")
    expect(owner.locator("#may-ask-why")).not_to_be_checked()
    with owner.expect_response("**/settings"):
        owner.locator("#may-ask-why").check()
    owner.reload()
    expect(owner.locator("#state")).to_have_text("open")
    expect(owner.locator("#may-ask-why")).to_be_checked()  # the page knows the study


def test_a_study_at_its_end_goes_on_if_the_owner_says_so(site, owner):
    path = site.folder / "ended.askwise"
    askwise.save(askwise.best_item(["tea", "milk", "water"], draws=40, epsilon=0.001, budget=1), path)
    link, _ = site.invite("ended")
    with site.context() as context:
        page = context.new_page()
        page.goto(link)
        ready(page)
        press(page, "ArrowLeft")
        page.locator(".certainty").wait_for(state="attached")
        owner.goto(f"{site.where}/s/ended")
        expect(owner.locator("#state")).to_have_text("finished", timeout=SOON)
        owner.get_by_role("button", name="Continue anyway").click()
        expect(owner.locator("#state")).to_have_text("open")
        page.evaluate("dispatchEvent(new Event('focus'))")
        page.locator("#question").wait_for()
        ready(page)
        press(page, "ArrowLeft")
        assert count(page) == 2


def test_the_form_fits_a_phone(site):
    context = site.browser.new_context(**PHONE)
    page = context.new_page()
    page.goto(f"{site.where}/login?token={TOKEN}")
    card, field = (page.locator(place).bounding_box() for place in ("#new-study", "#table"))
    assert field["x"] + field["width"] <= card["x"] + card["width"]
    context.close()
