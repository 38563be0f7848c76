"""Replies to a prompt side by side in the browser: the prompt stands above them, and nothing says whose they are."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright.sync_api", reason="NOT RUN: playwright is not installed")

from playwright.sync_api import expect

import askwise
from askwise.evaluate import Runs, start
from askwise.evaluate.judging import HUMAN
from askwise.storage.address import Address
from askwise.storage.create import write_study
from askwise.storage.participants import invite, token_of
from askwise.storage.store import Store
from tests.browser.site import PHONE, accessible, count, press, ready

PROMPTS = [
    "Sum up.\n\n" + "The committee met on Tuesday. " * 80,
    "Write a list:\n\n- <b>one</b>\n- two",
    "What is 2 + 2?",
]
ROWS = [
    {"prompt": prompt, "walrus": f"First **reply** {place}", "ferret": f"Second reply {place}"}
    for place, prompt in enumerate(PROMPTS)
]


def invited(site, name):
    """The page of the person who is right by definition."""
    address = Address.of(site.folder / f"{name}.askwise")
    session = start(Runs.of(ROWS), human=True, seed=1, epsilon=0.001, budget=3)
    write_study(address, session.recipe, {}, "pooled")
    store = Store.at(address)
    record = store.record()
    token = token_of(store, record.study, invite(store, record, HUMAN).participant)
    store.close()
    return f"{site.where}/s/{name}/p/{token}"


@pytest.mark.parametrize("device", [{"viewport": {"width": 1280, "height": 800}}, PHONE], ids=["desk", "phone"])
def test_a_prompt_stands_above_two_replies_and_nothing_says_whose_they_are(site, device):
    name = f"replies-{device['viewport']['width']}"
    with site.context(**device) as context:
        page = context.new_page()
        page.goto(invited(site, name))
        ready(page)
        seen = set()
        for _ in range(3):
            shown = page.locator("#context")
            seen.add(shown.inner_text().strip())
            expect(page.locator("#question-text")).to_have_text("Which is better?")
            assert [box["height"] <= 0.4 * device["viewport"]["height"] for box in [shown.bounding_box()]] == [True]
            first, second = (reply.bounding_box() for reply in page.locator("figure").all())
            beside = first["y"] == second["y"] and first["x"] < second["x"]
            assert beside == (device is not PHONE)
            accessible(page)
            page.locator("#my-answers").click()
            expect(page.locator("#panel-body")).to_contain_text("reply " if count(page) else "None yet")
            text = page.inner_text("body")
            assert not any(system in text for system in ("walrus", "ferret"))
            page.locator("#close").click()
            press(page, "ArrowLeft")
        assert seen == {prompt.strip() for prompt in PROMPTS}
    session = askwise.open(site.folder / f"{name}.askwise")
    assert [answer.who for answer in session.answers] == [HUMAN] * 3
