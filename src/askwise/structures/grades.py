"""Grades of an answer: "left, clearly" instead of "left", "probably yes" instead of "yes"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askwise.errors import SettingError
from askwise.options import parts, shown
from askwise.types import Response

MAX_GRADES = 4  # nine answers with "equal": one key each
MAX_LETTERS = 30


def check_grades(name: str, value: Any) -> list[str]:
    """The grades from the weakest to the strongest; none where answers have no grades.

    >>> check_grades("grades", "slightly, clearly, much")
    ['slightly', 'clearly', 'much']
    >>> check_grades("grades", ["much"])
    Traceback (most recent call last):
    askwise.errors.SettingError: grades is ['much']; expected two to four different words from the weakest, such as
    'slightly, clearly, much'
    """
    listed = value.split(",") if isinstance(value, str) else parts(name, value, "a list of words")
    stripped = [part.strip() if isinstance(part, str) else part for part in listed]
    known = [part for part in stripped if not isinstance(part, str) or part]
    plain = all(isinstance(part, str) and len(part) <= MAX_LETTERS and "," not in part for part in known)
    different = plain and len({part.casefold() for part in known}) == len(known)
    if known and not (different and 2 <= len(known) <= MAX_GRADES):
        expected = "two to four different words from the weakest, such as 'slightly, clearly, much'"
        raise SettingError(f"{name} is {shown(value)}; expected {expected}")
    return known


def levels(grades: Sequence[str]) -> list[int]:
    """The levels of one side, from the weakest: 1, ..., G; 1 alone without grades.

    >>> levels(["slightly", "much"]), levels([])
    ([1, 2], [1])
    """
    return list(range(1, max(1, len(grades)) + 1))


def graded_pair(left: str, right: str, grades: Sequence[str], ties: bool) -> dict[Response, int]:
    """The answers to a pair from the strongest for the left to the strongest for the right, and the level of each.

    >>> list(graded_pair("left", "right", ["slightly", "much"], ties=True).items())
    [('left, much', 2), ('left, slightly', 1), ('equal', 0), ('right, slightly', -1), ('right, much', -2)]
    """
    first: dict[Response, int] = {f"{left}, {grades[level - 1]}": level for level in reversed(levels(grades))}
    second: dict[Response, int] = {f"{right}, {grades[level - 1]}": -level for level in levels(grades)}
    return {**first, **({"equal": 0} if ties else {}), **second}


def graded_labels(labels: Sequence[Response], grades: Sequence[str]) -> dict[Response, Response]:
    """The answers about a label from surely the first to surely the second, and the level of each.

    >>> list(graded_labels(("no", "yes"), ["probably", "surely"]).items())
    [('surely no', -2), ('probably no', -1), ('probably yes', 1), ('surely yes', 2)]
    """
    first: dict[Response, Response] = {f"{grades[level - 1]} {labels[0]}": -level for level in reversed(levels(grades))}
    return {**first, **{f"{grades[level - 1]} {labels[1]}": level for level in levels(grades)}}
