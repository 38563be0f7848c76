"""Six items in clouds and groups: the exact posterior of groups made of clouds, summed over all clouds and parts."""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import product
from math import exp, lgamma, log

import numpy as np

from tests.posteriors.six_items import PARTITIONS, log_answers, log_evidence, log_seating, shares

CLOUD_SCALES = (0.8, 0.5, 1.5, 0.9)  # alpha, s2 and t2 of the clouds, concentration of the groups


@cache
def partitions_into(items: int, parts: int) -> float:
    """Sums of products of (size - 1)! over all partitions into so many parts: Stirling numbers of the first kind."""
    if items == parts:
        return 1.0
    if parts == 0 or parts > items:
        return 0.0
    return partitions_into(items - 1, parts - 1) + (items - 1) * partitions_into(items - 1, parts)


@cache
def chance_of_counts(counts: tuple[tuple[int, ...], ...], mixing: float, concentration: float) -> float:
    """P(groups | clouds) by how many items each cloud (row) has in each group (column), summed over all parts."""
    cells = [(k, count) for row in counts for k, count in enumerate(row) if count]
    total, start = 0.0, sum(lgamma(mixing) - lgamma(mixing + sum(row)) for row in counts)
    for numbers in product(*(range(1, count + 1) for _, count in cells)):
        of_group, ways = np.zeros(len(counts[0]), int), 1.0
        for (k, count), number in zip(cells, numbers, strict=True):
            of_group[k] += number
            ways *= partitions_into(count, number)
        parts = sum(numbers)
        seating = sum(log(concentration) + lgamma(number) for number in of_group)
        seating += lgamma(concentration) - lgamma(concentration + parts)
        total += ways * exp(start + parts * log(mixing) + seating)
    return total


def counts_of(clouds, groups) -> tuple[tuple[int, ...], ...]:
    """Counts by cloud and group, their rows and columns sorted: far fewer cases than pairs of partitions."""
    counts = np.zeros((clouds.max() + 1, groups.max() + 1), int)
    np.add.at(counts, (clouds, groups), 1)
    columns = np.array(sorted(map(tuple, np.array(sorted(map(tuple, counts))).T.tolist())))
    return tuple(map(tuple, columns.T.tolist()))


@lru_cache(maxsize=1)
def distinct_counts() -> tuple[list[tuple[tuple[int, ...], ...]], np.ndarray]:
    """The different counts, and (P, P): which of them each grouping (row) and each clouding (column) has."""
    numbers: dict[tuple[tuple[int, ...], ...], int] = {}
    which = [[numbers.setdefault(counts_of(x, z), len(numbers)) for x in PARTITIONS] for z in PARTITIONS]
    return list(numbers), np.array(which)


def groups_given_clouds(mixing, concentration) -> np.ndarray:
    """(P, P): the chance of each grouping (row) given each clouding (column)."""
    counts, which = distinct_counts()
    return np.array([chance_of_counts(each, mixing, concentration) for each in counts])[which]


def cloud_weights(points, answers, beta, mixings, mixing_prior, scales=CLOUD_SCALES) -> np.ndarray:
    """(P, G): the joint weight of all groupings and values of the mixing with the answers."""
    alpha, s2, t2, concentration = scales
    clouds = shares([log_seating(x, alpha) + log_evidence(x, points, s2, t2) for x in PARTITIONS])
    noise = np.exp([log_answers(z, answers, beta) for z in PARTITIONS])
    groups = np.stack([groups_given_clouds(mixing, concentration) @ clouds for mixing in mixings], axis=1)
    return groups * noise[:, None] * mixing_prior


def exact_with_clouds(points, answers, beta, mixings, mixing_prior, scales=CLOUD_SCALES) -> np.ndarray:
    """(P, G): the posterior of all groupings and values of the mixing."""
    joint = cloud_weights(points, answers, beta, mixings, mixing_prior, scales)
    return joint / joint.sum()
