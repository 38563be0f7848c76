"""The cost of one question: update, draws, scores and choice, and how each grows.

`python -m benchmarks.round [--curves] [--json]`: one thread, CPU time, median of many rounds. Every figure is also a
ratio to the floor of the same run: one product of the (S, S) distances by the (S, A) masses in the precision used.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from statistics import median
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy loads its BLAS

import numpy as np

import askwise
from askwise._runtime.streams import stream
from askwise.posteriors.scores.logconcave import LogConcave
from askwise.session import Session
from askwise.simulate.people import ModelPerson
from askwise.simulate.runs import answer_question
from askwise.simulate.tasks import Task, choice, classify
from askwise.strategies.expected import exhaustive
from askwise.strategies.split import split
from askwise.types import Answer

DRAWS = 600
ATOMS = 500
SETTLED = 4  # answers taken one by one before the clock starts, so that the sampler has found its steps
SETTINGS: dict[str, dict[str, Any]] = {
    "classify_d10_t100": {"task": "classify", "dim": 10, "answers": 100},
    "choice_d10_t100": {"task": "choice", "dim": 10, "answers": 100},
    "classify_d100_t1000": {"task": "classify", "dim": 100, "answers": 1000},
}
CURVES = {
    "draws": (300, 600, 1200, 2400),
    "atoms": (250, 500, 1000, 4000),
    "dim": (5, 10, 50, 100, 500),
    "answers": (10, 100, 1000, 10_000),
}
ITEMS = (50, 500, 2000, 10_000)


def milliseconds(call: Callable[[int], Any], times: int) -> float:
    """The median CPU time of `times` calls, after one to warm up."""
    call(0)
    return median(spent(lambda number=number: call(number + 1)) for number in range(times))


def spent(call: Callable[[], Any]) -> float:
    """CPU time of a call, in milliseconds."""
    start = time.process_time_ns()
    call()
    return (time.process_time_ns() - start) / 1e6


def make(task: str, dim: int) -> Task:
    """The task of the paper's experiments with sigma = 5; a choice is among 50 items, all 1,225 pairs scored."""
    rng = stream(0, 0, "benchmark")
    return classify(rng, dim=dim) if task == "classify" else choice(rng, items=50, dim=dim)


def answered(task: Task, prior: LogConcave, answers: int) -> tuple[LogConcave, Answer]:
    """The posterior after random questions, and one more answer to come."""
    told = []
    for number in range(answers + 1):
        atom = task.problem.family.draw_atoms(ATOMS, stream(1, number, "atoms"))[-1 - number % ATOMS]
        told.append(Answer(atom, task.person.respond(atom, stream(1, number, "person"))))
    posterior = prior.update_all(told[: -1 - SETTLED], stream(1, 0, "update"))
    for number, last in enumerate(told[-1 - SETTLED : -1]):
        posterior = posterior.update(last, stream(1, number + 1, "update"))
    return posterior, told[-1]


def floor(draws: int = DRAWS, atoms: int = ATOMS) -> Callable[[int], Any]:
    """One product of distances by masses in 32 bits."""
    rng = stream(2, 0, "mass")
    matrix, mass = (rng.random((draws, columns), dtype=np.float32) for columns in (draws, atoms))
    return lambda _: matrix @ mass


def measure(task: str, dim: int, answers: int, times: int, draws: int = DRAWS, atoms: int = ATOMS) -> dict[str, float]:
    """All figures of one setting."""
    made = make(task, dim)
    family = made.problem.family
    posterior, told = answered(made, made.prior, answers)
    learned, _ = answered(made, LogConcave.prior(family, made.problem.loss), answers)

    def sampler(start: Any) -> Callable[[int], Any]:
        return lambda n: start.update(told, stream(2, n, "update")).sample(draws, stream(2, n, "sample"))

    samples = [posterior.sample(draws, stream(2, n, "sample")) for n in range(2)]
    pool = family.draw_atoms(atoms, stream(2, 0, "atoms"))[:atoms]
    session = Session(made.problem, posterior, seed=3, draws=draws, candidates=atoms, repeat=True)

    def round_of(number: int) -> None:
        answer_question(session, made.person, stream(4, number, "person"))

    return {
        "round_ms": milliseconds(round_of, times),
        "sampler_ms": milliseconds(sampler(posterior), times),
        "learned_sampler_ms": milliseconds(sampler(learned), times),
        # two samples in turn: the distances of the last one are kept
        "scoring_ms": milliseconds(lambda n: split(made.problem, samples[n % 2], pool).expected_diameter(), times),
        "gemm_ms": milliseconds(floor(draws, len(pool)), times),
    }


def learned_choice(times: int, items: int = 50, dim: int = 10) -> dict[str, float]:
    """`askwise.best_item` of the linear shape with a learned scale, from first to last answer.

    One person after the other, until there are `times` rounds; each floor is timed between the rounds. `best_share` is
    the gain of the questions asked over that of the best of all questions, as all draws see it, averaged over rounds.
    """
    rng = stream(5, items, "items")
    table = [
        {"name": f"item {i}", **{f"x{j}": float(x) for j, x in enumerate(row)}}
        for i, row in enumerate(rng.standard_normal((items, dim)))
    ]
    product = floor()
    rounds: dict[str, list[float]] = {key: [] for key in ("round", "learned_sampler", "stop", "scoring", "gemm")}
    person, share = 0, []
    while len(rounds["round"]) < times:
        session = askwise.best_item(table, shape="linear", seed=person)
        taste = ModelPerson(session.config.problem, 5 * stream(5, person, "taste").standard_normal(dim))
        session.ask()
        while not session.done and len(rounds["round"]) < times:
            rounds["gemm"].append(spent(lambda: product(0)))
            sampled = spent(lambda s=session, t=taste: (answer_question(s, t, rng), s.round.sample))
            stopped = spent(lambda s=session: s.done)
            scored = 0.0
            if not session.done:
                gains, scored = plain_gains(session), spent(session.ask)
                asked = session.event_log.ask_events[session.event_log.open_questions()[0]]["atom"]
                share.append(gains[tuple(asked)] / max(gains.values()))
            for key, value in (("learned_sampler", sampled), ("stop", stopped), ("scoring", scored)):
                rounds[key].append(value)
            rounds["round"].append(sampled + stopped + scored)
        person += 1
    return {**{f"{key}_ms": median(values) for key, values in rounds.items()}, "best_share": float(np.mean(share))}


