"""From a user's table to named items with numeric features.

Every kind of input first becomes plain columns, so the same data gives the same items whatever library held it. Names
and messages count rows from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import isfinite
from typing import Any

import numpy as np

from askwise.data.tables import NUMBER, Columns, is_text, rows_named, table
from askwise.errors import DataError
from askwise.options import choice, shown
from askwise.options import column as column_name
from askwise.options import columns as column_names
from askwise.types import Floats

NAME_COLUMNS = ("name", "title", "item", "id")  # what a name column is called, likeliest first
SHOWN_REASONS = {each: f"is the {each}" for each in ("name", "image", "body", "audio", "video")}  # not to be a feature
INFINITE_TEXTS = ("inf", "infinity")
MISSING_POLICIES = ("refuse", "impute")
IDENTIFIER = re.compile(r"(.*[_. ])?id|index|rownames|unnamed: 0", re.IGNORECASE)
ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?")


@dataclass(frozen=True, eq=False)
class Column:
    """How one column becomes k features: a number or a date one, a category one for each of its levels."""

    name: str
    levels: Mapping[str, int] | None  # category -> its place; None: numbers or dates
    dated: bool
    impute: bool
    exponent: int = 0  # numbers are divided by two to this power
    fill: float = 0.0  # stands for an unknown number
    first: Floats | float = 0.0  # (k,) what is subtracted first,
    mean: Floats | float = 0.0  # (k,) and then,
    length: float = 1.0  # and what the rest is divided by

    @property
    def labels(self) -> list[str]:
        """The names of its k features."""
        return [self.name] if self.levels is None else [f"{self.name}={level}" for level in self.levels]

    def block(self, values: list[Any]) -> Floats:
        """(N, k): of mean squared length 1 for the column that it was made of."""
        return (self.raw(values) - self.first - self.mean) / self.length

    def raw(self, values: list[Any]) -> Floats:
        """(N, k) before anything is subtracted; refuses what this column never held."""
        unknown = [i for i, value in enumerate(values) if value is None]
        if unknown and not self.impute:
            problem = (
                f"column {self.name!r} has missing values, {len(unknown)} of {len(values)} ({rows_named(unknown)})"
            )
            raise DataError(f"{problem}; fill them, use missing='impute', or leave the column out with features=")
        if self.levels is not None:
            filled = ["missing" if value is None else str(value) for value in values]
            new = [i for i, level in enumerate(filled) if level not in self.levels]
            if new:
                problem = f"column {self.name!r} has {filled[new[0]]!r} in {rows_named(new[:1])}"
                raise DataError(f"{problem}; expected one of {', '.join(map(repr, self.levels))}, as before")
            return np.eye(len(self.levels))[[self.levels[level] for level in filled]]
        present = [value for value in values if value is not None]
        numbers = numbers_in(self.name, present)
        if numbers is None or (present and _are_dates(present) != self.dated):
            was = "dates" if self.dated else "numbers"
            raise DataError(f"column {self.name!r} does not hold {was}, as it did before; give {was}")
        block = np.full((len(values), 1), self.fill)
        block[[value is not None for value in values], 0] = np.ldexp(numbers, -self.exponent)
        return block


@dataclass(frozen=True, eq=False)
class Items:
    """N named things with D numbers each; the mean squared length of a row of features is 1.

    >>> encode({"name": ["Swift", "Camry"], "price": [8.6, 18.2]}).features.tolist()
    [[-1.0], [1.0]]
    """

    names: tuple[str, ...]
    images: tuple[str | None, ...]
    features: Floats  # (N, D); D is 0 if there is nothing but names
    columns: tuple[str, ...]  # D names such as "price" or "type=van"
    left_out: Mapping[str, str]  # column -> why it is not a feature
    encoding: tuple[Column, ...]  # the columns that are features, and how

    def __eq__(self, other: object) -> bool:  # the generated one cannot compare arrays
        fields = ("names", "images", "columns", "left_out")
        same = isinstance(other, Items) and all(getattr(self, field) == getattr(other, field) for field in fields)
        return same and np.array_equal(self.features, other.features)  # type: ignore[attr-defined]


def encode(
    data: Any,
    *,
    name: str | None = None,
    image: str | None = None,
    body: str | None = None,
    audio: str | None = None,
    video: str | None = None,
    features: Iterable[str] | None = None,
    missing: str = "refuse",
) -> Items:
    """Items from any dataframe, 2-D array, list of dicts, dict of columns or list of names.

    Numbers, booleans and dates (as days) are standardised; categories become one column a level. Each original column
    has the same total variance, and rows have mean squared length 1, so that one prior scale fits every table.

    `data` is the table. `name` and `image` name the columns of names and pictures; by default they are guessed. `body`,
    `audio` and `video` name the columns of long texts, sounds and films.
    `features` names the columns that count; by default every column that can be a feature does, and `left_out` says why
    the others cannot. With ``missing="impute"`` an unknown number becomes the mean, and an unknown category the level
    "missing"; by default they are refused.

    >>> items = encode({"name": ["Swift", "Camry", "Astro", "Previa"], "price": [8.6, 18.2, 16.6, 22.7],
    ...                 "type": ["car", "car", "van", "van"], "wheels": [4, 4, 4, 4]})
    >>> items.names, items.columns
    (('Swift', 'Camry', 'Astro', 'Previa'), ('price', 'type=car', 'type=van'))
    >>> items.left_out
    {'name': 'is the name', 'wheels': 'is constant'}
    """
    given = {"name": name, "image": image, "body": body, "audio": audio, "video": video}
    shown = {option: None if value is None else column_name(option, value) for option, value in given.items()}
    chosen = None if features is None else list(dict.fromkeys(column_names("features", features)))
    choice("missing", missing, MISSING_POLICIES)
    columns = table(data)
    count = len(next(iter(columns.values())))
    if count < 2:
        raise DataError("the table has only one row; give at least two items, or there is nothing to compare")
    check_known(columns, **{option: [column] for option, column in shown.items()}, features=chosen or [])
    free = {column: values for column, values in columns.items() if column not in (chosen or [])}
    unnamed = {column: values for column, values in free.items() if column not in shown.values()}
    name = shown["name"] = _guess_name(unnamed) if shown["name"] is None else shown["name"]
    image = shown["image"] = _guess_image(unnamed) if shown["image"] is None else shown["image"]

    left_out = {} if chosen is None else dict.fromkeys(free, "is not in features")
    left_out |= {column: SHOWN_REASONS[each] for each, column in reversed(shown.items()) if column in free}
    used = [column for column in columns if column not in left_out] if chosen is None else chosen
    made = {each: _feature(each, columns[each], named=chosen is not None, impute=missing == "impute") for each in used}
    left_out |= {column: feature for column, feature in made.items() if isinstance(feature, str)}
    encoded = [feature for feature in made.values() if not isinstance(feature, str)]
    if used and not encoded:
        reasons = ", ".join(f"{column!r} {left_out[column]}" for column in used)
        raise DataError(
            f"no column can be a feature: {reasons}; add a column with numbers or a few categories, "
            "or let texts become numbers with askwise new --text-features COLUMN"
        )
    return Items(
        names=tuple(f"item {i + 1}" for i in range(count)) if name is None else _names(name, columns[name]),
        images=(None,) * count if image is None else _images(image, columns[image]),
        features=_side_by_side([block for _, block in encoded], count),
        columns=tuple(label for column, _ in encoded for label in column.labels),
        left_out={column: left_out[column] for column in columns if column in left_out},
        encoding=tuple(column for column, _ in encoded),
    )


def encode_like(data: Any, encoding: Sequence[Column]) -> Floats:
    """(N, D): the features of other rows of `data`, with the means, scales and levels of an earlier `encoding`.

    >>> items = encode({"price": [1.0, 3.0], "type": ["car", "van"]}, features=["price"])
    >>> encode_like({"price": [3.0, 5.0]}, items.encoding).tolist()
    [[1.0], [3.0]]
    """
    columns = table(data)
    lacking = [column.name for column in encoding if column.name not in columns]
    if lacking:
        problem = f"the table lacks the column{'s' if len(lacking) > 1 else ''} {', '.join(map(repr, lacking))}"
        raise DataError(f"{problem}; give all of {', '.join(repr(column.name) for column in encoding)}")
    count = len(next(iter(columns.values())))
    return _side_by_side([column.block(columns[column.name]) for column in encoding], count)


def _side_by_side(blocks: list[Floats], count: int) -> Floats:
    """Blocks of mean squared length 1, side by side, as rows of mean squared length 1."""
    return np.hstack([np.empty((count, 0)), *blocks]) / np.sqrt(max(len(blocks), 1))


def check_known(columns: Iterable[str], **options: Sequence[str | None]) -> None:
    """Refuses an option that names a column which the table does not have.

    >>> check_known(["price"], show=["prize"])
    Traceback (most recent call last):
    askwise.errors.DataError: show= names the column 'prize', but the table has only 'price'
    """
    for option, given in options.items():
        for column in given:
            if column is not None and column not in columns:
                known = ", ".join(map(repr, columns))
                raise DataError(f"{option}= names the column {shown(column)}, but the table has only {known}")


def _guess_name(columns: Columns) -> str | None:
    for known in NAME_COLUMNS:
        for column, values in columns.items():
            if column.lower() == known and not any(isinstance(value, bool | float) for value in values):
                return column
    for column, values in columns.items():
        if (
            is_text(values)
            and None not in values
            and len(set(values)) == len(values)
            and _numbers_in_texts(values) is None
        ):
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
            problem = f"the name {item!r} is in rows {first[item] + 1} and {i + 1} of column {column!r}"
            raise DataError(f"{problem}; give every item a name of its own or choose another column with name=")
    return tuple(first)


def _images(column: str, values: list[Any]) -> tuple[str | None, ...]:
    if not is_text(values):
        raise DataError(f"the image column {column!r} holds no texts; expected paths or addresses of pictures")
    return tuple(values)


def _feature(name: str, values: list[Any], *, named: bool, impute: bool) -> tuple[Column, Floats] | str:
    """A column and its (N, k) block of mean squared length 1, or why there is none."""
    present = [value for value in values if value is not None]
    unknown = len(present) < len(values)
    numbers = numbers_in(name, present)
    if numbers is None:
        _refuse_infinite(name, present)
    distinct: set[Any] = set(present if numbers is None else numbers)
    if not distinct or (len(distinct) == 1 and not (numbers is None and unknown)):
        return "is constant" if present else "is empty"
    if numbers is None and 2 * len(distinct) > len(values):
        if named:
            problem = f"column {name!r} has {len(distinct)} different texts in {len(values)} rows, too many categories"
            raise DataError(f"{problem}; turn it into numbers or a few categories, or take it out of features")
        return "is free text"
    counted = numbers is not None and float not in set(map(type, present)) and all(map(float.is_integer, numbers))
    if not named and counted and len(distinct) == len(values) and IDENTIFIER.fullmatch(name):
        return "is an identifier"
    if numbers is None:
        levels = sorted(distinct | {"missing"} if unknown else distinct)
        column = Column(name, {level: j for j, level in enumerate(levels)}, False, impute)
    else:
        # a power of two changes no digit and keeps the squares of huge and tiny numbers finite and above zero
        exponent = int(np.frexp(np.abs(numbers).max())[1])
        fill = float(np.ldexp(numbers, -exponent).mean())
        column = Column(name, None, _are_dates(present), impute, exponent, fill)
    block = column.raw(values)
    first = block[0]  # subtracted first: exact for close numbers, whose mean would be rounded by as much as they differ
    block = block - first
    mean = block.mean(axis=0)
    block = block - mean
    length = float(np.sqrt((block**2).sum(axis=1).mean()))
    return replace(column, first=first, mean=mean, length=length), block / length


def numbers_in(column: str, values: Sequence[Any]) -> list[float] | None:
    """The values of a column as numbers, dates as days since 1970; None if they are texts that say neither.

    >>> numbers_in("age", ["34", "51"]), numbers_in("born", ["1970-01-03"]), numbers_in("city", ["Rome"])
    ([34.0, 51.0], [2.0], None)
    """
    numbers = _numbers_in_texts(values) if is_text(values) else [float(value) for value in values]
    odd = next((i for i, number in enumerate(numbers or ()) if not isfinite(number)), None)
    if odd is not None:
        raise DataError(f"column {column!r} holds {str(values[odd])[:50]}, which is too large; expected finite numbers")
    return numbers


def _refuse_infinite(column: str, texts: Sequence[Any]) -> None:
    """Refuses numbers of which some are written as infinite: they are no free text."""
    odd = [text for text in texts if isinstance(text, str) and text.strip().lower().lstrip("+-") in INFINITE_TEXTS]
    if odd and all(text in odd or (isinstance(text, str) and NUMBER.fullmatch(text)) for text in texts):
        raise DataError(
            f"column {column!r} holds {odd[0].strip()}; expected finite numbers: correct it or empty the cell"
        )


def _are_dates(values: Sequence[Any]) -> bool:
    """Whether values that are numbers or dates are dates."""
    return is_text(values) and NUMBER.fullmatch(values[0]) is None


def _numbers_in_texts(texts: Sequence[str]) -> list[float] | None:
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
