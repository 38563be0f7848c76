"""Checks of what a caller gives as an option.

Each function takes the `name` of the option and its `value`, and returns a plain Python value or raises `SettingError`.
NumPy's numbers and texts count as Python's. Whole floats such as 2.0 are whole numbers, since tables and JSON do not
tell them apart. Booleans are not numbers.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Collection, Iterable, Mapping
from decimal import Decimal
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askwise.errors import SettingError

LARGEST_WHOLE = 2**63 - 1  # what files, databases and arrays can hold
LARGEST_SEED = 2**128 - 1  # as many bits as NumPy's own seeds have


def refusal(name: str, value: Any, expected: str) -> SettingError:
    """The error that says what came and what was expected.

    >>> refusal("budget", "x", "a whole number")
    SettingError("budget is 'x'; expected a whole number")
    """
    return SettingError(f"{name} is {shown(value)}; expected {expected}")


def shown(value: Any) -> str:
    """A short text of any value, on one line.

    >>> shown("a\\nb")
    "'a\\\\nb'"
    """
    try:
        if isinstance(value, int):
            str(value)  # reprlib of Python 3.14 gives an address in memory instead of an error
        return " ".join(reprlib.repr(value).split())
    except ValueError:  # a whole number with more digits than Python writes
        return f"a {type(value).__name__} that cannot be shown"


def number(
    name: str,
    value: Any,
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
) -> float:
    """A finite number within the limits.

    >>> number("noise", np.float32(0.5), at_least=0, below=1)
    0.5
    >>> number("noise", "much", at_least=0, below=1)
    Traceback (most recent call last):
    askwise.errors.SettingError: noise is 'much'; expected a number of at least 0 and below 1
    """
    found = _finite(value)
    if (
        found is None
        or (above is not None and not found > above)
        or (at_least is not None and not found >= at_least)
        or (below is not None and not found < below)
        or (at_most is not None and not found <= at_most)
    ):
        limits = {"above": above, "of at least": at_least, "below": below, "at most": at_most}
        raise refusal(name, value, _within("a number", limits))
    return found


def whole_number(name: str, value: Any, *, at_least: int | None = None, at_most: int | None = None) -> int:
    """A whole number within the limits.

    >>> whole_number("budget", 2.0, at_least=1)
    2
    >>> whole_number("budget", True, at_least=1)
    Traceback (most recent call last):
    askwise.errors.SettingError: budget is True; expected a whole number of at least 1
    """
    found = _finite(value)
    whole = int(value) if found is not None and found.is_integer() else None
    highest = LARGEST_WHOLE if at_most is None else at_most
    if whole is None or whole > highest or whole < (-LARGEST_WHOLE if at_least is None else at_least):
        beyond = at_most is not None or (whole is not None and whole > highest)
        limits = {"of at least": at_least, "at most": highest if beyond else None}
        raise refusal(name, value, _within("a whole number", limits))
    return whole


def _within(kind: str, limits: Mapping[str, float | None]) -> str:
    known = {
        words: f"{limit:g}" if isinstance(limit, float) else f"{limit}"
        for words, limit in limits.items()
        if limit is not None
    }
    if known.keys() == {"of at least", "at most"}:
        return f"{kind} from {known['of at least']} to {known['at most']}"
    return " ".join([kind, " and ".join(f"{words} {limit}" for words, limit in known.items())]).rstrip()


def _finite(value: Any) -> float | None:
    """The value as a finite float; None if it is not one."""
    if isinstance(value, bool | np.timedelta64) or not isinstance(value, Real | Decimal):
        return None
    try:
        found = float(value)
    except (ArithmeticError, ValueError):  # a number beyond floats, or Decimal("sNaN")
        return None
    return found if isfinite(found) else None


def flag(name: str, value: Any) -> bool:
    """True or False; 1 and 0 mean the same.

    >>> flag("repeat", np.True_)
    True
    """
    whole = isinstance(value, int | np.integer) and not isinstance(value, np.timedelta64)  # also an np.integer
    if isinstance(value, bool | np.bool_) or (whole and value in (0, 1)):
        return bool(value)
    raise refusal(name, value, "True or False")


def text(name: str, value: Any) -> str:
    """A text that files can hold: without half of a surrogate pair.

    >>> text("who", 1)
    Traceback (most recent call last):
    askwise.errors.SettingError: who is 1; expected a text
    """
    if isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value):
        return str(value)
    raise refusal(name, value, "a text")


def choice(name: str, value: Any, known: Collection[str]) -> str:
    """One of the texts that are known.

    >>> choice("by", "luck", ("regret", "exact"))
    Traceback (most recent call last):
    askwise.errors.SettingError: by is 'luck'; expected 'regret' or 'exact'
    """
    if isinstance(value, str) and value in known:
        return str(value)
    *others, last = map(repr, known)
    raise refusal(name, value, f"{', '.join(others)} or {last}")


def column(name: str, value: Any) -> str:
    """The name of a column: a text, or a number as dataframes may have.

    >>> column("name", 7)
    '7'
    """
    if isinstance(value, str) or (isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)):
        return str(value)
    raise refusal(name, value, "the name of a column")


def columns(name: str, value: Any) -> list[str]:
    """Names of columns: one, or any collection of them.

    >>> columns("features", "size"), columns("features", ("size", "price"))
    (['size'], ['size', 'price'])
    """
    if isinstance(value, str):
        return [str(value)]
    return [column(name, each) for each in parts(name, value, "a list of names of columns")]


def parts(name: str, value: Any, expected: str) -> list[Any]:
    """The elements of any collection except texts, in a list.

    >>> parts("rows", range(2), "a list of rows")
    [0, 1]
    """
    if isinstance(value, Iterable) and not isinstance(value, str | bytes | bytearray | memoryview):
        try:
            return list(value)
        except TypeError:  # an array without dimensions
            pass
    raise refusal(name, value, expected)


def numbers(name: str, value: Any, expected: str) -> NDArray[np.floating[Any]]:
    """A new array of floats, of any shape.

    >>> numbers("costs", [1, 2], "a number for each column")
    array([1., 2.])
    """
    try:
        found = np.asarray(value)
        if found.dtype.kind in "biufO" and not isinstance(value, bytearray | memoryview):
            return np.array(found, dtype=float, order="C")
    except (ArithmeticError, RecursionError, TypeError, ValueError):
        pass
    raise refusal(name, value, expected)


def function(name: str, value: Any) -> Callable[..., Any]:
    """Anything that can be called.

    >>> function("score", 1)
    Traceback (most recent call last):
    askwise.errors.SettingError: score is 1; expected a function
    """
    if callable(value):
        return value
    raise refusal(name, value, "a function")


def implementing(name: str, value: Any, protocol: type, expected: str) -> Any:
    """An object that implements a runtime-checkable protocol, and is not a class.

    >>> from collections.abc import Sized
    >>> implementing("pool", 1, Sized, "a pool of rows")
    Traceback (most recent call last):
    askwise.errors.SettingError: pool is 1; expected a pool of rows
    """
    if isinstance(value, type) or not isinstance(value, protocol):
        raise refusal(name, value, expected)
    return value


def mapping(name: str, value: Any, expected: str, *keys: str) -> Mapping[str, Any]:
    """A mapping with at least these keys.

    >>> mapping("recipe", {}, "a goal and its options", "goal")
    Traceback (most recent call last):
    askwise.errors.SettingError: recipe is {}; expected a goal and its options
    """
    if isinstance(value, Mapping) and all(key in value for key in keys):
        return value
    raise refusal(name, value, expected)