def learned_shape(goal: str, rows: int, times: int = 10, answers: tuple[int, ...] = (30, 100)) -> dict[str, float]:
    """`best_item` or `classifier` with their defaults, as `askwise ask` and the web app run them, for bent scores.

    `round_t30_ms` is the median of the last `times` rounds before 30 answers, and so on; the session goes on beyond its
    stop.
    """
    rng = stream(6, rows, "rows")
    features = rng.standard_normal((rows, 6))
    scores = 4 * (features[:, 0] - features[:, 1] ** 2)
    table = {f"x{column}": values.tolist() for column, values in enumerate(features.T)}
    session = askwise.best_item(table, seed=1) if goal == "best_item" else askwise.classifier(table, seed=1)
    person = ModelPerson(session.config.problem, scores - (0 if goal == "best_item" else np.median(scores)))
    session.ask()
    rounds: list[float] = []
    while len(rounds) < max(answers):
        rounds.append(spent(lambda: (answer_question(session, person, rng), session.done, session.ask())))
    return {f"round_t{count}_ms": median(rounds[count - min(times, count) : count]) for count in answers}


def many_labels(times: int, rows: int = 300, answers: int = 60) -> dict[str, float]:
    """`askwise.classifier` of scikit-learn's digits: ten labels, 64 features, the prior scale learned.

    `round_ms` is the median of the last ten questions, `mean_round_ms` the mean of all; `wrong_share` is the share of
    rows with a wrong label in the end.
    """
    from sklearn.datasets import load_digits

    images, digits = load_digits(return_X_y=True)
    chosen = np.random.default_rng(0).permutation(len(images))[:rows]
    images, digits = images[chosen], digits[chosen]
    session = askwise.classifier(images, labels=range(10), seed=0)
    session.ask()
    product, rounds = floor(atoms=rows), []
    for _ in range(answers):
        row = int(session.ask().atom)
        rounds.append(spent(lambda row=row: (session.tell(int(digits[row])), session.ask())))
    posterior, problem = session.posterior, session.config.problem
    told = Answer(int(session.ask().atom), int(digits[int(session.ask().atom)]))
    samples = [posterior.sample(DRAWS, stream(2, number, "sample")) for number in range(2)]
    pool = np.arange(rows)

    def sampler(number: int) -> None:
        posterior.update(told, stream(2, number, "update")).sample(DRAWS, stream(2, number, "sample"))

    return {
        "round_ms": median(rounds[-10:]),
        "mean_round_ms": float(np.mean(rounds)),
        "sampler_ms": milliseconds(sampler, times),
        "scoring_ms": milliseconds(lambda n: split(problem, samples[n % 2], pool).expected_diameter(), times),
        "gemm_ms": milliseconds(product, times),
        "wrong_share": float(np.mean(np.array(session.estimate().value) != digits)),
    }


def plain_gains(session: Session) -> dict[tuple[int, ...], float]:
    """What every candidate question would remove of the diameter, by all draws."""
    problem, atoms = session.config.problem, session.round.fresh_atoms(session.event_log)
    gains = exhaustive(problem, session.posterior, session.round.sample, atoms, stream(0, 0, "rule")).gain
    return dict(zip(map(tuple, np.asarray(atoms).tolist()), gains, strict=True))


def curves(times: int) -> dict[str, dict[str, dict[str, float]]]:
    """Classification at d = 10, t = 100, S = 600, A = 500, one of them varied at a time; and more items to choose from.

    At least as many answers as dimensions: with fewer, the rest keeps its prior and costs next to nothing.
    """
    result: dict[str, dict[str, dict[str, float]]] = {}
    for name, values in CURVES.items():
        result[name] = {}
        for value in values:
            setting = {"dim": 10, "answers": 100, "draws": DRAWS, "atoms": ATOMS, name: value}
            setting["answers"] = max(setting["answers"], setting["dim"])
            result[name][str(value)] = measure("classify", times=times, **setting)
    return {**result, "items": {str(value): learned_choice(4 * times, items=value) for value in ITEMS}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--times", type=int, default=60, help="rounds behind each median")
    parser.add_argument("--curves", action="store_true", help="how it grows, too; takes some minutes")
    options = parser.parse_args()
    result: dict[str, Any] = {name: measure(times=options.times, **setting) for name, setting in SETTINGS.items()}
    result["choice_learned"] = learned_choice(options.times)
    result["choice_learned_shape"] = learned_shape("best_item", 50)
    result["classify_learned_shape"] = learned_shape("classifier", 500)
    result["softmax_k10_d64_t60"] = many_labels(max(3, options.times // 2))
    if options.curves:
        result["curves"] = curves(max(3, options.times // 8))
    if options.json:
        print(json.dumps(result))
        return
    for name in (name for name in result if name != "curves"):
        print(name, *(f"{key} {value:.2f}" for key, value in result[name].items()), sep="  ")
    for name, rows in result.get("curves", {}).items():
        for value, row in rows.items():
            print(f"{name} = {value}", *(f"{key} {number:.2f}" for key, number in row.items()), sep="  ")


if __name__ == "__main__":
    main()
