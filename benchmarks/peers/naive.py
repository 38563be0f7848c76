"""The paper's experiment as its text has it, in plain NumPy: one Langevin chain whose step follows the rejections, 500
candidate pairs, 300 pairs of draws, the distance between best items. It is told the scale, as in the paper.

The chain climbs the log density; the signs in the paper's list would make it fall.
"""

from __future__ import annotations

import itertools

import numpy as np

from benchmarks.peers.tasks import SIGMA, Choice
from benchmarks.peers.worker import Run, print_runs, run_learner

CANDIDATES, PAIRS = 500, 300
BURN, APART = 500, 5  # steps after an answer before the first draw, and between draws; the paper names none
REJECTED = 0.4


class Langevin:
    def __init__(self, task: Choice):
        self.rng = np.random.default_rng([task.seed, 7])
        self.items = task.items
        self.pairs = list(itertools.combinations(range(len(task.items)), 2))
        self.rows = np.empty((0, task.items.shape[1]))  # winner minus loser
        self.weights, self.step = np.zeros(task.items.shape[1]), 1.0
        self.draws = SIGMA * self.rng.standard_normal((2 * PAIRS, task.items.shape[1]))

    def ask(self) -> tuple[int, int]:
        """The candidate with the least surviving distance under its worse answer."""
        best = (self.draws @ self.items.T).argmax(axis=1)
        left, right = self.draws[:PAIRS], self.draws[PAIRS:]
        apart = np.linalg.norm(self.items[best[:PAIRS]] - self.items[best[PAIRS:]], axis=1)
        chosen, least = self.pairs[0], np.inf
        for place in self.rng.choice(len(self.pairs), CANDIDATES, replace=False):
            i, j = self.pairs[place]
            row = self.items[i] - self.items[j]
            worst = max(
                (apart * np.exp(-np.log1p(np.exp(-y * (left @ row))) - np.log1p(np.exp(-y * (right @ row))))).mean()
                for y in (-1, 1)
            )
            if worst < least:
                chosen, least = (i, j), worst
        return chosen

    def tell(self, question: tuple[int, int], best: int) -> None:
        self.rows = np.vstack([self.rows, self.items[best] - self.items[sum(question) - best]])
        for _ in range(BURN):
            self._move()
        for number in range(len(self.draws)):
            for _ in range(APART):
                self._move()
            self.draws[number] = self.weights
        self.rng.shuffle(self.draws)  # so that the two of a pair are no neighbours in the chain

    def estimate(self) -> int:
        """The item that is best in most draws."""
        return int(np.bincount(self.beliefs()).argmax())

    def beliefs(self) -> list[int]:
        return (self.draws @ self.items.T).argmax(axis=1).tolist()

    def _move(self) -> None:
        here, slope = self._density(self.weights)
        proposed = self.weights + self.step * slope + np.sqrt(2 * self.step) * self.rng.standard_normal(len(slope))
        there, back = self._density(proposed)
        forth = proposed - self.weights - self.step * slope
        home = self.weights - proposed - self.step * back
        accepted = np.log(self.rng.random()) < there - here + (forth @ forth - home @ home) / (4 * self.step)
        if accepted:
            self.weights = proposed
        self.step *= np.exp(0.05 * (REJECTED if accepted else REJECTED - 1))

    def _density(self, weights):
        scores = self.rows @ weights
        log_density = -np.log1p(np.exp(-scores)).sum() - weights @ weights / (2 * SIGMA**2)
        return log_density, self.rows.T @ (1 / (1 + np.exp(scores))) - weights / SIGMA**2


def run(seed: int) -> Run:
    task = Choice.of(seed)
    return run_learner(task, Langevin(task))


if __name__ == "__main__":
    print_runs({"naive NumPy": run}, "numpy")
