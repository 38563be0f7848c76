"""Strategies tried on a matrix that is known: most entries are hidden, and questions are answered from the table.

Each run hides other entries, the same for every strategy. Entries that the table lacks cannot be asked. The error of an
estimate is measured against the table, over what the answers have cost.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from askwise._runtime.processes import end_pool, spawn
from askwise._runtime.streams import stream
from askwise.data.tables import Columns
from askwise.distances.columns import SCORES
from askwise.errors import DataError, NothingToAsk, SettingError
from askwise.exchange.plates import Plates, plates_by, plates_from
from askwise.goals import GOALS, goal_class
from askwise.goals.base.entries import EntryGoal
from askwise.goals.base.matrices import find_name, matrix_columns, read_matrix
from askwise.options import number, parts, refusal, whole_number
from askwise.session import Session
from askwise.session.plates import questions_cost
from askwise.simulate.curves import mean_curve
from askwise.strategies import strategy
from askwise.structures.matrices import MAX_ENTRIES, Matrices
from askwise.types import Bools, Floats

GRID_POINTS = 40  # costs at which errors are compared
WHOLE_PLATES = ", whole plates"  # after the name of a strategy
MAX_RUNS = 10_000
Progress = Callable[[int, int], Any]  # runs finished, runs in all
Job = tuple[str, bool, int]  # a strategy, whether it asks whole plates, and the run
Path = list[tuple[float, float]]  # what the answers have cost by then, and the error


@dataclass(frozen=True)
class KnownTable:
    """A matrix that is known but for some entries, what is sought in it, and how it is sought."""

    columns: Columns
    goal: str
    options: Mapping[str, Any]
    hide: float
    questions: int
    seed: int
    plates: str | Mapping[str, Sequence[Any]] | None = None

    def read(self) -> tuple[str | None, list[str], list[str], Floats]:
        """The column of the row names, the names of rows and columns, and the entries, NaN where there is none."""
        return read_matrix(self.columns, self.options.get("name"))


def backtest(
    data: Any,
    goal: str = "best_column",
    *,
    rules: Sequence[str] = ("expected", "random"),
    hide: float = 0.9,
    runs: int = 5,
    questions: int = 100,
    plates: str | Mapping[str, Sequence[Any]] | None = None,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress = lambda finished, total: None,
    **options: Any,
) -> dict[str, Any]:
    """How the error of each strategy falls with the cost of the answers, on a matrix that is known.

    - `data`: the matrix, as the goal takes it. Entries that are missing cannot be asked.
    - `goal`: `best_column` or `matrix`.
    - `rules`: the strategies, by name.
    - `hide`: the share of the known entries that is hidden at the start.
    - `runs`: how often other entries are hidden.
    - `questions`: answers per run, at most.
    - `plates`: also try whole plates: "rows", "columns", or a table with the columns plate, row and column.
    - `seed`: the same seed gives the same numbers.
    - `workers`: processes, by default one per core.
    - `progress`: called with the runs finished and how many there are.
    - `options`: of the goal. By default, `entry_range` is that of the whole table.

    >>> table = {"tea": [3.0, 3.5, 2.5], "milk": [1.0, 1.5, None], "beer": [2.0, 2.0, 1.0]}
    >>> found = backtest(table, rules=["random"], runs=2, questions=4, workers=1, draws=16, rank=1)
    >>> found["arms"]["random"]["mean"][0] >= 0, found["known"], found["missing"]
    (True, 8, 1)
    """
    number("hide", hide, above=0, at_most=1)
    whole_number("questions", questions, at_least=1)
    whole_number("runs", runs, at_least=1, at_most=MAX_RUNS)
    whole_number("seed", seed, at_least=0)
    kind = goal_class(goal)
    if not issubclass(kind, EntryGoal):
        raise refusal("goal", goal, "'best_column' or 'matrix'")
    if not isinstance(options.get("score", "mean"), str):
        raise refusal("score", options["score"], "'mean', 'max' or 'min'")
    table = KnownTable(matrix_columns(data), kind.goal_name, _with_range(data, options), hide, questions, seed, plates)
    names = list(dict.fromkeys(parts("rules", rules, "a list of strategies")))
    _check(table, names)
    ways = (False,) if plates is None else (False, True)
    jobs = [(rule, whole, run) for whole in ways for rule in names for run in range(runs)]
    paths: dict[str, list[Path]] = {}
    for (rule, whole, _), path in zip(jobs, _paths(table, jobs, workers or os.cpu_count() or 1, progress), strict=True):
        paths.setdefault(rule + WHOLE_PLATES * whole, []).append(path)
    return {**_facts(table), "runs": runs, **compare(paths)}


def compare(paths: Mapping[str, Sequence[Path]]) -> dict[str, Any]:
    """Errors of each arm at the same costs, as means over the runs, and their differences to the first arm.

    >>> found = compare({"a": [[(0.0, 1.0), (2.0, 0.5)]], "b": [[(0.0, 1.0), (1.0, 0.8), (2.0, 0.0)]]})
    >>> found["costs"], found["arms"]["a"]["mean"], found["arms"]["b"]["minus_first"][-1]
    ([0.0, 1.0, 2.0], [1.0, 1.0, 0.5], [-0.5, 0.0])
    """
    most = min(path[-1][0] for runs in paths.values() for path in runs)
    reached = sorted({cost for runs in paths.values() for path in runs for cost, _ in path if cost <= most})
    places = np.linspace(0, len(reached) - 1, min(len(reached), GRID_POINTS)).round().astype(int)
    costs = [reached[place] for place in places]
    errors = {
        arm: np.array([[_error_at(path, cost) for cost in costs] for path in runs]) for arm, runs in paths.items()
    }
    first = next(iter(errors.values()))
    arms = {}
    for arm, curves in errors.items():
        apart = curves - first
        spread = apart.std(axis=0, ddof=1) / np.sqrt(len(apart)) if len(apart) > 1 else np.zeros(len(costs))
        pairs = zip(apart.mean(axis=0).tolist(), spread.tolist(), strict=True)
        arms[arm] = {**mean_curve(curves), "minus_first": [list(pair) for pair in pairs]}
    return {"costs": costs, "arms": arms}


def run_once(table: KnownTable, rule: str, whole_plates: bool, run: int) -> Path:
    """One run of one strategy: the error before the first question and after each answer or plate.

    >>> columns = {"tea": [3.0, 3.5, 2.5], "milk": [1.0, 1.5, None]}
    >>> run_once(KnownTable(columns, "best_column", {"draws": 8, "rank": 1}, 0.9, 9, 0), "random", False, 0)[-1]
    (4.0, 0.0)
    """
    label, row_names, column_names, entries = table.read()
    known = np.argwhere(~np.isnan(entries))
    order = stream(table.seed, run, "hidden").permutation(len(known))
    hidden = known[order[: max(1, round(table.hide * len(known)))]]
    shown = entries.copy()
    shown[tuple(hidden.T)] = np.nan
    names = {} if label is None else {label: row_names}
    columns = {name: [None if np.isnan(v) else float(v) for v in shown[:, j]] for j, name in enumerate(column_names)}
    can_ask = np.zeros(entries.shape, dtype=bool)
    can_ask[tuple(hidden.T)] = True
    session = hidden_session(table, names | columns, can_ask, rule, MAX_RUNS * table.seed + run)
    error = error_measure(table, entries, can_ask)
    plates = _plates(session, table.plates) if whole_plates else None
    spent, path = 0.0, [(0.0, error(session))]
    while len(session.answers) < table.questions:
        try:
            questions = [session.ask()] if plates is None else session.ask(plates=plates)
        except NothingToAsk:
            break
        for question in questions:
            session.tell(float(entries[tuple(question.atom)]), question)
        spent += questions_cost(session.problem.family, np.array([question.atom for question in questions]))
        path.append((spent, error(session)))
    return path


def hidden_session(table: KnownTable, columns: Columns, can_ask: Bools, rule: str, seed: int) -> Session:
    """A session about what is shown of the table. Only the hidden entries can be asked: the table has no others."""
    goal = goal_class(table.goal)(**{**table.options, "seed": seed}).checked()
    parts = goal.build(columns)
    known: Any = parts.problem.family
    family = Matrices(known.shape, known.row_names, known.column_names, known.costs, can_ask)
    prior: Any = parts.prior
    return Session(
        replace(parts.problem, family=family),
        replace(prior, family=family),
        rule=rule,
        seed=seed,
        draws=goal.draws,
        candidates=parts.candidates,
        describe=parts.describe,
    )


def error_measure(table: KnownTable, entries: Floats, hidden: Bools) -> Callable[[Session], float]:
    """How wrong an estimate is, in the units of the entries: what the column gives up in score, or the mean absolute
    error of the hidden entries."""
    _, row_names, column_names, _ = table.read()
    rows = [find_name("row", row, row_names) for row in table.options.get("rows") or row_names]
    if table.goal == "matrix":
        counted = hidden[rows] if hidden[rows].any() else ~np.isnan(entries[rows])
        truth = entries[rows][counted]
        return lambda session: float(np.abs(session.estimate().structure["matrix"][rows][counted] - truth).mean())
    score = SCORES[table.options.get("score", "mean")]
    scores = np.array([score(_present(entries[rows, j])[None, :, None])[0, 0] for j in range(len(column_names))])
    return lambda session: float(scores.max() - scores[column_names.index(session.estimate().value)])


def _present(column: Floats) -> Floats:
    return column[~np.isnan(column)]


def _error_at(path: Path, cost: float) -> float:
    """The error once the answers have cost so much."""
    return [error for spent, error in path if spent <= cost][-1]


def _plates(session: Session, plates: Any) -> Plates:
    return plates_by(session, plates) if isinstance(plates, str) else plates_from(session, plates)


def _with_range(data: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options, with the range of the whole table unless one is given."""
    *_, entries = read_matrix(matrix_columns(data), options.get("name"))
    wide = float(np.nanmax(entries) - np.nanmin(entries)) if not np.isnan(entries).all() else 0.0
    return {**({"entry_range": wide} if wide > 0 else {}), **options}


