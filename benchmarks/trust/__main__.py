"""Whether best_item keeps its promise for people of seven kinds on four tables, and what that costs in questions.

`python -m benchmarks.trust [--json] [--people 60] [--kinds KIND ...] [--tables TABLE ...] [--shape SHAPE ...]
[--jobs 1] [--store FILE]`

Kinds: linear, ideal point, saturating (diminishing returns), individual (linear, and each item's own appeal), threshold
(must-haves), interaction (of two features), lapses (linear people who answer 5 % of the questions at random). Tables:
93 cars with six numbers, 40 invented laptops, scikit-learn's 178 wines, 24 names without features. Only people with
own appeals and with lapses apply to the names.

Answers are logit. Every person prefers the better of two random items nine times in ten; see `people.py`.

- true and stated: the distance (ItemRegret) between estimate and truth at the stop, and the certificate's figure.
- exactly right: the share of people whose best item was found, and the certificate's mean chance of it.
- regret after 15, 30 and 60 answers, beyond the stop if need be: what the item named gives up of the true range.

`--shape` names the shapes that are tried: "default" passes none to the goal, and "linear+smooth" is a list. The aims
are about the first shape. `--store FILE` keeps a JSON line for each person and does not run them again: use a new file
for each version of the code. `--botorch N` first runs BoTorch's PairwiseGP with EUBO for the first N people of each
kind on the cars, as far as `botorch.jsonl` lacks them; that takes half a minute of CPU a person. Kinds of which it has
asked fewer than five people get no verdict. The last table has the same people beside BoTorch, each kind and together.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import askwise
from benchmarks.common import DEFAULT_SHAPE, append_line, benchmark_parser, known_shapes, run_or_recall, stored_lines
from benchmarks.peers.run import printed_lines
from benchmarks.trust import bent, summary
from benchmarks.trust.bent import BOTORCH_LINES, BOTORCH_TABLE
from benchmarks.trust.people import KINDS, TABLES, kinds_of
from benchmarks.trust.runs import CHECKPOINTS, jobs_of, run


def run_botorch(kinds: Iterable[str], people: int) -> None:
    """Runs and stores what is missing, the first person of all kinds first."""
    done = {(line["kind"], line["seed"]) for line in stored_lines(BOTORCH_LINES)}
    wanted = [(kind, seed) for seed in range(people) for kind in kinds]
    missing = [f"{BOTORCH_TABLE}:{kind}:{seed}" for kind, seed in wanted if (kind, seed) not in done]
    for line in printed_lines("gp", "benchmarks.trust.botorch", *missing) if missing else ():
        append_line(BOTORCH_LINES, line)


def print_tables(rows: list[dict[str, Any]], aims: list[dict[str, Any]]) -> None:
    """The rows, and a line for each aim."""
    head = f"{'table':8} {'kind':12} {'shape':9} people  questions      true  stated (error)   right stated   regret"
    print(head, *(f"@{number:<4}" for number in CHECKPOINTS), "BoTorch on the same people (number)")
    for row in rows:
        after = " ".join(_figure(row["regret_after"][str(number)]) for number in CHECKPOINTS)
        peer = row["botorch"]
        there = " ".join(_figure(peer[str(number)]["botorch"]) for number in CHECKPOINTS) if peer else ""
        print(
            f"{row['table']:8} {row['kind']:12} {row['shape']:9} {row['people']:6}"
            f" {row['questions_median']:6.1f} {row['questions_mean']:6.1f}"
            f"  {_figure(row['true'])}   {_figure(row['stated'])} ({_figure(row['true_minus_stated_error'])})"
            f"    {row['right']:.2f}   {row['stated_right']:.2f}    {_figure(row['regret'])} {after}",
            f"{there} ({peer['people']})" if peer else "",
        )
    print("questions: median and mean; regret: at the stop, then after so many answers")
    for aim in aims:
        missed = f"; NOT for {', '.join(aim['missed'])}" if aim["missed"] else ""
        print(f"{aim['aim']}: met in {aim['met_in']} of {aim['rows']}{missed}")


def _figure(value: float | None) -> str:
    return "    -" if value is None else f"{value:.3f}"


def main() -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--people", type=int, default=60, help="of each kind on each table [60]")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS), metavar="KIND")
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES), metavar="TABLE")
    parser.add_argument("--shape", nargs="+", default=[DEFAULT_SHAPE, "linear"], help="[default linear]")
    parser.add_argument("--budget", type=int, default=150, help="answers of a person at most [150]")
    parser.add_argument("--jobs", type=int, default=1, help="processes [1]")
    parser.add_argument("--store", type=Path, help="a JSON-lines file of results, to go on later")
    parser.add_argument("--botorch", type=int, default=0, metavar="N", help="run BoTorch for so many people first")
    options = parser.parse_args()
    run_botorch(options.kinds, options.botorch)
    shapes = known_shapes(askwise.best_item, options.shape)
    kinds = {table: [kind for kind in options.kinds if kind in kinds_of(table)] for table in options.tables}
    lines = run_or_recall(run, jobs_of(kinds, shapes, options.people, options.budget), options.store, options.jobs)
    botorch = stored_lines(BOTORCH_LINES)
    rows = summary.rows_of(lines, botorch)
    aims = summary.aims(rows, shapes[0])
    own = [line for line in lines if line["table"] == BOTORCH_TABLE and line["shape"] == shapes[0]]
    beside = bent.rows_of(own, botorch)
    if options.json:
        kinds = [row._asdict() for row in beside]
        print(json.dumps({"people": options.people, "rows": rows, "aims": aims, "beside_botorch": kinds}))
    else:
        print_tables(rows, aims)
        print(bent.table(beside))


if __name__ == "__main__":
    main()
