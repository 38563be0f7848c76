"""The site that the tests of the answering page share: one server until all tests are done, and one browser until the
next test is of something else (while it runs, no other event loop can)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

HERE = Path(__file__).parent
open_browsers = ExitStack()
running = []  # the browser, if one is


def running_browser():
    """The browser, which the first test that needs it starts."""
    from tests.browser.site import playwright  # skips where there is no browser

    if not running:
        if (chromium := shutil.which("chromium")) is None:
            pytest.skip("NOT RUN: chromium is not installed; on Debian: apt install chromium")
        driver = open_browsers.enter_context(playwright.sync_playwright())
        running.append(driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"]))
        open_browsers.callback(close_browser)
    return running[0]


def close_browser():
    running.pop().close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    try:
        return (yield)
    finally:
        if nextitem is None or HERE not in nextitem.path.parents:
            open_browsers.close()


@pytest.fixture
def browser():
    return running_browser()


@pytest.fixture(scope="session")
def served_folder(tmp_path_factory):
    """(folder, address) of a server of the studies in a folder."""
    from tests.browser.site import SERVER, TOKEN

    folder = tmp_path_factory.mktemp("studies")
    command = [
        sys.executable,
        "-c",
        SERVER,
        "serve",
        str(folder),
        "--port",
        "0",
        "--workers",
        "1",
        "--token",
        TOKEN,
    ]
    single = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=single) as server:
        try:
            yield folder, next(found[0] for line in server.stdout if (found := re.search(r"http://[\d.:]+", line)))
        finally:
            server.terminate()


@pytest.fixture(scope="module")
def site(request):
    from tests.browser.site import Site  # skips where there is no browser

    browser = running_browser()
    return Site(*request.getfixturevalue("served_folder"), browser)
