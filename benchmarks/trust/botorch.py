"""BoTorch's PairwiseGP with EUBO on the same people, in the environment of the peer.

`python -m benchmarks.trust.botorch TABLE:KIND:SEED ...` prints a JSON line for each person. `python -m benchmarks.trust
--botorch N` calls it and stores the lines.
"""

from __future__ import annotations

import json
import sys
import warnings
from importlib.metadata import version
from typing import Any

import torch

from benchmarks.peers.pairwise_gp import PairwiseLearner
from benchmarks.peers.worker import MEASURED_ANSWERS, run_learner
from benchmarks.trust.people import TablePerson

ANSWERS = 60


class FastPairwiseLearner(PairwiseLearner):
    """`PairwiseLearner` that computes EUBO for all pairs from one joint posterior of the items.

    BoTorch's own class computes a posterior for each pair, which takes longer than the fit with 4,278 pairs. The
    values are the same: the mean of the larger of two normal utilities.
    """

    def ask(self) -> tuple[int, int]:
        if not self.outcomes:
            return super().ask()
        with torch.no_grad():
            values = expected_best(self.model.posterior(self.items), self.pairs)
        i, j = self.pairs[int(values.argmax())].tolist()
        return i, j


def expected_best(posterior: Any, pairs: Any) -> Any:
    """(P,): the expected utility of the better item of each pair."""
    mean, covariance = posterior.mean.squeeze(-1), posterior.distribution.covariance_matrix
    first, second = pairs.T
    variance = covariance[first, first] + covariance[second, second] - 2 * covariance[first, second]
    spread = variance.clamp(min=1e-12).sqrt()
    score = (mean[first] - mean[second]) / spread
    density = torch.exp(-(score**2) / 2) / (2 * torch.pi) ** 0.5
    chance = torch.special.ndtr(score)
    return mean[first] * chance + mean[second] * (1 - chance) + spread * density


def run(table: str, kind: str, seed: int) -> dict[str, Any]:
    """The regret after each of MEASURED_ANSWERS answers."""
    torch.manual_seed(seed)
    person = TablePerson.of(table, kind, seed)
    found = run_learner(person, FastPairwiseLearner(person, linear=False), ANSWERS)
    measured = [str(number) for number in MEASURED_ANSWERS if number <= ANSWERS]
    return {
        "table": table,
        "kind": kind,
        "seed": seed,
        "regret_after": dict(zip(measured, found["errors"]["regret"], strict=True)),
        "cpu_ms": found["cpu_ms"],
        "with": ", ".join(f"{package} {version(package)}" for package in ("botorch", "torch")),
    }


def main() -> None:
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # the fit warns when it tries again
    for person in sys.argv[1:]:
        table, kind, seed = person.split(":")
        print(json.dumps(run(table, kind, int(seed))), flush=True)


if __name__ == "__main__":
    main()
