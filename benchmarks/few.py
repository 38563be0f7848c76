"""Few names and a judge who is not sure: does a study end, and is it right as often as it says?

python -m benchmarks.few [CASE ...] [--people 60] [--first 0]

Utilities of items are normal with the standard deviation of the case, and answers are logit choices. Clusters and trees
are drawn from the prior, and a share of the answers is wrong. Each case runs with the defaults and with each question
once.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import askwise
from askwise.session import Session
from askwise.simulate.people import LabellingPerson, ModelPerson, SimulatedPerson
from askwise.simulate.runs import person_streams, simulate_answers
from askwise.types import Floats

NAMES = "abcdefgh"
LIMIT = 1000  # answers, more than any budget here
DRAWS = 200  # of goals about items
WAYS: dict[str, dict[str, Any]] = {"the default": {}, "each question once": {"repeat": False}}
Make = Callable[[int, dict[str, Any]], tuple[Session, SimulatedPerson, Any]]


class Outcome(NamedTuple):
    """How one person's study ended."""

    questions: int
    settled: bool
    right: bool  # the estimate is exactly the truth
    stated: float  # the chance of that by the certificate
    error: float
    stated_error: float


def items(goal: Callable[..., Session], count: int, deviation: float, **more: Any) -> Make:
    """Names that are compared two at a time."""

    def make(seed: int, options: dict[str, Any]) -> tuple[Session, SimulatedPerson, Any]:
        session = goal(list(NAMES[:count]), seed=seed, draws=DRAWS, **more, **options)
        truth = deviation * np.random.default_rng(seed).standard_normal(count)
        return session, ModelPerson(session.problem, truth), truth

    return make


def groups(goal: Callable[..., Session], count: int, noise: float) -> Make:
    """Names in a structure of the prior; the share of wrong answers is as the goal was told."""

    def make(seed: int, options: dict[str, Any]) -> tuple[Session, SimulatedPerson, Any]:
        session = goal(list(NAMES[:count]), seed=seed, noise=noise, **options)
        truth: Any = session.prior.sample(1, np.random.default_rng(seed)).structures[0]
        return session, LabellingPerson(session.problem.family, truth, noise), truth

    return make


def cases() -> dict[str, Make]:
    """What is measured, by name."""
    few = {
        f"best of {count}, deviation {deviation:g}": items(askwise.best_item, count, deviation)
        for count in (2, 3, 8)
        for deviation in (1.5, 4.0)
    }
    for deviation in (1.5, 4.0):
        few[f"top 2 of 6, deviation {deviation:g}"] = items(askwise.top_k, 6, deviation, k=2)
        few[f"order of 5, deviation {deviation:g}"] = items(askwise.ranking, 5, deviation)
    for noise in (0.05, 0.15):
        few[f"clusters of 6, noise {noise:g}"] = groups(askwise.clusters, 6, noise)
        few[f"tree of 5, noise {noise:g}"] = groups(askwise.hierarchy, 5, noise)
    return few


def outcome(make: Make, seed: int, options: dict[str, Any]) -> Outcome:
    """One person's study, to its end."""
    session, person, truth = make(seed, options)
    for _ in simulate_answers(session, person, person_streams(seed, LIMIT), until_settled=True):
        pass
    found: Any = np.asarray(session.estimate().structure)
    certificate = session.certificate()
    error = float(session.problem.distance.paired(found[None], np.asarray(truth)[None])[0])
    settled = session.reason is not None and session.reason.kind == "settled"
    stated = certificate.probability_exact, error, certificate.expected_distance
    return Outcome(len(session.answers), settled, error < 1e-9, *stated)


def with_error(values: Floats) -> str:
    """A mean with its standard error."""
    return f"{values.mean():.3f} ({values.std(ddof=1) / np.sqrt(len(values)):.3f})"


def main() -> None:
    known = cases()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"any of: {'; '.join(known)} [all]")
    parser.add_argument("--people", type=int, default=60)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    given = parser.parse_args()
    for name in given.cases or known:
        for told, options in WAYS.items():
            seeds = range(given.first, given.first + given.people)
            found = np.array([outcome(known[name], seed, options) for seed in seeds])
            questions, settled = int(np.median(found[:, 0])), found[:, 1].mean()
            figures = [with_error(column) for column in found.T[2:]]
            print(
                f"{name}, {told}: {questions} questions, settled {settled:.2f}, right {figures[0]}, "
                f"stated {figures[1]}, error {figures[2]}, stated {figures[3]}",
                flush=True,
            )


if __name__ == "__main__":
    main()
