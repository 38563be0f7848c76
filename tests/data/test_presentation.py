"""What is shown of a row: telling columns first, those that were chosen, and rows of logs that do not name them."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import askwise
from askwise.data.encoding import encode
from askwise.data.presentation import MAX_DEFAULT_FIELDS, Presentation, differing_columns
from askwise.data.telling import MIN_DIFFERENT, MIN_NEW, most_telling
from askwise.errors import DataError
from askwise.types import Option
from tests.helpers import generator


def presentation(table, show=None, **options):
    return Presentation(table, partial(encode, table, **options), show)


def test_cars_show_what_buyers_ask_for():
    rows = askwise.example("cars")
    table = {column: [car[column] for car in rows] for column in rows[0]}
    assert presentation(table).shown == [
        "type", "price", "mpg_city", "airbags", "drive", "cylinders", "horsepower", "manual"
    ]  # fmt: skip


def test_columns_that_others_predict_come_last():
    """The share that is left of a column, against a regression by hand."""
    rng = generator(1801)
    rows = 200
    one, two = rng.standard_normal((2, rows))
    for noise in 0.2, 0.9:
        mixed = one + two + noise * rng.standard_normal(rows)
        table = {"one": one.tolist(), "two": two.tolist(), "mixed": mixed.tolist(), "last": rng.random(rows).tolist()}
        design = np.stack([np.ones(rows), one, two], axis=1)
        left = mixed - design @ np.linalg.lstsq(design, mixed, rcond=None)[0]
        new = left.var() / mixed.var() * (rows - 1) / (rows - 3) >= MIN_NEW
        order = ["one", "two", "mixed", "last"] if new else ["one", "two", "last", "mixed"]
        assert most_telling(table, encode(table), 4) == order
        assert new == (noise == 0.9)


def test_columns_in_which_most_rows_are_alike_come_last():
    for odd in 2, 8:
        table = {"rare": [i < odd for i in range(40)], "size": [float(i) for i in range(40)]}
        differ = 1 - (odd * (odd - 1) + (40 - odd) * (39 - odd)) / (40 * 39)
        assert (differ >= MIN_DIFFERENT) == (odd == 8)
        assert most_telling(table, encode(table), 2)[0] == ("rare" if odd == 8 else "size")


def test_many_columns_of_a_series_are_for_machines():
    pixels = {f"pixel{i}": generator(1802, i).random(20).tolist() for i in range(MAX_DEFAULT_FIELDS + 1)}
    table = {"name": [f"n{i}" for i in range(20)], **pixels, "size": [float(i) for i in range(20)]}
    assert presentation(table).shown == ["size"]
    assert presentation(table, ["pixel3"]).shown == ["pixel3"]


def test_texts_stand_for_the_numbers_made_of_them():
    table = {"name": ["a", "b", "c", "d"], "review": ["good", "fine", "bad", "poor"], "review 1": [0.1, 0.4, 0.2, 0.9]}
    assert presentation(table).shown == ["review"]


def test_unknown_columns_are_refused_in_a_sentence():
    for goal in askwise.best_item, askwise.clusters, askwise.hierarchy, askwise.classifier:
        with pytest.raises(
            DataError, match=r"^show= names the column 'prize', but the table has only 'name', 'price'$"
        ):
            goal({"name": ["a", "b", "c"], "price": [1, 2, 3]}, show=["prize"])


def test_options_are_completed_also_those_of_earlier_versions():
    table = {"name": ["tea", "milk", "rum"], "price": [2, 1, 9]}
    present = presentation(table)
    old = Option("rum"), Option("tea")
    assert [(option.row, option.fields) for option in present(old, "pair", [0, 2])] == [
        (2, {"price": "9"}), (0, {"price": "2"})
    ]  # fmt: skip
    assert present([Option("?")], "label", 1)[0].fields == {"price": "1"}
    assert present([Option("water")], "pair", [0, 1])[0].fields == {}
    assert presentation(table, [])(old, "pair", [0, 2])[0] == Option("rum", row=2)


def test_rows_of_a_pool_come_from_the_disk(tmp_path):
    columns = {"size": [float(i) for i in range(3000)], "note": [f"n{i}" for i in range(3000)]}
    pq.write_table(pa.table({"name": columns["note"], **columns}), tmp_path / "rows.parquet", row_group_size=500)
    session = askwise.classifier(tmp_path / "rows.parquet", features=["size"], show=["note", "size"], draws=40, seed=1)
    option = session.pose(2718).options[0]
    assert (option.row, option.fields) == (2718, {"note": "n2718", "size": "2718"})
    with pytest.raises(DataError, match="'odd', but the table has only"):
        askwise.classifier(tmp_path / "rows.parquet", features=["size"], show=["odd"], draws=40)


def test_columns_differ_unless_all_options_agree():
    shown = [Option(name, fields={"x": "1", "y": y}) for name, y in (("a", "1"), ("b", "1"), ("c", "2"))]
    assert differing_columns(shown) == {"y"}
    assert differing_columns(shown[:2]) == differing_columns([]) == set()
