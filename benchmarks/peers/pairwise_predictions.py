"""BoTorch's PairwiseGP predicts later answers from earlier ones, in the environment of the peer.

`python -m benchmarks.peers.pairwise_predictions FILE` reads people from a JSON file: a list of {"id", "items": (N, D),
"pairs": (T, 2) winner first, "after": numbers of answers}. It prints a JSON line for each person and number: the chance
of each later answer, as the model gave it before. `python -m benchmarks.real_people --botorch` calls it.
"""

from __future__ import annotations

import json
import sys
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from botorch.fit import fit_gpytorch_mll
from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood
from botorch.models.transforms.input import Normalize


def later_chances(items: Any, known: Any, later: Any) -> list[float]:
    """The chances (A,) that the first item of each later pair wins, after these known pairs, winner first.

    The probit model of BoTorch: the normal distribution function of the difference, whose variance is that of the
    posterior and 2 for the noise.
    """
    model = PairwiseGP(items, known, input_transform=Normalize(d=items.shape[1]))
    fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model))
    with torch.no_grad():
        found = model.posterior(items)
    mean, covariance = found.mean.squeeze(-1), found.distribution.covariance_matrix
    first, second = later.T
    variance = covariance[first, first] + covariance[second, second] - 2 * covariance[first, second]
    scores = (mean[first] - mean[second]) / (2 + variance.clamp(min=0)).sqrt()
    return torch.special.ndtr(scores).tolist()


def main() -> None:
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # the fit warns when it tries again
    versions = ", ".join(f"{package} {version(package)}" for package in ("botorch", "torch"))
    for person in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")):
        items, pairs = torch.tensor(person["items"], dtype=torch.double), torch.tensor(person["pairs"])
        for number in person["after"]:
            torch.manual_seed(0)
            chances = later_chances(items, pairs[:number], pairs[number:])
            line = {"id": person["id"], "after": number, "chances": [round(chance, 4) for chance in chances]}
            print(json.dumps({**line, "with": versions}), flush=True)


if __name__ == "__main__":
    main()
