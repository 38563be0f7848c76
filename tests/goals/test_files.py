"""Every goal takes the path of a table."""

from __future__ import annotations

import pytest

import askwise
from askwise.data.tables import table
from askwise.errors import DataError
from askwise.exchange.files import write_table
from askwise.goals.base.registry import built_in


@pytest.mark.parametrize("name", sorted(built_in()))
def test_a_path_is_as_good_as_its_table(name, tmp_path):
    options = dict(built_in()[name].example)
    function = getattr(askwise, name)
    data = options.pop("data")
    write_table(table(data), tmp_path / "table.csv")
    made = function(str(tmp_path / "table.csv"), **options, seed=1)
    assert made.recipe == function(data, **options, seed=1).recipe
    with pytest.raises(DataError, match=r"there is no file .*gone\.csv; give a table"):
        function(tmp_path / "gone.csv", **options)


def test_files_that_are_no_table(tmp_path):
    (tmp_path / "cars.xlsx").write_bytes(b"PK")
    with pytest.raises(DataError, match="is not an Excel file"):
        askwise.best_item(tmp_path / "cars.xlsx")
    with pytest.raises(DataError, match="the path of the table is empty"):
        askwise.best_item("")
    with pytest.raises(DataError, match="there is no file tea, coffee"):
        askwise.best_item("tea, coffee")
    with pytest.raises(DataError, match="cannot be read"):
        askwise.best_item("tea, coffee" * 1000)
    with pytest.raises(DataError, match="there is no file"):
        askwise.best_item("tea\0coffee")
    with pytest.raises(DataError, match="a text is taken for a pool"):
        askwise.classifier(tmp_path / "gone.parquet")


def test_a_path_as_a_keyword_with_positional_options(tmp_path):
    (tmp_path / "drinks.csv").write_text("name,price\ntea,2\nmilk,1\nrum,9\n")
    assert askwise.top_k(tmp_path / "drinks.csv", 2).recipe["options"]["k"] == 2
    assert askwise.top_k(data=tmp_path / "drinks.csv", k=2).recipe["options"]["k"] == 2
