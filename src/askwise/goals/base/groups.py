"""What posterior draws say about groups: labels of rows, clusters, and the inner nodes of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from askwise.goals.base.findings import INTERVAL_SHARES, Chance, quantiles
from askwise.structures.hierarchies import clades
from askwise.types import Floats, Ints, Response, Sample

DRAWS_PER_BLOCK = 200  # handled together


@dataclass(frozen=True)
class Labels:
    """The label of every row, how sure it is, and how often each label was given."""

    rows: tuple[Chance, ...]  # in the table's order
    given: tuple[Response, ...]
    counts: tuple[tuple[Response, int], ...]

    def unsure(self, count: int) -> list[tuple[Chance, Response]]:
        """The rows whose label is least sure."""
        order = sorted(range(len(self.rows)), key=lambda i: self.rows[i].probability)[:count]
        return [(self.rows[i], self.given[i]) for i in order]


@dataclass(frozen=True)
class Cluster:
    """Who is in it, and how surely each belongs: the average probability of being together with each other member;
    of somebody alone, the probability of being alone."""

    members: tuple[Chance, ...]


@dataclass(frozen=True)
class InnerNode:
    """An inner node of a tree: the leaves below it, from the top of the drawing, its children and its support.

    The support is the share of draws with a node over exactly these leaves. Of n leaves, child c is a leaf if c < n;
    else it is inner node c - n.
    """

    leaves: tuple[int, ...]
    children: tuple[int, int]
    height: int  # 0 for a leaf, one above the higher child
    support: float


def label_findings(family: Any, sample: Sample, estimate: Any, names: Sequence[Response]) -> Labels:
    """The label that the estimate gives each row of a pool, with the share of draws that give the same.

    >>> from askwise.structures.linear import LinearPool
    >>> family = LinearPool([[1.0], [-1.0]], labels=("no", "yes"))
    >>> sample = Sample(np.array([[1.0], [-1.0]]), np.array([0.75, 0.25]), exact=True)
    >>> found = label_findings(family, sample, np.array([1.0]), ("no", "yes"))
    >>> found.given, found.rows[0].probability
    (('yes', 'no'), 0.75)
    """
    rows = np.arange(len(family.names))
    codes = list(family.responses(family.predict(np.asarray(estimate)[None], rows)))
    own = family.decide(family.predict(np.asarray(estimate)[None], rows))[0]
    same = np.zeros(len(rows))
    for start in range(0, len(sample.weights), DRAWS_PER_BLOCK):  # all draws by all rows may not fit in memory
        block = slice(start, start + DRAWS_PER_BLOCK)
        decided = family.decide(family.predict(sample.structures[block], rows))
        same += sample.weights[block] @ (decided == own)
    given = tuple(names[codes.index(code)] for code in own)
    return Labels(
        tuple(Chance(int(i), family.names[i], min(1.0, float(same[i]))) for i in rows),
        given,
        tuple((name, given.count(name)) for name in names),
    )


def fairness_gap(distance: Any, sample: Sample, estimate: Any) -> tuple[float, float, float]:
    """How unequally the estimate finds, in the two groups, the rows that deserve the second label: low, median, high
    over what may be true.

    >>> from askwise.distances.fairness import EqualOpportunity
    >>> from askwise.structures.linear import LinearPool
    >>> distance = EqualOpportunity(LinearPool([[1.0, 0.0], [0.0, 1.0]]), np.arange(2), [True, False])
    >>> fairness_gap(distance, Sample(np.ones((1, 2)), np.ones(1), exact=True), np.array([1.0, -1.0]))
    (1.0, 1.0, 1.0)
    """
    repeated = np.repeat(np.asarray(estimate)[None], len(sample.weights), axis=0)
    gaps = distance.violation(repeated, sample.structures)
    low, middle, high = quantiles(gaps[:, None], sample.weights, INTERVAL_SHARES)[:, 0]
    return float(low), float(middle), float(high)


def cluster_findings(draws: Ints, weights: Floats, estimate: Ints, names: Sequence[str]) -> list[Cluster]:
    """The clusters of the estimate, largest first, from draws of labels (S, N).

    >>> draws, weights, estimate = np.array([[0, 0, 1], [0, 1, 1]]), np.array([0.75, 0.25]), np.array([0, 0, 1])
    >>> found = cluster_findings(draws, weights, estimate, ["a", "b", "c"])
    >>> [[(member.name, member.probability) for member in cluster.members] for cluster in found]
    [[('a', 0.75), ('b', 0.75)], [('c', 0.75)]]
    """
    found = []
    for label in dict.fromkeys(np.asarray(estimate).tolist()):
        inside = np.flatnonzero(estimate == label)
        members = []
        for i in inside.tolist():
            others = draws[:, inside[inside != i]] if len(inside) > 1 else np.delete(draws, i, axis=1)
            together = (others == draws[:, [i]]).mean(axis=1) if len(inside) > 1 else ~(others == draws[:, [i]]).any(1)
            members.append(Chance(int(i), names[i], min(1.0, float(weights @ together))))
        found.append(Cluster(tuple(sorted(members, key=lambda member: -member.probability))))
    return sorted(found, key=lambda cluster: -len(cluster.members))


def inner_nodes(trees: Ints, weights: Floats, estimate: Ints) -> list[InnerNode]:
    """The forks of the estimate from the leaves up, the root last, from draws of trees (S, 2n - 1).

    >>> [node.support for node in inner_nodes(np.array([[3, 3, 4, 4, -1], [3, 4, 3, 4, -1]]), np.array([0.75, 0.25]),
    ...                                 np.array([3, 3, 4, 4, -1]))]
    [0.75, 1.0]
    """
    wanted = sorted(clades(estimate), key=lambda clade: (len(clade), min(clade)))
    support = dict.fromkeys(wanted, 0.0)
    for tree, weight in zip(trees, weights, strict=True):
        for clade in clades(tree):
            if clade in support:
                support[clade] += float(weight)
    count = (len(estimate) + 1) // 2
    above = {leaf: leaf for leaf in range(count)}  # the highest node so far over each leaf
    below: dict[int, tuple[tuple[int, ...], int]] = {leaf: ((leaf,), 0) for leaf in range(count)}  # leaves, height
    found: list[InnerNode] = []
    for clade in wanted:
        one, two = sorted({above[leaf] for leaf in clade}, key=lambda node: min(below[node][0]))
        height = 1 + max(below[one][1], below[two][1])
        found.append(InnerNode(below[one][0] + below[two][0], (one, two), height, min(1.0, support[clade])))
        node = count + len(found) - 1
        below[node] = (found[-1].leaves, height)
        above |= dict.fromkeys(clade, node)
    return found
