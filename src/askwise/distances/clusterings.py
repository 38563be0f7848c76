"""Distances between clusterings given as rows of labels: one item's cluster, or all pairs."""

from __future__ import annotations

import numpy as np

from askwise.distances import Dense, Form, Grouped
from askwise.options import whole_number
from askwise.structures.clusterings import compact
from askwise.types import Bools, Floats, Ints

MIN_CHANCE = 0.2  # of an item to be with the others of its group; with less, an estimate leaves it alone


class ClusterOf:
    """How much two clusterings differ about who belongs with `item`: 1 - |C and C'| / max(|C|, |C'|).

    C and C' are the clusters of the item, itself included. The paper's cluster identification distance.

    :param item: The number of the item.

    >>> ClusterOf(0).paired(np.array([[0, 0, 0, 1]]), np.array([[0, 0, 1, 1]])).round(4)
    array([0.3333])
    """

    phrase = "{what} is wrong about {loss:.3f} of the cluster"

    def __init__(self, item: int):
        self.item = whole_number("item", item, at_least=0)

    def members(self, structures: Ints) -> Bools:
        """(S, N): who shares the item's cluster.

        :param structures: Clusterings, `(S, N)`.
        """
        return np.asarray(structures == structures[:, [self.item]])

    def paired(self, left: Ints, right: Ints) -> Floats:
        left_members, right_members = self.members(left), self.members(right)
        return 1.0 - (left_members & right_members).sum(axis=1) / np.maximum(
            left_members.sum(axis=1), right_members.sum(axis=1)
        )

    def pairwise(self, structures: Ints) -> Floats:
        return self._distances(self.members(structures))

    def form(self, structures: Ints) -> Form:
        """Draws with the very same cluster, which become common as answers come in, are added up first."""
        members = self.members(structures)
        packed = np.ascontiguousarray(np.packbits(members, axis=1))
        _, kept, group = np.unique(packed.view(f"V{packed.shape[1]}")[:, 0], return_index=True, return_inverse=True)
        between = self._distances(members[kept])
        return Grouped(group, between) if 2 * len(kept) <= len(members) else Dense(between[np.ix_(group, group)])

    def centre(self, structures: Ints, weights: Floats, mean_distances: Floats) -> Ints:
        """(N,): the closest draw, with the best cluster of the item among all that are as large as in some draw.

        Among clusters of m items, the mean distance falls by the same amount for an item whatever the others are: the
        best ones are those with the largest amounts.

        >>> draws = np.array([[0, 0, 1, 0, 1], [0, 0, 0, 1, 1], [0, 1, 0, 0, 0]])
        >>> ClusterOf(0).centre(draws, np.array([0.3, 0.3, 0.4]), np.array([0.3, 0.3, 0.3]))
        array([0, 0, 0, 0, 2])
        """
        members = self.members(structures)
        sizes = members.sum(axis=1)
        tried = np.unique(sizes)
        falls = (weights / np.maximum(tried[:, None], sizes)) @ members  # (M, N): for M sizes
        totals = np.cumsum(-np.sort(-falls, axis=1), axis=1)[np.arange(len(tried)), tried - 1]
        best = int(totals.argmax())
        falls[best, self.item] = np.inf
        chosen = np.argsort(-falls[best], kind="stable")[: tried[best]]
        found: Ints = 1 + compact(structures[[mean_distances.argmin()]])[0]
        found[chosen] = 0
        return found

    def _distances(self, members: Bools) -> Floats:
        ones = members.astype(np.float32)  # counts below 2^24 are exact in 32 bits
        shared = (ones @ ones.T).astype(float)
        sizes = np.diagonal(shared)
        return 1.0 - shared / np.maximum(sizes[:, None], sizes[None, :])


