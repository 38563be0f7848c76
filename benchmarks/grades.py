"""Graded answers and people who prefer a side, on the same simulated people as plain pairs.

`python -m benchmarks.grades [--seeds 16] [--answers 30] [--table cars] [--json]`. Everybody has a taste that is mostly
linear in three features of 20 items (`--table cars` or `laptops`: that is linear in the columns of that table); an
answer is the difference of two scores with logistic noise, cut into grades. A row says how many questions it takes
until the mean regret (the share of the range that the best guess gives up) is below .1, .05 and .02 for good, and,
after the last question, what the certificates claim on average beside what is true. `excess` is how much more is true
than claimed, with its standard error.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

import askwise
from askwise._runtime.streams import stream
from askwise.goals.base.grade_check import RANDOM_GRADES
from askwise.types import Floats
from benchmarks.common import benchmark_parser, run_in_processes, seeds_of
from benchmarks.questions import GRADES, REGRETS, questions
from benchmarks.trust.people import TablePerson

ITEMS, FEATURES = 20, 3
SCALE = 3.0  # of scores
MOOD_PERIOD = 30  # answers


@dataclass(frozen=True)
class Behaviour:
    """How somebody answers: `cuts` between grades (none: plain pairs), where grades come from, a bias to the left."""

    cuts: tuple[float, ...] = ()
    grades: str = "scores"  # or "random", "always much", or "mood": up and down once in `MOOD_PERIOD` answers
    bias: float = 0.0
    learned_bias: bool = True  # whether the session allows for a bias


TYPICAL = Behaviour(cuts=(1.8, 3.6))
BEHAVIOURS = {
    "pairs": Behaviour(),
    "graded": TYPICAL,
    "graded, cuts ten times lower": Behaviour(cuts=(0.18, 0.36)),
    "graded, cuts ten times higher": Behaviour(cuts=(18.0, 36.0)),
    "graded, uneven cuts": Behaviour(cuts=(0.5, 6.0)),
    "graded at random": replace(TYPICAL, grades="random"),
    "graded, always much": replace(TYPICAL, grades="always much"),
    "graded by mood": replace(TYPICAL, grades="mood"),
    "pairs, no bias allowed for": Behaviour(learned_bias=False),
    "pairs of people who lean left": Behaviour(bias=2.0),
    "the same, no bias allowed for": Behaviour(bias=2.0, learned_bias=False),
    "pairs of people who always say left": Behaviour(bias=100.0),
}


def respond(difference: float, behaviour: Behaviour, rng: Generator, number: int = 0) -> str:
    """The answer to a pair whose left item is better by `difference`, after so many: "left", or "left, clearly".

    >>> respond(2.5, TYPICAL, np.random.default_rng(1))
    'left, clearly'
    """
    felt = difference + behaviour.bias + rng.logistic()
    side = "left" if felt > 0 else "right"
    if not behaviour.cuts:
        return side
    if behaviour.grades == "random":
        place = int(rng.integers(len(GRADES)))
    elif behaviour.grades == "always much":
        place = len(GRADES) - 1
    elif behaviour.grades == "mood":
        place = min(len(GRADES) - 1, int(len(GRADES) * (1 + np.sin(2 * np.pi * number / MOOD_PERIOD)) / 2))
    else:
        place = int(np.searchsorted(behaviour.cuts, abs(felt)))
    return f"{side}, {GRADES[place]}"


def task_of(seed: int, table: str | None) -> tuple[dict[str, Any], Floats]:
    """The table of items, named by their numbers, and what somebody thinks of each."""
    if table is not None:
        person = TablePerson.of(table, "linear", seed)
        features, scores = person.items, person.utilities
    else:
        rng = stream(7, seed, "person")
        features = rng.standard_normal((ITEMS, FEATURES))
        taste = features @ rng.standard_normal(FEATURES) / np.sqrt(FEATURES)
        scores = SCALE * (np.sqrt(0.8) * taste + np.sqrt(0.2) * rng.standard_normal(ITEMS))
    columns = {f"x{k}": column.tolist() for k, column in enumerate(features.T)}
    return {"name": [str(item) for item in range(len(scores))], **columns}, scores


def one_person(seed: int, behaviour: Behaviour, answers: int, table: str | None = None) -> dict[str, Any]:
    """The true regret after each answer, and what the last certificate claims."""
    items, scores = task_of(seed, table)
    grades = GRADES if behaviour.cuts else ()
    options: dict[str, Any] = {"draws": 200, "epsilon": 1e-6, "budget": answers, "by": "regret"}
    session = askwise.best_item(items, grades=grades, position_bias=behaviour.learned_bias, seed=seed, **options)
    regrets = []
    for number in range(answers):
        question = session.ask()
        left, right = (scores[int(option.name)] for option in question.options)
        rng = stream(7, 1000 * seed + number, "answer")
        session.tell(respond(float(left - right), behaviour, rng, number), question)
        best = int(str(session.estimate().value))
        regrets.append(float((scores.max() - scores[best]) / np.ptp(scores)))
    certificate = session.certificate()
    return {
        "regrets": regrets,
        "claimed_regret": certificate.expected_distance,
        "claimed_exact": certificate.probability_exact,
        "exact": regrets[-1] == 0,
        "excess": regrets[-1] - certificate.expected_distance,
        "warned": certificate.warning is not None,
        "random_grades": certificate.objection == RANDOM_GRADES,
    }


def measure(
    name: str, seeds: Sequence[int], answers: int, workers: int = 1, table: str | None = None
) -> dict[str, Any]:
    """One row: `name` is one of BEHAVIOURS."""
    found = run_in_processes(one_person, [(seed, BEHAVIOURS[name], answers, table) for seed in seeds], workers)
    curve = np.mean([each["regrets"] for each in found], axis=0)
    needed = {level: questions(np.append(np.inf, curve), level) for level in REGRETS}
    mean = lambda part: float(np.mean([each[part] for each in found]))  # noqa: E731
    return {
        "behaviour": name,
        "questions": {str(level): count if count <= answers else None for level, count in needed.items()},
        "regret": float(curve[-1]),
        "claimed_regret": mean("claimed_regret"),
        "exact": mean("exact"),
        "claimed_exact": mean("claimed_exact"),
        "excess": mean("excess"),
        "excess_error": float(np.std([each["excess"] for each in found]) / np.sqrt(len(found))),
        "warned": mean("warned"),
        "random_grades": mean("random_grades"),
    }


def main() -> None:
    parser = benchmark_parser(__doc__, seeds=16)
    parser.add_argument("--answers", type=int, default=30, help="of each person [30]")
    parser.add_argument("--only", choices=BEHAVIOURS, action="append", help="these rows alone")
    parser.add_argument("--table", choices=("cars", "laptops"), help="of the items [random ones]")
    chosen = parser.parse_args()
    for name in chosen.only or BEHAVIOURS:
        row = measure(name, seeds_of(chosen), chosen.answers, chosen.workers, chosen.table)
        print(
            json.dumps(row) if chosen.json else "   ".join(f"{key}: {value}" for key, value in row.items()), flush=True
        )


if __name__ == "__main__":
    main()
