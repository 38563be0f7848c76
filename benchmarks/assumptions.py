"""What assumptions about people cost: questions without noise, with a margin, and with closeness.

python -m benchmarks.assumptions [noiseless] [margin] [closeness] [--people 8]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import askwise
from askwise.session import Session
from askwise.simulate.people import BoundedNoisePerson, LabellingPerson, SimulatedPerson
from askwise.simulate.runs import person_streams, simulate_answers
from askwise.types import Floats

NAMES = [f"item {letter}" for letter in "abcdefghij"]
CLUSTERED = np.array([0, 0, 0, 1, 1, 1])
LIMIT = 3000  # answers
Make = Callable[[int, dict[str, Any]], tuple[Session, SimulatedPerson]]


def table(seed: int, rows: int) -> tuple[dict[str, list[float]], Floats]:
    """Four random features, and random weights of them and of an intercept."""
    rng = np.random.default_rng(100 + seed)
    points, weights = rng.standard_normal((rows, 4)), rng.standard_normal(5)
    return {f"x{place}": points[:, place].tolist() for place in range(4)}, points @ weights[:4] + weights[4] / 2


def names(seed: int, options: dict[str, Any]) -> tuple[Session, SimulatedPerson]:
    """Ten names in a random order."""
    session = askwise.ranking(NAMES, seed=seed, draws=200, **options)
    return session, LabellingPerson(session.problem.family, np.random.default_rng(seed).permutation(10).astype(float))


def features(seed: int, options: dict[str, Any]) -> tuple[Session, SimulatedPerson]:
    """Thirty rows whose scores are linear in the features."""
    data, scores = table(seed, 30)
    session = askwise.ranking(data, seed=seed, draws=200, **options)
    return session, ScoredPerson(scores)


def labels(seed: int, options: dict[str, Any]) -> tuple[Session, SimulatedPerson]:
    """A hundred rows with two labels, the sign of such scores."""
    data, scores = table(seed, 100)
    return askwise.classifier(data, seed=seed, draws=200, **options), ScoredPerson(scores)


def clusters(seed: int, options: dict[str, Any]) -> tuple[Session, SimulatedPerson]:
    """Six names in two clusters, and the worst person of a margin."""
    margin = options.pop("of_margin")
    session = askwise.clusters(NAMES[:6], seed=seed, draws=32, epsilon=0.1, budget=LIMIT, repeat=True, **options)
    return session, BoundedNoisePerson(session.problem.family, CLUSTERED, margin, adversarial=True)


class ScoredPerson:
    """Answers by the scores of rows, without mistakes."""

    def __init__(self, scores: Floats):
        self.scores = scores

    def respond(self, atom: Any, rng: np.random.Generator) -> int:
        picked = self.scores[np.asarray(atom)]
        return 1 if (picked if np.ndim(picked) == 0 else picked[0] - picked[1]) > 0 else -1


def error(session: Session, person: Any) -> float:
    """How far the estimate is from the truth, as the goal measures it."""
    distance: Any = session.problem.distance
    if isinstance(person, ScoredPerson):
        rows = np.arange(len(person.scores))
        if np.ndim(session.answers[0].atom) == 0:
            found = distance.family.predict(np.asarray(session.estimate().structure)[None], rows)[0]
            return float(np.mean((found > 0) != (person.scores > 0)))
        utilities = distance.utilities(np.asarray(session.estimate().structure)[None])[0]
        first, second = np.triu_indices(len(rows), 1)
        return float(
            np.mean((utilities[first] - utilities[second]) * (person.scores[first] - person.scores[second]) < 0)
        )
    return float(distance.paired(np.asarray(session.estimate().structure)[None], np.asarray(person.truth)[None])[0])


def measure(make: Make, people: int, **options: Any) -> tuple[str, float, float]:
    """Questions until the stop with their standard error, the mean error of the estimate, and what was stated."""
    counts, errors, stated = [], [], []
    for seed in range(people):
        session, person = make(seed, dict(options))
        for _ in simulate_answers(session, person, person_streams(seed, LIMIT), until_settled=True):
            pass
        counts.append(len(session.answers))
        errors.append(error(session, person))
        stated.append(session.certificate().expected_distance)
    deviation = np.std(counts, ddof=1) / np.sqrt(people)
    return f"{np.mean(counts):.1f} ({deviation:.1f})", float(np.mean(errors)), float(np.mean(stated))


def cases() -> dict[str, list[tuple[str, Make, dict[str, Any]]]]:
    """What is measured, by topic."""
    noiseless: Iterable[tuple[str, Make]] = (("ten names", names), ("thirty rows", features), ("labels", labels))
    return {
        "noiseless": [
            (f"{told}, {'noise learned' if noise is None else 'noise=0'}", make, {"noise": noise})
            for told, make in noiseless
            for noise in (None, 0)
        ],
        "margin": [
            (f"margin {margin}, {told}", clusters, {"of_margin": margin, **options})
            for margin in (0.8, 0.5)
            for told, options in (("noise known", {"noise": (1 - margin) / 2}), ("margin known", {"margin": margin}))
        ],
        "closeness": [(f"closeness {c:g}", labels, {"noise": 0, "closeness": c}) for c in (1.0, 1.5, 2.0)],
    }


def main() -> None:
    known = cases()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("topics", nargs="*", default=list(known), choices=[*known, []])
    parser.add_argument("--people", type=int, default=8)
    given = parser.parse_args()
    for topic in given.topics:
        for told, make, options in known[topic]:
            questions, off, stated = measure(make, given.people, **options)
            print(f"{told}: {questions} questions, error {off:.3f}, stated {stated:.3f}", flush=True)


if __name__ == "__main__":
    main()
