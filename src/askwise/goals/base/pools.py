"""A pool of rows on disk as the data of a goal: random rows stand for all, and the others stay where they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from askwise._runtime.streams import stream
from askwise.data.encoding import Items
from askwise.data.names import NAME_COLUMNS
from askwise.data.parquet import Pool, Reader
from askwise.data.tables import Columns, table
from askwise.errors import DataError, SettingError
from askwise.options import mapping, parts, text, whole_number
from askwise.structures.pooled import LinearPooled, RowMap, SoftmaxPooled
from askwise.types import Floats

SAMPLE_ROWS = 2000  # random rows that stand for all
NUMBER_TYPES = ("int", "uint", "float", "double", "halffloat", "bool")  # how the types of features begin
SHOWN_COLUMNS = (*NAME_COLUMNS, "image")  # what columns of names and pictures are called


def draw_rows(
    path: str | Path, features: list[str] | None, others: Sequence[str | None], seed: int
) -> tuple[Columns, dict[str, Any]]:
    """Random rows of a pool as a table, and what is kept of the pool itself: where it is, its columns and a digest.

    `others` are columns to have beside the features, first that of the names.
    """
    if not Path(path).exists():
        raise DataError(f"there is no file {path}; a text is taken for a pool: a Parquet file or a folder of them")
    pool = Pool(path)
    numbers = [column for column, kind in pool.columns.items() if kind.startswith(NUMBER_TYPES)]
    for column in features or []:
        if column not in numbers:
            told = f"holds {pool.columns[column]}" if column in pool.columns else "is not there"
            raise DataError(f"column {column!r} of the pool {told}; its features are {', '.join(numbers) or 'none'}")
    beside = [column for column in (*others, *SHOWN_COLUMNS) if column in pool.columns]
    used = features or [column for column in numbers if column not in beside]
    rows = np.sort(stream(seed, 0, "pool").choice(pool.rows, min(SAMPLE_ROWS, pool.rows), replace=False))
    drawn = table(pool.take(rows.tolist(), list(dict.fromkeys([*beside, *used]))))
    unknown = {column: sum(value is None for value in drawn[column]) for column in used}
    whole = [place for place in range(len(rows)) if all(drawn[column][place] is not None for column in used)]
    if 2 * len(whole) < len(rows):
        worst = max(unknown, key=lambda column: unknown[column])
        raise DataError(
            f"{len(rows) - len(whole)} of {len(rows)} random rows lack a value, most in {worst!r}; "
            "leave it out with features=, or fill it"
        )
    for column in set(beside) & {others[0], *NAME_COLUMNS}:  # names may repeat in a pool, but not in a table
        named = drawn[column]
        if None in named or len(set(named)) < len(named):
            drawn[column] = [f"{name or 'row'} ({row})" for name, row in zip(named, rows.tolist(), strict=True)]
    kept = {"path": str(pool.path), "rows": pool.rows, "columns": pool.columns, "digest": pool.digest}
    sample = {column: [values[place] for place in whole] for column, values in drawn.items()}
    return sample, {**kept, "sample": rows[whole].tolist()}


@lru_cache(maxsize=1)
def _reader(digest: str, columns: tuple[str, ...], centres: tuple[float, ...], factors: tuple[float, ...]) -> Reader:
    """The sessions of one process share what is read of a pool."""
    return Reader(columns, centres, factors)


def family_of(
    known: Mapping[str, Any], items: Items, points: Floats, labels: Sequence[Any], row_map: RowMap | None = None
) -> Any:
    """The family of the pool that a session knows; a pool that has changed is refused.

    - `points`: (N, D), the features of the sampled rows.
    - `row_map`: from rows to features where the shape is learned.
    """
    expected = "what a saved session knows of its pool; give the path of the pool as data instead"
    mapping("pool", known, expected, "path", "digest", "sample")
    path = Path(text("the path of the pool", known["path"]))
    if not path.exists():
        raise DataError(f"the pool {path} is not there any more; put it back, or start a new study")
    pool = Pool(path)
    if pool.digest != known["digest"]:
        raise DataError(f"the pool {path} has changed since the study was made; put it back, or start a new study")
    texts = [column.name for column in items.encoding if column.levels is not None or column.size]
    if texts:
        raise SettingError(f"column {texts[0]!r} holds no numbers; name the columns of the pool to use with features=")
    share = np.sqrt(len(items.encoding))
    reader = _reader(
        pool.digest,
        tuple(column.name for column in items.encoding),
        tuple(float(np.ldexp((column.first + column.mean).item(), column.exponent)) for column in items.encoding),  # type: ignore[union-attr]
        tuple(float(np.ldexp(1 / (column.length * share), -column.exponent)) for column in items.encoding),
    )
    names, images = (
        next((column for column, why in items.left_out.items() if why == f"is the {what}"), None)
        for what in ("name", "image")
    )
    kind = LinearPooled if len(labels) == 2 else SoftmaxPooled
    rows = [
        whole_number("a row of the pool", row, at_least=0, at_most=pool.rows - 1)
        for row in parts("the sample of the pool", known["sample"], "a list of rows")
    ]
    if len(rows) != len(points):
        raise DataError(f"the pool names {len(rows)} rows as its sample, and the table has {len(points)}")
    return kind(pool, reader, (np.array(rows), points), labels, (names, images), row_map)
