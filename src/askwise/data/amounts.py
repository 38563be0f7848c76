"""Amounts in texts: numbers with a decimal point or comma, money, percentages, units and durations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from askwise.data.formats import UNITS
from askwise.data.tables import NUMBER

MARKS = ".,"  # that may stand before decimals
PLAIN = str.maketrans({"\xa0": " ", "\u202f": " ", "\u2009": " ", "\u2212": "-", "\u2019": "'"})
WRITTEN = r"(?:\d[\d.,' ]*\d|[.,]?\d+[.,]?)(?:[eE][-+]?\d+)?"  # something like a number
ONE_AMOUNT = re.compile(rf"([-+]?)\s*([^\d\s.,+'-]*)\s*([-+]?)\s*({WRITTEN})\s*([^\d\s.,+'-]\S*)?")
PART = re.compile(rf"({WRITTEN})\s*([^\d\s.,:+'-]+\.?)\s*")  # of a duration
GROUPED = {mark: re.compile(rf"\d{{1,3}}(?:\{mark}\d{{3}})+") for mark in ".,"}
SPACED = re.compile(r"\d{1,3}([ '])\d{3}(?:\1\d{3})*(?:[.,]\d+)?")
AMBIGUOUS = re.compile(r"[1-9]\d{0,2}([.,])\d{3}")
CURRENCY_NAMES = {
    "$": "$ US$ USD dollar dollars", "€": "€ EUR Euro euro euros", "£": "£ GBP", "¥": "¥ JPY", "CHF": "CHF Fr. SFr.",
    "₹": "₹ INR", "₩": "₩ KRW", "kr": "kr kr. SEK NOK DKK", "zł": "zł PLN",
}  # fmt: skip
CURRENCY_OF = {name: symbol for symbol, names in CURRENCY_NAMES.items() for name in names.split()}
SCALES: dict[str, dict[str, float]] = {  # what a unit measures, and how much of it
    "time in s": {
        "ms": 1e-3, "s sec sec. secs second seconds Sek Sek. Sekunden": 1,
        "min min. mins minute minutes Min Min. Minuten": 60, "h hr hrs hour hours Std Std. Stunde Stunden": 3600,
        "d day days Tag Tage": 86400, "week weeks wk Woche Wochen": 604800,
    },
    "length in m": {"nm": 1e-9, "µm": 1e-6, "mm": 1e-3, "cm": 0.01, "m": 1, "km": 1000},
    "length in in": {"in": 1, "ft": 12, "yd": 36, "mi": 63360},
    "mass in g": {"mg": 1e-3, "g": 1, "kg": 1000, "t": 1e6},
    "volume in l": {"ml mL": 1e-3, "cl": 0.01, "l L": 1},
    "data in B": {"B": 1, "kB KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12},
    "power in W": {"W": 1, "kW": 1e3, "MW": 1e6},
    "energy in Wh": {"Wh": 1, "kWh": 1e3},
    "frequency in Hz": {"Hz": 1, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9},
}  # fmt: skip
SCALE_OF = {
    name: (scale, size) for scale, units in SCALES.items() for names, size in units.items() for name in names.split()
}
DURATION = "time in s"


class Part(NamedTuple):
    """A number as it is written, and the unit after or before it."""

    number: str
    unit: str  # empty if there is none

    @property
    def scale(self) -> str:
        """What the unit measures; other units measure themselves."""
        return SCALE_OF[self.unit][0] if self.unit in SCALE_OF else self.unit

    @property
    def size(self) -> float:
        return SCALE_OF[self.unit][1] if self.unit in SCALE_OF else 1.0


class Amount(NamedTuple):
    """A text as its sign and its parts: one, or several of a duration."""

    sign: int
    parts: tuple[Part, ...]


def split_amount(text: str) -> Amount | None:
    """The parts of a text that says an amount; None if it says none.

    >>> split_amount("-$1,234.50")
    Amount(sign=-1, parts=(Part(number='1,234.50', unit='$'),))
    >>> split_amount("1h 30min").parts
    (Part(number='1', unit='h'), Part(number='30', unit='min'))
    >>> split_amount("about 5") is None
    True
    """
    plain = text.translate(PLAIN).strip()
    found = ONE_AMOUNT.fullmatch(plain)
    if found is not None:
        outer, before, inner, number, after = found.groups()
        unit = _unit(before or after or "")
        if unit is not None and not (before and (after or unit not in CURRENCY_NAMES)) and not (outer and inner):
            return Amount(-1 if "-" in (outer, inner) else 1, (Part(number, unit),)) if decimal_marks(number) else None
    parts = PART.findall(plain)
    if len(parts) < 2 or "".join("".join(part) for part in parts) != plain.replace(" ", ""):
        return None
    times = [Part(number, unit) for number, unit in parts]
    falling = all(one.size > other.size for one, other in pairwise(times))
    whole = falling and all(part.scale == DURATION and decimal_marks(part.number) for part in times)
    return Amount(1, tuple(times)) if whole else None


def _unit(written: str) -> str | None:
    """A unit as it is compared; None if it is none."""
    if written in CURRENCY_OF:
        return CURRENCY_OF[written]
    return written if not written or written in UNITS or written in SCALE_OF else None


def decimal_marks(number: str) -> str:
    """The marks that may stand before the decimals of a number as it is written; none if it is written wrongly.

    >>> decimal_marks("1.234,50"), decimal_marks("1.5"), decimal_marks("1,234"), decimal_marks("1,2,3")
    (',', '.', '.,', '')
    """
    number, exponent, _ = number.replace("E", "e").partition("e")
    if " " in number or "'" in number:
        found = SPACED.fullmatch(number)
        return "" if found is None or exponent else next((mark for mark in MARKS if mark in number), MARKS)
    used = [mark for mark in MARKS if mark in number]
    if not used:
        return MARKS
    if len(used) == 2:
        decimal = max(used, key=number.rfind)
        whole, _, digits = number.rpartition(decimal)
        other = "," if decimal == "." else "."
        return decimal if digits.isdigit() and GROUPED[other].fullmatch(whole) else ""
    mark = used[0]
    other = "," if mark == "." else "."
    if number.count(mark) > 1:
        return other if GROUPED[mark].fullmatch(number) else ""
    return MARKS if AMBIGUOUS.fullmatch(number) and not exponent else mark


@dataclass(frozen=True)
class AmountReading:
    """How the texts of a column are amounts: which mark stands before decimals, and in which unit they are counted.

    >>> AmountReading(",", "€").number("1.234,50 €")
    1234.5
    """

    decimal: str
    unit: str
    dated = False

    def number(self, text: str) -> float | None:
        """What a text says; None if it says no amount in this unit."""
        amount = split_amount(text)
        if amount is None:
            return None
        own = Part("", self.unit)
        total = 0.0
        for part in amount.parts:
            if self.decimal not in decimal_marks(part.number) or part.scale not in ("", own.scale):
                return None
            total += self._digits(part.number) * (part.size / own.size if part.unit else 1.0)
        return amount.sign * total

    def _digits(self, number: str) -> float:
        other = "," if self.decimal == "." else "."
        return float(number.replace(" ", "").replace("'", "").replace(other, "").replace(self.decimal, "."))

    def shown(self, text: str) -> str:
        """What a text says, for people."""
        number = self.number(text)
        unit = "" if not self.unit or self.unit in CURRENCY_NAMES else f" {self.unit}"
        return "nothing" if number is None else f"{number:.15g}{unit}"

    def as_json(self) -> dict[str, Any]:
        return {"kind": "amount", "decimal": self.decimal, "unit": self.unit}


def find_amounts(texts: Sequence[str]) -> AmountReading | str | None:
    """How all texts are amounts; a sentence if each is one but they do not fit together; None if one is no amount.

    >>> find_amounts(["€ 9,99", "1.234,50 €"]), find_amounts(["5 kg", "3 m"]), find_amounts(["tea", "2"])
    (AmountReading(decimal=',', unit='€'), 'has amounts in kg and in m; write them all in one unit', None)
    """
    amounts = []
    for text in texts:
        amount = split_amount(text)
        if amount is None:
            return None
        amounts.append(amount)
    parts = [part for amount in amounts for part in amount.parts]
    units = Counter(part.unit for part in parts)
    measured = {part.scale: part.unit for part in parts if part.unit}
    if len(measured) > 1:
        one, other = list(measured.values())[:2]
        return f"has amounts in {one} and in {other}; write them all in one unit"
    named = [unit for unit, _ in units.most_common() if unit]
    if "" in units and len(named) > 1:
        return f"has amounts in {named[0]}, in {named[1]} and without a unit; write a unit after all of them"
    decimal = _decimal([part.number for part in parts], money=any(unit in CURRENCY_NAMES for unit in named))
    if decimal is None:
        odd = {mark: next((part.number for part in parts if decimal_marks(part.number) == mark), "") for mark in MARKS}
        first, second = [number for number in odd.values() if number] or ["1,234", "1.234"]
        return f"has numbers like {first} and like {second}; write them all with a decimal point"
    return AmountReading(decimal, named[0] if named else "")


def _decimal(numbers: Sequence[str], money: bool) -> str | None:
    """The mark before decimals that fits all numbers; None if there is none."""
    kinds = {decimal_marks(number) for number in numbers}
    certain = {kind for kind in kinds if len(kind) == 1}
    if len(certain) > 1:
        return None
    if certain:
        return certain.pop()
    separated = {found[1] for number in numbers if (found := AMBIGUOUS.fullmatch(number))}
    if len(separated) > 1:
        return None
    # nothing but 1.234, and 999: money has no three decimals, and who writes 1.234 would write 999.000
    thousands = money or any(number.isdigit() for number in numbers)
    return "," if separated == {"."} and thousands else "."


def is_plain_number(texts: Sequence[str]) -> bool:
    """Whether all texts are numbers as programs write them, and not such as 1.234 and 999, which mean thousands.

    >>> is_plain_number(["1.5", "2"]), is_plain_number(["1.234", "999"]), is_plain_number(["5 %"])
    (True, False, False)
    """
    if not all(map(NUMBER.fullmatch, texts)):
        return False
    pointed = [text.strip().lstrip("+-") for text in texts if "." in text]
    whole = any(text.strip().lstrip("+-").isdigit() for text in texts)
    return not (pointed and whole and all(map(AMBIGUOUS.fullmatch, pointed)))
