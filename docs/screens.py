"""Takes the pictures of the web app, of reports and of a notebook for the documentation: python docs/screens.py [web]
[texts] [crowd] [reports] [records] [notebook] (three minutes; needs chromium)."""

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
from typing import Any

import httpx2 as httpx
import numpy as np
from PIL import Image
from playwright.sync_api import Page, sync_playwright
from sklearn.datasets import load_digits

import askwise
from askwise.data.encoding import encode
from askwise.data.examples import example_text
from askwise.report.page import page
from askwise.simulate.demo import CarBuyer
from askwise.simulate.people import LabellingPerson
from askwise.simulate.runs import person_streams, simulate_answers
from askwise.storage.address import Address
from askwise.storage.joining import change_crowd
from askwise.storage.participants import invite, set_mode, token_of
from askwise.storage.store import Store

IMAGES = Path(__file__).parent / "images"
TOKEN = "for-the-pictures-only"
SAME_PERSON = (3, 2, 3, 1, 4, 1, 3, 2, 1, 2, 1, 1)  # how many records each person of the example has, in their order
PHONE = {"viewport": {"width": 390, "height": 760}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}


def save(shown: Page, name: str, **options: Any) -> None:
    """A picture of a page in 256 colours, a third of the size."""
    taken = Image.open(io.BytesIO(shown.screenshot(**options))).convert("RGB")
    taken.quantize(256, dither=Image.Dither.NONE).save(IMAGES / f"{name}.png", optimize=True)


def digit_rows(numbers: list[int]) -> tuple[list[dict[str, Any]], dict[str, bytes]]:
    """Rows about handwritten digits, and their pictures."""
    found = load_digits()
    pictures, rows = {}, []
    for number in numbers:
        shown = Image.fromarray((255 - 15.9 * found.images[number]).clip(0, 255).astype(np.uint8)).resize((256, 256), 0)
        content = io.BytesIO()
        shown.save(content, "PNG")
        pictures[f"{number}.png"] = content.getvalue()
        pixels = {f"p{place}": float(value) for place, value in enumerate(found.data[number])}
        rows.append({"name": f"image {number}", "image": f"{number}.png", **pixels})
    return rows, pictures


