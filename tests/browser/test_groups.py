"""A group that decides together in the browser: three people answer, one never comes, and the owner goes on without."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

import askwise
from askwise.goals import goal_of
from askwise.storage.address import Address
from askwise.storage.participants import invite, token_of
from askwise.storage.store import Store
from tests.browser.site import PHONE, TOKEN, accessible, count, fits, playwright, press, ready

expect = playwright.expect
SOON = 60_000  # milliseconds for a busy machine
DESK = {"viewport": {"width": 1280, "height": 800}}
TRIPS = {"name": ["Lisbon", "Oslo", "Rome", "Crete"], "days": [4, 3, 5, 7], "price ($)": [700, 900, 650, 820]}
LIKES = {"Ann": "Crete Lisbon Rome Oslo", "Ben": "Crete Rome Lisbon Oslo", "Cleo": "Oslo Lisbon Rome Crete"}


@pytest.fixture(scope="module")
def links(site):
    """Everybody's link. A few more answers, and the study would be settled, were it not for Dan."""
    people = [*LIKES, "Dan"]
    session = askwise.group_item(TRIPS, people, draws=60, seed=3, epsilon=0.1)
    while not goal_of(session).absence(session).settled_without:
        question = session.ask(who=list(LIKES)[len(session.answers) % len(LIKES)])
        session.tell(min(question.names, key=LIKES[question.who].split().index), question)
    askwise.save(session, site.folder / "trips.askwise")
    store = Store.at(Address.of(site.folder / "trips.askwise"))
    tokens = {name: token_of(store, 1, invite(store, store.record(), name).participant) for name in LIKES}
    store.close()
    return {name: f"{site.where}/s/trips/p/{token}" for name, token in tokens.items()}


def favourite(page, name):
    """The place of the card that this person likes better."""
    shown = page.locator("#responses .card .name").all_inner_texts()
    return min(range(2), key=lambda place: LIKES[name].split().index(shown[place]))


def test_three_people_decide_together(site, links):
    with ExitStack() as stack:
        views = {"Ann": DESK, "Ben": {"color_scheme": "dark", **PHONE}, "Cleo": {"color_scheme": "dark", **PHONE}}
        pages = {name: stack.enter_context(site.context(**view)).new_page() for name, view in views.items()}
        before = {}
        for name, page in pages.items():  # all of them have a question at the same time
            page.goto(links[name])
            ready(page)
            before[name] = count(page)
        for turn in range(2):
            for name, page in pages.items():
                fits(page)
                place = favourite(page, name)
                if name == "Ann":
                    press(page, ("ArrowLeft", "ArrowRight")[place] if turn else "12"[place])
                else:
                    page.locator("#responses .card").nth(place).tap()
                    ready(page)
                assert count(page) == before[name] + turn + 1
        accessible(pages["Ben"])
        owner = stack.enter_context(site.context(**DESK)).new_page()
        owner.goto(f"{site.where}/login?token={TOKEN}")
        owner.goto(f"{site.where}/s/trips")
        expect(owner.locator("#remarks")).to_contain_text("One of four (Cleo) would rather have Oslo.", timeout=SOON)
        expect(owner.locator("#remarks")).to_contain_text("Dan has not answered")
        expect(owner.locator("#charts")).to_contain_text("agrees with the others")
        expect(owner.locator("#charts")).to_contain_text("Where people agree and where not")
        expect(owner.locator("#absence-text")).to_have_text(
            "Dan holds the choice up: without Dan, it would be settled, or nearly so.", timeout=SOON
        )
        expect(owner.locator("#next-person")).to_have_text(
            "Dan should answer next, and has no link yet. Others may answer, too."
        )
        assert owner.locator("#names option").evaluate_all("all => all.map((one) => one.value)") == ["Dan"]
        accessible(owner)
        owner.get_by_role("button", name="Leave Dan out").click()
        expect(owner.locator("#state")).to_have_text("settled", timeout=SOON)
        expect(owner.locator("#absence-text")).to_have_text("Left out: Dan.", timeout=SOON)
        expect(owner.get_by_role("button", name="Count Dan again")).to_be_visible()
        result = owner.locator("#guess").inner_text()
        for page in pages.values():  # whoever still has a question may answer it, and then sees the result
            page.reload()
            ready(page)
            if page.locator("#question").is_visible():
                page.locator("#responses .card").first.click()
                ready(page)
            expect(page.locator("#message-title")).to_have_text("Thank you", timeout=SOON)
            expect(page.locator("#message-body .big")).to_have_text(result, timeout=SOON)
            expect(page.locator("#message-body h2")).to_have_text("What all answers say")
    session = askwise.open(site.folder / "trips.askwise")
    asked = {event["question"]: event["who"] for event in session.log if event["event"] == "ask"}
    told = [event for event in session.log if event["event"] == "tell"]
    assert {event["who"] for event in told} == set(LIKES)
    assert all(asked[event["question"]] == event["who"] for event in told)  # everybody had questions of their own
    askwise.storage.close(session)


def test_the_owner_makes_a_group_by_keyboard(site, tmp_path):
    (tmp_path / "places.csv").write_text("name\n" + "\n".join(TRIPS["name"]))
    with site.context(**DESK) as context:
        owner = context.new_page()
        owner.goto(f"{site.where}/login?token={TOKEN}")
        owner.set_input_files("#table", tmp_path / "places.csv")
        owner.select_option("#goal", "group_item")
        shown = owner.get_by_text("Pictures, sounds, films and long texts")
        expect(shown).to_be_visible()
        owner.select_option("#goal", "matrix")
        expect(shown).to_be_hidden()  # a matrix has none of them
        owner.select_option("#goal", "group_item")
        expect(owner.get_by_text("Who answers?")).to_be_hidden()  # a group always shares one log
        owner.focus("#people")
        owner.keyboard.type("Ann, Ben")
        owner.keyboard.press("Enter")
        expect(owner.locator("#understood-sentences")).to_contain_text("People: Ann, Ben.", timeout=SOON)
        owner.focus("#make-study")
        owner.keyboard.press("Enter")
        owner.wait_for_url("**/s/places")
        expect(owner.locator("#name")).to_have_attribute("placeholder", "Ann", timeout=SOON)
        owner.focus("#name")
        owner.keyboard.type("Zoe")
        owner.keyboard.press("Enter")
        expect(owner.locator("#error")).to_have_text("There is no 'Zoe' in this group; not invited yet: Ann, Ben.")
        owner.fill("#name", "Ann")
        owner.keyboard.press("Enter")
        expect(owner.locator("#next-step")).to_contain_text("Send people their links", timeout=SOON)
        expect(owner.locator("#answer-myself")).to_be_hidden()  # it would not know as whom
        expect(owner.locator("table#people tbody tr")).to_have_count(1)
        accessible(owner)
