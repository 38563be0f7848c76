"""What the owner decides about a crowd: who may join by an open link, and what they meet there.

The settings are one JSON text in the row of the study. They are checked where they come in; what a study holds is read
as it is, so that older and newer programs can share a database.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

from askwise.errors import SettingError
from askwise.options import refusal
from askwise.session.events import UNSTORABLE

MAX_TEXT = 20_000  # letters of a text that people read
MAX_COUNT = 1_000_000
MAX_CHECKS = 50
MAX_OPTIONS = 6  # of a check
LANGUAGE = re.compile(r"[a-z]{2}")
LETTERS = {"code": 60, "address": 2000, "option": 200}
YES, NO = ("yes", "true", "on", "1"), ("no", "false", "off", "0")


@dataclass(frozen=True)
class CheckQuestion:
    """A question whose answer is known: whoever reads it gets it right."""

    text: str
    options: tuple[str, ...]
    answer: str


def _count(name: str, value: Any) -> int:
    number = int(value) if isinstance(value, str) and value.strip().isdecimal() else value
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= MAX_COUNT:
        raise refusal(name, value, f"a whole number from 1 to {MAX_COUNT:,}")
    return number


def _yes(name: str, value: Any) -> bool:
    word = str(value).strip().lower()
    if word not in (*YES, *NO):
        raise refusal(name, value, "yes or no")
    return word in YES


def _moment(name: str, value: Any) -> str:
    """A time; one without a zone is UTC."""
    try:
        found = datetime.fromisoformat(str(value).strip())
        moment = (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise refusal(name, value, "a time such as 2026-12-01 09:00 (UTC) or 2026-12-01T09:00+01:00") from None
    return moment.isoformat(timespec="seconds")


def _text(name: str, value: Any, most: int = MAX_TEXT) -> str:
    if not isinstance(value, str) or len(value) > most or UNSTORABLE.search(value):
        raise refusal(name, value, f"a text of at most {most:,} letters")
    return value.strip()


def _code(name: str, value: Any) -> str:
    return _text(name, value, LETTERS["code"])


def _address(name: str, value: Any) -> str:
    """The address of a page; placeholders in braces are filled in later, but none in the host: what a link says must
    not decide where people go."""
    found = _text(name, value, LETTERS["address"])
    with suppress(ValueError):
        parts = urlsplit(found)
        is_host = parts.netloc and not re.search(r"[{}\\]", parts.netloc)
        if parts.scheme in ("http", "https") and is_host and not re.search(r"\s", found):
            return found
    raise refusal(name, value, "an address such as https://app.prolific.com/submissions/complete?cc={code}")


def _language(name: str, value: Any) -> str:
    found = str(value).strip().lower()
    if not LANGUAGE.fullmatch(found):
        raise refusal(name, value, "two letters such as en or de")
    return found


def _checks(name: str, value: Any) -> tuple[CheckQuestion, ...]:
    """Own check questions: a list of objects, or the JSON text of one."""
    expected = 'a list such as [{"text": "What is 2 + 2?", "options": ["3", "4"], "answer": "4"}]'
    try:
        listed = json.loads(value) if isinstance(value, str) else list(value)
        found = [each if isinstance(each, CheckQuestion) else _check(name, dict(each)) for each in listed]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise error if isinstance(error, SettingError) else refusal(name, value, expected) from None
    if len(found) > MAX_CHECKS:
        raise refusal(name, value, f"at most {MAX_CHECKS} questions")
    return tuple(found)


def _check(name: str, given: Mapping[str, Any]) -> CheckQuestion:
    text = _text(name, given["text"], 1000)
    options = tuple(_text(name, option, LETTERS["option"]) for option in given["options"])
    answer = _text(name, given["answer"], LETTERS["option"])
    if not text or not 2 <= len(set(options)) == len(options) <= MAX_OPTIONS or "" in options:
        raise refusal(name, dict(given), f"a text and two to {MAX_OPTIONS} different options")
    if answer not in options:
        raise SettingError(f"{name} has the answer {answer!r}, which is not an option; the options are {options}")
    return CheckQuestion(text, options, answer)


def _share(name: str, value: Any) -> float:
    with suppress(TypeError, ValueError):
        number = float(value)
        if not isinstance(value, bool) and 0 <= number <= 3600:
            return number
    raise refusal(name, value, "a number such as 0.8")


def _setting(check: Callable[[str, Any], Any], help: str, default: Any = None) -> Any:
    return field(default=default, metadata={"check": check, "help": help})


@dataclass(frozen=True)
class CrowdSettings:
    """What a study says about its crowd. The door is closed unless the owner opens it.

    >>> CrowdSettings().changed({"open": "yes", "people": "200"}).as_dict()
    {'open': True, 'people': 200}
    >>> CrowdSettings().changed({"people": "many"})
    Traceback (most recent call last):
    askwise.errors.SettingError: people is 'many'; expected a whole number from 1 to 1,000,000
    """

    open: bool = _setting(_yes, "Whether people may join by the open link: yes or no.", False)
    people: int | None = _setting(_count, "People at most; who declines or is screened out does not count.")
    people_per_hour: int | None = _setting(_count, "People at most who may join in any hour.")
    hold_minutes: int = _setting(_count, "Minutes that a place is kept for somebody who has not answered.", 60)
    answers: int | None = _setting(_count, "Answers of each person at most.")
    opens: str | None = _setting(_moment, "When the door opens, such as 2026-12-01T09:00+01:00.")
    closes: str | None = _setting(_moment, "When it closes; no answers are taken after that.")
    close_when_settled: bool = _setting(_yes, "Whether nobody may join once a shared study is settled.", True)
    language: str | None = _setting(_language, "The language of the pages, such as de; empty: that of the browser.")
    consent: str | None = _setting(_text, "What people must accept first.")
    retention: str | None = _setting(_text, "What happens to the answers later, below the consent or the instructions.")
    thanks: str | None = _setting(_text, "What people read at the end.")
    code: str | None = _setting(_code, "The completion code; empty: one for each person.")
    return_done: str | None = _setting(_address, "Where people go at the end; may contain {code}, {PROLIFIC_PID} ...")
    return_declined: str | None = _setting(_address, "Where people go who do not accept.")
    return_screened: str | None = _setting(_address, "Where people go who fail too many checks or are excluded.")
    return_full: str | None = _setting(_address, "Where people go who come too late.")
    why: bool = _setting(_yes, "Whether people who joined by the open link may ask “Why?”.", False)
    results: bool = _setting(_yes, "Whether they see the result at the end.", False)
    checks: tuple[CheckQuestion, ...] = _setting(_checks, "Questions with a known answer, as JSON.", ())
    check_every: int | None = _setting(_count, "Ask one of them after every so many answers.")
    repeat_every: int | None = _setting(_count, "Repeat an earlier question after every so many answers.")
    max_failed: int | None = _setting(_count, "Screen out whoever fails so many checks.")
    fast_seconds: float = _setting(_share, "Flag whoever takes less, in the median, for an answer.", 0.8)
    straight_share: float = _setting(_share, "Flag whoever gives the answer in the same place so often.", 0.95)

    def changed(self, changes: Mapping[str, Any]) -> CrowdSettings:
        """The settings with some of them replaced; an empty text or None brings back the default."""
        known = {each.name: each for each in fields(self)}
        for name in changes:
            if name not in known:
                raise SettingError(f"there is no setting {name!r} of a crowd; the settings are {', '.join(known)}")
        given: dict[str, Any] = {
            name: known[name].default if value in (None, "", []) else known[name].metadata["check"](name, value)
            for name, value in changes.items()
        }
        found = replace(self, **given)
        if found.opens and found.closes and found.opens >= found.closes:
            raise SettingError(f"the door would close ({found.closes}) before it opens ({found.opens})")
        return found

    def as_dict(self) -> dict[str, Any]:
        """The settings that are not as usual, as JSON holds them."""
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        usual = {each.name: each.default for each in fields(self)}
        found = {name: value for name, value in given.items() if value != usual[name]}
        if self.checks:
            found["checks"] = [{**vars(check), "options": list(check.options)} for check in self.checks]
        return found

    @cached_property
    def consent_version(self) -> str | None:
        """What names the text that people accept; None if there is none.

        >>> CrowdSettings(consent="I take part.").consent_version
        '0fe31e7f'
        """
        if self.consent is None:
            return None
        return sha256(f"{self.consent}\n{self.retention or ''}".encode()).hexdigest()[:8]

    def is_too_early(self, now: str) -> bool:
        return self.opens is not None and now < self.opens

    def is_too_late(self, now: str) -> bool:
        return self.closes is not None and now >= self.closes


USUAL = CrowdSettings()


@lru_cache(maxsize=1000)
def settings_from(stored: str | None) -> CrowdSettings:
    """The settings that a study holds as JSON. What this version does not know is left out.

    >>> settings_from('{"people": 3, "of_a_later_version": 1}').people
    3
    """
    if stored is None:
        return USUAL
    found, known = json.loads(stored), {each.name for each in fields(CrowdSettings)}
    checks = tuple(
        CheckQuestion(each["text"], tuple(each["options"]), each["answer"]) for each in found.get("checks", ())
    )
    return CrowdSettings(
        **{name: value for name, value in found.items() if name in known and name != "checks"}, checks=checks
    )


def now() -> str:
    """This moment, as settings hold times."""
    return datetime.now(UTC).isoformat(timespec="seconds")