def digits(folder: Path) -> list[str]:
    """A shared study of forty handwritten digits: three people sort them, one of whom is careless. Their links."""
    rows, pictures = digit_rows(np.flatnonzero(load_digits().target < 4)[:40].tolist())
    session = askwise.clusters(rows, image="image", show=[], seed=1, epsilon=0.02)
    Store.create(Address.of(folder / "digits.askwise"), session.recipe or {}, pictures)
    return links(folder, "digits", "pooled", ("Ann", "Bob", "Cem"))


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a server of the studies in a folder."""
    start = [sys.executable, "-c", "from askwise.cli import main; main()", "serve", str(folder)]
    server = subprocess.Popen([*start, "--port", "0", "--token", TOKEN], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield next(found[0] for line in server.stdout if (found := re.search(r"http://[\d.:]+", line)))
    finally:
        server.terminate()
        server.wait()


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


def holiday() -> askwise.Session:
    """Four of five people chose a holiday together, one of whom likes the opposite of what the others like."""
    places = {
        "name": ["Lisbon", "Oslo", "Rome", "Crete", "Paris", "Iceland", "Prague", "Malta"],
        "price": [620, 1100, 700, 540, 900, 1300, 450, 500],
        "hours": [3, 2, 2, 4, 1, 4, 1, 3],
        "sea": ["yes", "yes", "no", "yes", "no", "yes", "no", "yes"],
    }
    south = ["Crete", "Malta", "Lisbon", "Rome", "Prague", "Paris", "Oslo", "Iceland"]
    likes = {"Ann": south, "Ben": [south[2], *south[:2], *south[3:]], "Cleo": south[::-1], "Dev": south}
    session = askwise.group_item(places, [*likes, "Eva"], seed=1)
    while not session.done and len(session.answers) < 60:
        who = list(likes)[len(session.answers) % len(likes)]
        question = session.ask(who=who)
        session.tell(min((option.name for option in question.options), key=likes[who].index), question)
    return session


def reports(folder: Path) -> dict[str, str]:
    """The pages of four reports: a holiday for a group, a car for a simulated buyer, one cluster of digits, a tree of
    animals."""
    buyer = CarBuyer(seed=20)
    car = buyer.session("expected-capped", budget=300)
    list(buyer.answer(car))
    truth = load_digits().target
    numbers = np.concatenate([np.flatnonzero(truth == label)[:5] for label in range(6)]).tolist()
    rows, pictures = digit_rows(numbers)
    recipe = askwise.cluster_of(rows, f"image {numbers[10]}", image="image", show=[], seed=1).recipe
    Store.create(Address.of(folder / "digits like this.askwise"), recipe or {}, pictures)
    cluster = askwise.open(folder / "digits like this.askwise")
    while not cluster.done:
        one, two = (truth[int(option.name.split()[1])] for option in cluster.ask().options)
        cluster.tell("same" if one == two else "different")
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from examples.animals import animals, hidden_tree

    table = animals()
    tree = askwise.hierarchy(table, missing="impute", noise=0.05, budget=40, seed=1)
    person = LabellingPerson(tree.problem.family, hidden_tree(encode(table, missing="impute").features), noise=0.05)
    list(simulate_answers(tree, person, person_streams(1, 40), until_settled=True))
    return {
        "group": page(holiday(), title="holiday"),
        "cars": page(car, title="cars"),
        "digits": page(cluster),
        "animals": page(tree, title="animals"),
    }


def take_reports() -> None:
    """The beginnings of four reports: wide and light, and on a phone in the dark."""
    screens = {
        "group": (900, 1830, "light"),
        "cars": (900, 1425, "light"),
        "digits": (900, 640, "light"),
        "animals": (390, 1010, "dark"),
    }
    with tempfile.TemporaryDirectory() as where, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, text in reports(Path(where)).items():
            width, height, scheme = screens[name]
            shown = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            shown.set_content(text)
            save(shown, f"report-{name}")
        browser.close()


def take_records() -> None:
    """The groups that a report shows, of the records that ship with askwise."""
    rows = askwise.example("records")
    group = dict(zip((row["id"] for row in rows), np.repeat(range(len(SAME_PERSON)), SAME_PERSON), strict=True))
    texts = {"embed": ["person", "street", "phone"], "embed_model": "ngrams", "features": [], "missing": "impute"}
    session = askwise.clusters(rows, name="id", show=["person", "street", "phone"], noise=0.01, seed=1, **texts)
    while not session.done:
        one, two = (group[name] for name in session.ask().names)
        session.tell("same" if one == two else "different")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        shown = browser.new_page(viewport={"width": 900, "height": 760})
        shown.set_content(page(session, title="records"))
        save(shown, "report-records")
        browser.close()


def take_web() -> None:
    """The pages of the web app."""
    rng = np.random.default_rng(0)
    truth = load_digits().target
    price = {car["name"]: car["price"] for car in askwise.example("cars")}
    with tempfile.TemporaryDirectory() as where:
        folder = Path(where)
        some = ["price", "horsepower", "mpg_city", "passengers"]
        askwise.save(askwise.best_item(askwise.example("cars"), features=some, seed=7), folder / "cars.askwise")
        buyers = links(folder, "cars", "own", ("Ann", "Bob"))
        sorters = digits(folder)
        with serving(folder) as base, sync_playwright() as driver:
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
            for _ in range(8):
                for link, wrong in zip(sorters, (0.0, 0.02, 0.4), strict=True):
                    answer(api, link, 2, sorted_by(wrong))
            while api.get(f"/api/v1{buyers[1]}").json()["forecast"] is None:
                time.sleep(1)
            browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            seen = [{"origin": base, "localStorage": [{"name": "askwise welcomed", "value": "yes"}]}]

            def visit(link: str, **settings) -> Page:
                made = browser.new_context(storage_state={"origins": seen}, **settings).new_page()
                made.goto(f"{base}/login?token={TOKEN}")
                made.goto(base + link)
                ready = "#question" if "/p/" in link else "#charts .figure, #studies li"
                made.wait_for_selector(ready, timeout=90_000)
                made.wait_for_timeout(
                    12_000 if link.startswith("/s/") and "/p/" not in link else 3000
                )  # replays the log
                return made

            save(visit(buyers[1], viewport={"width": 900, "height": 560}), "web-answer")
            save(visit(sorters[0], color_scheme="dark", **PHONE), "web-phone")
            desk = {"width": 1200, "height": 900}
            save(visit("/s/cars", viewport=desk), "web-dashboard", full_page=True)
            save(visit("/s/digits", viewport=desk, color_scheme="dark"), "web-dashboard-dark", full_page=True)
            save(visit("/", viewport=desk), "web-home", full_page=True)
            browser.close()


REPLIES = {
    "apology": """Dear Mr Berg,

I am **sorry** that your kettle arrived broken. A new one leaves our warehouse today:

| item | price |
|---|--:|
| kettle, steel | 0.00 € |
| express parcel | 0.00 € |

You need not send the old one back.

Kind regards,
Ida""",
    "form": """Hello,

please fill in the form and send the kettle back within 14 days:

1. print the label,
2. attach a photograph of the damage,
3. bring the parcel to a shop.

> Parcels without a label are not accepted.

The refund takes five days.""",
}


def take_texts() -> None:
    """Two long texts side by side, with the owner's own words."""
    rows = [{"name": name, "reply": text, "words": len(text.split())} for name, text in REPLIES.items()]
    wording = {"question": "Which reply would you send?", "answers": {"left": "Reply A", "right": "Reply B"}}
    with tempfile.TemporaryDirectory() as where:
        folder = Path(where)
        askwise.save(askwise.best_item(rows, body="reply", show=[], seed=6, **wording), folder / "replies.askwise")
        (link,) = links(folder, "replies", "own", ("Ann",))
        with serving(folder) as base, sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            seen = [{"origin": base, "localStorage": [{"name": "askwise welcomed", "value": "yes"}]}]
            settings = {"viewport": {"width": 1000, "height": 800}, "storage_state": {"origins": seen}}
            shown = browser.new_context(**settings).new_page()
            shown.goto(base + link)
            shown.wait_for_selector("#question:not([hidden])", timeout=90_000)
            shown.wait_for_timeout(1000)
            save(shown, "web-texts")
            browser.close()


