"""Distances between classifiers: how often, or at what angle, they disagree."""

from __future__ import annotations

import numpy as np

from askwise.distances import Dense, Form, Overlap
from askwise.structures import Family
from askwise.types import Atoms, Floats, Structures


class Disagreement:
    """The share of `atoms` on which two structures decide differently.

    >>> from askwise.structures.finite import Finite
    >>> family = Finite([[0, 0, 1], [0, 1, 1]])
    >>> Disagreement(family, np.arange(3)).paired(np.array([0]), np.array([1])).round(4)
    array([0.3333])
    """

    phrase = "{what} is wrong on {loss:.3f} of the points"

    def __init__(self, family: Family, atoms: Atoms):
        self.family = family
        self.atoms = atoms

    def decisions(self, structures: Structures) -> Floats:
        return self.family.decide(self.family.predict(structures, self.atoms))

    def paired(self, left: Structures, right: Structures) -> Floats:
        return (self.decisions(left) != self.decisions(right)).mean(axis=1)

    def pairwise(self, structures: Structures) -> Floats:
        return _apart(self._overlap(structures))

    def form(self, structures: Structures) -> Form:
        shared = self._overlap(structures)
        few = shared.traits.shape[1] < len(shared.traits)
        return shared if few else Dense(_apart(shared))

    def _overlap(self, structures: Structures) -> Overlap:
        """Two labels: signs, which need one column an atom. More: one column for each atom and label."""
        decisions = self.decisions(structures)
        low, high = decisions.min(), decisions.max()
        lower = decisions == low
        if low < high and (lower | (decisions == high)).all():  # np.unique, which sorts, would cost more than the rest
            return Overlap(np.where(lower, 1.0, -1.0) / np.sqrt(2 * decisions.shape[1]), 0.5)
        labels = np.unique(decisions)
        columns = np.concatenate([decisions == label for label in labels], axis=1)
        return Overlap(columns / np.sqrt(decisions.shape[1]), 1.0)


def _apart(shared: Overlap) -> Floats:
    return np.clip(shared.ceiling - shared.traits @ shared.traits.T, 0.0, 1.0)


class Angle:
    """The angle between weight vectors over pi: the share of the sphere on which two linear classifiers disagree.

    >>> Angle().paired(np.array([[1.0, 0.0]]), np.array([[0.0, 2.0]]))
    array([0.5])
    """

    phrase = "{what} is wrong on {loss:.3f} of all directions"

    def paired(self, left: Floats, right: Floats) -> Floats:
        return self._over_pi(np.einsum("kd,kd->k", _directions(left), _directions(right)))

    def pairwise(self, structures: Floats) -> Floats:
        directions = _directions(structures)
        angles = self._over_pi(directions @ directions.T)
        np.fill_diagonal(angles, 0.0)  # arccos of a cosine one rounding below 1 is 1e-8, not 0
        return angles

    def form(self, structures: Floats) -> Form:
        """In 32 bits through the sine of half the angle, which keeps small angles exact: half the time of arccos."""
        directions = _directions(structures)
        half = np.sqrt(np.maximum(0.5 - 0.5 * (directions @ directions.T), 0.0), dtype=np.float32)
        return Dense(np.arcsin(half) * np.float32(2 / np.pi))

    def _over_pi(self, cosines: Floats) -> Floats:
        return np.arccos(np.clip(cosines, -1.0, 1.0)) / np.pi


def _directions(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    directions = vectors / np.where(lengths > 0, lengths, 1.0)
    directions[lengths[:, 0] == 0, 0] = 1.0  # no direction: any fixed one, so that it is at no distance from itself
    return directions
