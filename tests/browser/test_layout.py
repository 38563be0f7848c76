"""Buttons stay where they are from one question to the next, for every kind of question; and usual ones fit a screen.

The questions are not asked by the server but shown one after the other, with names and values of many lengths.
"""

from __future__ import annotations

import pytest

from tests.browser.site import PHONE, playwright, resize
from tests.browser.synthetic import KINDS, SIZES, question

TURNS = 4
TABLES = [kind for kind in KINDS if kind != "number"]  # entries of a matrix have no fields, pictures or texts
SHOW = """async ([questions, buttons]) => {
  const { showQuestion } = await import('/static/cards.js');
  const section = document.getElementById('question');
  const page = { root: document, mediaUrl: (kind, name) => `${document.body.dataset.base}/${kind}/${name}` };
  const places = [];
  for (const question of questions) {
    showQuestion(page, question, () => {}, () => {});
    await Promise.all([...section.querySelectorAll('img')].map((image) => image.decode()));
    const boxes = [...document.querySelectorAll(buttons)].map((button) => {
      const { left, top, width, height } = button.getBoundingClientRect();
      return [left, top, width, height].map(Math.round);
    });
    places.push({ boxes, over: document.documentElement.scrollHeight - innerHeight });
  }
  return places;
}"""
EVERYWHERE = "#responses button, #skips button, footer button:not([hidden])"


def shown(page, kind, passes=1, buttons=EVERYWHERE, **look):
    """Where the buttons are on each of some questions, and by how much the page is too high."""
    questions = [question(kind, turn, **look) for turn in range(TURNS)]
    return page.evaluate(SHOW, [questions * passes, buttons])


def moved(places):
    """The buttons that are elsewhere on another question."""
    return [boxes for each in places if (boxes := each["boxes"]) != places[0]["boxes"]]


@pytest.fixture
def pages(site):
    """The page of a study with pictures in each size of a screen; one after the other."""

    def in_each_size():
        with site.page("six") as (page, _):
            for size, (width, height) in SIZES.items():
                resize(page, width, height)
                yield size, page

    return in_each_size


def test_usual_questions_move_nothing_and_fit(pages):
    looks = [{}, {"fields": 5}, {"pictured": True}, {"fields": 5, "pictured": True}]
    for size, page in pages():
        for look in looks:
            for kind in TABLES:
                places = shown(page, kind, short=True, **look)
                assert not moved(places), (size, kind, look)
                assert all(each["over"] <= 0 for each in places), (size, kind, look)


def test_names_and_values_of_any_length_move_nothing_once_they_were_seen(pages):
    for size, page in pages():
        for look in ({"fields": 5}, {"fields": 5, "pictured": True}):
            for kind in TABLES:
                assert not moved(shown(page, kind, passes=2, **look)[TURNS:]), (size, kind, look)
        for look in ({}, {"pictured": True}):
            for kind in TABLES:
                assert not moved(shown(page, kind, **look)), (size, kind, look)
        assert not moved(shown(page, "number", passes=2)[TURNS:]), size


def test_answers_below_long_texts_stay(pages):
    for size, page in pages():
        for kind in TABLES:
            places = shown(page, kind, passes=2, buttons="#responses button", long_text=True)
            assert not moved(places[TURNS:]), (size, kind)


WHOLE_WORDS = """(labels) => labels.flatMap((label) => {
  const text = label.firstChild, range = document.createRange();
  return [...text.data.matchAll(/\\S+/g)].filter(({ 0: word, index }) => {
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    return range.getClientRects().length > 1;
  }).map(([word]) => word);
})"""


def test_words_and_names_are_whole_on_the_smallest_phones(site):
    for width, height in ((320, 568), (390, 844)):
        with site.page("six", **{**PHONE, "viewport": {"width": width, "height": height}}) as (page, _):
            assert page.locator("#skips button").evaluate_all(WHOLE_WORDS) == []
            names = page.locator("#responses .name")
            assert names.count() == 6
            assert names.evaluate_all("all => all.every((name) => name.scrollHeight <= name.clientHeight + 1)"), width


LOW = {"200 %": (640, 400), "400 %": (320, 256), "a phone on its side": (667, 375)}
UNREADABLE = """(parts) => {
  const box = (part) => part.getBoundingClientRect();
  const visible = parts.filter((part) => part.checkVisibility());
  const cut = visible.filter((part) => {
    const { left, right, top, bottom } = box(part), frame = box(part.closest('button, figure'));
    const outside = left < frame.left - 1 || right > frame.right + 1
      || top < frame.top - 1 || bottom > frame.bottom + 1;
    return outside || part.scrollHeight > part.clientHeight + 1 && getComputedStyle(part).overflowY !== 'visible';
  });
  const frames = [...document.querySelectorAll('#options figure, #responses button, #skips button')].map(box);
  const over = frames.filter((one, place) => frames.slice(place + 1).some((two) => one.left < two.right - 2
    && two.left < one.right - 2 && one.top < two.bottom - 2 && two.top < one.bottom - 2));
  const wide = document.documentElement.scrollWidth > innerWidth;
  return [...cut.map((part) => part.textContent), ...over.map(() => 'overlap'), ...(wide ? ['too wide'] : [])];
}"""


def test_every_name_can_be_read_on_a_screen_that_is_zoomed_or_low(site):
    """The page scrolls there; no card is so low that it cuts its name, none lies over another."""
    with site.page("six") as (page, _):
        for size, (width, height) in LOW.items():
            resize(page, width, height)
            for look in ({}, {"fields": 5}, {"pictured": True}, {"fields": 5, "pictured": True}, {"long_text": True}):
                for kind in TABLES:
                    shown(page, kind, **look)
                    found = page.locator("#question :is(.name, .value)").evaluate_all(UNREADABLE)
                    assert found == [], (size, kind, look)
            shown(page, "graded with ties")
            assert page.locator("#responses button").evaluate_all(WHOLE_WORDS) == [], size


def test_the_button_of_a_long_panel_stays_in_view(site):
    with site.page("pair", **{**PHONE, "viewport": {"width": 320, "height": 480}}) as (page, _):
        page.tap("#help")
        playwright.expect(page.locator("#close")).to_be_in_viewport(ratio=1, timeout=30_000)
