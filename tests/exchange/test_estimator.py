"""The scikit-learn classifier against integration and importance sampling, scikit-learn's own checks, and its study."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import expit

import askwise
from askwise.errors import DataError, SettingError
from askwise.exchange.classifiers import predictions_table
from askwise.losses import logistic
from askwise.posteriors.scores.logconcave import PRIOR_SCALES, LogConcave
from askwise.structures.linear import LinearPool
from askwise.types import Answer
from tests.helpers import SEED, generator
from tests.pools import points, write_pool

pytest.importorskip("sklearn", reason="NOT RUN: scikit-learn is missing; pip install 'askwise[sklearn]'")

from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from askwise.exchange.estimator import AskwiseClassifier, update_at_once

TABLE = {
    "name": [f"row {i}" for i in range(40)],
    "size": generator(950).normal(size=40).tolist(),
    "made": [f"2024-01-{1 + i % 28:02}" for i in range(40)],
    "kind": [("car", "van", "bus")[i % 3] for i in range(40)],
}


@parametrize_with_checks([AskwiseClassifier(draws=50)])
def test_it_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


# ---------------------------------------------------------------------- fit, against exact answers


def labelled(count=25):
    rng = generator(951)
    x = rng.normal(3.0, 2.0, count)
    return x[:, None], np.where(rng.random(count) < expit(2 * (x - 3)), "yes", "no")


def integrated(x, y, new, scales, weights):
    """P(yes) of new points by a sum over a fine grid of slopes and intercepts, for each scale."""
    z, added = ((each[:, 0] - x.mean()) / x.std() for each in (x, new))
    signs = np.where(y == "yes", 1.0, -1.0)
    evidence, chances = [], []
    for scale in scales:
        axis = scale * np.linspace(-6, 6, 301)
        slope, intercept = axis[:, None], axis[None, :]
        log_density = -(slope**2 + intercept**2) / (2 * scale**2)
        for point, sign in zip(z, signs, strict=True):
            log_density = log_density - np.logaddexp(0, -sign * (slope * point + intercept))
        density = np.exp(log_density)
        evidence.append(density.mean())
        share = [(density * expit(slope * point + intercept)).sum() / density.sum() for point in added]
        chances.append(share)
    return np.average(chances, axis=0, weights=np.multiply(evidence, weights))


NEW = np.array([[2.0], [3.0], [4.0], [5.0]])
FAR = np.array([[-2.0], [9.0]])


@pytest.mark.parametrize("scale", [1.5, 6.0])
def test_probabilities_are_integrals_over_the_posterior(scale):
    x, y = labelled()
    model = AskwiseClassifier(scale, draws=4000, random_state=SEED, shape="linear").fit(x, y)
    points = np.column_stack([(NEW - x.mean()) / x.std(), np.ones(4)])
    error = expit(model.draws_[:, 1] @ points.T).std(axis=0) / np.sqrt(4000)
    found = model.predict_proba(NEW)
    assert (np.abs(found[:, 1] - integrated(x, y, NEW, [scale], [1.0])) / error).max() < 4
    assert found.sum(axis=1) == pytest.approx(np.ones(4))
    # far from the data a probability stands on few draws, which know it less well than their spread says
    assert np.abs(model.predict_proba(FAR)[:, 1] - integrated(x, y, FAR, [scale], [1.0])).max() < 3e-3


def test_the_scale_is_integrated_over_too():
    x, y = labelled()
    exact = integrated(x, y, NEW, PRIOR_SCALES, PRIOR_SCALES / (1 + (PRIOR_SCALES / 5) ** 2))
    models = [AskwiseClassifier(random_state=100 * SEED + i, shape="linear").fit(x, y) for i in range(12)]
    found = np.array([model.predict_proba(NEW)[:, 1] for model in models])
    assert (np.abs(found.mean(axis=0) - exact) / (found.std(axis=0, ddof=1) / np.sqrt(12))).max() < 4


def test_three_classes_against_draws_of_the_prior():
    """With few answers the prior itself can be reweighted, exactly but for noise that is known."""
    rng = generator(952)
    x, y = np.array([[0.0], [1.0], [2.0], [4.0]]), np.array(["a", "b", "b", "c"])
    z = np.column_stack([(x - x.mean()) / x.std(), np.ones(4)])
    weights = 2.0 * rng.standard_normal((400_000, 3, 2))
    shares = np.exp(weights @ z.T)
    shares /= shares.sum(axis=1, keepdims=True)  # (S, K, T)
    likelihood = shares[:, [0, 1, 1, 2], np.arange(4)].prod(axis=1)
    likelihood /= likelihood.sum()
    exact = np.einsum("s,skt->tk", likelihood, shares)
    spread = np.einsum("s,skt->tk", likelihood, np.square(shares)) - exact**2
    model = AskwiseClassifier(2.0, draws=4000, random_state=SEED, shape="linear").fit(x, y)
    error = np.sqrt(spread * (np.square(likelihood).sum() + 1 / 600))  # chains, of which draws are made, are 600
    assert (np.abs(model.predict_proba(x) - exact) / error).max() < 4


def answered(rng, count, size):
    points = np.column_stack([rng.standard_normal((count, size)), np.ones(count)])
    points[: count // 4] = points[-(count // 4) :]  # the same rows again
    return points, np.where(rng.random(count) < expit(2 * points[:, 0]), 1.0, -1.0)


@pytest.mark.parametrize(("count", "size"), [(12, 2), (60, 6), (10, 15)])
def test_answers_at_once_are_answers_one_by_one(count, size):
    rng = generator(953, count)
    points, responses = answered(rng, count, size)
    one_by_one = prior = LogConcave.prior(LinearPool(points), logistic, 1.0, 2.0)
    for place, response in enumerate(responses):
        one_by_one = one_by_one.update(Answer(place, response), rng)
    at_once = update_at_once(prior, points, responses, rng)
    assert at_once.answers == count
    assert len(at_once.evidence.rows) == len(one_by_one.evidence.rows)
    weights = rng.standard_normal((50, size + 1))
    potentials = [each.evidence.potential(weights @ each.evidence.basis) for each in (at_once, one_by_one)]
    assert potentials[0] == pytest.approx(potentials[1], rel=1e-5)
    draws = [each.sample(20_000, rng).structures for each in (at_once, one_by_one)]
    error = np.sqrt((draws[0].var(axis=0) + draws[1].var(axis=0)) / 20_000)
    assert (np.abs(draws[0].mean(axis=0) - draws[1].mean(axis=0)) / error).max() < 4
    assert draws[0].std(axis=0) / draws[1].std(axis=0) == pytest.approx(np.ones(size + 1), abs=0.05)


def test_the_learned_scale_is_the_same_at_once():
    rng = generator(954)
    points, responses = answered(rng, 80, 5)
    one_by_one = prior = LogConcave.prior(LinearPool(points), logistic)
    for place, response in enumerate(responses):
        one_by_one = one_by_one.update(Answer(place, response), rng)
    at_once = [update_at_once(prior, points, responses, rng) for _ in range(8)]
    scales = np.array([np.log(each.diagnostics()["scale"]) for each in at_once])
    assert abs(scales.mean() - np.log(one_by_one.diagnostics()["scale"])) < 4 * scales.std(ddof=1)


def test_constant_columns_and_huge_units_do_not_matter():
    x, y = labelled()
    plain = AskwiseClassifier().fit(x, y).predict_proba(x)
    dressed = np.column_stack([np.full(len(x), 0.1), 1e100 * x, np.full(len(x), 7.0)])
    model = AskwiseClassifier().fit(dressed, y)
    assert model.predict_proba(dressed) == pytest.approx(plain, abs=0.03)


@pytest.mark.parametrize("shape", ["linear", "learned"])
@pytest.mark.parametrize("unit", [1e-300, 1e300, 2.0**1022])
def test_the_unit_of_a_column_does_not_matter_however_large_or_small(unit, shape):
    X, y = np.array([[-1.5, 0], [-1, 1], [0.5, 0], [1.5, 1]]), ["no", "no", "yes", "yes"]
    usual, other = (
        AskwiseClassifier(shape=shape, draws=200).fit(data, y).predict_proba(data) for data in (X, X * [unit, 1])
    )
    np.testing.assert_allclose(other, usual, rtol=1e-6)


@pytest.mark.parametrize("shape", ["linear", "learned"])
def test_rows_far_from_all_others_have_probabilities(shape):
    model = AskwiseClassifier(shape=shape, draws=200).fit([[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"])
    far = model.predict_proba([[1e300], [-1e308]])
    np.testing.assert_allclose(far.sum(axis=1), 1.0)
    assert np.isfinite(far).all()


def test_the_random_state_decides_the_draws():
    x, y = labelled()
    first, again, other = (AskwiseClassifier(random_state=seed).fit(x, y).predict_proba(x) for seed in (3, 3, 4))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


# ---------------------------------------------------------------------- to_sklearn


def study(labels=("no", "yes"), count=25, **options):
    """A classifier told the truth, which the size decides."""
    session = askwise.classifier(TABLE, labels, seed=5, draws=100, **options)
    cuts = np.quantile(TABLE["size"], np.linspace(0, 1, len(labels) + 1)[1:-1])
    for _ in range(count):
        place = TABLE["name"].index(session.ask().options[0].name)
        session.tell(labels[int(np.searchsorted(cuts, TABLE["size"][place]))])
    return session


@pytest.fixture(scope="module", params=[("no", "yes"), ("yes", "no", "maybe")], ids=["two labels", "three labels"])
def session(request):
    return study(request.param, shape="linear")


def test_a_learned_shape_goes_on_to_rows_never_seen():
    """Inside or outside of a circle: the study's own rows as it knows them, and new ones as well."""
    rng = generator(956)
    rows, others = rng.uniform(-1, 1, (2, 120, 2))
    truth, unseen = ((found**2).sum(axis=1) < 0.6 for found in (rows, others))
    session = askwise.classifier({"x": rows[:, 0].tolist(), "y": rows[:, 1].tolist()}, ("out", "in"), seed=2, draws=200)
    for _ in range(40):
        session.tell(("out", "in")[int(truth[session.ask().atom])])
    model = askwise.to_sklearn(session)
    table = predictions_table(session)["probability[in]"]
    chances = model.predict_proba({"x": rows[:, 0], "y": rows[:, 1]})[:, model.classes_.tolist().index("in")]
    assert chances == pytest.approx(table, abs=0.12)  # two runs of the same sampler, with a thousand draws each
    assert ((model.predict({"x": others[:, 0], "y": others[:, 1]}) == "in") == unseen).mean() > 0.9
    fitted = AskwiseClassifier(random_state=1).fit(rows, truth)
    assert (fitted.predict(others) == unseen).mean() > 0.9
    assert (AskwiseClassifier(shape="linear").fit(rows, truth).predict(others) == unseen).mean() < 0.8


