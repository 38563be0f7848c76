"""Tables from files: CSV, TSV, JSONL, Parquet, or a folder of pictures with or without a table."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from askwise.data.media import PICTURE_SUFFIXES, Folder, read_media, short_path
from askwise.data.tables import NUMBER, Columns, check_texts, is_text, table
from askwise.errors import AskwiseError, DataError

TABLE_SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
MISSING_TEXTS = ("", "na", "n/a", "nan", "null", "none", "-")  # in a column of numbers
BOOLEAN_TEXTS = {"true": True, "false": False}
MAX_ROWS = 200_000  # of a table; larger Parquet files are pools
MAX_EXACT_DIGITS = 300  # of a whole number


@dataclass(frozen=True)
class LoadedTable:
    """A table as columns, with the pictures, sounds and films that it names. A pool stays on disk and has no columns
    here.

    >>> LoadedTable({"name": ["tea", "milk"]}, Path("drinks.csv")).image is None
    True
    """

    columns: Columns
    source: Path
    image: str | None = None  # the column that names the pictures
    media: Mapping[str, bytes] = field(default_factory=dict)


def read(
    path: str | Path,
    *,
    encoding: str = "utf-8",
    image: str | None = None,
    audio: str | None = None,
    video: str | None = None,
) -> LoadedTable:
    """The table in a file or folder, with the files that it names.

    `encoding` is that of a text file. `image`, `audio` and `video` name the columns of pictures, sounds and films; that
    of the pictures is guessed by default.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "cars.csv"
    >>> _ = path.write_text("name,price\\nSwift,8.6\\nCamry,18.2\\n")
    >>> read(path).columns
    {'name': ['Swift', 'Camry'], 'price': [8.6, 18.2]}
    """
    path = Path(path)
    try:
        return _read(path, encoding, image, {"audio": audio, "video": video})
    except OSError as error:
        raise DataError(f"{short_path(path)} cannot be read: {error.strerror or error}") from None


def _read(path: Path, encoding: str, image: str | None, others: Mapping[str, str | None]) -> LoadedTable:
    if not path.exists():
        raise DataError(f"there is no file {path}; give a table ({', '.join(TABLE_SUFFIXES)}) or a folder of pictures")
    if _is_pool(path):
        return LoadedTable({}, path)
    if path.is_dir():
        return _folder(path, encoding, image, others)
    columns = read_table(path, encoding)
    image = _image_column(columns, image, others)
    media = read_media(Folder(path.parent), columns, {"image": image, **others})
    return LoadedTable(columns, path, image, media)


def _image_column(columns: Columns, image: str | None, others: Mapping[str, str | None]) -> str | None:
    """The column of the pictures, if there is one. A column that was named and is not there is refused."""
    for kind, column in {"pictures": image, **others}.items():
        if column is not None and column not in columns:
            raise DataError(f"there is no column {column!r} for the {kind}; the columns are {', '.join(columns)}")
    guessed = (column for column in columns if column.lower() == "image" and is_text(columns[column]))
    return image or next((column for column in guessed if column not in others.values()), None)


def _is_pool(path: Path) -> bool:
    """A Parquet file with more rows than a table has, or a folder with Parquet files and nothing else that is read."""
    if path.is_dir():
        kinds = {file.suffix.lower() for file in path.rglob("*")}
        return ".parquet" in kinds and not kinds & {*TABLE_SUFFIXES, *PICTURE_SUFFIXES} - {".parquet"}
    return path.suffix.lower() == ".parquet" and path.is_file() and _rows(path) > MAX_ROWS


def read_table(path: Path, encoding: str = "utf-8") -> Columns:
    """The columns of a table file, by its suffix; `encoding` is that of a text file.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "cars.csv"
    >>> _ = path.write_text("name,price\\nSwift,8.6\\nCamry,18.2\\n")
    >>> read_table(path)["price"]
    [8.6, 18.2]
    """
    kind = path.suffix.lower()
    if kind not in TABLE_SUFFIXES:
        hint = "; save it as CSV first" if kind in (".xlsx", ".xls", ".ods") else ""
        raise DataError(f"{path.name} is not one of {', '.join(TABLE_SUFFIXES)}{hint}")
    try:
        if not path.is_file():  # a pipe would be waited for
            raise DataError(f"{path} is not a file; expected a table ({', '.join(TABLE_SUFFIXES)})")
        if kind == ".parquet":
            return _parquet(path)
        text = _decoded(path, encoding)
        return _json_lines(path.name, text) if kind in (".jsonl", ".ndjson") else _separated(path, text)
    except OSError as error:
        raise DataError(f"{short_path(path)} cannot be read: {error.strerror or error}") from None


def _decoded(path: Path, encoding: str) -> str:
    content = path.read_bytes()
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"  # what spreadsheets call Unicode text
    try:
        text = content.decode("utf-8-sig" if encoding.lower().replace("_", "-") == "utf-8" else encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problem = f"{path.name} is not {encoding} text (line {line})"
        raise DataError(f"{problem}; save it as CSV UTF-8, or name its encoding, often latin-1") from None
    except (LookupError, ValueError):
        raise DataError(f"there is no encoding {encoding!r} for text; utf-8 and latin-1 are two") from None
    if "\0" in text:
        raise DataError(f"{path.name} is not a text file; save the table as CSV UTF-8")
    return text


def _separated(path: Path, text: str) -> Columns:
    head = text.partition("\n")[0]
    separator = "\t" if path.suffix.lower() == ".tsv" else max(",;\t", key=head.count)
    read = 0  # lines that were read whole
    try:
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
        header = [name.strip() or f"column {i + 1}" for i, name in enumerate(next(lines, []))]
        read = lines.line_num
        if len(set(header)) < len(header):
            twice = next(name for name in header if header.count(name) > 1)
            raise DataError(f"two columns of {path.name} are called {short_path(twice)!r}; rename one of them")
        values: list[list[str]] = [[] for _ in header]
        for row in lines:
            read = lines.line_num
            if not row:
                continue
            if len(row) != len(values):
                has = f"{len(row)} value{'' if len(row) == 1 else 's'}"
                problem = f"line {lines.line_num} of {path.name} has {has}, the header has {len(values)}"
                mark = "tab" if separator == "\t" else f"'{separator}'"
                raise DataError(f"{problem}; correct the line, or put texts with a {mark} in quotes")
            for column, cell in zip(values, row, strict=True):
                column.append(cell)
            _check_rows(path.name, len(values[0]))
    except csv.Error as error:
        if "unexpected end" in str(error):
            problem = f"a quote that opens in line {read + 1} of {path.name} or below is never closed"
            raise DataError(f"{problem}; close it, or write two quotes for one within a text") from None
        raise DataError(f"line {lines.line_num} of {path.name} is not well formed; correct its quotes") from None
    if not values or not values[0]:
        raise DataError(f"{path.name} has no rows; expected a first line with the names of the columns, then the rows")
    typed = [_typed(cells, decimal_comma=separator == ";") for cells in values]
    columns = dict(zip(header, typed, strict=True))
    _check_header(path.name, columns)
    return table(columns)


def _check_header(name: str, columns: Columns) -> None:
    """Refuses a first line of values: nothing but numbers, a column called 8.6, or one called 31 with numbers below and
    above it."""
    read = {column: column.replace(",", ".") for column in columns}
    numbers = {column: float(text) for column, text in read.items() if NUMBER.fullmatch(text)}
    steps = {after - before for before, after in pairwise(numbers.values())}
    if len(numbers) > 2 and len(steps) == 1 and all(map(float.is_integer, numbers.values())):
        return  # 2019, 2020, 2021
    for column, number in numbers.items():
        known = [value for value in columns[column] if isinstance(value, int | float)]
        among = known and min(known) <= number <= max(known)
        if not number.is_integer() or among or len(numbers) == len(columns):
            problem = f"the first line of {name} holds the number {short_path(column)}; expected names of columns"
            raise DataError(f"{problem}: put a line with names above it, or add a word to that name")


def _typed(cells: list[str], decimal_comma: bool) -> list[Any]:
    """Texts as numbers or booleans, if all are or are missing; a code such as 007 stays a text."""
    known = [cell.strip() for cell in cells if cell.strip().lower() not in MISSING_TEXTS]
    if known and all(cell.lower() in BOOLEAN_TEXTS for cell in known):
        return [BOOLEAN_TEXTS.get(cell.strip().lower()) for cell in cells]
    if decimal_comma:
        known = [cell.replace(",", ".") for cell in known]
    coded = any(len(cell) > 1 and cell[0] == "0" and cell.isdigit() for cell in known)
    if not known or coded or not all(map(NUMBER.fullmatch, known)):
        return [cell if cell.strip() else None for cell in cells]
    whole = all(cell.lstrip("+-").isdigit() for cell in known)
    exact = whole and max(map(len, known)) <= MAX_EXACT_DIGITS
    numbers = iter(int(cell) if exact else float(cell) for cell in known)
    return [None if cell.strip().lower() in MISSING_TEXTS else next(numbers) for cell in cells]


def _json_lines(name: str, text: str) -> Columns:
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(text.split("\n"), 1):  # other line ends may be part of a text
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise DataError(f'line {number} of {name} is not a JSON object; expected one such as {{"name": "Swift"}}')
        rows.append(row)
        _check_rows(name, len(rows))
    if not rows:
        raise DataError(f"{name} has no rows; expected one JSON object a line")
    columns = dict.fromkeys(column for row in rows for column in row)
    return table({column: [row.get(column) for row in rows] for column in columns})


def _rows(path: Path) -> int:
    from pyarrow import parquet

    with _undamaged(path):
        return int(parquet.read_metadata(path).num_rows)


def _parquet(path: Path) -> Columns:
    from pyarrow import parquet

    with _undamaged(path):
        file = parquet.ParquetFile(path)
        _check_rows(path.name, file.metadata.num_rows)
        found = file.read()
        found.validate(full=True)
        _check_dates(path.name, found)
        return table(found)


@contextmanager
def _undamaged(path: Path) -> Iterator[None]:
    """Turns whatever a reader of Parquet raises about a damaged file, and that may be anything, into one sentence."""
    try:
        yield
    except (AskwiseError, FileNotFoundError, PermissionError):
        raise
    except Exception:
        raise DataError(f"{path.name} is not a Parquet file, or it is damaged; write it again") from None


def _check_dates(name: str, found: Any) -> None:
    from pyarrow import types

    for place, column in enumerate(found.schema):
        try:
            found.column(place).to_pylist() if types.is_temporal(column.type) else None
        except (ArithmeticError, LookupError, ValueError):  # the last two: an unknown time zone
            problem = f"column {column.name!r} of {name} holds a date that cannot be read"
            raise DataError(f"{problem}; dates go from year 1 to 9999") from None


def _folder(path: Path, encoding: str, image: str | None, others: Mapping[str, str | None]) -> LoadedTable:
    tables = sorted(file for file in path.iterdir() if file.suffix.lower() in TABLE_SUFFIXES)
    if len(tables) > 1:
        raise DataError(
            f"{path} holds several tables ({', '.join(t.name for t in tables[:3])}); give one of them instead"
        )
    if tables:
        columns = read_table(tables[0], encoding)
        files = {file.name for file in path.iterdir()}
        _image_column(columns, None, others)
        named = (column for column, values in columns.items() if any(str(value) in files for value in values))
        found = image or next((column for column in named if column not in others.values()), None)
        if (found is None and not any(others.values())) or (found is not None and found not in columns):
            raise DataError(f"no column of {tables[0].name} names the pictures of {path}; choose it with image=")
        return LoadedTable(columns, tables[0], found, read_media(Folder(path), columns, {"image": found, **others}))
    pictures = sorted(file for file in path.iterdir() if file.suffix.lower() in PICTURE_SUFFIXES)
    if len(pictures) < 2:
        raise DataError(f"{path} holds {len(pictures)} pictures and no table; expected two pictures or more")
    names = [file.name for file in pictures]
    check_texts("the name of picture", names)
    stems = [file.stem for file in pictures]
    columns = {"name": stems if len(set(stems)) == len(stems) else names, "image": list(names)}
    return LoadedTable(columns, path, "image", read_media(Folder(path), columns, {"image": "image"}))


def _check_rows(name: str, count: int) -> None:
    if count > MAX_ROWS:
        raise DataError(f"{name} has more than {MAX_ROWS:,} rows, which no goal can take; give a random part of them")
