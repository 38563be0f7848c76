"""Columns of vectors: features whatever holds them, as heavy as one column, reduced once, and the same again."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import askwise
from askwise.data.encoding import encode, encode_like
from askwise.data.files import read
from askwise.data.tables import table
from askwise.data.vectors import MAX_DIRECTIONS, apply_vector_reading, principal_directions, vector_reading
from askwise.errors import DataError
from askwise.goals import goal_of

POINTS = np.random.default_rng(0).normal(size=(6, 4)).round(3)
NAMES = [f"item {letter}" for letter in "abcdef"]
PRICES = [1.0, 2.0, 3.0, 4.0, 5.0, 7.0]
PLAIN = {"name": NAMES, "price": PRICES, "v": POINTS.tolist()}
FORMS = {
    "a 2-D array as a column": lambda: {**PLAIN, "v": POINTS},
    "tuples": lambda: {**PLAIN, "v": [tuple(row) for row in POINTS.tolist()]},
    "rows": lambda: [dict(zip(PLAIN, row, strict=True)) for row in zip(*PLAIN.values(), strict=True)],
    "pandas, lists": lambda: pd.DataFrame(PLAIN),
    "pandas, arrays": lambda: pd.DataFrame({**PLAIN, "v": list(POINTS)}),
    "polars, lists": lambda: pl.DataFrame(PLAIN),
    "polars, arrays": lambda: pl.DataFrame(PLAIN, schema_overrides={"v": pl.Array(pl.Float64, 4)}),
    "pyarrow, fixed size": lambda: pa.table({**PLAIN, "v": pa.array(PLAIN["v"], pa.list_(pa.float64(), 4))}),
    "through JSON": lambda: json.loads(json.dumps(table(PLAIN))),
}


@pytest.mark.parametrize("form", FORMS)
def test_same_features_whatever_holds_the_vectors(form):
    assert encode(FORMS[form]()) == encode(PLAIN)


def test_a_vector_weighs_as_much_as_one_column():
    items = encode(PLAIN)
    assert items.columns == ("price", "v[1]", "v[2]", "v[3]", "v[4]")
    parts = np.square(items.features).mean(axis=0)
    assert parts[0] == pytest.approx(0.5)
    assert parts[1:].sum() == pytest.approx(0.5)
    centred = POINTS - POINTS.mean(axis=0)  # one scale for all: distances between vectors keep their proportions
    assert np.allclose(items.features[:, 1:] / items.features[0, 1], centred / centred[0, 0])


def test_vectors_of_any_size_of_numbers():
    for scale in (1e-300, 1e300):
        assert np.allclose(encode({**PLAIN, "v": POINTS * scale}).features, encode(PLAIN).features)


@pytest.mark.parametrize("shape", [(50, 200), (200, 50)])
def test_the_directions_are_principal_components(shape):
    points = np.random.default_rng(1).normal(size=shape) * np.linspace(3, 1, shape[1])
    centred = points - points.mean(axis=0)
    found = principal_directions(centred, 5)
    exact = np.linalg.svd(centred, full_matrices=False)[2][:5]
    assert np.allclose(np.abs(np.sum(found * exact, axis=1)), 1)
    assert np.allclose(found @ found.T, np.eye(5))
    assert (found[np.arange(5), np.abs(found).argmax(axis=1)] > 0).all()


def test_long_vectors_are_reduced_and_keep_their_distances():
    rng = np.random.default_rng(2)
    points = rng.normal(size=(60, 10)) @ rng.normal(size=(10, 300))  # ten directions say it all
    reading = vector_reading(points)
    kept = np.array(apply_vector_reading("v", list(points), reading))
    assert kept.shape == (60, 10)
    before, after = (np.linalg.norm(each[:, None] - each[None], axis=2) for each in (points, kept))
    assert np.allclose(before, after, atol=1e-4 * before.max())
    noisy = vector_reading(rng.normal(size=(60, 300)))
    assert len(noisy["directions"]) == MAX_DIRECTIONS


LONG = {"name": NAMES, "v": np.random.default_rng(3).normal(size=(6, 100)), "price": PRICES}


def test_a_study_keeps_what_it_reduced(tmp_path):
    session = askwise.best_item(LONG, seed=1)
    assert goal_of(session).summary(session).features == ["v (5 of 100 numbers)", "price"]
    assert goal_of(session).summary(session).columns == ["price"]  # nobody reads vectors
    session.tell("left", session.ask())
    askwise.save(session, tmp_path / "s.askwise")
    opened = askwise.open(tmp_path / "s.askwise")
    assert opened.ask() == session.ask()
    assert goal_of(opened).items(opened.recipe["data"]) == goal_of(session).items(session.recipe["data"])
    new = np.linspace(-1, 1, 100)
    opened.add_items({"name": ["new"], "v": [new], "price": [3]})
    kept = opened.pursued["data"]["v"][-1]
    reading = opened.recipe["options"]["readings"]["v"]
    assert kept == pytest.approx((new - reading["mean"]) @ np.transpose(reading["directions"]), abs=1e-4)
    with pytest.raises(DataError, match=r"'v' has a vector of 7 numbers in row 1; expected 100, as before"):
        opened.add_items({"name": ["odd"], "v": [[0.0] * 7], "price": [3]})
    with pytest.raises(DataError, match="'v' holds no vectors, as it did before; give vectors of 100 numbers"):
        opened.add_items({"name": ["odd"], "v": ["x"], "price": [3]})


def test_other_rows_are_reduced_alike():
    session = askwise.classifier(LONG, seed=1, draws=40)
    items = goal_of(session).items(session.recipe["data"])
    assert np.allclose(encode_like(LONG, items.encoding), items.features, atol=1e-5)


def test_missing_vectors_are_refused_or_imputed():
    data = {**PLAIN, "v": [None, *POINTS[1:]]}
    with pytest.raises(DataError, match=r"column 'v' has missing values, 1 of 6 \(row 1\)"):
        encode(data)
    items = encode(data, missing="impute")
    assert np.allclose(items.features[0, 1:], 0)
    session = askwise.best_item({**LONG, "v": [None, *LONG["v"][1:]]}, missing="impute", seed=1)
    assert session.recipe["data"]["v"][0] is None


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([[1.0, 2.0], [1.0]], "'v' has vectors of different lengths, 1 in row 2 and 2 in row 1; make them the same"),
        ([[1.0], [float("nan")]], "'v' has a vector with a number that is not finite in row 2; correct it"),
        ([[1.0], 2.0], "column 'v' holds list values; expected numbers"),
        ([["a"], ["b"]], "column 'v' holds list values; expected numbers"),
        ([[], []], "column 'v' holds list values; expected numbers"),
        ([[[1.0]], [[2.0]]], "column 'v' holds list values; expected numbers"),
        ([[1.0, 2.0]] * 2, "no column can be a feature: 'v' is constant"),
    ],
)
def test_odd_vectors_are_refused(values, words):
    with pytest.raises(DataError, match=words):
        encode({"name": ["a", "b"], "v": values})


@pytest.mark.parametrize("goal", [askwise.matrix, askwise.best_column])
def test_matrices_hold_no_vectors(goal):
    with pytest.raises(DataError, match="column 'x' holds vectors; the entries of a matrix are numbers"):
        goal({"name": ["a", "b"], "x": [[1.0], [2.0]], "y": [1.0, 2.0]})


def test_vectors_are_neither_names_nor_groups():
    with pytest.raises(DataError, match="the name column 'v' holds vectors; choose another with name="):
        encode(PLAIN, name="v")
    with pytest.raises(DataError, match="fair_on= needs a column with two values and none missing; 'v' holds vectors"):
        askwise.classifier(PLAIN, fair_on="v")
    with pytest.raises(DataError, match="column 'v' holds vectors; expected numbers or dates to sort by"):
        askwise.segments(PLAIN, "v")
    for option in ("image", "body", "audio"):
        assert len(encode({**PLAIN, "w": list("abcdef")}, **{option: "w"}).columns) == 5


def test_files_hold_vectors(tmp_path):
    pd.DataFrame(PLAIN).to_csv(tmp_path / "lists.csv", index=False)
    pd.DataFrame({**PLAIN, "v": list(POINTS)}).to_csv(tmp_path / "arrays.csv", index=False)
    pd.DataFrame(PLAIN).to_json(tmp_path / "lists.json")
    pd.DataFrame(PLAIN).to_json(tmp_path / "rows.jsonl", orient="records", lines=True)
    pq.write_table(FORMS["pyarrow, fixed size"](), tmp_path / "fixed.parquet")
    for path in sorted(tmp_path.iterdir()):
        assert encode(read(path).columns) == encode(PLAIN), path.name
    odd = tmp_path / "odd.csv"
    odd.write_text('name,note,x\na,[1],1\nb,"[2, 3]",2\nc,[draft],3\n')
    assert read(odd).columns["note"] == ["[1]", "[2, 3]", "[draft]"]


def test_an_array_beside_a_table_is_a_column(tmp_path):
    pd.DataFrame({"name": NAMES, "price": PRICES}).to_csv(tmp_path / "cars.csv", index=False)
    np.save(tmp_path / "cars.npy", POINTS)
    found = read(tmp_path / "cars.csv").columns
    assert found["cars.npy"] == POINTS.tolist()
    for array, words in (
        (POINTS[:5], r"has shape \(5, 4\)"),
        (POINTS[0], r"has shape \(4,\)"),
        (np.array(NAMES), "<U6"),
    ):
        np.save(tmp_path / "cars.npy", array)
        with pytest.raises(DataError, match=words):
            read(tmp_path / "cars.csv")
    np.save(tmp_path / "cars.npy", np.array([{}]), allow_pickle=True)
    with pytest.raises(DataError, match=r"cars\.npy is not an array of numbers, or it is damaged"):
        read(tmp_path / "cars.csv")


def test_questions_show_texts_and_no_vectors():
    session = askwise.best_item({**LONG, "note": ["red wine", "white wine", "tea", "mate", "ale", "rum"]},
                                embed="note", embed_model="ngrams", seed=1)  # fmt: skip
    assert goal_of(session).presentation(session.recipe["data"]).shown == ["price", "note"]
    assert {tuple(option.fields) for option in session.ask().options} == {("price", "note")}
