"""askwise beside BoTorch's PairwiseGP for people of every kind: the runs that are stored, and their table.

`python -m benchmarks.trust --botorch N` makes BoTorch's runs. `ours.jsonl` has those of askwise with the same people:
`python -m benchmarks.trust --tables cars --shape default --people N --store benchmarks/trust/ours.jsonl`, from an empty
file for each version of the code. `python -m benchmarks.trust.bent` prints the table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from benchmarks.common import standard_error, stored_lines
from benchmarks.trust.people import HERE, KINDS
from benchmarks.trust.runs import CHECKPOINTS
from benchmarks.trust.summary import Lines, compare, regrets_after

BOTORCH_LINES, OUR_LINES = HERE / "botorch.jsonl", HERE / "ours.jsonl"
BOTORCH_TABLE = "cars"
LINEAR_KINDS = ("linear", "lapses")
BENT_KINDS = tuple(kind for kind in KINDS if kind not in LINEAR_KINDS)


class Pooled(NamedTuple):
    """Our regret minus BoTorch's, averaged over kinds of people."""

    people: int  # of each kind
    difference: float
    standard_error: float


class KindRow(NamedTuple):
    """One kind of people, or several pooled: how many, and a cell for each of CHECKPOINTS."""

    name: str
    people: int
    cells: tuple[str, ...]


def pooled(ours: Lines, theirs: Lines, kinds: tuple[str, ...], number: int) -> Pooled:
    """After so many answers, over the seeds that both asked in every kind.

    Seeds are independent. Kinds need not be: linear people with and without lapses have the same tastes. The mean over
    kinds is therefore taken for each seed first.
    """
    gaps: list[dict[int, float]] = []
    for kind in kinds:
        mine, peer = (
            regrets_after([line for line in lines if line["kind"] == kind and line["table"] == BOTORCH_TABLE], number)
            for lines in (ours, theirs)
        )
        gaps.append({seed: mine[seed] - peer[seed] for seed in mine.keys() & peer.keys()})
    seeds = sorted(set.intersection(*map(set, gaps)))
    means = np.array([np.mean([gap[seed] for gap in gaps]) for seed in seeds])
    return Pooled(len(seeds), float(means.mean()), float(standard_error(means)))


def stored_rows() -> list[KindRow]:
    """The rows of the table from the stored runs."""
    return rows_of(stored_lines(OUR_LINES), stored_lines(BOTORCH_LINES))


def rows_of(ours: Lines, theirs: Lines) -> list[KindRow]:
    """A row for each kind that both asked; where both asked all of them, one for the bent ones and one for all."""
    rows = []
    for kind in KINDS:
        found = compare(*([line for line in lines if line["kind"] == kind] for lines in (ours, theirs)))
        if found:
            rows.append(KindRow(kind, found["people"], tuple(_cell(found[str(number)]) for number in CHECKPOINTS)))
    if len(rows) == len(KINDS):
        for name, kinds in (("the five bent kinds together", BENT_KINDS), ("all seven together", tuple(KINDS))):
            each = [pooled(ours, theirs, kinds, number) for number in CHECKPOINTS]
            cells = tuple(f"{one.difference:+.4f} ({one.standard_error:.4f})" for one in each)
            rows.append(KindRow(name, len(kinds) * each[0].people, cells))
    return rows


def _cell(found: dict[str, Any]) -> str:
    gap = f"{found['difference']:+.3f} ({found['standard_error']:.3f})"
    return f"{found['ours']:.3f} / {found['botorch']:.3f}, {gap}"


def table(rows: list[KindRow]) -> str:
    """The rows as Markdown; nothing without rows."""
    if not rows:
        return ""
    head = ("regret of askwise / BoTorch, difference (standard error)", "people")
    lines: list[Any] = [(*head, *(f"after {number}" for number in CHECKPOINTS)), ["---"] * (2 + len(CHECKPOINTS))]
    lines += [(row.name, row.people, *row.cells) for row in rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


if __name__ == "__main__":
    print(table(stored_rows()))
