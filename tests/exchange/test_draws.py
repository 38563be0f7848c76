"""Posterior draws have the names of the table and are what the posterior says."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import askwise
from askwise.data.encoding import encode
from askwise.errors import SettingError
from askwise.exchange.draws import draw_structures, draws_table
from tests.exchange.sessions import SESSIONS, SMALL, TABLE, answer_questions

COLUMNS = {
    "best_item": [f"utility[{name}]" for name in "abcdefgh"],
    "best_item, linear": [
        *(f"utility[{name}]" for name in "abcdefgh"),
        *(f"weight[{name}]" for name in ("size", "kind=bus", "kind=car", "kind=van")),
    ],
    "names alone": [f"utility[{name}]" for name in "abcdefgh"],
    "classifier": [f"score[{name}]" for name in "abcdefgh"],
    "classifier, linear": [f"weight[{name}]" for name in ("size", "kind=bus", "kind=car", "kind=van", "intercept")],
    "clusters": [f"cluster[{name}]" for name in "abcdefgh"],
    "hierarchy": ["tree"],
    "best_column": ["entry[Ann x x]", "entry[Ann x y]", "entry[Ben x x]", "entry[Ben x y]", "noise"],
}


@pytest.mark.parametrize("goal", COLUMNS)
def test_draws_have_the_names_of_the_table(goal):
    session = answer_questions(SESSIONS[goal](), 3)
    table = draws_table(session, 30)
    assert list(table) == COLUMNS[goal]
    assert {len(column) for column in table.values()} == {30}
    assert draws_table(session, 30) == table  # the same every time


@pytest.mark.parametrize("goal", ["best_item, linear", "appeal of their own"])
def test_utilities_are_features_times_weights_and_what_is_an_item_s_own(goal):
    session = answer_questions(SESSIONS[goal](), 5)
    draws, items = pd.DataFrame(draws_table(session, 50)), encode(TABLE)
    weights = draws[[f"weight[{column}]" for column in items.columns]].to_numpy()
    own = 0.5 * draw_structures(session, 50)[:, 4:] if goal == "appeal of their own" else 0.0
    utilities = draws[[f"utility[{name}]" for name in items.names]].to_numpy()
    assert utilities == pytest.approx(weights @ items.features.T + own)


def test_clusters_trees_and_entries_follow_the_answers():
    clusters = askwise.clusters(TABLE["name"], noise=0.001, **SMALL)
    question = clusters.pose([0, 3])
    clusters.tell("same", question)
    draws = draws_table(clusters, 200)
    together = np.mean([one == two for one, two in zip(draws["cluster[a]"], draws["cluster[d]"], strict=True)])
    assert together > 0.95
    hierarchy = askwise.hierarchy(["cat", "dog", "an eel"], noise=0.0, **SMALL)
    hierarchy.ask()
    hierarchy.tell("an eel")
    assert set(draws_table(hierarchy, 20)["tree"]) == {"((cat,dog),'an eel');"}
    session = SESSIONS["best_column"]()
    structures, draws = draw_structures(session, 20), draws_table(session, 20)
    assert draws["entry[Ben x x]"] == structures["matrix"][:, 1, 0].tolist()
    assert draws["noise"] == pytest.approx(1 / np.sqrt(structures["precision"]))


def test_a_session_built_by_hand_has_numbered_features():
    session = askwise.best_item({"x": [1.0, 2.0, 4.0]}, shape="linear", rule=lambda *args: None, draws=20)
    assert list(draws_table(session, 5))[-1] == "weight[feature 1]"


def test_no_draws_are_refused():
    with pytest.raises(SettingError, match="draws must be at least 1, got 0"):
        draws_table(SESSIONS["best_item"](), 0)
