"""Under a prefix, as behind a proxy that serves other things too: every page and every request stays below it."""

from __future__ import annotations

import shutil

import pytest

import askwise
from benchmarks.serve.servers import RunningServer
from tests.browser.site import TABLE, TOKEN, Site, count, playwright, press, ready

expect = playwright.expect
ROOT = "/lab/askwise"


def test_owner_and_participant_stay_below_the_prefix(tmp_path):
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("NOT RUN: chromium is not installed; on Debian: apt install chromium")
    askwise.save(askwise.ranking(TABLE, epsilon=0.0001, budget=40, draws=16, seed=1), tmp_path / "cars.askwise")
    server = RunningServer(str(tmp_path), ("--workers", "1", "--token", TOKEN, "--root-path", ROOT))
    origin = f"http://127.0.0.1:{server.port}"
    try:
        server.wait_until_ready()
        with playwright.sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            with Site(None, origin, browser).context(viewport={"width": 1200, "height": 900}) as context:
                asked = []
                context.on("request", lambda request: asked.append(request.url))
                page = context.new_page()
                page.goto(f"{origin}{ROOT}/login?token={TOKEN}")
                page.locator("#studies a").click()
                page.wait_for_url(f"{origin}{ROOT}/s/cars")
                page.locator("#name").fill("Ann")
                page.locator("#name").press("Enter")
                page.wait_for_function("() => document.getElementById('link').value")
                link = page.locator("#link").input_value()
                assert link.startswith(f"{origin}{ROOT}/s/cars/p/")
                person = context.new_page()
                person.goto(link)
                ready(person)
                press(person, "ArrowLeft")
                assert count(person) == 1
                expect(page.locator("#people, #participants").first).to_contain_text("Ann", timeout=60_000)
                page.goto(f"{origin}{ROOT}/")
                expect(page.locator("#studies")).to_contain_text("1 answer", timeout=60_000)
            browser.close()
    finally:
        server.kill()
    strays = [url for url in asked if url.startswith("http") and not url.startswith(f"{origin}{ROOT}/")]
    assert not strays
