"""Tables in Excel files."""

from __future__ import annotations

import warnings
import zipfile
from datetime import time
from pathlib import Path
from typing import Any

from askwise.data.delimited import MISSING_TEXTS, FileTable, check_header, check_row_count, column_names, header_remarks
from askwise.data.tables import Columns, table
from askwise.errors import AskwiseError, DataError, SettingError

NEEDS_OPENPYXL = "Excel files need openpyxl; install it with: pip install 'askwise[excel]'"
MAX_UNPACKED_MB = 500  # an archive may hold much more than its size says
Rows = list[list[Any]]


def read_spreadsheet(path: Path, header: bool = True) -> FileTable:
    """The table in the first sheet of an .xlsx file that has cells; other sheets are left out, which is told.

    Without a `header`, the first row is an item.
    """
    try:
        import openpyxl
    except ModuleNotFoundError:
        raise SettingError(NEEDS_OPENPYXL) from None
    try:
        _check_size(path)
        sheets = _sheets(openpyxl, path, values=True)
        if not sheets:
            raise DataError(
                f"{path.name} has no rows; expected a first row with the names of the columns, then the rows"
            )
        (title, rows), *others = sheets.items()
        if any(cell is None for row in rows for cell in row):
            _check_formulas(openpyxl, path, title, rows)
    except (AskwiseError, FileNotFoundError, PermissionError):
        raise
    except Exception:  # a reader of a damaged file may raise anything
        raise DataError(f"{path.name} is not an Excel file, or it is damaged; save it again as .xlsx") from None
    left_out = ", ".join(repr(each) for each, _ in others)
    told = (f"Only the sheet {title!r} was read, and not {left_out}.",) if others else ()
    columns = _columns(path.name, rows, header)
    return FileTable(columns, told + (header_remarks(columns) if header else ()))


def _sheets(openpyxl: Any, path: Path, values: bool) -> dict[str, Rows]:
    """The cells of each visible sheet that has some; `values` of formulas, or the formulas."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about styles and other things that are no cells
        book = openpyxl.load_workbook(path, read_only=True, data_only=values)
        try:
            found = {
                sheet.title: _trimmed(path.name, sheet.iter_rows(values_only=True))
                for sheet in book.worksheets
                if sheet.sheet_state == "visible"
            }
        finally:
            book.close()
    return {title: rows for title, rows in found.items() if rows}


def _trimmed(name: str, rows: Any) -> Rows:
    """The rows that have cells, up to the last column that has some."""
    kept: Rows = []
    for row in rows:
        if any(cell is not None for cell in row):
            kept.append(list(row))
            check_row_count(name, len(kept) - 1)
    width = max((place + 1 for row in kept for place, cell in enumerate(row) if cell is not None), default=0)
    return [[*row[:width], *[None] * (width - len(row))] for row in kept]


def _columns(name: str, rows: Rows, header: bool) -> Columns:
    first = ["" if cell is None else cell for cell in rows[0]] if header else [""] * len(rows[0])
    below = rows[1:] if header else rows
    names = column_names(name, first)
    if not below:
        raise DataError(f"{name} has no rows; expected a first row with the names of the columns, then the rows")
    columns = {column: _typed([row[place] for row in below]) for place, column in enumerate(names)}
    columns = {
        column: values for column, values in columns.items() if column in first or any(v is not None for v in values)
    }
    if header:
        check_header(name, columns)
    return table(columns)


def _typed(cells: list[Any]) -> list[Any]:
    """The cells of a column: errors and, among numbers, texts such as n/a are missing; times of day are texts."""
    known = [
        None if isinstance(cell, str) and cell.startswith("#") and cell.endswith(("!", "?", "A")) else cell
        for cell in cells
    ]
    known = [cell.isoformat() if isinstance(cell, time) else cell for cell in known]
    texts = [cell for cell in known if isinstance(cell, str)]
    if len(texts) < sum(cell is not None for cell in known) and all(
        text.strip().lower() in MISSING_TEXTS for text in texts
    ):
        return [None if isinstance(cell, str) else cell for cell in known]
    return known


def _check_formulas(openpyxl: Any, path: Path, title: str, rows: Rows) -> None:
    """Refuses formulas whose values are not in the file: a spreadsheet program never saved it."""
    formulas = _sheets(openpyxl, path, values=False).get(title, [])
    for row, written in zip(rows, formulas, strict=False):
        for cell, formula in zip(row, written, strict=False):
            if cell is None and isinstance(formula, str) and formula.startswith("="):
                problem = f"{path.name} has formulas without their values, such as {formula[:30]}"
                raise DataError(f"{problem}; open it in a spreadsheet program and save it")


def _check_size(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        if sum(each.file_size for each in archive.infolist()) > MAX_UNPACKED_MB * 2**20:
            raise DataError(f"{path.name} holds more than {MAX_UNPACKED_MB} MB; give a smaller table")
