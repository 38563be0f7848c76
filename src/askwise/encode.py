"""From a user's table to named items with numeric features.

Every kind of input first becomes plain columns (:func:`table`), so the same data gives the same items whatever held it.
Rows are counted from 1 in names and messages.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from askwise.errors import DataError, SettingError
from askwise.types import Floats

NAMES = ("name", "title", "item", "id")  # what a name column is called, likeliest first
IDENTIFIER = re.compile(r"(.*[_. ])?id|index|rownames|unnamed: 0", re.IGNORECASE)
ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?")
NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*", re.IGNORECASE)
EXPECTED = "expected a dataframe, a 2-D array, a list of dicts, a dict of columns or a list of names"
Columns = dict[str, list[Any]]


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


def table(data: Any) -> Columns:
    """The same data as plain columns that JSON can hold: numbers, booleans, texts, and None for what is missing.

    Dates become ISO texts, decimals numbers, durations numbers of days; a list of names becomes the column "name".

    >>> table([{"x": 1, "seen": date(2024, 5, 1)}, {"x": float("nan"), "seen": date(2024, 5, 3)}])
    {'x': [1, None], 'seen': ['2024-05-01', '2024-05-03']}
    """
    columns = {str(column): values for column, values in _raw_columns(data).items()}
    if not any(columns.values()):
        raise DataError("the table is empty; give at least two rows and one column")
    sizes = {len(values): column for column, values in columns.items()}
    if len(sizes) > 1:
        told = " and ".join(f"{column!r} has {size}" for size, column in list(sizes.items())[:2])
        raise DataError(f"columns differ in length: {told} values; make them the same")
    return {column: _plain(column, values) for column, values in columns.items()}


def _raw_columns(data: Any) -> dict[Any, list[Any]]:
    if isinstance(data, Mapping):
        for column, values in data.items():
            if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
                raise DataError(f"column {column!r} is a {type(values).__name__}; give a list with one value a row")
        return {column: list(values) for column, values in data.items()}
    if isinstance(data, np.ndarray) and data.ndim == 2:
        return {f"column {j + 1}": data[:, j].tolist() for j in range(data.shape[1])}
    if isinstance(data, np.ndarray) and not (data.ndim == 1 and data.dtype.kind in "UOT"):
        raise DataError(f"the array has shape {data.shape} and type {data.dtype}; expected 2-D, items by features")
    if not isinstance(data, list | tuple | np.ndarray):
        return _from_frame(data)
    if all(isinstance(row, str) for row in data):
        return {"name": list(data)}
    if not all(isinstance(row, Mapping) for row in data):
        raise DataError(f"the list holds {', '.join(sorted({type(row).__name__ for row in data}))}; {EXPECTED}")
    for i, row in enumerate(data):
        for odd in sorted(row.keys() ^ data[0].keys(), key=str):
            told = f"row {i + 1} {'has' if odd in row else 'lacks'} the column {odd!r}, unlike row 1"
            raise DataError(f"{told}; give every row the same columns, with None for what is not known")
    return {column: [row[column] for row in data] for column in data[0]}


def _from_frame(data: Any) -> dict[Any, list[Any]]:
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        frame: Any = nw.from_native(data, pass_through=True)
    except DuplicateError as error:
        raise DataError("two columns of the table have the same name; rename one of them") from error
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, nw.DataFrame):
        raise DataError(f"a {type(data).__name__} cannot become items; {EXPECTED}")
    index: Any = nw.maybe_get_index(frame)
    # pandas keeps what identifies a row, often the name, in the index; unnamed integers are only row numbers
    if index is not None and (index.name not in frame.columns if index.name else index.dtype.kind not in "iu"):
        frame = nw.from_native(data.reset_index())
    columns = {series.name: series.to_list() for series in frame.iter_columns()}
    for series in frame.iter_columns():
        if series.dtype in (nw.Categorical, nw.Enum):  # numbers that were declared categories stay categories
            columns[series.name] = [None if _cell(value) is None else str(value) for value in columns[series.name]]
    return columns


def _plain(column: str, values: list[Any]) -> list[Any]:
    """One column as plain values: texts only or no texts, with None for what is missing."""
    try:
        plain = {*map(type, values)} <= {bool, int, float, type(None)}  # a shortcut: large tables are mostly numbers
        cells: list[Any] = [None if v != v else v for v in values] if plain else [_cell(value) for value in values]
    except TypeError as error:
        told = f"column {column!r} holds {error} values; expected numbers, texts, booleans or dates"
        raise DataError(f"{told}: convert the column or drop it from the table") from None
    if _is_text(cells):
        return [None if cell is None else str(cell) for cell in cells]
    largest = sys.float_info.max  # an integer can be larger than any float
    infinite = [i for i, cell in enumerate(cells) if cell is not None and abs(cell) > largest]
    if infinite:
        told = f"column {column!r} is infinite in {_rows(infinite)}; expected finite numbers"
        raise DataError(f"{told}: mend the values or drop the column from the table")
    return cells


def _cell(value: Any) -> bool | int | float | str | None:
    if isinstance(value, str):
        return str(value) if value.strip() else None  # readers of CSV differ on whether a blank is a text
    if isinstance(value, np.datetime64 | np.timedelta64):
        value = value.astype(f"{value.dtype.kind}8[us]")  # nanoseconds would become bare integers
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value).__name__ in ("NAType", "NaTType"):  # pandas' own, without importing pandas
        return None
    if isinstance(value, bool | int):
        return value
    if isinstance(value, float | Decimal | Real):
        return None if value != value else float(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value / timedelta(days=1)
    raise TypeError(type(value).__name__)


def _is_text(values: Iterable[Any]) -> bool:
    return str in set(map(type, values))


def _rows(positions: Sequence[int]) -> str:
    shown = ", ".join(str(i + 1) for i in positions[:3])
    return f"row{'s' if len(positions) > 1 else ''} {shown}{', ...' if len(positions) > 3 else ''}"


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
        if _is_text(values) and None not in values and len(set(values)) == len(values) and _days(values) is None:
            return column
    return None


def _guess_image(columns: Columns) -> str | None:
    return next((column for column, values in columns.items() if column.lower() == "image" and _is_text(values)), None)


def _names(column: str, values: list[Any]) -> tuple[str, ...]:
    empty = [i for i, value in enumerate(values) if value is None]
    if empty:
        raise DataError(f"the name column {column!r} is empty in {_rows(empty)}; fill it or choose another with name=")
    first: dict[str, int] = {}
    for i, item in enumerate(map(str, values)):
        if first.setdefault(item, i) != i:
            told = f"the name {item!r} is in rows {first[item] + 1} and {i + 1} of column {column!r}"
            raise DataError(f"{told}; give every item a name of its own or choose another column with name=")
    return tuple(first)


def _images(column: str, values: list[Any]) -> tuple[str | None, ...]:
    if not _is_text(values):
        raise DataError(f"the image column {column!r} holds no texts; expected paths or addresses of pictures")
    return tuple(values)


def _feature(column: str, values: list[Any], *, named: bool, impute: bool) -> tuple[list[str], Floats] | str:
    """Labels and an (N, k) block of mean squared length 1, or why there is none."""
    present = [value for value in values if value is not None]
    unknown = [i for i, value in enumerate(values) if value is None]
    numbers = _days(present) if _is_text(present) else [float(value) for value in present]
    distinct: set[Any] = set(present if numbers is None else numbers)
    if not distinct or (len(distinct) == 1 and not (numbers is None and unknown)):
        return "is constant" if present else "is empty"
    if numbers is None and 2 * len(distinct) > len(values):
        if named:
            told = f"column {column!r} has {len(distinct)} different texts in {len(values)} rows, too many categories"
            raise DataError(f"{told}; turn it into numbers or a few categories, or take it out of features")
        return "is numbers written as text" if all(map(NUMBER.fullmatch, distinct)) else "is free text"
    if not named and len(distinct) == len(values) and {*map(type, present)} == {int} and IDENTIFIER.fullmatch(column):
        return "is an identifier"
    if unknown and not impute:
        told = f"column {column!r} has missing values, {len(unknown)} of {len(values)} ({_rows(unknown)})"
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


def _days(texts: Sequence[str]) -> list[float] | None:
    """Days since 1970 if every text is an ISO date, which is how a saved table holds dates."""
    if not all(map(ISO_DATE.fullmatch, texts)):
        return None
    try:
        moments = [datetime.fromisoformat(text) for text in texts]
    except ValueError:  # the 31st of June
        return None
    return [(moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() / 86400 for moment in moments]
