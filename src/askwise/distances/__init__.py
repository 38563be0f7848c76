"""What we care about: distances between structures, in [0, 1], one subject a file.

This module declares the `Distance` protocol and its optional capabilities, which generic code finds by
``isinstance(distance, HasForm)``. Distances know structures; they know no loss, posterior or session.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from askwise._runtime import plugins
from askwise.distances.forms import Dense, Form, Grouped, HasMatrix, Multipartite, Overlap, grouped
from askwise.errors import DistanceError
from askwise.structures import Family
from askwise.types import Atoms, Capability, Floats, Ints, Structures

__all__ = [
    "CAPABILITIES",
    "GROUP",
    "Custom",
    "Dense",
    "Distance",
    "Form",
    "Grouped",
    "HasCentre",
    "HasForm",
    "HasMatrix",
    "HasPhrase",
    "HasUnit",
    "MeasuredOnAtoms",
    "Multipartite",
    "Overlap",
    "TableDistance",
    "built_in_distances",
    "distance_named",
    "distances",
    "form_of",
    "grouped",
    "new_form",
    "verify",
]

GROUP = "askwise.distances"  # of the entry points


@runtime_checkable
class Distance(Protocol):
    """Symmetric, zero on the diagonal, values in [0, 1]; no triangle inequality needed.

    :param left: The first structure of each pair, `(K, ...)`.
    :param right: The second structure of each pair, `(K, ...)`.
    :param structures: The structures `(S, ...)`, each compared with each.
    """

    def paired(self, left: Structures, right: Structures) -> Floats: ...  # (K,)
    def pairwise(self, structures: Structures) -> Floats: ...  # (S, S)


@runtime_checkable
class HasCentre(Capability, Protocol):
    """Finds an estimate that need not be one of the draws, from their weights (S,) and their mean distances (S,).

    :param structures: The draws `(S, ...)`.
    :param weights: The weight of each draw, `(S,)`; they add up to 1.
    :param mean_distances: The mean distance of each draw from all draws, `(S,)`.
    """

    def centre(self, structures: Structures, weights: Floats, mean_distances: Floats) -> Any: ...


@runtime_checkable
class HasForm(Capability, Protocol):
    """Multiplies by the (S, S) matrix of distances without building it, where structures matter through few values.

    :param structures: The structures `(S, ...)` whose distances the form multiplies with.
    """

    def form(self, structures: Structures) -> Form: ...


@runtime_checkable
class HasPhrase(Capability, Protocol):
    """Says in words what a distance means, with the places {what} and {loss}; certificates speak it."""

    phrase: str


@runtime_checkable
class HasUnit(Capability, Protocol):
    """Knows what a distance of 1 is in the units of the answers; certificates then speak in these."""

    unit: float


@runtime_checkable
class MeasuredOnAtoms(Capability, Protocol):
    """Compares what structures decide on the atoms of a family; of a pool on disk, on the rows that stand for all."""

    family: Family
    atoms: Atoms


CAPABILITIES = (HasCentre, HasForm, HasMatrix, HasPhrase, HasUnit, MeasuredOnAtoms)


def form_of(distance: Distance, structures: Structures) -> Form:
    """The distance's own form if it has one, else the dense matrix.

    The latest form is kept, because stopping, scoring and the estimate use the same draws one after the other.

    :param distance: The distance.
    :param structures: The structures `(S, ...)` whose distances are wanted.

    >>> distance, draws = TableDistance(1.0 - np.eye(2)), np.arange(2)
    >>> form_of(distance, draws) is form_of(distance, draws)
    True
    """
    cached_distance, cached_structures, form = _latest["form"]
    if distance is not cached_distance or structures is not cached_structures:
        form = new_form(distance, structures)
        _latest["form"] = distance, structures, form
    return form


def new_form(distance: Distance, structures: Structures) -> Form:
    """As `form_of`, for structures that are used once: nothing is kept.

    :param distance: The distance.
    :param structures: The structures `(S, ...)` whose distances are wanted.

    >>> new_form(TableDistance(1.0 - np.eye(2)), np.arange(2)).apply(np.array([0.25, 0.75]))
    array([0.75, 0.25])
    """
    return distance.form(structures) if isinstance(distance, HasForm) else Dense(distance.pairwise(structures))


_latest: dict[str, tuple[Any, Any, Any]] = {"form": (None, None, None)}


@dataclass(frozen=True)
class TableDistance:
    """Distances between the structures of a finite family, looked up in a (G, G) table.

    >>> TableDistance(np.array([[0.0, 0.3], [0.3, 0.0]])).paired(np.array([0]), np.array([1]))
    array([0.3])
    """

    table: Floats  # the distances of all structures of the family, `(G, G)`

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

    function: Callable[[Any, Any], float]  # gives the distance of two structures, a number from 0 to 1

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


def distances() -> Mapping[str, Callable[[Floats], Distance]]:
    """Every named distance between tastes, with those that plug-ins register (entry points `askwise.distances`): a
    function from the items (N, D) to the distance.

    >>> {"distance", "exact", "regret"} <= set(distances())
    True
    """
    return {**plugins.load_all(GROUP), **built_in_distances()}


def distance_named(name: str) -> Callable[[Floats], Distance]:
    """The distance of that name. Plug-ins are only looked for if it is none of this package.

    :param name: One of those that `distances` lists.

    >>> distance_named("exact")(np.eye(2)).best(np.array([[1.0, 0.0]]))
    array([0])
    """
    known = built_in_distances()
    found: Callable[[Floats], Distance] = known[name] if name in known else plugins.load(GROUP, name)
    return found


def built_in_distances() -> Mapping[str, Callable[[Floats], Distance]]:
    """The named distances of this package.

    >>> built_in_distances()["exact"](np.eye(2)).paired(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]))
    array([1.])
    """
    from askwise.distances.items import BestItem, BestItemDistance, ItemRegret

    return {"regret": ItemRegret, "distance": BestItemDistance, "exact": BestItem}


def verify(distance: Distance, structures: Structures) -> None:
    """Refuses what is not a distance on these structures, and says what to do about it.

    :param distance: What may be a distance.
    :param structures: The structures `(S, ...)` on which it is checked.

    >>> verify(Custom(lambda g, h: g - h if g > h else 0.0), np.array([0.0, 0.5]))
    Traceback (most recent call last):
        ...
    askwise.errors.DistanceError: the distance is not symmetric: d(g, h) = 0.0 but d(h, g) = 0.5; average both ways
    """
    rows, columns = np.triu_indices(len(structures), 1)
    forward, backward = (
        np.asarray(distance.paired(structures[a], structures[b])) for a, b in ((rows, columns), (columns, rows))
    )
    matrix = np.asarray(distance.pairwise(structures))
    if forward.shape != rows.shape or matrix.shape != (len(structures),) * 2:
        raise DistanceError(
            f"paired gave shape {forward.shape} for {len(rows)} pairs and pairwise {matrix.shape} for "
            f"{len(structures)} structures; expected one number a pair and one row a structure"
        )
    values = np.concatenate([forward, backward, matrix.ravel()])
    if not np.isfinite(values).all():
        raise DistanceError("the distance is not a number for some structures; return 0 where nothing can be compared")
    if values.min() < 0 or values.max() > 1 + 1e-9:
        raise DistanceError(
            f"the distance takes values from {values.min():.4g} to {values.max():.4g}; they must lie in [0, 1]: "
            "divide by the largest value it can take"
        )
    if len(forward) and np.abs(forward - backward).max() > 1e-6:
        worst = np.abs(forward - backward).argmax()
        raise DistanceError(
            f"the distance is not symmetric: d(g, h) = {forward[worst]} but d(h, g) = {backward[worst]}; "
            "average both ways"
        )
    if np.abs(np.diagonal(matrix)).max(initial=0.0) > 1e-6:
        raise DistanceError("the distance of a structure to itself is not zero; subtract it or return 0 for equal ones")
    if len(forward) and np.abs(matrix[rows, columns] - forward).max() > 1e-6:
        raise DistanceError("paired and pairwise disagree; they must give the same number for the same two structures")
