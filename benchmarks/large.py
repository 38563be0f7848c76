"""What large studies cost: python -m benchmarks.large [open] [clusters] [fit] [labels] [items] [--json]

All parts take some minutes.

- `open`: a study of 1,000 answers about 93 cars is opened from its checkpoint, and replayed from its log.
- `clusters`: the goal `clusters` with 1,000 items in 20 groups starts and asks 100 questions.
- `fit`: `AskwiseClassifier.fit` on 10,000 rows with two labels, and on 200 digits with ten labels.
- `labels`: a question of `classifier` with its shape learned: an answer is taken in, and the next question chosen. Of
  10,000 rows, 10 features, 50 answers and two labels, one is varied at a time.
- `items`: the same for `best_item`, of 10,000 items (its limit), 10 features and 50 answers.

All figures are seconds or milliseconds of CPU on one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import mean, median

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy loads its BLAS

import numpy as np

import askwise
from askwise.posteriors import update_all
from askwise.session import Session
from askwise.types import Answer

LABEL_GROWTH = {
    "rows": (1000, 100_000),
    "features": (100, 500),
    "answers": (200, 2000),
    "labels": (3, 10),
}
ITEM_GROWTH = {"items": (100, 1000), "features": (100, 500), "answers": (200, 2000)}


def cpu_seconds(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def opening(answers: int = 1000) -> dict[str, float]:
    """Opens a study with so many answers of a buyer who wants a cheap car."""
    price = {car["name"]: car["price"] for car in askwise.example("cars")}
    session = askwise.best_item(askwise.example("cars"), seed=0, budget=answers + 1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cars.askwise"
        askwise.save(session, path)
        session = askwise.open(path)
        for _ in range(answers):
            session.tell(min((option.name for option in session.ask().options), key=lambda name: price[name]))
        text = session.to_json()
        return {
            "open_s": cpu_seconds(lambda: askwise.open(path)),
            "replay_s": cpu_seconds(lambda: askwise.from_json(text)),
        }


def clusters(items: int = 1000, groups: int = 20, questions: int = 100) -> dict[str, float]:
    """Asks about items whose features show the groups; the answers are those of the groups."""
    rng = np.random.default_rng(0)
    group = np.arange(items) % groups
    features = 3 * rng.standard_normal((groups, 4))[group] + rng.standard_normal((items, 4))
    table = {"name": [f"item {number}" for number in range(items)]} | {
        f"x{axis}": features[:, axis] for axis in range(4)
    }
    made: list[Session] = []
    start = cpu_seconds(lambda: made.append(askwise.clusters(table, seed=0)))
    session, took = made[0], []
    for _ in range(questions):
        took.append(cpu_seconds(session.ask))
        first, second = session.ask().atom
        took[-1] += cpu_seconds(
            lambda same=group[first] == group[second]: session.tell("same" if same else "different")
        )
    fifth = questions // 5
    return {"start_s": start, "first_ms": 1000 * mean(took[:fifth]), "last_ms": 1000 * mean(took[-fifth:])}


def fit(rows: int = 10_000, digits: int = 200, pixels: int = 64) -> dict[str, float]:
    """Fits the classifier for scikit-learn to generated rows with two labels, and to handwritten digits."""
    from sklearn.datasets import load_digits, make_classification

    from askwise.exchange.estimator import AskwiseClassifier

    two = make_classification(rows, 20, random_state=0)
    images, digit = load_digits(return_X_y=True)
    images = images[:digits, -pixels:]
    return {
        "two_labels_s": cpu_seconds(lambda: AskwiseClassifier().fit(*two)),
        "ten_labels_s": cpu_seconds(lambda: AskwiseClassifier().fit(images, digit[:digits])),
    }


def labels(
    questions: int = 3,
    usual: tuple[int, int, int, int] = (10_000, 10, 50, 2),
    growth: Mapping[str, tuple[int, ...]] = LABEL_GROWTH,
) -> dict[str, float]:
    """Milliseconds a question of `classifier`, by what is varied."""
    return varied(lambda *size: label_question_ms(questions, *size), usual, growth)


def items(
    questions: int = 3,
    usual: tuple[int, int, int] = (10_000, 10, 50),
    growth: Mapping[str, tuple[int, ...]] = ITEM_GROWTH,
) -> dict[str, float]:
    """Milliseconds a question of `best_item`, by what is varied."""
    return varied(lambda *size: item_question_ms(questions, *size), usual, growth)


def varied(
    measure: Callable[..., float], usual: tuple[int, ...], growth: Mapping[str, tuple[int, ...]]
) -> dict[str, float]:
    """The figure of the usual sizes, and with one of them varied at a time."""
    found = {"usual_ms": measure(*usual)}
    for place, (name, values) in enumerate(growth.items()):
        for value in values:
            found[f"{name}_{value}_ms"] = measure(*usual[:place], value, *usual[place + 1 :])
    return found


def label_question_ms(questions: int, rows: int, features: int, answers: int, labels: int) -> float:
    """After so many answers about random rows; the border between labels is curved."""
    rng = np.random.default_rng(0)
    table = rng.standard_normal((rows, features))
    scores = np.square(table[:, :3]).sum(axis=1) + table[:, 0]
    label = np.searchsorted(np.quantile(scores, np.arange(1, labels) / labels), scores)
    session = askwise.classifier(table, range(labels), seed=0)
    codes = 2 * label - 1 if labels == 2 else label
    told = [Answer(int(row), int(codes[row])) for row in rng.choice(rows, min(answers, rows), replace=False)]
    return question_ms(session, told, [Answer(row, int(codes[row])) for row in range(questions + 1)])


def item_question_ms(questions: int, items: int, features: int, answers: int) -> float:
    """After so many answers about random pairs, of somebody who likes some middle values."""
    rng = np.random.default_rng(0)
    table = rng.standard_normal((items, features))
    utilities = 2 * table[:, 0] - np.square(table[:, 1:3]).sum(axis=1)
    session = askwise.best_item({f"x{column}": values for column, values in enumerate(table.T)}, seed=0)
    told = []
    for _ in range(answers + questions + 1):
        one, two = rng.choice(items, 2, replace=False).tolist()
        told.append(Answer((one, two), 1 if utilities[one] + rng.logistic() > utilities[two] else -1))
    return question_ms(session, told[:answers], told[answers:])


def question_ms(session: Session, told: list[Answer], timed: list[Answer]) -> float:
    """The median over questions: an answer is taken in, and the next question chosen."""
    rng = np.random.default_rng(1)
    posterior = update_all(session.posterior, told, rng)
    problem, atoms, took = session.problem, session.round.fresh_atoms(session.event_log), []
    for answer in timed:
        start = time.process_time()
        posterior = posterior.update(answer, rng)
        session.config.rule(problem, posterior, posterior.sample(session.config.draws, rng), atoms, rng)
        took.append(1000 * (time.process_time() - start))
    return median(took[1:])  # the first loads compiled code


PARTS: dict[str, Callable[[], dict[str, float]]] = {
    "open": opening,
    "clusters": clusters,
    "fit": fit,
    "labels": labels,
    "items": items,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "parts",
        nargs="*",
        choices=[[], *PARTS],
        metavar="PART",
        help="open, clusters, fit, labels, items; all unless given",
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = {part: PARTS[part]() for part in options.parts or PARTS}
    if options.json:
        print(json.dumps(found))
        return
    for part, figures in found.items():
        print(f"{part}: " + ", ".join(f"{name} {value:.3g}" for name, value in figures.items()))


if __name__ == "__main__":
    main()
