"""From a user's table to named items with numeric features.

Every kind of input first becomes plain columns, so the same data gives the same items whatever held it. Rows count
from 1 in names and messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from askwise.errors import DataError, SettingError
from askwise.tables import NUMBER, Columns, is_text, rows_named, table
from askwise.types import Floats

NAMES = ("name", "title", "item", "id")  # what a name column is called, likeliest first
IDENTIFIER = re.compile(r"(.*[_. ])?id|index|rownames|unnamed: 0", re.IGNORECASE)
ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?")


@dataclass(frozen=True, eq=False)
class Items:
    """N named things with D numbers each; the mean squared length of a row of features is 1."""

    names: tuple[str, ...]
    images: tuple[str | None, ...]
    features: Floats  # (N, D); D is 0 if there is nothing but names
    columns: tuple[str, ...]  # D names such as "price" or "type=van"
    left_out: Mapping[str, str]  # column -> why it is not a feature

    def __eq__(self, other: object) -> bool:  # the generated one cannot compare arrays
        fields = ("names", "images", "columns", "left_out")
        same = isinstance(other, Items) and all(getattr(self, field) == getattr(other, field) for field in fields)
        return same and np.array_equal(self.features, other.features)  # type: ignore[attr-defined]


def encode(
    data: Any,
    *,
    name: str | None = None,
    image: str | None = None,
    features: Iterable[str] | None = None,
    missing: str = "refuse",
) -> Items:
    """Items from any dataframe, 2-D array, list of dicts, dict of columns or list of names.

    Numbers, booleans and dates (as days) are standardised; categories become one column a level. Each original column
    has the same total variance, and all together give rows of mean squared length 1, so that one prior scale fits every
    table. Without ``features`` every column that can be one is taken; ``left_out`` says why the others are not.
    With ``missing="impute"`` an unknown number becomes the mean and an unknown category the level "missing".

    >>> items = encode({"name": ["Swift", "Camry", "Astro", "Previa"], "price": [8.6, 18.2, 16.6, 22.7],
    ...                 "type": ["car", "car", "van", "van"], "wheels": [4, 4, 4, 4]})
    >>> items.names, items.columns
    (('Swift', 'Camry', 'Astro', 'Previa'), ('price', 'type=car', 'type=van'))
    >>> items.left_out
    {'name': 'is the name', 'wheels': 'is constant'}
    """
    if missing not in ("refuse", "impute"):
        raise SettingError(f"missing must be 'refuse' or 'impute', got {missing!r}")
    columns = table(data)
    count = len(next(iter(columns.values())))
    if count < 2:
        raise DataError("the table has only one row; give at least two items, or there is nothing to compare")
    chosen = None if features is None else list(dict.fromkeys([features] if isinstance(features, str) else features))
    _check_known(columns, name=[name], image=[image], features=chosen or [])
    free = {column: values for column, values in columns.items() if column not in (chosen or [])}
    name = _guess_name(free) if name is None else name
    image = _guess_image(free) if image is None else image

    left_out = {} if chosen is None else dict.fromkeys(free, "is not in features")
    left_out |= {column: why for column, why in ((image, "is the image"), (name, "is the name")) if column in free}
    used = [column for column in columns if column not in left_out] if chosen is None else chosen
    labels: list[str] = []
    blocks: list[Floats] = [np.empty((count, 0))]
    for column in used:
        feature = _feature(column, columns[column], named=chosen is not None, impute=missing == "impute")
        if isinstance(feature, str):
            left_out[column] = feature
        else:
            labels += feature[0]
            blocks.append(feature[1])
    if used and not labels:
        reasons = ", ".join(f"{column!r} {left_out[column]}" for column in used)
        raise DataError(f"no column can be a feature: {reasons}; add a column with numbers or a few categories")
    return Items(
        names=tuple(f"item {i + 1}" for i in range(count)) if name is None else _names(name, columns[name]),
        images=(None,) * count if image is None else _images(image, columns[image]),
        features=np.hstack(blocks) / np.sqrt(max(len(blocks) - 1, 1)),  # each block has mean squared length 1
        columns=tuple(labels),
        left_out={column: left_out[column] for column in columns if column in left_out},
    )


def _check_known(columns: Columns, **options: Sequence[str | None]) -> None:
    for option, given in options.items():
        for column in given:
            if column is not None and column not in columns:
                known = ", ".join(map(repr, columns))
                raise DataError(f"{option}= names the column {column!r}, but the table has only {known}")


def _guess_name(columns: Columns) -> str | None:
    for known in NAMES:
        for column, values in columns.items():
            if column.lower() == known and not any(isinstance(value, bool | float) for value in values):
                return column
    for column, values in columns.items():
        if is_text(values) and None not in values and len(set(values)) == len(values) and _written(values) is None:
            return column
    return None


def _guess_image(columns: Columns) -> str | None:
    return next((column for column, values in columns.items() if column.lower() == "image" and is_text(values)), None)


def _names(column: str, values: list[Any]) -> tuple[str, ...]:
    empty = [i for i, value in enumerate(values) if value is None]
    if empty:
        raise DataError(
            f"the name column {column!r} is empty in {rows_named(empty)}; fill it or choose another with name="
        )
    first: dict[str, int] = {}
    for i, item in enumerate(map(str, values)):
        if first.setdefault(item, i) != i:
            told = f"the name {item!r} is in rows {first[item] + 1} and {i + 1} of column {column!r}"
            raise DataError(f"{told}; give every item a name of its own or choose another column with name=")
    return tuple(first)


def _images(column: str, values: list[Any]) -> tuple[str | None, ...]:
    if not is_text(values):
        raise DataError(f"the image column {column!r} holds no texts; expected paths or addresses of pictures")
    return tuple(values)


def _feature(column: str, values: list[Any], *, named: bool, impute: bool) -> tuple[list[str], Floats] | str:
    """Labels and an (N, k) block of mean squared length 1, or why there is none."""
    present = [value for value in values if value is not None]
    unknown = [i for i, value in enumerate(values) if value is None]
    numbers = _written(present) if is_text(present) else [float(value) for value in present]
    distinct: set[Any] = set(present if numbers is None else numbers)
    if not distinct or (len(distinct) == 1 and not (numbers is None and unknown)):
        return "is constant" if present else "is empty"
    if numbers is None and 2 * len(distinct) > len(values):
        if named:
            told = f"column {column!r} has {len(distinct)} different texts in {len(values)} rows, too many categories"
            raise DataError(f"{told}; turn it into numbers or a few categories, or take it out of features")
        return "is free text"
    counted = numbers is not None and float not in set(map(type, present)) and all(map(float.is_integer, numbers))
    if not named and counted and len(distinct) == len(values) and IDENTIFIER.fullmatch(column):
        return "is an identifier"
    if unknown and not impute:
        told = f"column {column!r} has missing values, {len(unknown)} of {len(values)} ({rows_named(unknown)})"
        raise DataError(f"{told}; fill them, use missing='impute', or leave the column out with features=")
    if numbers is None:
        filled = ["missing" if value is None else value for value in values]
        levels = {level: j for j, level in enumerate(sorted(set(filled)))}
        labels, block = [f"{column}={level}" for level in levels], np.eye(len(levels))[[levels[v] for v in filled]]
    else:
        # a power of two changes no digit and keeps the squares of huge and tiny numbers finite and above zero
        scaled = np.ldexp(numbers, -int(np.frexp(np.abs(numbers).max())[1]))
        labels, block = [column], np.full((len(values), 1), scaled.mean())
        block[[value is not None for value in values], 0] = scaled
    block = block - block[0]  # exact for close numbers, whose mean would be rounded by as much as they differ
    block = block - block.mean(axis=0)
    return labels, block / np.sqrt((block**2).sum(axis=1).mean())


def _written(texts: Sequence[str]) -> list[float] | None:
    """What the texts say if all are numbers (from a CSV reader) or ISO dates (from a saved table; days since 1970)."""
    if all(map(NUMBER.fullmatch, texts)):
        return [float(text) for text in texts]
    if not all(map(ISO_DATE.fullmatch, texts)):
        return None
    try:
        moments = [datetime.fromisoformat(text) for text in texts]
    except ValueError:  # the 31st of June
        return None
    return [(moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() / 86400 for moment in moments]
