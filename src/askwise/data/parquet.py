"""Tables that do not fit in memory: Parquet files, read one row group at a time. A row is known by its number.

Rows count from 0 through the files of a folder in the order of their paths.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from askwise.errors import DataError, SettingError
from askwise.types import Floats

MAX_ROWS_PER_BLOCK = 1 << 17  # read together
MAX_CACHED_BYTES = 1 << 29  # of rows that stay in memory between questions


def load_pyarrow() -> ModuleType:
    """pyarrow with its module for Parquet; where it is missing, SettingError says how to install it.

    >>> load_pyarrow().table({"name": ["tea"]}).num_rows
    1
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise SettingError("Parquet files need pyarrow; install it with: pip install 'askwise[parquet]'") from None
    found: ModuleType = pyarrow
    return found


class RowGroup(NamedTuple):
    """One row group."""

    file: str
    group: int
    first: int  # the number of its first row
    rows: int


class Pool:
    """The row groups of the Parquet file at `path`, or of all Parquet files in that folder.

    >>> import tempfile, pyarrow as pa, pyarrow.parquet as pq
    >>> path = tempfile.mkdtemp() + "/rows.parquet"
    >>> pq.write_table(pa.table({"name": ["a", "b", "c"], "size": [1.0, 2.0, 3.0]}), path, row_group_size=2)
    >>> pool = Pool(path)
    >>> pool.rows, len(pool.parts), pool.take([2, 0], ["name"])
    (3, 2, {'name': ['c', 'a']})
    """

    def __init__(self, path: str | Path):
        parquet = load_pyarrow().parquet
        self.path = Path(path).absolute()
        files = sorted(self.path.rglob("*.parquet")) if self.path.is_dir() else [self.path]
        self.parts: list[RowGroup] = []
        self.rows = 0
        self.columns: dict[str, str] = {}  # name -> type
        digest = sha256()
        for file in files:
            with _readable(file):
                footer = parquet.read_metadata(file)
                columns = {column.name: str(column.type) for column in footer.schema.to_arrow_schema()}
                digest.update(f"{file.relative_to(self.path)} {file.stat().st_size}".encode() + _footer(file))
            if self.columns and columns != self.columns:
                raise DataError(f"{file} has other columns than {files[0].name}; the files of a pool must be alike")
            self.columns = columns
            for group in range(footer.num_row_groups):
                rows = footer.row_group(group).num_rows
                if rows:
                    self.parts.append(RowGroup(str(file), group, self.rows, rows))
                self.rows += rows
        if not self.rows:
            raise DataError(f"{path} holds no Parquet file with rows; give a file or a folder of files")
        self.digest = digest.hexdigest()

    def take(self, rows: Sequence[int], columns: Sequence[str]) -> dict[str, list[Any]]:
        """The values of these rows, as plain columns."""
        arrow = load_pyarrow()
        order = np.argsort(rows, kind="stable")
        wanted = np.asarray(rows)[order]
        found = []
        for part in self.parts_of(wanted):
            inside = wanted[(wanted >= part.first) & (wanted < part.first + part.rows)] - part.first
            with _readable(part.file), arrow.parquet.ParquetFile(part.file, memory_map=True) as file:
                found.append(file.read_row_group(part.group, columns=list(columns), use_threads=False).take(inside))
        return dict(arrow.concat_tables(found).take(np.argsort(order)).to_pydict())

    def parts_of(self, rows: Any) -> list[RowGroup]:
        """The row groups that hold these rows, first to last."""
        starts = [part.first for part in self.parts]
        return [self.parts[place] for place in sorted({bisect_right(starts, row) - 1 for row in map(int, rows)})]


@dataclass(frozen=True)
class Reader:
    """Turns rows into features in 32 bits: (value - centre) * factor for each column, and 1 for the intercept.

    The first rows, up to half a gigabyte, stay in memory; the rest is read again each time.

    >>> Reader(("size",), (2.0,), (1.0,)).dimension
    2
    """

    columns: tuple[str, ...]
    centres: tuple[float, ...]
    factors: tuple[float, ...]
    kept: dict[int, list[tuple[int, Floats]]] = field(default_factory=dict, compare=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "kept": {}}  # another machine reads for itself

    @property
    def dimension(self) -> int:
        return len(self.columns) + 1

    def blocks(self, part: RowGroup) -> Iterator[tuple[int, Floats]]:
        """(number of the first row, (A, D)) for one stretch of a row group after the other."""
        if part.first in self.kept:
            yield from self.kept[part.first]
            return
        stay = (part.first + part.rows) * self.dimension * 4 <= MAX_CACHED_BYTES
        read: list[tuple[int, Floats]] = []
        for block in self._read(part):
            if stay:
                read.append(block)
            yield block
        if stay:
            self.kept[part.first] = read

    def rows(self, pool: Pool, rows: Any) -> Floats:
        """(A, D): the features of these rows, in 64 bits but with the digits that were read."""
        points = np.empty((len(rows), self.dimension))
        for part in pool.parts_of(rows):
            for first, block in self.blocks(part):
                inside = np.flatnonzero((rows >= first) & (rows < first + len(block)))
                points[inside] = block[rows[inside] - first]
        return points

    def _read(self, part: RowGroup) -> Iterator[tuple[int, Floats]]:
        parquet = load_pyarrow().parquet
        first = part.first
        with _readable(part.file), parquet.ParquetFile(part.file, memory_map=True) as file:
            batches = file.iter_batches(
                MAX_ROWS_PER_BLOCK, row_groups=[part.group], columns=list(self.columns), use_threads=False
            )
            for batch in batches:
                points = np.ones((self.dimension, batch.num_rows), dtype=np.float32)
                scales = zip(points[:-1], self.columns, self.centres, self.factors, strict=True)
                for row, column, centre, factor in scales:
                    values = batch.column(column).to_numpy(zero_copy_only=False)
                    values = values.astype(float) if values.dtype == object else values  # booleans, some unknown
                    np.subtract(values, centre, out=row, casting="same_kind")
                    row *= np.float32(factor)
                yield first, points.T
                first += batch.num_rows


@contextmanager
def _readable(file: str | Path) -> Iterator[None]:
    """Turns what Arrow says of a damaged file into one sentence."""
    arrow = load_pyarrow()
    try:
        yield
    except (arrow.ArrowException, OSError) as error:
        raise DataError(f"{file} cannot be read as Parquet ({str(error).splitlines()[0]})") from None


def _footer(file: Path) -> bytes:
    """The digest of the footer of a Parquet file: places, sizes and statistics of its row groups."""
    with file.open("rb") as opened:
        opened.seek(-8, 2)
        size = int.from_bytes(opened.read(4), "little")
        opened.seek(-8 - size, 2)
        return sha256(opened.read(size)).digest()
