"""Long texts, sounds, films and the owner's own words in the browser: readable, playable, and harmless."""

from __future__ import annotations

import base64
import json
from contextlib import contextmanager

import pytest

pytest.importorskip("playwright.sync_api", reason="NOT RUN: playwright is not installed")

from playwright.sync_api import expect

import askwise
from askwise.storage.address import Address
from askwise.storage.store import Store
from tests.browser.site import PHONE, TOKEN, axe, count, png, press, question
from tests.media import wav, zipped
from tests.report.test_bodies import ATTACKS

SOON = 60_000  # milliseconds, on a machine that is busy
CODE = "# Short\n\n```python\ndef add(left, right):\n    return left + right  # " + "a long line " * 30 + "\n```\n"
TABLE = "# Offer\n\n| item | price |\n|---|--:|\n| tea | 2 |\n\n> as agreed\n\n1. one\n2. two"
LONG = "\n\n".join(f"Paragraph {number}. " + "Words that fill a line. " * 12 for number in range(30))
RECORD_FILM = """async () => {
    const canvas = document.createElement('canvas'), chunks = [];
    canvas.getContext('2d').fillRect(0, 0, 20, 20);
    const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: 'video/webm' });
    recorder.ondataavailable = ({ data }) => chunks.push(data);
    recorder.start();
    for (let i = 0; i < 20; i++) {
        canvas.getContext('2d').fillStyle = i % 2 ? 'red' : 'blue';
        canvas.getContext('2d').fillRect(0, 0, 300, 150);
        await new Promise((resolve) => setTimeout(resolve, 40));
    }
    await new Promise((resolve) => { recorder.onstop = resolve; recorder.stop(); });
    const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer());
    return btoa(String.fromCharCode(...bytes));
}"""


def create(site, name, session, media=None):
    if not (site.folder / f"{name}.askwise").exists():
        Store.create(Address.of(site.folder / f"{name}.askwise"), session.recipe, media or {})


def replies(*texts):
    return [{"name": f"reply {place}", "text": text, "words": place} for place, text in enumerate(texts)]


@contextmanager
def owner(site):
    """The owner's page; refusals are expected there."""
    context = site.browser.new_context()
    context.set_default_timeout(SOON)
    page = context.new_page()
    page.goto(f"{site.where}/login?token={TOKEN}")
    yield page
    context.close()


def test_nothing_in_a_text_runs_or_is_fetched(site):
    rows = replies(*ATTACKS, *(attack + "\n" + attack for attack in ATTACKS))
    session = askwise.classifier(rows, body="text", labels=("good", "bad"), draws=30, epsilon=0.0001, budget=300)
    create(site, "attacks", session)
    html = {}
    with site.page("attacks") as (page, _):
        fetched, dialogs = [], []
        page.on("request", lambda request: fetched.append(request.url))
        page.on("dialog", lambda dialog: dialogs.append(dialog.message))
        for _ in range(2):  # of those that were asked; all of them are put into the page below
            press(page, "1")
        from askwise.report.bodies import body_html

        html = [body_html(row["text"]) for row in rows]
        page.evaluate("html => { document.querySelector('.body').innerHTML = html.join('<hr>'); }", html)
        page.wait_for_timeout(300)
        texts = page.locator(".body")
        forbidden = "script, img, iframe, style, svg, object, embed, form, input, link, math"
        assert texts.locator(forbidden).count() == 0
        links = texts.locator("a").evaluate_all("links => links.map(link => link.href)")
        assert links
        assert all(link.startswith(("https://", "mailto:")) for link in links)
        handlers = "nodes => nodes.some(node => node.getAttributeNames().some(name => name.startsWith('on')))"
        assert texts.locator("*").evaluate_all(handlers) is False
        assert page.title() == "attacks"
        assert all(url.startswith(site.where) for url in fetched)
        assert not dialogs


