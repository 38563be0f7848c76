"""How many questions people need who come after others with a similar taste.

`python -m benchmarks.crowd [--json] [--people N] [--seed S]`

A simulated crowd has a common taste for 40 items with four features, partly beyond the features, and everybody differs
from it. Forty people answer `best_item` one after the other, each starting from what those before have in common. As
the 1st, the 10th and the 40th, several people take a turn: the figures are means over them. The regret of the best
guess is the share of the range of the person's own utilities.
"""

from __future__ import annotations

import json
import os
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import askwise
from askwise._runtime.streams import stream
from askwise.goals.base.populations import population_of_answers
from askwise.simulate.people import ModelPerson
from askwise.simulate.runs import person_streams, simulate_answers
from benchmarks.common import benchmark_parser, random_items, standard_error

POSITIONS = (1, 10, 40)
ITEMS, FEATURES = 40, 4
TASTE_SPREAD = 3.0  # of the utilities of the common taste: how decided people are
BEYOND_FEATURES = 0.4  # of that, which no feature explains
OWN_SHARE = 0.7  # how far a person is from the common taste, relative to it
ANSWERS = 20  # of everybody who comes before
MAX_ANSWERS = 30  # of those who are measured
REGRETS = (0.1, 0.05)
DRAWS = 300


def item_rows() -> Any:
    """(N, P): the features of the items."""
    return np.array([[row[f"x{place}"] for place in range(FEATURES)] for row in random_items(0, ITEMS, FEATURES)])


def draw_taste(rng: Any) -> Any:
    """(N,): utilities that features explain in part."""
    found = item_rows() @ rng.standard_normal(FEATURES)
    found += BEYOND_FEATURES * np.sqrt(FEATURES) * rng.standard_normal(ITEMS)
    return TASTE_SPREAD * (found - found.mean()) / found.std()


def draw_person(common: Any, rng: Any) -> Any:
    """(N,): the utilities of somebody around a common taste (N,)."""
    return (common + OWN_SHARE * draw_taste(rng)) / np.sqrt(1 + OWN_SHARE**2)


def run_person(table: Any, utilities: Any, seed: int, count: int, population: Any) -> tuple[list[Any], Any]:
    """The answers of a person with these utilities, and the regret (T + 1,) of the guess after each."""
    session = askwise.best_item(table, seed=seed, draws=DRAWS, population=population)
    names = session.problem.family.names  # type: ignore[attr-defined]
    person = ModelPerson(session.problem, utilities)

    def regret() -> float:
        guess = utilities[list(names).index(session.estimate().value)]
        return float((utilities.max() - guess) / np.ptp(utilities))

    regrets = [regret()]
    regrets += [regret() for _ in simulate_answers(session, person, person_streams(seed, count))]
    return session.answers, np.array(regrets)


def run_crowd(measured: int, seed: int) -> list[dict[str, Any]]:
    """A row for each position: regrets after each answer, means over the people measured."""
    table, common = random_items(0, ITEMS, FEATURES), draw_taste(stream(seed, 0, "crowd"))
    people = [draw_person(common, stream(seed, number, "measured")) for number in range(measured)]
    prior = askwise.best_item(table, draws=DRAWS).prior
    before: list[list[Any]] = []
    rows = []
    for position in range(1, max(POSITIONS) + 1):
        population = population_of_answers(prior, before)
        if position in POSITIONS:
            runs = (run_person(table, each, seed, MAX_ANSWERS, population) for seed, each in enumerate(people))
            regrets = np.array([regret for _, regret in runs])
            known = {"regrets": regrets.mean(axis=0).tolist(), "errors": standard_error(regrets).tolist()}
            rows.append({"position": position} | known | _questions(regrets))
        if position < max(POSITIONS):
            somebody = draw_person(common, stream(seed, position, "person"))
            before.append(run_person(table, somebody, 1000 + position, ANSWERS, population)[0])
    return rows


def _questions(regrets: Any) -> dict[str, Any]:
    """By regret, after how many questions the mean over people (R, T + 1) is no larger; None: never."""
    mean = regrets.mean(axis=0)
    return {f"questions_{wanted}": next(iter(np.flatnonzero(mean <= wanted).tolist()), None) for wanted in REGRETS}


def main() -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--people", type=int, default=20, help="measured at each position [20]")
    parser.add_argument("--seed", type=int, default=0, help="of the crowd [0]")
    options = parser.parse_args()
    rows = run_crowd(options.people, options.seed)
    if options.json:
        print(json.dumps(rows))
        return
    shown = (0, 2, 5, 10, 20, MAX_ANSWERS)
    limits = ", ".join(map(str, REGRETS))
    print(f"person  questions to a mean regret of {limits}  mean regret after {', '.join(map(str, shown))} (error)")
    for row in rows:
        needed = ", ".join(str(row[f"questions_{each}"]) for each in REGRETS)
        values = ", ".join(f"{row['regrets'][place]:.3f} ({row['errors'][place]:.3f})" for place in shown)
        print(f"{row['position']:6}  {needed:43}  {values}")


if __name__ == "__main__":
    main()
