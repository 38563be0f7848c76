"""COBRAS with k-means: it asks about pairs while it splits and merges, and takes every answer for true."""

from __future__ import annotations

import time
from collections import Counter

import numpy as np

np.int = int  # noqa: NPY001  it was written before NumPy dropped this name

from cobras_ts.cobras_kmeans import COBRAS_kmeans  # noqa: E402

from benchmarks.peers.tasks import Clusters  # noqa: E402
from benchmarks.peers.worker import MEASURED_ANSWERS, QUESTIONS, Run, print_runs, rounded  # noqa: E402


class PersonQuerier:
    """Hands its questions to the person. (The base class would load the graphical ones.)"""

    def __init__(self, task: Clusters):
        self.task, self.times = task, Counter[tuple[int, int]]()

    def query_points(self, left: int, right: int) -> bool:
        pair = (min(left, right), max(left, right))
        self.times[pair] += 1
        return self.task.answer(pair, self.times[pair] - 1)

    def continue_cluster_process(self) -> bool:
        return True

    def update_clustering(self, clustering: object) -> None:
        pass

    update_clustering_detailed = update_clustering


def run(seed: int) -> Run:
    """It keeps the clustering as of every question; where it ends early, the last one stays."""
    np.random.seed(seed)  # noqa: NPY002  its k-means draws from the global stream
    task = Clusters.of(seed)
    start = time.process_time()
    _, found, _, _, _ = COBRAS_kmeans(task.features, PersonQuerier(task), QUESTIONS).cluster()
    seconds = time.process_time() - start
    errors = [task.errors(found[min(count, len(found)) - 1]) for count in MEASURED_ANSWERS]
    kept = {name: [rounded(one[name]) for one in errors] for name in errors[0]}
    return {"errors": kept, "cpu_ms": round(1000 * seconds / min(QUESTIONS, len(found)), 3)}


if __name__ == "__main__":
    print_runs({"COBRAS": run}, "cobras-ts", "scikit-learn")
