"""Forms: the (S, S) matrix D of distances between draws, as far as scoring needs it.

A form multiplies by D in the cheapest way its distance allows: D itself, D of groups of equal draws, or an overlap of
traits. See `askwise.distances.form_of`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol, runtime_checkable

import numpy as np

from askwise.types import Capability, Floats, Ints

MIN_STRIP_ROWS = 96  # rows of D that are multiplied together


class Form(Protocol):
    """The matrix D of distances between the structures of one sample, as something to multiply with.

    :param weights: A number for each structure, `(S,)`.
    :param mass: A column of numbers for each atom, one a structure: `(S, A)`.
    """

    def apply(self, weights: Floats) -> Floats: ...  # (S,) -> (S,): D w
    def quadratic(self, mass: Floats) -> Floats: ...  # (S, A) -> (A,): the diagonal of mass' D mass


@runtime_checkable
class HasMatrix(Capability, Protocol):
    """A form that holds D itself, rows in the order of the structures; a screening then does not compute it."""

    def to_matrix(self) -> Floats: ...  # (S, S)


@dataclass(frozen=True)
class Dense:
    """D itself.

    >>> form = Dense(np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> form.quadratic(np.array([[0.5], [0.5]]))
    array([0.5])
    """

    matrix: Floats  # (S, S)

    def to_matrix(self) -> Floats:
        return self.matrix

    def apply(self, weights: Floats) -> Floats:
        return self.matrix @ weights.astype(self.matrix.dtype, copy=False)

    def quadratic(self, mass: Floats) -> Floats:
        ends = [*range(MIN_STRIP_ROWS, len(mass), MIN_STRIP_ROWS), len(mass)]
        return _symmetric(self.matrix, mass, [(top, end, False) for top, end in pairwise([0, *ends])])


@dataclass(frozen=True)
class Multipartite:
    """D between structures that fall into groups, zero within each group: only different groups are multiplied.

    >>> form = Multipartite(np.array([[0.0, 0.0, 0.3], [0.0, 0.0, 0.6], [0.3, 0.6, 0.0]]), np.array([2, 0, 1]), [2, 1])
    >>> form.apply(np.array([1.0, 0.0, 0.0]))
    array([0. , 0.6, 0. ])
    >>> form.quadratic(np.full((3, 1), 1 / 3)).round(4)
    array([0.2])
    """

    matrix: Floats  # (S, S), with the structures of a group side by side
    order: Ints  # (S,): which structure stands in each row
    sizes: Sequence[int]  # (G,) of the groups, in the order of the rows

    def apply(self, weights: Floats) -> Floats:
        applied = np.empty(len(self.order), self.matrix.dtype)
        applied[self.order] = self.matrix @ weights[self.order].astype(self.matrix.dtype, copy=False)
        return applied

    def quadratic(self, mass: Floats) -> Floats:
        strips, top, end = [], 0, 0
        for size in self.sizes:
            end += size
            if end - top >= MIN_STRIP_ROWS or end == len(mass):
                strips.append((top, end, end - top == size))
                top = end
        return _symmetric(self.matrix, mass[self.order], strips)

    def capped(self, cap: float) -> Multipartite:
        """The same where a distance above `cap` counts as `cap`.

        :param cap: The largest distance that is kept.

        >>> Multipartite(np.array([[0.0, 0.3], [0.3, 0.0]]), np.arange(2), [1, 1]).capped(0.2).matrix
        array([[0. , 0.2],
               [0.2, 0. ]])
        """
        return replace(self, matrix=np.minimum(self.matrix, cap))


def _symmetric(matrix: Floats, mass: Floats, strips: Iterable[tuple[int, int, bool]]) -> Floats:
    """(A,): mass' D mass, one strip of rows after the other. What stands right of a strip's own block counts twice.

    A strip is its first row, the row after its last, and whether its own block is zero.
    """
    matrix, total = matrix.astype(mass.dtype, copy=False), np.zeros(mass.shape[1], mass.dtype)
    for top, end, empty in strips:
        product = 2 * (matrix[top:end, end:] @ mass[end:])
        if not empty:
            product += matrix[top:end, top:end] @ mass[top:end]
        total += np.einsum("sa,sa->a", mass[top:end], product)
    return total


@dataclass(frozen=True)
class Grouped:
    """D[s, t] = between[group[s], group[t]]: the mass of structures that share a group is added up first.

    >>> form = Grouped(np.array([0, 1, 0]), 1.0 - np.eye(2))
    >>> form.quadratic(np.full((3, 1), 1 / 3)).round(4)
    array([0.4444])
    """

    group: Ints  # (S,)
    between: Floats  # (G, G)

    def apply(self, weights: Floats) -> Floats:
        total = np.bincount(self.group, weights, minlength=len(self.between))
        return (self.between @ total)[self.group]

    def quadratic(self, mass: Floats) -> Floats:
        members = (self.group == np.arange(len(self.between))[:, None]).astype(mass.dtype)
        return Dense(self.between).quadratic(members @ mass)


@dataclass(frozen=True)
class Overlap:
    """D = ceiling - traits traits': structures are as close as their traits overlap (shared labels, shared top items).

    >>> form = Overlap(np.eye(2), ceiling=1.0)
    >>> form.apply(np.array([0.25, 0.75]))
    array([0.75, 0.25])
    """

    traits: Floats  # (S, R)
    ceiling: float  # the distance of two structures that share nothing

    def apply(self, weights: Floats) -> Floats:
        return self.ceiling * weights.sum() - self.traits @ (weights @ self.traits)

    def quadratic(self, mass: Floats) -> Floats:
        shared = self.traits.T.astype(mass.dtype, copy=False) @ mass
        return self.ceiling * mass.sum(axis=0) ** 2 - np.einsum("ra,ra->a", shared, shared)


def grouped(values: Ints, between: Callable[[Ints], Floats]) -> Grouped:
    """A form over the distinct values that a sample shows; `between` gives their (G, G) distances.

    :param values: A whole number for each structure, `(S,)`: structures with the same one are alike.
    :param between: Gives the distances `(G, G)` of the distinct values.

    >>> grouped(np.array([7, 3, 7]), lambda kept: 1.0 - np.eye(len(kept))).group
    array([1, 0, 1])
    """
    kept, group = np.unique(values, return_inverse=True)
    return Grouped(group, between(kept))
