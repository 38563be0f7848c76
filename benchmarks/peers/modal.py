"""modAL: margin sampling, and the largest disagreement of a committee of ten bagged models, with logistic regression on
standardised columns. It starts when both labels were seen, so random rows come first."""

from __future__ import annotations

from typing import Any

import numpy as np
from modAL.disagreement import max_disagreement_sampling
from modAL.models import ActiveLearner, Committee
from modAL.uncertainty import margin_sampling
from sklearn.linear_model import LogisticRegression

from benchmarks.peers.tasks import Labels
from benchmarks.peers.worker import Run, print_runs, run_learner

COMMITTEE_SIZE = 10


class ModALLearner:
    def __init__(self, task: Labels, committee: bool):
        self.rng = np.random.default_rng([task.seed, 7])
        self.points, self.committee = task.standard, committee
        self.rows: list[int] = []
        self.labels: list[int] = []

    def ask(self) -> int:
        rest = np.setdiff1d(np.arange(len(self.points)), self.rows)
        if len(set(self.labels)) < 2:
            return int(self.rng.choice(rest))
        return int(rest[self.model.query(self.points[rest])[0][0]])

    def tell(self, question: int, label: int) -> None:
        self.rows.append(question)
        self.labels.append(label)
        if len(set(self.labels)) < 2:
            return
        if self.committee:
            members = [self._learner(self._bag()) for _ in range(COMMITTEE_SIZE)]
            self.model: Any = Committee(members, query_strategy=max_disagreement_sampling)
        else:
            self.model = self._learner(np.arange(len(self.rows)))

    def estimate(self) -> Any:
        if len(set(self.labels)) < 2:
            return np.full(len(self.points), self.labels[0])
        model = self._learner(np.arange(len(self.rows))) if self.committee else self.model
        return model.predict(self.points)

    def _learner(self, chosen: Any) -> ActiveLearner:
        rows, labels = np.array(self.rows)[chosen], np.array(self.labels)[chosen]
        return ActiveLearner(LogisticRegression(), margin_sampling, self.points[rows], labels)

    def _bag(self) -> Any:
        """Answers drawn with replacement, again until both labels are there."""
        while True:
            chosen = self.rng.integers(len(self.rows), size=len(self.rows))
            if len(set(np.array(self.labels)[chosen])) == 2:
                return chosen


def run(seed: int, committee: bool) -> Run:
    task = Labels.of(seed)
    return run_learner(task, ModALLearner(task, committee))


if __name__ == "__main__":
    print_runs(
        {"modAL margin": lambda s: run(s, False), "modAL QBC": lambda s: run(s, True)}, "modAL-python", "scikit-learn"
    )
