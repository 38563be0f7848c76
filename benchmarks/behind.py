"""What it costs that a server's learner is behind: questions from draws that know some answers too few.

While its learner is busy, a server chooses questions from draws of an earlier state, reweighed by the answers since.
Here every question is chosen so, as many answers behind as `--behind` says. The people are those of `benchmarks.trust`;
they look for the best car. Each is compared with the same person whose learner is never behind. Without enough draws
that fit the new answers, the full update is made; `failed` counts that.

`python -m benchmarks.behind [--behind 1 3] [--kinds linear "ideal point"] [--seeds 16] [--first 300]
[--workers 1] [--json]`
"""

from __future__ import annotations

import json
import os
from itertools import product
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import askwise
from askwise.session import Session, recording
from askwise.session.events import Event
from askwise.session.quick_choice import choose_reweighed
from benchmarks.common import benchmark_parser, run_in_processes, seeds_of
from benchmarks.trust.people import TablePerson, table_named
from benchmarks.trust.runs import best_place

TABLE = "cars"
MEASURED = (10, 20, 30, 40)  # answers


def run(kind: str, seed: int, behind: int, measured: tuple[int, ...] = MEASURED) -> dict[str, Any]:
    """The regrets of one person after so many answers, as a learner that is up to date would see them."""
    person, data = TablePerson.of(TABLE, kind, seed), table_named(TABLE).data
    generator, failed, regrets = np.random.default_rng(seed), 0, []
    session = askwise.best_item(data, seed=seed)
    log = session.event_log.copy()  # as the store has it: the session is behind
    for answer in range(1, measured[-1] + 1):
        waiting = log.events[len(session.event_log.events) :]
        chosen = choose_reweighed(session, waiting) if waiting else None
        if chosen is None:
            failed += bool(waiting)
            _apply(session, log.events[len(session.event_log.events) :])
            chosen = session.round.choose(session.event_log)
        log.append(log.validate(chosen))
        first, second = (person.utilities[place] for place in chosen["atom"])
        code = 1 if generator.random() < 1 / (1 + np.exp(second - first)) else -1
        told = log.tell_event({code: response for response, code in chosen["codes"]}[code], chosen["question"])
        assert told is not None
        log.append(told)
        waiting = log.events[len(session.event_log.events) :]
        tells = [place for place, event in enumerate(waiting) if event["event"] == "tell"]
        if len(tells) > behind:
            _apply(session, waiting[: tells[-behind]] if behind else waiting)
        if answer in measured:
            fresh = askwise.best_item(data, seed=seed)
            _apply(fresh, log.events)
            regrets.append(person.errors(best_place(fresh))["regret"])
    return {"kind": kind, "seed": seed, "behind": behind, "regrets": regrets, "failed": failed}


def _apply(session: Session, events: list[Event]) -> None:
    for event in events:
        recording.apply(session, session.event_log.validate(event))


def compare(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """By kind and answers behind: mean regrets, and what they are more than with 0 behind, with standard errors.

    >>> runs = [{"kind": "linear", "seed": seed, "behind": behind, "regrets": [regret + seed / 10], "failed": behind}
    ...         for behind, regret in ((0, 0.1), (1, 0.3)) for seed in range(2)]
    >>> [(row["behind"], row["regret"], row["more"], row["failed"]) for row in compare(runs)]
    [(0, [0.15], [0.0], 0), (1, [0.35], [0.2], 2)]
    """
    found = []
    for kind, behind in sorted({(one["kind"], one["behind"]) for one in runs}):
        mine, reference = (
            {one["seed"]: np.array(one["regrets"]) for one in runs if (one["kind"], one["behind"]) == (kind, number)}
            for number in (behind, 0)
        )
        more = np.array([mine[seed] - reference[seed] for seed in sorted(mine)])
        found.append({
            "kind": kind,
            "behind": behind,
            "people": len(more),
            "regret": np.mean(list(mine.values()), axis=0).round(4).tolist(),
            "more": more.mean(axis=0).round(4).tolist(),
            "more_error": (more.std(axis=0, ddof=1) / len(more) ** 0.5).round(4).tolist(),
            "failed": sum(one["failed"] for one in runs if (one["kind"], one["behind"]) == (kind, behind)),
        })  # fmt: skip
    return found


def main() -> None:
    parser = benchmark_parser(__doc__, seeds=16)
    parser.set_defaults(first=300)
    parser.add_argument("--kinds", nargs="+", default=["linear", "ideal point"])
    parser.add_argument("--behind", nargs="+", type=int, default=[1, 3], help="answers that the draws do not know")
    options = parser.parse_args()
    jobs = product(options.kinds, seeds_of(options), sorted({0, *options.behind}))
    found = compare(run_in_processes(run, jobs, options.workers))
    if options.json:
        print(json.dumps({"answers": MEASURED, "rows": found}))
        return
    for row in found:
        cells = [
            f"{regret:.3f} ({more:+.3f} ± {error:.3f})"
            for regret, more, error in zip(row["regret"], row["more"], row["more_error"], strict=True)
        ]
        print(
            f"{row['kind']}, {row['behind']} behind, {row['people']} people: {', '.join(cells)}; {row['failed']} failed"
        )


if __name__ == "__main__":
    main()