class ClusterPairs:
    """The share of pairs of items that are together in one clustering and apart in the other.

    >>> ClusterPairs().paired(np.array([[0, 0, 1]]), np.array([[0, 1, 1]])).round(4)
    array([0.6667])
    """

    phrase = "{what} is wrong on {loss:.3f} of all pairs"

    def paired(self, left: Ints, right: Ints) -> Floats:
        """Pairs together in each, less twice the pairs together in both, by sizes of clusters and intersections."""
        left, right = compact(left), compact(right)
        joint = left * (int(right.max(initial=0)) + 1) + right
        differing = _squared_sizes(left) + _squared_sizes(right) - 2 * _squared_sizes(compact(joint))
        return differing / (left.shape[1] * (left.shape[1] - 1))

    def pairwise(self, structures: Ints) -> Floats:
        from askwise.structures.pair_counts import shared_pairs  # brings numba, which `import askwise` must not

        labels = compact(structures)
        items, shared = labels.shape[1], shared_pairs(labels)
        own = np.diagonal(shared)
        return (own[:, None] + own[None, :] - 2 * shared) / (items * (items - 1))

    def form(self, structures: Ints) -> Form:
        return Dense(self.pairwise(structures).astype(np.float32))

    def centre(self, structures: Ints, weights: Floats, mean_distances: Floats) -> Ints:
        """(N,): a clustering close to all draws, with no more groups than half of them have (by weight), but for items
        that are hardly ever with the others of their group: these are left alone.

        Without the limit every item whose place is unsure would be alone: on average that is wrong on the fewest
        pairs, but nobody wants to read it.

        >>> draws = np.array([[0, 0, 1, 1, 1, 1], [0, 1, 0, 1, 1, 1], [0, 0, 0, 1, 1, 0]])
        >>> ClusterPairs().centre(draws, np.full(3, 1 / 3), np.array([0.36, 0.36, 0.36]))
        array([0, 0, 0, 1, 1, 1])
        """
        from askwise.structures.consensus import consensus

        labels = compact(structures)
        groups = labels.max(axis=1) + 1
        order = np.argsort(groups, kind="stable")
        median = int(groups[order[np.searchsorted(np.cumsum(weights[order]), 0.5 - 1e-9)]])
        start = np.where(groups <= median, mean_distances, np.inf).argmin()
        return leave_alone(labels, weights, consensus(labels, weights, labels[start], median))


def leave_alone(labels: Ints, weights: Floats, found: Ints) -> Ints:
    """(N,): the clustering `found` (N,) without the items that are with the others of their group with a chance below
    MIN_CHANCE, by the clusterings `labels` (S, N) of `weights` (S,). From each group, the least likely goes first.

    >>> draws = np.array([[0, 0, 0, 1], [0, 0, 0, 2], [0, 0, 1, 2]])
    >>> leave_alone(draws, np.full(3, 1 / 3), np.array([0, 0, 0, 0]))
    array([0, 0, 0, 1])
    """
    found = found.copy()
    while True:
        found = compact(found[None])[0]
        others = np.bincount(found)[found] - 1
        _, place, counts = np.unique(
            (labels + (labels.max() + 1) * np.arange(len(labels))[:, None]) * len(found) + found,
            return_inverse=True,
            return_counts=True,
        )
        together = weights @ (counts[place.reshape(labels.shape)] - 1)
        chances = np.where(others > 0, together / np.maximum(others, 1), 1.0)
        least = np.lexsort((chances, found))[np.flatnonzero(np.diff(np.sort(found), prepend=-1))]
        least = least[chances[least] < MIN_CHANCE]
        if not len(least):
            return found
        found[least] = len(found) + np.arange(len(least))


def _squared_sizes(labels: Ints) -> Floats:
    """(K, N) -> (K,): the sum of squared cluster sizes, for labels from 0."""
    label_count = int(labels.max(initial=0)) + 1
    keys = labels + label_count * np.arange(len(labels))[:, None]
    sizes = np.bincount(keys.ravel(), minlength=label_count * len(labels)).reshape(len(labels), label_count)
    return (sizes.astype(float) ** 2).sum(axis=1)
