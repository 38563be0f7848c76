"""How the columns of a table are read: texts that are numbers or dates, and vectors.

A study keeps the readings of its columns, so that the same texts mean the same numbers whenever it is opened.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from math import isfinite
from typing import Any

from askwise.data.amounts import AmountReading, find_amounts, is_plain_number, split_amount
from askwise.data.dates import DateReading, find_dates, is_date
from askwise.data.tables import NUMBER, Columns, is_text
from askwise.errors import DataError
from askwise.options import choice, mapping

ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?")
MIN_READABLE = 0.5  # of the values: a column of numbers or dates in which the others are wrong
MAX_EXAMPLE = 30  # letters
TextReading = AmountReading | DateReading
Readings = Mapping[str, Mapping[str, Any]]  # column -> how it is read, as JSON can hold it


def check_readings(name: str, value: Any) -> dict[str, dict[str, Any]]:
    """Readings as a study keeps them.

    >>> check_readings("readings", {"day": {"kind": "date", "order": "dmy"}})
    {'day': {'kind': 'date', 'order': 'dmy'}}
    """
    expected = "how a saved session reads its columns; leave it out"
    found = mapping(name, value, expected)
    keys = {"amount": ("decimal", "unit"), "date": ("order",), "vector": ("size",)}
    for column, each in found.items():
        kind = mapping(f"{name} of {column!r}", each, expected, "kind")["kind"]
        mapping(f"{name} of {column!r}", each, expected, *keys[choice("kind", kind, keys)])
    return {str(column): dict(each) for column, each in found.items()}


def text_reading(stored: Mapping[str, Any] | None) -> TextReading | None:
    """A reading as a study keeps it; None for a column that is read as it is.

    >>> text_reading({"kind": "date", "order": "dmy"})
    DateReading(order='dmy')
    """
    if stored is None or stored["kind"] == "vector":
        return None
    return (
        DateReading(stored["order"]) if stored["kind"] == "date" else AmountReading(stored["decimal"], stored["unit"])
    )


def find_reading(values: Sequence[Any]) -> TextReading | None:
    """How a column of texts says numbers or dates; None if it does not, or says them as programs do.

    >>> find_reading(["$1,234", "$99"]), find_reading(["17.03.2024", None])
    (AmountReading(decimal='.', unit='$'), DateReading(order='dmy'))
    >>> find_reading(["12", "5"]) is find_reading(["tea", "milk"]) is None
    True
    """
    texts = list(dict.fromkeys(value for value in values if value is not None))
    if not texts or not all(isinstance(text, str) for text in texts) or numbers_in_texts(texts) is not None:
        return None
    found = find_dates(texts) if is_date(texts[0]) else find_amounts(texts)
    return None if found is None or isinstance(found, str) else found


def why_unreadable(values: Sequence[Any]) -> str | None:
    """Why a column of texts says no numbers although most of its values do; None if most do not.

    >>> why_unreadable(["4 cm", "5 cm", "n/a"])
    "has no number in 1 of 3 rows, e.g. 'n/a'; correct or empty this cell"
    """
    texts = [value for value in values if isinstance(value, str)]
    dates = [text for text in texts if is_date(text) or ISO_DATE.fullmatch(text)]
    amounts = [text for text in texts if split_amount(text) is not None]
    found, noun = max((dates, "date"), (amounts, "number"), key=lambda each: len(each[0]))
    if not texts or len(found) < MIN_READABLE * len(texts):
        return None
    wrong = [text for text in texts if text not in set(found)]
    if not wrong:
        reason = find_dates(texts) if found is dates else find_amounts(texts)
        impossible = "has dates that no calendar has; correct them" if found is dates else None
        return reason if isinstance(reason, str) else impossible
    example = wrong[0] if len(wrong[0]) <= MAX_EXAMPLE else f"{wrong[0][:MAX_EXAMPLE]}..."
    cells = "this cell" if len(wrong) == 1 else "these cells"
    return f"has no {noun} in {len(wrong)} of {len(values)} rows, e.g. {example!r}; correct or empty {cells}"


def numbers_in(column: str, values: Sequence[Any], reading: TextReading | None = None) -> list[float] | None:
    """The values of a column as numbers, dates as days since 1970; None if they are texts that say neither.

    >>> numbers_in("age", ["34", "51"]), numbers_in("born", ["1970-01-03"]), numbers_in("city", ["Rome"])
    ([34.0, 51.0], [2.0], None)
    >>> numbers_in("price", ["$1,234"], AmountReading(".", "$"))
    [1234.0]
    """
    numbers = _read_texts(values, reading) if is_text(values) else [float(value) for value in values]
    odd = next((i for i, number in enumerate(numbers or ()) if not isfinite(number)), None)
    if odd is not None:
        raise DataError(f"column {column!r} holds {str(values[odd])[:50]}, which is too large; expected finite numbers")
    return numbers


def _read_texts(texts: Sequence[str], reading: TextReading | None) -> list[float] | None:
    if reading is None:
        return plain_numbers(texts)
    known = {text: reading.number(text) for text in set(texts)}
    return None if None in known.values() else [known[text] for text in texts]  # type: ignore[misc]


def numbers_in_texts(texts: Sequence[str]) -> list[float] | None:
    """The numbers or ISO dates in texts that can mean nothing else; None otherwise."""
    return plain_numbers(texts) if is_plain_number(texts) or all(map(ISO_DATE.fullmatch, texts)) else None


def plain_numbers(texts: Sequence[str]) -> list[float] | None:
    """What the texts say if all are numbers (from a CSV reader) or ISO dates (from a saved table; days since 1970)."""
    if all(map(NUMBER.fullmatch, texts)):
        return [float(text) for text in texts]
    if not all(map(ISO_DATE.fullmatch, texts)):
        return None
    try:
        moments = [datetime.fromisoformat(text) for text in texts]
        return [(moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() / 86400 for moment in moments]
    except (OverflowError, ValueError):  # the 31st of June, or before the year 1 in another time zone
        return None


def text_readings(columns: Columns) -> dict[str, dict[str, Any]]:
    """The readings of all columns of texts that say numbers or dates as people write them.

    >>> text_readings({"name": ["tea", "milk"], "price": ["€ 9,99", "€ 1,20"]})
    {'price': {'kind': 'amount', 'decimal': ',', 'unit': '€'}}
    """
    found = {column: find_reading(values) for column, values in columns.items() if is_text(values)}
    return {column: reading.as_json() for column, reading in found.items() if reading is not None}


def reading_example(values: Sequence[Any], reading: TextReading) -> str:
    """One text of a column and what it is read as; one that could mean something else, if there is one.

    >>> reading_example(["$5.50", "$1,234"], AmountReading(".", "$"))
    "'$1,234' is 1234"
    """
    texts = [value for value in values if value is not None]
    others = DateReading("mdy" if reading == DateReading("dmy") else "dmy") if reading.dated else _other_mark(reading)
    open_ones = (text for text in texts if others.number(text) not in (None, reading.number(text)))
    text = next(open_ones, texts[0])
    return f"{text!r} is {reading.shown(text)}"


def _other_mark(reading: TextReading) -> AmountReading:
    assert isinstance(reading, AmountReading)
    return AmountReading("," if reading.decimal == "." else ".", reading.unit)
