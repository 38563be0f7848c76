"""Files that are whole or not there: tables by the ending of their name."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from askwise.errors import SettingError, StudyError
from askwise.tables import NUMBER

Table = dict[str, list[Any]]  # column -> its values
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # how a spreadsheet's formulas begin


def write(columns: Table, path: str | Path) -> None:
    """Writes a table as .csv, .tsv, .jsonl or .parquet. A file of that name is replaced.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "drinks.csv"
    >>> write({"name": ["tea", "milk"], "price": [2.5, None]}, path)
    >>> print(path.read_text())
    name,price
    tea,2.5
    milk,
    """
    kind = Path(path).suffix.lower()
    if kind not in WRITERS:
        raise SettingError(f"{path} ends in {kind or 'nothing'}; a table is written as {', '.join(WRITERS)}")
    with whole(path) as draft:
        WRITERS[kind](columns, draft)


@contextmanager
def whole(path: str | Path) -> Iterator[Path]:
    """A file to write to, which takes the place of `path` once it is complete."""
    final = Path(path)
    draft = final.with_name(f".{os.getpid()}.{final.name}")
    try:
        if final.exists() and not final.is_file():  # a pipe or a device would be replaced
            raise StudyError(f"{path} is there already and not a file; choose another name")
        yield draft
        os.replace(draft, final)
    except OSError as error:
        raise StudyError(f"{str(path)[:100]} cannot be written: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _delimited(delimiter: str) -> Callable[[Table, Path], None]:
    def write_rows(columns: Table, path: Path) -> None:
        with path.open("w", encoding="utf-8", newline="") as file:
            plain, quoted = (
                csv.writer(file, delimiter=delimiter, lineterminator="\n", quoting=quoting)
                for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL)
            )
            for row in (tuple(columns), *zip(*columns.values(), strict=True)):
                # a line break of old files, which the writer itself would leave without quotes
                broken = any(isinstance(cell, str) and "\r" in cell for cell in row)
                (quoted if broken else plain).writerow(map(_inert, row))

    return write_rows


def _inert(cell: Any) -> Any:
    """A text that a spreadsheet would run as a formula gets a ' in front, which spreadsheets read as "this is text"."""
    formula = isinstance(cell, str) and cell.startswith(FORMULA) and not NUMBER.fullmatch(cell)
    return f"'{cell}" if formula else cell


def _lines(columns: Table, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for row in zip(*columns.values(), strict=True):
            file.write(json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False, allow_nan=False) + "\n")


def _parquet(columns: Table, path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    try:
        table = pyarrow.table({name: of_one_kind(values) for name, values in columns.items()})
    except (pyarrow.ArrowException, OverflowError) as error:
        raise StudyError(f"Parquet cannot hold this table ({error}); write it as .csv or .jsonl") from None
    pyarrow.parquet.write_table(table, path)


def of_one_kind(values: list[Any]) -> list[Any]:
    """The values, all as texts if some are: labels may be texts and numbers, and a typed column holds one kind.

    >>> of_one_kind(["red", 3, None])
    ['red', '3', None]
    """
    if not any(isinstance(value, str) for value in values):
        return values
    return [None if value is None else str(value) for value in values]


WRITERS: dict[str, Callable[[Table, Path], None]] = {
    ".csv": _delimited(","),
    ".tsv": _delimited("\t"),
    ".jsonl": _lines,
    ".parquet": _parquet,
}
