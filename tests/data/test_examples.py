"""The tables that ship with the package: complete, and ready for the job that the list names."""

from __future__ import annotations

import csv
import io

import pytest

import askwise
from askwise.data.examples import EXAMPLES, example_text
from askwise.data.files import read
from askwise.errors import SettingError
from askwise.evaluate import Runs

GOALS = {
    "cars": lambda rows: askwise.best_item(rows, draws=40),
    "laptops": lambda rows: askwise.top_k(rows, 5, draws=40),
    "places": lambda rows: askwise.group_item(rows, ["Ann", "Ben"], draws=40),
    "messages": lambda rows: askwise.clusters(rows, draws=16),
    "records": lambda rows: askwise.cluster_of(rows, "R1", name="id", features=["city"], draws=16),
    "screen": lambda rows: askwise.best_column(rows, entry_range=5, draws=16),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_python_and_the_command_give_the_same_table(name, tmp_path):
    (tmp_path / f"{name}.csv").write_text(example_text(name), encoding="utf-8")
    columns = read(tmp_path / f"{name}.csv").columns
    rows = askwise.example(name)
    assert rows == [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    assert len(rows) == len(list(csv.reader(io.StringIO(example_text(name))))) - 1


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_table_says_how_large_it_is(name):
    rows, what = askwise.example(name), EXAMPLES[name]
    counts = {
        "screen": f"{len(rows)} cell lines by {len(rows[0]) - 1} drugs",
        "replies": f"three systems to {len({row.get('prompt') for row in rows})} prompts",
    }
    assert counts.get(name, f"{len(rows)} ") in what


@pytest.mark.parametrize("name", GOALS)
def test_goals_accept_the_rows(name):
    assert GOALS[name](askwise.example(name)).ask().options


def test_the_replies_are_runs():
    runs = Runs.of(askwise.example("replies"))
    assert (len(runs.systems), len(runs.replies)) == (3, 12)


@pytest.mark.parametrize("name", ["boats", "../cars", "", None, 3])
def test_another_name_is_refused_with_the_names_there_are(name):
    with pytest.raises(SettingError, match=r"there is no example .*; the examples are cars, laptops, "):
        askwise.example(name)
