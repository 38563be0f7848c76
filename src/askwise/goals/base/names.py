"""The people of a group as somebody writes them: names, or how many they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise.options import parts, refusal, text, whole_number

MAX_PEOPLE = 20


def check_people(name: str, value: Any) -> int | list[str]:
    """Everybody's name, or how many they are.

    >>> check_people("people", "Ann, Ben"), check_people("people", ["3"])
    (['Ann', 'Ben'], 3)
    """
    given = [part.strip() for part in value.split(",")] if isinstance(value, str) else value
    if isinstance(given, list | tuple) and len(given) == 1 and str(given[0]).isdecimal():
        given = int(given[0])
    if isinstance(given, int | float | np.number):
        return whole_number(name, given, at_least=2, at_most=MAX_PEOPLE)
    names = [one.strip() for one in given if isinstance(one, str)] if isinstance(given, list | tuple) else []
    fits = 2 <= len(names) <= MAX_PEOPLE and len(names) == len(given) and all(0 < len(one) <= 200 for one in names)
    if not fits or len({one.casefold() for one in names}) < len(names):
        raise refusal(name, value, f"2 to {MAX_PEOPLE} different names, or how many people they are")
    return names


def check_names(name: str, value: Any) -> list[str]:
    """Names, or a text that holds them with commas between; an empty one has none.

    >>> check_names("without", "Ann, Ben"), check_names("without", "")
    (['Ann', 'Ben'], [])
    """
    if isinstance(value, str):
        value = value.split(",") if value.strip() else ()
    given = parts(name, value, "a list of names")
    return [text(name, one).strip() for one in given]
