"""Which columns hold the names and the pictures of the rows."""

from __future__ import annotations

from typing import Any

from askwise.data.readings import Readings, plain_numbers
from askwise.data.tables import Columns, is_text, is_vectors, rows_named
from askwise.errors import DataError

NAME_COLUMNS = ("name", "title", "item", "id")  # what a name column is called, likeliest first


def guess_name(columns: Columns, readings: Readings) -> str | None:
    """The column of names: one that is called so, or else the first whose texts are all different and no numbers.

    >>> guess_name({"price": ["$5", "$6"], "drink": ["tea", "milk"]}, {"price": {"kind": "amount"}})
    'drink'
    """
    for known in NAME_COLUMNS:
        for column, values in columns.items():
            if column.lower() == known and not any(isinstance(value, bool | float | list) for value in values):
                return column
    for column, values in columns.items():
        distinct = is_text(values) and None not in values and len(set(values)) == len(values)
        if distinct and column not in readings and plain_numbers(values) is None:
            return column
    return None


def guess_image(columns: Columns) -> str | None:
    """The column of pictures: the one called image.

    >>> guess_image({"Image": ["tea.png"]})
    'Image'
    """
    return next((column for column, values in columns.items() if column.lower() == "image" and is_text(values)), None)


def item_names(column: str, values: list[Any]) -> tuple[str, ...]:
    """The names in a column; refused if one is missing or there twice.

    >>> item_names("name", ["tea", 7])
    ('tea', '7')
    """
    if is_vectors(values):
        raise DataError(f"the name column {column!r} holds vectors; choose another with name=")
    empty = [i for i, value in enumerate(values) if value is None]
    if empty:
        raise DataError(
            f"the name column {column!r} is empty in {rows_named(empty)}; fill it or choose another with name="
        )
    first: dict[str, int] = {}
    for i, item in enumerate(map(str, values)):
        if first.setdefault(item, i) != i:
            problem = f"the name {item!r} is in rows {first[item] + 1} and {i + 1} of column {column!r}"
            raise DataError(f"{problem}; give every item a name of its own or choose another column with name=")
    return tuple(first)


def item_images(column: str, values: list[Any]) -> tuple[str | None, ...]:
    """The pictures in a column; refused if it holds no texts.

    >>> item_images("image", ["tea.png", None])
    ('tea.png', None)
    """
    if not is_text(values):
        raise DataError(f"the image column {column!r} holds no texts; expected paths or addresses of pictures")
    return tuple(values)
