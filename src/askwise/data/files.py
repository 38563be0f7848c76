"""Tables from files: CSV, TSV, JSON, Excel, Parquet, lists of lines, or a folder of pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from askwise.data.delimited import MAX_ROWS, FileTable, check_row_count, read_delimited
from askwise.data.json_files import read_json, read_json_lines, read_lines
from askwise.data.media import PICTURE_SUFFIXES, Folder, read_media, short_path
from askwise.data.parquet import load_pyarrow
from askwise.data.spreadsheets import read_spreadsheet
from askwise.data.tables import Columns, check_texts, is_text, table
from askwise.errors import AskwiseError, DataError

FOLDER_SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".xlsx")  # of a table among pictures
TABLE_SUFFIXES = (*FOLDER_SUFFIXES, ".json", ".txt")


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
    remarks: tuple[str, ...] = ()  # about how the file was read, a sentence each


def read(
    path: str | Path,
    *,
    encoding: str = "utf-8",
    image: str | None = None,
    audio: str | None = None,
    video: str | None = None,
    header: bool = True,
) -> LoadedTable:
    """The table in a file or folder, with the files that it names. A file of the same name that ends in .npy holds a
    vector for each row.

    `encoding` is that of a text file. Without a `header`, the first line of a CSV, TSV or Excel file is a row. `image`,
    `audio` and `video` name the columns of pictures, sounds and films; that of the pictures is guessed by default.

    :param path: The file or folder.
    :param encoding: Of a text file.
    :param image: The column of pictures; guessed by default.
    :param audio: The column of sounds.
    :param video: The column of films.
    :param header: Whether the first line of a CSV, TSV or Excel file holds the names of the columns.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "cars.csv"
    >>> _ = path.write_text("name,price\\nSwift,8.6\\nCamry,18.2\\n")
    >>> read(path).columns
    {'name': ['Swift', 'Camry'], 'price': [8.6, 18.2]}
    """
    path = Path(path)
    try:
        return _read(path, (encoding, header), image, {"audio": audio, "video": video})
    except OSError as error:
        raise DataError(f"{short_path(path)} cannot be read: {error.strerror or error}") from None


def _read(path: Path, how: tuple[str, bool], image: str | None, others: Mapping[str, str | None]) -> LoadedTable:
    if not path.exists():
        raise DataError(f"there is no file {path}; give a table ({', '.join(TABLE_SUFFIXES)}) or a folder of pictures")
    if _is_pool(path):
        return LoadedTable({}, path)
    if path.is_dir():
        return _folder(path, how, image, others)
    columns, remarks = read_file(path, *how)
    columns = _with_vectors(path, columns)
    image = _image_column(columns, image, others)
    media = read_media(Folder(path.parent), columns, {"image": image, **others})
    return LoadedTable(columns, path, image, media, remarks)


def _with_vectors(path: Path, columns: Columns) -> Columns:
    """The table with the vectors in the .npy file beside it, if there is one."""
    beside = path.with_suffix(".npy")
    if not beside.is_file():
        return columns
    rows = len(next(iter(columns.values())))
    try:
        vectors = np.load(beside, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        raise DataError(
            f"{beside.name} is not an array of numbers, or it is damaged; write it again or rename it"
        ) from None
    if vectors.ndim != 2 or len(vectors) != rows or vectors.dtype.kind not in "iufb":
        problem = f"{beside.name} beside {path.name} has shape {vectors.shape} and type {vectors.dtype}"
        raise DataError(f"{problem}; expected a vector for each of {rows} rows: write it again or rename it")
    if beside.name in columns:
        raise DataError(f"{path.name} has a column called {beside.name}, like the file beside it; rename one of them")
    return table({**columns, beside.name: vectors})


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
        return ".parquet" in kinds and not kinds & {*FOLDER_SUFFIXES, *PICTURE_SUFFIXES} - {".parquet"}
    return path.suffix.lower() == ".parquet" and path.is_file() and _rows(path) > MAX_ROWS


def read_table(path: Path, encoding: str = "utf-8", header: bool = True) -> Columns:
    """The columns of a table file, by its suffix; `encoding` is that of a text file. Without a `header`, the first line
    of a CSV, TSV or Excel file is a row.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "cars.csv"
    >>> _ = path.write_text("name,price\\nSwift,8.6\\nCamry,18.2\\n")
    >>> read_table(path)["price"]
    [8.6, 18.2]
    """
    return read_file(path, encoding, header).columns


def read_file(path: Path, encoding: str = "utf-8", header: bool = True) -> FileTable:
    """The same as `read_table`, with what to tell about how the file was read.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "drinks.txt"
    >>> _ = path.write_text("tea\\nmilk\\n")
    >>> read_file(path)
    FileTable(columns={'name': ['tea', 'milk']}, remarks=())
    """
    kind = path.suffix.lower()
    if kind not in TABLE_SUFFIXES:
        hint = "; save it as .xlsx or CSV first" if kind in (".xls", ".xlsm", ".xlsb", ".ods", ".numbers") else ""
        raise DataError(f"{path.name} is not one of {', '.join(TABLE_SUFFIXES)}{hint}")
    try:
        if not path.is_file():  # a pipe would be waited for
            raise DataError(f"{path} is not a file; expected a table ({', '.join(TABLE_SUFFIXES)})")
        if kind == ".parquet":
            return FileTable(_parquet(path))
        if kind == ".xlsx":
            return read_spreadsheet(path, header)
        text = _decoded(path, encoding)
        if kind in (".csv", ".tsv"):
            return read_delimited(path, text, header)
        readers = {".json": read_json, ".txt": read_lines}
        return FileTable(readers.get(kind, read_json_lines)(path.name, text))
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


def _rows(path: Path) -> int:
    parquet = load_pyarrow().parquet
    with _undamaged(path):
        return int(parquet.read_metadata(path).num_rows)


def _parquet(path: Path) -> Columns:
    parquet = load_pyarrow().parquet
    with _undamaged(path):
        file = parquet.ParquetFile(path)
        check_row_count(path.name, file.metadata.num_rows)
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
    types = load_pyarrow().types
    for place, column in enumerate(found.schema):
        try:
            found.column(place).to_pylist() if types.is_temporal(column.type) else None
        except (ArithmeticError, LookupError, ValueError):  # the last two: an unknown time zone
            problem = f"column {column.name!r} of {name} holds a date that cannot be read"
            raise DataError(f"{problem}; dates go from year 1 to 9999") from None


def _folder(path: Path, how: tuple[str, bool], image: str | None, others: Mapping[str, str | None]) -> LoadedTable:
    tables = sorted(file for file in path.iterdir() if file.suffix.lower() in FOLDER_SUFFIXES)
    if len(tables) > 1:
        raise DataError(
            f"{path} holds several tables ({', '.join(t.name for t in tables[:3])}); give one of them instead"
        )
    if tables:
        columns, remarks = read_file(tables[0], *how)
        columns = _with_vectors(tables[0], columns)
        files = {file.name for file in path.iterdir()}
        _image_column(columns, None, others)
        named = (column for column, values in columns.items() if any(str(value) in files for value in values))
        found = image or next((column for column in named if column not in others.values()), None)
        if (found is None and not any(others.values())) or (found is not None and found not in columns):
            raise DataError(f"no column of {tables[0].name} names the pictures of {path}; choose it with image=")
        media = read_media(Folder(path), columns, {"image": found, **others})
        return LoadedTable(columns, tables[0], found, media, remarks)
    pictures = sorted(file for file in path.iterdir() if file.suffix.lower() in PICTURE_SUFFIXES)
    if len(pictures) < 2:
        raise DataError(f"{path} holds {len(pictures)} pictures and no table; expected two pictures or more")
    names = [file.name for file in pictures]
    check_texts("the name of picture", names)
    stems = [file.stem for file in pictures]
    columns = {"name": stems if len(set(stems)) == len(stems) else names, "image": list(names)}
    return LoadedTable(columns, path, "image", read_media(Folder(path), columns, {"image": "image"}))
