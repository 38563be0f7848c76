"""The widget in a real JupyterLab: clicks, keys, undo, live chances, and answers that reach the session."""

from __future__ import annotations

import shutil

import pytest

CELLS = [
    "import askwise\n"
    'session = askwise.best_item(["tea", "coffee", "water", "milk"], ties=True, seed=1)\n'
    "session.widget()",
    'session.tell("equal")\nprint("told", [answer.response for answer in session.answers], len(session.log))',
]
SOON = 60_000  # milliseconds for a busy machine


def test_a_session_in_jupyterlab(tmp_path):
    playwright = pytest.importorskip("playwright.sync_api", reason="NOT RUN: playwright is not installed")
    pytest.importorskip("jupyterlab", reason="NOT RUN: jupyterlab is not installed")
    pytest.importorskip("anywidget", reason="NOT RUN: anywidget is not installed")
    from tests.notebook.lab import run_cell, serving_lab, wait_for_kernel, write_notebook

    if (chromium := shutil.which("chromium")) is None:
        pytest.skip("NOT RUN: chromium is not installed; on Debian: apt install chromium")
    write_notebook(tmp_path / "drinks.ipynb", CELLS)
    expect = playwright.expect
    expect.set_options(timeout=SOON)
    with serving_lab(tmp_path) as where, playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1100, "height": 1000})
        page.set_default_timeout(SOON)
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{where}/doc/tree/drinks.ipynb")
        wait_for_kernel(page, where)
        run_cell(page, 0)
        count, chart, cards = page.locator("#answer-count"), page.locator("#chart"), page.locator("#responses .card")

        def ready(answers):
            """After so many answers, once a question was on screen for longer than a stray tap takes."""
            expect(count).to_contain_text(f"{answers} answered")
            expect(page.locator("#question.waiting")).to_have_count(0)
            page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 500)))")

        ready(0)
        chances = [chart.inner_text()]
        shown = cards.locator(".name").all_inner_texts()
        cards.first.click()
        ready(1)
        chances.append(chart.inner_text())
        assert cards.locator(".name").all_inner_texts() != shown
        page.keyboard.press("ArrowRight")  # the click has left the focus in the widget
        ready(2)
        chances.append(chart.inner_text())
        page.keyboard.press("u")
        ready(1)
        chances.append(chart.inner_text())
        assert len(set(chances)) == 4  # random draws differ a little even where the answers are the same
        heading = page.locator("#question-text")
        asked = heading.get_attribute("aria-label")
        page.keyboard.press("x")  # a skip here; in command mode, Jupyter would cut the cell
        expect(heading).not_to_have_attribute("aria-label", asked)
        ready(1)
        assert page.locator(".jp-CodeCell").count() == len(CELLS)
        run_cell(page, 1)  # answers the question that is on screen
        expect(page.locator(".jp-OutputArea-output", has_text="told")).to_have_count(1)
        cards.first.click()
        expect(page.locator("#notice")).to_contain_text("answered")
        ready(2)
        run_cell(page, 1)
        expect(page.locator(".jp-OutputArea-output", has_text="told")).to_contain_text("told [")
        assert page.locator(".jp-RenderedText", has_text="Traceback").count() == 0
        assert errors == []
        browser.close()
