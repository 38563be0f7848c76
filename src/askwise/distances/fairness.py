"""A distance between classifiers that also counts unfairness: equal opportunity between two groups."""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise.errors import SettingError
from askwise.options import number
from askwise.structures import Family
from askwise.types import Atoms, Bools, Floats, Structures

MAX_WEIGHT = 1e30  # must fit in 32 bits


class EqualOpportunity:
    """How much two classifiers differ in labels or in fairness: the larger of two shares, at most 1.

    The first is the share of `atoms` on which they disagree. The second is `weight` times the gap between the two
    groups in how many of one classifier's positives the other finds, the larger of both ways. So at a distance of
    epsilon below 1 they disagree on at most a share epsilon, and the gap is at most epsilon / weight.

    `group` (A,) says which atoms belong to the protected group. The positive response is the largest one. Where one
    classifier has no positives in a group, there is nothing to find, and that way counts 0.

    :param family: Whose structures are compared.
    :param atoms: The atoms on which they are compared, `(A, ...)`.
    :param group: Which of these belong to the protected group, `(A,)`.
    :param weight: How much the gap between the groups counts beside disagreement.

    >>> from askwise.structures.finite import Finite
    >>> family = Finite([[1, 1, 1, 1], [1, 1, 0, 0], [0, 1, 0, 1]])
    >>> distance = EqualOpportunity(family, np.arange(4), [True, False, True, False])
    >>> distance.paired(np.array([0, 0]), np.array([1, 2]))
    array([0.5, 1. ])
    """

    def __init__(self, family: Family, atoms: Atoms, group: Any, weight: float = 1.0):
        self.family = family
        self.atoms = atoms
        self.group: Bools = np.asarray(group).astype(bool)
        self.weight = number("weight", weight, above=0, at_most=MAX_WEIGHT)
        counted = "" if self.weight == 1 else f", counted {self.weight:g} times,"
        self.phrase = f"{{what}} is wrong about labels or{counted} unequal between the groups by {{loss:.3f}}"
        if self.group.shape != (len(atoms),):
            raise SettingError(f"group needs one value for each of {len(atoms)} atoms, got shape {self.group.shape}")
        if self.group.all() or not self.group.any():
            raise SettingError("group puts all atoms on one side; equal opportunity compares two groups")

    def paired(self, left: Structures, right: Structures) -> Floats:
        ours, theirs = self._positive(left), self._positive(right)
        both, left_counts, right_counts = (self._counts(part) for part in (ours * theirs, ours, theirs))
        disagreement = (ours != theirs).mean(axis=1)
        return self._larger(disagreement, _gap(both, right_counts), _gap(both, left_counts))

    def pairwise(self, structures: Structures) -> Floats:
        positive = self._positive(structures)
        counts = [positive[:, side] @ positive[:, side].T for side in (self.group, ~self.group)]
        both = np.stack(counts, axis=-1)  # (S, S, 2): atoms of each group that both take for positive
        own = self._counts(positive)
        total = own.sum(axis=1)
        disagreement = (total[:, None] + total[None] - 2 * both.sum(axis=-1)) / positive.shape[1]
        forward = _gap(both, np.broadcast_to(own[None], both.shape))
        return self._larger(disagreement, forward, forward.T)

    def violation(self, structures: Structures, truth: Structures) -> Floats:
        """(S,): how unequally each structure finds the positives of the true one in the two groups.

        :param structures: The structures that are judged, `(S, ...)`.
        :param truth: The true structure, as a batch of one.
        """
        positive, true = self._positive(structures), self._positive(truth)
        return _gap(self._counts(positive * true), self._counts(np.broadcast_to(true, positive.shape)))

    def _larger(self, disagreement: Floats, forward: Floats, backward: Floats) -> Floats:
        return np.clip(np.maximum(disagreement, self.weight * np.maximum(forward, backward)), 0.0, 1.0)

    def _positive(self, structures: Structures) -> Floats:
        """(S, A) of 0 and 1, in 32 bits: counts up to 16 million are exact."""
        predictions = self.family.predict(structures, self.atoms)
        responses: Any = self.family.responses(predictions)
        return (np.asarray(self.family.decide(predictions)) == max(responses)).astype(np.float32)

    def _counts(self, positive: Floats) -> Floats:
        """(K, A) -> (K, 2): positives in each group."""
        return np.stack([positive[:, self.group].sum(axis=1), positive[:, ~self.group].sum(axis=1)], axis=-1)


def _gap(found: Floats, positives: Floats) -> Floats:
    """(..., 2) -> (...): the difference of the shares found in the two groups, 0 where a group has nothing to find."""
    shares = found / np.maximum(positives, 1.0)
    return np.where((positives > 0).all(axis=-1), np.abs(shares[..., 0] - shares[..., 1]), 0.0)
