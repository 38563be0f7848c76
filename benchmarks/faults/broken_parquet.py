"""Parquet files with every type, odd values and damage, and folders of them."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.faults.broken import HEADERS, small_table, spoiled_bytes

DAY = 86_400


def _binary(count: int) -> Any:
    return pa.array([b"\xff\xfe", *[b"x"] * (count - 1)], pa.binary())


def _not_utf8(count: int) -> Any:
    """Texts that are not UTF-8, as some writers leave them."""
    return pa.Array.from_buffers(pa.string(), count, _binary(count).buffers())


def _of(values: list[Any], kind: Any) -> Callable[[int], Any]:
    return lambda count: pa.array([values[place % len(values)] for place in range(count)], kind)


COLUMNS: dict[str, Callable[[int], Any]] = {
    "dates far off": _of([2**31 - 1, -(2**31), 0], pa.date32()),
    "milliseconds far off": _of([DAY * 1000 * 10**8, 0], pa.date64()),
    "seconds far off": _of([2**62, 0, -(2**62)], pa.timestamp("s")),
    "microseconds far off": _of([2**63 - 1, 0], pa.timestamp("us")),
    "nanoseconds": _of([1, 2**62], pa.timestamp("ns")),
    "a time zone": _of([0, 10**15], pa.timestamp("us", tz="Europe/Berlin")),
    "no such time zone": _of([0, 10**15], pa.timestamp("us", tz="Nowhere/Land")),
    "an odd time zone": _of([0, 10**15], pa.timestamp("us", tz="+99:99")),
    "durations far off": _of([2**63 - 1, 0], pa.duration("us")),
    "durations in ns": _of([2**63 - 1, 1], pa.duration("ns")),
    "durations in s": _of([2**62, 1], pa.duration("s")),
    "times": _of([0, DAY - 1], pa.time32("s")),
    "times in ns": _of([1, 2], pa.time64("ns")),
    "decimals": _of([Decimal("1.50"), Decimal("-3.25")], pa.decimal128(10, 2)),
    "long decimals": _of([Decimal(9) * 10**70, Decimal(1)], pa.decimal256(76, 0)),
    "halves": lambda count: pa.array(np.linspace(-1, 60000, count).astype(np.float16)),
    "largest integers": _of([2**64 - 1, 0], pa.uint64()),
    "not numbers": _of([float("nan"), float("inf"), 1.0], pa.float64()),
    "tiny numbers": _of([5e-324, 0.0, 1e308], pa.float64()),
    "nothing": lambda count: pa.nulls(count),
    "all null texts": _of([None], pa.string()),
    "truths": _of([True, False, None], pa.bool_()),
    "binary": _binary,
    "fixed binary": _of([b"ab", b"\xff\0"], pa.binary(2)),
    "not UTF-8": _not_utf8,
    "NUL": _of(["a\0b", "\0"], pa.string()),
    "large texts": _of(["a", "b"], pa.large_string()),
    "long texts": _of(["x" * 100_000, "y"], pa.string()),
    "categories": lambda count: pa.array(["a", "b"] * count).dictionary_encode()[:count],
    "number categories": lambda count: pa.array([1.5, 2.5] * count).dictionary_encode()[:count],
    "lists": _of([[1], []], pa.list_(pa.int8())),
    "structs": _of([{"a": 1}], pa.struct({"a": pa.int8()})),
    "maps": _of([[("a", 1)]], pa.map_(pa.string(), pa.int8())),
}


def write_parquet(path: Path, rng: random.Random) -> str:
    """One file."""
    table = small_table(rng)
    count = len(next(iter(table.values())))
    columns = {name: pa.array(values) for name, values in table.items()}
    said = []
    for _ in range(rng.choice((0, 1, 1, 2))):
        kind = rng.choice(list(COLUMNS))
        columns[rng.choice((*table, "more", "image", "name"))] = COLUMNS[kind](count)
        said.append(kind)
    names = list(columns)
    if rng.random() < 0.2:
        names[rng.randrange(len(names))] = rng.choice((*HEADERS, names[0]))
        said.append(f"names {[name[:20] for name in names]}")
    made = pa.Table.from_arrays(list(columns.values()), names=names)
    if rng.random() < 0.08:
        made = rng.choice((made.slice(0, 0), made.slice(0, 1), made.select([])))
        said.append(f"{made.num_rows} rows, {made.num_columns} columns")
    try:
        pq.write_table(made, path, compression=rng.choice(("snappy", "none", "gzip", "zstd")), row_group_size=3)
    except (pa.ArrowException, ValueError, OverflowError) as error:  # what cannot be written is not a file
        path.write_bytes(b"PAR1")
        said.append(f"only a head: {type(error).__name__}")
    if rng.random() < 0.35:
        content, how = spoiled_bytes(path.read_bytes(), rng)
        path.write_bytes(content)
        said.append(how)
    return "; ".join(said)


def write_pool(path: Path, rng: random.Random) -> str:
    """A folder of Parquet files, which is a pool of rows for a classifier."""
    path.mkdir()
    said = [write_parquet(path / f"{place}.parquet", rng) for place in range(rng.randint(1, 2))]
    if rng.random() < 0.5:  # at least one that is well
        values = {name: np.random.default_rng(rng.randrange(99)).standard_normal(40) for name in ("x0", "x1")}
        for file in path.iterdir():
            file.unlink()
        for place in range(2):
            pq.write_table(pa.table(values), path / f"{place}.parquet")
        said = ["two good files"]
        if rng.random() < 0.5:
            content, how = spoiled_bytes((path / "1.parquet").read_bytes(), rng)
            (path / "1.parquet").write_bytes(content)
            said.append(how)
    return "; ".join(said)
