"""The scikit-learn classifier that learns by asking."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

import askwise
from askwise.errors import DataError, SettingError
from tests.helpers import generator

pytest.importorskip("sklearn", reason="NOT RUN: scikit-learn is missing; pip install 'askwise[sklearn]'")

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from askwise.exchange.estimator import AskwiseClassifier

X = generator(970).normal(size=(60, 2))
Y = np.where(X @ [1.0, -2.0] > 0.3, "yes", "no")


def truth(question):
    return str(Y[question.options[0].row])


@pytest.mark.parametrize("shape", ["linear", "learned"])
def test_it_learns_by_asking_about_few_rows(shape):
    model = AskwiseClassifier(draws=200, shape=shape).fit(X, oracle=truth, labels=["yes", "no"], budget=20)
    assert model.run_.answers <= 20
    assert (model.predict(X) == Y).mean() >= 0.9
    assert model.classes_.tolist() == ["no", "yes"]
    assert pickle.loads(pickle.dumps(model)).predict(X).tolist() == model.predict(X).tolist()


def test_it_believes_what_follows_from_the_rows_it_asked_about():
    rows = []

    def oracle(question):
        rows.append(question.options[0].row)
        return truth(question)

    model = AskwiseClassifier(draws=4000, shape="linear", prior_scale=2.0)
    model.fit(X, oracle=oracle, labels=["no", "yes"], budget=10)
    other = AskwiseClassifier(draws=4000, shape="linear", prior_scale=2.0).fit(X, Y)
    other._learn(X, np.array(rows), (Y[rows] == "yes").astype(int), seed=3)
    found, expected = (each.predict_proba(X)[:, 1] for each in (model, other))
    error = np.sqrt(2 * expected * (1 - expected) / 4000)  # at most, of a mean of chances
    assert (np.abs(found - expected) / error).max() < 4


def test_it_is_the_last_step_of_a_pipeline():
    frame = pd.DataFrame(X, columns=["length", "width"])
    pipeline = make_pipeline(StandardScaler(), AskwiseClassifier(draws=100))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        options = {"oracle": truth, "labels": ["no", "yes"], "budget": 12}
        pipeline.fit(frame, **{f"askwiseclassifier__{name}": value for name, value in options.items()})
        assert (pipeline.predict(frame) == Y).mean() > 0.8


def test_it_warns_about_names_of_features_only_if_they_are_missing():
    frame = pd.DataFrame(X, columns=["length", "width"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        asked = AskwiseClassifier(draws=50).fit(frame, oracle=truth, labels=["no", "yes"], budget=4)
        told = AskwiseClassifier(draws=50).fit(frame, Y)
        for model in (asked, told):
            assert model.feature_names_in_.tolist() == ["length", "width"]
            model.predict(frame)
    for model in (asked, told):
        with pytest.warns(UserWarning, match="X does not have valid feature names"):
            model.predict(X)


def test_three_labels_of_which_one_never_comes():
    model = AskwiseClassifier(draws=50, shape="linear")
    model.fit(X, oracle=lambda question: int(truth(question) == "yes"), labels=[2, 0, 1], budget=6)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict_proba(X).shape == (60, 3)
    assert set(model.predict(X).tolist()) <= {0, 1, 2}


def test_one_answer_is_enough_and_none_is_not():
    model = AskwiseClassifier(draws=50, shape="linear").fit(X, oracle=truth, labels=["no", "yes"], budget=1)
    assert model.predict_proba(X).shape == (60, 2)
    with pytest.raises(DataError, match="the oracle gave no answer"):
        AskwiseClassifier(draws=50).fit(X, oracle=lambda question: None, labels=["no", "yes"], budget=2)


def test_a_budget_may_be_money():
    oracle = lambda question: askwise.Reply(truth(question), cost=2.0)  # noqa: E731
    model = AskwiseClassifier(draws=50, shape="linear").fit(X, oracle=oracle, labels=["no", "yes"], budget={"cost": 6})
    assert (model.run_.answers, model.run_.cost) == (3, 6.0)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"oracle": truth}, "an oracle needs labels"),
        ({"oracle": truth, "labels": ["no"]}, "two different labels"),
        ({"oracle": truth, "labels": ["no", 1]}, "only texts or only numbers"),
        ({"oracle": truth, "labels": ["no", "yes"], "y": Y}, "give y or an oracle, not both"),
        ({"labels": ["no", "yes"], "y": Y}, "labels and budget are for an oracle"),
        ({}, "requires y to be passed, but the target y is None"),
    ],
)
def test_what_does_not_fit_together_is_refused(options, sentence):
    with pytest.raises(ValueError, match=sentence) as refused:
        AskwiseClassifier().fit(X, **options)
    assert isinstance(refused.value, SettingError) or not options
