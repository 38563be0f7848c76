"""Compiled: the consensus of many clusterings, close to all of them. Loaded when the first is sought."""

from __future__ import annotations

import numpy as np

from askwise._runtime.compiled import machine_code
from askwise.types import Floats, Ints

MAX_CELLS = 8_000_000  # draws x clusters x groups, 64 MB: with more, the start is the result
MAX_PASSES = 50  # over all items; after 4 to 7, none moves on the task of the benchmarks
LEAST_GAIN = 1e-9  # in pairs of items: rounding must not move an item to and fro
compiled = machine_code(_nrt=False)


def consensus(labels: Ints, weights: Floats, start: Ints, groups: int) -> Ints:
    """(N,): a clustering into at most `groups` groups that no move of one item brings closer to `labels` (S, N).

    Closer is by the mean share of pairs on which two clusterings differ (Binder 1978), with `weights` (S,). Items move
    one by one from `start` (N,), which has at most so many groups. All labels count from 0.

    >>> draws = np.array([[0, 0, 1, 1, 1, 1], [0, 1, 0, 1, 1, 1], [0, 0, 0, 1, 1, 0]])
    >>> consensus(draws, np.full(3, 1 / 3), draws[0], 2)
    array([0, 0, 0, 1, 1, 1])
    """
    found = np.array(start, dtype=np.int64)
    shape = len(labels), int(labels.max(initial=0)) + 1, groups
    if np.prod(shape) <= MAX_CELLS:
        work = np.zeros((2, groups))
        move_items(np.ascontiguousarray(labels.T, dtype=np.int64), weights, found, np.zeros(shape), work)
    return found


@compiled
def move_items(labels: Ints, weights: Floats, found: Ints, overlap: Floats, work: Floats) -> None:
    """Moves items of `found` to the group they share most of their clusters with, until all stay; labels are (N, S).

    `overlap` (S, C, G) becomes the weight of each draw times how many items its clusters and the groups share. To be
    together with the m items of a group costs m less twice the sum of its overlaps with the item's own clusters.
    `work` (2, G) is zero.
    """
    items, draws = labels.shape
    sizes, gains = work[0], work[1]
    for i in range(items):
        sizes[found[i]] += 1.0
        for s in range(draws):
            overlap[s, labels[i, s], found[i]] += weights[s]
    for _ in range(MAX_PASSES):
        moved = False
        for i in range(items):
            home = found[i]
            sizes[home] -= 1.0
            for g in range(len(gains)):
                gains[g] = -sizes[g]
            for s in range(draws):
                row = overlap[s, labels[i, s]]
                row[home] -= weights[s]
                for g in range(len(gains)):
                    gains[g] += 2.0 * row[g]
            best = 0
            for g in range(1, len(gains)):
                best = g if gains[g] > gains[best] else best
            if gains[best] > gains[home] + LEAST_GAIN:
                found[i], moved = best, True
            sizes[found[i]] += 1.0
            for s in range(draws):
                overlap[s, labels[i, s], found[i]] += weights[s]
        if not moved:
            return
