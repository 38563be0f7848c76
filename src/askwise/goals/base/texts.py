"""Numbers and lists as short texts for people."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10
from typing import Any

import numpy as np


def percent(share: float) -> str:
    """A probability for people: never 0 % or 100 % unless it is.

    >>> percent(0.123), percent(0.999), percent(1.0), percent(0.0001)
    ('12 %', '> 99 %', '100 %', '< 1 %')
    """
    if 0 < share < 0.01:
        return "< 1 %"
    if 0.99 < share < 1:
        return "> 99 %"
    return f"{100 * share:.0f} %"


def in_words(chance: float) -> str:
    """A probability within a sentence.

    >>> in_words(0.63), in_words(0.999), in_words(0.001), in_words(1.0)
    ('63 %', 'more than 99 %', 'less than 1 %', 'more than 99 %')
    """
    return "less than 1 %" if chance < 0.01 else "more than 99 %" if chance > 0.99 else f"{100 * chance:.0f} %"


def rounded(value: float, spread: float) -> str:
    """A number with as many decimals as matter where values spread so far.

    >>> rounded(0.08684, 3.0), rounded(-12.4, 250.0)
    ('0.09', '−12')
    """
    decimals = max(0, 2 - floor(log10(spread))) if spread > 0 else 2
    return f"{value:.{min(decimals, 12)}f}".replace("-", "−")  # noqa: RUF001  a true minus


def ordinal(place: int) -> str:
    """A place in a list.

    >>> [ordinal(place) for place in (1, 2, 3, 4, 11, 22)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd']
    """
    suffix = "th" if 10 < place % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{suffix}"


def plural(count: int, noun: str) -> str:
    """A count with its noun.

    >>> plural(1, "answer"), plural(2, "answer")
    ('1 answer', '2 answers')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def one_of(names: Sequence[Any]) -> str:
    """Names of which one is meant.

    >>> one_of(["no", "yes"]), one_of([1, 2, 3])
    ('no or yes', '1, 2 or 3')
    """
    *others, last = map(str, names)
    return f"{', '.join(others)} or {last}" if others else last


def there_are(count: int, noun: str) -> str:
    """How many such things there are, in a sentence.

    >>> there_are(1, "pair"), there_are(4278, "pair")
    ('There is 1 such pair.', 'There are 4,278 such pairs.')
    """
    return f"There {'is' if count == 1 else 'are'} {plural(count, f'such {noun}')}."


def abbreviate(names: Sequence[str], count: int = 3) -> str:
    """The first names, and how many more there are.

    >>> abbreviate(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    more = f" and {len(names) - count} more" if len(names) > count else ""
    return ", ".join(names[:count]) + more


def shorten(text: str, length: int) -> str:
    """A text cut to a length.

    >>> shorten("a long text", 6)
    'a lon…'
    """
    return text if len(text) <= length else f"{text[: length - 1]}…"


def cell(value: Any) -> str:
    """A value of a user's table.

    >>> cell(True), cell(2.50), cell("tea")
    ('yes', '2.5', 'tea')
    """
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def one_line(value: Any) -> str:
    """An estimate in one line; lists within a list stand in brackets, and columns of a table after their names.

    >>> one_line("tea"), one_line(["tea", "milk"]), one_line([["ant", "bee"], "cow"])
    ('tea', 'tea, milk', '(ant, bee), cow')
    >>> one_line({"tea": [3.1, 2.0], "milk": [1.5, 0.5]})
    'tea: 3.1, 2; milk: 1.5, 0.5'
    """
    if isinstance(value, dict):
        return "; ".join(f"{name}: {', '.join(map(cell, values))}" for name, values in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(f"({one_line(part)})" if isinstance(part, list | tuple) else str(part) for part in value)
    return str(value)


def to_cli_name(name: str) -> str:
    """A name as it is typed on a command line.

    >>> to_cli_name("best_item")
    'best-item'
    """
    return name.replace("_", "-")
