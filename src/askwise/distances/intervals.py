"""Distances between clusterings of the line, in closed form from the cuts."""

from __future__ import annotations

import numpy as np

from askwise.distances import Dense, Form
from askwise.types import Floats

LEAST_MASS = 1e-13  # of pairs: two of a million points have more


class PairDisagreement:
    """d_c: the chance that two random positions are together in one clustering and apart in the other.

    For a line of n discrete points of mass 1/n each, pass n: a pair is then two different points.

    :param points: How many points of equal mass the line has; None: it is continuous.

    >>> PairDisagreement().paired(np.array([[1.0]]), np.array([[0.5]]))
    array([0.5])
    """

    phrase = "{what} is wrong on {loss:.3f} of all pairs"

    def __init__(self, points: int | None = None):
        self.factor = 1.0 if points is None else points / (points - 1)

    def paired(self, left: Floats, right: Floats) -> Floats:
        """With interval masses A and B: sum A^2 + sum B^2 - 2 sum |A and B|^2; joint cuts give the intersections."""
        joint = np.concatenate([left, right], axis=1)
        return self._share(_squares(left) + _squares(right) - 2 * _squares(joint))

    def pairwise(self, structures: Floats) -> Floats:
        from askwise.structures.pair_counts import shared_mass  # brings numba, which `import askwise` must not

        shared = shared_mass(np.sort(structures, axis=1))
        own = np.diagonal(shared)
        return self._share(own[:, None] + own[None, :] - 2 * shared)

    def form(self, structures: Floats) -> Form:
        return Dense(self.pairwise(structures).astype(np.float32))

    def centre(self, structures: Floats, weights: Floats, mean_distances: Floats) -> Floats:
        """(C,): the clustering with the least mean distance to the draws, of all that have their cuts. This is exact.

        To put two positions together costs one half less the chance that they are. So the cost is a sum over segments,
        and the best clustering up to a cut is the best one up to an earlier cut and one more segment.

        >>> draws, weights = np.array([[0.25, 1.0], [0.25, 0.5], [0.5, 1.0]]), np.array([0.4, 0.25, 0.35])
        >>> PairDisagreement().centre(draws, weights, np.zeros(3))
        array([0.25, 0.5 ])
        """
        edges, ends = np.unique(np.pad(structures, ((0, 0), (1, 1)), constant_values=(0.0, 1.0)), return_inverse=True)
        ends = np.sort(ends.reshape(len(structures), -1), axis=1)  # (S, C + 2), as places among the U edges
        together = np.zeros((len(edges), len(edges)))  # (U, U): a segment adds its weight to a square, by its corners
        for low, high, sign in ((0, 0, 1), (0, 1, -1), (1, 0, -1), (1, 1, 1)):
            one, two = ends[:, low : ends.shape[1] - 1 + low], ends[:, high : ends.shape[1] - 1 + high]
            np.add.at(together, (one, two), sign * weights[:, None])
        together = np.cumsum(np.cumsum(together, axis=0), axis=1)[:-1, :-1]
        mass = np.diff(edges)
        gain = np.pad((together - 0.5) * mass[:, None] * mass, ((1, 0), (1, 0)))
        gain = np.cumsum(np.cumsum(gain, axis=0), axis=1)  # (U, U), of all pairs up to two edges
        best, begin = np.zeros(len(edges)), np.zeros(len(edges), dtype=int)
        for end in range(1, len(edges)):
            total = best[:end] + gain[end, end] - 2 * gain[:end, end] + np.diagonal(gain)[:end]
            begin[end] = total.argmax()
            best[end] = total[begin[end]]
        cuts, end = [1.0], begin[-1]
        while end > 0:
            cuts.append(float(edges[end]))
            end = begin[end]
        return np.array(cuts[:0:-1] or cuts)

    def _share(self, differing: Floats) -> Floats:
        """The share of pairs that differ; rounding must not tell equal clusterings apart."""
        return np.where(differing < LEAST_MASS, 0.0, np.minimum(self.factor * differing, 1.0))


class IntervalMembership:
    """d_I: the mass that belongs to the cluster of the known interval in one clustering but not in the other.

    `inside` is any position in the known interval.

    :param inside: A position in the known interval.

    >>> IntervalMembership(0.1).paired(np.array([[0.5, 1.0]]), np.array([[0.25, 0.5]]))
    array([0.25])
    """

    phrase = "{what} is wrong on {loss:.3f} of the line"

    def __init__(self, inside: float):
        self.inside = inside

    def ends(self, structures: Floats) -> tuple[Floats, Floats]:
        """(S,), (S,): where the cluster of the known interval begins and ends.

        :param structures: The cuts of each structure, `(S, C)`.
        """
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

    def centre(self, structures: Floats, weights: Floats, mean_distances: Floats) -> Floats:
        """(2,): the cuts at the medians of where the cluster begins and ends, which have the least mean distance.

        >>> draws = np.array([[0.1, 0.8], [0.2, 0.9], [0.4, 1.0]])
        >>> IntervalMembership(0.5).centre(draws, np.full(3, 1 / 3), np.zeros(3))
        array([0.2, 0.9])
        """
        low, high = (_median(ends, weights) for ends in self.ends(structures))
        return np.sort([low if low > 0 else 1.0, high])


def _squares(cuts: Floats) -> Floats:
    """(K, C) -> (K,): the sum of squared interval lengths."""
    ends = np.sort(cuts, axis=1)
    lengths = np.diff(ends, axis=1, prepend=0.0, append=1.0)
    return np.einsum("kc,kc->k", lengths, lengths)


def _median(values: Floats, weights: Floats) -> float:
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(reached, 0.5 * reached[-1])]])
