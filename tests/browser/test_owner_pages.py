"""The owner's pages for everybody: no barrier that axe knows of in light and dark, no sideways scrolling on a small
phone or at 200 %, everything by keyboard, and few words for screen readers."""

from __future__ import annotations

from itertools import pairwise

import pytest

import askwise
from askwise.storage.address import Address
from askwise.storage.participants import invite_all
from askwise.storage.store import Store
from tests.browser.site import TOKEN, accessible, playwright

expect = playwright.expect
SOON = 30_000  # milliseconds for a busy machine
NAMES = [f"a product with a rather long name, edition {year}" for year in range(2001, 2009)]
FOCUSED = """() => {
    const here = document.activeElement, style = getComputedStyle(here), box = here.getBoundingClientRect();
    const seen = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
    return here === document.body ? null : {id: here.id, tag: here.tagName, seen, top: box.top + scrollY};
}"""
LEFT, RIGHT = (f"all => all.map((one) => one.getBoundingClientRect().{side})" for side in ("left", "right"))
WIDE = "document.documentElement.scrollWidth > innerWidth"


@pytest.fixture(scope="module", autouse=True)
def studies(site):
    """A new study, one with some answers, a settled one and a damaged one."""
    askwise.save(askwise.best_item(NAMES, draws=40, seed=1), site.folder / "fresh.askwise")
    some = askwise.ranking(NAMES, draws=40, seed=1, epsilon=0.001)
    for _ in range(3):
        some.tell("left", some.ask())
    askwise.save(some, site.folder / "some answers.askwise")
    settled = askwise.best_item(NAMES[:3], draws=40, seed=1, epsilon=0.4)
    while not settled.done:
        settled.tell("left", settled.ask())
    askwise.save(settled, site.folder / "done.askwise")
    (site.folder / "torn.askwise").write_bytes(b"not a study")


@pytest.fixture(params=["light", "dark"])
def page(site, request):
    """The owner's page, logged in."""
    context = site.browser.new_context(color_scheme=request.param, reduced_motion="reduce")
    context.set_default_timeout(60_000)
    page = context.new_page()
    page.goto(f"{site.where}/login?token={TOKEN}")
    yield page
    context.close()


in_the_light = pytest.mark.parametrize("page", ["light"], indirect=True)


def visit(site, page, address):
    """Opens a page and waits until everything is on it."""
    page.goto(f"{site.where}{address}")
    if address == "/":
        page.wait_for_selector("#studies li")
    elif address in ("/s/some answers", "/s/done"):
        page.wait_for_selector("#curve svg.chart")
    elif address == "/s/fresh":
        page.wait_for_selector("#state:not(:empty)")


PAGES = ["/", "/s/fresh", "/s/some answers", "/s/done", "/s/nothing", "/api/v1/studies/done/report.html"]


def test_every_page_is_accessible_and_fits(site, page):
    for address in PAGES:
        for width, height in ((1280, 800), (640, 400), (320, 568)):  # a desk, the same at 200 %, a small phone
            page.set_viewport_size({"width": width, "height": height})
            visit(site, page, address)
            page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
            assert not page.evaluate(WIDE), (address, width)
            if width != 640:
                accessible(page)


@in_the_light
def test_names_in_charts_are_whole_on_a_phone(site, page):
    page.set_viewport_size({"width": 390, "height": 844})
    visit(site, page, "/s/some answers")
    names = page.locator("#charts .name")
    assert set(names.all_inner_texts()) == set(NAMES)
    assert names.evaluate_all("all => all.every((name) => name.scrollWidth <= name.clientWidth)")


@in_the_light
@pytest.mark.parametrize("address", ["/", "/s/fresh", "/s/some answers"])
def test_tab_goes_down_the_page_with_a_visible_focus_and_out_again(site, page, address):
    page.set_viewport_size({"width": 640, "height": 900})  # one column: down is forward
    visit(site, page, address)
    seen = []
    for _ in range(200):
        page.keyboard.press("Tab")
        if (here := page.evaluate(FOCUSED)) is None:
            break
        seen.append(here)
    assert here is None  # nothing is trapped
    assert all(each["seen"] for each in seen), [each for each in seen if not each["seen"]]
    tops = [each["top"] for each in seen]
    assert all(later >= before - 40 for before, later in pairwise(tops)), seen  # fields of one row differ in height
    wanted = {"/": {"table", "goal", "read-table"}, "/s/fresh": {"answer-myself", "name", "quota", "simulate"}}
    assert wanted.get(address, {"pause", "csv", "report", "name"}) <= {each["id"] for each in seen}


