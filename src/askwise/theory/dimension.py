"""The graph dimension: searched for in a finite family, and known for lines, linear scores and clusterings."""

from __future__ import annotations

from math import e, log
from typing import Any, NamedTuple

import numpy as np

from askwise.errors import SettingError
from askwise.theory.base import Bound, check_arguments

MAX_ENTRIES = 100_000_000  # of the table that are read before the search gives bounds: some seconds


class GraphDimension(NamedTuple):
    """The size of the largest set of atoms that a family shatters, or bounds of it."""

    at_least: int  # the size of the largest shattered set that is known
    at_most: int  # no larger set is shattered


def graph_dimension(table: Any, max_entries: int = MAX_ENTRIES) -> GraphDimension:
    """The graph dimension of a finite family, by search.

    A set of atoms is shattered if there is one response f(a) for each of its atoms, such that for every subset some
    structure gives f(a) on the subset and something else on the rest.

    - `table`: (G, A), the response of each structure to each atom.
    - `max_entries`: how many entries of the table the search may read, again and again. If they do not suffice, the two
      bounds differ.

    >>> graph_dimension([[0, 0], [0, 1], [1, 0], [1, 1]])
    GraphDimension(at_least=2, at_most=2)
    >>> graph_dimension([[0, 0], [1, 1], [2, 2]])
    GraphDimension(at_least=1, at_most=1)
    """
    rows = np.unique(_checked_table(table), axis=0)
    columns = _indicators(rows)  # (G, J)
    most = min(len(rows).bit_length() - 1, rows.shape[1])
    search = _Search(columns, most, max_entries)
    search.extend(np.zeros(len(rows), dtype=np.int64), 0, np.arange(columns.shape[1]))
    return GraphDimension(search.best, search.best if search.finished else most)


class _Search:
    """Depth first over shattered sets of columns; each part of a shattered set is shattered, too."""

    def __init__(self, columns: Any, most: int, max_entries: int):
        self.columns, self.most, self.entries, self.best = columns, most, max_entries, 0

    @property
    def finished(self) -> bool:
        return self.entries > 0 or self.best == self.most

    def extend(self, cells: Any, size: int, candidates: Any) -> None:
        """`cells` (G,) says which of the 2^size patterns each structure has on the columns chosen so far."""
        self.best = max(self.best, size)
        counts = np.bincount(cells, minlength=1 << size)  # all above 0
        room = int(counts.min()).bit_length() - 1  # each further column halves the smallest cell or worse
        if size + min(room, len(candidates)) <= self.best or self.best == self.most or self.entries <= 0:
            return
        self.entries -= len(cells) * len(candidates)
        by_cell = self.columns[:, candidates][np.argsort(cells, kind="stable")]
        ones = np.add.reduceat(by_cell, np.cumsum(counts) - counts, axis=0, dtype=np.int64)
        splits = ((ones > 0) & (ones < counts[:, None])).all(axis=0)
        left = candidates[splits]
        for place, column in enumerate(left):
            if size + len(left) - place <= self.best:
                return
            self.extend(2 * cells + self.columns[:, column], size + 1, left[place + 1 :])


def line_dimension(k: int) -> GraphDimension:
    """Clusterings of the line into at most `k` intervals, asked about pairs of points.

    Two intervals between points that overlap show all four patterns with one cut or none, so k - 1 such pairs side by
    side are shattered. No 2 k - 1 intervals are: none may contain another, so they have an order, and to cut every
    second one and no other takes one cut for each, k in all.

    :param k: How many intervals a clustering has at most.

    >>> line_dimension(4)
    GraphDimension(at_least=6, at_most=6)
    """
    check_arguments(k=k)
    return GraphDimension(2 * (k - 1), 2 * (k - 1))


def clustering_dimension(items: int) -> GraphDimension:
    """Clusterings of `items` items into any number of clusters, or into at most two or more, asked about pairs.

    Pairs are edges of a graph. A forest is shattered: two colours suffice. A cycle is not, for one edge follows.

    :param items: How many items there are.

    >>> clustering_dimension(5)
    GraphDimension(at_least=4, at_most=4)
    """
    check_arguments(items=items)
    return GraphDimension(items - 1, items - 1)


