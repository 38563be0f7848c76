"""Broken tables: each becomes a study of every goal, or is refused; each study gets five answers and a report."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import askwise
from askwise.data.files import LoadedTable, read
from askwise.exchange.answers import answers_table
from askwise.goals import GOALS, goal_of
from askwise.report.page import page
from askwise.storage import close
from askwise.storage.address import Address
from askwise.storage.create import new_session, write_study
from benchmarks.faults.broken import (
    write_folder,
    write_json,
    write_lines,
    write_list,
    write_separated,
    write_spreadsheet,
)
from benchmarks.faults.broken_parquet import write_parquet, write_pool
from benchmarks.faults.common import Case, Outcome, attempt, case_rng, compare_answers, is_finite, random_response

WRITERS: tuple[tuple[str, Callable[[Path, random.Random], str]], ...] = (
    ("t.csv", write_separated),
    ("t.csv", write_separated),
    ("t.tsv", write_separated),
    ("t.jsonl", write_lines),
    ("t.ndjson", write_lines),
    ("t.parquet", write_parquet),
    ("t.parquet", write_parquet),
    ("pictures", write_folder),
    ("pool", write_pool),
    ("t.xlsx", write_spreadsheet),
    ("t.json", write_json),
    ("t.txt", write_list),
)
NAMES = sorted(GOALS)
BROKEN = 88 * len(WRITERS)  # files
COUNT = BROKEN * len(NAMES)
QUICK = 22
ANSWERS = 5
LABELS = (("no", "yes"), ("a", "b", "c"), ("0", "1"), ("s", "q"), ("é", "[b]"), ("left", "right"))


def case(seed: int, number: int) -> Case:
    """One file and one goal; the same file for all goals."""
    goal = NAMES[number % len(NAMES)]
    file = number // len(NAMES)
    name, _ = WRITERS[file % len(WRITERS)]
    return Case(f"{name} number {file}, {goal}", lambda folder, outcome: _run(seed, file, goal, folder, outcome))


def warm_up(folder: Path) -> None:
    """One plain study of each goal."""
    path = folder / "t.csv"
    path.write_text("name,x,y\na,1,2\nb,2,1\nc,4,2\nd,3,3\n")
    for goal in NAMES:
        study(goal, path, random.Random(0), folder, Outcome())


def _run(seed: int, file: int, goal: str, folder: Path, outcome: Outcome) -> None:
    name, writer = WRITERS[file % len(WRITERS)]
    said = writer(folder / name, case_rng(seed, "file", file))
    study(goal, folder / name, case_rng(seed, f"table {goal}", file), folder, outcome, said)


def study(goal: str, path: Path, rng: random.Random, folder: Path, outcome: Outcome, said: str = "") -> None:
    """From the file to a study of that goal, its answers and its page."""
    encoding = rng.choice(("latin-1", "utf-16", "no-such")) if rng.random() < 0.08 else "utf-8"
    found = attempt(outcome, f"read: {said}", lambda: read(path, encoding=encoding, header=rng.random() > 0.05))
    if not found.done:
        outcome.refused += found.refusal is not None
        return
    options = _options(goal, found.value, rng)
    address = Address.of(folder / "study.askwise")

    def new() -> None:
        session = new_session(goal, found.value, options)
        assert session.recipe is not None
        json.dumps([goal_of(session).sentences(session), goal_of(session).summary(session).as_dict()])
        write_study(address, session.recipe, found.value.media)

    made = attempt(outcome, f"new {options}: {said}", new)
    outcome.refused += made.refusal is not None
    if made.done:
        outcome.accepted += 1
        _answered(address, rng, outcome, said)


def _options(goal: str, data: LoadedTable, rng: random.Random) -> dict[str, Any]:
    """Options that suit most tables; now and then some that suit few."""
    options: dict[str, Any] = {"draws": 30, "seed": rng.randrange(5)}
    columns = list(data.columns)
    if rng.random() < 0.6 and goal not in ("best_column", "matrix") and data.columns:
        options["missing"] = "impute"
    if goal == "group_item":
        options["people"] = ["Ann", "Ben"]
    if goal in ("top_k", "top_ranking"):
        options["k"] = rng.choice((1, 2, 2, 3))
    if goal in ("segment_of", "segments"):
        options["column"] = rng.choice(columns or ["age"])
    if goal in ("cluster_of", "segment_of"):
        named = data.columns.get("name") or ["item 1"]
        options["item"] = str(rng.choice(named))
    if goal == "classifier":
        options["labels"] = list(rng.choice(LABELS))
        if rng.random() < 0.2 and columns:
            options["fair_on"] = rng.choice(columns)
    if rng.random() < 0.1 and goal not in ("best_column", "matrix") and columns:
        options |= {"embed": [rng.choice(columns)], "embed_model": "ngrams"}
    if rng.random() < 0.15 and columns:
        options[rng.choice(("name", "features"))] = rng.choice(columns)
        if goal in ("best_column", "matrix"):
            options.pop("features", None)
        elif "features" in options:
            options["features"] = [options["features"]]
    return options


def _answered(address: Address, rng: random.Random, outcome: Outcome, said: str) -> None:
    """Five answers to the study on disk, which must all be there afterwards, and the page of it."""
    opened = attempt(outcome, f"open: {said}", lambda: askwise.open(address.where))
    if not opened.done:
        return _fail_late_refusal(outcome, opened.refusal, f"open: {said}")
    session, given = opened.value, []
    for _ in range(ANSWERS):
        asked = attempt(outcome, f"ask: {said}", session.ask)
        if not asked.done:
            break  # there may be fewer questions than that
        response = random_response(asked.value, rng)
        answered = attempt(outcome, f"tell {response!r}: {said}", lambda: session.tell(response, asked.value))  # noqa: B023
        if not answered.done:
            _fail_late_refusal(outcome, answered.refusal, f"tell {response!r}: {said}")
            break
        given.append((asked.value.id, response))
    attempt(outcome, f"close: {said}", lambda: close(session))
    again = attempt(outcome, f"open again: {said}", lambda: askwise.open(address.where))
    if not again.done:
        return _fail_late_refusal(outcome, again.refusal, f"open again: {said}")
    compare_answers(outcome, given, again.value.log)
    _shown(again.value, outcome, said)


def _shown(session: Any, outcome: Outcome, said: str) -> None:
    """The page, the table of answers and the numbers that people see."""
    drawn = attempt(outcome, f"report: {said}", lambda: page(session).encode())
    _fail_late_refusal(outcome, drawn.refusal, f"report: {said}")
    attempt(outcome, f"answers: {said}", lambda: answers_table(session))
    known = attempt(outcome, f"certificate: {said}", lambda: [session.diameter, session.certificate().upper_bound])
    if known.done:
        outcome.expect(all(map(is_finite, known.value)), "tracebacks", f"not a number: {known.value}: {said}")
    session.journal.store.close()


def _fail_late_refusal(outcome: Outcome, refusal: Exception | None, what: str) -> None:
    """A study that was made must work: a refusal now comes too late."""
    if refusal is not None:
        outcome.fail("tracebacks", f"refused only after the study was made, {what}", refusal)
