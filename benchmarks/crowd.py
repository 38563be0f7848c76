"""How many questions people need who come after others with a similar taste.

`python -m benchmarks.crowd [--json] [--people N] [--crowds C] [--store FILE]`

A simulated crowd has a common taste for 40 items with four features, partly beyond the features, and everybody differs
from it. Forty people answer `best_item` one after the other, each starting from what those before have in common. The
same people take a turn as the 1st, the 10th and the 40th, and once more starting from the true mean and covariance of
the crowd (`known`), the best that any population could do. The figures are means over the people of all crowds, with
the interval of a bootstrap over people. The regret of the best guess is the share of the range of the person's own
utilities. With `--store`, runs are kept in a file and not made again.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import askwise
from askwise._runtime.streams import stream
from askwise.goals.base.populations import population_of_answers
from askwise.posteriors.scores.kernels import pivoted_factor
from askwise.posteriors.scores.population import Population
from askwise.simulate.people import ModelPerson
from askwise.simulate.runs import person_streams, simulate_answers
from benchmarks.common import benchmark_parser, random_items, run_or_recall, standard_error

POSITIONS = (1, 10, 40)
KNOWN = 0  # in place of a position: starts from what is true of the crowd
ITEMS, FEATURES = 40, 4
TASTE_SPREAD = 3.0  # of the utilities of the common taste: how decided people are
BEYOND_FEATURES = 0.4  # of that, which no feature explains
OWN_SHARE = 0.7  # how far a person is from the common taste, relative to it
ANSWERS = 20  # of everybody
REGRETS = (0.1, 0.05)
DRAWS = 300
RESAMPLES = 2000  # of the bootstrap
SHOWN = (0, 2, 5, 10, 20)  # answers after which the regret is printed


class Turn(NamedTuple):
    """One person of a crowd in one position."""

    crowd: int
    position: int
    person: int


def item_rows() -> Any:
    """(N, P): the features of the items."""
    return np.array([[row[f"x{place}"] for place in range(FEATURES)] for row in random_items(0, ITEMS, FEATURES)])


def draw_taste(rng: Any) -> Any:
    """(N,): utilities that features explain in part."""
    found = item_rows() @ rng.standard_normal(FEATURES)
    found += BEYOND_FEATURES * np.sqrt(FEATURES) * rng.standard_normal(ITEMS)
    return TASTE_SPREAD * (found - found.mean()) / found.std()


def common_taste(crowd: int) -> Any:
    """(N,): what the people of a crowd have in common."""
    return draw_taste(stream(crowd, 0, "crowd"))


def draw_person(common: Any, rng: Any) -> Any:
    """(N,): the utilities of somebody around a common taste (N,)."""
    return (common + OWN_SHARE * draw_taste(rng)) / np.sqrt(1 + OWN_SHARE**2)


def run_person(utilities: Any, seed: int, population: Any) -> tuple[list[Any], Any]:
    """The answers of a person with these utilities, and the regret (T + 1,) of the guess after each."""
    session = askwise.best_item(random_items(0, ITEMS, FEATURES), seed=seed, draws=DRAWS, population=population)
    names = session.problem.family.names  # type: ignore[attr-defined]
    person = ModelPerson(session.problem, utilities)

    def regret() -> float:
        guess = utilities[list(names).index(session.estimate().value)]
        return float((utilities.max() - guess) / np.ptp(utilities))

    regrets = [regret()]
    regrets += [regret() for _ in simulate_answers(session, person, person_streams(seed, ANSWERS))]
    return session.answers, np.array(regrets)


@cache
def answers_of(crowd: int, position: int) -> list[Any]:
    """What the person who came in that position answered, starting from those before."""
    somebody = draw_person(common_taste(crowd), stream(crowd, position, "person"))
    return run_person(somebody, 1000 + position, learned_population(crowd, position))[0]


@cache
def learned_population(crowd: int, position: int) -> Population | None:
    """What those before that position have in common."""
    prior = askwise.best_item(random_items(0, ITEMS, FEATURES), draws=DRAWS).prior
    return population_of_answers(prior, [answers_of(crowd, before) for before in range(1, position)])


@cache
def own_covariance() -> Any:
    """(N, N): of people's utilities around the common taste."""
    rng = np.random.default_rng(1)
    return np.cov(np.array([draw_taste(rng) for _ in range(20_000)]).T) * OWN_SHARE**2 / (1 + OWN_SHARE**2)


def known_population(crowd: int) -> Population:
    """What is true of the people of a crowd."""
    mean = common_taste(crowd) / np.sqrt(1 + OWN_SHARE**2)
    return Population(10**6, mean, pivoted_factor(own_covariance()), 1e-3)


def run_turn(turn: Turn) -> dict[str, Any]:
    """The regrets of somebody in that position."""
    crowd, position, person = turn
    population = known_population(crowd) if position == KNOWN else learned_population(crowd, position)
    somebody = draw_person(common_taste(crowd), stream(crowd, person, "measured"))
    return {**turn._asdict(), "regrets": run_person(somebody, person, population)[1].round(5).tolist()}


def summarise(regrets: Any) -> dict[str, Any]:
    """What the regrets (R, T + 1) of people in one position say."""
    chosen = stream(0, 0, "bootstrap").integers(len(regrets), size=(RESAMPLES, len(regrets)))
    means = regrets[chosen].mean(axis=1)
    found: dict[str, Any] = {"regrets": regrets.mean(axis=0).tolist(), "errors": standard_error(regrets).tolist()}
    for wanted in REGRETS:
        low, high = np.percentile([questions(mean, wanted) for mean in means], (2.5, 97.5)).tolist()
        found[f"questions_{wanted}"] = [questions(regrets.mean(axis=0), wanted), low, high]
    return found


def questions(mean: Any, wanted: float) -> int:
    """After how many questions the mean regret (T + 1,) is no larger than wanted; one more than were asked: never.

    >>> questions(np.array([0.5, 0.2, 0.1]), 0.2), questions(np.array([0.5, 0.2, 0.1]), 0.05)
    (1, 3)
    """
    return int(next(iter(np.flatnonzero(mean <= wanted)), len(mean)))


def main() -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--people", type=int, default=20, help="measured in each crowd and position [20]")
    parser.add_argument("--crowds", type=int, default=1, help="how many [1]")
    parser.add_argument("--store", type=Path, help="a file of runs, which are not made again")
    options = parser.parse_args()
    starts = (*POSITIONS, KNOWN)
    turns = [
        Turn(crowd, start, person)
        for crowd in range(options.crowds)
        for start in starts
        for person in range(options.people)
    ]
    lines = run_or_recall(run_turn, turns, options.store)
    rows = {}
    for start in starts:
        rows[start] = summarise(np.array([line["regrets"] for line in lines if line["position"] == start]))
    if options.json:
        print(json.dumps([{"position": start or "known"} | row for start, row in rows.items()]))
        return
    limits = ", ".join(map(str, REGRETS))
    print(f"person  questions to a mean regret of {limits}  mean regret after {', '.join(map(str, SHOWN))} (error)")
    for start, row in rows.items():
        needed = ", ".join("{:.0f} ({:.0f} to {:.0f})".format(*row[f"questions_{each}"]) for each in REGRETS)
        values = ", ".join(f"{row['regrets'][place]:.3f} ({row['errors'][place]:.3f})" for place in SHOWN)
        print(f"{start or 'known':6}  {needed:43}  {values}")


if __name__ == "__main__":
    main()
