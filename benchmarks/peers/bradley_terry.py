"""choix: random pairs and a utility for each item, by its penalised fit. It knows no features and chooses no
questions."""

from __future__ import annotations

import choix
import numpy as np

from benchmarks.peers.tasks import Choice
from benchmarks.peers.worker import Run, print_runs, run_learner

ALPHA = 0.01  # prior variance 100: its documentation advises a small penalty where data is sparse


class ChoixLearner:
    def __init__(self, task: Choice):
        self.rng = np.random.default_rng([task.seed, 7])
        self.count = len(task.items)
        self.outcomes: list[tuple[int, int]] = []

    def ask(self) -> tuple[int, int]:
        i, j = self.rng.choice(self.count, 2, replace=False).tolist()
        return i, j

    def tell(self, question: tuple[int, int], best: int) -> None:
        self.outcomes.append((best, sum(question) - best))

    def estimate(self) -> int:
        return int(choix.opt_pairwise(self.count, self.outcomes, alpha=ALPHA).argmax())


def run(seed: int) -> Run:
    task = Choice.of(seed)
    return run_learner(task, ChoixLearner(task))


if __name__ == "__main__":
    print_runs({"choix": run}, "choix")
