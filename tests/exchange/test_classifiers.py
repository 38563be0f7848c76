"""A classifier's predictions are averages over the draws."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, softmax

from askwise.data.encoding import encode
from askwise.errors import SettingError
from askwise.exchange.classifiers import predictions_table
from askwise.exchange.draws import draws_table
from tests.exchange.sessions import SESSIONS, TABLE, answer_questions


@pytest.mark.parametrize(
    "goal", ["classifier", "classifier, linear", "classifier of three", "classifier of three, linear"]
)
def test_predictions_are_what_the_draws_say(goal):
    session = answer_questions(SESSIONS[goal](), 6)
    draws, items = pd.DataFrame(draws_table(session)), encode(TABLE)
    features = [*items.columns, "intercept"]
    points = np.column_stack([items.features, np.ones(8)])
    linear = goal.endswith("linear")
    if "three" not in goal:
        labels = ["no", "yes"]
        scores = draws[[f"weight[{name}]" for name in features]].to_numpy() @ points.T if linear else draws.to_numpy()
        chances = expit(scores)
        expected = np.column_stack([1 - chances.mean(axis=0), chances.mean(axis=0)])
    else:
        labels = ["red", 2, "blue"]
        columns = (
            [f"weight[{{}} x {name}]" for name in features] if linear else [f"score[{{}} x {n}]" for n in "abcdefgh"]
        )
        scores = [draws[[column.format(label) for column in columns]].to_numpy() for label in labels]
        scores = [each @ points.T for each in scores] if linear else scores
        expected = softmax(scores, axis=0).mean(axis=1).T
    table = predictions_table(session)
    assert list(table) == ["name", "label", *(f"probability[{label}]" for label in labels)]
    assert np.column_stack([table[f"probability[{label}]"] for label in labels]) == pytest.approx(expected, abs=1e-5)
    assert table["name"] == TABLE["name"]
    assert table["label"] == [labels[place] for place in expected.argmax(axis=1)]


def test_only_a_classifier_predicts():
    with pytest.raises(SettingError, match="only a classifier predicts labels"):
        predictions_table(SESSIONS["best_item"]())
