"""How the values of a column are written for people: decimals, thousands and units."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from math import floor, log10
from typing import Any

from askwise.data.tables import NUMBER

MISSING = "–"  # noqa: RUF001  shown for an unknown value
MAX_LETTERS = 200  # of one value
MAX_DECIMALS = 4  # as the column writes them; more only where values differ by less
MAX_LOOKED_AT = 1_000  # values of a column, evenly spaced, whose decimals are counted
MIN_SEPARATED = 10_000  # the largest number of a column with thousands separators: 2,026 would not be a year
MAX_PLAIN, MIN_PLAIN = 1e15, 1e-4  # beyond, numbers have an exponent
CURRENCIES = ("$", "€", "£", "¥", "US$", "₹", "₩")  # written before the number
UNIT_NAMES = (
    "% ‰ ° °C °F K USD EUR GBP CHF JPY g kg mg t lb lbs oz m cm mm km µm nm mi ft in yd m² m2 ft² sqft ha acres l L ml "
    "mL cl gal cc ccm cm³ m³ s sec ms min h hr hrs hours d days weeks months years W kW MW hp PS bhp kWh Wh mAh Ah V A "
    "Hz kHz MHz GHz km/h kph mph mpg l/100km L/100km kcal cal kJ J N Nm Pa kPa bar psi B kB KB MB GB TB Mbps px dpi MP "
    "dB lm nits pt stars"
)
UNITS = frozenset(UNIT_NAMES.split())
UNIT = re.compile(r"(?P<heading>.*\S)\s*(?:\((?P<round>[^()]+)\)|\[(?P<square>[^\[\]]+)\])", re.DOTALL)
NOT_COUNTED = re.compile(r"(?:^|[\s_.-])(?:id|code|zip|year|phone|number|no|nr)(?:$|[\s_.-])", re.IGNORECASE)
MIDNIGHT = re.compile(r"[T ]00:00:00(?:\.0+)?")
Format = Callable[[Any], str]  # a value of the column -> the value as people read it


def format_of(column: str, values: Sequence[Any]) -> Format:
    """How a column writes its values: numbers alike, and with the unit that stands in brackets after its name.

    >>> price = format_of("price ($)", [8.6, 18.25, None])
    >>> price(8.6), price(None)
    ('$8.60', '–')
    >>> format_of("weight [kg]", [950, 12400])(12400), format_of("year", [1999, 2026])(2026)
    ('12,400 kg', '2026')
    """
    known = [value for value in values if value is not None]
    if known and all(isinstance(value, int | float) and not isinstance(value, bool) for value in known):
        return _number_format(column, known)
    texts = [value for value in known if isinstance(value, str)]
    if texts and all(value[:1] == "#" and NUMBER.fullmatch(value[1:]) for value in texts):
        return lambda value: MISSING if value is None else str(value)[1:]  # a declared category: the mark is ours
    if texts and all(MIDNIGHT.fullmatch(value[10:]) for value in texts):
        return lambda value: MISSING if value is None else str(value)[:10]  # a day, as data frames hold it
    return _text


def heading_of(column: str, *values: str) -> str:
    """The name of a column beside some of its values: without the unit that they have.

    >>> heading_of("price ($)", "$8.60"), heading_of("price (old)", "8.60")
    ('price', 'price (old)')
    """
    heading, unit = split_unit(column)
    written = any(value.endswith(f" {unit}") or value.lstrip("-").startswith(unit) for value in values)
    return heading if unit and written else column


def split_unit(column: str) -> tuple[str, str]:
    """The name of a column and the unit after it; an empty one where the brackets hold none that is known.

    >>> split_unit("weight [kg]"), split_unit("mpg (city)")
    (('weight', 'kg'), ('mpg (city)', ''))
    """
    found = UNIT.fullmatch(column)
    unit = "" if found is None else (found["round"] or found["square"]).strip()
    return (found["heading"], unit) if found and (unit in UNITS or unit in CURRENCIES) else (column, "")


def _text(value: Any) -> str:
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = " ".join(str(value).split())
    return text if len(text) <= MAX_LETTERS else f"{text[: MAX_LETTERS - 1]}…"


def _number_format(column: str, known: Sequence[float]) -> Format:
    largest, smallest = max(map(abs, known)), min((abs(value) for value in known if value), default=1.0)
    unit = split_unit(column)[1]
    before, after = (unit, "") if unit in CURRENCIES else ("", f" {unit}" if unit else "")
    if largest >= MAX_PLAIN or smallest < MIN_PLAIN:
        how = ".6g"
    else:
        spread = max(known) - min(known)
        enough = max(MAX_DECIMALS, MAX_DECIMALS - floor(log10(spread)) if spread else 0)
        some = known[:: max(1, len(known) // MAX_LOOKED_AT)]
        decimals = max(_written_decimals(round(value, enough)) for value in some)
        decimals = 2 if before and decimals == 1 else decimals  # a table forgets the last zero of $8.50
        separated = largest >= MIN_SEPARATED and not NOT_COUNTED.search(column)
        how = f"{',' if separated else ''}.{decimals}f"

    def write(value: Any) -> str:
        if value is None:
            return MISSING
        sign = "-" if value < 0 else ""
        return f"{sign}{before}{abs(value):{how}}{after}"

    return write


def _written_decimals(value: float) -> int:
    """How many decimals a number has as it is written: 2 for 18.25, none for 3.0."""
    exponent = Decimal(repr(value)).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0
