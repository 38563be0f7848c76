"""What the runs say together: a row for each kind of people and table, and whether the aims are met."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np

from benchmarks.common import DEFAULT_SHAPE, standard_error
from benchmarks.trust.runs import CHECKPOINTS

MAX_GAP_OF_CHANCE = 0.1  # between the share exactly right and the stated chance
MAX_QUESTIONS_RATIO = 1.5  # of linear people, to the linear shape
MIN_COMPARED_PEOPLE = 5  # with BoTorch, for a verdict
Lines = Sequence[Mapping[str, Any]]


def rows_of(lines: Lines, botorch: Lines) -> list[dict[str, Any]]:
    """A row for each table, kind and shape, in the order in which they were first run."""
    cells = dict.fromkeys((line["table"], line["kind"], line["shape"]) for line in lines)
    rows = []
    for table, kind, shape in cells:
        runs = [line for line in lines if (line["table"], line["kind"], line["shape"]) == (table, kind, shape)]
        peers = [line for line in botorch if (line["table"], line["kind"]) == (table, kind)]
        rows.append({"table": table, "kind": kind, "shape": shape, **summary(runs), "botorch": compare(runs, peers)})
    return rows


def summary(runs: Lines) -> dict[str, Any]:
    """The people of one row: at the stop, and after each of CHECKPOINTS answers."""
    true, stated, right, stated_right, questions = (
        np.array([line[name] for line in runs], dtype=float)
        for name in ("true", "stated", "right", "stated_right", "questions")
    )
    return {
        "people": len(runs),
        "questions_median": float(median(questions)),
        "questions_mean": float(questions.mean()),
        "settled": _mean(line["settled"] for line in runs),
        "true": float(true.mean()),
        "stated": float(stated.mean()),
        "true_minus_stated_error": float(standard_error(true - stated)),
        "right": float(right.mean()),
        "stated_right": float(stated_right.mean()),
        "right_error": float(standard_error(right - stated_right)),
        "regret": _mean(line["regret"] for line in runs),
        "regret_after": {str(number): _mean(regrets_after(runs, number).values()) for number in CHECKPOINTS},
        "warned": _mean(line["warned"] for line in runs),
        "cpu_seconds": _mean(line["cpu_seconds"] for line in runs),
    }


def regrets_after(runs: Lines, number: int) -> dict[int, float]:
    """By person; those whose run was shorter are left out."""
    return {line["seed"]: line["regret_after"][str(number)] for line in runs if str(number) in line["regret_after"]}


def compare(runs: Lines, peers: Lines) -> dict[str, Any] | None:
    """Our regret minus BoTorch's on the same people; None if it asked none of them."""
    result: dict[str, Any] = {}
    for number in CHECKPOINTS:
        ours, theirs = regrets_after(runs, number), regrets_after(peers, number)
        both = sorted(ours.keys() & theirs.keys())
        if not both:
            return None
        gaps = np.array([ours[seed] - theirs[seed] for seed in both])
        result["people"] = len(both)
        result[str(number)] = {
            "ours": _mean(ours[seed] for seed in both),
            "botorch": _mean(theirs[seed] for seed in both),
            "difference": float(gaps.mean()),
            "standard_error": float(standard_error(gaps)),
        }
    return result


def aims(rows: Sequence[Mapping[str, Any]], shape: str = DEFAULT_SHAPE) -> list[dict[str, Any]]:
    """For each aim: in how many rows of this shape it is met, and where it is not."""
    own = [row for row in rows if row["shape"] == shape]
    linear = {row["table"]: row for row in rows if row["shape"] == "linear" and row["kind"] == "linear"}
    compared = [row for row in own if row["botorch"] and row["botorch"]["people"] >= MIN_COMPARED_PEOPLE]
    return [
        _aim("the mean true distance is at most the stated one + 2 standard errors of the difference", own,
            lambda row: row["true"] - row["stated"] <= 2 * row["true_minus_stated_error"]),
        _aim(f"the share exactly right is within {MAX_GAP_OF_CHANCE:g} of the stated chance", own,
            lambda row: abs(row["right"] - row["stated_right"]) <= MAX_GAP_OF_CHANCE),
        _aim(f"linear people need at most {MAX_QUESTIONS_RATIO:g} times the questions of shape linear (median)",
            [row for row in own if row["kind"] == "linear" and row["table"] in linear],
            lambda row: questions_ratio(row, linear[row["table"]]) <= MAX_QUESTIONS_RATIO),
        *(_aim(f"after {number} answers the regret is at most BoTorch's + 2 standard errors, same people", compared,
            lambda row, key=str(number): row["botorch"][key]["difference"] <= 2 * row["botorch"][key]["standard_error"])
            for number in CHECKPOINTS),
    ]  # fmt: skip


def questions_ratio(row: Mapping[str, Any], linear: Mapping[str, Any]) -> float:
    """Questions at the stop, over those of shape linear."""
    return float(row["questions_median"] / linear["questions_median"])


def _aim(text: str, rows: Sequence[Mapping[str, Any]], met: Any) -> dict[str, Any]:
    missed = [f"{row['kind']} ({row['table']})" for row in rows if not met(row)]
    return {"aim": text, "rows": len(rows), "met_in": len(rows) - len(missed), "missed": missed}


def _mean(values: Iterable[float]) -> float | None:
    kept = list(values)
    return float(np.mean(kept)) if kept else None
