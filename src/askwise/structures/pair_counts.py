"""Compiled: how many pairs two clusterings both put together, of items or on the line. Loaded when the first are
compared."""

from __future__ import annotations

import numpy as np

from askwise._runtime.compiled import machine_code, portions
from askwise.types import Floats, Ints

MAX_ITEMS_PER_CALL = 50_000_000  # of all pairs of clusterings in one compiled call: .1 s
compiled = machine_code(_nrt=False)


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


def shared_mass(cuts: Floats) -> Floats:
    """(S, C) sorted cuts of the line [0, 1] -> (S, S): the mass of pairs of positions that are together in both.

    >>> shared_mass(np.array([[0.5, 1.0], [0.25, 0.5]]))
    array([[0.5  , 0.375],
           [0.375, 0.375]])
    """
    rows, shared = np.ascontiguousarray(cuts, dtype=float), np.empty((len(cuts), len(cuts)))
    for some in portions(len(rows), rows.size, MAX_ITEMS_PER_CALL):
        measure_shared(rows, some.start, some.stop, shared)
    return shared


@compiled
def measure_shared(cuts: Floats, start: int, stop: int, shared: Floats) -> None:
    """Fills rows and columns from `start` to `stop` up to the diagonal, each by a walk along both rows of cuts."""
    length = cuts.shape[1]
    for s in range(start, stop):
        for t in range(s + 1):
            i, j, at, total = 0, 0, 0.0, 0.0
            for _ in range(2 * length + 1):
                if at >= 1.0:
                    break
                one = cuts[s, i] if i < length else 1.0
                other = cuts[t, j] if j < length else 1.0
                end = min(one, other, 1.0)
                total += (end - at) ** 2
                at = end
                i += one <= end
                j += other <= end
            shared[s, t] = shared[t, s] = total
