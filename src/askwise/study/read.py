"""Tables from files: CSV, TSV, JSONL, Parquet, or a folder of pictures with or without a table."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from askwise.errors import DataError
from askwise.tables import NUMBER, Columns, is_text, rows_named, table

TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".avif")
ABSENT = ("", "na", "n/a", "nan", "null", "none", "-")  # in a column of numbers: not known
TRUTH = {"true": True, "false": False}
ROWS = 200_000  # of a table at most
PICTURE_MB, PICTURES_MB = 20, 500  # of one picture, and of all together


@dataclass(frozen=True)
class Data:
    """A table as columns, and the pictures that it names. A pool that stays where it is has no columns here."""

    columns: Columns
    source: Path
    image: str | None = None  # the column that names the pictures
    pictures: Mapping[str, bytes] = field(default_factory=dict)


def read(path: str | Path, *, encoding: str = "utf-8", image: str | None = None) -> Data:
    """The table in a file or folder; `image` names the column of its pictures, which are read with it.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "cars.csv"
    >>> _ = path.write_text("name,price\\nSwift,8.6\\nCamry,18.2\\n")
    >>> read(path).columns
    {'name': ['Swift', 'Camry'], 'price': [8.6, 18.2]}
    """
    path = Path(path)
    if not path.exists():
        raise DataError(f"there is no file {path}; give a table ({', '.join(TABLES)}) or a folder of pictures")
    if _is_pool(path):
        return Data({}, path)
    if path.is_dir():
        return _folder(path, encoding, image)
    columns = read_table(path, encoding)
    if image is not None and image not in columns:
        raise DataError(f"there is no column {image!r} for the pictures; the columns are {', '.join(columns)}")
    image = image or next(
        (column for column in columns if column.lower() == "image" and is_text(columns[column])), None
    )
    return Data(columns, path, image, _pictures(path.parent, columns[image], image) if image else {})


def _is_pool(path: Path) -> bool:
    """A Parquet file with more rows than a table has, or a folder with Parquet files and nothing else that is read."""
    if path.is_dir():
        kinds = {file.suffix.lower() for file in path.rglob("*")}
        return ".parquet" in kinds and not kinds & {*TABLES, *PICTURES} - {".parquet"}
    return path.suffix.lower() == ".parquet" and path.is_file() and _rows(path) > ROWS


def read_table(path: Path, encoding: str = "utf-8") -> Columns:
    """The columns of a table file."""
    kind = path.suffix.lower()
    if kind not in TABLES:
        hint = "; save it as CSV first" if kind in (".xlsx", ".xls", ".ods") else ""
        raise DataError(f"{path.name} is not one of {', '.join(TABLES)}{hint}")
    try:
        if kind == ".parquet":
            return _parquet(path)
        text = _decoded(path, encoding)
        return _json_lines(path.name, text) if kind in (".jsonl", ".ndjson") else _separated(path, text)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None


def _decoded(path: Path, encoding: str) -> str:
    content = path.read_bytes()
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"  # what spreadsheets call Unicode text
    try:
        return content.decode("utf-8-sig" if encoding.lower().replace("_", "-") == "utf-8" else encoding)
    except LookupError:
        raise DataError(f"there is no encoding {encoding!r}; utf-8 and latin-1 are two") from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        told = f"{path.name} is not {encoding} text (line {line})"
        raise DataError(f"{told}; save it as CSV UTF-8, or name its encoding, often latin-1, with --encoding") from None


def _separated(path: Path, text: str) -> Columns:
    head = text.partition("\n")[0]
    separator = "\t" if path.suffix.lower() == ".tsv" else max(",;\t", key=head.count)
    try:
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
        header = [name.strip() for name in next(lines, [])]
        columns: Columns = {name or f"column {i + 1}": [] for i, name in enumerate(header)}
        if len(columns) < len(header):
            twice = next(name for name in header if header.count(name) > 1)
            raise DataError(f"two columns of {path.name} are called {twice!r}; rename one of them")
        values = list(columns.values())
        for row in lines:
            if not row:
                continue
            if len(row) != len(values):
                told = f"line {lines.line_num} of {path.name} has {len(row)} values, the header has {len(values)}"
                raise DataError(f"{told}; mend the line, or put texts with a {separator!r} in quotes")
            for column, cell in zip(values, row, strict=True):
                column.append(cell)
            _check_rows(path.name, len(values[0]))
    except csv.Error as error:
        raise DataError(f"line {lines.line_num} of {path.name} is not well formed ({error}); mend its quotes") from None
    if not columns or not values[0]:
        raise DataError(f"{path.name} has no rows; expected a first line with the names of the columns, then the rows")
    return {name: _typed(cells, decimal_comma=separator == ";") for name, cells in columns.items()}


def _typed(cells: list[str], decimal_comma: bool) -> list[Any]:
    """Texts as numbers or booleans where all are, or are missing; a code such as 007 stays a text."""
    known = [cell.strip() for cell in cells if cell.strip().lower() not in ABSENT]
    if known and all(cell.lower() in TRUTH for cell in known):
        return [TRUTH.get(cell.strip().lower()) for cell in cells]
    if decimal_comma:
        known = [cell.replace(",", ".") for cell in known]
    coded = any(len(cell) > 1 and cell[0] == "0" and cell.isdigit() for cell in known)
    if not known or coded or not all(map(NUMBER.fullmatch, known)):
        return [cell if cell.strip() else None for cell in cells]
    whole = all(cell.lstrip("+-").isdigit() for cell in known)
    numbers = iter(int(cell) if whole else float(cell) for cell in known)
    return [None if cell.strip().lower() in ABSENT else next(numbers) for cell in cells]


def _json_lines(name: str, text: str) -> Columns:
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            raise DataError(f"line {number} of {name} is not a JSON object; expected one such as {{'name': 'Swift'}}")
        rows.append(row)
        _check_rows(name, len(rows))
    if not rows:
        raise DataError(f"{name} has no rows; expected one JSON object a line")
    columns = dict.fromkeys(column for row in rows for column in row)
    return table({column: [row.get(column) for row in rows] for column in columns})


def _rows(path: Path) -> int:
    from pyarrow import ArrowException, parquet

    try:
        return int(parquet.read_metadata(path).num_rows)
    except ArrowException:
        raise DataError(f"{path.name} is not a Parquet file, or it is damaged") from None


def _parquet(path: Path) -> Columns:
    from pyarrow import ArrowException, parquet

    try:
        file = parquet.ParquetFile(path)
        _check_rows(path.name, file.metadata.num_rows)
        return table(file.read())
    except ArrowException:
        raise DataError(f"{path.name} is not a Parquet file, or it is damaged") from None


def _folder(path: Path, encoding: str, image: str | None) -> Data:
    tables = sorted(file for file in path.iterdir() if file.suffix.lower() in TABLES)
    if len(tables) > 1:
        raise DataError(
            f"{path} holds several tables ({', '.join(t.name for t in tables[:3])}); give one of them instead"
        )
    if tables:
        columns = read_table(tables[0], encoding)
        files = {file.name for file in path.iterdir()}
        found = image or next(
            (column for column, values in columns.items() if any(str(value) in files for value in values)), None
        )
        if found is None or found not in columns:
            raise DataError(
                f"no column of {tables[0].name} names the pictures of {path}; choose it with --image-column"
            )
        return Data(columns, tables[0], found, _pictures(path, columns[found], found))
    pictures = sorted(file for file in path.iterdir() if file.suffix.lower() in PICTURES)
    if len(pictures) < 2:
        raise DataError(f"{path} holds {len(pictures)} pictures and no table; expected two pictures or more")
    names = [file.name for file in pictures]
    stems = [file.stem for file in pictures]
    columns = {"name": stems if len(set(stems)) == len(stems) else names, "image": list(names)}
    return Data(columns, path, "image", _pictures(path, names, "image"))


def _pictures(folder: Path, names: list[Any], column: str) -> dict[str, bytes]:
    """The pictures that a column names; addresses on the web stay where they are."""
    local = list(dict.fromkeys(str(name) for name in names if name is not None and "://" not in str(name)))
    absent = [i for i, name in enumerate(names) if name in local and not (folder / str(name)).is_file()]
    if absent:
        told = (
            f"column {column!r} names pictures that are not in {folder}: {names[absent[0]]!r} in {rows_named(absent)}"
        )
        raise DataError(f"{told}; put them there, or choose another column with --image-column")
    total = 0
    for name in local:
        size = (folder / name).stat().st_size
        total += size
        if size > PICTURE_MB * 2**20 or total > PICTURES_MB * 2**20:
            told = f"pictures may have {PICTURE_MB} MB each and {PICTURES_MB} together"
            raise DataError(f"{told}; {name} is too much: make them smaller")
    return {name: (folder / name).read_bytes() for name in local}


def _check_rows(name: str, count: int) -> None:
    if count > ROWS:
        raise DataError(f"{name} has more than {ROWS:,} rows, which no goal can take; give a random part of them")
