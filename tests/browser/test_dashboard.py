"""The owner's pages in a real browser, on a real server: from a table to a report, live, and quiet."""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager

import httpx2
import pytest

from tests.web.test_sharing import ask

playwright = pytest.importorskip("playwright.sync_api", reason="NOT RUN: playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="NOT RUN: axe is not installed")
expect = playwright.expect
TOKEN = "a-token-for-the-tests-only"
EVIL = [
    "<img src=x onerror=\"document.title='evil'\">",
    "<script>document.title='evil'</script>",
    '<a href="http://evil.example">click</a>',
    "a < b & c",
    "=1+1",
    "plain",
]
SOON = 30_000  # milliseconds for a busy machine
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "color_scheme": "dark"}


class Site:
    """A server with an owner who writes programs, and a browser."""

    def __init__(self, folder, where, browser):
        self.folder, self.where, self.browser = folder, where, browser
        self.api = httpx2.Client(base_url=where, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=60)

    @contextmanager
    def owner(self, refused=0, **settings):
        """The owner's page, logged in; at the end nothing was said but that so many requests were refused, nothing ran,
        nothing was asked of other hosts."""
        context = self.browser.new_context(**settings)
        page = context.new_page()
        said, foreign = [], []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda asked: foreign.append(asked.url) if not self.ours(asked.url) else None)
        page.goto(f"{self.where}/login?token={TOKEN}")
        try:
            yield page
            assert page.title() != "evil"
        finally:
            context.close()
        assert ["status of 422" in text for text in said] == [True] * refused, said
        assert not foreign

    def ours(self, address):
        return address.startswith((f"{self.where}/", "data:", "blob:"))

    def make(self, name, goal="best_item", mode="own"):
        table = "name,size\n" + "".join(f"item {i},{i}\n" for i in range(8))
        form = {"goal": goal, "name": name, "mode": mode, "options": '{"epsilon": 0.001}'}
        made = self.api.post("/api/v1/studies", files={"table": ("t.csv", table.encode())}, data=form)
        assert made.status_code == 201

    def invite(self, study, name):
        return self.api.post(f"/api/v1/studies/{study}/participants", json={"name": name}).json()["link"]

    def answer(self, link, count):
        """Answers through the API; the last reply."""
        here = f"/api/v1{link.removeprefix(self.where)}"
        for _ in range(count):
            question = ask(self.api, here)
            told = {"question": question["id"], "response": question["responses"][0], "key": f"key-{time.time_ns()}"}
            reply = self.api.post(f"{here}/answers", json=told)
            assert reply.status_code == 200
        return reply.json()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    from tests.browser.site import SERVER

    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("NOT RUN: chromium is not installed; on Debian: apt install chromium")
    folder, logs = tmp_path_factory.mktemp("studies"), tmp_path_factory.mktemp("logs")
    command = [sys.executable, "-c", SERVER, "serve", str(folder)]
    with (logs / "out").open("w") as out, (logs / "err").open("w") as err:
        server = subprocess.Popen(
            [*command, "--port", "0", "--workers", "1", "--token", TOKEN],
            stdout=out,
            stderr=err,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
    try:
        end, found = time.monotonic() + 60, None
        while found is None and time.monotonic() < end and server.poll() is None:
            found = re.search(r"http://127\.0\.0\.1:\d+", (logs / "out").read_text())
            time.sleep(0.05)
        assert found, (logs / "err").read_text()
        with playwright.sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            made = Site(folder, found[0], browser)
            made.logs = logs
            yield made
            made.api.close()
            browser.close()
    finally:
        server.terminate()
        server.wait(30)


def figure(page, label):
    return page.locator("#figures div", has_text=label).locator("dd").first


def test_from_a_table_to_a_report(site, tmp_path):
    with (tmp_path / "evil things.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["name"], *([name] for name in EVIL)])  # nothing else: all stay likely
    with site.owner(refused=1) as page:
        page.set_input_files("#table", tmp_path / "evil things.csv")
        expect(page.locator("#name")).to_have_value("evil things")
        page.select_option("#goal", "top_k")
        page.fill("#k", "99")
        page.click("#read-table")
        expect(page.locator("#form-error")).to_have_text("How many must be a whole number from 1 to 5.", timeout=SOON)
        page.evaluate("document.getElementById('budget').value = '1.5'")  # folded away
        page.click("#read-table")
        expect(page.locator("#budget")).to_be_visible()
        page.fill("#budget", "")
        page.select_option("#goal", "best_item")
        page.get_by_text("What people read", exact=True).click()
        page.fill("#instructions", "Look at the <b>colour</b> only.")
        page.fill("#epsilon", "0.001")  # three answers do not settle that
        page.click("#read-table")
        understood = page.locator("#understood-sentences li").first
        expect(understood).to_have_text("Find the best of the 6 items.", timeout=SOON)
        page.click("#make-study")
        page.wait_for_url("**/s/evil%20things")
        expect(page.locator("#state")).to_have_text("open")
        expect(page.locator("#guess")).to_have_text("Nobody has answered yet.", timeout=SOON)
        page.fill("#name", EVIL[0])
        page.fill("#quota", "4")
        page.press("#quota", "Enter")
        expect(page.locator("#people tbody tr")).to_have_count(1)
        expect(page.locator("#people tbody td").first).to_have_text(EVIL[0])
        link = page.input_value("#link")
        page.evaluate("window.notReloaded = true")
        site.answer(link, 3)
        expect(figure(page, "answers")).to_have_text("3", timeout=SOON)
        expect(page.locator("#progress-sentence")).to_contain_text("3 answers", timeout=SOON)
        expect(page.locator("#people tbody td").nth(1)).to_have_text("3 of 4")
        for name in EVIL[2:]:
            expect(page.locator("#charts .drawn")).to_contain_text(name[:20])  # beside a bar, as it is
        assert page.locator("#charts a").count() == 0
        assert page.evaluate("window.notReloaded")
        close_and_download(site, page, link, tmp_path)
    assert site.api.get("/api/v1/studies/evil things").json()["state"] == "closed"


def close_and_download(site, page, link, tmp_path):
    here = f"/api/v1{link.removeprefix(site.where)}"
    page.click("#pause")
    expect(page.locator("#state")).to_have_text("paused")
    assert site.api.get(here).json()["state"] == "paused"
    page.click("#start")
    expect(page.locator("#state")).to_have_text("open")
    page.click("#people button:has-text('Pause')")
    expect(page.locator("#people tbody td").nth(4)).to_have_text("paused")
    for button, ending in (("#csv", "csv"), ("#report", "html")):
        with page.expect_download(timeout=SOON) as waiting:
            page.click(button)
        waiting.value.save_as(tmp_path / f"saved.{ending}")
        assert waiting.value.suggested_filename == f"evil things.{ending}"
    with (tmp_path / "saved.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["status"] for row in rows] == ["answered"] * 3
    assert {row["name"] for row in rows} == {EVIL[0]}
    assert "<!doctype html>" in (tmp_path / "saved.html").read_text(encoding="utf-8")
    page.click("#close")
    page.click("#confirm-close button[value=no]")
    expect(page.locator("#state")).to_have_text("open")
    page.click("#close")
    page.click("#confirm-close button[value=yes]")
    expect(page.locator("#state")).to_have_text("closed")
    expect(page.locator("#start")).to_be_hidden()


@pytest.mark.parametrize("settings", [{"viewport": {"width": 1200, "height": 900}}, PHONE], ids=["desk", "phone"])
def test_everybody_can_read_it(site, settings):
    """Light on a desk, dark on a phone: no barrier that axe knows of, nothing to scroll sideways."""
    goals = {"best_item": "own", "clusters": "pooled", "hierarchy": "own"}
    for goal, mode in goals.items():
        if goal not in {study["study"] for study in site.api.get("/api/v1/studies").json()}:
            site.make(goal, goal, mode)
            for who in ("Ann", "Ben"):
                site.answer(site.invite(goal, who), 3)
    with site.owner(**settings) as page:
        page.wait_for_selector("#studies li")
        check(page)
        for goal in goals:
            page.goto(f"{site.where}/s/{goal}")
            expect(page.locator("#progress-sentence")).to_contain_text("answers", timeout=SOON)
            page.wait_for_selector("#curve svg.chart")
            check(page)


def test_values_show_when_pointed_at_and_in_a_table(site):
    """The last values show at first; a point shows its own; an open table stays open while answers come."""
    site.make("hover")
    link = site.invite("hover", "Ann")
    site.answer(link, 4)
    with site.owner(viewport={"width": 1200, "height": 900}) as page:
        page.goto(f"{site.where}/s/hover")
        points = page.locator("#curve .point")
        expect(points).to_have_count(5, timeout=SOON)
        opacity = "nodes => nodes.map((node) => Number(getComputedStyle(node).opacity))"
        assert points.locator(".value").evaluate_all(opacity) == [0, 0, 0, 0, 1]
        points.nth(1).locator(".hit").hover()
        assert points.locator(".value").evaluate_all(opacity) == [0, 1, 0, 0, 0]
        table = page.locator("#charts details").first
        table.locator("summary").click()
        expect(table.locator("tbody tr")).to_have_count(8)
        site.answer(link, 1)
        expect(page.locator("#progress-sentence")).to_contain_text("5 answers", timeout=SOON)
        expect(table.locator("tbody")).to_be_visible()
        assert page.locator("#pace .column").count() == 30


def test_nobody_sees_the_charts_of_another_person(site):
    site.make("two people")
    site.answer(site.invite("two people", "Ann"), 2)
    site.invite("two people", "Ben")
    with site.owner() as page:
        page.goto(f"{site.where}/s/two people")
        expect(page.locator("#progress-sentence")).to_contain_text("2 answers", timeout=SOON)
        expect(page.locator("#charts svg")).not_to_have_count(0)
        page.select_option("#log-select", label="Ben")
        expect(page.locator("#guess")).to_have_text("This person has not answered yet.", timeout=SOON)
        for place in ("#charts", "#curve", "#odd-answers tbody", "#progress-sentence"):
            assert page.locator(place).inner_html() == ""
        page.select_option("#log-select", label="Ann")
        expect(page.locator("#charts svg")).not_to_have_count(0, timeout=SOON)


def test_a_long_name_stays_within_the_page(site):
    site.make("long names", "ranking")
    site.answer(site.invite("long names", "Ann"), 1)
    site.invite("long names", "Maximiliane von und zu Hohenstein-Lichtenberg")
    with site.owner(viewport={"width": 390, "height": 760}) as page:
        page.goto(f"{site.where}/s/long names")
        expect(page.locator("#log-select")).to_be_visible(timeout=SOON)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("mode", ["own", "pooled"])
def test_only_a_result_of_their_own_stands_beside_a_name(site, mode):
    site.make(f"guesses {mode}", mode=mode)
    site.answer(site.invite(f"guesses {mode}", "Ann"), 2)
    with site.owner() as page:
        page.goto(f"{site.where}/s/guesses {mode}")
        expect(page.locator("#progress-sentence")).to_contain_text("2 answers", timeout=SOON)
        expect(page.get_by_role("columnheader", name="best guess")).to_have_count(1 if mode == "own" else 0)
        expect(page.get_by_role("columnheader", name="undecided")).to_have_count(1 if mode == "own" else 0)


def check(page):
    found = axe.Axe().run(page)
    assert not found.response["violations"], found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_by_keyboard(site):
    """A person is invited and paused without a mouse, and the button keeps the focus while answers come."""
    site.make("keys")
    with site.owner() as page:
        page.goto(f"{site.where}/s/keys")
        page.focus("#name")
        page.keyboard.type("Ann")
        page.keyboard.press("Enter")
        expect(page.locator("#people tbody tr")).to_have_count(1)
        rest = page.locator("#people button:has-text('Pause')")
        rest.focus()
        site.answer(page.input_value("#link"), 2)
        expect(figure(page, "answers")).to_have_text("2", timeout=SOON)
        expect(rest).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("#people tbody td").nth(4)).to_have_text("paused")


def test_the_stream_does_not_hammer(site):
    site.make("stream")
    link = site.invite("stream", "Ann")
    site.answer(link, 1)
    kinds, begin = [], None
    with httpx2.stream("GET", f"{site.where}/api/v1/studies/stream/live", headers=site.api.headers, timeout=30) as live:
        for line in live.iter_lines():
            begin = begin or time.monotonic()
            if line.startswith("event: "):
                kinds.append(line.removeprefix("event: "))
            if time.monotonic() - begin > 5 and kinds.count("changes") >= 2:
                break
            if line in ("event: overview", "event: changes") and len(kinds) < 16:
                site.answer(link, 1)
    taken = time.monotonic() - begin
    assert kinds.count("overview") == 1  # what follows are changes
    assert 2 <= kinds.count("changes") <= 2 * taken + 1
    assert kinds.count("learned") <= taken / 3 + 1


def test_simulated_people_say_what_is_saved(site):
    site.make("plan", "ranking")
    here = "/api/v1/studies/plan"
    assert site.api.get(here).json()["saved"] is None
    with site.owner() as page:
        page.goto(f"{site.where}/s/plan")
        expect(page.locator("#saved")).to_contain_text("nobody was simulated")
        page.click("#simulate")
        expect(page.locator("#saved")).to_contain_text("answering", timeout=SOON)
        assert site.api.post(f"{here}/plan").status_code == 409


def test_no_secret_is_written_down(site):
    """The owner's token is printed once; what people's links hold never is, not even when they are wrong."""
    site.make("secret")
    link = site.invite("secret", "Ann")
    site.answer(link, 1)
    assert site.api.get(f"/api/v1{link.removeprefix(site.where)}x").status_code == 404
    assert site.api.get("/login?token=wrong-token-of-somebody").status_code == 401
    out, err = ((site.logs / name).read_text() for name in ("out", "err"))
    assert out.count(TOKEN) == 1
    assert TOKEN not in err
    for secret in (link.split("/p/")[1], "wrong-token-of-somebody"):
        assert secret not in out + err


def test_a_new_study_shows_several_items_at_a_time(site, tmp_path):
    (tmp_path / "drinks.csv").write_text("name\n" + "\n".join(f"drink {i}" for i in range(7)))
    with site.owner() as page:
        page.set_input_files("#table", tmp_path / "drinks.csv")
        page.select_option("#goal", "best_item")
        page.evaluate("document.getElementById('shown').closest('details').open = true")
        page.fill("#shown", "4")
        page.check("#worst")
        page.click("#read-table")
        asked = "Each question shows four items and asks for the best and the worst of them. There are 35 such sets."
        expect(page.get_by_text(asked)).to_be_visible(timeout=SOON)
        page.select_option("#goal", "clusters")
        expect(page.locator("#worst")).to_be_hidden()
