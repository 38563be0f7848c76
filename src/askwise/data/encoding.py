"""From a user's table to named items with numeric features.

Every kind of input first becomes plain columns, so the same data gives the same items whatever library held it. Names
and messages count rows from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from askwise.data.embeddings import apply_readings
from askwise.data.names import guess_image, guess_name, item_images, item_names
from askwise.data.readings import (
    Readings,
    TextReading,
    numbers_in,
    text_reading,
    text_readings,
    why_unreadable,
)
from askwise.data.tables import NUMBER, is_text, is_vectors, rows_named, table
from askwise.errors import DataError
from askwise.options import choice, shown
from askwise.options import column as column_name
from askwise.options import columns as column_names
from askwise.types import Floats

SHOWN_REASONS = {each: f"is the {each}" for each in ("name", "image", "body", "audio", "video")}  # not to be a feature
IS_EMBEDDED = "is embedded"
FREE_TEXT = "is free text"
INFINITE_TEXTS = ("inf", "infinity")
MISSING_POLICIES = ("refuse", "impute")
IDENTIFIER = re.compile(r"(.*[_. ])?id|index|rownames|unnamed: 0", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Column:
    """How one column becomes k features: a number or a date one, a category one for each of its levels, a vector one
    for each of its numbers."""

    name: str  # of the column
    levels: Mapping[str, int] | None  # category -> its place; None: numbers, dates or vectors
    dated: bool  # whether it holds dates
    impute: bool  # whether unknown values are filled in
    exponent: int = 0  # numbers are divided by two to this power
    fill: Floats | float = 0.0  # stands for an unknown number or vector
    first: Floats | float = 0.0  # (k,) what is subtracted first,
    mean: Floats | float = 0.0  # (k,) and then,
    length: float = 1.0  # and what the rest is divided by
    reading: TextReading | None = None  # how its texts are numbers or dates; None: as programs write them
    size: int = 0  # the length of its vectors; 0: it has none
    vectors: Mapping[str, Any] | None = None  # how they were made and reduced, if they were

    @property
    def source(self) -> str:
        """The column of texts or pictures that it was made of; else itself."""
        return self.name if self.vectors is None else self.vectors.get("of", self.name)

    @property
    def labels(self) -> list[str]:
        """The names of its k features."""
        if self.size:
            return [f"{self.name}[{place + 1}]" for place in range(self.size)]
        return [self.name] if self.levels is None else [f"{self.name}={level}" for level in self.levels]

    def block(self, values: list[Any]) -> Floats:
        """(N, k): of mean squared length 1 for the column that it was made of.

        :param values: The values of the column, one a row.
        """
        return (self.raw(values) - self.first - self.mean) / self.length

    def raw(self, values: list[Any]) -> Floats:
        """(N, k) before anything is subtracted; refuses what this column never held.

        :param values: The values of the column, one a row.
        """
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
        known = np.array([value is not None for value in values])
        block = np.full((len(values), self.size or 1), self.fill)
        if present:
            block[known] = np.ldexp(self._vectors(present) if self.size else self._numbers(present), -self.exponent)
        return block

    def _numbers(self, present: list[Any]) -> Floats:
        """(N, 1)"""
        numbers = None if is_vectors(present) else numbers_in(self.name, present, self.reading)
        kept = self.reading is not None or (numbers is not None and _are_dates(present) == self.dated)
        if numbers is None or not kept:
            was = "dates" if self.dated else "numbers"
            raise DataError(f"column {self.name!r} does not hold {was}, as it did before; give {was}")
        return np.array(numbers)[:, None]

    def _vectors(self, present: list[Any]) -> Floats:
        """(N, k)"""
        if not is_vectors(present) or len(present[0]) != self.size:
            raise DataError(f"column {self.name!r} does not hold vectors of {self.size} numbers; give such as before")
        return np.array(present)


@dataclass(frozen=True, eq=False)
class Items:
    """N named things with D numbers each; the mean squared length of a row of features is 1.

    >>> encode({"name": ["Swift", "Camry"], "price": [8.6, 18.2]}).features.tolist()
    [[-1.0], [1.0]]
    """

    names: tuple[str, ...]  # one for each item
    images: tuple[str | None, ...]  # the picture of each, or None
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
    readings: Readings | None = None,
) -> Items:
    """Items from any dataframe, 2-D array, list of dicts, dict of columns or list of names.

    Numbers, booleans and dates (as days) are standardised; categories become one column a level, vectors one column a
    number. Each original column has the same total variance, also one of vectors, and rows have mean squared length 1,
    so that one prior scale fits every table. Texts such as "$1,234", "4.5 h", "12 %" and "17.03.2024" are numbers.

    `data` is the table. `name` and `image` name the columns of names and pictures; by default they are guessed. `body`,
    `audio` and `video` name the columns of long texts, sounds and films.
    `features` names the columns that count; by default every column that can be a feature does, and `left_out` says why
    the others cannot. With ``missing="impute"`` an unknown number becomes the mean, and an unknown category the level
    "missing"; by default they are refused. `readings` says how a study read texts before; by default that is found out.

    :param data: The table: a dataframe, an array, a list of dicts, a dict of columns or a list of names.
    :param name: The column of names; guessed by default.
    :param image: The column of pictures; guessed by default.
    :param body: The column of long texts.
    :param audio: The column of sounds.
    :param video: The column of films.
    :param features: The columns that count; by default every column that can be a feature.
    :param missing: "refuse" unknown values, or "impute" them.
    :param readings: How a study read the texts of columns before; found out by default.

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
    readings = text_readings(columns) if readings is None else readings
    free = {column: values for column, values in columns.items() if column not in (chosen or [])}
    unnamed = {column: values for column, values in free.items() if column not in shown.values()}
    name = shown["name"] = guess_name(unnamed, readings) if shown["name"] is None else shown["name"]
    image = shown["image"] = guess_image(unnamed) if shown["image"] is None else shown["image"]

    left_out = {} if chosen is None else dict.fromkeys(free, "is not in features")
    left_out |= {each["of"]: IS_EMBEDDED for each in readings.values() if each.get("of") in free}
    left_out |= {column: SHOWN_REASONS[each] for each, column in reversed(shown.items()) if column in free}
    used = [column for column in columns if column not in left_out] if chosen is None else chosen
    how = {"named": chosen is not None, "impute": missing == "impute"}
    made = {each: _feature(each, columns[each], readings.get(each), **how) for each in used}
    left_out |= {column: feature for column, feature in made.items() if isinstance(feature, str)}
    encoded = [feature for feature in made.values() if not isinstance(feature, str)]
    if used and not encoded:
        reasons = ", ".join(f"{column!r} {left_out[column]}" for column in used)
        raise DataError(
            f"no column can be a feature: {reasons}; add a column with numbers or a few categories, "
            "or let texts become numbers with embed="
        )
    return Items(
        names=tuple(f"item {i + 1}" for i in range(count)) if name is None else item_names(name, columns[name]),
        images=(None,) * count if image is None else item_images(image, columns[image]),
        features=_side_by_side([block for _, block in encoded], count),
        columns=tuple(label for column, _ in encoded for label in column.labels),
        left_out={column: left_out[column] for column in columns if column in left_out},
        encoding=tuple(column for column, _ in encoded),
    )


