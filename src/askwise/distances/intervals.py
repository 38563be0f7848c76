"""Distances between clusterings of the line, in closed form from the cuts."""

from __future__ import annotations

import numpy as np

from askwise.types import Floats

MAX_NUMBERS_PER_BLOCK = 1 << 22  # held at once while all pairs of structures are compared


class PairDisagreement:
    """d_c: the chance that two random positions are together in one clustering and apart in the other.

    For a line of n discrete points of mass 1/n each, pass n: a pair is then two different points.

    >>> PairDisagreement().paired(np.array([[1.0]]), np.array([[0.5]]))
    array([0.5])
    """

    phrase = "{what} is wrong on {loss:.3f} of all pairs"

    def __init__(self, points: int | None = None):
        self.factor = 1.0 if points is None else points / (points - 1)

    def paired(self, left: Floats, right: Floats) -> Floats:
        """With interval masses A and B: sum A^2 + sum B^2 - 2 sum |A and B|^2; joint cuts give the intersections."""
        joint = np.concatenate([left, right], axis=1)
        differing = _squares(left) + _squares(right) - 2 * _squares(joint)
        return np.clip(self.factor * differing, 0.0, 1.0)

    def pairwise(self, structures: Floats) -> Floats:
        size, cuts = structures.shape
        matrix = np.zeros((size, size))
        step = max(1, MAX_NUMBERS_PER_BLOCK // (2 * cuts * size))
        for start in range(0, size, step):
            rows = np.repeat(np.arange(start, min(start + step, size)), size)
            columns = np.tile(np.arange(size), len(rows) // size)
            matrix[start : start + step] = self.paired(structures[rows], structures[columns]).reshape(-1, size)
        np.fill_diagonal(matrix, 0.0)
        return matrix


class IntervalMembership:
    """d_I: the mass that belongs to the cluster of the known interval in one clustering but not in the other.

    `inside` is any position in the known interval.

    >>> IntervalMembership(0.1).paired(np.array([[0.5, 1.0]]), np.array([[0.25, 0.5]]))
    array([0.25])
    """

    phrase = "{what} is wrong on {loss:.3f} of the line about who belongs to the known interval"

    def __init__(self, inside: float):
        self.inside = inside

    def ends(self, structures: Floats) -> tuple[Floats, Floats]:
        """(S,), (S,): where the cluster of the known interval begins and ends."""
        left = structures <= self.inside
        low = np.where(left, structures, 0.0).max(axis=1, initial=0.0)
        high = np.where(left, 1.0, structures).min(axis=1, initial=1.0)
        return low, high

    def paired(self, left: Floats, right: Floats) -> Floats:
        (low, high), (other_low, other_high) = self.ends(left), self.ends(right)
        return np.abs(low - other_low) + np.abs(high - other_high)

    def pairwise(self, structures: Floats) -> Floats:
        low, high = self.ends(structures)
        return np.abs(low[:, None] - low[None, :]) + np.abs(high[:, None] - high[None, :])


def _squares(cuts: Floats) -> Floats:
    """(K, C) -> (K,): the sum of squared interval lengths."""
    ends = np.sort(cuts, axis=1)
    lengths = np.diff(ends, axis=1, prepend=0.0, append=1.0)
    return np.einsum("kc,kc->k", lengths, lengths)
