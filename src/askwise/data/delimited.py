"""Tables in texts with separators: CSV and TSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from askwise.data.amounts import is_plain_number
from askwise.data.media import short_path
from askwise.data.readings import ISO_DATE, find_reading
from askwise.data.tables import NUMBER, Columns, is_text, table
from askwise.errors import DataError

MISSING_TEXTS = ("", "na", "n/a", "nan", "null", "none", "-")  # in a column of numbers
BOOLEAN_TEXTS = {"true": True, "false": False}
MAX_ROWS = 200_000  # of a table; larger Parquet files are pools
MAX_EXACT_DIGITS = 300  # of a whole number
MAX_NAME_LETTERS = 100  # of a column; longer ones are texts
KNOWN_NAMES = (
    "name names title item items id text texts label labels image picture category type kind description comment "
    "comments review question answer colour color city country brand author note notes url link "
    "a b c d e f same best worst response who reason"  # of tables of answers
)
HEADER_NAMES = frozenset(KNOWN_NAMES.split())
NO_HEADER = (
    "expected names of columns: put a line with names above it, change that name, or use header=False if there are none"
)


class FileTable(NamedTuple):
    """The columns of a file, and what to tell about how it was read."""

    columns: Columns
    remarks: tuple[str, ...] = ()


def check_row_count(name: str, count: int) -> None:
    """Refuses a file with more rows than any goal takes.

    >>> check_row_count("cars.csv", 93)
    """
    if count > MAX_ROWS:
        raise DataError(f"{name} has more than {MAX_ROWS:,} rows, which no goal can take; give a random part of them")


def read_delimited(path: Path, text: str, header: bool = True) -> FileTable:
    """The table in the text of a .csv or .tsv file. Without a `header`, the first line is a row.

    >>> read_delimited(Path("cars.csv"), "name,price\\nSwift,8.6\\nCamry,18.2\\n").columns
    {'name': ['Swift', 'Camry'], 'price': [8.6, 18.2]}
    """
    cells = read_cells(path, text, header)
    if not any(cells.values()):
        raise DataError(f"{path.name} has no rows; expected a first line with the names of the columns, then the rows")
    decimal_comma = separator_of(path, text) == ";"
    columns = {name: _typed(values, decimal_comma) for name, values in cells.items()}
    if not header:
        return FileTable(table(columns))
    check_header(path.name, columns)
    return FileTable(table(columns), header_remarks(columns))


def separator_of(path: Path, text: str) -> str:
    """What stands between two values: a tab in a .tsv file, else what the first line has most of.

    >>> separator_of(Path("cars.csv"), "name;price")
    ';'
    """
    return "\t" if path.suffix.lower() == ".tsv" else max(",;\t", key=text.partition("\n")[0].count)


def read_cells(path: Path, text: str, header: bool = True) -> dict[str, list[str]]:
    """The texts in each column of a .csv or .tsv file, as they are.

    >>> read_cells(Path("cars.csv"), "name,price\\nSwift,08.6\\n")
    {'name': ['Swift'], 'price': ['08.6']}
    """
    separator, read = separator_of(path, text), 0  # lines that were read whole
    try:
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
        first = next(lines, [])
        names = column_names(path.name, first if header else [""] * len(first))
        read = lines.line_num
        values: list[list[str]] = [[] if header else [cell] for cell in first]
        for row in lines:
            read = lines.line_num
            if not row:
                continue
            if len(row) != len(values):
                has = f"{len(row)} value{'' if len(row) == 1 else 's'}"
                above = "header" if header else "first line"
                problem = f"line {lines.line_num} of {path.name} has {has}, the {above} has {len(values)}"
                mark = "tab" if separator == "\t" else f"'{separator}'"
                raise DataError(f"{problem}; correct the line, or put texts with a {mark} in quotes")
            for column, cell in zip(values, row, strict=True):
                column.append(cell)
            check_row_count(path.name, len(values[0]))
    except csv.Error as error:
        if "unexpected end" in str(error):
            problem = f"a quote that opens in line {read + 1} of {path.name} or below is never closed"
            raise DataError(f"{problem}; close it, or write two quotes for one within a text") from None
        if "field limit" in str(error):
            problem = (
                f"a text in line {read + 1} of {path.name} or below has more than {csv.field_size_limit():,} letters"
            )
            raise DataError(f"{problem}; shorten it, or close a quote that was left open") from None
        raise DataError(f"line {lines.line_num} of {path.name} is not well formed; correct its quotes") from None
    return dict(zip(names, values, strict=True))


def column_names(file: str, cells: Sequence[Any]) -> list[str]:
    """The names of columns in a first line; those that have none are numbered.

    >>> column_names("cars.csv", ["name", " "])
    ['name', 'column 2']
    """
    names = [str(cell).strip() or f"column {place + 1}" for place, cell in enumerate(cells)]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"two columns of {file} are called {short_path(twice)!r}; rename one of them")
    return names


def header_remarks(columns: Columns) -> tuple[str, ...]:
    """What to tell where nothing shows that the first line held names and not a row: all columns hold texts.

    >>> header_remarks({"tea": ["milk", "water"]})
    ("The first line, 'tea', was taken for the names of columns. If it is a row, use header=False.",)
    """
    known = {column.lower() for column in columns} & HEADER_NAMES
    if known or not all(is_text(values) and find_reading(values) is None for values in columns.values()):
        return ()
    line = short_path(", ".join(columns))
    return (f"The first line, {line!r}, was taken for the names of columns. If it is a row, use header=False.",)


def check_header(name: str, columns: Columns) -> None:
    """Refuses a first line of values: nothing but numbers, a column called 8.6, one called 31 with numbers below and
    above it, one called $5 with money below, or one whose name is one of its values or a long text.

    >>> check_header("cars.csv", {"Swift": ["Camry"], "8.6": [18.2]})
    Traceback (most recent call last):
    askwise.errors.DataError: the first line of cars.csv holds the number 8.6; expected names of columns: put ...
    """
    for column, values in columns.items():
        texts = [value for value in values if isinstance(value, str)]
        told = f"the first line of {name} holds {short_path(column)!r}"
        if column in texts and column.lower() not in HEADER_NAMES:
            raise DataError(f"{told}, which is also a value below it; {NO_HEADER}")
        if (ISO_DATE.fullmatch(column) or find_reading([column])) and (find_reading(texts) or _all_dates(texts)):
            raise DataError(f"{told}, a value like those below it; {NO_HEADER}")
        if len(column) > MAX_NAME_LETTERS and texts:
            raise DataError(f"{told}, which is too long for the name of a column; {NO_HEADER}")
    read = {column: column.replace(",", ".") for column in columns}
    numbers = {column: float(text) for column, text in read.items() if NUMBER.fullmatch(text)}
    steps = {after - before for before, after in pairwise(numbers.values())}
    if len(numbers) > 2 and len(steps) == 1 and all(map(float.is_integer, numbers.values())):
        return  # 2019, 2020, 2021
    for column, number in numbers.items():
        known = [value for value in columns[column] if isinstance(value, int | float)]
        among = known and min(known) <= number <= max(known)
        if not number.is_integer() or among or len(numbers) == len(columns):
            raise DataError(f"the first line of {name} holds the number {short_path(column)}; {NO_HEADER}")


def _all_dates(texts: list[str]) -> bool:
    return bool(texts) and all(map(ISO_DATE.fullmatch, texts))


def _typed(cells: list[str], decimal_comma: bool) -> list[Any]:
    """Texts as numbers, booleans or vectors, if all are or are missing; a code such as 007 stays a text."""
    known = [cell.strip() for cell in cells if cell.strip().lower() not in MISSING_TEXTS]
    if known and all(cell.lower() in BOOLEAN_TEXTS for cell in known):
        return [BOOLEAN_TEXTS.get(cell.strip().lower()) for cell in cells]
    vectors = list(map(_vector, known)) if known and all(cell.startswith("[") for cell in known) else []
    if vectors and len({len(vector) for vector in vectors if vector is not None}) == 1 and None not in vectors:
        found = iter(vectors)
        return [None if cell.strip().lower() in MISSING_TEXTS else next(found) for cell in cells]
    decimals = [cell.replace(",", ".") for cell in known] if decimal_comma else known
    coded = any(len(cell) > 1 and cell[0] == "0" and cell.isdigit() for cell in known)
    thousands = decimal_comma and any("." in cell for cell in known) and not is_plain_number(known)  # 1.234 and 999
    if not known or coded or thousands or not all(map(NUMBER.fullmatch, decimals)):
        empty = MISSING_TEXTS if find_reading(known) is not None else ("",)
        return [None if cell.strip().lower() in empty else cell for cell in cells]
    whole = all(cell.lstrip("+-").isdigit() for cell in decimals)
    exact = whole and max(map(len, decimals)) <= MAX_EXACT_DIGITS
    numbers = iter(int(cell) if exact else float(cell) for cell in decimals)
    return [None if cell.strip().lower() in MISSING_TEXTS else next(numbers) for cell in cells]


def _vector(cell: str) -> list[float] | None:
    """The numbers between brackets, as lists and arrays are written; None if there is anything else."""
    inside = cell.removeprefix("[").removesuffix("]").replace(",", " ").split()
    numbers = cell.endswith("]") and inside and all(map(NUMBER.fullmatch, inside))
    return [float(number) for number in inside] if numbers else None
