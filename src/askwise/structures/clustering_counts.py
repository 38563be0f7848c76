"""Compiled: how many pairs of items two clusterings both put together. Imported only when clusterings are compared."""

from __future__ import annotations

import numpy as np

from askwise.compiled import machine_code, portions
from askwise.types import Floats, Ints

ITEMS_A_CALL = 50_000_000  # of all pairs of clusterings that are compared in one call: .1 s
compiled = machine_code()


def shared_pairs(labels: Ints) -> Floats:
    """(S, N) labels from 0 -> (S, S): ordered pairs of items, each with itself too, that are together in both.

    Counted item by item, so that many clusters cost no more than few.

    >>> shared_pairs(np.array([[0, 0, 1], [0, 1, 1]]))
    array([[5., 3.],
           [3., 5.]])
    """
    rows, shared = np.ascontiguousarray(labels, dtype=np.int64), np.empty((len(labels), len(labels)))
    kinds = int(rows.max(initial=0)) + 1
    counts = np.zeros((kinds, kinds), dtype=np.int64)
    for some in portions(len(rows), rows.size, ITEMS_A_CALL):
        count_shared(rows, some.start, some.stop, counts, shared)
    return shared


@compiled
def count_shared(labels: Ints, start: int, stop: int, counts: Ints, shared: Floats) -> None:
    """Fills rows and columns from `start` to `stop` up to the diagonal; `counts` is zero before and after."""
    items = labels.shape[1]
    for s in range(start, stop):
        for t in range(s + 1):
            total = 0
            for i in range(items):
                one, other = labels[s, i], labels[t, i]
                total += 2 * counts[one, other] + 1  # the square of the count grows by so much
                counts[one, other] += 1
            for i in range(items):
                counts[labels[s, i], labels[t, i]] = 0
            shared[s, t] = shared[t, s] = total
