"""best_column: what data it takes, what it answers, how it is saved, what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from askwise.errors import DataError, SettingError
from askwise.goals import best_column, from_json, remake
from tests.helpers import generator

TABLE = {"who": ["Ann", "Ben", "Cy"], "tea": [3.0, None, 4.0], "milk": [None, 1.0, None], "beer": [None, None, 2.0]}
SMALL = {"draws": 16, "rank": 1, "seed": 3}


def test_it_finds_the_best_column():
    rng = generator(1)
    truth = rng.standard_normal((6, 1)) + np.arange(5.0) / 2 + 0.3 * rng.standard_normal((6, 5))
    session = best_column((6, 5), rank=1, budget=28, epsilon=0.02, seed=1)
    while not session.done:
        question = session.ask()
        session.tell(truth[tuple(question.atom)] + 0.1 * rng.standard_normal())
    assert session.estimate().value == f"column {truth.mean(axis=0).argmax() + 1}"
    assert f"choosing {session.estimate()} gives up" in str(session.certificate())


def test_common_units_speak_of_scores():
    own, common = best_column(TABLE, **SMALL), best_column(TABLE, units="common", **SMALL)
    assert common.problem.distance.entry_range == 3.0  # 4 - 1, of the known entries
    loss = common.certificate().expected_distance
    assert f"choosing {common.estimate()} gives up {3 * loss:.3g} of the score of the best column" in str(
        common.certificate()
    )
    old = {name: value for name, value in own.recipe["options"].items() if name not in ("units", "entry_range")}
    assert remake({**own.recipe, "options": old}).ask() == own.ask()  # studies made before there was a choice
    again = from_json(common.to_json())
    assert again.problem.distance.entry_range == 3.0


@pytest.mark.parametrize("rows", [["Ann", "Cy"], [0, 2]])
def test_present_entries_are_known_and_not_asked(rows):
    session = best_column(TABLE, rows=rows, known=[("Ben", "tea", 2.5), (2, 1, 0.5)], **SMALL)
    assert sorted(session.prior.values) == [0.5, 1.0, 2.0, 2.5, 3.0, 4.0]
    asked = {tuple(question.atom) for question in session.ask(9)}
    assert asked == {(0, 1), (0, 2), (1, 2)}
    assert session.problem.distance.rows.tolist() == [0, 2]
    assert session.problem.family.row_names == ("Ann", "Ben", "Cy")
    assert session.problem.family.column_names == ("tea", "milk", "beer")


@pytest.mark.parametrize("data", [np.array([[1.0, np.nan], [np.nan, 2.0]]), [[1.0, None], [None, 2.0]]])
def test_arrays_and_lists(data):
    session = best_column(data, **SMALL)
    assert session.problem.family.column_names == ("column 1", "column 2")
    assert session.prior.values.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("data", "options"),
    [
        (TABLE, {"rows": ("Ann", "Ben"), "costs": np.ones((3, 3)), "known": [("Ben", "tea", 1.5)]}),
        ((3, 4), {"score": "max", "row_features": np.eye(3)[:, :1], "decimals": 1}),
    ],
)
def test_json_round_trip(data, options):
    session = best_column(data, **SMALL, **options)
    session.ask()
    session.tell("2.25")
    again = from_json(session.to_json())
    assert again.ask() == session.ask()
    assert again.log[:2] == session.log[:2]
    assert np.array_equal(again.sample.structures, session.sample.structures)


def test_a_score_of_one_s_own_has_no_recipe():
    session = best_column(TABLE, score=lambda some: some.max(axis=1) - some.min(axis=1), **SMALL)
    assert session.recipe is None
    assert session.ask().kind == "number"


def test_costs_are_respected():
    costs = np.full((4, 5), 50.0)
    costs[2, 3] = 0.5
    assert best_column((4, 5), costs=costs, **SMALL).ask().atom == [2, 3]


@pytest.mark.parametrize(
    ("data", "options", "error", "words"),
    [
        ((0, 3), {}, DataError, "at least one row and two columns"),
        ((3, 1), {}, DataError, "needs at least two columns of numbers, got 1"),
        ((10**30, 2), {}, DataError, "at most 100,000 entries"),
        ([[1.0, 2.0], [3.0]], {}, DataError, "differ in length"),
        ([["x", 2.0], [3.0, 1.0]], {}, DataError, "not a number"),
        ({**TABLE, "city": ["x", "y", "z"]}, {}, DataError, "holds texts"),
        ({**TABLE, "who": ["Ann", None, "Cy"]}, {}, DataError, "name them all"),
        ({**TABLE, "who": ["Ann", "Ann", "Cy"]}, {}, DataError, "different names"),
        (TABLE, {"name": "nobody"}, DataError, "no column 'nobody'"),
        (TABLE, {"rows": ["Dan"]}, SettingError, "no row 'Dan'"),
        (TABLE, {"rows": [True]}, SettingError, "rows is True; expected a whole number"),
        (TABLE, {"known": [("Ann", "gin", 1.0)]}, SettingError, "no column 'gin'"),
        (TABLE, {"known": [("Ann", "milk", "much")]}, SettingError, "'milk' is 'much'; expected a number"),
        (TABLE, {"known": [("Ann", "milk")]}, SettingError, "a row, a column and a value"),
        (TABLE, {"score": "median"}, SettingError, "expected 'mean', 'max' or 'min'"),
        (TABLE, {"units": "shared"}, SettingError, "units is 'shared'; expected 'own' or 'common'"),
        (TABLE, {"costs": 0}, SettingError, "positive finite"),
        (TABLE, {"rule": "best"}, SettingError, "there is no strategy"),
        (TABLE, {"epsilon": 2}, SettingError, "epsilon is 2.0; expected a number above 0 and at most 1"),
        (TABLE, {"budget": 0}, SettingError, "budget"),
    ],
)
def test_bad_input_is_one_sentence(data, options, error, words):
    with pytest.raises(error, match=words) as refused:
        best_column(data, **SMALL, **options)
    assert "\n" not in str(refused.value)
