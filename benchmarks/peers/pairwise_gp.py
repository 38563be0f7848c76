"""BoTorch: a Gaussian process on comparisons, asked by the expected utility of the best option.

As in its tutorials: inputs to the unit cube, hyperparameters fitted anew after every answer, the default kernel. And
with a linear kernel and logit answers, which is what the people here are made of. The first pair is random: the model
starts from a comparison.
"""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import torch
from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption
from botorch.fit import fit_gpytorch_mll
from botorch.models.likelihoods.pairwise import PairwiseLogitLikelihood
from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood
from botorch.models.transforms.input import Normalize
from gpytorch.kernels import LinearKernel, ScaleKernel

from benchmarks.peers.tasks import Choice
from benchmarks.peers.worker import Run, print_runs, run_learner


class PairwiseLearner:
    """All pairs of items are candidates; a pair may be asked again."""

    def __init__(self, task: Any, linear: bool):
        self.rng = np.random.default_rng([task.seed, 7])
        self.items = torch.tensor(task.items)
        self.pairs = torch.tensor(list(itertools.combinations(range(len(task.items)), 2)))
        self.linear = linear
        self.outcomes: list[tuple[int, int]] = []

    def ask(self) -> tuple[int, int]:
        if not self.outcomes:
            i, j = self.rng.choice(len(self.items), 2, replace=False).tolist()
            return i, j
        with torch.no_grad():
            utility = AnalyticExpectedUtilityOfBestOption(pref_model=self.model)(self.items[self.pairs])
        i, j = self.pairs[int(utility.argmax())].tolist()
        return i, j

    def tell(self, question: tuple[int, int], best: int) -> None:
        self.outcomes.append((best, sum(question) - best))
        self.model = PairwiseGP(
            self.items,
            torch.tensor(self.outcomes),
            likelihood=PairwiseLogitLikelihood() if self.linear else None,
            covar_module=ScaleKernel(LinearKernel()) if self.linear else None,
            input_transform=None if self.linear else Normalize(d=self.items.shape[1]),
        )
        fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(self.model.likelihood, self.model))

    def estimate(self) -> int:
        with torch.no_grad():
            return int(self.model.posterior(self.items).mean.argmax())


def run(seed: int, linear: bool) -> Run:
    torch.manual_seed(seed)
    task = Choice.of(seed)
    return run_learner(task, PairwiseLearner(task, linear))


if __name__ == "__main__":
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # the fit warns when it tries again
    print_runs(
        {"BoTorch EUBO": lambda s: run(s, False), "BoTorch EUBO linear": lambda s: run(s, True)}, "botorch", "torch"
    )
