"""askwise itself: its goals with their defaults, and its baselines."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import askwise
from askwise.losses import logistic
from askwise.posteriors.scores.logconcave import LogConcave
from askwise.types import Answer
from benchmarks.peers.tasks import SIGMA, Choice, Clusters, Labels, Posterior
from benchmarks.peers.worker import Run, print_runs, run_learner, sampler_record

DRAWS = 600


class BestItemLearner:
    """`best_item`, which learns the scale."""

    def __init__(self, task: Choice, **options: Any):
        self.session = askwise.best_item(task.items, seed=task.seed, **options)
        self.family = self.session.problem.family

    def ask(self) -> tuple[int, int]:
        i, j = self.session.ask().atom
        return int(i), int(j)

    def tell(self, question: tuple[int, int], best: int) -> None:
        self.session.tell(self.family.names[best])

    def estimate(self) -> int:
        return int(self.family.utilities(self.session.estimate().structure[None])[0].argmax())

    def beliefs(self) -> list[int]:
        return self.family.utilities(self.session.sample.structures).argmax(axis=1).tolist()


class ClassifierLearner:
    """`classifier` of the pool."""

    def __init__(self, task: Labels, **options: Any):
        self.session = askwise.classifier(task.points, (0, 1), seed=task.seed, **options)

    def ask(self) -> int:
        return int(self.session.ask().atom)

    def tell(self, question: int, label: int) -> None:
        self.session.tell(label)

    def estimate(self) -> list[int]:
        return self.session.estimate().value


class ClusteringLearner:
    """`clusters`, or `cluster_of` the item of interest."""

    def __init__(self, session: askwise.Session):
        self.session = session

    def ask(self) -> tuple[int, int]:
        i, j = self.session.ask().atom
        return int(i), int(j)

    def tell(self, question: tuple[int, int], together: bool) -> None:
        self.session.tell("same" if together else "different")

    def estimate(self) -> Any:
        return self.session.estimate().structure


def best_item(seed: int, **options: Any) -> Run:
    task = Choice.of(seed)
    return run_learner(task, BestItemLearner(task, **options))


def classifier(seed: int, **options: Any) -> Run:
    task = Labels.of(seed)
    return run_learner(task, ClassifierLearner(task, **options))


def clusters(seed: int, **options: Any) -> Run:
    task = Clusters.of(seed)
    return run_learner(task, ClusteringLearner(askwise.clusters(task.features, seed=seed, **options)))


def cluster_of(seed: int) -> Run:
    task = Clusters.of(seed)
    return run_learner(task, ClusteringLearner(askwise.cluster_of(task.features, task.item, seed=seed)))


class Rows:
    """A family whose atoms are rows of features."""

    dimension = Posterior.of().rows.shape[1]

    def features(self, atoms: Any) -> Any:
        return np.asarray(atoms, dtype=float)


def sampler(seed: int, known: int = 99) -> Run:
    """600 draws from 100 answers. `known` of them came before the clock starts, as in a session."""
    answers = [Answer(tuple(row), 1) for row in Posterior.of().rows]
    rng = np.random.default_rng([seed, 6])
    posterior = LogConcave.prior(Rows(), logistic, sigma=SIGMA).update_all(answers[:known], rng)
    start = time.process_time()
    posterior = posterior.update_all(answers[known:], rng)
    draws = posterior.sample(DRAWS, rng).structures
    return sampler_record(draws, time.process_time() - start)


RUNS = {
    "askwise": best_item,
    "askwise by exact": lambda seed: best_item(seed, by="exact"),
    "askwise qbc": lambda seed: best_item(seed, rule="qbc"),
    "askwise random": lambda seed: best_item(seed, rule="random"),
    "askwise classifier": classifier,
    "askwise classifier random": lambda seed: classifier(seed, rule="random"),
    "askwise clusters": clusters,
    "askwise clusters trust 1": lambda seed: clusters(seed, trust=1.0),
    "askwise cluster_of": cluster_of,
    "askwise sampler": sampler,
    "askwise sampler from scratch": lambda seed: sampler(seed, 0),
}

if __name__ == "__main__":
    print_runs(RUNS, "askwise")