@pytest.mark.parametrize("view", ["desk", "phone"])
def test_long_texts_and_code_read_well(site, view):
    rows = replies(LONG, CODE, TABLE)
    wording = {"question": "Which reply would you send?", "answers": {"left": "Reply A", "right": "Reply B"}}
    create(site, "replies", askwise.best_item(rows, body="text", draws=40, seed=1, epsilon=0.0001, budget=9, **wording))
    options = {"desk": {}, "phone": {"color_scheme": "dark", **PHONE}}[view]
    with site.page("replies", **options) as (page, person):
        for _ in range(3):
            boxes = [page.locator("figure").nth(place).bounding_box() for place in (0, 1)]
            beside, below = boxes[0]["y"] == boxes[1]["y"], boxes[0]["x"] == boxes[1]["x"]
            assert (beside, below) == ((False, True) if view == "phone" else (True, False))
            width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert width <= 0  # long lines scroll in their frame
            expect(page.locator("figure .caption")).to_have_text(["Reply A", "Reply B"])
            expect(page.locator("#responses button").first).to_contain_text("Reply A")
            if "Paragraph 29" in page.locator("#options").inner_text():
                text = page.locator(".body", has_text="Paragraph 29")
                height = page.viewport_size["height"]
                assert text.bounding_box()["height"] < height * 0.7
                page.click("#expand")
                assert text.bounding_box()["height"] > height
                expect(page.locator("#expand")).to_have_attribute("aria-expanded", "true")
                page.click("#expand")
                assert text.bounding_box()["height"] < height * 0.7
            if view == "desk":
                found = axe.Axe().run(page).response["violations"]
                assert found == [], json.dumps(found, indent=1)[:3000]
            press(page, "ArrowLeft") if view != "phone" else page.tap("#responses button >> nth=0")
            page.wait_for_timeout(500)
        told = site.told("replies", person)
    assert {event["response"] for event in told} == {"left"}
    asked = site.told("replies", person, ("ask",))
    assert {event["text"] for event in asked} == {"Which reply would you send?"}
    assert all("body" not in option for event in asked for option in event["options"])  # the log stays small


def test_scrolling_a_text_is_no_answer(site):
    create(site, "ties", askwise.best_item(replies(LONG, LONG + "x", LONG + "y"), body="text", ties=True, draws=40))
    with site.page("ties") as (page, _):
        page.locator(".body").first.focus()
        page.keyboard.press("ArrowDown")  # would be "equal"
        page.keyboard.press("End")
        page.wait_for_timeout(400)
        assert count(page) == 0
        assert page.locator(".body").first.evaluate("text => text.scrollTop") > 0
        press(page, "1")
        assert count(page) == 1


def test_sounds_and_films_play_in_parts_and_keep_their_keys(site):
    with owner(site) as page:
        film = base64.b64decode(page.evaluate(RECORD_FILM))
    rows = [{"name": f"call {i}", "clip": f"in/{i} é.wav", "film": "film.webm", "size": i} for i in range(4)]
    media = {f"in/{i} é.wav": wav(60) for i in range(4)} | {"film.webm": film}
    create(site, "calls", askwise.clusters(rows, audio="clip", video="film", draws=16, epsilon=0.0001), media)
    with site.page("calls") as (page, _):
        parts = []
        page.on("response", lambda reply: parts.append((reply.url, reply.status)) if "/audio/" in reply.url else None)
        page.reload()
        sound, shown = page.locator("audio").first, page.locator("video").first
        expect(sound).to_have_js_property("duration", 60)
        assert sound.evaluate("player => [player.paused, player.autoplay, player.controls]") == [True, False, True]
        assert sound.evaluate("""async player => {
            player.currentTime = 50;
            await new Promise(done => player.addEventListener('seeked', done, { once: true }));
            return player.currentTime;
        }""") == 50  # fmt: skip
        assert {status for _, status in parts} == {206}
        played = "async player => { player.muted = true; await player.play(); return player.videoWidth; }"
        assert shown.evaluate(played) == 300
        page.wait_for_timeout(300)
        for key in ("ArrowLeft", "ArrowRight", " "):
            sound.focus()
            page.keyboard.press(key)
        page.wait_for_timeout(400)
        assert count(page) == 0
        press(page, "1")
        assert count(page) == 1


