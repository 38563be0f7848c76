"""A server, a browser and studies of every kind, for the tests of the answering page."""

from __future__ import annotations

import re
import struct
import zlib
from contextlib import contextmanager

import pytest

import askwise
from askwise.storage.address import Address
from askwise.storage.participants import change_study_settings, invite, token_of
from askwise.storage.store import Store

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
DESCRIBED = {
    "name": [f"item {i}" for i in range(12)],
    "price ($)": [(7 * i) % 11 + 0.5 for i in range(12)],
    "weight [kg]": [12_500] * 12,
    "note": ["<b>plain</b> <script>document.title='evil'</script>"] * 12,
}
MACHINES = [
    {"name": f"no. {i}" if i % 2 else f"the machine number {i}"}
    | {f"property {j}": (i * (j + 2)) % 11 for j in range(8)}
    for i in range(0, 24, 3)
]
WORDS = ["a bell", "a key", "rain", "a long walk with a friend", "salt", "wool"]
TOLD = "Go by <b>sound</b> only.\n<script>document.title='evil'</script>"
TOKEN = "secret-of-the-owner"
GRADES = ("slightly", "clearly", "much")
# nobody is simulated in the background for a forecast, which takes more time than all the rest and no page here shows
SERVER = """
from askwise.cli import main
from askwise.web.studies import ServedStudies

ServedStudies.simulated_runs = lambda *_: []
main()
"""
KINDS = {
    "pair": "ArrowLeft", "graded": "1", "same": "ArrowRight", "triple": "2", "label": "1", "number": "3.5", "set": "3",
}  # fmt: skip


def png(color):
    """A picture of one colour, 8 x 8."""

    def part(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = b"".join(b"\0" + bytes(color) * 8 for _ in range(8))
    head = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")


def studies():
    """Functions that make one study of each kind, ending after a few answers; and one with names that would like to
    run."""
    pictured = [{"name": word, "image": f"{i}.png", "x": i} for i, word in enumerate(WORDS)]
    small = {"draws": 16, "seed": 1}
    return {
        "pair": lambda: askwise.best_item(TABLE, draws=40, seed=2, epsilon=0.001, budget=3),
        "graded": lambda: askwise.best_item(TABLE, grades=GRADES, ties=True, draws=40, seed=2, epsilon=0.001, budget=3),
        "pictured": lambda: askwise.best_item(pictured, image="image", grades=GRADES, epsilon=0.001, budget=3, seed=1),
        "same": lambda: askwise.clusters(pictured, image="image", budget=3, epsilon=0.001, **small),
        "triple": lambda: askwise.hierarchy(pictured, image="image", budget=3, epsilon=0.001, **small),
        "label": lambda: askwise.classifier(TABLE, labels=("cold", "hot"), budget=3, epsilon=0.001, seed=1),
        "number": lambda: askwise.best_column((3, 3), budget=3, epsilon=0.001, **small),
        "set": lambda: askwise.best_item(TABLE, shown=4, draws=40, seed=2, epsilon=0.001, budget=3),
        "best-worst": lambda: askwise.best_item(TABLE, shown=4, worst=True, draws=40, seed=2, epsilon=0.001, budget=3),
        "six": lambda: askwise.ranking(
            pictured, image="image", show=[], shown=6, worst=True, epsilon=0.001, repeat=True, **small
        ),
        "long": lambda: askwise.ranking(TABLE, epsilon=0.0001, budget=40, **small),
        "names": lambda: askwise.clusters(EVIL, budget=40, epsilon=0.0001, **small),
        "fields": lambda: askwise.best_item(
            DESCRIBED, show=list(DESCRIBED)[1:], budget=3, epsilon=0.001, draws=40, seed=2
        ),
        "eight": lambda: askwise.best_item(MACHINES, shown=4, budget=3, epsilon=0.001, draws=40, seed=2),
        "eight-graded": lambda: askwise.best_item(MACHINES, grades=GRADES, ties=True, budget=3, draws=40, seed=2),
        "hidden": lambda: askwise.best_item(DESCRIBED, show=[], budget=3, epsilon=0.001, draws=40, seed=2),
        "told": lambda: askwise.clusters(WORDS, budget=3, epsilon=0.001, **small),
    }


STUDIES = studies()


class Site:
    """A server, a browser, and studies to answer."""

    def __init__(self, folder, where, browser):
        self.folder, self.where, self.browser = folder, where, browser

    def path(self, study):
        """The file of a study, which the first test that needs it makes."""
        path = self.folder / f"{study}.askwise"
        if study in STUDIES and not path.exists():
            told = {"instructions": TOLD} if study == "told" else {}
            images = {f"{i}.png": png((40 * i, 120, 255 - 40 * i)) for i in range(len(WORDS))}
            Store.create(Address.of(path), {**STUDIES[study]().recipe, **told}, images)
            store = Store.at(Address.of(path))
            change_study_settings(store, store.record().study, why=True)
            store.close()
        return path

    def invite(self, study, quota=None):
        """A new participant's page, and their log."""
        store = Store.at(Address.of(self.path(study)))
        record = store.record()
        person = invite(store, record, "Ann", quota)
        link = f"{self.where}/s/{study}/p/{token_of(store, record.study, person.participant)}"
        store.close()
        return link, person

    def told(self, study, person, kinds=("tell",)):
        session = askwise.storage.open(self.folder / f"{study}.askwise", log=person.log)
        events = [event for event in session.log if event["event"] in kinds]
        askwise.storage.close(session)
        return events

    @contextmanager
    def context(self, welcome=False, **options):
        """A fresh browser profile; in the end no page may have complained."""
        seen = [{"origin": self.where, "localStorage": [{"name": "askwise welcomed", "value": "yes"}]}]
        context = self.browser.new_context(storage_state=None if welcome else {"origins": seen}, **options)
        context.set_default_timeout(60_000)  # a busy machine takes its time
        complaints = []
        context.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        yield context
        context.close()
        expected = re.compile(r"ERR_INTERNET_DISCONNECTED|ERR_CONNECTION_RESET|status of (409|422|500|503)")
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


def ready(page):
    """Waits until a question was on screen for longer than a stray tap takes, or all is over."""
    page.wait_for_function("""() => {
        const asking = document.getElementById('question'), rest = document.getElementById('message-title');
        return asking.hidden ? rest.textContent !== 'One moment' : !asking.classList.contains('waiting');
    }""")
    page.wait_for_timeout(300)


def resize(page, width, height):
    """Another size of the window, and waits until the page knows: it hears of it when it is painted the next time."""
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate("() => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))")


def question(page):
    return page.locator("#question-text").get_attribute("aria-label")


def count(page):
    return int(page.locator("#answer-count").inner_text().split()[0])


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
    page.wait_for_timeout(400)  # half faded in, a panel has no contrast yet
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
        if page.locator("#question").is_hidden():
            break
        assert count(page) == turn
        yield question(page)
    assert page.locator("#message-title").inner_text() == "Thank you"
