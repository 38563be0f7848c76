"""What families about named items or rows share: their features, names and pictures, and the question for a label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from askwise.errors import DataError
from askwise.types import Floats, Option, Prompt, Response


def checked_points(points: Any) -> Floats:
    """A table (N, D) of finite numbers.

    >>> checked_points([1.0, 2.0])
    Traceback (most recent call last):
    askwise.errors.DataError: points must be a table of finite numbers, rows by features; got shape (2,)
    """
    found: Floats = np.asarray(points, dtype=float)
    if found.ndim != 2 or not found.size or not np.isfinite(found).all():
        raise DataError(f"points must be a table of finite numbers, rows by features; got shape {found.shape}")
    return found


def one_hot(rows: Any, count: int) -> Floats:
    """(A,) -> (A, count): features that pick one of `count` scores for each of these rows.

    >>> one_hot([2, 0], 3)
    array([[0., 0., 1.],
           [1., 0., 0.]])
    """
    places = np.asarray(rows, dtype=int)
    found = np.zeros((len(places), count))
    found[np.arange(len(places)), places] = 1.0
    return found


def names_and_images(
    count: int, noun: str, names: Sequence[str] | None, images: Sequence[str | None] | None
) -> tuple[tuple[str, ...], tuple[str | None, ...]]:
    """A name and a picture for each of `count` items; where none are given, numbered names and no pictures.

    >>> names_and_images(2, "item", None, ["a.png", "b.png"])
    (('item 0', 'item 1'), ('a.png', 'b.png'))
    """
    for what, given in (("names", names), ("images", images)):
        if given is not None and len(given) != count:
            raise DataError(f"there are {len(given)} {what} for {count} {noun}s; give one each")
    known = tuple(f"{noun} {place}" for place in range(count)) if names is None else tuple(names)
    return known, (None,) * count if images is None else tuple(images)


def label_prompt(option: Option, codes: Mapping[Response, Response]) -> Prompt:
    """The question for the label of one row. `codes` maps each label to the family's response.

    >>> label_prompt(Option("lemon"), {"sweet": -1, "sour": 1}).text
    'Which label fits lemon?'
    """
    return Prompt("label", (option,), tuple(codes), codes, f"Which label fits {option.name}?")