def test_a_zip_archive_comes_with_the_form(site, tmp_path):
    table = tmp_path / "teas.csv"
    table.write_text("name,photo,text,price\n" + "".join(f"tea {i},{i}.png,**Tea** {i},{i}\n" for i in range(5)))
    archive = tmp_path / "photos.zip"
    archive.write_bytes(zipped({f"photos/{i}.png": png((40 * i, 90, 90)) for i in range(4)}))
    with owner(site) as page:
        page.set_input_files("#table", table)
        page.set_input_files("#files", archive)
        page.get_by_text("Pictures, sounds, films and long texts").click()
        page.fill("#body", "text")
        page.get_by_text("What people read", exact=True).click()
        page.fill("#question", "Which would you {drink}?")
        page.fill("#answers", "left=This one, right=That one")
        page.click("#read-table")
        expect(page.locator("#form-error")).to_contain_text("{drink}; use {left} or {right} or {names}", timeout=SOON)
        page.fill("#question", "Which would you drink?")
        page.click("#read-table")
        expect(page.locator("#form-error")).to_contain_text(
            "names pictures that are not among the uploaded files", timeout=SOON
        )
        assert not (site.folder / "teas.askwise").exists()
        archive.write_bytes(zipped({f"photos/{i}.png": png((40 * i, 90, 90)) for i in range(5)}))
        page.set_input_files("#files", archive)
        page.click("#read-table")
        expect(page.locator("#understood")).to_be_visible(timeout=SOON)
        page.click("#make-study")
        page.wait_for_url("**/s/teas")
    with site.page("teas") as (page, _):
        expect(page.locator("#question-text")).to_have_text("Which would you drink?")
        expect(page.locator("figure img")).to_have_count(2)
        loaded = "pictures => pictures.every(picture => picture.naturalWidth === 8)"
        assert page.locator("figure img").evaluate_all(loaded)
        expect(page.locator(".body strong")).to_have_text(["Tea", "Tea"])
        expect(page.locator("#responses button").first).to_contain_text("This one")


def test_the_owner_changes_what_people_read(site):
    create(site, "worded", askwise.best_item([f"item {i}" for i in range(6)], draws=40, epsilon=0.0001))
    with site.page("worded") as (page, person):
        before = question(page)
        with owner(site) as dashboard:
            dashboard.goto(f"{site.where}/s/worded")
            dashboard.get_by_text("Change the question").click()
            dashboard.fill("#wording-question", "{left} or {wrong}?")
            dashboard.click("#wording button")
            expect(dashboard.locator("#wording-error")).to_contain_text(
                "{wrong}; use {left} or {right} or {names}", timeout=SOON
            )
            dashboard.fill("#wording-question", "Take {left}, or {right}?")
            dashboard.fill("#wording-answers", "left=A, right=B")
            dashboard.fill("#wording-instructions", "Be quick.")
            dashboard.click("#wording button")
            expect(dashboard.locator("#wording-status")).to_contain_text("Saved", timeout=SOON)
            dashboard.reload()
            expect(dashboard.locator("#wording-answers")).to_have_value("left=A, right=B")
        assert question(page) == before
        press(page, "1")
        names = page.locator("#responses .card").evaluate_all("cards => cards.map(card => card.innerText)")
        assert question(page).startswith("Take item ")
        assert [name.split()[0] for name in names] == ["A", "B"]
        press(page, "1")
        page.click("#my-answers")
        expect(page.locator("#panel-body strong").first).to_contain_text("A: item")
        page.click("#close")
        page.click("#help")
        expect(page.locator("#panel-body .own")).to_have_text("Be quick.")
    texts = [event["text"] for event in site.told("worded", person, ("ask",))]
    assert texts[0] == before
    assert all(text.startswith("Take item ") for text in texts[1:])
