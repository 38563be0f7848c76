"""Find all images of one handwritten digit: python examples/digits.py

500 images of scikit-learn's digits, of which one is of interest. A simulated labeller who is wrong one time in twenty
is shown two images and says whether they are the same digit. Nobody tells askwise how many digits there are, or which
is which. `--quick` takes 80 images and at most 30 questions; `--pictures FOLDER` saves each question as one PNG, as a
person would see it.
"""

import argparse
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

from askwise.goals import cluster_of

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--quick", action="store_true", help="80 images, 30 questions")
parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="save every question as a PNG")
parser.add_argument("--chart", type=Path, metavar="FILE", help="write the chart of the result as SVG")
parser.add_argument("--seed", type=int, default=1)
options = parser.parse_args()

digits = load_digits()
rng = np.random.default_rng(options.seed)
chosen = rng.choice(len(digits.target), 80 if options.quick else 500, replace=False)
truth, pixels = digits.target[chosen], digits.data[chosen]
# pixel by pixel, all on the same scale: a table would give faint pixels at the rim the weight of the others
similarity = (pixels - pixels.mean(axis=0)) @ (pixels - pixels.mean(axis=0)).T
names = [f"image {i}" for i in chosen]


def save(question) -> None:
    """The two images side by side, with a gap, sixteen times as large."""
    from PIL import Image

    left, right = (digits.images[int(option.name.split()[1])] for option in question.options)
    both = np.hstack([left, np.full((8, 2), 16.0), right])
    picture = Image.fromarray((255 - 15.9 * both).clip(0, 255).astype(np.uint8)).resize((18 * 16, 8 * 16), 0)
    picture.save(options.pictures / f"{question.id}.png")


if options.pictures:
    options.pictures.mkdir(parents=True, exist_ok=True)
session = cluster_of(
    names, 0, similarity=similarity, noise=0.05, budget=30 if options.quick else 200, seed=options.seed
)
while not session.done:
    question = session.ask()
    if options.pictures:
        save(question)
    first, second = (truth[i] for i in question.atom)
    right = (first == second) != (rng.random() < 0.05)
    session.tell("same" if right else "different")

members = session.estimate().value
found = {names.index(member) for member in members}
wanted = set(np.flatnonzero(truth == truth[0]).tolist())
print(f"Which of {len(names)} images show the same digit as {names[0]} (it is a {truth[0]})?")
print(f"{len(session.answers)} questions; stopped because {session.reason}")
print(f"found {len(found)} images: {len(found & wanted)} of the {len(wanted)} right ones, {len(found - wanted)} others")
print(session.certificate())
if options.chart:
    session.plot().save(options.chart)