def ring(rows):
    """The label of a row: in the middle, in the ring around it, or outside."""
    size = np.square(rows).sum(axis=1)
    return np.where(size < 0.3, "in", np.where(size < 0.8, "ring", "out"))


def test_more_labels_of_learned_shape_go_on_to_rows_never_seen():
    rng = generator(957)
    rows, others = rng.uniform(-1, 1, (2, 120, 2))
    truth, table = ring(rows), {"x": rows[:, 0].tolist(), "y": rows[:, 1].tolist()}
    session = askwise.classifier(table, ("out", "ring", "in"), seed=2, draws=150)
    for row in range(45):
        session.pose(row)
        session.tell(str(truth[row]))
    model = askwise.to_sklearn(session)
    found = predictions_table(session)
    for label, column in zip(model.classes_, model.predict_proba(table).T, strict=True):
        assert column == pytest.approx(found[f"probability[{label}]"], abs=0.15)  # two runs of the same sampler
    assert (model.predict({"x": others[:, 0], "y": others[:, 1]}) == ring(others)).mean() > 0.8
    assert session.certificate().shape.startswith("Features act in curves")
    fitted = AskwiseClassifier(random_state=1, draws=400).fit(rows, truth)
    assert (fitted.predict(others) == ring(others)).mean() > 0.8


