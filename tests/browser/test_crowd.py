"""A person of a panel on a phone, in German: from the open link through consent, practice, answers and a check to the
way back. And the owner's part of it."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

import askwise
from askwise.storage.address import Address
from askwise.storage.joining import change_crowd
from askwise.storage.quality import answer_quality
from askwise.storage.store import Store
from tests.browser.site import PHONE, TABLE, TOKEN, playwright
from tests.browser.test_manners import accessible

SOON = 30_000
expect = playwright.expect
expect.set_options(timeout=SOON)  # a busy machine takes a while to ask the first question
OVER = "!document.getElementById('message').hidden"


@pytest.fixture(scope="module")
def panel():
    """A panel that notes who comes back, and with which code."""
    came = []

    class Panel(BaseHTTPRequestHandler):
        def do_GET(self):
            came.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write("<!doctype html><title>Panel</title><h1>Zurück beim Panel</h1>".encode())

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Panel)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", came
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def study(site, panel):
    path = site.folder / "crowd.askwise"
    askwise.save(askwise.best_item(TABLE, draws=40, seed=2, epsilon=1e-6), path)
    store = Store.at(Address.of(path))
    change_crowd(
        store,
        1,
        {
            "open": True,
            "answers": 6,
            "people": 50,
            "consent": "Wir untersuchen, wie Menschen wählen.\n\nDie Teilnahme ist freiwillig.",
            "retention": "Ihre Antworten werden nach drei Jahren gelöscht.",
            "thanks": "Danke für Ihre Hilfe!",
            "code": "C1A2B3",
            "return_done": panel[0] + "/complete?cc={code}&who={PROLIFIC_PID}",
            "return_declined": panel[0] + "/declined?who={PROLIFIC_PID}",
            "check_every": 3,
            "checks": [{"text": "Ist Eis heiß oder kalt?", "options": ["heiß", "kalt"], "answer": "kalt"}],
        },
    )
    yield store
    store.close()


@pytest.fixture
def phone(site):
    context = site.browser.new_context(**PHONE, locale="de-DE")
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert errors == []


def upright(page):
    """Nothing is wider than the screen."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    accessible(page)


def answer_until(page, done):
    """Taps the first answer until there is something else; what checks that people read is read."""
    for _ in range(20):
        page.wait_for_function(f"() => document.querySelector('#question:not([hidden], .waiting)') || {OVER}")
        if done():
            return
        page.wait_for_timeout(250)  # nobody is that fast, and the page knows
        before = page.locator("#question-text").inner_text(), page.locator("#answer-count").inner_text()
        if page.locator("#question[data-kind=check]").count():
            page.get_by_role("button", name="kalt").click()
        else:
            page.locator("#responses button").first.click()
        page.wait_for_function(
            "([text, count]) => document.getElementById('question-text').innerText !== text"
            f" || document.getElementById('answer-count').innerText !== count || {OVER}",
            arg=list(before),
        )


def test_the_whole_way_of_a_panelist(site, study, panel, phone):
    came = panel[1]
    phone.goto(f"{site.where}/s/crowd/join?PROLIFIC_PID=5f1e&STUDY_ID=7&SESSION_ID=9&lang=de")
    expect(phone.get_by_role("heading", level=1)).to_have_text("Bevor Sie beginnen")
    assert phone.evaluate("document.documentElement.lang") == "de"
    upright(phone)
    phone.get_by_role("button", name="Ich stimme zu und nehme teil").click()
    expect(phone.locator("#panel")).to_contain_text("So funktioniert es")
    phone.get_by_role("button", name="Sommer").click()
    expect(phone.locator("#panel")).to_contain_text("Sie haben „Sommer“ gesagt")
    upright(phone)
    phone.get_by_role("button", name="Los geht").click()
    expect(phone.locator("#question-text")).to_have_text("Was ist Ihnen lieber?")
    expect(phone.locator("#answer-count")).to_have_text("0 von 6 beantwortet")
    assert not phone.locator("#why").is_visible()
    upright(phone)
    answer_until(phone, lambda: phone.locator("#question[data-kind=check]").count() == 1)
    expect(phone.locator("#question-text")).to_have_text("Ist Eis heiß oder kalt?")
    expect(phone.locator("#answer-count")).to_have_text("3 von 6 beantwortet")
    upright(phone)
    phone.reload()  # the same link, wherever they come from, goes on where they were
    expect(phone.locator("#question-text")).to_have_text("Ist Eis heiß oder kalt?")
    answer_until(phone, lambda: phone.locator("#completion-code").is_visible())
    expect(phone.get_by_role("heading", level=1).last).to_have_text("Vielen Dank")
    expect(phone.locator("#message")).to_contain_text("Danke für Ihre Hilfe!")
    expect(phone.locator("#completion-code")).to_have_text("C1A2B3")
    assert "Ergebnis" not in phone.locator("#message").inner_text()
    upright(phone)
    phone.get_by_role("link", name="Abschließen und zurück").click()
    expect(phone.get_by_role("heading", level=1)).to_have_text("Zurück beim Panel")
    assert "/complete?cc=C1A2B3&who=5f1e" in came
    [found] = [one for one in answer_quality(study, study.record()) if one.checks]
    assert (found.answers, found.checks, found.checks_passed) == (6, 2, 2)


