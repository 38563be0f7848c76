"""The site that the tests of the answering page share."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import pytest


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    from tests.browser.site import SERVER, TOKEN, Site, playwright  # skips where there is no browser

    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("NOT RUN: chromium is not installed; on Debian: apt install chromium")
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
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=single) as server,
        playwright.sync_playwright() as driver,
    ):
        try:
            where = next(found[0] for line in server.stdout if (found := re.search(r"http://[\d.:]+", line)))
            browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            yield Site(folder, where, browser)
            browser.close()
        finally:
            server.terminate()
