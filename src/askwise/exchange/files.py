"""Writing tables: the ending of the name decides the format, and a file is complete or not there."""

from __future__ import annotations

import csv
import json
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from askwise.data.parquet import load_pyarrow
from askwise.data.spreadsheets import NEEDS_OPENPYXL
from askwise.data.tables import NUMBER
from askwise.errors import SettingError, StudyError

MAX_SHEET_ROWS, MAX_SHEET_COLUMNS = 2**20, 2**14  # of Excel
MAX_CELL_LETTERS = 32_767  # of Excel; longer texts end there
Table = dict[str, list[Any]]  # column -> its values
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")  # of a spreadsheet


def write_table(table: Table, path: str | Path) -> None:
    """Writes a table as .csv, .tsv, .xlsx, .jsonl or .parquet.

    - `table`: columns by name, all of one length.
    - `path`: an existing file is replaced.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "drinks.csv"
    >>> write_table({"name": ["tea", "milk"], "price": [2.5, None]}, path)
    >>> print(path.read_text())
    name,price
    tea,2.5
    milk,
    """
    ending = Path(path).suffix.lower()
    if ending not in WRITERS:
        raise SettingError(f"{path} ends in {ending or 'nothing'}; a table is written as {', '.join(WRITERS)}")
    with replace_file(path) as draft:
        WRITERS[ending](table, draft)


def csv_text(table: Table) -> str:
    """A table as the text of a CSV file.

    - `table`: columns by name, all of one length.

    >>> print(csv_text({"name": ["tea", "=1+1"]}))
    name
    tea
    '=1+1
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        write_table(table, path)
        return path.read_text(encoding="utf-8")


@contextmanager
def replace_file(path: str | Path, private: bool = True) -> Iterator[Path]:
    """Yields a draft to write to. It takes the place of `path` once it is complete.

    - `path`: a file, which keeps its permissions, or nothing yet.
    - `private`: whether only its owner may read a new file; else others may as far as usual.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "note.txt"
    >>> with replace_file(path) as draft:
    ...     _ = draft.write_text("complete")
    >>> path.read_text()
    'complete'
    """
    final = Path(path)
    draft = final.with_name(f".{os.getpid()}.{final.name}")
    try:
        if final.exists() and not final.is_file():  # a pipe or a device would be replaced
            raise StudyError(f"{path} is there already and not a file; choose another name")
        draft.touch(0o600 if private else 0o666)
        if final.exists():
            draft.chmod(stat.S_IMODE(final.stat().st_mode))
        yield draft
        os.replace(draft, final)
    except OSError as error:
        raise StudyError(f"{str(path)[:100]} cannot be written: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _delimited_writer(delimiter: str) -> Callable[[Table, Path], None]:
    def write_rows(columns: Table, path: Path) -> None:
        with path.open("w", encoding="utf-8", newline="") as file:
            plain, quoted = (
                csv.writer(file, delimiter=delimiter, lineterminator="\n", quoting=quoting)
                for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL)
            )
            for row in (tuple(columns), *zip(*columns.values(), strict=True)):
                # the csv module would leave an old line break without quotes
                broken = any(isinstance(cell, str) and "\r" in cell for cell in row)
                (quoted if broken else plain).writerow(map(_escape_formula, row))

    return write_rows


def _escape_formula(cell: Any) -> Any:
    """Puts a ' before a text that a spreadsheet would run as a formula; spreadsheets then read a text."""
    formula = isinstance(cell, str) and cell.startswith(FORMULA_STARTS) and not NUMBER.fullmatch(cell)
    return f"'{cell}" if formula else cell


def _write_lines(columns: Table, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for row in zip(*columns.values(), strict=True):
            file.write(json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False, allow_nan=False) + "\n")


def _write_parquet(columns: Table, path: Path) -> None:
    arrow = load_pyarrow()
    try:
        table = arrow.table({name: as_one_type(values) for name, values in columns.items()})
    except (arrow.ArrowException, OverflowError) as error:
        raise StudyError(f"Parquet cannot hold this table ({error}); write it as .csv or .jsonl") from None
    arrow.parquet.write_table(table, path)


def _write_spreadsheet(columns: Table, path: Path) -> None:
    """Texts stay texts: none becomes a formula."""
    try:
        from openpyxl import Workbook
        from openpyxl.cell import WriteOnlyCell
        from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
    except ModuleNotFoundError:
        raise SettingError(NEEDS_OPENPYXL) from None
    rows = max(map(len, columns.values()), default=0)
    if rows >= MAX_SHEET_ROWS or len(columns) > MAX_SHEET_COLUMNS:
        problem = f"an Excel sheet holds {MAX_SHEET_ROWS - 1:,} rows and {MAX_SHEET_COLUMNS:,} columns"
        raise StudyError(f"{problem}, and the table has {rows:,} and {len(columns):,}; write it as .parquet")
    book = Workbook(write_only=True)
    sheet = book.create_sheet()

    def cell(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        made = WriteOnlyCell(sheet, ILLEGAL_CHARACTERS_RE.sub("\N{REPLACEMENT CHARACTER}", value)[:MAX_CELL_LETTERS])
        made.data_type = "s"
        return made

    sheet.append([cell(name) for name in columns])
    for row in zip(*columns.values(), strict=True):
        sheet.append([cell(value) for value in row])
    book.save(path)


def as_one_type(values: list[Any]) -> list[Any]:
    """The values, all as texts if some are. Labels may mix texts and numbers; a typed column cannot.

    - `values`: of one column.

    >>> as_one_type(["red", 3, None])
    ['red', '3', None]
    """
    if not any(isinstance(value, str) for value in values):
        return values
    return [None if value is None else str(value) for value in values]


WRITERS: dict[str, Callable[[Table, Path], None]] = {
    ".csv": _delimited_writer(","),
    ".tsv": _delimited_writer("\t"),
    ".xlsx": _write_spreadsheet,
    ".jsonl": _write_lines,
    ".parquet": _write_parquet,
}