@pytest.mark.parametrize("labels", [("out", "in"), ("out", "ring", "in")])
def test_a_pool_of_learned_shape_is_exported_as_it_is(tmp_path, labels):
    """Its draws are weights of landmark features, which any row has."""
    rows = points(3000, columns=2)
    truth = ring(rows / 1.5)
    truth = truth if len(labels) == 3 else np.where(truth == "in", "in", "out")
    session = askwise.classifier(write_pool(tmp_path / "rows.parquet", rows), labels, seed=3, draws=200)
    for row in np.random.default_rng(1).choice(3000, 60, replace=False).tolist():
        session.pose(row)
        session.tell(str(truth[row]))
    model = askwise.to_sklearn(session)
    right = (model.predict({"x0": rows[:, 0], "x1": rows[:, 1]}) == truth).mean()
    assert right > (0.9 if len(labels) == 2 else 0.75)
    sampled = session.recipe["options"]["pool"]["sample"]
    chances = model.predict_proba({"x0": rows[sampled, 0], "x1": rows[sampled, 1]})
    found = predictions_table(session)
    for label, column in zip(model.classes_, chances.T, strict=True):
        assert column == pytest.approx(found[f"probability[{label}]"], abs=1e-4)


def test_it_agrees_with_the_study_where_that_is_sure(session):
    model = askwise.to_sklearn(session)
    chances = model.predict_proba(TABLE)
    sure = chances.max(axis=1) > 0.9
    assert sure.sum() > 10
    assert (model.predict(TABLE) == session.estimate().value)[sure].all()
    assert model.classes_.tolist() == sorted(session.problem.family.labels)
    table = predictions_table(session)
    for label, column in zip(model.classes_, chances.T, strict=True):
        assert column == pytest.approx(table[f"probability[{label}]"], abs=1e-6)
    assert table["label"] == model.predict(TABLE).tolist()
    assert table["name"] == TABLE["name"]


