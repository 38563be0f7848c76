"""Cards with fields in a browser: what differs stands out, on a desk, on a phone and at night."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.browser.site import PHONE, TOKEN, accessible, fits, playwright, ready

expect = playwright.expect
SOON = 60_000  # milliseconds for a busy machine


def fields(page, place=0):
    """Heading and value of each field of one option."""
    rows = page.locator("#responses .card, figure").nth(place).locator(".field").all()
    return [(row.locator(".heading").inner_text(), row.locator(".value").inner_text().split(",")[0]) for row in rows]


def weight(locator):
    return int(locator.evaluate("element => getComputedStyle(element).fontWeight"))


def colour(locator):
    return locator.evaluate("element => getComputedStyle(element).color")


def test_what_differs_stands_out(site):
    with site.page("fields", viewport={"width": 1280, "height": 800}) as (page, _):
        left, right = page.locator("#responses .card").all()
        assert left.bounding_box()["y"] == right.bounding_box()["y"]  # side by side
        assert [heading for heading, _ in fields(page)] == ["price", "weight", "note"]
        assert fields(page)[0][1].startswith("$")
        assert "<b>plain</b>" in left.inner_text()  # as it is written
        for heading, value in zip(fields(page), fields(page, 1), strict=True):
            row = left.locator(".field", has_text=heading[0])
            assert ("differs" in row.get_attribute("class")) == (heading != value)
        differing, same = left.locator(".differs .value").first, left.locator(".same .value").first
        assert weight(differing) > weight(same)
        assert colour(differing) != colour(same)
        assert page.title() != "evil"
        name = left.locator(".name").inner_text()
        assert page.get_by_role("button", name=name, exact=True).count() == 1  # without its fields
        assert left.locator(f"#{left.get_attribute('aria-describedby')} .field").count() == 3
        accessible(page)
        page.keyboard.press("ArrowLeft")
        ready(page)
        assert len(fields(page)) == 3


def test_cards_are_stacked_on_a_phone_at_night(site):
    for kind in "fields", "label", "same":
        with site.page(kind, color_scheme="dark", **PHONE) as (page, _):
            cards = [card.bounding_box() for card in page.locator("#responses .card, figure").all()]
            assert all(card["width"] > 300 for card in cards)
            assert [card["y"] for card in cards] == sorted({card["y"] for card in cards})
            assert fields(page)
            fits(page)
            accessible(page)


@pytest.mark.parametrize("options", [{"viewport": {"width": 1280, "height": 800}}, {"color_scheme": "dark", **PHONE}])
@pytest.mark.parametrize("kind", ["eight", "eight-graded"])
def test_many_fields_stay_in_their_cards_and_answers_in_their_place(site, kind, options):
    with site.page(kind, **options) as (page, _):
        places = []
        for _ in range(2):
            cards = page.locator("#responses .card, figure")
            assert len(fields(page)) == 8
            for card in cards.all():
                box = card.bounding_box()
                for part in card.locator(".name, .value, kbd:visible").all():
                    inner = part.bounding_box()
                    assert box["y"] <= inner["y"]
                    assert inner["y"] + inner["height"] <= box["y"] + box["height"]
            boxes = [button.bounding_box() for button in page.locator("#responses button").all()]
            assert all(above["y"] + above["height"] <= below["y"] or above["y"] >= below["y"]
                       for above, below in pairwise(boxes))  # fmt: skip
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            places.append(boxes)
            page.keyboard.press("1")
            ready(page)
        assert places[0] == places[1]


def test_nothing_is_shown_if_the_owner_wants_so(site):
    with site.page("hidden") as (page, _):
        assert page.locator(".field").count() == 0
        assert page.locator("#question.with-fields").count() == 0
        fits(page)


def test_the_owner_chooses_columns_now_and_later(site, tmp_path):
    (tmp_path / "drinks.csv").write_text("name,price,strength,note\ntea,2,3,hot\nmilk,1,1,cold\nrum,9,40,brown\n")
    with site.context(viewport={"width": 1200, "height": 1100}) as context:
        owner = context.new_page()
        owner.goto(f"{site.where}/login?token={TOKEN}")
        owner.set_input_files("#table", tmp_path / "drinks.csv")
        owner.click("#read-table")
        ticked = owner.locator("#shown-columns input:checked")
        expect(ticked).to_have_count(2, timeout=SOON)
        assert [box.get_attribute("value") for box in ticked.all()] == ["price", "strength"]
        accessible(owner)
        owner.get_by_label("strength").uncheck()
        owner.get_by_label("note").check()
        owner.click("#make-study")
        owner.wait_for_url("**/s/drinks")
        link, _ = site.invite("drinks")
        page = context.new_page()
        page.goto(link)
        ready(page)
        assert [heading for heading, _ in fields(page)] == ["price", "note"]
        owner.get_by_text("What people see with each name").click()
        expect(owner.locator("#shown-columns input:checked")).to_have_count(2, timeout=SOON)
        owner.get_by_label("price").uncheck()
        accessible(owner)
        owner.click("#save-shown")
        expect(owner.locator("#shown-status")).to_have_text(
            "People see this from their next question on.", timeout=SOON
        )
        page.reload()
        ready(page)
        assert [heading for heading, _ in fields(page)] == ["note"]
