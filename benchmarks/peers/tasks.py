"""What every peer gets: items, a hidden truth, and answers that depend only on the seed and the question.

It needs only NumPy, so a peer's environment does not contain askwise. Two peers that ask the same person the same
question get the same answer, so their runs are paired. If a question is asked again, its answer is drawn again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

SIGMA = 5.0  # scale of tastes and classifiers; peers do not know it, unless the page says so
DIMENSION = 10
ITEMS, ROWS, CLUSTERED_ITEMS, CLUSTERS = 50, 500, 150, 8
CENTRE_SPREAD = 1.6  # standard deviation of the centres of clusters; items spread by 1 around them
WRONG_SHARE = 0.05  # share of wrong answers about clusters
POSTERIOR_SEED = 1_000_000  # the seed of the posterior that samplers are compared on


@dataclass(frozen=True)
class Choice:
    """The best of 50 items on the sphere by a linear taste; "i or j?" with logit noise."""

    seed: int
    items: Any  # (N, D)
    taste: Any  # (D,)

    @staticmethod
    def of(seed: int) -> Choice:
        rng = np.random.default_rng([seed, 1])
        items = _unit_rows(rng.standard_normal((ITEMS, DIMENSION)))
        return Choice(seed, items, SIGMA * rng.standard_normal(DIMENSION))

    def answer(self, question: tuple[int, int], times: int) -> int:
        """The item preferred, when the pair was asked so often before."""
        low, high = sorted(question)
        gap = float((self.items[low] - self.items[high]) @ self.taste)
        return low if answer_noise(self.seed, low, high, times) < 1 / (1 + np.exp(-gap)) else high

    def errors(self, best: int) -> dict[str, float]:
        """Whether the item named is the wrong one, how far it lies from the best, and what it gives up of the range."""
        utilities = self.items @ self.taste
        right = int(utilities.argmax())
        return {
            "wrong": float(best != right),
            "distance": float(np.linalg.norm(self.items[best] - self.items[right])),
            "regret": float((utilities[right] - utilities[best]) / np.ptp(utilities)),
        }


@dataclass(frozen=True)
class Labels:
    """A linear classifier through the origin over 500 points on the sphere; "which label?" with logistic noise."""

    seed: int
    points: Any  # (N, D)
    weights: Any  # (D,)

    @staticmethod
    def of(seed: int) -> Labels:
        rng = np.random.default_rng([seed, 2])
        points = _unit_rows(rng.standard_normal((ROWS, DIMENSION)))
        return Labels(seed, points, SIGMA * rng.standard_normal(DIMENSION))

    @property
    def standard(self) -> Any:
        """The points with columns of mean 0 and variance 1, as linear classifiers want them."""
        return (self.points - self.points.mean(axis=0)) / self.points.std(axis=0)

    def answer(self, question: int, times: int) -> int:
        """0 or 1."""
        score = float(self.points[question] @ self.weights)
        return int(answer_noise(self.seed, question, question, times) < 1 / (1 + np.exp(-score)))

    def errors(self, labels: Any) -> dict[str, float]:
        """The share of the pool with another label than the true classifier gives."""
        return {"error": float(np.mean((np.asarray(labels) == 1) != (self.points @ self.weights > 0)))}


@dataclass(frozen=True)
class Clusters:
    """Gaussian clusters of 150 items; "do these two belong together?" with 5 % wrong answers."""

    seed: int
    features: Any  # (N, 3)
    truth: Any  # (N,)
    item: int

    @staticmethod
    def of(seed: int) -> Clusters:
        rng = np.random.default_rng([seed, 3])
        truth = rng.choice(CLUSTERS, CLUSTERED_ITEMS, p=rng.dirichlet(np.ones(CLUSTERS)))
        features = CENTRE_SPREAD * rng.standard_normal((CLUSTERS, 3))[truth] + rng.standard_normal((CLUSTERED_ITEMS, 3))
        return Clusters(seed, features, truth, int(rng.integers(CLUSTERED_ITEMS)))

    def answer(self, question: tuple[int, int], times: int) -> bool:
        low, high = sorted(question)
        return bool((self.truth[low] == self.truth[high]) != (answer_noise(self.seed, low, high, times) < WRONG_SHARE))

    def errors(self, labels: Any) -> dict[str, float]:
        """The share of pairs judged wrongly, and how wrong the cluster of the item of interest is."""
        mine, true = np.asarray(labels), self.truth
        together = (mine[:, None] == mine) != (true[:, None] == true)
        own, right = mine == mine[self.item], true == true[self.item]
        return {
            "pairs": float(together.sum() / (len(true) * (len(true) - 1))),
            "cluster": float(1 - (own & right).sum() / max(own.sum(), right.sum())),
        }


@dataclass(frozen=True)
class Posterior:
    """100 answers to random pairs of items and a normal prior of known scale: w ~ exp(-|w|^2 / 2 sigma^2) / prod(...).

    `rows` are signed: the answers say that rows @ w is more likely positive, log p = -sum log(1 + exp(-rows @ w)).
    """

    rows: Any  # (100, D)

    @staticmethod
    def of() -> Posterior:
        task = Choice.of(POSTERIOR_SEED)
        rng = np.random.default_rng([POSTERIOR_SEED, 4])
        pairs = [tuple(rng.choice(ITEMS, 2, replace=False)) for _ in range(100)]
        won = [task.answer(pair, 0) for pair in pairs]
        return Posterior(np.array([task.items[w] - task.items[sum(p) - w] for p, w in zip(pairs, won, strict=True)]))


def _unit_rows(rows: Any) -> Any:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def answer_noise(seed: int, low: int, high: int, times: int) -> float:
    """A uniform number for the person's answer to this question, when it was asked so often before."""
    return float(np.random.default_rng([seed, low, high, times, 5]).random())
