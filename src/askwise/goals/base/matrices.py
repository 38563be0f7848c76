"""Tables of which the entries are sought: how a user's matrix is read, and how its rows and columns are named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from askwise.data.tables import Columns, Rows, is_text, is_vectors, table
from askwise.errors import DataError, SettingError
from askwise.options import number, numbers, parts, refusal, shown, whole_number
from askwise.structures.matrices import MAX_ENTRIES, MAX_ENTRY
from askwise.types import Floats

ENTRY = "a row, a column and a value"
MatrixData = Rows | tuple[int, int] | Sequence[Sequence[float | None]]  # a table, a shape, or rows of entries


def matrix_columns(data: MatrixData) -> Columns:
    """A matrix as columns, whatever held it; a shape is a table with nothing in it.

    >>> matrix_columns((2, 2))
    {'column 1': [None, None], 'column 2': [None, None]}
    """
    if isinstance(data, list | tuple) and len(data) == 2 and all(isinstance(size, int | np.integer) for size in data):
        rows, columns = map(int, data)
        if min(rows, columns) < 1 or rows * columns > MAX_ENTRIES:
            limits = f"at least one row and two columns and at most {MAX_ENTRIES:,} entries"
            raise DataError(f"a matrix needs {limits}, got the shape {shown((rows, columns))}")
        return {f"column {j + 1}": [None] * rows for j in range(columns)}
    if isinstance(data, list | tuple) and data and all(isinstance(row, list | tuple) for row in data):
        if len({len(row) for row in data}) > 1:
            raise DataError("the rows of the matrix differ in length; give None for entries that are not known")
        try:
            data = np.array(data, dtype=float)
        except (TypeError, ValueError):
            raise DataError(
                "the matrix holds something that is not a number; give None for what is not known"
            ) from None
    return table(data)


def read_matrix(columns: Columns, name: str | None) -> tuple[str | None, list[str], list[str], Floats]:
    """The column of the row names, these names, the column names, and the entries with NaN for what is not known.

    `name` is the column of the row names, if it was given.

    >>> read_matrix({"who": ["Ann", "Ben"], "tea": [3.0, None], "milk": [None, 1.0]}, None)[:3]
    ('who', ['Ann', 'Ben'], ['tea', 'milk'])
    """
    columns = dict(columns)
    texts = [column for column, values in columns.items() if is_text(values)]
    if name is not None and name not in columns:
        raise DataError(f"there is no column {shown(name)} to name the rows; the columns are {', '.join(columns)}")
    label = name if name is not None else texts[0] if len(texts) == 1 else None
    vectors = [column for column, values in columns.items() if is_vectors(values)]
    if vectors:
        raise DataError(f"column {vectors[0]!r} holds vectors; the entries of a matrix are numbers, one a cell")
    odd = [column for column in texts if column != label]
    if odd:
        raise DataError(f"column {odd[0]!r} holds texts; entries are numbers, and only one column may name the rows")
    names = columns.pop(label) if label is not None else []
    if len(columns) < 2:
        raise DataError(f"a matrix needs at least two columns of numbers, got {len(columns)}; add more")
    entries = np.array([[np.nan if v is None else float(v) for v in values] for values in columns.values()]).T
    if any(cell is None for cell in names):
        raise DataError(f"column {label!r} names the rows but is empty in some; name them all")
    row_names = [str(cell) for cell in names] or [f"row {i + 1}" for i in range(len(entries))]
    return label, row_names, list(columns), entries


def known_entries(
    entries: Floats, row_names: Sequence[str], column_names: Sequence[str], more: Sequence[Sequence[Any]]
) -> list[tuple[int, int, float]]:
    """All entries that are known at the start, in the table or named in `more`: (row, column, value) by number."""
    found = [(int(i), int(j), float(entries[i, j])) for i, j in np.argwhere(~np.isnan(entries))]
    for i, j, value in found:
        if not abs(value) <= MAX_ENTRY:
            told = f"the entry {row_names[i]!r}, {column_names[j]!r} is {value:g}"
            raise DataError(f"{told}; expected a number from -{MAX_ENTRY:g} to {MAX_ENTRY:g}")
    return found + [
        (find_name("row", row, row_names), find_name("column", column, column_names), value)
        for row, column, value in more
    ]


def find_name(noun: str, which: int | str, names: Sequence[str]) -> int:
    """The number of a row or a column that is given by its name or its number.

    >>> find_name("row", "Ben", ["Ann", "Ben"])
    1
    """
    if isinstance(which, str) and which in names:
        return names.index(which)
    if isinstance(which, int) and 0 <= which < len(names):
        return which
    raise SettingError(f"there is no {noun} {shown(which)}; name one of the {len(names)}, or number it from 0")


def check_rows_option(name: str, value: Any) -> list[int | str]:
    """Rows by their names or numbers.

    >>> check_rows_option("rows", ("Ann", 1.0))
    ['Ann', 1]
    """
    return [_name_or_number(name, row) for row in parts(name, value, "a list of rows")]


def check_known(name: str, value: Any) -> list[list[Any]]:
    """Known entries as JSON can hold them: row, column and value.

    >>> check_known("known", [("Ann", "tea", 3)])
    [['Ann', 'tea', 3.0]]
    """
    return [_entry(each) for each in parts(name, value, f"a list of known entries, each {ENTRY}")]


def check_costs(name: str, value: Any) -> Any:
    """Costs as JSON can hold them, also as they are typed: a number for all, or one for each column.

    >>> check_costs("costs", ["1", "4"]), check_costs("costs", ["2"]), check_costs("costs", 3)
    ([1.0, 4.0], 2.0, 3.0)
    """
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        try:
            typed = [float(each) for each in value]
        except ValueError:
            raise refusal(name, value, "a number, or one for each column") from None
        return typed[0] if len(typed) == 1 else typed
    return check_numbers(name, value)


def check_numbers(name: str, value: Any) -> Any:
    """Numbers of any shape as JSON can hold them.

    >>> check_numbers("costs", (1, 2))
    [1.0, 2.0]
    """
    return numbers(name, value, "numbers").tolist()


def _entry(given: Any) -> list[Any]:
    found = parts("a known entry", given, ENTRY)
    if len(found) != 3:
        raise refusal("a known entry", given, ENTRY)
    row = _name_or_number("the row of a known entry", found[0])
    column = _name_or_number("the column of a known entry", found[1])
    name = f"the known entry {shown(row)}, {shown(column)}"
    return [row, column, number(name, found[2], at_least=-MAX_ENTRY, at_most=MAX_ENTRY)]


def _name_or_number(name: str, value: Any) -> int | str:
    return str(value) if isinstance(value, str) else whole_number(name, value)
