"""The owner adds and retires items on the study's page while somebody answers."""

from __future__ import annotations

import pytest

import askwise
from tests.browser.site import PHONE, TOKEN, accessible, count, playwright, question, ready

expect = playwright.expect
SOON = 30_000  # milliseconds for a busy machine


def shown(page):
    """The names before the person who answers."""
    return set(question(page).removeprefix("Which do you prefer: ").removesuffix("?").split(" or "))


def items_panel(page, site, study):
    site.path(study)
    page.goto(f"{site.where}/login?token={TOKEN}")
    page.goto(f"{site.where}/s/{study}")
    page.locator("#items summary").click()
    expect(page.locator("#active-items option").first).to_be_attached(timeout=SOON)


def test_items_change_while_somebody_answers(site):
    names = [f"thing {place}" for place in range(6)]
    askwise.save(askwise.best_item(names, draws=40, seed=2, epsilon=1e-6), site.folder / "coming.askwise")
    with site.page("coming") as (person, invited), site.context() as context:
        owner = context.new_page()
        items_panel(owner, site, "coming")
        before = shown(person)
        gone = sorted(before)[0]
        owner.select_option("#active-items", [gone])
        owner.click("#retire-items button")
        expect(owner.locator("#items-status")).to_have_text(f"{gone}: not asked about any more.", timeout=SOON)
        assert shown(person) == before
        person.keyboard.press("ArrowLeft")  # the answer to what was on the screen counts
        ready(person)
        assert count(person) == 1
        owner.fill("#new-rows", "late 1\nlate 2\n<b>late</b> 3")
        owner.click("#add-items button")
        expect(owner.locator("#items-lead")).to_have_text(
            f"8 items, and 1 item that retired: {gone}. All answers stay."
        )
        expect(owner.locator("#goal-sentence")).to_contain_text("Find the best of the 8 items.", timeout=SOON)
        owner.fill("#new-rows", "late 1")
        owner.click("#add-items button")
        expect(owner.locator("#items-status")).to_contain_text("An item 'late 1' is there already", timeout=SOON)
        seen = set()
        for _ in range(8):
            seen |= shown(person)
            person.keyboard.press("ArrowLeft")
            ready(person)
        assert gone not in seen
        assert {"late 1", "late 2", "<b>late</b> 3"} & seen
        person.reload()
        ready(person)
        assert count(person) == 9
        accessible(owner)
    told = site.told("coming", invited)
    assert len(told) == 9
    assert len(site.told("coming", invited, ("items",))) == 2


@pytest.mark.parametrize("options", [{}, {**PHONE, "color_scheme": "dark"}])
def test_the_form_of_a_table_with_columns(site, options, tmp_path):
    with site.context(**options) as context:
        owner = context.new_page()
        items_panel(owner, site, "pair")
        expect(owner.locator("#rows-hint")).to_have_text(
            "With a line of headings: name, x, y. Rows of a spreadsheet will do."
        )
        table = tmp_path / "more.csv"
        new = "new phone" if options else "new desk"
        table.write_text(f"name,x,y\n{new},3,4\n")
        owner.set_input_files("#new-table", table)
        owner.click("#add-items button")
        expect(owner.locator("#items-status")).to_contain_text("The items are added.", timeout=SOON)
        expect(owner.locator(f"#active-items option[value='{new}']")).to_be_attached()
        assert owner.evaluate("document.documentElement.scrollWidth <= innerWidth")
        accessible(owner)