FORMS = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "list of dicts": lambda data: pd.DataFrame(data).to_dict("records"),
    "other order, more columns": lambda data: {"more": [1] * 40} | dict(reversed(data.items())),
    "without the name": lambda data: {column: data[column] for column in ("kind", "size", "made")},
    "bare": lambda data: np.array([data[column] for column in ("size", "made", "kind")], dtype=object).T,
    "texts": lambda data: {column: list(map(str, values)) for column, values in data.items()},
}


@pytest.mark.parametrize("form", FORMS)
def test_any_table_with_the_same_columns_will_do(form, session):
    model = askwise.to_sklearn(session)
    assert model.feature_names_in_.tolist() == ["size", "made", "kind"]
    assert np.array_equal(model.predict_proba(FORMS[form](TABLE)), model.predict_proba(TABLE))
    assert model.predict_proba(FORMS["list of dicts"](TABLE)[:1]) == pytest.approx(model.predict_proba(TABLE)[:1])


def test_an_array_is_a_table_to_a_study_of_an_array():
    rng = generator(955)
    data = np.column_stack([rng.standard_normal((30, 2)), np.ones(30)])  # the last column is left out
    model = askwise.to_sklearn(askwise.classifier(data, draws=50))
    assert np.array_equal(model.predict_proba(data), model.predict_proba(data[:, :2]))


@pytest.mark.parametrize(
    ("labels", "classes"), [((1, 0), [0, 1]), (("b", "a"), ["a", "b"]), (("a", 2), [2, "a"]), ((0.5, 2), [0.5, 2.0])]
)
def test_labels_keep_their_kind(labels, classes):
    session = study(labels, 10)
    model = askwise.to_sklearn(session)
    assert model.classes_.tolist() == classes
    assert set(model.predict(TABLE).tolist()) <= set(labels)
    sure = model.predict_proba(TABLE).max(axis=1) > 0.9
    assert (model.predict(TABLE) == np.array(session.estimate().value, dtype=object))[sure].all()


def test_it_is_an_estimator_like_any_other(session):
    model = askwise.to_sklearn(session)
    copied = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copied.predict_proba(TABLE), model.predict_proba(TABLE))
    fresh = clone(model)
    assert not hasattr(fresh, "draws_")
    x, y = labelled()
    model.fit(x, y)  # learns anew, and forgets the table
    assert np.array_equal(model.predict_proba(x), fresh.fit(x, y).predict_proba(x))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": ["car"] * 39 + ["bike"]}, "column 'kind' has 'bike' in row 40; expected one of 'bus', 'car', 'van'"),
        ({"size": [None] * 40}, "column 'size' has missing values, 40 of 40"),
        ({"size": ["large"] * 40}, "column 'size' does not hold numbers"),
        ({"made": range(40)}, "column 'made' does not hold dates"),
    ],
)
def test_rows_that_cannot_be_encoded_are_refused(change, words, session):
    with pytest.raises(DataError, match=words):
        askwise.to_sklearn(session).predict(TABLE | change)


def test_what_is_no_classifier_is_refused(monkeypatch):
    with pytest.raises(DataError, match="the table lacks the columns 'size', 'made', 'kind'; give all of"):
        askwise.to_sklearn(study(count=0)).predict({"x": [1]})
    with pytest.raises(DataError, match="at least two classes, got one class, 1"):
        AskwiseClassifier().fit([[1.0], [2.0]], [1, 1])
    with pytest.raises(SettingError, match="only a classifier predicts labels"):
        askwise.to_sklearn(askwise.best_item(["tea", "milk"]))
    by_hand = askwise.classifier(TABLE, rule=lambda *args: None)
    with pytest.raises(SettingError, match="built by hand or with a function of your own"):
        askwise.to_sklearn(by_hand)
    monkeypatch.delitem(sys.modules, "askwise.exchange.estimator")
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    with pytest.raises(SettingError, match=r"needs scikit-learn; install it with: pip install 'askwise\[sklearn\]'"):
        askwise.to_sklearn(study(count=0))