def encode_like(data: Any, encoding: Sequence[Column]) -> Floats:
    """(N, D): the features of other rows of `data`, with the means, scales and levels of an earlier `encoding`.

    :param data: Other rows of the same table.
    :param encoding: How the columns of the first rows became features: `Items.encoding`.

    >>> items = encode({"price": [1.0, 3.0], "type": ["car", "van"]}, features=["price"])
    >>> encode_like({"price": [3.0, 5.0]}, items.encoding).tolist()
    [[1.0], [3.0]]
    """
    columns = apply_readings(table(data), {each.name: each.vectors for each in encoding if each.vectors is not None})
    lacking = [column.source for column in encoding if column.name not in columns]
    if lacking:
        problem = f"the table lacks the column{'s' if len(lacking) > 1 else ''} {', '.join(map(repr, lacking))}"
        raise DataError(f"{problem}; give all of {', '.join(repr(column.source) for column in encoding)}")
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


def _feature(
    name: str, values: list[Any], stored: Mapping[str, Any] | None, *, named: bool, impute: bool
) -> tuple[Column, Floats] | str:
    """A column and its (N, k) block of mean squared length 1, or why there is none."""
    present = [value for value in values if value is not None]
    if is_vectors(present):
        return _vector_feature(name, values, stored, impute)
    reading = text_reading(stored)
    unknown = len(present) < len(values)
    numbers = numbers_in(name, present, reading)
    if numbers is None:
        _refuse_infinite(name, present)
    distinct: set[Any] = set(present if numbers is None else numbers)
    if not distinct or (len(distinct) == 1 and not (numbers is None and unknown)):
        return "is constant" if present else "is empty"
    if numbers is None and 2 * len(distinct) > len(values):
        why = why_unreadable(values)
        if named:
            problem = f"column {name!r} has {len(distinct)} different texts in {len(values)} rows, too many categories"
            remedy = "turn it into numbers or a few categories, embed it, or take it out of features"
            raise DataError(f"{problem}; {remedy}" if why is None else f"column {name!r} cannot be a feature: {why}")
        return why or FREE_TEXT
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
        dated = _are_dates(present) if reading is None else reading.dated
        column = Column(name, None, dated, impute, exponent, fill, reading=reading)
    return _standardised(column, values)


def _vector_feature(
    name: str, values: list[Any], stored: Mapping[str, Any] | None, impute: bool
) -> tuple[Column, Floats] | str:
    """The same for a column of vectors: all its numbers together weigh as much as one column of numbers."""
    points = np.array([value for value in values if value is not None])
    if not np.ptp(points, axis=0).any():
        return "is constant"
    exponent = int(np.frexp(np.abs(points).max())[1])
    fill = np.ldexp(points, -exponent).mean(axis=0)
    return _standardised(
        Column(name, None, False, impute, exponent, fill, size=points.shape[1], vectors=stored), values
    )


def _standardised(column: Column, values: list[Any]) -> tuple[Column, Floats]:
    """The column and its block, both of mean squared length 1."""
    block = column.raw(values)
    first = block[0]  # subtracted first: exact for close numbers, whose mean would be rounded by as much as they differ
    block = block - first
    mean = block.mean(axis=0)
    block = block - mean
    length = float(np.sqrt((block**2).sum(axis=1).mean()))
    return replace(column, first=first, mean=mean, length=length), block / length


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