def take_notebook() -> None:
    """The widget in JupyterLab, after a few answers."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "notebook"))
    from lab import run_cell, serving_lab, wait_for_kernel, write_notebook

    cells = ['import askwise\nsession = askwise.best_item("cars.csv", seed=1)', "session.widget()"]
    with tempfile.TemporaryDirectory() as where, sync_playwright() as driver:
        folder = Path(where)
        (folder / "cars.csv").write_text(example_text("cars"), encoding="utf-8")
        write_notebook(folder / "cars.ipynb", cells)
        with serving_lab(folder) as base:
            browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            shown = browser.new_page(viewport={"width": 960, "height": 1010})
            shown.set_default_timeout(90_000)
            shown.goto(f"{base}/doc/tree/cars.ipynb")
            wait_for_kernel(shown, base)
            run_cell(shown, 0)
            run_cell(shown, 1)
            for count in range(6):
                shown.locator("#answer-count", has_text=f"{count} answered").wait_for()
                shown.wait_for_timeout(500)
                names = shown.locator("#responses .card .name").all_inner_texts()
                prices = [
                    next(car["price"] for car in askwise.example("cars") if car["name"] == name.strip())
                    for name in names
                ]
                shown.locator("#responses .card").nth(prices.index(min(prices))).click()
            shown.locator("#answer-count", has_text="6 answered").wait_for()
            shown.mouse.move(0, 0)
            shown.locator(".jp-toast-button", has_text="No").click()
            shown.locator(".jp-CodeCell").first.scroll_into_view_if_needed()
            shown.wait_for_timeout(1500)
            box = shown.locator(".jp-WindowedPanel-outer").bounding_box()
            assert box is not None
            save(shown, "notebook-widget", clip=box)
            browser.close()


CROWD = {
    "open": True,
    "answers": 3,
    "code": "C1A2B3",
    "return_done": "https://panel.example/complete?cc={code}",
    "thanks": "Danke für Ihre Hilfe!",
    "consent": "Wir untersuchen, wie Menschen Autos wählen. Sie vergleichen immer zwei Autos; das dauert etwa fünf "
    "Minuten.\n"
    "Die Teilnahme ist freiwillig. Sie können jederzeit ohne Angabe von Gründen aufhören.",
    "retention": "Ihre Antworten werden ohne Ihren Namen gespeichert und nach drei Jahren gelöscht. Schreiben Sie an "
    "lab@example.org, um sie früher löschen zu lassen.",
}


def take_crowd() -> None:
    """The way of a participant of a panel, on a phone and in German: four pages side by side."""
    taken: list[Image.Image] = []

    def take(shown: Page) -> None:
        shown.wait_for_timeout(700)
        taken.append(Image.open(io.BytesIO(shown.screenshot())).convert("RGB").resize((390, 760)))

    with tempfile.TemporaryDirectory() as where:
        path = Path(where) / "cars.askwise"
        askwise.save(
            askwise.best_item(askwise.example("cars"), features=["price", "horsepower", "mpg_city"], seed=3), path
        )
        store = Store.at(Address.of(path))
        change_crowd(store, store.record().study, CROWD)
        store.close()
        with serving(Path(where)) as base, sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            shown = browser.new_context(**PHONE).new_page()
            shown.goto(f"{base}/s/cars/join?PROLIFIC_PID=1&lang=de")
            take(shown)
            shown.locator("button.main").click()
            shown.wait_for_selector("#panel[open]")
            take(shown)
            shown.locator("#close").click()
            for count in range(3):
                shown.locator("#answer-count", has_text=f"{count} von 3").wait_for(timeout=90_000)
                shown.wait_for_selector("#question:not([hidden], .waiting)", timeout=90_000)
                if count == 0:
                    take(shown)
                shown.wait_for_timeout(500)
                shown.locator("#responses .card").first.click()
            shown.wait_for_selector("#completion-code")
            take(shown)
            browser.close()
    whole = Image.new("RGB", (sum(each.width for each in taken) + 12 * (len(taken) - 1), 760), "white")
    for place, each in enumerate(taken):
        whole.paste(each, (place * (390 + 12), 0))
    whole.quantize(256, dither=Image.Dither.NONE).save(IMAGES / "crowd-journey.png", optimize=True)


if __name__ == "__main__":
    taken = {
        "web": take_web,
        "texts": take_texts,
        "crowd": take_crowd,
        "reports": take_reports,
        "records": take_records,
        "notebook": take_notebook,
    }
    for wanted in sys.argv[1:] or taken:
        taken[wanted]()
