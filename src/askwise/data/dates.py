"""Dates in texts, as people write them: 17.03.2024, 3/17/2024, 17 March 2024, March 17, 2024."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

TIME = r"(?:[T ,]+(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.\d+)?)? ?(?P<half>[AaPp][Mm])?(?: Uhr)?)?"
NUMERIC = re.compile(rf"(?P<a>\d{{1,4}})(?P<mark>[./-])(?P<b>\d{{1,2}})(?P=mark)(?P<c>\d{{4}}|\d\d?){TIME}")
DAY_MONTH = re.compile(rf"(?P<day>\d{{1,2}})\.? ?(?P<month>[^\W\d]+)\.?,? (?P<year>\d{{4}}){TIME}")
MONTH_DAY = re.compile(rf"(?P<month>[^\W\d]+)\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}}){TIME}")
MONTHS = (
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "january february march april may june july august september october november december",
    "jan feb mär apr mai jun jul aug sep okt nov dez",
    "januar februar märz april mai juni juli august september oktober november dezember",
)
MONTH_OF = {name: place for names in MONTHS for place, name in enumerate(names.split(), 1)} | {"sept": 9, "mrz": 3}
ORDERS = ("ymd", "dmy", "mdy", "named")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
CENTURY_TURN = 70  # 69 is 2069, and 70 is 1970


def _moment(found: re.Match[str], year: str, month: str | int, day: str) -> float | None:
    """Days since 1970; None for a day or a time that does not exist."""
    full = int(year) + (0 if len(year) > 2 else 2000 if int(year) < CENTURY_TURN else 1900)
    hour = int(found["hour"] or 0)
    if found["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found["half"].lower() == "pm" else 0)
    try:
        moment = datetime(
            full, int(month), int(day), hour, int(found["minute"] or 0), int(found["second"] or 0), tzinfo=UTC
        )
    except ValueError:
        return None
    return moment.timestamp() / 86400


def _day(text: str, order: str) -> float | None:
    """The day that a text says if its parts come in this order, since 1970."""
    plain = " ".join(text.split())
    if order == "named":
        named = DAY_MONTH.fullmatch(plain) or MONTH_DAY.fullmatch(plain)
        month = None if named is None else MONTH_OF.get(named["month"].lower())
        return None if named is None or month is None else _moment(named, named["year"], month, named["day"])
    found = NUMERIC.fullmatch(plain)
    if found is None:
        return None
    parts = dict(zip(order, (found["a"], found["b"], found["c"]), strict=True))
    if (
        len(parts["y"]) not in (2, 4)
        or (order == "ymd" and len(parts["y"]) == 2)
        or len(parts["d"]) > 2
        or len(parts["m"]) > 2
    ):
        return None
    return _moment(found, parts["y"], parts["m"], parts["d"])


@dataclass(frozen=True)
class DateReading:
    """How the texts of a column are dates: the order of day, month and year, or "named" months.

    >>> DateReading("dmy").shown("03.04.2024"), DateReading("mdy").shown("03.04.2024")
    ('2024-04-03', '2024-03-04')
    """

    order: str
    unit = ""
    dated = True

    def number(self, text: str) -> float | None:
        """Days since 1970; None if the text says no date in this order."""
        return _day(text, self.order)

    def shown(self, text: str) -> str:
        """The date as the standard has it."""
        number = self.number(text)
        return "nothing" if number is None else (EPOCH + timedelta(days=number)).date().isoformat()

    def as_json(self) -> dict[str, Any]:
        return {"kind": "date", "order": self.order}


def is_date(text: str) -> bool:
    """Whether a text says a date in some order.

    >>> is_date("17.03.2024"), is_date("March 17, 2024"), is_date("1.2.3")
    (True, True, False)
    """
    return any(_day(text, order) is not None for order in ORDERS)


def find_dates(texts: Sequence[str]) -> DateReading | str | None:
    """How all texts are dates; a sentence if each is one but not in the same order; None if one is no date.

    Where the order is open, the day comes first in 03.04.2024 and the month in 03/04/2024.

    >>> find_dates(["17.03.2024", "03.04.2024"]), find_dates(["03/04/2024"]).order, find_dates(["tea"])
    (DateReading(order='dmy'), 'mdy', None)
    """
    if not texts or not all(map(is_date, texts)):
        return None
    fitting = [order for order in ORDERS if all(_day(text, order) is not None for text in texts)]
    if not fitting:
        return "has dates in several orders; write them all like 2024-03-17"
    return DateReading("mdy" if "mdy" in fitting and ("dmy" not in fitting or "/" in texts[0]) else fitting[0])
