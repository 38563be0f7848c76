"""Backtests: what is hidden and asked, how errors are measured, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

import askwise
from askwise.errors import AskwiseError
from askwise.goals.best_column import BestColumnGoal
from askwise.report.backtest import backtest_page, differences_table, errors_table
from askwise.simulate.backtest import KnownTable, backtest, compare, error_measure, run_once
from tests.helpers import generator

SMALL = {"draws": 16, "rank": 1}


def table_of(entries, name="who"):
    rows = {name: [f"r{i}" for i in range(len(entries))]}
    return rows | {f"c{j}": [None if np.isnan(v) else float(v) for v in column] for j, column in enumerate(entries.T)}


ENTRIES = generator(1).standard_normal((5, 4)).round(2) + np.arange(4.0)
ENTRIES[0, 1] = ENTRIES[3, 2] = np.nan


@pytest.mark.parametrize(
    "plates", [None, "rows", {"plate": [1, 1, 2], "row": ["r1", "r2", "r0"], "column": ["c0", "c1", "c1"]}]
)
def test_only_hidden_entries_are_asked_and_the_table_answers(monkeypatch, plates):
    sessions = []
    tell = askwise.Session.tell

    def watched(self, response, question):
        sessions.append(self)
        tell(self, response, question)

    monkeypatch.setattr(askwise.Session, "tell", watched)
    table = KnownTable(table_of(ENTRIES), "best_column", SMALL, 0.75, 99, 3, plates)
    path = run_once(table, "expected" if plates is None else "random", plates is not None, run=2)
    session = sessions[-1]
    asked = [tuple(answer.atom) for answer in session.answers]
    assert all(answer.response == ENTRIES[tuple(answer.atom)] for answer in session.answers)
    shown = {(int(i), int(j)) for i, j in session.prior.answered}
    known = {(i, j) for i, j in np.ndindex(5, 4) if not np.isnan(ENTRIES[i, j])}
    assert len(shown) == len(known) - round(0.75 * len(known))
    assert len(set(asked)) == len(asked) == path[-1][0]
    if isinstance(plates, dict):
        assert set(asked) == {(1, 0), (2, 1)} - shown  # (0, 1) is missing
    else:
        assert set(asked) == known - shown  # all of them, in the end
    if plates == "rows":
        assert len(path) - 1 <= 5


def test_what_is_hidden_is_the_same_for_every_strategy_and_differs_between_runs(monkeypatch):
    table = KnownTable(table_of(ENTRIES), "best_column", SMALL, 0.6, 1, 0)
    seen, real = [], BestColumnGoal.build
    monkeypatch.setattr(BestColumnGoal, "build", lambda goal, columns: seen.append(columns) or real(goal, columns))
    for rule, run in (("random", 0), ("variance", 0), ("random", 1)):
        run_once(table, rule, False, run)
    assert seen[0] == seen[1] != seen[2]


@pytest.mark.parametrize("score", ["mean", "max", "min"])
def test_the_error_of_a_column_is_what_it_gives_up(score):
    table = table_of(ENTRIES)
    session = askwise.best_column(table, score=score, **SMALL, repeat=True)
    chosen = int(session.estimate().value[1:])
    plain = {"mean": np.nanmean, "max": np.nanmax, "min": np.nanmin}[score]
    for rows in (None, ["r0", "r2"]):
        some = ENTRIES if rows is None else ENTRIES[[0, 2]]
        scores = [plain(column) for column in some.T]
        known = KnownTable(table, "best_column", {"score": score, "rows": rows}, 0.9, 1, 0)
        assert error_measure(known, ENTRIES, np.ones((5, 4), bool))(session) == pytest.approx(
            max(scores) - scores[chosen]
        )


def test_the_error_of_a_matrix_is_that_of_the_hidden_entries():
    table = table_of(ENTRIES)
    session = askwise.matrix(table, **SMALL, repeat=True)
    hidden = np.zeros((5, 4), bool)
    hidden[0, 0] = hidden[4, 3] = True
    estimate = session.estimate().structure["matrix"]
    off = [abs(estimate[i, j] - ENTRIES[i, j]) for i, j in ((0, 0), (4, 3))]
    assert error_measure(KnownTable(table, "matrix", {}, 0.9, 1, 0), ENTRIES, hidden)(session) == pytest.approx(
        np.mean(off)
    )


def test_arms_are_compared_at_the_same_cost():
    """Step functions: an error holds until the next answer."""
    paths = {
        "a": [[(0.0, 4.0), (1.0, 2.0), (2.0, 1.0)], [(0.0, 2.0), (1.0, 2.0), (2.0, 2.0)]],
        "b": [[(0.0, 4.0), (2.0, 3.0), (4.0, 0.0)], [(0.0, 2.0), (2.0, 1.0), (4.0, 0.0)]],
    }
    found = compare(paths)
    assert found["costs"] == [0.0, 1.0, 2.0]  # as far as all went
    assert found["arms"]["a"]["mean"] == [3.0, 2.0, 1.5]
    assert found["arms"]["b"]["mean"] == [3.0, 3.0, 2.0]
    mean, error = found["arms"]["b"]["minus_first"][2]
    assert mean == 0.5
    assert error == pytest.approx(np.std([2.0, -1.0], ddof=1) / np.sqrt(2))


def test_costs_are_added_up():
    table = table_of(ENTRIES[:, [0, 3]])
    found = backtest(table, rules=["random"], runs=1, questions=99, hide=1, workers=1, costs=[1.0, 4.0], **SMALL)
    assert found["costs"][-1] == 5 * 1.0 + 5 * 4.0
    assert found["arms"]["random"]["mean"][-1] == 0  # everything is known in the end


def test_processes_give_the_same_numbers_and_the_page_shows_them():
    options = {"rules": ["expected", "random"], "plates": "columns", "runs": 2, "questions": 6, **SMALL}
    steps = []
    found = backtest(table_of(ENTRIES), "matrix", workers=1, progress=lambda *step: steps.append(step), **options)
    assert steps[-1] == (8, 8)
    assert json.loads(json.dumps(found)) == backtest(table_of(ENTRIES), "matrix", workers=2, **options)
    assert list(found["arms"]) == ["expected", "random", "expected, whole plates", "random, whole plates"]
    assert (found["known"], found["missing"]) == (18, 2)
    assert found["options"]["entry_range"] == pytest.approx(np.nanmax(ENTRIES) - np.nanmin(ENTRIES))
    page = backtest_page(found, "<screen>.csv")
    assert "&lt;screen&gt;.csv" in page
    assert page.count("random, whole plates") >= 2
    assert "18 entries are known; 2 are missing and were not asked." in page
    assert len(errors_table(found).rows) == 4
    assert differences_table(found).headings[0] == "less expected"
    assert len(differences_table(found).rows) == 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"goal": "ranking"}, "goal is 'ranking'; expected 'best_column' or 'matrix'"),
        ({"goal": "best"}, "there is no goal 'best'"),
        ({"rules": ["qbc"]}, "qbc"),
        ({"rules": []}, "rules is empty"),
        ({"rules": ["best"]}, "there is no strategy"),
        ({"hide": 0}, "hide is 0"),
        ({"runs": 0}, "runs is 0"),
        ({"questions": 0}, "questions is 0"),
        ({"plates": "drugs"}, "plates is 'drugs'; expected 'rows' or 'columns'"),
        ({"score": max}, "score is"),
        ({"rows": ["nobody"]}, "no row 'nobody'"),
        ({"data": {"a": [1.0, None], "b": [None, None], "c": [2.0, 1.0]}}, "nothing is known of the column 'b'"),
    ],
)
def test_bad_input_is_one_sentence(options, words):
    with pytest.raises(AskwiseError, match=words) as refused:
        backtest(**{"data": table_of(ENTRIES), "workers": 1, **SMALL, **options})
    assert "\n" not in str(refused.value)