def test_whoever_declines_reads_what_is_kept_and_goes_back(site, panel, study, phone):
    phone.goto(f"{site.where}/s/crowd/join?PROLIFIC_PID=no1")
    phone.get_by_role("button", name="Ich nehme nicht teil").click()
    expect(phone.get_by_role("heading", level=1)).to_have_text("Sie nehmen nicht teil")
    expect(phone.locator("article")).to_contain_text("Gespeichert bleiben die Angaben in Ihrem Link, etwa Ihre Kennung")
    upright(phone)
    phone.get_by_role("link", name="Zurück").click()
    expect(phone.get_by_role("heading", level=1)).to_have_text("Zurück beim Panel")
    assert "/declined?who=no1" in panel[1]


def test_a_page_from_right_to_left(site, study, phone):
    phone.goto(f"{site.where}/s/crowd/join?participant=rtl&lang=ar")
    assert phone.evaluate("document.documentElement.dir") == "rtl"
    upright(phone)
    phone.locator("button.main").click()
    phone.locator("#close").click()
    expect(phone.locator("#question-text")).to_have_text("أيهما تفضل؟")
    upright(phone)
    title, count = (phone.locator(place).bounding_box() for place in ("#title", "#answer-count"))
    assert title["x"] > count["x"]
    phone.set_viewport_size({"width": 1000, "height": 800})
    first, second = (phone.locator(f"#responses .card >> nth={place}").bounding_box() for place in (0, 1))
    assert first["x"] < second["x"]  # "left" is on the left, where the arrow key points


def test_the_owner_opens_the_door_looks_and_leaves_somebody_out(site, study):
    context = site.browser.new_context(viewport={"width": 1200, "height": 900})
    page = context.new_page()
    page.goto(f"{site.where}/login?token={TOKEN}")
    assert "token" not in page.url
    page.goto(f"{site.where}/s/crowd")
    expect(page.locator("#crowd-link")).to_have_value(f"{site.where}/s/crowd/join")
    page.locator("#crowd summary").click()
    page.fill("#crowd-people", "60")
    page.fill("#crowd-checks", "Is ice hot? | yes | *no")
    page.locator("#crowd-form button[type=submit]").click()
    expect(page.locator("#crowd-form-status")).to_have_text("Saved.")
    expect(page.locator("#crowd-form-status")).to_be_in_viewport()  # the form is longer than the screen
    page.locator("#care summary").click()
    expect(page.locator("#care-table tbody tr").first).to_contain_text("2 of 2")
    accessible(page)
    page.get_by_role("button", name="Exclude Person 1", exact=True).click()
    accessible(page)
    page.get_by_label("Why (optional; it is noted)").fill("a robot")
    page.get_by_role("button", name="Exclude them").click()
    noted = page.locator("#noted-table tbody tr").first
    for text in ("excluded", "Person 1", "a robot"):
        expect(noted).to_contain_text(text)
    accessible(page)
    expect(page.get_by_role("button", name="Include Person 1", exact=True)).to_be_visible()
    page.goto(f"{site.where}/s/crowd/preview?lang=de")
    expect(page.locator(".note")).to_contain_text("Vorschau")
    page.get_by_role("button", name="Ich stimme zu und nehme teil").click()
    page.locator("#close").click()
    expect(page.locator("#question-text")).to_have_text("Was ist Ihnen lieber?")
    page.locator("#preview-pages summary").click()
    accessible(page)
    page.get_by_role("link", name="Screened out or excluded").click()
    expect(page.locator("article")).to_contain_text("Ihre Teilnahme an dieser Studie endet hier")
    page.locator("#preview-pages summary").click()
    accessible(page)
    assert answer_quality(study, study.record())[0].status == "excluded"
    askwise.save(askwise.best_item(["tea", "milk"], draws=40), site.folder / "short lived.askwise")
    page.goto(f"{site.where}/s/short%20lived")
    for name, gone in (("wrong", False), ("short lived", True)):
        page.locator("#delete-study").click()
        page.fill("#delete-name", name)
        page.get_by_role("button", name="Delete it").click()
        if not gone:
            expect(page.locator("#delete-status")).to_contain_text("send its name: short lived")
    expect(page.get_by_role("heading", level=1)).to_have_text("Studies")
    assert not (site.folder / "short lived.askwise").exists()
    context.close()
