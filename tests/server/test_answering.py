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
from askwise.study.participants import invite, pause, set_state, token_of
from askwise.study.store import Store

playwright = pytest.importorskip("playwright.sync_api", reason="NOT RUN: playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="NOT RUN: axe is not installed")
EVIL = ["<img src=x onerror=\"document.title='evil'\">", "<script>document.title='evil'</script>", "H<sub>2</sub>O", "a < b"]
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
TABLE = [{"name": f"item {i}", "x": (7 * i) % 11, "y": (5 * i) % 13} for i in range(12)]
WORDS = ["a bell", "a key", "rain", "a long walk with a friend", "salt", "wool"]
TAKES = "{ get: () => %s, configurable: true }"
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
        "evil": askwise.clusters(EVIL, budget=40, epsilon=0.0001, **small),
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
        context = self.browser.new_context(**options)
        context.set_default_timeout(20_000)
        if not welcome:
            context.add_init_script("localStorage.setItem('askwise welcomed', 'yes')")
        complaints = []
        context.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        yield context
        context.close()
        expected = re.compile(r"ERR_INTERNET_DISCONNECTED|status of (409|500|503)")
        assert [complaint for complaint in complaints if not expected.search(complaint)] == []

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
    command = [sys.executable, "-c", "from askwise.cli import main; main()", "serve", str(folder), "--port", "0", "--workers", "1"]
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
    """Waits until a question can be answered, or all is over."""
    page.wait_for_function("""() => {
        const asking = document.getElementById('asking'), rest = document.getElementById('rest');
        if (asking.hidden) return !['One moment'].includes(rest.textContent);
        return !asking.classList.contains('waiting');
    }""")
    page.wait_for_timeout(300)


def question(page):
    return page.locator("#text").get_attribute("aria-label")


if __name__ == "__main__":
    pass
