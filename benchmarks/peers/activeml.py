"""scikit-activeml: margin sampling, and query by committee on ten bagged models, with logistic regression on
standardised columns. The estimate is the logistic regression on all labels."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from skactiveml.classifier import SklearnClassifier
from skactiveml.pool import QueryByCommittee, UncertaintySampling
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LogisticRegression

from benchmarks.peers.tasks import Labels
from benchmarks.peers.worker import Run, print_runs, run_learner


class ActiveMLLearner:
    def __init__(self, task: Labels, committee: bool):
        self.points, self.labels = task.standard, np.full(len(task.points), np.nan)
        self.model = SklearnClassifier(LogisticRegression(), classes=[0, 1], random_state=task.seed)
        bagged = BaggingClassifier(self.model, n_estimators=10, random_state=task.seed)
        self.query_options: dict[str, Any] = {"clf": self.model}
        self.strategy: Any = UncertaintySampling(method="margin_sampling", random_state=task.seed)
        if committee:
            self.query_options = {"ensemble": SklearnClassifier(bagged, classes=[0, 1], random_state=task.seed)}
            self.strategy = QueryByCommittee(method="KL_divergence", random_state=task.seed)

    def ask(self) -> int:
        return int(self.strategy.query(self.points, self.labels, **self.query_options)[0])

    def tell(self, question: int, label: int) -> None:
        self.labels[question] = label

    def estimate(self) -> Any:
        return self.model.fit(self.points, self.labels).predict(self.points)


def run(seed: int, committee: bool) -> Run:
    task = Labels.of(seed)
    return run_learner(task, ActiveMLLearner(task, committee))


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # a model that has seen no label says so
    runs = {"scikit-activeml margin": lambda s: run(s, False), "scikit-activeml QBC": lambda s: run(s, True)}
    print_runs(runs, "scikit-activeml", "scikit-learn")
