"""The answering page in a browser: every kind of question by key and by touch, exactly once, with or without a
connection, for everybody, and nothing in a table ever runs."""

from __future__ import annotations

import os
import re
import shutil
import statistics
import struct
import subprocess
import sys
import zlib
from contextlib import contextmanager

import pytest

import askwise
from askwise.study.address import Address
from askwise.study.participants import invite, pause, token_of
from askwise.study.store import Store

playwright = pytest.importorskip("playwright.sync_api", reason="NOT RUN: playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="NOT RUN: axe is not installed")
EVIL = [
    "<img src=x onerror=\"document.title='evil'\">",
    "<script>document.title='evil'</script>",
    "H<sub>2</sub>O",
    "a < b",
]
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
TABLE = [{"name": f"item {i}", "x": (7 * i) % 11, "y": (5 * i) % 13} for i in range(12)]
WORDS = ["a bell", "a key", "rain", "a long walk with a friend", "salt", "wool"]
KINDS = {"pair": "ArrowLeft", "same": "ArrowRight", "triple": "2", "label": "1", "number": "3.5"}


def png(color):
    """A picture of one colour, 8 x 8."""

    def part(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = b"".join(b"\0" + bytes(color) * 8 for _ in range(8))
    head = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")


def sessions():
    """One study of each kind, ending after a few answers; and one with names that would like to run."""
    pictured = [{"name": word, "image": f"{i}.png", "x": i} for i, word in enumerate(WORDS)]
    small = {"draws": 16, "seed": 1}
    return {
        "pair": askwise.best_item(TABLE, draws=40, seed=2, epsilon=0.001, budget=3),
        "same": askwise.clusters(pictured, image="image", budget=3, epsilon=0.001, **small),
        "triple": askwise.hierarchy(pictured, image="image", budget=3, epsilon=0.001, **small),
        "label": askwise.classifier(TABLE, labels=("cold", "hot"), budget=3, epsilon=0.001, seed=1),
        "number": askwise.best_column((3, 3), budget=3, epsilon=0.001, **small),
        "long": askwise.ranking(TABLE, epsilon=0.0001, budget=40, **small),
        "names": askwise.clusters(EVIL, budget=40, epsilon=0.0001, **small),
    }


class Site:
    """A server, a browser, and studies to answer."""

    def __init__(self, folder, where, browser):
        self.folder, self.where, self.browser = folder, where, browser

    def invite(self, study, quota=None):
        """A new participant's page, and their log."""
        store = Store.at(Address.of(self.folder / f"{study}.askwise"))
        record = store.record()
        person = invite(store, record, "Ann", quota)
        link = f"{self.where}/s/{study}/p/{token_of(store, record.study, person.participant)}"
        store.close()
        return link, person

    def told(self, study, person, kinds=("tell",)):
        session = askwise.study.open(self.folder / f"{study}.askwise", log=person.log)
        events = [event for event in session.log if event["event"] in kinds]
        askwise.study.close(session)
        return events

    @contextmanager
    def context(self, welcome=False, **options):
        """A fresh browser profile; in the end no page may have complained."""
        seen = [{"origin": self.where, "localStorage": [{"name": "askwise welcomed", "value": "yes"}]}]
        context = self.browser.new_context(storage_state=None if welcome else {"origins": seen}, **options)
        context.set_default_timeout(20_000)
        complaints = []
        context.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        yield context
        context.close()
        expected = re.compile(r"ERR_INTERNET_DISCONNECTED|ERR_CONNECTION_RESET|status of (409|500|503)")
        unexpected = [complaint for complaint in complaints if not expected.search(complaint)]
        assert not unexpected, unexpected

    @contextmanager
    def page(self, study, quota=None, **options):
        """(page, person) at the first question."""
        link, person = self.invite(study, quota)
        with self.context(**options) as context:
            page = context.new_page()
            page.goto(link)
            ready(page)
            yield page, person


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("NOT RUN: chromium is not installed; on Debian: apt install chromium")
    folder = tmp_path_factory.mktemp("studies")
    images = {f"{i}.png": png((40 * i, 120, 255 - 40 * i)) for i in range(len(WORDS))}
    for name, session in sessions().items():
        Store.create(Address.of(folder / f"{name}.askwise"), session.recipe, images)
    command = [
        sys.executable,
        "-c",
        "from askwise.cli import main; main()",
        "serve",
        str(folder),
        "--port",
        "0",
        "--workers",
        "1",
    ]
    single = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=single) as server,
        playwright.sync_playwright() as driver,
    ):
        try:
            where = re.search(r"http://[\d.:]+", server.stdout.readline()).group()
            browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            yield Site(folder, where, browser)
            browser.close()
        finally:
            server.terminate()


