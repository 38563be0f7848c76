"""What participants read, in their language: one catalogue a language, in `languages/`.

A catalogue maps a key to a text with placeholders in braces, or to one text for each plural form, chosen by `count`.
English is complete by definition; a test compares the keys and the placeholders of the others with it. The rules for
plural forms are those of Unicode (CLDR), as browsers have them; three languages need no library for it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "languages"
ENGLISH = "en"
PAGE = "page."  # how keys begin that the scripts of the page need
RIGHT_TO_LEFT = ("ar", "fa", "he", "ur")
Text = str | Mapping[str, str]


def _one_or_other(count: float) -> str:
    return "one" if count == 1 else "other"


def _arabic(count: float) -> str:
    if count in (0, 1, 2):
        return ("zero", "one", "two")[int(count)]
    rest = count % 100
    return "few" if 3 <= rest <= 10 else "many" if 11 <= rest <= 99 else "other"


PLURAL_FORM: Mapping[str, Callable[[float], str]] = {"en": _one_or_other, "de": _one_or_other, "ar": _arabic}


@dataclass(frozen=True)
class Catalogue:
    """The texts of one language."""

    language: str
    texts: Mapping[str, Text]

    @property
    def direction(self) -> str:
        """In which it is written: ltr or rtl."""
        return "rtl" if self.language in RIGHT_TO_LEFT else "ltr"

    def text(self, key: str, **values: Any) -> str:
        """A text with its placeholders filled in.

        >>> catalogue("en").text("done.settled_after", count=1), catalogue("de").text("done.settled_after", count=12)
        ('Settled after 1 answer. We are confident enough to stop.',
         'Nach 12 Antworten ist es klar. Wir sind sicher genug, um aufzuhören.')
        """
        found = self.texts[key]
        if not isinstance(found, str):
            found = found[PLURAL_FORM[self.language](values["count"])]
        for name, value in values.items():
            found = found.replace(f"{{{name}}}", str(value))
        return found

    @property
    def page(self) -> dict[str, Text]:
        """What the scripts of the answering page need."""
        return {key.removeprefix(PAGE): text for key, text in self.texts.items() if key.startswith(PAGE)}


class Told(str):
    """A sentence for a participant. As a text it is English; where their language is known, it is in that one.

    >>> sentence = Told("refused.nothing_to_undo")
    >>> sentence, sentence.in_language(catalogue("de"))
    ('There is nothing to take back.', 'Es gibt nichts zurückzunehmen.')
    """

    key: str
    values: Mapping[str, Any]

    def __new__(cls, key: str, **values: Any) -> Told:
        made = super().__new__(cls, catalogue(ENGLISH).text(key, **values))
        made.key, made.values = key, values
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:  # for copies of it
        return (self.key,), dict(self.values)

    def in_language(self, texts: Catalogue) -> str:
        return texts.text(self.key, **self.values)


@cache
def languages() -> tuple[str, ...]:
    """The languages that there are catalogues of.

    >>> languages()
    ('ar', 'de', 'en')
    """
    return tuple(sorted(path.stem for path in HERE.glob("*.json")))


@cache
def catalogue(language: str) -> Catalogue:
    """The texts of a language."""
    return Catalogue(language, json.loads((HERE / f"{language}.json").read_text(encoding="utf-8")))


@lru_cache(maxsize=256)
def choose(wanted: tuple[str | None, ...], accepted: str = "") -> Catalogue:
    """The first language of those wanted that there is a catalogue of; else the one a browser likes best.

    >>> choose((None, "xx"), "fr-CH, de-AT;q=0.9, en;q=0.8").language
    'de'
    >>> choose(("ar",), "de").direction, choose(()).language
    ('rtl', 'en')
    """
    for language in (*wanted, *_by_preference(accepted)):
        if language in languages():
            return catalogue(str(language))
    return catalogue(ENGLISH)


def _by_preference(accepted: str) -> list[str]:
    """The languages of an Accept-Language header, the best liked first, without their regions."""
    found = []
    for part in accepted[:1000].split(","):
        name, _, weight = part.partition(";q=")
        try:
            found.append((float(weight or 1), name.strip().lower().split("-")[0]))
        except ValueError:
            continue
    return [name for weight, name in sorted(found, key=lambda each: -each[0]) if weight > 0]
