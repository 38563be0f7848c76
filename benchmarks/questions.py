"""How many questions, and how much time, each kind takes: pairs, graded pairs, best of several, best and worst.

`python -m benchmarks.questions [--json] [--people N] [--kinds KIND ...] [--workers W] [--store FILE]`

The same simulated people choose among forty laptops by each kind of question (`KINDS`). Half of them weigh features,
half have an ideal point. They answer by the model of the question, each at the scale at which they prefer the better of
two random laptops nine times in ten. Grades change at `CUTS` times the standard deviation of a person's utilities.
Figures are the questions until the mean regret of the best guess is small, with the interval of a bootstrap over
people. The regret is a share of the range of the person's own utilities.

Nobody measures the time that people need. It is assumed to be `BASE_SECONDS` for a question, `SECONDS_PER_ITEM` for
each item shown, `SECONDS_PER_CHOICE` for each item named, and `SECONDS_PER_GRADE` for a grade. `break_even` is the time
per item at which the kind takes as long as pairs: sets save time where people read an item faster than that; null: at
any pace. With `--store`, runs are not made again.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import askwise
from askwise._runtime.streams import stream
from askwise.simulate.people import ModelPerson
from askwise.simulate.runs import person_streams, simulate_answers
from benchmarks.common import benchmark_parser, run_or_recall
from benchmarks.trust.people import TablePerson, table_named

TASTES = ("linear", "ideal point")
ANSWERS = 40  # of everybody, to each kind of question
DRAWS = 300
REGRETS = (0.1, 0.05, 0.02)
RESAMPLES = 2000  # of the bootstrap
BASE_SECONDS, SECONDS_PER_ITEM, SECONDS_PER_CHOICE = 1.0, 2.0, 1.0  # assumed: six seconds for a pair
SECONDS_PER_GRADE = 0.5  # assumed: one more row of buttons, but no more to read
OTHER_SECONDS_PER_ITEM = (0.5, 1.0, 3.0, 5.0)  # to see how much depends on it
GRADES = ("slightly", "clearly", "much")
CUTS = (0.0, 0.6, 1.2)  # between them: standard deviations of a person's utilities


class Kind(NamedTuple):
    """One way of asking: the options of `best_item`, and what a person has to read and to name."""

    options: dict[str, Any]
    items: int = 2
    choices: int = 1

    @property
    def answer_seconds(self) -> float:
        """How long it is assumed to take besides reading."""
        grade = SECONDS_PER_GRADE if "grades" in self.options else 0.0
        return BASE_SECONDS + SECONDS_PER_CHOICE * self.choices + grade


KINDS = {
    "pairs": Kind({}),
    "graded pairs": Kind({"grades": GRADES}),
    "best of 3": Kind({"shown": 3}, 3),
    "best of 4": Kind({"shown": 4}, 4),
    "best of 5": Kind({"shown": 5}, 5),
    "best and worst of 4": Kind({"shown": 4, "worst": True}, 4, 2),
    "best and worst of 5": Kind({"shown": 5, "worst": True}, 5, 2),
}


class Run(NamedTuple):
    """One person who answers one kind of question."""

    kind: str
    taste: str
    person: int


def run_person(run: Run) -> dict[str, Any]:
    """The regret of the guess before any answer and after each."""
    table, somebody = table_named("laptops"), TablePerson.of("laptops", run.taste, run.person)
    options = KINDS[run.kind].options
    session = askwise.best_item(table.data, features=list(table.feature_names), seed=run.person, draws=DRAWS, **options)
    problem = session.problem
    if "grades" in options:
        problem = replace(problem, loss=askwise.ordered_logit(np.std(somebody.utilities) * np.array(CUTS)))
    person = ModelPerson(problem, somebody.utilities)

    def regret() -> float:
        return somebody.errors(table.item_names.index(session.estimate().value))["regret"]

    regrets = [regret()]
    regrets += [regret() for _ in simulate_answers(session, person, person_streams(run.person, ANSWERS))]
    return {**run._asdict(), "regrets": [round(value, 5) for value in regrets]}


def seconds(kind: str, per_item: float = SECONDS_PER_ITEM) -> float:
    """How long one question of that kind is assumed to take.

    >>> seconds("pairs"), seconds("graded pairs"), seconds("best and worst of 4")
    (6.0, 6.5, 11.0)
    """
    return KINDS[kind].answer_seconds + per_item * KINDS[kind].items


def questions(mean: Any, wanted: float) -> int:
    """After how many questions the mean regret (T + 1,) stays no larger than wanted; one more than were asked: never.

    >>> questions(np.array([0.5, 0.1, 0.2, 0.1]), 0.1), questions(np.array([0.5, 0.2]), 0.1)
    (3, 2)
    """
    return int(np.flatnonzero(np.append(np.inf, mean) > wanted)[-1])


def break_even(kind: str, asked: float, pairs: float) -> float | None:
    """Seconds per item at which so many questions take as long as that many pairs; None if they are quicker at any.

    >>> break_even("best of 4", asked=10, pairs=20) is None  # no more is read than with pairs
    True
    >>> break_even("best of 4", asked=12, pairs=20)
    2.0
    """
    more_read = asked * KINDS[kind].items - 2 * pairs
    saved = pairs * KINDS["pairs"].answer_seconds - asked * KINDS[kind].answer_seconds
    return None if more_read <= 0 <= saved else max(0.0, saved / more_read)


def summarise(kind: str, regrets: Any, pairs: Any) -> dict[str, Any]:
    """What the regrets (R, T + 1) of a kind say, beside those of pairs of the same people."""
    chosen = stream(0, 0, "bootstrap").integers(len(regrets), size=(RESAMPLES, len(regrets)))
    means, pair_means = regrets[chosen].mean(axis=1), pairs[chosen].mean(axis=1)
    found: dict[str, Any] = {"kind": kind, "people": len(regrets), "seconds_each": seconds(kind)}
    for wanted in REGRETS:
        needed = questions(regrets.mean(axis=0), wanted)
        resampled = np.array([questions(mean, wanted) for mean in means])
        first_resampled = np.array([questions(mean, wanted) for mean in pair_means])
        ratios = seconds(kind) * resampled / (seconds("pairs") * np.maximum(first_resampled, 1))
        known, first = needed < regrets.shape[1], questions(pairs.mean(axis=0), wanted)
        found[str(wanted)] = {
            "questions": needed if known else None,
            "interval": np.percentile(resampled, (2.5, 97.5)).tolist(),
            "seconds": needed * seconds(kind) if known else None,
            "share_of_pairs": np.percentile(ratios, (2.5, 50, 97.5)).tolist(),
            "seconds_at": {str(each): needed * seconds(kind, each) for each in OTHER_SECONDS_PER_ITEM},
            "break_even": break_even(kind, needed, first) if known and kind != "pairs" else None,
        }
    return found


def line_of(row: dict[str, Any], wanted: float) -> str:
    """A line of the printed table."""
    found = row[str(wanted)]
    if found["questions"] is None:
        return f"{row['kind']:20} {wanted:6}  more than {ANSWERS}"
    low, high = found["interval"]
    least, middle, most = found["share_of_pairs"]
    even = "any" if found["break_even"] is None else f"{found['break_even']:.1f}"
    even = "" if row["kind"] == "pairs" else even
    asked = f"{found['questions']} ({low:.0f} to {high:.0f})"
    share = f"{middle:.2f} ({least:.2f} to {most:.2f})"
    return f"{row['kind']:20} {wanted:6}  {asked:15} {found['seconds']:6.0f} {share:24} {even}"


def main() -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--people", type=int, default=20, help="of each taste [20]")
    parser.add_argument("--kinds", nargs="+", choices=tuple(KINDS), default=list(KINDS), help="of questions [all]")
    parser.add_argument("--workers", type=int, default=1, help="processes [1]")
    parser.add_argument("--store", type=Path, help="a file of runs, which are not made again")
    options = parser.parse_args()
    kinds = ["pairs", *(kind for kind in options.kinds if kind != "pairs")]
    runs = [
        Run(kind, taste, person) for person in range(options.people) for taste in TASTES for kind in kinds
    ]  # one person after the other, so that a run that is stopped compares all kinds
    lines = run_or_recall(run_person, runs, options.store, options.workers)
    regrets = {kind: np.array([line["regrets"] for line in lines if line["kind"] == kind]) for kind in kinds}
    rows = [summarise(kind, regrets[kind], regrets["pairs"]) for kind in kinds]
    if options.json:
        print(json.dumps(rows))
        return
    print("kind                 regret  questions       seconds share of pairs        break-even seconds per item")
    for wanted in REGRETS:
        print("\n".join(line_of(row, wanted) for row in rows))


if __name__ == "__main__":
    main()
