"""All partitions of six items with their exact posterior: the oracle of the clustering sampler."""

from __future__ import annotations

from math import lgamma, log

import numpy as np

SCALES = (0.8, 0.5, 1.5)
POINTS = np.array([[0.1, 1.3], [0.4, 0.9], [-0.7, 0.2], [-1.1, -1.0], [1.5, -0.8], [-0.2, -0.6]])
POINTS -= POINTS.mean(axis=0)
ANSWERS = [(0, 1, 1), (1, 2, 1), (0, 2, 0), (3, 4, 0), (2, 5, 1), (0, 3, 1), (1, 4, 0), (4, 5, 1), (2, 3, 0)]


def all_partitions(items: int) -> np.ndarray:
    rows = [[0]]
    for _ in range(items - 1):
        rows = [[*row, label] for row in rows for label in range(max(row) + 2)]
    return np.array(rows)


PARTITIONS = all_partitions(6)
NUMBER = {tuple(row): k for k, row in enumerate(PARTITIONS.tolist())}


def log_seating(labels, alpha) -> float:
    """The Chinese-restaurant probability of a partition."""
    sizes = np.bincount(labels)
    return sum(log(alpha) + lgamma(size) for size in sizes) + lgamma(alpha) - lgamma(alpha + len(labels))


def log_evidence(labels, points, s2, t2) -> float:
    """Gaussian clusters with their centres integrated out, straight from the joint covariance."""
    covariance = s2 * np.eye(len(points)) + t2 * (labels[:, None] == labels[None, :])
    lengths = np.linalg.solve(covariance, points)
    return -0.5 * float((points * lengths).sum()) - 0.5 * points.shape[1] * np.linalg.slogdet(covariance)[1]


def log_answers(labels, answers, beta) -> float:
    return -beta * sum((labels[i] == labels[j]) != bool(same) for i, j, same in answers)


def shares(log_weights) -> np.ndarray:
    weights = np.exp(np.array(log_weights) - np.max(log_weights))
    return weights / weights.sum()


def exact(points, answers, beta, scales=SCALES) -> np.ndarray:
    alpha, s2, t2 = scales
    return shares(
        [
            log_seating(z, alpha)
            + (0 if points is None else log_evidence(z, points, s2, t2))
            + log_answers(z, answers, beta)
            for z in PARTITIONS
        ]
    )


def worst_error(labels, expected) -> float:
    """In standard errors, over partitions that should occur at least five times, and all others together."""
    counts = np.bincount([NUMBER[tuple(row)] for row in labels.tolist()], minlength=len(PARTITIONS))
    common = expected * len(labels) >= 5
    counts = np.append(counts[common], counts[~common].sum())
    expected = np.append(expected[common], expected[~common].sum())
    spread = np.sqrt(np.maximum(len(labels) * expected * (1 - expected), 1.0))
    return float((np.abs(counts - len(labels) * expected) / spread).max())
