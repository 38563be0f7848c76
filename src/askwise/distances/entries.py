"""The distance between matrices entry by entry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from askwise.distances.columns import checked_range, checked_rows
from askwise.structures.matrices import matrices_of, pack
from askwise.types import Floats, Structures

MAX_COMPARED = 2**22  # entries that are compared at a time, so that memory stays small


class EntryDifference:
    """How far two matrices differ in an entry, on average over all entries or over those of the `rows` that matter.

    A difference counts as a share of `entry_range`, the range of the entries in the units of the answers, and as 1 if
    it is larger: d(g, h) = mean over (i, j) of min(1, |g_ij - h_ij| / entry_range). So d times `unit`, which is
    `entry_range`, is the mean absolute difference. The estimate is the mean of the draws.

    :param entry_range: The range of the entries in the units of the answers.
    :param rows: The rows that matter; by default all.

    >>> left, right = np.array([[[1.0, 5.0], [3.0, 2.0]]]), np.array([[[2.0, 5.0], [3.0, 4.0]]])
    >>> float(EntryDifference(4).paired(left, right)[0])  # (1 + 0 + 0 + 2) / 4 entries / 4
    0.1875
    """

    phrase = "an entry of {what} is off by {loss:.3g}"

    def __init__(self, entry_range: float, rows: Sequence[int] | None = None):
        self.unit = checked_range(entry_range)
        self.rows = checked_rows(rows)

    def paired(self, left: Structures, right: Structures) -> Floats:
        one, two = self._entries(left), self._entries(right)
        size = max(1, MAX_COMPARED // max(1, one.shape[1] * one.shape[2]))
        blocks = [slice(start, start + size) for start in range(0, len(one), size)]
        return np.concatenate([np.empty(0), *(self._mean_share(one[block], two[block]) for block in blocks)])

    def pairwise(self, structures: Structures) -> Floats:
        entries, count = self._entries(structures), len(structures)
        matrix = np.zeros((count, count))
        for place in range(count - 1):
            matrix[place, place + 1 :] = self._mean_share(entries[place], entries[place + 1 :])
        return matrix + matrix.T

    def centre(self, structures: Structures, weights: Floats, mean_distances: Floats) -> Any:
        """The mean of the draws, with the mean precision of an answer.

        The median of each entry would be as close as anything can be. Where draws are few, their mean is better known,
        and where they are about symmetric, it is the same.
        """
        middle = np.einsum("s,snm->nm", weights, matrices_of(structures))
        return pack(middle[None], weights @ structures["precision"])[0] if structures.dtype.names else middle

    def _entries(self, structures: Structures) -> Floats:
        matrices = matrices_of(structures)
        return matrices if self.rows is None else matrices[:, self.rows]

    def _mean_share(self, left: Floats, right: Floats) -> Floats:
        """(K, R, M) against (K, R, M) or (R, M) -> (K,)."""
        apart: Floats = np.abs(left - right)
        apart /= self.unit
        np.minimum(apart, 1.0, out=apart)
        return apart.mean(axis=(1, 2))