@in_the_light
def test_escape_closes_what_asks_and_the_focus_returns(site, page):
    visit(site, page, "/s/some answers")
    page.focus("#close")
    page.keyboard.press("Enter")
    expect(page.locator("#confirm-close")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#confirm-close")).to_be_hidden()
    expect(page.locator("#close")).to_be_focused()
    expect(page.locator("#state")).to_have_text("open")


@in_the_light
def test_a_settled_study_does_not_look_open(site, page):
    visit(site, page, "/")
    listed = page.locator("#studies li", has_text="done")
    expect(listed.locator(".state")).to_have_text("settled")
    expect(page.locator("#studies li", has_text="torn")).to_contain_text(
        "torn.askwise is not a study, or it is damaged"
    )
    assert page.locator("#studies li", has_text="torn").locator("a").count() == 0
    page.click("#to-form")
    expect(page.locator("#new-title")).to_be_in_viewport()
    visit(site, page, "/s/done")
    expect(page.locator("#state")).to_have_text("settled")
    expect(page.locator("#found-title")).to_have_text("Result")
    expect(page.locator("#pause")).to_be_hidden()
    expect(page.get_by_role("button", name="Continue anyway")).to_be_visible()


@in_the_light
def test_a_new_study_says_what_to_do_and_the_owner_answers(site, page):
    """Answer yourself, in another tab and with one link; the page changes, and a screen reader hears of it once."""
    askwise.save(askwise.best_item(NAMES, draws=40, seed=1, epsilon=0.001), site.folder / "mine.askwise")
    page.goto(f"{site.where}/s/mine")
    first = page.locator("main section:visible").first
    expect(first.locator("h2")).to_have_text("What to do next")
    expect(page.locator("main section:visible h2").nth(1)).to_have_text("A crowd")  # with one link for many
    expect(page.locator("#csv")).to_be_hidden()  # there is nothing to download
    with page.expect_popup() as opened:
        page.click("#answer-myself")
    mine = opened.value
    mine.wait_for_url("**/s/mine/p/**")
    mine.close()
    expect(page.locator("#next-step")).to_contain_text("This page changes with the first answer")
    expect(page.locator("#people tbody tr")).to_have_count(1)
    page.wait_for_timeout(1000)
    with page.expect_popup() as opened:
        page.click("#answer-myself")
    again = opened.value
    again.wait_for_url("**/s/mine/p/**")
    expect(page.locator("#people tbody tr")).to_have_count(1)
    again.locator("#close:visible, #question:visible").first.wait_for()
    again.keyboard.press("Escape")
    again.wait_for_selector("#question:not(.waiting)")
    again.wait_for_timeout(500)
    again.keyboard.press("ArrowLeft")
    expect(page.locator("#charts svg").first).to_be_visible(timeout=SOON)
    expect(page.locator("#people-title")).to_have_text("People")
    assert page.locator("#spoken").inner_text() == ""  # one answer more is not worth a word
    page.click("#pause")
    expect(page.locator("#spoken")).to_have_text("The study is paused now. 1 answer so far.")


@in_the_light
def test_a_long_list_of_people_scrolls_by_itself(site, page):
    askwise.save(askwise.best_item(NAMES, draws=40, seed=1), site.folder / "many.askwise")
    store = Store.at(Address.of(site.folder / "many.askwise"))
    invite_all(store, store.record(), [f"Person {number}" for number in range(60)])
    store.close()
    visit(site, page, "/s/many")
    expect(page.locator("#people tbody tr")).to_have_count(60)
    shown = page.locator("#people-list")
    assert shown.bounding_box()["height"] <= page.viewport_size["height"]
    shown.focus()
    page.keyboard.press("End")
    expect(page.locator("#people tbody tr").last).to_be_in_viewport()
    expect(page.locator("#people th").first).to_be_in_viewport()  # still on top
    accessible(page)


@in_the_light
def test_a_closed_study_offers_nothing_that_it_refuses(site, page):
    session = askwise.best_item(NAMES, draws=40, seed=1)
    session.tell("left", session.ask())
    askwise.save(session, site.folder / "closing.askwise")
    shown = ("#invite", "#crowd-open", "#wording-title", "#items-title")
    visit(site, page, "/s/closing")
    expect(page.locator("#state")).to_have_text("open", timeout=SOON)
    for place in shown:
        expect(page.locator(place)).to_be_visible()
    page.click("#close")
    page.get_by_role("button", name="Close the study").click()
    expect(page.locator("#state")).to_have_text("closed")
    for place in shown:
        expect(page.locator(place)).to_be_hidden()
    expect(page.locator("#people-title")).to_be_visible()
    expect(page.get_by_role("link", name="Report (HTML)")).to_be_visible()


@in_the_light
def test_legends_and_values_of_charts_do_not_touch_on_a_small_phone(site, page):
    page.set_viewport_size({"width": 320, "height": 568})
    visit(site, page, "/s/some answers")
    legends = page.locator("#curve svg.chart > text[x='42']").evaluate_all(RIGHT)
    values = page.locator("#curve .point.last .value text").evaluate_all(LEFT)
    assert len(legends) == 3
    assert max(legends[:2]) < min(values)