def ready(page):
    """Waits until a question was on screen for longer than a stray tap takes, or all is over."""
    page.wait_for_function("""() => {
        const asking = document.getElementById('asking'), rest = document.getElementById('rest');
        return asking.hidden ? rest.textContent !== 'One moment' : !asking.classList.contains('waiting');
    }""")
    page.wait_for_timeout(300)


def question(page):
    return page.locator("#text").get_attribute("aria-label")


def count(page):
    return int(page.locator("#count").inner_text().split()[0])


def press(page, key):
    """Answers, and waits for what comes next."""
    if page.locator("#number").count() and key not in "suw":
        page.keyboard.type(key)
        key = "Enter"
    page.keyboard.press(key)
    ready(page)


def fits(page):
    """No scrolling, and nothing to tap that is smaller than a finger."""
    inner = page.evaluate("[innerWidth, innerHeight]")
    assert page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]") == inner
    for button in page.locator("button:visible, input:visible").all():
        box = button.bounding_box()
        assert box["width"] >= 48, button.inner_text()
        assert box["height"] >= 48, button.inner_text()
        assert box["x"] >= 0, button.inner_text()
        assert box["y"] >= 0, button.inner_text()
        assert box["x"] + box["width"] <= inner[0], button.inner_text()
        assert box["y"] + box["height"] <= inner[1], button.inner_text()


def accessible(page):
    found = axe.Axe().run(page).response["violations"]
    assert not found, [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found]


def fake(page, **changes):
    """The server's next states, changed on the way; returns how to stop that."""

    def answer(route):
        reply = route.fetch()
        route.fulfill(response=reply, json={**reply.json(), **changes})

    address = re.compile(r"/api/v1/s/\w+/p/[^/]+$")
    page.route(address, answer)
    return lambda: page.unroute(address)


def asking(page, most=9):
    """Each question until the end: the budget is three, and a learner that is late lets some more pass."""
    for turn in range(most):
        if page.locator("#asking").is_hidden():
            break
        assert count(page) == turn
        yield question(page)
    assert page.locator("#rest").inner_text() == "Thank you"


@pytest.mark.parametrize("kind", KINDS)
def test_a_study_by_keyboard(site, kind):
    with site.page(kind) as (page, person):
        assert page.evaluate("document.activeElement.id") == ("number" if kind == "number" else "text")
        accessible(page)
        asked = []
        for text in asking(page):
            asked.append(text)
            press(page, KINDS[kind])
        assert len(set(asked)) == len(asked) >= 3
        page.locator(".certificate").wait_for()
        assert f"after {len(asked)} answers" in page.locator(".certificate").inner_text()
        with page.expect_download() as saved:
            page.locator("#receipt").click()
        lines = saved.value.path().read_text(encoding="utf-8").splitlines()
        assert [line.split("\t")[1] for line in lines[-len(asked) :]] == asked
        accessible(page)
    told = site.told(kind, person)
    assert len(told) == len(asked)
    assert all(0.2 < event["seconds"] < 30 for event in told)
    meant = {"same": "different", "label": "cold", "number": 3.5, "pair": "left"}
    assert kind == "triple" or {event["response"] for event in told} == {meant[kind]}


