"""The page of `askwise backtest`: strategies compared on a matrix that is known."""

from __future__ import annotations

from typing import Any

from askwise.goals.base.charts import Table
from askwise.goals.base.texts import percent, plural
from askwise.report.charts import Curves, Line
from askwise.report.templating import render

SHOWN_SHARES = (0.25, 0.5, 0.75, 1.0)  # of the cost, at which the table has errors
ERRORS = {
    "best_column": "How much less the chosen column scores than the best one, by the whole table.",
    "matrix": "How far the entries that were hidden at the start are off on average.",
}


def backtest_page(found: dict[str, Any], title: str) -> str:
    """The page as HTML: the curves of all strategies, their errors as a table, and what was done.

    >>> from askwise.simulate.backtest import backtest
    >>> table = {"tea": [3.0, 3.5, 2.5], "milk": [1.0, 1.5, 1.0]}
    >>> found = backtest(table, rules=["random"], runs=1, questions=2, workers=1, draws=8, rank=1)
    >>> "<h1>tastes.csv</h1>" in backtest_page(found, "tastes.csv")
    True
    """
    curves = Curves(
        "the error of each strategy over what the answers cost",
        "what the answers have cost",
        [
            Line(name, [list(zip(found["costs"], arm["mean"], strict=True))]) for name, arm in found["arms"].items()
        ],
    )  # fmt: skip
    return render("backtest.html", title=title, lead=ERRORS[found["goal"]], setup=setup_sentence(found), curves=curves,
                  errors=errors_table(found), differences=differences_table(found))  # fmt: skip


def setup_sentence(found: dict[str, Any]) -> str:
    """What was done.

    >>> setup_sentence({"rows": 3, "columns": 2, "known": 5, "missing": 1, "hide": 0.9, "runs": 4, "questions": 9})
    'A table of 3 rows and 2 columns. 5 entries are known; 1 is missing and was not asked. Each of 4 runs hid 90 % ...
    """
    missing = found["missing"]
    one = missing == 1
    lacking = f"; {missing:,} {'is' if one else 'are'} missing and {'was' if one else 'were'} not asked"
    size = f"A table of {plural(found['rows'], 'row')} and {plural(found['columns'], 'column')}."
    known = f"{found['known']:,} entries are known{lacking if missing else ''}."
    runs = f"Each of {found['runs']} runs" if found["runs"] > 1 else "One run"
    asked = f"and up to {found['questions']} of them were asked"
    return f"{size} {known} {runs} hid {percent(found['hide'])} of the known entries, {asked}."


def errors_table(found: dict[str, Any]) -> Table:
    """The mean error of each strategy at a few costs, with 68 % intervals."""
    places = shown_places(found["costs"])
    rows = tuple(
        (name, *(f"{arm['mean'][i]:.3g} ({arm['low'][i]:.3g} to {arm['high'][i]:.3g})" for i in places))
        for name, arm in found["arms"].items()
    )
    headings = ("strategy", *(f"at cost {found['costs'][i]:.4g}" for i in places))
    return Table("Errors", headings, rows, numeric=tuple(range(1, len(headings))))


def differences_table(found: dict[str, Any]) -> Table:
    """How much larger the error of each strategy is than that of the first, on the same hidden entries."""
    places, (first, *others) = shown_places(found["costs"]), found["arms"]
    rows = tuple(
        (name, *("{:+.3g} ({:.2g})".format(*found["arms"][name]["minus_first"][i]) for i in places)) for name in others
    )
    headings = (f"less {first}", *(f"at cost {found['costs'][i]:.4g}" for i in places))
    return Table("Differences", headings, rows, numeric=tuple(range(1, len(headings))))


def shown_places(costs: list[float]) -> list[int]:
    """Where the costs reach a quarter, half, three quarters and all of the largest.

    >>> shown_places([0.0, 1.0, 2.0, 3.0, 4.0])
    [1, 2, 3, 4]
    """
    wanted = [share * costs[-1] for share in SHOWN_SHARES]
    return sorted({next(i for i, cost in enumerate(costs) if cost >= limit - 1e-9) for limit in wanted})
