"""The same number of rows at most in Python and at the command, for what is new; what was saved opens."""

from __future__ import annotations

import pytest

import askwise
from askwise.data.files import read
from askwise.errors import DataError
from askwise.goals import GOALS, goals
from askwise.storage.create import new_session


def rows(count):
    return {"size": [float(i) for i in range(count)], "age": [float(i % 7) for i in range(count)]}


def few(goal, monkeypatch, most=9):
    monkeypatch.setattr(goals()[goal], "max_rows", most)
    needed = {name: value for name, value in goals()[goal].example.items() if name != "data"}
    return {**needed, **({"item": 0} if "item" in needed else {}), "seed": 1, "draws": 8}


@pytest.mark.parametrize("goal", sorted(GOALS))
def test_python_and_the_command_take_the_same_rows(goal, monkeypatch, tmp_path):
    options = few(goal, monkeypatch)
    GOALS[goal](rows(9), **options)
    with pytest.raises(DataError, match=rf"^{goal} takes up to 9 rows, got 10; give a part of them$"):
        GOALS[goal](rows(10), **options)
    table = tmp_path / "table.csv"
    for count in (9, 10):
        columns = rows(count)
        lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
        table.write_text("\n".join(lines))
        if count == 9:
            new_session(goal, read(table), options)
        else:
            with pytest.raises(DataError, match=r"table\.csv has 10 rows; .* takes up to 9"):
                new_session(goal, read(table), options)


def test_what_was_saved_opens_whatever_its_size(monkeypatch, tmp_path):
    session = askwise.best_item(rows(12), seed=1, draws=8)
    askwise.save(session, tmp_path / "study.askwise")
    monkeypatch.setattr(goals()["best_item"], "max_rows", 9)
    assert askwise.open(tmp_path / "study.askwise").ask().atom == session.ask().atom
    assert askwise.from_json(session.to_json()).ask().atom == session.ask().atom
    with pytest.raises(DataError, match="takes up to 9 rows"):  # and nothing is left switched off
        askwise.best_item(rows(12), seed=1, draws=8)


def test_another_goal_takes_no_more_rows_than_a_new_one(monkeypatch):
    session = askwise.best_item(rows(12), seed=1, draws=8)
    monkeypatch.setattr(goals()["ranking"], "max_rows", 9)
    with pytest.raises(DataError, match="ranking takes up to 9 rows, got 12"):
        askwise.change_goal(session, "ranking")
    assert session.log == []
    monkeypatch.setattr(goals()["best_item"], "max_rows", 9)
    askwise.change_goal(session, "best_item", epsilon=0.2)  # the goal it has already
