"""encode and table: one result whatever holds the data, and one clear sentence for what cannot be used."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.data.encoding import encode, encode_like, table
from askwise.errors import DataError, SettingError

CARS = Path(__file__).parents[2] / "examples" / "cars.csv"
SHOP = {
    "name": ["tea", "coffee", "cocoa", "water"],
    "price": [2.0, 3.0, 4.0, 0.5],
    "hot": [True, True, True, False],
    "made": [date(2024, 1, 1), date(2024, 1, 2), date(2024, 1, 3), date(2024, 1, 7)],
    "kind": ["leaf", "bean", "bean", "leaf"],
    "image": ["tea.png", None, "cocoa.png", None],
}
FORMS = {
    "pandas": pd.DataFrame,
    "pandas, named index": lambda data: pd.DataFrame(data).set_index("name"),
    "pandas, arrow types": lambda data: pd.DataFrame(data).convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.DataFrame,
    "polars, lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "list of dicts": lambda data: pl.DataFrame(data).to_dicts(),
    "arrays": lambda data: {column: np.array(values) for column, values in data.items()},
    "plain columns": table,
    "through JSON": lambda data: json.loads(json.dumps(table(data), allow_nan=False)),
}
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**70), 2**70)
cells = st.sampled_from([numbers, st.booleans(), st.dates(), st.sampled_from("abc")]).flatmap(
    lambda kind: st.lists(kind, min_size=8, max_size=8)
)
tables = st.dictionaries(st.sampled_from("pqrs"), cells, min_size=1)


@pytest.mark.parametrize("form", FORMS)
def test_same_items_whatever_holds_the_data(form):
    assert encode(FORMS[form](SHOP)) == encode(SHOP)


def test_items_of_a_small_table():
    items = encode(SHOP)
    assert items.names == ("tea", "coffee", "cocoa", "water")
    assert items.images == ("tea.png", None, "cocoa.png", None)
    assert items.columns == ("price", "hot", "made", "kind=bean", "kind=leaf")
    assert items.left_out == {"name": "is the name", "image": "is the image"}
    prices = np.array(SHOP["price"])
    assert items.features[:, 0] == pytest.approx((prices - prices.mean()) / prices.std() / 2)  # 4 columns, sqrt is 2
    days = np.array([0, 1, 2, 6])
    assert items.features[:, 2] == pytest.approx((days - days.mean()) / days.std() / 2)
    assert items.features[:, 4] == pytest.approx(np.array([1, -1, -1, 1]) / np.sqrt(2) / 2)


def test_one_category_column_weighs_as_much_as_one_number_column():
    items = encode({"x": range(8), "kind": list("aabbccca")})
    weight = (items.features**2).mean(axis=0)
    assert weight[0] == pytest.approx(0.5)
    assert weight[1:].sum() == pytest.approx(0.5)


@given(tables)
def test_features_are_centred_and_of_mean_squared_length_one(data):
    items = encode(data | {"steps": range(8)})
    assert len(items.columns) == items.features.shape[1]
    assert np.abs(items.features.mean(axis=0)).max() < 1e-6
    assert (items.features**2).sum(axis=1).mean() == pytest.approx(1)
    assert encode(json.loads(json.dumps(table(data | {"steps": range(8)}), allow_nan=False))) == items


@given(
    st.lists(st.integers(-1000, 1000), min_size=2, max_size=9, unique=True), st.sampled_from([2.0**-900, 0.5, 2.0**900])
)
def test_units_do_not_matter(values, unit):
    assert encode({"x": [value * unit for value in values]}) == encode({"x": values})


def test_cars_have_no_gaps_and_the_expected_features():
    items = encode(pl.read_csv(CARS))
    assert items == encode(pd.read_csv(CARS))
    assert len(items.names) == 93
    assert items.left_out == {"name": "is the name"}
    assert {"price", "weight", "manual", "type=van", "drive=front"} <= set(items.columns)


@pytest.mark.parametrize(
    "data",
    [
        ["tea", "milk"],
        ("tea", "milk"),
        np.array(["tea", "milk"]),
        {"name": ["tea", "milk"]},
        pd.Series(["tea", "milk"], index=[7, 8]),
        pl.Series("drink", ["tea", "milk"]),
    ],
)
def test_names_alone_are_items_without_features(data):
    items = encode(data)
    assert items.names == ("tea", "milk")
    assert items.features.shape == (2, 0)
    assert items.columns == ()


def test_array_columns_and_items_are_numbered():
    items = encode(np.array([[1, 2], [3, 5], [4, 4]]))
    assert items.names == ("item 1", "item 2", "item 3")
    assert items.columns == ("column 1", "column 2")


@pytest.mark.parametrize(
    ("columns", "names"),
    [
        ({"id": [7, 8], "Title": ["a", "b"]}, ("a", "b")),
        ({"id": [7, 8], "word": ["a", "b"]}, ("7", "8")),
        ({"day": ["2024-01-01", "2024-01-02"], "word": ["a", "b"]}, ("a", "b")),
        ({"kind": ["a", "a"]}, ("item 1", "item 2")),
        ({"item": [0.5, 1.5]}, ("item 1", "item 2")),
    ],
)
def test_name_column_is_guessed(columns, names):
    assert encode({**columns, "x": [1, 2]}).names == names


def test_name_and_image_can_be_chosen():
    items = encode(
        {"name": ["a", "a"], "code": [1, 2], "picture": ["1.png", "2.png"], "x": [1, 2]}, name="code", image="picture"
    )
    assert items.names == ("1", "2")
    assert items.images == ("1.png", "2.png")
    assert items.left_out["name"] == "is constant"


def test_unnamed_pandas_index_is_the_name_unless_it_counts_rows():
    frame = pd.DataFrame({"x": [1, 2]}, index=["a", "b"])
    assert encode(frame).names == ("a", "b")
    assert encode(frame.reset_index(drop=True).iloc[::-1]).names == ("item 1", "item 2")


def test_index_that_repeats_a_column_is_ignored():
    frame = pd.DataFrame(SHOP).set_index("name", drop=False)
    assert encode(frame) == encode(SHOP)


def test_features_are_taken_in_the_order_asked_and_the_rest_left_out():
    items = encode(SHOP, features=["hot", "price"])
    assert items.columns == ("hot", "price")
    assert items.left_out["kind"] == "is not in features"
    assert items.left_out["name"] == "is the name"
    assert encode(SHOP, features="price").columns == ("price",)
    assert encode(SHOP, features=[]).features.shape == (4, 0)


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([3, 3, 3, 3], "is constant"),
        ([0.1, None, 0.1, 0.1], "is constant"),
        ([None] * 4, "is empty"),
        (["good", "bad", "very bad", "bad"], "is free text"),
    ],
)
def test_columns_that_say_nothing_are_left_out(values, why):
    items = encode({"x": [1, 2, 3, 4], "name": list("abcd"), "odd": values})
    assert items.columns == ("x",)
    assert items.left_out["odd"] == why


def test_numbers_written_as_text_are_numbers():
    """As csv.DictReader gives them."""
    written = encode({"price": ["8.5", " 12", "-3e1", "7"], "sold": ["1", "2", "1", "2"]})
    meant = encode({"price": [8.5, 12.0, -30.0, 7.0], "sold": [1, 2, 1, 2]})
    assert written.columns == meant.columns == ("price", "sold")
    assert np.array_equal(written.features, meant.features)
    assert written.names[0] == "item 1"  # distinct numbers are no names


def test_distinct_integers_called_id_are_a_feature_only_when_asked_for():
    data = {"x": [1, 2, 4], "maker_id": [11, 12, 13]}
    assert encode(data).left_out == {"maker_id": "is an identifier"}
    assert encode(data, features=["x", "maker_id"]).columns == ("x", "maker_id")


def test_missing_values_are_imputed_when_asked():
    items = encode({"x": [1, None, 3, float("nan")], "kind": ["a", None, "a", " "]}, missing="impute")
    assert items.columns == ("x", "kind=a", "kind=missing")
    assert items.features[[1, 3], 0] == pytest.approx([0, 0])
    assert items.features[0, 2] == -items.features[1, 2]


def test_numbers_declared_as_categories_stay_categories():
    frame = pd.DataFrame({"doors": pd.Categorical([2, 4, 2, 4])})
    assert encode(frame).columns == ("doors=#2", "doors=#4")


@pytest.mark.parametrize(
    ("values", "plain"),
    [
        ([Decimal("1.5"), Decimal("NaN")], [1.5, None]),
        ([4, "rotary"], ["4", "rotary"]),
        ([np.float32(0.5), np.int8(3), np.bool_(True)], [0.5, 3, True]),
        ([pd.NA, pd.NaT, None, float("nan"), " "], [None] * 5),
        ([timedelta(hours=12)], [0.5]),
        ([np.datetime64("2024-05-01T12:00", "ns"), np.datetime64("NaT", "ns")], ["2024-05-01T12:00:00", None]),
        ([datetime(2024, 5, 1, tzinfo=UTC)], ["2024-05-01T00:00:00+00:00"]),
    ],
)
def test_table_is_plain(values, plain):
    result = table({"x": values})["x"]
    assert result == plain
    assert [type(value) for value in result] == [type(value) for value in plain]


@given(tables)
def test_the_same_rows_are_encoded_the_same_again(data):
    items = encode(data | {"steps": range(8)})
    assert np.array_equal(encode_like(data | {"steps": range(8)}, items.encoding), items.features)
    one = {column: values[3:4] for column, values in (data | {"steps": list(range(8))}).items()}
    assert np.array_equal(encode_like(one, items.encoding), items.features[3:4])


@pytest.mark.parametrize("form", FORMS)
def test_other_rows_are_encoded_whatever_holds_them(form):
    items = encode(SHOP)
    assert np.array_equal(encode_like(FORMS[form](SHOP), items.encoding), items.features)


def test_other_rows_are_measured_by_the_first_ones():
    items = encode({"x": [1, 2, 3, None], "kind": ["a", "b", None, "a"]}, missing="impute")
    found = encode_like({"kind": ["b", None], "x": [None, 7.0], "more": [1, 2]}, items.encoding)
    assert found[0, 0] == pytest.approx(0)
    assert found[1, 0] == pytest.approx(5 * items.features[2, 0])  # five steps above the mean, where 3 is one
    assert np.array_equal(found[:, 1:], items.features[[1, 2], 1:])
    assert encode_like(SHOP, encode(SHOP["name"]).encoding).shape == (4, 0)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"x": [1], "day": ["2024-01-01"]}, "the table lacks the column 'kind'; give all of 'x', 'day', 'kind'"),
        ({"x": [1], "day": ["2024-01-01"], "kind": ["c"]}, "'kind' has 'c' in row 1; expected one of 'a', 'b'"),
        ({"x": [None], "day": ["2024-01-01"], "kind": ["a"]}, r"'x' has missing values, 1 of 1 \(row 1\)"),
        ({"x": ["2024-01-01"], "day": ["2024-01-01"], "kind": ["a"]}, "'x' does not hold numbers, as it did before"),
        ({"x": [1], "day": [4], "kind": ["a"]}, "'day' does not hold dates, as it did before; give dates"),
        ({"x": ["many"], "day": ["2024-01-01"], "kind": ["a"]}, "'x' does not hold numbers"),
    ],
)
def test_other_rows_that_do_not_fit_are_refused(data, words):
    items = encode({"x": [1, 2, 3, 4], "day": [f"2024-01-0{i}" for i in range(1, 5)], "kind": list("abab")})
    with pytest.raises(DataError, match=words):
        encode_like(data, items.encoding)


GOOD = {"name": ["a", "b"], "x": [1, 2]}


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        (5, {}, "data of type int cannot become items; expected a dataframe"),
        (pd.Series([1, 2]), {}, "the list holds int; expected a dataframe"),
        ([], {}, "the table is empty"),
        ({}, {}, "the table is empty"),
        (pd.DataFrame(), {}, "the table is empty"),
        (pl.DataFrame({"x": []}), {}, "the table is empty"),
        (np.empty((0, 3)), {}, "the table is empty"),
        (np.arange(3), {}, r"the array has shape \(3,\) .* expected 2-D"),
        ([1, "a"], {}, "the list holds int, str; expected"),
        ([{"x": 1}], {}, "only one row; give at least two"),
        ([{"x": 1}, {"y": 1}], {}, "row 2 lacks the column 'x', unlike row 1; give every row the same"),
        ([{"x": 1}, {"x": 2, "y": 1}], {}, "row 2 has the column 'y', unlike row 1"),
        ({"x": [1, 2], "y": [1]}, {}, "'x' has 2 and 'y' has 1 values; make them the same"),
        ({"x": "ab"}, {}, "column 'x' is a str; give a list"),
        (pd.DataFrame([[1, 2]], columns=["x", "x"]), {}, "two columns .* same name; rename"),
        ({"x": [["a"], ["b"]]}, {}, "column 'x' holds list values; expected .* drop it"),
        ({"x": [time(1), time(2)]}, {}, "column 'x' holds time values"),
        ({"x": [1j, 2]}, {}, "column 'x' holds complex values"),
        ({"x": [1.0, float("inf"), -np.inf]}, {}, "column 'x' is infinite in rows 2, 3; .* correct"),
        ({"x": [1, 10**400]}, {}, "column 'x' is infinite in row 2"),
        (GOOD, {"name": "nam"}, "name= names the column 'nam', but the table has only 'name', 'x'"),
        (GOOD, {"image": "pic"}, "image= names the column 'pic'"),
        (GOOD, {"features": ["x", "y"]}, "features= names the column 'y'"),
        (GOOD, {"image": "x"}, "image column 'x' holds no texts; expected paths"),
        ({"name": ["a", "b", "a"], "x": [1, 2, 3]}, {}, "'a' is in rows 1 and 3 of column 'name'; give every item"),
        (["a", "a"], {}, "'a' is in rows 1 and 2"),
        ({"name": ["a", " "], "x": [1, 2]}, {}, "name column 'name' is empty in row 2; fill it"),
        ({"x": [1, None, 2, None, None, None]}, {}, r"'x' has missing values, 4 of 6 \(rows 2, 4, 5, ...\); fill"),
        ({"x": [1, 1], "y": ["z", "z"]}, {}, "no column can be a feature: 'x' is constant, 'y' is constant; add"),
        ({"name": list("abc"), "x": ["p", "q", "r"]}, {"features": ["x"]}, "3 different texts in 3 rows.* take it out"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(data, options, words):
    with pytest.raises(DataError, match=words):
        encode(data, **options)


def test_unknown_way_to_treat_missing_values():
    with pytest.raises(SettingError, match="missing is 'drop'; expected 'refuse' or 'impute'"):
        encode(GOOD, missing="drop")
