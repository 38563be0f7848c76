"""Takes the pictures of the web app for the documentation: python docs/screens.py (a minute; needs chromium)."""

from __future__ import annotations

import io
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2 as httpx
import numpy as np
from PIL import Image
from playwright.sync_api import Page, sync_playwright
from sklearn.datasets import load_digits

import askwise
from askwise.simulate.demo import cars
from askwise.study.address import Address
from askwise.study.participants import invite, set_mode, token_of
from askwise.study.store import Store

IMAGES = Path(__file__).parent / "images"
TOKEN = "for-the-pictures-only"
PHONE = {"viewport": {"width": 390, "height": 760}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}


def digits(folder: Path) -> list[str]:
    """A shared study of forty handwritten digits: three people sort them, one of whom is careless. Their links."""
    found = load_digits()
    pictures, rows = {}, []
    for number in np.flatnonzero(found.target < 4)[:40].tolist():
        shown = Image.fromarray((255 - 15.9 * found.images[number]).clip(0, 255).astype(np.uint8)).resize((256, 256), 0)
        content = io.BytesIO()
        shown.save(content, "PNG")
        pictures[f"{number}.png"] = content.getvalue()
        pixels = {f"p{place}": float(value) for place, value in enumerate(found.data[number])}
        rows.append({"name": f"image {number}", "image": f"{number}.png", **pixels})
    session = askwise.clusters(rows, image="image", seed=1, epsilon=0.02)
    Store.create(Address.of(folder / "digits.askwise"), session.recipe or {}, pictures)
    return links(folder, "digits", "pooled", ("Ann", "Bob", "Cem"))


@contextmanager
def ending(process: subprocess.Popen[str]) -> Iterator[None]:
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def links(folder: Path, study: str, mode: str, names: tuple[str, ...]) -> list[str]:
    store = Store.at(Address.of(folder / f"{study}.askwise"))
    set_mode(store, store.record().study, mode)
    record = store.record()
    people = [invite(store, record, name) for name in names]
    return [f"/s/{study}/p/{token_of(store, record.study, one.participant)}" for one in people]


def answer(api: httpx.Client, link: str, count: int, said) -> None:
    """So many answers of the person with that link."""
    here = f"/api/v1{link}"
    state = api.get(here).json()
    for _ in range(count):
        while state["question"] is None and not state["done"]:
            time.sleep(0.2)
            state = api.get(here).json()
        if state["question"] is None:
            return
        question = state["question"]
        told = {"question": question["id"], "response": said(question), "key": secrets.token_hex(8), "seconds": 3}
        state = api.post(f"{here}/answers", json=told).raise_for_status().json()


def main() -> None:
    rng = np.random.default_rng(0)
    truth = load_digits().target
    price = {car["name"]: car["price"] for car in cars()}
    with tempfile.TemporaryDirectory() as where:
        folder = Path(where)
        some = ["price", "horsepower", "mpg_city", "passengers"]
        askwise.save(askwise.best_item(cars(), features=some, seed=7), folder / "cars.askwise")
        buyers = links(folder, "cars", "own", ("Ann", "Bob"))
        sorters = digits(folder)
        command = [
            sys.executable,
            "-c",
            "from askwise.cli import main; main()",
            "serve",
            where,
            "--port",
            "0",
            "--token",
            TOKEN,
        ]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        with ending(server), sync_playwright() as driver:
            base = re.search(r"http://[\d.:]+", server.stdout.readline()).group()  # type: ignore[union-attr]
            api = httpx.Client(base_url=base, timeout=60)

            def bought(question) -> str:
                left, right = (price[option["name"]] for option in question["options"])
                return "left" if left < right else "right"

            def sorted_by(wrong: float):
                def said(question) -> str:
                    first, second = (truth[int(option["name"].split()[1])] for option in question["options"])
                    return "same" if (first == second) != (rng.random() < wrong) else "different"

                return said

            answer(api, buyers[0], 14, bought)
            answer(api, buyers[1], 6, bought)
            for _ in range(15):
                for link, wrong in zip(sorters, (0.0, 0.02, 0.4), strict=True):
                    answer(api, link, 2, sorted_by(wrong))
            while api.get(f"/api/v1{buyers[1]}").json()["forecast"] is None:
                time.sleep(1)
            browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            seen = [{"origin": base, "localStorage": [{"name": "askwise welcomed", "value": "yes"}]}]

            def page(link: str, **settings) -> Page:
                made = browser.new_context(storage_state={"origins": seen}, **settings).new_page()
                made.goto(f"{base}/login?token={TOKEN}")
                made.goto(base + link)
                ready = "#asking" if "/p/" in link else "#charts .figure, #studies li"
                made.wait_for_selector(ready, timeout=90_000)
                made.wait_for_timeout(3000)
                return made

            page(buyers[1], viewport={"width": 900, "height": 560}).screenshot(path=IMAGES / "web-answer.png")
            page(sorters[0], color_scheme="dark", **PHONE).screenshot(path=IMAGES / "web-phone.png")
            desk = {"width": 1200, "height": 900}
            page("/s/cars", viewport=desk).screenshot(path=IMAGES / "web-dashboard.png", full_page=True)
            page("/s/digits", viewport=desk, color_scheme="dark").screenshot(
                path=IMAGES / "web-dashboard-dark.png", full_page=True
            )
            page("/", viewport=desk).screenshot(path=IMAGES / "web-home.png", full_page=True)
            browser.close()


if __name__ == "__main__":
    main()