@pytest.mark.parametrize("kind", KINDS)
def test_a_study_by_touch_on_a_phone_at_night(site, kind):
    with site.page(kind, color_scheme="dark", reduced_motion="reduce", **PHONE) as (page, person):
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(19, 22, 25)"
        assert page.evaluate("getComputedStyle(document.getElementById('asking')).animationName") == "none"
        accessible(page)
        asked = 0
        for _ in asking(page):
            asked += 1
            fits(page)
            if kind == "number":
                page.locator("#number").fill("4,5")
                page.get_by_role("button", name="Change the sign").tap()
                page.locator(".send").tap()
            else:
                page.locator("#responses button").nth(1).tap()
            ready(page)
        accessible(page)
    told = [event["response"] for event in site.told(kind, person)]
    assert len(told) == asked >= 3
    assert kind != "number" or set(told) == {-4.5}


@pytest.mark.parametrize("kind", ["pair", "triple"])
def test_other_screens_need_no_scrolling_either(site, kind):
    with site.page(kind) as (page, _):
        for width, height in ((844, 390), (360, 640), (1280, 720)):
            page.set_viewport_size({"width": width, "height": height})
            fits(page)


def test_undo_and_change(site):
    with site.page("long") as (page, person):
        asked = []
        for _ in range(12):
            asked.append(question(page))
            press(page, "ArrowRight")
        for turn in range(11):
            press(page, "u")
            assert (count(page), question(page)) == (11 - turn, asked[11 - turn])
        press(page, "a")
        assert question(page) != asked[1]
        page.locator("#mine").click()
        rows = page.locator("#panel .rows li")
        assert rows.count() == 2
        assert "Can't tell" in rows.nth(0).inner_text()
        chosen = re.match(r".* or (.*)\?", asked[0]).group(1)
        assert rows.nth(1).inner_text().splitlines()[1] == chosen
        accessible(page)
        rows.nth(1).get_by_role("button").click()
        ready(page)
        assert question(page) == asked[0]
        press(page, "1")
        assert count(page) == 2
    events = site.told("long", person, ("tell", "skip", "undo"))
    assert [event["event"] for event in events] == ["tell"] * 12 + ["undo"] * 11 + ["skip", "undo", "tell"]
    assert events[23]["reason"] == "too alike"


def test_a_reload_keeps_the_question_and_its_time(site):
    with site.page("long") as (page, person):
        before = question(page)
        page.wait_for_timeout(700)
        page.reload()
        ready(page)
        assert question(page) == before
        press(page, "ArrowLeft")
    (told,) = site.told("long", person)
    assert told["seconds"] > 1.2


def test_time_in_a_hidden_tab_does_not_count(site):
    with site.page("long") as (page, person):
        page.evaluate("window.turn = (hidden) => {"
                      "  Object.defineProperty(document, 'hidden', { get: () => hidden, configurable: true });"
                      "  document.dispatchEvent(new Event('visibilitychange'));"
                      "}")  # fmt: skip
        page.evaluate("turn(true)")
        page.wait_for_timeout(2000)
        page.evaluate("turn(false)")
        press(page, "ArrowLeft")
    (told,) = site.told("long", person)
    assert 0.2 < told["seconds"] < 2


def test_two_tabs(site):
    link, person = site.invite("long")
    with site.context() as context:
        one, two = context.new_page(), context.new_page()
        for page in (one, two):
            page.goto(link)
            ready(page)
        assert question(one) == question(two)
        press(one, "ArrowLeft")
        press(two, "ArrowRight")
        assert "was answered before" in two.locator("#notice").inner_text()
        assert question(two) == question(one)
        press(two, "ArrowRight")
        one.evaluate("dispatchEvent(new Event('focus'))")
        one.wait_for_function("said => document.getElementById('text').ariaLabel === said", arg=question(two))
    assert [event["response"] for event in site.told("long", person)] == ["left", "right"]


