"""A group that chooses one item together: `group_item` against a pooled study and separate ones with as many answers.

Five people, 30 items with six features. Groups as the model has them, with a share of 0.2, 0.5 or 0.8 of their taste
in common, and two kinds outside the model: two opposed camps (three people against two), and one dissenter who likes
the opposite of what the other four like. Tastes weigh the features, and everybody answers with the noise of the logit
model. All methods are told that tastes are linear, or learn it (`--shape default`, which takes longer).
- group: `group_item`, which also chooses whom to ask.
- pooled: `best_item`, all answers taken as those of one person, everybody asked in turn.
- separate: five studies `best_item`, everybody asked in turn; the item is chosen by the sum of what they say.
After 20, 40 and 80 answers: what the group gives up by the item chosen, as the mean over people and for the worst-off,
from 0 to 1. Then `group` and `pooled` go on until they are settled: after how many answers, what the certificate states
that the choice gives up for the group (pooled: for its one person), and what it does give up.
`python -m benchmarks.group [--kinds "two camps"] [--methods group] [--shape default] [--seeds 20] [--runs FILE]`
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from numpy.random import Generator

from askwise._runtime.streams import stream
from askwise.distances.groups import CRITERIA, GroupRegret, scaled_utilities
from askwise.goals import best_item, group_item
from askwise.posteriors.scores.groups import group_factor
from askwise.posteriors.scores.kernels import LINEAR, factor
from askwise.session import Session
from askwise.simulate.people import ModelPerson
from askwise.simulate.runs import answer_question
from askwise.stopping.certificate import Estimate
from askwise.types import Floats
from benchmarks.common import DEFAULT_SHAPE, benchmark_parser, run_or_recall, seeds_of, standard_error

PEOPLE, ITEMS, FEATURES = 5, 30, 6
SCALE = 3.0  # of scores: what fits real people
CHECKPOINTS = (20, 40, 80)
MAX_ANSWERS = 120
DRAWS = 150
SIDES = {"two camps": (1, 1, 1, -1, -1), "one dissenter": (1, 1, 1, 1, -1)}
KINDS = ("share 0.2", "share 0.5", "share 0.8", *SIDES)
METHODS = ("group", "pooled", "separate")
# a Shape and not its name: every method then has a score for each item
SHAPES: dict[str, dict[str, Any]] = {"linear": {"shape": LINEAR}, DEFAULT_SHAPE: {}}
BY = CRITERIA[:2]  # mean and worst-off


class Job(NamedTuple):
    """What identifies a run."""

    kind: str
    method: str
    seed: int
    shape: str = "linear"


def group_truth(kind: str, features: Floats, rng: Generator) -> Floats:
    """(P N,): what everybody thinks of each item."""
    alone = factor(LINEAR, features)
    share = 0.9 if kind in SIDES else float(kind.removeprefix("share "))
    found = group_factor(alone, PEOPLE, share)
    scores = SCALE * found @ rng.standard_normal(found.shape[1])
    return (scores.reshape(PEOPLE, ITEMS) * np.array(SIDES.get(kind, (1,) * PEOPLE))[:, None]).ravel()


def losses(truth: Floats, item: int) -> dict[str, float]:
    """What the group gives up by the item, by each criterion."""
    return {by: float(GroupRegret(np.eye(ITEMS), PEOPLE, by).regrets(truth[None])[0, item]) for by in BY}


def ask_group(
    table: dict[str, Any], truth: Floats, seed: int, shape: str
) -> Iterator[tuple[Session, Callable[[], dict[str, int]]]]:
    """`group_item`: the session after each answer, and the items it would choose by each criterion."""
    session = group_item(table, PEOPLE, seed=seed, draws=DRAWS, **SHAPES[shape])
    person = ModelPerson(session.problem, truth)

    def choices() -> dict[str, int]:
        sample = session.sample.structures
        worth = {by: GroupRegret(np.eye(ITEMS), PEOPLE, by).regrets(sample) for by in BY}
        return {by: int(regrets.mean(axis=0).argmin()) for by, regrets in worth.items()}

    for number in range(MAX_ANSWERS):
        answer_question(session, person, stream(seed, number, "group"))
        yield session, choices


def ask_pooled(
    table: dict[str, Any], truth: Floats, seed: int, shape: str
) -> Iterator[tuple[Session, Callable[[], dict[str, int]]]]:
    """`best_item` with everybody's answers as one person's."""
    session = best_item(table, seed=seed, draws=DRAWS, **SHAPES[shape])
    people = [ModelPerson(session.problem, scores) for scores in truth.reshape(PEOPLE, ITEMS)]
    choices = lambda: dict.fromkeys(BY, int(session.estimate().structure.argmax()))  # noqa: E731
    for number in range(MAX_ANSWERS):
        answer_question(session, people[number % PEOPLE], stream(seed, number, "pooled"))
        yield session, choices


def ask_separate(
    table: dict[str, Any], truth: Floats, seed: int, shape: str
) -> Iterator[tuple[Session, Callable[[], dict[str, int]]]]:
    """A study for each person; their draws together say what is best."""
    sessions = [best_item(table, seed=1000 * place + seed, draws=DRAWS, **SHAPES[shape]) for place in range(PEOPLE)]
    people = [ModelPerson(sessions[0].problem, scores) for scores in truth.reshape(PEOPLE, ITEMS)]

    def choices() -> dict[str, int]:
        drawn = np.hstack([session.sample.structures for session in sessions])
        worth = {by: GroupRegret(np.eye(ITEMS), PEOPLE, by).regrets(drawn) for by in BY}
        return {by: int(regrets.mean(axis=0).argmin()) for by, regrets in worth.items()}

    for number in range(CHECKPOINTS[-1]):
        place = number % PEOPLE
        answer_question(sessions[place], people[place], stream(seed, number, "separate"))
        yield sessions[place], choices


ASK = {"group": ask_group, "pooled": ask_pooled, "separate": ask_separate}


def run(kind: str, method: str, seed: int, shape: str = "linear") -> dict[str, float]:
    """One group, asked by one method: its losses after some answers, and where it was settled."""
    rng = stream(seed, KINDS.index(kind), "groups")
    features = rng.standard_normal((ITEMS, FEATURES))
    table = {f"feature {place}": column.tolist() for place, column in enumerate(features.T)}
    truth = group_truth(kind, features, rng)
    found: dict[str, float] = {}
    for answers, (session, choices) in enumerate(ASK[method](table, truth, seed, shape), 1):
        if answers in CHECKPOINTS:
            chosen = choices()
            found |= {f"{by} after {answers}": losses(truth, chosen[by])[by] for by in BY}
        if method != "separate" and "settled after" not in found and session.done:
            found |= {"settled after": answers, "stated": session.certificate().expected_distance}
            found["true"] = losses(truth, _item(session.estimate(), method))["mean"]
        if answers >= CHECKPOINTS[-1] and "settled after" in found:
            break
    return found


def run_job(job: Job) -> dict[str, Any]:
    """The same as a line of a file."""
    return {**job._asdict(), "found": run(*job)}


def _item(estimate: Estimate, method: str) -> int:
    scores = np.asarray(estimate.structure)
    worth = scaled_utilities(scores[None], PEOPLE)[0].mean(axis=0) if method == "group" else scores
    return int(worth.argmax())


def summary(runs: list[dict[str, float]]) -> dict[str, Any]:
    """The mean of each figure with its standard error, and how many runs were settled."""
    names = dict.fromkeys(name for one in runs for name in one)
    columns = {name: np.array([one[name] for one in runs if name in one]) for name in names}
    figures = {name: (float(values.mean()), float(standard_error(values))) for name, values in columns.items()}
    return {"groups": len(runs), "settled": len(columns.get("settled after", ())), **figures}


def main() -> None:
    parser = benchmark_parser(__doc__, seeds=20)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS, help="which groups [all]")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS, help="how they are asked [all]")
    parser.add_argument("--shape", choices=SHAPES, default="linear", help="told or learned [linear]")
    parser.add_argument("--runs", type=Path, help="a file that keeps every run; those in it are not run again")
    options = parser.parse_args()
    jobs = [
        Job(kind, method, seed, options.shape)
        for seed in seeds_of(options)
        for kind in options.kinds
        for method in options.methods
    ]
    runs = run_or_recall(run_job, jobs, options.runs, options.workers)
    for kind in options.kinds:
        for method in options.methods:
            found = summary([one["found"] for one in runs if (one["kind"], one["method"]) == (kind, method)])
            if options.json:
                print(json.dumps({"kind": kind, "method": method, **found}), flush=True)
                continue
            figures = (
                f"{name} {value[0]:.3f} ± {value[1]:.3f}" for name, value in found.items() if type(value) is tuple
            )
            print(f"{kind}, {method} ({found['settled']} of {found['groups']} settled):", *figures, sep="   ")


if __name__ == "__main__":
    main()
