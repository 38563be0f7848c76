"""Which columns of a table tell people most about its rows."""

from __future__ import annotations

import numpy as np

from askwise.data.encoding import Items
from askwise.data.tables import Columns, is_text
from askwise.types import Floats

MAX_ROWS = 1_000  # that are looked at, evenly spaced
MAX_FEATURES = 1_000  # that are compared with each other, counting levels; beyond, no column repeats others
MIN_DIFFERENT = 0.25  # the chance that two rows differ in a telling column
MIN_NEW = 0.15  # the share of a telling column's variance that the telling columns before it do not explain
MIN_UNNAMED = 0.1  # the share of rows whose name does not contain the text of a telling column


def most_telling(columns: Columns, items: Items, count: int) -> list[str]:
    """At most `count` columns of a table that are features, the most telling first.

    Whoever made the table put its columns in order, so that order stays. But columns come last in which most rows are
    alike, whose texts the names contain, or which the telling columns before them predict by linear regression.

    >>> from askwise.data.encoding import encode
    >>> table = {"name": ["VW Fox", "VW Golf", "BMW M3", "BMW Z4"], "make": ["VW", "VW", "BMW", "BMW"],
    ...          "length": [4.1, 4.3, 4.8, 4.4], "cm": [410, 430, 480, 440], "doors": [5, 3, 3, 5]}
    >>> most_telling(table, encode(table), 3)
    ['length', 'doors', 'make']
    """
    rows = np.unique(np.linspace(0, len(items.names) - 1, MAX_ROWS).astype(int)).tolist()
    names = [items.names[row].casefold() for row in rows]
    ends = np.cumsum([0, *(len(column.labels) for column in items.encoding)])
    points = items.features[rows] - items.features[rows].mean(axis=0)
    known = np.zeros((len(rows), 0))  # orthonormal columns: what the telling columns so far say
    telling, others = [], []
    for place, column in enumerate(items.encoding):
        if column.size:  # people read the texts or see the pictures that a vector was made of, and not its numbers
            telling += [column.source] if column.source != column.name else []
            continue
        values = [columns[column.name][row] for row in rows]
        unnamed = [str(value).casefold() not in name for value, name in zip(values, names, strict=True)]
        named = is_text(values) and float(np.mean(unnamed)) < MIN_UNNAMED
        block = points[:, ends[place] : ends[place + 1]]
        new = block - known @ (known.T @ block)
        if named or _differing(values) < MIN_DIFFERENT or _share(new, block, known.shape[1]) < MIN_NEW:
            others.append(column.name)
        else:
            telling.append(column.name)
            known = np.hstack([known, _basis(new)]) if ends[-1] <= MAX_FEATURES else known
    return [*telling, *others][:count]


def _differing(values: list[object]) -> float:
    """The chance that two different rows differ."""
    counts = np.unique([str(value) for value in values], return_counts=True)[1]
    return 1 - float(counts @ (counts - 1)) / (len(values) * (len(values) - 1))


def _share(new: Floats, block: Floats, known: int) -> float:
    """The share of a block's variance that `known` columns leave, beyond what as many random ones would."""
    left = len(block) - 1 - known
    whole = float(np.square(block).sum())
    return float(np.square(new).sum()) / whole * (len(block) - 1) / left if whole and left > 0 else 0.0


def _basis(block: Floats) -> Floats:
    """(N, r): orthonormal columns with the span of a block."""
    left, sizes, _ = np.linalg.svd(block, full_matrices=False)
    return left[:, sizes > 1e-6 * sizes[0]]
