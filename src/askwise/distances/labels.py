"""Distances between classifiers: how often, or at what angle, they disagree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from askwise.distances import Dense, Form, Overlap
from askwise.structures import Family
from askwise.types import Atoms, Floats, Structures

ROWS_PER_BLOCK = 64  # of a matrix of angles that are made together
ARCCOS = (  # polynomial of arccos(x) / sqrt(1 - x) over pi for x in [0, 1], the highest power first
    np.array([-12624911, 66700901, -170881256, 308918810, -501743046, 889789874, -2145988016, 15707963050])
    / (1e10 * np.pi)
).astype(np.float32)


class Disagreement:
    """The share of `atoms` on which two structures decide differently.

    :param family: Whose structures are compared.
    :param atoms: The atoms on which they are compared, `(A, ...)`.

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
        """(S, A): what each structure decides on each atom.

        :param structures: The structures, `(S, ...)`.
        """
        return self.family.decide(self.family.predict(structures, self.atoms))

    def paired(self, left: Structures, right: Structures) -> Floats:
        return (self.decisions(left) != self.decisions(right)).mean(axis=1)

    def pairwise(self, structures: Structures) -> Floats:
        return _distances(*self._indicators(structures))

    def form(self, structures: Structures) -> Form:
        indicators, ceiling, unit = self._indicators(structures)
        narrow = indicators.shape[1] < len(indicators)
        return (
            Overlap(np.sqrt(unit) * indicators.astype(float), ceiling)
            if narrow
            else Dense(_distances(indicators, ceiling, unit))
        )

    def _indicators(self, structures: Structures) -> tuple[NDArray[np.float32], float, float]:
        """Columns (S, R), a ceiling and a unit: D = ceiling - unit * columns columns'. Counts are exact in 32 bits.

        Two labels: signs, which need one column an atom. More: one column for each atom and label.
        """
        decisions = self.decisions(structures)
        low, high = decisions.min(), decisions.max()
        lower = decisions == low
        if low < high and (lower | (decisions == high)).all():  # np.unique, which sorts, would cost more than the rest
            return 1 - 2 * lower.astype(np.float32), 0.5, 0.5 / decisions.shape[1]
        columns = [decisions == label for label in np.unique(decisions)]
        return np.concatenate(columns, axis=1).astype(np.float32), 1.0, 1.0 / decisions.shape[1]


def _distances(indicators: NDArray[np.float32], ceiling: float, unit: float) -> Floats:
    return np.clip(ceiling - unit * (indicators @ indicators.T).astype(float), 0.0, 1.0)


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
        """In 32 bits, each angle once, by blocks of rows that stay in the cache."""
        directions = _directions(structures)
        matrix = np.empty((len(directions), len(directions)), np.float32)
        for top in range(0, len(directions), ROWS_PER_BLOCK):
            rows = slice(top, top + ROWS_PER_BLOCK)
            matrix[rows, top:] = _quick_angles(directions[rows] @ directions[top:].T)
            matrix[top:, rows] = matrix[rows, top:].T
        return Dense(matrix)

    def _over_pi(self, cosines: Floats) -> Floats:
        return np.arccos(np.clip(cosines, -1.0, 1.0)) / np.pi


def _quick_angles(cosines: Floats) -> Floats:
    """arccos over pi in 32 bits, five times as fast as NumPy's (Abramowitz and Stegun 4.4.46, accurate to 1e-8).

    A square root takes the singularity at 1 and a polynomial the rest, so small angles keep their digits.
    """
    size = np.abs(cosines)
    angles = np.maximum(1.0 - size, 0.0).astype(np.float32)  # before the root: NumPy casts within it very slowly
    np.sqrt(angles, out=angles)
    size = size.astype(np.float32)
    polynomial = np.full_like(size, ARCCOS[0])
    for coefficient in ARCCOS[1:]:
        polynomial *= size
        polynomial += coefficient
    angles *= polynomial
    return np.abs((cosines < 0).astype(np.float32) - angles)  # beyond a right angle, what is left to half a turn


def _directions(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    directions = vectors / np.where(lengths > 0, lengths, 1.0)
    directions[lengths[:, 0] == 0, 0] = 1.0  # no direction: any fixed one, so that it is at no distance from itself
    return directions