def linear_dimension(dimension: int, labels: int = 2) -> GraphDimension:
    """Linear scores without intercept in so many dimensions; with more than two `labels`, the largest score wins.

    Exact for two labels. For more, m atoms are shattered only if the signs of m (labels - 1) linear forms in
    dimension * (labels - 1) weights have 2^m patterns (Sauer's lemma).

    :param dimension: How many features there are.
    :param labels: How many labels there are.

    >>> linear_dimension(10), linear_dimension(5, labels=3)
    (GraphDimension(at_least=10, at_most=10), GraphDimension(at_least=5, at_most=41))
    """
    check_arguments(dimension=dimension, labels=labels)
    weights = dimension * (labels - 1)
    low, high = dimension, 2 * dimension
    while _sign_patterns(high * (labels - 1), weights) >= 2**high:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _sign_patterns(middle * (labels - 1), weights) >= 2**middle else (low, middle)
    return GraphDimension(dimension, low)


def log_patterns(dimension: int, atoms: float, responses: int) -> Bound[float]:
    """The log of how many patterns of responses a family of this graph dimension has on `atoms` atoms at most
    (generalization of Sauer's lemma).

    Corrected: with k responses the sum is over (k - 1)^i, not (k + 1)^i. To see it, leave out the last atom, and count
    a pattern once more for each of its last responses but the largest: those that are counted for a response j have a
    smaller dimension, because j or another can follow. And the closed form needs as many atoms as dimensions; with
    fewer it may fall below 0.

    :param dimension: The graph dimension of the family.
    :param atoms: How many atoms are answered.
    :param responses: How many responses there are.

    >>> [round(count, 1) for count in log_patterns(3, atoms=100, responses=2)]
    [16.8, 13.5]
    >>> [round(count, 1) for count in log_patterns(100, atoms=3, responses=2)]
    [-140.8, 2.1]
    """
    check_arguments(dimension=dimension, responses=responses)
    if not atoms > 0:
        raise SettingError(f"atoms must be above 0, got {atoms}")
    closed = [dimension * log(e * atoms * factor / dimension) for factor in (responses + 1, responses - 1)]
    return Bound(closed[0], atoms * log(responses) if atoms < dimension else closed[1])


def version_space_mass(dimension: int, atoms: int, responses: int, delta: float) -> Bound[float]:
    """The least prior mass of the structures that agree with the truth on these atoms, with probability 1 - delta, if
    the truth is drawn from the prior (Bayesian posterior lower bound).

    :param dimension: The graph dimension of the family.
    :param atoms: How many atoms were answered.
    :param responses: How many responses there are.
    :param delta: The probability that less mass is left.

    >>> [round(mass, 4) for mass in version_space_mass(1, atoms=10, responses=2, delta=0.1)]
    [0.0012, 0.0037]
    """
    check_arguments(delta=delta)
    patterns = log_patterns(dimension, atoms, responses)
    return Bound(*(float(np.exp(min(log(delta) - count, 0.0))) for count in patterns))


def _sign_patterns(forms: int, weights: int) -> int:
    """How many patterns of signs so many linear forms in so many weights have at most."""
    total = term = 1
    for i in range(min(forms, weights)):
        term = term * (forms - i) // (i + 1)
        total += term
    return total


def _checked_table(table: Any) -> Any:
    rows = np.asarray(table)
    if rows.ndim != 2 or not rows.size:
        raise SettingError(f"a family is a table of responses, structures by atoms; got shape {rows.shape}")
    return rows


def _indicators(rows: Any) -> Any:
    """(G, J): for each atom and response, who gives it; each division of the structures in two only once."""
    columns = [rows[:, atom] == value for atom in range(rows.shape[1]) for value in np.unique(rows[:, atom])]
    oriented = [column ^ column[0] for column in columns if column.any() and not column.all()]
    kept = np.unique(np.array(oriented, dtype=np.int8).reshape(-1, len(rows)), axis=0).T
    balance = np.minimum(kept.sum(axis=0), len(rows) - kept.sum(axis=0))
    return kept[:, np.argsort(-balance, kind="stable")]