@pytest.mark.parametrize("delay", [0, 120])
def test_a_double_click_counts_once(site, delay):
    with site.page("long") as (page, person):
        card = page.locator("#responses .card").first
        box = card.bounding_box()
        middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.click(*middle)
        page.wait_for_timeout(delay)
        page.mouse.click(*middle, click_count=2)
        ready(page)
        assert count(page) == 1
        page.keyboard.down("ArrowLeft")
        for _ in range(5):
            page.keyboard.down("ArrowLeft")  # held: the keyboard repeats it
            page.wait_for_timeout(100)
        page.keyboard.up("ArrowLeft")
        ready(page)
        assert count(page) == 2
    assert len(site.told("long", person)) == 2


def test_offline_and_back(site):
    with site.page("long") as (page, person):
        page.context.set_offline(True)
        page.keyboard.press("ArrowLeft")
        notice = page.locator("#notice")
        playwright.expect(notice).to_contain_text("saved on this device and will be sent")
        page.keyboard.press("ArrowRight")  # nothing to say twice
        accessible(page)
        assert site.told("long", person) == []
        page.context.set_offline(False)
        playwright.expect(notice).to_be_empty()
        ready(page)
        assert count(page) == 1
    assert [event["response"] for event in site.told("long", person)] == ["left"]


def test_an_answer_survives_a_server_that_fails_and_a_reload(site):
    with site.page("long") as (page, person):
        address = "**/answers"
        page.route(address, lambda route: route.fulfill(status=500, body="Internal Server Error"))
        page.keyboard.press("ArrowRight")
        playwright.expect(page.locator("#notice")).to_contain_text("not well at the moment")
        page.unroute(address)
        page.reload()
        ready(page)
        assert count(page) == 1
    assert [event["response"] for event in site.told("long", person)] == ["right"]


def test_a_reply_that_is_lost_doubles_nothing(site):
    with site.page("long") as (page, person):
        lost = []

        def lose(route):
            lost.append(route.fetch().status)
            route.abort("connectionreset")

        page.route("**/answers", lose, times=2)
        page.keyboard.press("ArrowRight")
        page.wait_for_function("() => document.getElementById('count').textContent.startsWith('1 ')")
        assert lost == [200, 200]
    assert len(site.told("long", person)) == 1


def test_a_pause_keeps_the_answer_for_later(site):
    with site.page("long") as (page, person):
        store = Store.at(Address.of(site.folder / "long.askwise"))
        study = store.record().study
        pause(store, study, person.participant, True)
        press(page, "ArrowLeft")
        assert page.locator("#rest").inner_text() == "The study is paused"
        pause(store, study, person.participant, False)
        store.close()
        page.evaluate("dispatchEvent(new Event('focus'))")
        page.locator("#asking").wait_for()
        assert count(page) == 1
    assert len(site.told("long", person)) == 1


def test_a_quota_ends_it(site):
    with site.page("long", quota=1) as (page, _):
        press(page, "1")
        assert page.locator("#rest").inner_text() == "Thank you"
        assert "quota" in page.locator("#result").inner_text()
        press(page, "u")
        assert page.locator("#asking").is_visible()


