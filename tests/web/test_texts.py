"""The catalogues of what participants read: the same keys, the same placeholders, every plural form."""

from __future__ import annotations

import re

import pytest

from askwise.web.texts import PLURAL_FORM, catalogue, choose, languages

OTHERS = [language for language in languages() if language != "en"]
PLACEHOLDER = re.compile(r"\{(\w+)\}")
ENGLISH = catalogue("en").texts


def placeholders(text):
    """Of a text, or of its general plural form: a form for one or two may name the number in words."""
    return set(PLACEHOLDER.findall(text if isinstance(text, str) else text["other"]))


@pytest.mark.parametrize("language", OTHERS)
def test_a_catalogue_has_every_text_with_its_placeholders(language):
    texts = catalogue(language).texts
    assert texts.keys() == ENGLISH.keys()
    for key, text in texts.items():
        assert type(text) is type(ENGLISH[key]), key
        assert placeholders(text) == placeholders(ENGLISH[key]), key


@pytest.mark.parametrize("language", languages())
def test_every_plural_form_is_there_and_used(language):
    forms = {PLURAL_FORM[language](count) for count in range(200)}
    for key, text in catalogue(language).texts.items():
        if not isinstance(text, str):
            assert text.keys() == forms, key
            for count in (0, 1, 2, 3, 11, 100, 102):
                assert "{count}" not in catalogue(language).text(key, count=count)


@pytest.mark.parametrize("language", OTHERS)
def test_texts_are_translated(language):
    same = {key for key, text in catalogue(language).texts.items() if text == ENGLISH[key]}
    assert same <= {"page.listed", "page.winter"}


def test_the_first_language_that_is_known_is_taken():
    assert choose(("de", "ar"), "en").language == "de"
    assert choose(("tlh", None), "ar;q=0.5, en;q=0.9").language == "en"
    assert choose((), "*, xx;q=nonsense").language == "en"
    assert choose((), "de;q=0, ar").direction == "rtl"
