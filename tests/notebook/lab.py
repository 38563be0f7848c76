"""A JupyterLab to open notebooks in."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page

ATTEMPTS, ATTEMPT_MS = 300, 200  # to find the kernel ready
OPTIONS = (
    "--no-browser",
    "--allow-root",
    "--port=0",
    "--IdentityProvider.token=",
    "--LabApp.news_url=",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
)


@contextmanager
def serving_lab(folder: Path) -> Iterator[str]:
    """The address of a JupyterLab with the notebooks of a folder."""
    command = [sys.executable, "-m", "jupyterlab", *OPTIONS, f"--ServerApp.root_dir={folder}"]
    own = {
        name: str(folder / name.lower()) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    }
    environment = {**os.environ, **own, "OPENBLAS_NUM_THREADS": "1"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as server:
        try:
            yield next(
                found[0] for line in server.stderr if (found := re.search(r"http://(127|localhost)[\d.:]+", line))
            )
        finally:
            server.terminate()


def write_notebook(path: Path, cells: Sequence[str]) -> None:
    """Writes a notebook with these cells, not run yet."""
    written = [
        {
            "cell_type": "code",
            "id": f"cell{n}",
            "source": source,
            "metadata": {},
            "outputs": [],
            "execution_count": None,
        }
        for n, source in enumerate(cells)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    path.write_text(json.dumps({"cells": written, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}))


def wait_for_kernel(page: Page, where: str) -> None:
    """Waits until the notebook on the page has its kernel: before, JupyterLab would not run cells."""
    for _ in range(ATTEMPTS):
        kernels = page.request.get(f"{where}/api/kernels").json()
        if kernels and all(each["connections"] and each["execution_state"] == "idle" for each in kernels):
            return
        page.wait_for_timeout(ATTEMPT_MS)
    raise AssertionError("the kernel did not start")


def run_cell(page: Page, number: int) -> None:
    """Runs a cell of the notebook on the page, counted from 0."""
    page.locator(".jp-CodeCell .cm-content").nth(number).click()
    page.keyboard.press("Shift+Enter")