def test_names_never_run(site):
    link, _ = site.invite("names")
    with site.context() as context:
        page = context.new_page()
        asked_for = []
        page.on("request", lambda request: asked_for.append(request.url))
        page.goto(link)
        ready(page)
        for command in "wm":
            page.keyboard.press(command)
            page.locator("#panel .rows, #panel p").first.wait_for()
            page.get_by_role("button", name="Close").click()
        seen = set()
        while len(seen) < 4:
            seen |= set(page.locator("figure").all_inner_texts())
            press(page, "ArrowRight")
        page.keyboard.press("m")
        page.locator("#panel .rows li").first.wait_for()
        assert {"H2O", "a < b", *EVIL[:2]} == {text.replace("\n", "") for text in seen}
        assert page.title() == "names"
        assert not [url for url in asked_for if url.endswith("/x")]
        tags = page.evaluate("""async () => {
            const { rich } = await import('/static/markup.js');
            const kinds = (text) => rich(text).map((node) => node.nodeName).join(' ');
            const more = ['<b onclick="z()">x</b>', '<script>z()</script><b>x</b>', '<i><svg/></i>', '<b>x</b> < y'];
            return ['<b>x</b> y', ...more].map(kinds);
        }""")
        assert tags == ["B #text", "#text", "#text", "#text", "#text"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_panels(site, scheme):
    with site.page("long", color_scheme=scheme) as (page, _):
        page.keyboard.press("w")
        page.locator("#panel .rows li").first.wait_for()
        assert page.locator("#panel .rows li").count() == 2
        assert "undecided" in page.locator("#panel .rows").inner_text()
        accessible(page)
        page.keyboard.press("ArrowLeft")  # no answer while something covers the question
        page.keyboard.press("Escape")
        page.keyboard.press("?")
        accessible(page)
        page.keyboard.press("Escape")
        assert count(page) == 0


def test_the_first_visit_explains_and_lets_try(site):
    link, person = site.invite("long")
    with site.context(welcome=True) as context:
        page = context.new_page()
        page.goto(link)
        page.get_by_role("heading", name="How this works").wait_for()
        page.keyboard.press("ArrowRight")
        playwright.expect(page.get_by_text("You said Winter")).to_be_visible()
        accessible(page)
        page.get_by_label("Single letters and digits answer").uncheck()
        page.get_by_role("button", name="Start").click()
        ready(page)
        before = question(page)
        for key in "1us":
            page.keyboard.press(key)
        page.wait_for_timeout(300)
        assert question(page) == before
        press(page, "ArrowLeft")
        assert count(page) == 1
        page.reload()
        ready(page)
        assert page.locator("#panel").is_hidden()
    assert len(site.told("long", person)) == 1


def test_a_label_of_one_letter_is_its_own_key(site):
    with site.page("label") as (page, _):
        digits = list(range(10))
        found = page.evaluate("""async (digits) => {
            const { keysOf } = await import('/static/questions.js');
            const labels = [digits, ['a', 'b'], ['s', 't'], ['cold', 'hot']];
            return labels.map((responses) => keysOf({ kind: 'label', responses }));
        }""", digits)  # fmt: skip
        assert found == [[[str(d)] for d in digits], [["a"], ["b"]], [["1"], ["2"]], [["1"], ["2"]]]


def test_a_learner_that_is_late_is_said(site):
    with site.page("long") as (page, _):
        stop = fake(page, question=None)
        page.reload()
        page.get_by_text("The next question is being worked out.").wait_for()
        stop()
        ready(page)
        coming = {"likely": 12, "low": 8, "high": 20, "text": "about 12 more questions (8 to 20)"}
        fake(page, behind=True, forecast=coming)
        page.reload()
        ready(page)
        assert "Nothing is lost" in page.locator("#notice").inner_text()
        assert page.locator("#coming").inner_text() == "about 12 more questions (8 to 20), 1 minute"
        accessible(page)


def test_pictures_that_may_be_next_are_there_before(site):
    with site.page("same") as (page, _):
        loaded = "() => performance.getEntriesByType('resource').map((entry) => entry.name)"
        shown = "all => all.map((image) => image.src)"
        api = page.url.replace("/s/", "/api/v1/s/")
        while not (coming := page.request.get(api).json()["preload"]):
            page.wait_for_timeout(100)
        for name in coming:
            page.wait_for_function(f"name => ({loaded})().includes(name)", arg=f"{api}/image/{name}")
        before = set(page.evaluate(loaded))
        press(page, "1")
        assert set(page.locator("figure img").evaluate_all(shown)) <= before


def test_the_next_question_comes_at_once(site, capsys):
    with site.page("long") as (page, _):
        for _ in range(6):
            page.wait_for_timeout(400)  # a person reads; the learner looks ahead
            press(page, "ArrowLeft")
        took = page.evaluate("performance.getEntriesByName('next question').map((entry) => entry.duration)")
    assert len(took) == 6
    with capsys.disabled():
        print(f" answer to next question: {statistics.median(took):.0f} ms in the middle, {max(took):.0f} at most")
    assert statistics.median(took) < 300
