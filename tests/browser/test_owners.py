"""Who has access, on the owner's home page: a link that is shown once, roles, and a link that stops working."""

from __future__ import annotations

from contextlib import closing, contextmanager

import pytest

import askwise
from tests.browser.site import TOKEN, accessible, playwright

expect = playwright.expect
SOON = 30_000  # milliseconds for a busy machine
WIDE = "document.documentElement.scrollWidth > innerWidth"
SMALL = {"viewport": {"width": 320, "height": 568}, "color_scheme": "dark"}


@pytest.fixture(scope="module", autouse=True)
def study(site):
    some = askwise.best_item(["tea", "coffee", "water", "juice"], draws=40, seed=1, epsilon=0.001)
    some.tell("left", some.ask())
    askwise.save(some, site.folder / "drinks.askwise")


@contextmanager
def home(site, link=None, **options):
    """The home page of whoever has a link."""
    with closing(site.browser.new_context(reduced_motion="reduce", **options)) as context:
        context.set_default_timeout(60_000)
        page = context.new_page()
        page.goto(link or f"{site.where}/login?token={TOKEN}")
        yield page


def give_access(page, name, role):
    """Their link, as the page shows it."""
    page.fill("#owner-name", name)
    page.select_option("#owner-role", role)
    page.get_by_role("button", name="Give access").click()
    expect(page.locator("#owner-link-for")).to_have_text(name, timeout=SOON)
    return page.input_value("#owner-link")


def revoke(page, name, button):
    page.get_by_role("button", name=f"Revoke the access of {name}").click()
    page.get_by_role("dialog").get_by_role("button", name=button).click()


def test_an_owner_gives_access_by_keyboard_and_the_link_is_shown_once(site):
    with home(site, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.focus("#owner-name")
        page.keyboard.type("Vera")
        page.keyboard.press("Tab")
        expect(page.locator("#owner-role")).to_be_focused(timeout=SOON)
        assert page.input_value("#owner-role") == "viewer"
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator("#new-owner")).to_contain_text("shown only this once", timeout=SOON)
        expect(page.locator("#copy-owner-link")).to_be_focused(timeout=SOON)
        page.keyboard.press("Enter")
        expect(page.locator("#owners-status")).to_have_text("The link for Vera is copied.", timeout=SOON)
        link = page.input_value("#owner-link")
        assert page.evaluate("navigator.clipboard.readText()") == link
        expect(page.locator("#owners tbody tr")).to_have_count(1, timeout=SOON)
        expect(page.locator("#owners tbody tr")).to_contain_text("viewer", timeout=SOON)
        page.fill("#owner-name", "Vera")
        page.keyboard.press("Enter")
        expect(page.locator("#owners-error")).to_contain_text("'Vera' has a token already", timeout=SOON)
        page.reload()
        expect(page.locator("#owners tbody tr")).to_have_count(1, timeout=SOON)
        expect(page.locator("#new-owner")).to_be_hidden(timeout=SOON)
        assert link.partition("token=")[2] not in page.content()
        revoke(page, "Vera", "Revoke it")
        expect(page.locator("#owners")).to_be_hidden(timeout=SOON)


def test_who_is_revoked_is_out_and_nobody_by_a_slip(site):
    with home(site) as page:
        link = give_access(page, "Olga / lab 2", "owner")
        with home(site, link) as other:
            expect(other.locator("#owners tbody tr")).to_contain_text("Olga / lab 2 (you)", timeout=SOON)
            revoke(page, "Olga / lab 2", "Keep it")
            expect(page.get_by_role("dialog")).to_be_hidden(timeout=SOON)
            expect(page.get_by_role("button", name="Revoke the access of Olga / lab 2")).to_be_focused(timeout=SOON)
            other.reload()
            revoke(other, "Olga / lab 2", "Revoke it")
            expect(other.locator("h1")).to_have_text("For the owner", timeout=SOON)
        page.reload()
        expect(page.locator("#owners")).to_be_hidden(timeout=SOON)
        give_access(page, "Ann", "viewer")
        revoke(page, "Ann", "Revoke it")
        expect(page.locator("#owners-status")).to_have_text("Ann has no access any more.", timeout=SOON)
        expect(page.locator("#owners-title")).to_be_focused(timeout=SOON)
        expect(page.locator("#new-owner")).to_be_hidden(timeout=SOON)


def test_the_list_is_accessible_and_fits_a_small_phone_in_the_dark(site):
    with home(site, **SMALL) as page:
        name = "Somebody with a rather long name of sixty letters, as allowed"[:60]
        give_access(page, name, "owner")
        page.locator("#owners tbody tr").wait_for()
        assert not page.evaluate(WIDE)
        accessible(page)
        page.get_by_role("button", name=f"Revoke the access of {name}").click()
        assert not page.evaluate(WIDE)
        accessible(page)
        page.get_by_role("dialog").get_by_role("button", name="Revoke it").click()
        expect(page.locator("#owners")).to_be_hidden(timeout=SOON)


def test_a_viewer_sees_the_studies_and_nothing_to_change(site):
    with home(site) as page:
        link = give_access(page, "Vera", "viewer")
        with home(site, link, **SMALL) as viewer:
            expect(viewer.locator("#studies li", has_text="drinks")).to_be_visible(timeout=SOON)
            expect(viewer.locator("main .lead").first).to_contain_text("Ask an owner", timeout=SOON)
            for hidden in ("#owners-title", "#add-owner", "#new-study", "#to-form", "dialog"):
                assert viewer.locator(hidden).count() == 0, hidden
            assert not viewer.evaluate(WIDE)
            accessible(viewer)
            viewer.goto(f"{site.where}/s/drinks")
            viewer.wait_for_selector("#curve svg.chart")
            expect(viewer.get_by_role("link", name="Answers (CSV)")).to_be_visible(timeout=SOON)
            viewer.locator("#care summary").click()
            expect(viewer.get_by_role("link", name="Everything (JSON)")).to_be_visible(timeout=SOON)
            assert viewer.locator("main input:visible, main textarea:visible").count() == 0
            assert viewer.locator("button:visible").all_inner_texts() == ["Look again"]
            assert not viewer.evaluate(WIDE)
            accessible(viewer)
            expect(viewer.locator("header .lead").last).to_contain_text("Ask an owner", timeout=SOON)
            with viewer.expect_popup() as opened:
                viewer.get_by_role("link", name="Preview").click()
            opened.value.locator("#close").click()  # the help, before the first question
            for count in range(3):
                expect(opened.value.locator("#answer-count")).to_contain_text(f"{count} of 3", timeout=SOON)
                opened.value.wait_for_selector("#question:not([hidden], .waiting)")
                opened.value.wait_for_timeout(300)
                opened.value.locator("#responses .card").first.click()
            expect(opened.value.locator("#message-title")).to_have_text("Thank you", timeout=SOON)
        revoke(page, "Vera", "Revoke it")
        expect(page.locator("#owners")).to_be_hidden(timeout=SOON)


def test_a_link_on_the_page_of_a_mail_program_logs_in(site):
    with closing(site.browser.new_context()) as context:
        page = context.new_page()
        link = f'<a href="{site.where}/login?token={TOKEN}">Your link</a>'
        page.route("http://mail.example/", lambda route: route.fulfill(content_type="text/html", body=link))
        page.goto("http://mail.example/")
        page.get_by_role("link", name="Your link").click()
        page.wait_for_url(f"{site.where}/", timeout=SOON)
        expect(page.get_by_role("heading", name="A new study")).to_be_visible(timeout=SOON)
