"""Compiled: how many pairs of items two clusterings both put together. Loaded when the first are compared."""

from __future__ import annotations

import numpy as np

from askwise._runtime.compiled import machine_code, portions
from askwise.types import Floats, Ints

MAX_ITEMS_PER_CALL = 50_000_000  # of all pairs of clusterings in one compiled call: .1 s
compiled = machine_code()


def shared_pairs(labels: Ints) -> Floats:
    """(S, N) labels from 0 -> (S, S): ordered pairs of items that are together in both, each item with itself included.

    Counted item by item, so that many clusters cost no more than few.

    >>> shared_pairs(np.array([[0, 0, 1], [0, 1, 1]]))
    array([[5., 3.],
           [3., 5.]])
    """
    rows, shared = np.ascontiguousarray(labels, dtype=np.int64), np.empty((len(labels), len(labels)))
    label_count = int(rows.max(initial=0)) + 1
    counts = np.zeros((label_count, label_count), dtype=np.int64)
    for some in portions(len(rows), rows.size, MAX_ITEMS_PER_CALL):
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
