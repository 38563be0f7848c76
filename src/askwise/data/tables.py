"""A user's data as plain columns, whatever library holds it: numbers, booleans, texts, and None if missing."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from numbers import Real
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from askwise.errors import DataError

NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*", re.IGNORECASE)
SURROGATE = re.compile("[\ud800-\udfff]")
EXPECTED_INPUT = "expected a dataframe, a 2-D array, a list of dicts, a dict of columns or a list of names"
MAX_VECTOR_NUMBERS = 20_000_000  # of one column
Columns = dict[str, list[Any]]


class NativeFrame(Protocol):
    """A dataframe of pandas, polars, pyarrow or another library that narwhals knows."""

    @property
    def columns(self) -> Any: ...
    def join(self, *args: Any, **keywords: Any) -> Any: ...


Rows = Sequence[str] | Sequence[Mapping[Any, object]] | Mapping[Any, Iterable[object]] | NDArray[Any] | NativeFrame
TableData = Rows | str | Path  # rows, or the file or folder that holds them


def table(data: Any) -> Columns:
    """`data` as plain columns that JSON can hold: numbers, booleans, texts, and None for missing values.

    Dates become ISO texts, decimals numbers, durations numbers of days; a list of names becomes the column "name".
    Vectors (lists, tuples and arrays of numbers, all of one length) become lists of numbers.

    >>> table([{"x": 1, "seen": date(2024, 5, 1)}, {"x": float("nan"), "seen": date(2024, 5, 3)}])
    {'x': [1, None], 'seen': ['2024-05-01', '2024-05-03']}
    """
    columns = {str(column): values for column, values in _raw_columns(data).items()}
    if not any(columns.values()):
        raise DataError("the table is empty; give at least two rows and one column")
    sizes = {len(values): column for column, values in columns.items()}
    if len(sizes) > 1:
        problem = " and ".join(f"{column!r} has {size}" for size, column in list(sizes.items())[:2])
        raise DataError(f"columns differ in length: {problem} values; make them the same")
    check_texts("the name of column", columns)
    return {column: _plain(column, values) for column, values in columns.items()}


def check_texts(where: str, texts: Iterable[str | None]) -> None:
    """Refuses texts that no file can hold: half of a surrogate pair, and the character NUL.

    `where` says in the message where the texts are.

    >>> check_texts("row", ["tea", None])
    """
    known = ["" if text is None else text for text in texts]
    whole = "".join(known)
    if "\0" in whole or not (whole.isascii() or SURROGATE.search(whole) is None):
        odd = next(i for i, text in enumerate(known) if "\0" in text or SURROGATE.search(text))
        raise DataError(f"{where} {odd + 1} is {known[odd][:30]!r}, which is not a valid text; write it again")


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
        raise DataError(f"the list holds {', '.join(sorted({type(row).__name__ for row in data}))}; {EXPECTED_INPUT}")
    for i, row in enumerate(data):
        for odd in sorted(row.keys() ^ data[0].keys(), key=str):
            problem = f"row {i + 1} {'has' if odd in row else 'lacks'} the column {odd!r}, unlike row 1"
            raise DataError(f"{problem}; give every row the same columns, with None for what is not known")
    return {column: [row[column] for row in data] for column in data[0]}


def _from_frame(data: Any) -> dict[Any, list[Any]]:
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        frame: Any = nw.from_native(data, pass_through=True, allow_series=True)
    except DuplicateError as error:
        raise DataError("two columns of the table have the same name; rename one of them") from error
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, nw.Series):
        return _raw_columns(frame.to_list())
    if not isinstance(frame, nw.DataFrame):
        raise DataError(f"data of type {type(data).__name__} cannot become items; {EXPECTED_INPUT}")
    index: Any = nw.maybe_get_index(frame)
    # pandas keeps what identifies a row, often the name, in the index; unnamed integers are only row numbers
    if index is not None and (index.name not in frame.columns if index.name else index.dtype.kind not in "iu"):
        frame = nw.from_native(data.reset_index())
    columns = {series.name: series.to_list() for series in frame.iter_columns()}
    for series in frame.iter_columns():
        if series.dtype in (nw.Categorical, nw.Enum):
            columns[series.name] = [None if _cell(value) is None else _level(value) for value in columns[series.name]]
    return columns


def _level(value: Any) -> str:
    """A declared category as text. A number gets a mark, or it would be read as a number again."""
    return f"#{value}" if NUMBER.fullmatch(str(value)) else str(value)


def _plain(column: str, values: list[Any]) -> list[Any]:
    """One column as plain values: texts only, vectors only, or neither, with None for what is missing."""
    try:
        if any(map(_is_vector, values)):
            return _vectors(column, values)
        plain = {*map(type, values)} <= {bool, int, float, type(None)}  # a shortcut: large tables are mostly numbers
        cells: list[Any] = [None if v != v else v for v in values] if plain else [_cell(value) for value in values]
    except TypeError as error:
        problem = f"column {column!r} holds {error} values; expected numbers, texts, booleans, dates or vectors"
        raise DataError(f"{problem}: convert the column or drop it from the table") from None
    if is_text(cells):
        texts = [None if cell is None else str(cell) for cell in cells]
        check_texts(f"column {column!r} in row", texts)
        return texts
    largest = sys.float_info.max  # an integer can be larger than any float
    infinite = [i for i, cell in enumerate(cells) if cell is not None and abs(cell) > largest]
    if infinite:
        problem = f"column {column!r} is infinite in {rows_named(infinite)}; expected finite numbers"
        raise DataError(f"{problem}: correct the values or drop the column from the table")
    return cells


def _is_vector(value: Any) -> bool:
    return isinstance(value, list | tuple) or getattr(value, "ndim", 0) == 1


def _vectors(column: str, values: list[Any]) -> list[Any]:
    """Vectors as lists of numbers; refused unless all have the same length."""
    cells: list[Any] = []
    for row, value in enumerate(values):
        if not _is_vector(value):
            if _cell(value) is not None:
                raise TypeError("list")  # beside values that are none
            cells.append(None)
            continue
        array = np.asarray(value) if all(isinstance(each, int | float | np.number) for each in value) else None
        if array is None or not array.size or array.dtype.kind not in "iufb":
            raise TypeError(type(value).__name__)
        if not np.isfinite(array).all():
            raise DataError(
                f"column {column!r} has a vector with a number that is not finite in {rows_named([row])}; correct it"
            )
        cells.append(array.astype(float).tolist())
    sizes = {len(cell): row for row, cell in reversed(list(enumerate(cells))) if cell is not None}
    if len(sizes) > 1:
        told = " and ".join(f"{size} in {rows_named([row])}" for size, row in list(sizes.items())[:2])
        raise DataError(f"column {column!r} has vectors of different lengths, {told}; make them the same")
    if sum(map(len, filter(None, cells))) > MAX_VECTOR_NUMBERS:
        problem = f"column {column!r} has vectors with more than {MAX_VECTOR_NUMBERS:,} numbers together"
        raise DataError(f"{problem}; give fewer rows or shorter vectors")
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


def is_text(values: Iterable[Any]) -> bool:
    """True if any value is a text.

    >>> is_text([1, "tea"]), is_text([1, None])
    (True, False)
    """
    return str in set(map(type, values))


def is_vectors(values: Iterable[Any]) -> bool:
    """True if any value is a vector.

    >>> is_vectors([None, [1.0, 2.0]]), is_vectors([1, None])
    (True, False)
    """
    return list in set(map(type, values))


def rows_named(positions: Sequence[int]) -> str:
    """Positions as people count rows: from 1, the first three of them.

    >>> rows_named([0, 4, 5, 9])
    'rows 1, 5, 6, ...'
    """
    shown = ", ".join(str(i + 1) for i in positions[:3])
    return f"row{'s' if len(positions) > 1 else ''} {shown}{', ...' if len(positions) > 3 else ''}"
