"""The database is killed while somebody answers: the page keeps the answer, and sends it until it is taken."""

from __future__ import annotations

import shutil

import pytest

import askwise
from askwise.storage.address import Address
from askwise.storage.participants import invite, token_of
from askwise.storage.store import Store
from benchmarks.serve.servers import RunningServer
from tests.browser.site import TABLE, Site, count, playwright, ready

expect = playwright.expect


@pytest.fixture
def browser():
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("NOT RUN: chromium is not installed; on Debian: apt install chromium")
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield found
        found.close()


def test_the_page_keeps_an_answer_until_the_database_is_back(own_server, browser):
    place = f"{own_server.address}#cars"
    askwise.save(askwise.ranking(TABLE, epsilon=0.0001, budget=40, draws=16, seed=1), place)
    store = Store.at(Address.of(place))
    record = store.record()
    person = invite(store, record, "Ann")
    token = token_of(store, record.study, person.participant)
    store.close()
    server = RunningServer(place, ("--workers", "1"))
    where = f"http://127.0.0.1:{server.port}"
    link = f"{where}/s/cars/p/{token}"
    try:
        server.wait_until_ready()
        with Site(None, where, browser).context() as context:
            page = context.new_page()
            page.goto(link)
            ready(page)
            own_server.kill()
            page.keyboard.press("ArrowRight")
            expect(page.locator("#notice")).to_contain_text("saved on this device and will be sent", timeout=60_000)
            page.reload()
            assert "nothing is lost" in page.content()
            own_server.start()
            page.goto(link)  # the outbox is on the device, not in the page
            expect(page.locator("#answer-count")).to_contain_text("1 ", timeout=60_000)
            assert count(page) == 1
    finally:
        server.kill()
    session = askwise.storage.open(place, log=person.log)
    assert [event["response"] for event in session.log if event["event"] == "tell"] == ["right"]
    askwise.storage.close(session)
