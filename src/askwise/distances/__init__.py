"""What we care about: distances between structures, in [0, 1]. By subject: labels, items, clusters.

A distance needs `paired` and `pairwise`. One that depends on a structure through little (its best item, its labels)
also has `form(structures)`, which multiplies by the (S, S) matrix of distances without building it, and one that people
read about has a `phrase` that says in words what a distance means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from askwise.errors import DistanceError
from askwise.types import Floats, Ints, Structures

STRIP = 96  # rows of a distance matrix that are multiplied together, at least


class Distance(Protocol):
    """Symmetric, zero on the diagonal, values in [0, 1]; no triangle inequality needed."""

    def paired(self, left: Structures, right: Structures) -> Floats: ...  # (K,)
    def pairwise(self, structures: Structures) -> Floats: ...  # (S, S)


class Form(Protocol):
    """The matrix D of distances between the structures of one sample, as far as scoring needs it."""

    def apply(self, weights: Floats) -> Floats: ...  # (S,) -> (S,): D w
    def quadratic(self, mass: Floats) -> Floats: ...  # (S, A) -> (A,): the diagonal of mass' D mass


@dataclass(frozen=True)
class Dense:
    """D itself.

    >>> form = Dense(np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> form.quadratic(np.array([[0.5], [0.5]]))
    array([0.5])
    """

    matrix: Floats  # (S, S)

    def apply(self, weights: Floats) -> Floats:
        return self.matrix @ weights.astype(self.matrix.dtype, copy=False)

    def quadratic(self, mass: Floats) -> Floats:
        ends = [*range(STRIP, len(mass), STRIP), len(mass)]
        return _symmetric(self.matrix, mass, [(top, end, False) for top, end in pairwise([0, *ends])])


@dataclass(frozen=True)
class Parted:
    """D between structures that fall into groups, zero within each: only different groups are multiplied.

    >>> form = Parted(np.array([[0.0, 0.0, 0.3], [0.0, 0.0, 0.6], [0.3, 0.6, 0.0]]), np.array([2, 0, 1]), [2, 1])
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
            if end - top >= STRIP or end == len(mass):
                strips.append((top, end, end - top == size))
                top = end
        return _symmetric(self.matrix, mass[self.order], strips)


def _symmetric(matrix: Floats, mass: Floats, strips: Iterable[tuple[int, int, bool]]) -> Floats:
    """(A,): mass' D mass, one strip of rows after the other; what is right of the strip's own block counts twice.

    A strip is its first row, its last and whether its own block is zero.
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
    ceiling: float

    def apply(self, weights: Floats) -> Floats:
        return self.ceiling * weights.sum() - self.traits @ (weights @ self.traits)

    def quadratic(self, mass: Floats) -> Floats:
        shared = self.traits.T.astype(mass.dtype, copy=False) @ mass
        return self.ceiling * mass.sum(axis=0) ** 2 - np.einsum("ra,ra->a", shared, shared)


def grouped(values: Ints, between: Callable[[Ints], Floats]) -> Grouped:
    """A form over the distinct values that a sample shows; `between` gives their (G, G) distances.

    >>> grouped(np.array([7, 3, 7]), lambda kept: 1.0 - np.eye(len(kept))).group
    array([1, 0, 1])
    """
    kept, group = np.unique(values, return_inverse=True)
    return Grouped(group, between(kept))


def form_of(distance: Distance, structures: Structures) -> Form:
    """The distance's own form if it has one, else the dense matrix.

    The last one is kept: stopping, scoring and estimate look at the same draws one after the other.
    """
    kept_distance, kept_structures, form = _latest["form"]
    if distance is not kept_distance or structures is not kept_structures:
        form = new_form(distance, structures)
        _latest["form"] = distance, structures, form
    return form


def new_form(distance: Distance, structures: Structures) -> Form:
    """The same for structures that nobody else will look at."""
    own = getattr(distance, "form", None)
    form: Form = Dense(distance.pairwise(structures)) if own is None else own(structures)
    return form


_latest: dict[str, tuple[Any, Any, Any]] = {"form": (None, None, None)}


@dataclass(frozen=True)
class Tabled:
    """Distances between the structures of a finite family, looked up in a (G, G) table.

    >>> Tabled(np.array([[0.0, 0.3], [0.3, 0.0]])).paired(np.array([0]), np.array([1]))
    array([0.3])
    """

    table: Floats

    def paired(self, left: Ints, right: Ints) -> Floats:
        return self.table[left, right]

    def pairwise(self, structures: Ints) -> Floats:
        return self.table[np.ix_(structures, structures)]


@dataclass(frozen=True)
class Custom:
    """Any function of two structures as a distance. Convenient, not fast: it is called once for every pair of draws.

    >>> Custom(lambda g, h: abs(g - h)).pairwise(np.array([0.0, 0.25]))
    array([[0.  , 0.25],
           [0.25, 0.  ]])
    """

    function: Callable[[Any, Any], float]

    def paired(self, left: Structures, right: Structures) -> Floats:
        return self._checked(np.array([float(self.function(g, h)) for g, h in zip(left, right, strict=True)]))

    def pairwise(self, structures: Structures) -> Floats:
        size = len(structures)
        rows, columns = np.triu_indices(size, 1)
        matrix = np.zeros((size, size))
        matrix[rows, columns] = matrix[columns, rows] = self.paired(structures[rows], structures[columns])
        return matrix

    def _checked(self, values: Floats) -> Floats:
        bad = ~((values >= 0) & (values <= 1))
        if bad.any():
            raise DistanceError(
                f"the distance function returned {values[bad][0]}; distances must be numbers in [0, 1]: "
                "divide by the largest value it can take"
            )
        return values


def verify(distance: Distance, structures: Structures) -> None:
    """Refuses what is not a distance, on these structures, with what to do about it.

    >>> verify(Custom(lambda g, h: g - h if g > h else 0.0), np.array([0.0, 0.5]))
    Traceback (most recent call last):
        ...
    askwise.errors.DistanceError: the distance is not symmetric: d(g, h) = 0.0 but d(h, g) = 0.5; average both ways
    """
    rows, columns = np.triu_indices(len(structures), 1)
    there, back = (
        np.asarray(distance.paired(structures[a], structures[b])) for a, b in ((rows, columns), (columns, rows))
    )
    matrix = np.asarray(distance.pairwise(structures))
    if there.shape != rows.shape or matrix.shape != (len(structures),) * 2:
        raise DistanceError(
            f"paired gave shape {there.shape} for {len(rows)} pairs and pairwise {matrix.shape} for "
            f"{len(structures)} structures; expected one number a pair and one row a structure"
        )
    values = np.concatenate([there, back, matrix.ravel()])
    if not np.isfinite(values).all():
        raise DistanceError("the distance is not a number for some structures; return 0 where nothing can be compared")
    if values.min() < 0 or values.max() > 1 + 1e-9:
        raise DistanceError(
            f"the distance takes values from {values.min():.4g} to {values.max():.4g}; they must lie in [0, 1]: "
            "divide by the largest value it can take"
        )
    if len(there) and np.abs(there - back).max() > 1e-6:
        worst = np.abs(there - back).argmax()
        raise DistanceError(
            f"the distance is not symmetric: d(g, h) = {there[worst]} but d(h, g) = {back[worst]}; average both ways"
        )
    if np.abs(np.diagonal(matrix)).max(initial=0.0) > 1e-6:
        raise DistanceError("the distance of a structure to itself is not zero; subtract it or return 0 for equal ones")
    if len(there) and np.abs(matrix[rows, columns] - there).max() > 1e-6:
        raise DistanceError("paired and pairwise disagree; they must give the same number for the same two structures")
