"""How exact the scores of questions are whose answers are numbers, and what they cost.

`pdbal` is compared with its closed form over all triples of draws, and the 16 possible answers of `expected` with a
dense integral over the answer, on the same draws. `python -m benchmarks.numbers [--seeds 2] [--json]`
"""

from __future__ import annotations

import json
import os
from functools import partial
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy loads its BLAS

import numpy as np

from askwise._runtime.streams import stream
from askwise.simulate.runs import answer_question, person_streams
from askwise.simulate.tasks import columns
from askwise.strategies.expected import exhaustive
from askwise.strategies.normal_triples import surviving_triples
from askwise.types import Floats
from benchmarks.common import benchmark_parser, cpu_milliseconds, seeds_of

CHAINS = (32, 64)
ENTRIES = (20, 100)  # answers before the scores are compared
COMPARED = 100  # entries whose scores are compared
ANSWERS = 1500  # of the dense integral


def closed_form(means: Floats, precision: Floats, distances: Floats) -> float:
    """One entry, means (S,): the mean over triples of different draws, each integrated in closed form.

    >>> round(closed_form(np.zeros(3), np.ones(3), 1 - np.eye(3)), 4)  # e / sqrt(3)
    1.5694
    """
    one, two, three = precision[:, None, None], precision[:, None], precision
    first, second, third = means[:, None, None], means[:, None], means
    total = one + two + three
    spread = (
        one * two * (first - second) ** 2 + one * three * (first - third) ** 2 + two * three * (second - third) ** 2
    )
    terms = np.sqrt(one * two / (three * total)) * np.e * np.exp(-spread / total / 2) * distances[:, :, None]
    numbers = np.arange(len(means))
    different = (numbers[:, None, None] != numbers) & (numbers[:, None] != numbers)  # the third from both
    return float((terms * different).sum() / (len(means) * (len(means) - 1) * (len(means) - 2)))


def expected_diameter(means: Floats, precision: Floats, distances: Floats) -> float:
    """One entry, means (S,): the average diameter after the answer, integrated over the answer.

    >>> bool(abs(expected_diameter(np.zeros(3), np.ones(3), 1 - np.eye(3)) - 1) < 1e-6)  # the answer tells nothing
    True
    """
    reach = 6 / np.sqrt(precision.min())
    answers = np.linspace(means.min() - reach, means.max() + reach, ANSWERS)
    held = np.sqrt(precision / (2 * np.pi)) * np.exp(-precision / 2 * (answers[:, None] - means) ** 2) / len(means)
    mass, surviving = held.sum(axis=1), np.einsum("ys,ys->y", held, held @ distances)
    pairs = mass**2 - (held**2).sum(axis=1)
    after = np.where(pairs > 1e-9 * mass**2, surviving / np.where(pairs > 0, pairs, 1.0), 0.0)
    return float((mass * np.clip(after, 0.0, 1.0)).sum() * (answers[1] - answers[0]))


def compare(chains: int, entries: int, seed: int) -> dict[str, Any]:
    """Errors and CPU milliseconds after so many entries, which `variance` chose."""
    task = columns(stream(seed, 0, "task"), chains=chains)
    session = task.session("variance", seed, repeat=False)
    for rng in person_streams(seed, entries):
        answer_question(session, task.person, rng)
    problem, sample = session.problem, session.sample
    atoms = session.round.fresh_atoms(session.event_log)
    means, precision = task.problem.family.normal_answers(problem.family.predict(sample.structures, atoms))
    distances = problem.distance.pairwise(sample.structures)
    score = partial(surviving_triples, means, precision, sample.weights, distances, True)
    gains = partial(exhaustive, problem, session.posterior, sample, atoms, np.random.default_rng(seed))
    found, grid = score(), gains().gain  # loads the compiled code before the clock starts
    some = np.linspace(0, len(atoms) - 1, COMPARED).astype(int)
    off = found[some] / [closed_form(means[:, place], precision, distances) for place in some] - 1
    dense = [-expected_diameter(means[:, place], precision, distances) for place in some]
    return {
        "chains": chains,
        "entries": entries,
        "pdbal_error": float(np.sqrt(np.mean(off**2))),
        "pdbal_worst": float(np.abs(off).max()),
        "pdbal_ms": cpu_milliseconds(score),
        "expected_correlation": float(np.corrcoef(grid[some], dense)[0, 1]),
        "expected_ms": cpu_milliseconds(gains),
    }


def main() -> None:
    options = benchmark_parser(__doc__, seeds=2, workers=1).parse_args()
    rows = [compare(chains, entries, seed) for chains in CHAINS for entries in ENTRIES for seed in seeds_of(options)]
    if options.json:
        print(json.dumps(rows))
        return
    for row in rows:
        print(", ".join(f"{name} {value:.3g}" for name, value in row.items()))


if __name__ == "__main__":
    main()