def _check(table: KnownTable, rules: Sequence[str]) -> None:
    """Refuses what no run could do, before any is started."""
    _, row_names, column_names, entries = table.read()
    if entries.size > MAX_ENTRIES:
        raise DataError(f"a matrix may have up to {MAX_ENTRIES:,} entries, got {entries.size:,}; leave some out")
    rows = [find_name("row", row, row_names) for row in table.options.get("rows") or row_names]
    empty = [name for name, column in zip(column_names, entries[rows].T, strict=True) if np.isnan(column).all()]
    if empty:
        raise DataError(f"nothing is known of the column {empty[0]!r}, so no estimate can be judged; leave it out")
    if not rules:
        raise SettingError("rules is empty; name at least one strategy")
    unknown = {name: [None] * len(row_names) for name in column_names}
    session = GOALS[table.goal](unknown, **{**table.options, "rows": None, "name": None, "draws": 2})
    for rule in rules:
        strategy(rule, session.problem)
    if isinstance(table.plates, str):
        plates_by(session, table.plates)


def _facts(table: KnownTable) -> dict[str, Any]:
    *_, entries = table.read()
    known = int((~np.isnan(entries)).sum())
    facts = {"goal": table.goal, "rows": entries.shape[0], "columns": entries.shape[1], "known": known}
    return {
        **facts,
        "missing": entries.size - known,
        "hide": table.hide,
        "questions": table.questions,
        "seed": table.seed,
        "options": dict(table.options),
    }


def _paths(table: KnownTable, jobs: Sequence[Job], workers: int, progress: Progress) -> list[Path]:
    """What each job gives, on so many processes."""
    progress(0, len(jobs))
    if workers == 1:
        found = []
        for job in jobs:
            found.append(run_once(table, *job))
            progress(len(found), len(jobs))
        return found
    pool = ProcessPoolExecutor(min(workers, len(jobs)), mp_context=spawn)
    try:
        futures = [pool.submit(run_once, table, *job) for job in jobs]
        for finished, _ in enumerate(as_completed(futures), 1):
            progress(finished, len(jobs))
        return [future.result() for future in futures]
    finally:
        end_pool(pool)
