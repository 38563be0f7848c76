"""Which drug works best on the tumours that matter? A synthetic screen: python examples/drug_screen.py [--quick]

40 cell lines by 60 drugs. An experiment measures one drug on one line, with noise; half of the lines are hard to grow,
so that an experiment on them costs four times as much. Wanted is the drug with the best mean effect on ten lines.
"""

import argparse
from pathlib import Path

import numpy as np

from askwise.goals import best_column

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--quick", action="store_true", help="few lines, drugs and experiments")
parser.add_argument("--chart", type=Path, metavar="FILE", help="write the chart of the result as SVG")
options = parser.parse_args()
LINES, DRUGS, WANTED, EXPERIMENTS = (8, 10, 3, 15) if options.quick else (40, 60, 10, 150)

rng = np.random.default_rng(7)
pathways = rng.standard_normal((LINES, 3)) @ rng.standard_normal((DRUGS, 3)).T / np.sqrt(3)
effect = pathways + rng.standard_normal((LINES, 1)) + rng.standard_normal(DRUGS)  # the truth, which nobody knows
lines = [f"line {i + 1}" for i in range(LINES)]
wanted = lines[:WANTED]
costs = np.where(np.arange(LINES) % 2, 4.0, 1.0)[:, None] * np.ones(DRUGS)


def experiment(line: int, drug: int) -> float:
    return float(effect[line, drug] + 0.3 * rng.standard_normal())


earlier = {(int(rng.integers(LINES)), drug): 0.0 for drug in range(DRUGS)}  # each drug was tried once before
screen = {"line": lines} | {
    f"drug {j + 1}": [experiment(i, j) if (i, j) in earlier else None for i in range(LINES)] for j in range(DRUGS)
}
session = best_column(screen, rows=wanted, costs=costs, budget=EXPERIMENTS, seed=1)
spent = 0.0
while not session.done:
    question = session.ask()
    line, drug = question.atom
    session.tell(experiment(line, drug))
    spent += costs[line, drug]
    if len(session.answers) % 25 == 0:
        guess = f"{session.estimate()}, undecided {session.diameter:.2f}"
        print(f"{len(session.answers)} experiments, cost {spent:g}: {guess}")

mean = effect[:WANTED].mean(axis=0)
chosen = list(screen)[1:].index(session.estimate().value)
print(f"\n{session.certificate()}")
print(f"{len(session.answers)} of {LINES * DRUGS} experiments, cost {spent:g} of {costs.sum():g}; {session.reason}.")
print(f"In truth {session.estimate()} ranks {int((mean > mean[chosen]).sum()) + 1} of {DRUGS} drugs.")
if options.chart:
    session.plot().save(options.chart)
